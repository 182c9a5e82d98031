"""``regretless inspect``: what is in a model."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..report.formatting import printable
from . import options
from .arguments import Arguments
from .output import DONE, fact_lines, label_text, many, number_text, parameters_of, plain, write_json

if TYPE_CHECKING:
    from ..linear.base import OnlineClassifier
    from ..run.linear import Continuation


HELP = "show what is in a model"
DESCRIPTION = (
    "The learner, its parameters, its ledger and its largest weights, by the features' names or ids as in the file; of "
    "a finite class what is left of it, and what it says of the points."
)


class InspectOptions(Arguments):
    """Of `inspect`."""

    model: str
    top: int
    json: bool


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_model(parser)
    parser.add_argument(
        "--top", type=options.whole, metavar="N", default=10, help="how many weights of each class; 10 by default"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run(arguments: InspectOptions) -> int:
    """Inspect."""
    from ..persist.model import read
    from ..persist.validation import fits

    learner, extra = read(arguments.model)
    with fits(f"{arguments.model}: what the model says"):
        values, lines = _values_and_lines(learner, extra, arguments)
    if arguments.json:
        write_json({"schema": "regretless.inspect/1", "model": arguments.model, **values})
    else:
        print("\n".join(map(printable, lines)))
    return DONE


def _values_and_lines(
    learner: Any, extra: dict[str, Any], arguments: InspectOptions
) -> tuple[dict[str, Any], list[str]]:
    """What is in a model, for programs and for people."""
    from ..run.linear import Continuation

    if learner.kind == "experts":
        from .inspect_kinds import describe_combiner, lines_of

        values = describe_combiner(learner, extra)
        lines = lines_of(values, arguments.top)
    elif learner.kind == "regression":
        from .inspect_kinds import describe_regressor, lines_of_regressor

        values = describe_regressor(learner, extra, arguments.top)
        lines = lines_of_regressor(values)
    elif learner.kind == "bandits":
        from .inspect_kinds import describe_bandit, lines_of_bandit

        values = describe_bandit(learner)
        lines = lines_of_bandit(values, arguments.top)
    elif learner.kind == "contextual":
        from .inspect_kinds import describe_contextual, lines_of_contextual

        values = describe_contextual(learner, extra)
        lines = lines_of_contextual(values, arguments.top)
    elif learner.kind == "class":
        from .inspect_kinds import MOST, describe_class_learner, lines_of_class_learner

        values = describe_class_learner(learner, MOST if arguments.json else arguments.top)
        lines = lines_of_class_learner(values, arguments.top)
    else:
        values = describe(learner, Continuation.read(extra), arguments.top)
        values["mixing"] = _describe_mixing(learner, extra)
        lines = _lines(values, arguments.top)
    return values, lines


def describe(learner: OnlineClassifier, continuation: Continuation, top: int) -> dict[str, Any]:
    """A model as JSON values."""
    from ..data.names import made_of
    from .learn_labels import asked_values
    from .read_model import largest, members_of, mixture_of

    ledger, place = learner.ledger_, continuation.place
    unfinished = None
    if place is not None:
        unfinished = {
            "pass": place.number + 1,
            "passes": continuation.passes,
            "row": place.rows,
            "source": continuation.source,
        }
    interactions, bits = made_of(continuation.schema)
    intercept, mixture = learner.rules().intercept, mixture_of(learner)
    return {
        "learner": learner.name,
        "parameters": parameters_of(learner),
        "settled": {name: plain(value) for name, value in learner.settled().items()},
        "classes": [label_text(label) for label in learner.classes_.tolist()],
        "rounds": int(ledger.rounds),
        "mistakes": int(ledger.mistakes),
        "updates": int(ledger.updates),
        "loss": ledger.loss,
        "features": learner.state_.columns,
        "interactions": interactions,
        "hash_bits": bits,
        "norms": learner.state_.norms(),
        "support": getattr(learner.state_, "support_rows", None),
        "constant_feature": {"size": intercept, "weights": learner.state_.biases().tolist()} if intercept else None,
        "unfinished": unfinished,
        **({} if mixture is None else {"members": members_of(mixture)}),
        **asked_values(learner),
        "weights": [
            {"class": label, "largest": [weight.describe() for weight in weights]}
            for label, weights in largest(learner, continuation.schema, top, learner.state_.sizes())
        ],
    }


def _lines(values: dict[str, Any], top: int) -> list[str]:
    from .read_model import LOG_LOSS, member_lines, weight_lines

    rate = f" ({values['mistakes'] / values['rounds']:.6f} of the rounds)" if values["rounds"] else ""
    facts = {
        "learner": values["learner"],
        "parameters": _parameters(values),
        "classes": ", ".join(values["classes"]),
        "rounds": values["rounds"],
        "mistakes": f"{values['mistakes']}{rate}",
        "updates": values["updates"],
        "loss": f"{values['loss']:.6g}",
        "features": _features(values),
        "length": ", ".join(f"{norm:.6g}" for norm in values["norms"]),
        "run": _run_state(values["unfinished"]),
    }
    if "asked" in values:
        facts["asked"] = f"{values['asked']['labels']} labels, of {values['asked']['expected']:.6g} to be expected"
    if values["support"] is not None:
        facts["support"] = f"{values['support']} rows"
    if values["constant_feature"]:
        constant = values["constant_feature"]
        weights = ", ".join(f"{weight:.6g}" for weight in constant["weights"])
        facts["constant"] = f"of size {constant['size']:g}, weights {weights}"
    if values["mixing"] is not None:
        facts |= _mixing_facts(values["mixing"])
    lines = fact_lines(facts)
    if values["mixing"] is not None:
        lines += _shard_lines(values["mixing"], top)
    if "members" in values:
        lines += ["", *member_lines(values["members"], values["rounds"], LOG_LOSS, several=len(values["classes"]) > 2)]
    for one in values["weights"] if values["support"] is None else ():
        lines += weight_lines(f", for {one['class']}", one["largest"])
    return lines


def _features(values: dict[str, Any]) -> str:
    hashed = "" if values["hash_bits"] is None else f", by {values['hash_bits']} bits of a hash"
    crossed = f", with the products {', '.join(values['interactions'])}" if values["interactions"] else ""
    return f"{values['features']}{hashed}{crossed}"


def _parameters(values: dict[str, Any]) -> str:
    """Those that are not the default ones, and what those that left it open have come to be."""
    from ..catalogue import learner_class

    usual = learner_class(values["learner"])().get_params()
    changed = [f"{name}={value}" for name, value in values["parameters"].items() if not _same(usual[name], value)]
    settled = [
        f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in values["settled"].items()
    ]
    return "; ".join([", ".join(changed) or "as by default", *filter(None, [", ".join(settled)])])


def _same(one: Any, other: Any) -> bool:
    """Whether two values of a parameter are the same; a model file has lists for tuples."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return list(one) == list(other)
    return bool(one == other)


