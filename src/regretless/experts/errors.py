"""What can be wrong with a round, in words."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RegretlessError
from .losses import Loss

ADVICE = {
    "asleep": "no expert speaks; leave the row out, or give a forecast that never fails as one more expert",
    "too large": "scale the numbers down: sums of their squares must be finite",
    "infinite loss": "keep probabilities away from 0 and 1, or use the aggregating algorithm",
}


class AdviceError(RegretlessError):
    """A round that cannot be played; those before it are learned.

    Parameters
    ----------
    row : int
        Its place in what was given, from 0.
    expert : str or None
        Whose advice it is; None for the outcome or the row as a whole.
    found : str
        What is wrong.
    advice : str
        What to do about it.
    column : int, optional
        The expert's place, from 0.
    """

    def __init__(self, row: int, expert: str | None, found: str, advice: str, column: int | None = None) -> None:
        whose = "" if expert is None else f", expert {expert}"
        super().__init__(f"row {row} (from 0){whose}: {found}; {advice}")
        self.row, self.expert, self.found, self.advice, self.column = row, expert, found, advice, column

    def __reduce__(self) -> tuple[type[AdviceError], tuple[int, str | None, str, str, int | None]]:
        # By default an error is made again from its message alone; this one travels between processes whole.
        return type(self), (self.row, self.expert, self.found, self.advice, self.column)


def complaint(why: str, row: int, column: int, names: Sequence[str], loss: Loss) -> AdviceError:
    """The error for what a kernel refused; a column below 0 is the outcome."""
    expert, place = (names[column], column) if column >= 0 else (None, None)
    return AdviceError(row, expert, *_words(why, expert is None, loss), column=place)


def _words(why: str, of_outcome: bool, loss: Loss) -> tuple[str, str]:
    """What was found, and what to do."""
    what = "the outcome" if of_outcome else ("the loss" if loss.name == "table" else "the forecast")
    if why == "out of range":
        return f"{what} is {_range(loss)}", _declare(loss)
    return {
        "asleep": ("every forecast is missing", ADVICE["asleep"]),
        "infinite loss": _beyond(loss),
        "outcome": ("the outcome is missing", "an outcome is expected in every row but the last ones"),
        "silent": ("the forecast is missing", "this learner needs all of them; choose another"),
        "not binary": (f"{what} is neither 0 nor 1", "0 and 1 are expected"),
    }.get(why, (f"{what} is not finite", "a finite number is expected"))


def _beyond(loss: Loss) -> tuple[str, str]:
    if loss.name == "log":
        return "the loss is infinite", ADVICE["infinite loss"]
    return "its numbers are too large for floats", ADVICE["too large"]


def _range(loss: Loss) -> str:
    if loss.name == "percentage":
        return "zero, or as good as that"
    return f"outside [{loss.low:g}, {loss.high:g}]"


def _declare(loss: Loss) -> str:
    if loss.name == "percentage":
        return "percentages of nothing mean nothing: choose another loss"
    if loss.name == "wealth":
        return "price relatives above 0 are expected"
    if loss.name == "log":
        return "probabilities are expected"
    return "correct it, or declare the range of all values (value_range=, --range)"
