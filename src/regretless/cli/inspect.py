"""``regretless inspect``: what is in a model."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from ..printable import printable
from . import options
from .exit_codes import DONE
from .output import label_text, plain, write_json

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
        from .inspect_experts import describe_combiner, lines_of

        found = describe_combiner(learner, extra)
        lines = lines_of(found, arguments.top)
    elif learner.kind == "bandits":
        from .inspect_bandits import describe_bandit, lines_of_bandit

        found = describe_bandit(learner)
        lines = lines_of_bandit(found, arguments.top)
    elif learner.kind == "class":
        from .inspect_classes import MOST, describe_class_learner, lines_of_class_learner

        found = describe_class_learner(learner, MOST if arguments.json else arguments.top)
        lines = lines_of_class_learner(found, arguments.top)
    else:
        from .inspect_mixing import describe_mixing

        found = describe(learner, Continuation.read(extra), arguments.top)
        found["mixing"] = describe_mixing(extra)
        lines = _lines(found, arguments.top)
    return found, lines


def describe(learner: OnlineClassifier, continuation: Continuation, top: int) -> dict[str, Any]:
    """A model as JSON values."""
    from ..data.names import made_of
    from .features import largest

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
        "parameters": {name: plain(value) for name, value in learner.get_params().items()},
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
    from .inspect_mixing import mixing_facts, shard_lines

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
