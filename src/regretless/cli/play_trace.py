"""A play step by step, as a table for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .output import many, short

WIDTH = 12
FEW = 4  # numbers of a row that are shown


def trace_lines(steps: Sequence[Any], rounds: int) -> Iterator[str]:
    """One line a round, below the names of the columns; it is said where the table ends before the play does.

    Parameters
    ----------
    steps : sequence of Step or Draw
    rounds : int
        That were played.
    """
    told = [_draw(step) if hasattr(step, "loss") else _step(step) for step in steps]
    shown = [name for name in told[0] if any(one[name] != "-" for one in told)]
    wide = {name: max(WIDTH, *(len(one[name]) for one in told)) for name in shown}
    yield " ".join(f"{name:>{wide[name]}}" for name in shown)
    for one in told:
        yield " ".join(f"{one[name]:>{wide[name]}}" for name in shown)
    if len(steps) < rounds:
        yield f"(the first {len(steps)} of {many(rounds, 'round')}; --json tells up to 10,000)"


def _step(step: Any) -> dict[str, str]:
    row = step.row or []
    asked = short(step.point, 20) if step.point is not None else _numbers(row) if 0 < len(row) <= FEW else "-"
    return {
        "round": str(step.round),
        "point": asked,
        "says 1 with": _number(step.probability),
        "score": _number(step.score),
        "predicted": _number(step.prediction),
        "label": str(step.label),
        "": "-" if step.wrong is None else "wrong" if step.wrong else "right",
        "alive": _number(step.alive),
    }


def _draw(step: Any) -> dict[str, str]:
    return {
        "round": str(step.round),
        "arm": "-" if step.arm is None else short(step.arm, 20),
        "probability": _number(step.probability),
        "loss": _number(step.loss),
    }


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


def _numbers(row: Sequence[float]) -> str:
    return f"({', '.join(f'{value:.3g}' for value in row)})"
