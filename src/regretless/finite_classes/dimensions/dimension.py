"""A dimension of a class, or how much of it is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeVar

from ...errors import RegretlessError

Number = TypeVar("Number", int, Fraction)


@dataclass(frozen=True, slots=True)
class Between(Generic[Number]):
    """A number between two that are proven.

    Attributes
    ----------
    name : str
        What it is.
    lower, upper : int or Fraction
        Equal unless the search was ended before.
    """

    name: str
    lower: Number
    upper: Number

    @property
    def exact(self) -> bool:
        """Whether it is known."""
        return self.lower == self.upper

    @property
    def value(self) -> Number:
        """The number.

        Raises
        ------
        RegretlessError
            If it is not known.
        """
        if not self.exact:
            raise RegretlessError(
                f"{self.name}: known is only that it lies from {_shown(self.lower)} to {_shown(self.upper)}"
            )
        return self.lower

    def __str__(self) -> str:
        return str(self.lower) if self.exact else f"{_shown(self.lower)} to {_shown(self.upper)}"


@dataclass(frozen=True, slots=True)
class Dimension(Between[int]):
    """A whole number between two that are proven.

    Two of them are equal if they say the same, however long it took to find out.

    Attributes
    ----------
    name : str
        "VC dimension" or "Littlestone dimension".
    lower, upper : int
        Equal unless the search was ended before.
    witness : object
        What proves the lower one: the points of a shattered set, or a `MistakeTree`.
    seconds : float
        How long the search took.
    steps : int
        How many version spaces, or sets of points, it looked at.
    """

    witness: Any = field(hash=False)
    seconds: float = field(default=0.0, compare=False)
    steps: int = field(default=0, compare=False)

    def __int__(self) -> int:
        return self.value


def _shown(number: int | Fraction) -> str:
    return str(number) if isinstance(number, int) else repr(float(number))
