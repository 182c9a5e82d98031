"""``regretless verify``: compute the certificates of a report again, from the data and by other code."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..catalogue import CLASSIFICATION
from ..errors import RegretlessError
from ..report.terminal import many
from . import options
from .arguments import FeatureOptions, ReadingOptions
from .files import read_vectors
from .output import DONE, FAILED, VIOLATED, UsageError, complain, warn_skipped, write_json

if TYPE_CHECKING:
    from ..verify import Check
    from ..verify.off_policy import Policy
    from .logs import NamedPolicy


# What numbers and words that no report has raise on the way.
MALFORMED = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError)

WANTED = "give what --json printed, as in: regretless learn (or explore, combine) DATA --json > report.json"
INPUT = "input/"  # how numbers of the rows begin that were read
WORDS = ("and of certificates their names, sources and formulas",)

HELP = "compute the certificates of a report again, from the data"
DESCRIPTION = (
    "REPORT is what --json of learn, certify, combine, pull, explore, evaluate or solve printed, DATA the file that it "
    "is about, read with the same options. The comparators' sums are computed again from the rows, what was observed "
    "by the algorithm of the textbook where it has one, and each bound by its printed formula; nothing that made the "
    "report takes part. A line a certificate says whether its numbers agree, differ, or cannot be checked, and why; "
    "and which numbers had to be taken from the report."
)


class VerifyOptions(ReadingOptions, FeatureOptions):
    """Of `verify`."""

    report: str
    file: str
    comparators: str | None
    time: str | None
    experts: list[str]
    arms: list[str]
    losses: bool
    json: bool


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("report", metavar="REPORT", help="what --json printed, or - for standard input")
    parser.add_argument("file", metavar="DATA", help="the file that it is about, which may be compressed")
    parser.add_argument("--comparators", metavar="FILE", help="the vectors that --save-comparators wrote")
    reading = options.add_reading(parser)
    options.add_features(reading)
    reading.add_argument("--time", metavar="COLUMN", help="combine: the column that says when each row was")
    options.add_names(reading, "--experts", "combine: the experts' columns")
    options.add_names(reading, "--arms", "pull: the arms' columns")
    reading.add_argument("--losses", action="store_true", help="solve: the numbers are what the row player loses")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run(arguments: VerifyOptions) -> int:
    """Verify."""
    import numpy as np

    from .. import verify

    report = _report(arguments.report)
    kind = str(report["schema"]).removeprefix("regretless.").partition("/")[0]
    if kind not in CHECKED:
        raise UsageError(f"{arguments.report} is a report of {kind}; it must be of {', '.join(CHECKED)}")
    try:
        if all(one["certificates"] == [] for one in report.get("policies", [report])):
            raise RegretlessError(f"{arguments.report}: it has no certificates: there is nothing to check")
        verify.refuse_misshapen(report)
        with np.errstate(all="ignore"):  # what overflows shows in the numbers that are compared
            checks = CHECKED[kind](arguments, report, read_vectors(arguments.comparators))
    except RegretlessError:
        raise
    except verify.Malformed as error:
        raise RegretlessError(f"{arguments.report}: {error}; make it again with this version") from error
    except MALFORMED as error:
        lacks = f" ({error} is missing)" if isinstance(error, KeyError) else ""
        fault = f"it does not say what a report of {kind} says{lacks}"
        raise RegretlessError(f"{arguments.report}: {fault}; make it again with this version") from error
    _tell(arguments, checks)
    wrong = [one.theorem for one in checks if one.verdict == "differs"]
    if wrong:
        read = "; give the options of reading that learn had (--ignore and the like)" if INPUT in checks[-1].why else ""
        complain(f"{arguments.report} and {arguments.file} contradict each other ({', '.join(wrong)}){read}")
        return VIOLATED
    if not any(one.verdict == "agrees" for one in checks[:-1]):
        why = ", ".join(_uncompared([one.verdict for one in checks[:-1]]))
        complain(f"{arguments.report}: none of its certificates was compared ({why}), and at least one must be")
        return FAILED
    return DONE


def _report(path: str) -> dict[str, Any]:
    """The report.

    Raises
    ------
    RegretlessError
        If it is none.
    """
    import sys

    if path == "-":
        text = sys.stdin.buffer.read()
    else:
        with open(path, "rb") as file:
            text = file.read()
    try:
        report = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RegretlessError(f"{path}: {_other(text) or f'this is no JSON ({error})'}; {WANTED}") from error
    if not isinstance(report, dict) or not str(report.get("schema", "")).startswith("regretless."):
        raise RegretlessError(f"{path}: this is no report; {WANTED}")
    return report


def _other(text: bytes) -> str | None:
    """What a file is that is no JSON, if it is something else that regretless wrote."""
    if text.lstrip()[:1] == b"<":
        return "this is a page, as --report writes it"
    if text[8:9] == b"{":  # behind the length of a model's header
        return "this is a model, as --save writes it"
    return None


def _tell(arguments: VerifyOptions, checks: list[Check]) -> None:
    from dataclasses import replace

    if not arguments.json:
        run = checks[-1]
        for one in (*checks[:-1], replace(run, taken=())):
            print(one)
        print(_counted([one.verdict for one in checks[:-1]], len(run.numbers)))
        print(f"nothing else was compared: {', '.join((*run.taken, *WORDS))}")
        return
    verdicts = [one.verdict for one in checks]
    counts = {kind: verdicts.count(kind) for kind in ("agrees", "differs", "unchecked", "idle")}
    head = {"schema": "regretless.verify/1", "report": arguments.report, "input": arguments.file}
    *each, whole = [one.describe() for one in checks]
    write_json({**head, **counts, "run": whole, "checks": each})


def _counted(verdicts: list[str], numbers: int) -> str:
    """How many certificates and numbers were compared, and how many certificates were not."""
    compared, others = verdicts.count("agrees") + verdicts.count("differs"), _uncompared(verdicts)
    counted = f"compared: {many(compared, 'certificate')} and {many(numbers, 'number')} of the run"
    return f"{counted}; {', '.join(others)}" if others else counted


def _uncompared(verdicts: list[str]) -> list[str]:
    """How many certificates were not compared, and why."""
    unchecked, idle = verdicts.count("unchecked"), verdicts.count("idle")
    others = [f"{unchecked:,} cannot be checked"] if unchecked else []
    return others + ([f"{idle:,} do{'es' if idle == 1 else ''} not apply"] if idle else [])


def _linear(arguments: VerifyOptions, report: dict[str, Any], vectors: dict[str, Any]) -> list[Check]:
    import numpy as np

    from .. import verify
    from ..run.first_rows import as_words

    if isinstance(report["input"], list):
        raise UsageError(f"{arguments.report} is about shards, and these are not checked")
    target = _target(arguments, report)
    if target is not None and arguments.target is None:
        _refuse_without_columns(arguments, target)
    named: dict[str, Any] = {} if target is None else {"target": target}
    stream = options.open_input(arguments.file, arguments, None, **named)
    rows, labels = _rows(stream.batches())
    warn_skipped(stream)
    if labels is None:
        raise RegretlessError(f"{stream.name}: a report cannot be checked without the labels, and there are none")
    numbers = report.get("task", CLASSIFICATION) != CLASSIFICATION
    if numbers and len(labels) and labels.dtype.kind == "U":
        fault = f"{as_words(stream, labels)}, and {arguments.report} is about numbers"
        raise RegretlessError(f"{stream.name}: {fault}; give --target and the other options of reading as for learn")
    check = verify.regression.check if numbers else verify.linear.check
    return check(report, rows, np.asarray(labels), vectors, stream.skipped)


def _refuse_without_columns(arguments: VerifyOptions, target: str) -> None:
    """Refuse a file whose format has no columns by names, where a report has a column of labels."""
    from ..data.formats import ROWS
    from ..data.rows import READERS

    kind = ROWS.choose(arguments.file, arguments.format)
    if "target" not in READERS[kind].takes:
        about = f"{arguments.report} is about the column {target!r} of a table, and this is of the format {kind}"
        raise UsageError(f"{arguments.file}: {about}; give the file that the report is about, or its --format")


def _target(arguments: VerifyOptions, report: dict[str, Any]) -> str | None:
    """The column of labels or outcomes, by the report where the command line does not say it."""
    read = report.get("input")
    known = {"input": read if isinstance(read, dict) else report}  # earlier versions of combine wrote no input
    own = known["input"].get("target")
    return None if own is None else _stated(arguments.target, "target", known, arguments.report)


def _stated(stated: str | None, name: str, report: Mapping[str, Any], path: str) -> str | None:
    """A column by its use, as the report says it, else the command line.

    Raises
    ------
    UsageError
        If both say it, and differently.
    """
    own = report.get("input", {}).get(name)
    if own is None or stated in (None, own):
        return stated if own is None else str(own)
    raise UsageError(f"--{name} {stated}: {path} is about the {name} {own!r}")


def _rows(parts: Iterable[Any]) -> tuple[Any, Any]:
    """All rows of a stream's batches, dense or sparse, in float64, and their labels."""
    import numpy as np
    from scipy.sparse import csr_array  # type: ignore[import-untyped, unused-ignore]

    batches = []
    for batch in parts:  # whose buffers the stream may use again
        values = np.array(batch.values, dtype=np.float64)
        sparse = None if batch.starts is None else (np.array(batch.indices), np.array(batch.starts, dtype=np.int64))
        batches.append((values, sparse, batch.columns, None if batch.labels is None else np.array(batch.labels)))
    if not batches:
        return np.zeros((0, 0)), np.zeros(0)
    columns = max(one[2] for one in batches)
    labels = None if batches[0][3] is None else np.concatenate([one[3] for one in batches])
    if batches[0][1] is None:
        return np.vstack([np.pad(one[0], ((0, 0), (0, columns - one[0].shape[1]))) for one in batches]), labels
    lengths = np.concatenate([np.diff(one[1][1]) for one in batches if one[1] is not None])
    indices = np.concatenate([one[1][0] for one in batches if one[1] is not None])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    values = np.concatenate([one[0] for one in batches])
    return csr_array((values, indices, starts), shape=(len(lengths), columns)), labels


