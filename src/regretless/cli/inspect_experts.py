"""What is in a model that combines experts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .output import plain

if TYPE_CHECKING:
    from ..experts.base import ExpertLearner


def describe_combiner(learner: ExpertLearner, extra: Mapping[str, Any]) -> dict[str, Any]:
    """A model as JSON values."""
    book, names = learner.ledger_, learner.names()
    unfinished, columns = extra.get("unfinished"), extra.get("columns") or {}
    return {
        "learner": learner.name,
        "parameters": {name: plain(value) for name, value in learner.get_params().items()},
        "experts": len(names),
        "rounds": int(book.rounds),
        "waiting": len(learner.pending_),
        "loss_name": learner._loss.name,
        "loss": book.loss,
        "missing": int(book.absent),
        "columns": dict(columns),
        "delay": extra.get("delay"),
        "unfinished": None if unfinished is None else dict(unfinished),
        "weights": dict(zip(names, learner.weights.tolist(), strict=True)),
        "expert_losses": dict(zip(names, book.losses.tolist(), strict=True)),
    }


def lines_of(found: Mapping[str, Any], top: int) -> list[str]:
    """The same for people, with the heaviest experts."""
    rounds = found["rounds"]
    mean = f" ({found['loss'] / rounds:.6g} a round)" if rounds else ""
    stands = found["unfinished"]
    facts = {
        "learner": found["learner"],
        "parameters": ", ".join(f"{name}={value}" for name, value in found["parameters"].items()),
        "experts": found["experts"],
        "rounds": rounds,
        "loss": f"{found['loss']:.6g}{mean}, {found['loss_name']}",
        "missing": f"{found['missing']} forecasts",
        "columns": ", ".join(f"{role} {name}" for role, name in found["columns"].items() if name) or "not known",
        "run": "finished" if stands is None else f"stopped after row {stands['row']} of {stands['source']}",
    }
    if found["waiting"]:
        facts["waiting"] = f"{found['waiting']} predictions for their outcomes"
    weights = found["weights"]
    names = list(weights)
    order = np.argsort(-np.abs(list(weights.values())), kind="stable")[:top].tolist()
    width = max(len(names[place]) for place in order)
    lines = [f"{name:<12}{value}" for name, value in facts.items()]
    lines += ["", f"largest weights {'':>{max(width - 13, 0)}}{'weight':>9} {'loss':>14}"]
    for place in order:
        name = names[place]
        lines.append(f"  {name:<{max(width, 14)}} {weights[name]:>8.6f} {found['expert_losses'][name]:>14.6g}")
    return lines
