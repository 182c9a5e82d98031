"""What can be wrong with a loss, in words."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RegretlessError

ADVISED_ASLEEP = ("an expert advises it, and it is asleep", "advise arms that are awake")


class LossError(RegretlessError):
    """A round of a table that cannot be played; those before it are learned.

    Parameters
    ----------
    row : int
        Its place in what was given, from 0.
    arm : str or None
        Whose loss it is; None for the row as a whole.
    found : str
        What is wrong.
    advice : str
        What to do about it.
    column : int, optional
        The arm's place, from 0.
    """

    def __init__(self, row: int, arm: str | None, found: str, advice: str, column: int | None = None) -> None:
        whose = "" if arm is None else f", arm {arm}"
        super().__init__(f"row {row} (from 0){whose}: {found}; {advice}")
        self.row, self.arm, self.found, self.advice, self.column = row, arm, found, advice, column

    def __reduce__(self) -> tuple[type[LossError], tuple[int, str | None, str, str, int | None]]:
        # By default an error is made again from its message alone; this one travels between processes whole.
        return type(self), (self.row, self.arm, self.found, self.advice, self.column)


def complaint(
    why: str, row: int, column: int, names: Sequence[str], value_range: tuple[float, float], rewards: bool
) -> LossError:
    """The error for what the kernel refused; a column below 0 is the row as a whole."""
    arm, place = (names[column], column) if column >= 0 else (None, None)
    words = ADVISED_ASLEEP if why == "asleep" and arm is not None else _words(why, value_range, rewards)
    return LossError(row, arm, *words, column=place)


def outside(value_range: tuple[float, float], rewards: bool) -> tuple[str, str]:
    """The message about a loss that does not lie in the declared range, and what to do."""
    what = "reward" if rewards else "loss"
    low, high = value_range
    return (
        f"the {what} lies outside [{low:g}, {high:g}]",
        f"correct it, or declare the range of all {what}{'s' if rewards else 'es'} (value_range=, --range)",
    )


def _words(why: str, value_range: tuple[float, float], rewards: bool) -> tuple[str, str]:
    if why == "out of range":
        return outside(value_range, rewards)
    return {
        "asleep": ("no arm is awake", "leave the row out: there is nothing to draw"),
        "advice": ("the advice is no distribution over the arms", "probabilities that sum to one, or one arm"),
    }.get(why, (why, "a finite number is expected"))