def _experts(arguments: VerifyOptions, report: dict[str, Any], vectors: dict[str, Any]) -> list[Check]:
    import numpy as np

    from .. import verify
    from ..data.forecasts import open_forecasts

    blind = report["loss_name"] in ("table", "wealth")
    stream = open_forecasts(
        arguments.file,
        format=arguments.format,
        experts=options.names_of(arguments.experts) or list(report["expert_losses"]),
        need_target=not blind,
        target=_target(arguments, report) or arguments.target,
        time=_stated(arguments.time, "time", report, arguments.report),
    )
    batches = [batch.with_outcomes() for batch in stream.batches()]
    advice = np.concatenate([np.array(batch.advice) for batch in batches])
    outcomes = None if blind else np.concatenate([np.array(batch.outcomes) for batch in batches])
    return verify.experts.check(report, advice, outcomes, vectors)


def _bandits(arguments: VerifyOptions, report: dict[str, Any], _: dict[str, Any]) -> list[Check]:
    from .. import verify
    from ..data.losses import Wanted, read_losses

    low, high = report["parameters"]["value_range"]
    wanted = Wanted(options.names_of(arguments.arms), None, None, low, high, report["parameters"]["rewards"])
    table = read_losses(arguments.file, wanted, format=arguments.format)
    return verify.bandits.check(report, table.values, list(table.arms))


