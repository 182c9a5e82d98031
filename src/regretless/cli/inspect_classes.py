"""What is in a model of a finite class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .output import many

if TYPE_CHECKING:
    from ..finite_classes.learners.base import ClassLearner

MOST = 1000  # hypotheses, and points, that JSON names


def describe_class_learner(learner: ClassLearner, points: int = MOST) -> dict[str, Any]:
    """A model as JSON values, with what it would predict of the first points."""
    from ..persist.validation import plain

    book, finite_class, left = learner.ledger_, learner.finite_class, learner.alive_
    given = {name: value for name, value in learner.get_params().items() if name != "finite_class"}
    return {
        "learner": learner.name,
        "parameters": {name: plain(value) for name, value in given.items()},
        "hypotheses": finite_class.hypotheses,
        "points": finite_class.points,
        "rounds": book.rounds,
        "mistakes": book.mistakes,
        "expected_mistakes": book.expected if learner.info.draws else None,
        "alive": book.alive,
        "kept": book.kept,
        "died": book.died,
        "waiting": len(learner.pending_),
        "left": [finite_class.hypothesis_name(one) for one in left[:MOST].tolist()],
        "predictions": {
            finite_class.point_name(point): learner.forecast(point) for point in range(min(points, finite_class.points))
        },
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
        "class": f"{_hypotheses(found['hypotheses'])} on {many(found['points'], 'point')}",
        "rounds": rounds,
        "mistakes": f"{found['mistakes']}{rate}",
        "expected": None if expected is None else f"{expected:.6g} mistakes",
        "agreeing": _agreeing(found["alive"]),
        "died": f"the last hypothesis, in round {found['died']}" if found["died"] else None,
        "goes by": _goes_by(found),
        "waiting": "a prediction for its label" if found["waiting"] else None,
    }
    lines = [f"{name:<12}{value}" for name, value in facts.items() if value is not None]
    if found["left"]:
        lines += ["", "hypotheses that are left", *(f"  {name}" for name in found["left"][:top])]
        lines += [f"  and {found['alive'] - top} more"] if found["alive"] > top else []
    return [*lines, *_predictions(found, top)]


def _hypotheses(count: int) -> str:
    return f"{count:,} hypothes{'is' if count == 1 else 'es'}"


def _agreeing(alive: int) -> str:
    counted = _hypotheses(alive) if alive > 1 else ("no hypothesis", "one hypothesis")[alive]
    return f"{counted} agree{'s' if alive < 2 else ''} with all labels"


def _goes_by(found: Mapping[str, Any]) -> str | None:
    """What it predicts by, if that is not what agrees with all labels."""
    if found["died"]:
        return f"{_hypotheses(found['kept'])}, as it did before that round"
    if found["kept"] != found["alive"]:
        return f"{_hypotheses(found['kept'])}: those that were wrong leave when the learner is"
    return None


def _predictions(found: Mapping[str, Any], top: int) -> Iterator[str]:
    """What it would predict of the first points."""
    said = list(found["predictions"].items())[:top]
    if not said:
        return
    drawn = found["expected_mistakes"] is not None
    yield from ("", f"points, and {'the probability of predicting 1' if drawn else 'what it would predict'}")
    width = max(len(name) for name, _ in said)
    for name, prediction in said:
        yield f"  {name:<{width}}  {prediction:.6g}"
    if found["points"] > top:
        yield f"  and {found['points'] - top:,} more"
