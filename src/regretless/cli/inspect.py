"""``regretless inspect``: what is in a model."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..printable import printable
from . import options
from .exit_codes import DONE
from .output import label_text, many, number_text, parameters_of, plain, write_json

if TYPE_CHECKING:
    from ..linear.base import OnlineClassifier
    from ..run.linear import Continuation
    from .arguments import InspectOptions


HELP = "show what is in a model"
DESCRIPTION = (
    "The learner, its parameters, its ledger and its largest weights, by the features' names or ids as in the file; of "
    "a finite class what is left of it, and what it says of the points."
)


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
        found, lines = _described(learner, extra, arguments)
    if arguments.json:
        write_json({"schema": "regretless.inspect/1", "model": arguments.model, **found})
    else:
        print("\n".join(map(printable, lines)))
    return DONE


def _described(learner: Any, extra: dict[str, Any], arguments: InspectOptions) -> tuple[dict[str, Any], list[str]]:
    """What is in a model, for programs and for people."""
    from ..run.linear import Continuation

    if learner.kind == "experts":
        from .inspect_kinds import describe_combiner, lines_of

        found = describe_combiner(learner, extra)
        lines = lines_of(found, arguments.top)
    elif learner.kind == "bandits":
        from .inspect_kinds import describe_bandit, lines_of_bandit

        found = describe_bandit(learner)
        lines = lines_of_bandit(found, arguments.top)
    elif learner.kind == "class":
        from .inspect_kinds import MOST, describe_class_learner, lines_of_class_learner

        found = describe_class_learner(learner, MOST if arguments.json else arguments.top)
        lines = lines_of_class_learner(found, arguments.top)
    else:
        from .inspect import describe_mixing

        found = describe(learner, Continuation.read(extra), arguments.top)
        found["mixing"] = describe_mixing(extra)
        lines = _lines(found, arguments.top)
    return found, lines


def describe(learner: OnlineClassifier, continuation: Continuation, top: int) -> dict[str, Any]:
    """A model as JSON values."""
    from ..data.names import made_of
    from .read_model import largest

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
    intercept = learner.rules().intercept
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
        "weights": [
            {"class": label, "largest": [{"feature": feature, "weight": weight} for feature, weight in weights]}
            for label, weights in largest(learner, continuation.schema, top)
        ],
    }


def _lines(found: dict[str, Any], top: int) -> list[str]:
    from .inspect import mixing_facts, shard_lines

    rate = f" ({found['mistakes'] / found['rounds']:.6f} of the rounds)" if found["rounds"] else ""
    facts = {
        "learner": found["learner"],
        "parameters": _parameters(found),
        "classes": ", ".join(found["classes"]),
        "rounds": found["rounds"],
        "mistakes": f"{found['mistakes']}{rate}",
        "updates": found["updates"],
        "loss": f"{found['loss']:.6g}",
        "features": _features(found),
        "length": ", ".join(f"{norm:.6g}" for norm in found["norms"]),
        "run": _stand(found["unfinished"]),
    }
    if found["support"] is not None:
        facts["support"] = f"{found['support']} rows"
    if found["constant_feature"]:
        constant = found["constant_feature"]
        weights = ", ".join(f"{weight:.6g}" for weight in constant["weights"])
        facts["constant"] = f"of size {constant['size']:g}, weights {weights}"
    if found["mixing"] is not None:
        facts |= mixing_facts(found["mixing"])
    lines = [f"{name:<12}{value}" for name, value in facts.items()]
    if found["mixing"] is not None:
        lines += shard_lines(found["mixing"], top)
    for one in found["weights"] if found["support"] is None else ():
        lines += ["", f"largest weights, for {one['class']}"]
        width = max((len(row["feature"]) for row in one["largest"]), default=0)
        lines += [f"  {row['feature']:>{width}}  {row['weight']:+.6g}" for row in one["largest"]]
    return lines


def _features(found: dict[str, Any]) -> str:
    hashed = "" if found["hash_bits"] is None else f", by {found['hash_bits']} bits of a hash"
    crossed = f", with the products {', '.join(found['interactions'])}" if found["interactions"] else ""
    return f"{found['features']}{hashed}{crossed}"


def _parameters(found: dict[str, Any]) -> str:
    """Those that are not the default ones, and what those that left it open have come to be."""
    from ..catalogue import learner_class

    usual = learner_class(found["learner"])().get_params()
    given = [f"{name}={value}" for name, value in found["parameters"].items() if usual[name] != value]
    settled = [
        f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in found["settled"].items()
    ]
    return "; ".join([", ".join(given) or "as by default", *filter(None, [", ".join(settled)])])


def _stand(unfinished: dict[str, Any] | None) -> str:
    if unfinished is None:
        return "finished"
    return "stopped after row {row} of {source}, pass {pass} of {passes}".format(**unfinished)


def describe_mixing(extra: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a model says of its shards, as JSON values; None if there were none.

    Raises
    ------
    ModelError
        If it does not fit together.
    """
    if extra.get("mixing") is None:
        return None
    from ..distributed.checkpoint import SavedRun

    kept = SavedRun.of(extra)
    sums, played = kept.sums, len(kept.history)
    each = zip(kept.names, sums.rounds.tolist(), sums.nonzeros.tolist(), sums.shares.tolist(), strict=True)
    return {
        "weights": kept.weights,
        "together": kept.together,
        "one_shot": kept.one_shot,
        "passes": kept.passes,
        "epochs": played,
        "epochs_asked": kept.epochs,
        "weighted_updates": sums.whole.mixed.updates,
        "history": [epoch.describe() for epoch in kept.history],
        "shards": [{"name": name, "rows": rows, "nonzeros": n, "share": share} for name, rows, n, share in each],
    }


def mixing_facts(found: Mapping[str, Any]) -> dict[str, str]:
    """The lines of `inspect` about it, by their headings."""
    shards = many(len(found["shards"]), "shard")
    if found["one_shot"]:
        passes = many(found["passes"], "pass").replace("passs", "passes")
        how = f"averaged once over {shards}, after {passes} over each"
        how += ": no theorem bounds what comes of that" if found["passes"] > 1 else ""
    else:
        often = "each epoch over" if found["together"] >= len(found["shards"]) else f"every {found['together']:,} of"
        how = f"after {often} {shards}, {COUNTS[found['weights']]}"
    facts = {"mixed": how}
    if not found["one_shot"]:
        facts["weighted"] = f"{number_text(found['weighted_updates'])} updates, as theorems count them"
        of = f"{found['epochs']:,} of {many(found['epochs_asked'], 'epoch')}"
        facts["run"] = "finished" if found["epochs"] >= found["epochs_asked"] else f"stopped after {of}"
        facts["epochs"] = f"{found['epochs']:,}"
    return facts


def shard_lines(found: Mapping[str, Any], top: int) -> list[str]:
    """The first shards with their rows, and what their weights counted in the mean."""
    shown = found["shards"][:top]
    width = max(len(one["name"]) for one in shown)
    lines = ["", f"{'shards':<{width + 2}} {'rows':>12} {'share of the mean':>18}"]
    for one in shown:
        lines.append(f"  {one['name']:<{width}} {one['rows']:>12} {one['share'] / found['epochs']:>18.6f}")
    left = len(found["shards"]) - len(shown)
    return [*lines, *([f"  and {left:,} more"] if left else [])]


COUNTS = {
    "uniform": "all counting the same",
    "updates": "each counting in proportion to its updates",
    "rows": "each counting in proportion to its rows",
}