def _games(arguments: VerifyOptions, report: dict[str, Any], _: dict[str, Any]) -> list[Check]:
    import numpy as np

    from .. import verify
    from ..data.game_files import read_game

    game = read_game(arguments.file, format=arguments.format)
    if game.kind != "matrix":
        return verify.games.check(report | {"game": game.kind}, np.zeros((1, 1)))
    matrix = game.payoffs[0]
    payoffs = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64)
    return verify.games.check(report, -payoffs if arguments.losses else payoffs, (game.rows, game.columns))


def _explored(arguments: VerifyOptions, report: dict[str, Any], _: dict[str, Any]) -> list[Check]:
    import numpy as np

    from .. import verify
    from ..verify.explore import Decided
    from .decisions import DecisionOptions, stream_of

    reading = {name: getattr(arguments, name) for kind in (ReadingOptions, FeatureOptions) for name in kind.fields()}
    none: dict[str, Any] = dict.fromkeys(("action", "cost", "reward", "propensity", "range"))
    lists: dict[str, Any] = {"costs": [], "rewards": [], "propensities": [], "actions": []}
    how = DecisionOptions(file=arguments.file, **none, **lists, **reading)
    low, high = report["parameters"]["value_range"]
    stream = stream_of(how, (low, high), report["input"], None, list(report["actions"]))
    parts: list[Any] = []

    def batches() -> Iterator[Any]:
        for part in stream.rounds():
            parts.append(part)
            yield part.rows

    rows, _ = _rows(batches())
    warn_skipped(stream)
    costs = np.concatenate([part.costs for part in parts])
    chances = np.concatenate([np.asarray(part.chances) for part in parts]) if stream.logged else None
    each = [np.ones(part.costs.shape, bool) if part.available is None else part.available for part in parts]
    # Features beyond those of the first rows of a pipe were left out.
    decided = Decided(rows[:, : report["features"]], costs, chances, np.concatenate(each))
    return verify.explore.check(report, decided, stream.actions)


