"""What is in a model of a finite class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..classes.learners.base import ClassLearner

MOST = 1000  # hypotheses that JSON names


def describe_class_learner(learner: ClassLearner) -> dict[str, Any]:
    """A model as JSON values."""
    from ..kept import plain

    book, finite_class, left = learner.ledger_, learner.finite_class, learner.alive_
    given = {name: value for name, value in learner.get_params().items() if name != "finite_class"}
    return {
        "learner": learner.name,
        "parameters": {name: plain(value) for name, value in given.items()},
        "hypotheses": finite_class.hypotheses,
        "points": finite_class.points,
        "rounds": book.rounds,
        "mistakes": book.mistakes,
        "expected_mistakes": book.expected if learner.draws else None,
        "alive": book.alive,
        "kept": book.kept,
        "died": book.died,
        "waiting": len(learner.pending_),
        "left": [finite_class.hypothesis_name(one) for one in left[:MOST].tolist()],
    }


def lines_of_class_learner(found: Mapping[str, Any], top: int) -> list[str]:
    """The same for people, with the first hypotheses that are left."""
    rounds, expected = found["rounds"], found["expected_mistakes"]
    rate = f" ({found['mistakes'] / rounds:.6f} of the rounds)" if rounds else ""
    given = [f"{name}={value}" for name, value in found["parameters"].items() if value is not None and name != "order"]
    facts = {
        "learner": found["learner"],
        "parameters": ", ".join(given) or "as by default",
        "order": "of its own" if found["parameters"].get("order") is not None else None,
        "class": f"{found['hypotheses']} hypotheses on {found['points']} points",
        "rounds": rounds,
        "mistakes": f"{found['mistakes']}{rate}",
        "expected": None if expected is None else f"{expected:.6g} mistakes",
        "agreeing": _agreeing(found["alive"]),
        "voting": f"{found['kept']} hypotheses" if found["kept"] != found["alive"] else None,
        "died": f"the last hypothesis, in round {found['died']}" if found["died"] else None,
        "waiting": "a prediction for its label" if found["waiting"] else None,
    }
    lines = [f"{name:<12}{value}" for name, value in facts.items() if value is not None]
    if found["left"]:
        lines += ["", "hypotheses that are left", *(f"  {name}" for name in found["left"][:top])]
        lines += [f"  and {found['alive'] - top} more"] if found["alive"] > top else []
    return lines


def _agreeing(alive: int) -> str:
    return "one hypothesis agrees with all labels" if alive == 1 else f"{alive} hypotheses agree with all labels"
