"""What `inspect` shows of a learner of labels, and of the shards that it learned from."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any

from ...report.terminal import label_text, many, more_lines, number_text
from ..output import fact_lines, parameters_of, plain

if TYPE_CHECKING:
    from ...linear.base import OnlineClassifier
    from ...run.linear import Continuation


def describe(learner: OnlineClassifier, continuation: Continuation, top: int) -> dict[str, Any]:
    """A model as JSON values."""
    from ...data.names import made_of
    from ...run.members import members_of, mixture_of
    from ..learn.labels import asked_values
    from ..read_model import largest

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


def label_lines(values: dict[str, Any], top: int) -> list[str]:
    from ...report.terminal import LOG_LOSS, member_lines, weight_lines

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
        "run": run_state(values["unfinished"]),
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
    from ...catalogue import learner_class

    usual = learner_class(values["learner"])().get_params()
    changed = [f"{name}={value}" for name, value in values["parameters"].items() if not _same(usual[name], value)]
    settled = [
        f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in values["settled"].items()
        if value != values["parameters"].get(name)
    ]
    return "; ".join([", ".join(changed) or "as by default", *filter(None, [", ".join(settled)])])


def _same(one: Any, other: Any) -> bool:
    """Whether two values of a parameter are the same; a model file has lists for tuples."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return list(one) == list(other)
    return bool(one == other)


def run_state(unfinished: Mapping[str, Any] | None) -> str:
    if unfinished is None:
        return "finished"
    passes = ", pass {pass} of {passes}" if "pass" in unfinished else ""
    return f"stopped after row {{row}} of {{source}}{passes}".format(**unfinished)


def settings_text(values: Mapping[str, Any], without: Container[str] = ()) -> str:
    """The parameters; where some are left out, those that are None are too."""
    known = values["parameters"].items()
    return ", ".join(f"{name}={one}" for name, one in known if not without or (one is not None and name not in without))


def describe_mixing(learner: OnlineClassifier, extra: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a model says of its shards, as JSON values; None if there were none."""
    if extra.get("mixing") is None:
        return None
    from ...distributed.checkpoint import SavedRun, no_guarantee, union_of

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
    return [*lines, *more_lines(len(values["shards"]), top)]


ADDED = "matrices added up"
COUNTS = {
    "uniform": "all counting the same",
    "updates": "each counting in proportion to its updates",
    "rows": "each counting in proportion to its rows",
}