def check_log(arguments: VerifyOptions, report: dict[str, Any], _: dict[str, Any]) -> list[Check]:
    """The checks of what ``evaluate`` or ``pull --logged`` printed.

    Raises
    ------
    RegretlessError
        If the log cannot be read as the report says, or has no such policies.
    """
    from .. import verify
    from .logs import LogOptions, policies_of, read_evaluated

    parts = report.get("policies", [report])
    read = dict.fromkeys(LogOptions.fields()) | parts[0]["log"]
    texts = [one["policy"] for one in parts if "learner" not in one]
    options = LogOptions(**(read | {"file": arguments.file, "format": arguments.format}))
    try:
        log = read_evaluated(options)
        asked = policies_of(texts, options, log)
    except UsageError as error:
        raise RegretlessError(f"{arguments.report} and {arguments.file}: {error}") from error
    return verify.off_policy.check(report, log, [_plain(one) for one in asked])


def _plain(named: NamedPolicy) -> Policy:
    """A policy as arrays alone."""
    import numpy as np

    from ..bandits.off_policy import Choices, Randomised, Stated
    from ..verify.off_policy import Policy

    log, policy = named.log, named.policy
    if isinstance(policy, Stated):
        return Policy(named.name, log, stated=np.asarray(policy.probabilities, dtype=np.float64))
    if isinstance(policy, Randomised):
        return Policy(named.name, log, each=np.asarray(policy.probabilities))
    if isinstance(policy, Choices):
        places = {name: place for place, name in enumerate(log.names)}
        unknown = [str(name) for name in policy.actions if str(name) not in places]
        if unknown:
            raise RegretlessError(f"{log.name}: {named.text} takes {unknown[0]!r}, an action that the log never took")
        return Policy(named.name, log, chosen=np.array([places[str(name)] for name in policy.actions]))
    table = [policy.get(name, 0.0) for name in log.names] if isinstance(policy, Mapping) else policy
    shape = len(log.situations), len(log.names)
    return Policy(named.name, log, table=np.broadcast_to(np.asarray(table, dtype=np.float64), shape))


CHECKED: dict[str, Callable[[VerifyOptions, dict[str, Any], dict[str, Any]], list[Check]]] = {
    "learn": _linear,
    "certify": _linear,
    "combine": _experts,
    "pull": _bandits,
    "explore": _explored,
    "solve": _games,
    "logged": check_log,
    "evaluate": check_log,
}