def _run_state(unfinished: dict[str, Any] | None) -> str:
    if unfinished is None:
        return "finished"
    return "stopped after row {row} of {source}, pass {pass} of {passes}".format(**unfinished)


def _describe_mixing(learner: OnlineClassifier, extra: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a model says of its shards, as JSON values; None if there were none."""
    if extra.get("mixing") is None:
        return None
    from ..distributed.checkpoint import SavedRun, no_guarantee, union_of

    saved = SavedRun.of(extra)
    sums, played = saved.sums, len(saved.history)
    each = zip(saved.names, sums.rounds.tolist(), sums.nonzeros.tolist(), sums.shares.tolist(), strict=True)
    return {
        "weights": saved.weights,
        "together": saved.together,
        "one_shot": saved.one_shot,
        "union": union_of(learner) if saved.one_shot else None,
        "guarantee": no_guarantee(learner, saved) or None,
        "passes": saved.passes,
        "epochs": played,
        "epochs_asked": saved.epochs,
        "weighted_updates": sums.whole.mixed.updates,
        "history": [epoch.describe() for epoch in saved.history],
        "shards": [{"name": name, "rows": rows, "nonzeros": n, "share": share} for name, rows, n, share in each],
    }


def _mixing_facts(values: Mapping[str, Any]) -> dict[str, str]:
    """The lines of `inspect` about it, by their headings."""
    shards = many(len(values["shards"]), "shard")
    if values["one_shot"]:
        passes = many(values["passes"], "pass").replace("passs", "passes")
        how = f"{values['union']} once over {shards}, after {passes} over each"
        how += ": no theorem bounds the result" if values["guarantee"] else ""
    else:
        often = "each epoch over" if values["together"] >= len(values["shards"]) else f"every {values['together']:,} of"
        how = f"after {often} {shards}, {COUNTS[values['weights']]}"
    facts = {"mixed": how}
    if not values["one_shot"]:
        facts["weighted"] = f"{number_text(values['weighted_updates'])} updates, as theorems count them"
        of = f"{values['epochs']:,} of {many(values['epochs_asked'], 'epoch')}"
        facts["run"] = "finished" if values["epochs"] >= values["epochs_asked"] else f"stopped after {of}"
        facts["epochs"] = f"{values['epochs']:,}"
    return facts


def _shard_lines(values: Mapping[str, Any], top: int) -> list[str]:
    """The first shards with their rows, and what their weights counted in the mean, if there was one."""
    shown, mean = values["shards"][:top], values["union"] != ADDED
    width = max(len(one["name"]) for one in shown)
    lines = ["", f"{'shards':<{width + 2}} {'rows':>12}" + f" {'share of the mean':>18}" * mean]
    for one in shown:
        share = f" {one['share'] / values['epochs']:>18.6f}" * mean
        lines.append(f"  {one['name']:<{width}} {one['rows']:>12}{share}")
    left = len(values["shards"]) - len(shown)
    return [*lines, *([f"  and {left:,} more"] if left else [])]


ADDED = "matrices added up"
COUNTS = {
    "uniform": "all counting the same",
    "updates": "each counting in proportion to its updates",
    "rows": "each counting in proportion to its rows",
}
