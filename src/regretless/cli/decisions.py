"""The rounds that ``explore`` plays: which reader reads them, by the options or as the model says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..data.formats import DECISIONS, TABLES
from . import options
from .arguments import FeatureOptions, ReadingOptions
from .output import UsageError

if TYPE_CHECKING:
    from ..data.decisions import DecisionStream

VW = "vw"
Range = tuple[float, float]


class DecisionOptions(ReadingOptions, FeatureOptions):
    """What a file says of rounds of decisions, and how it is read."""

    file: str
    costs: list[str]
    rewards: list[str]
    action: str | None
    cost: str | None
    reward: str | None
    propensity: str | None
    propensities: list[str]
    actions: list[str]
    range: list[float] | None


def stream_of(
    arguments: DecisionOptions,
    value_range: Range,
    before: Mapping[str, Any],
    schema: dict[str, Any] | None,
    actions: list[str] | None,
) -> DecisionStream:
    """The rounds of the file.

    Parameters
    ----------
    arguments : DecisionOptions
    value_range : (float, float)
        Where all costs lie.
    before : mapping
        How the rounds were written in the file of a model or a report, where the options do not say it; else empty.
    schema : dict or None
        Of that file, whose columns this one is to have.
    actions : list of str or None
        Of the model or report.

    Raises
    ------
    UsageError
        If an option has no meaning here, or contradicts the model.
    """
    from ..data.decisions import in_rewards

    actions = actions or options.names_of(arguments.actions)
    with options.usage_errors("format"):
        # A file whose suffix says nothing is a table where columns are named.
        named = arguments.costs or arguments.rewards or arguments.action or before.get("form") in ("costs", "log")
        form = DECISIONS.choose(arguments.file, arguments.format, otherwise="csv" if named else None)
    if form == VW:
        stream = _wabbit(arguments, value_range, actions, schema)
    elif arguments.costs or arguments.rewards or (arguments.action is None and before.get("form") == "costs"):
        stream = _costs(arguments, value_range, form, schema, before, actions)
    elif arguments.action is not None or before.get("form") == "log":
        stream = _log(arguments, value_range, form, schema, before, actions)
    else:
        stream = _labels(arguments, actions, schema)
    own, mine = stream.describe(), ("form", "logged")
    if before and any(before.get(name) != own[name] for name in mine):
        raise UsageError(f"{arguments.file} is read as {own['form']}, and it was {before.get('form')} before")
    if before and in_rewards(own) != in_rewards(before):
        words = ("rewards", "costs") if in_rewards(own) else ("costs", "rewards")
        raise UsageError(f"{arguments.file} is read as {words[0]}, and the model has learned {words[1]}")
    return stream


def _labels(arguments: DecisionOptions, actions: list[str] | None, schema: Any) -> DecisionStream:
    from ..data.decisions import LabelDecisions

    options.refuse_set({"--range": arguments.range}, "is for costs, and those of labels are 0 and 1")
    with options.errors_by_option({"actions"}):
        return LabelDecisions(options.open_input(arguments.file, arguments, schema), actions)


def _costs(
    arguments: DecisionOptions,
    value_range: Range,
    form: str,
    schema: Any,
    before: Mapping[str, Any],
    actions: list[str] | None,
) -> DecisionStream:
    from ..data.decision_tables import CostTable

    columns = {"costs": options.names_of(arguments.costs), "rewards": options.names_of(arguments.rewards)}
    if not any(columns.values()):
        columns = {name: before.get(name) for name in columns}
    for name, named in columns.items():
        if named and actions is not None and named != actions:
            learned = ",".join(actions)
            raise UsageError(f"--{name} {','.join(named)}: the model has learned {learned}; leave --{name} out")
    how = {"value_range": value_range, "schema": schema, **_of_table(arguments, form)}
    with options.errors_by_option(options.reading(arguments)):
        return CostTable(arguments.file, columns["costs"], rewards=columns["rewards"], **how)


def _log(
    arguments: DecisionOptions,
    value_range: Range,
    form: str,
    schema: Any,
    before: Mapping[str, Any],
    actions: list[str] | None,
) -> DecisionStream:
    from ..data.decision_tables import DecisionLog, LogColumns

    if arguments.action is None:
        known = ("action", "cost", "reward", "probability", "probabilities")
        columns = LogColumns(**{name: before[name] for name in known if name in before})
    else:
        columns = LogColumns(
            action=arguments.action,
            cost=arguments.cost,
            reward=arguments.reward,
            probability=_propensity(arguments.propensity),
            probabilities=options.names_of(arguments.propensities) or (),
        )
    how = _of_table(arguments, form)
    with options.errors_by_option({"propensity", *options.reading(arguments)}):
        return DecisionLog(arguments.file, columns, actions=actions, value_range=value_range, schema=schema, **how)


def _propensity(text: str | None) -> str | float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _of_table(arguments: DecisionOptions, form: str) -> dict[str, Any]:
    """How a table is read."""
    if form not in TABLES:
        raise UsageError(f"{arguments.file}: columns have names in {', '.join(TABLES)}, and this is read as {form}")
    foreign = {"--ids-from": arguments.ids_from, "--normalize": arguments.normalize}
    options.refuse_set(foreign, "is for labelled rows")
    options.refuse_set({"--threads": None if arguments.threads == 1 else arguments.threads}, "is for labelled rows")
    return options.reading(arguments) | {"format": form}


def _wabbit(arguments: DecisionOptions, value_range: Range, actions: list[str] | None, schema: Any) -> DecisionStream:
    from ..data.vowpal_wabbit_decisions import WabbitDecisions

    columns = {
        "--costs": arguments.costs,
        "--rewards": arguments.rewards,
        "--action": arguments.action,
        "--target": arguments.target,
        "--header": arguments.header,
        "--ids-from": arguments.ids_from,
        "--missing": arguments.missing,
        "--categorical": arguments.categorical,
        "--ignore": arguments.ignore,
        "--text": arguments.text,
        "--ngrams": arguments.ngrams,
        "--interactions": arguments.interactions,
        "--keep-names": arguments.keep_names,
        "--normalize": arguments.normalize,
        "--on-error": None if arguments.on_error == "raise" else arguments.on_error,
        "--threads": None if arguments.threads == 1 else arguments.threads,
    }
    options.refuse_set(columns, "has no meaning in Vowpal Wabbit's text")
    bits, limit = arguments.hash_bits, arguments.max_features
    with options.errors_by_option({"hash_bits", "max_features"}):
        how = {"value_range": value_range, "hash_bits": bits, "schema": schema}
        return WabbitDecisions(arguments.file, actions=actions, max_features=limit, **how)
