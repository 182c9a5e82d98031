"""A dimension of a class, or proven bounds on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeVar

from ...errors import RegretlessError

Number = TypeVar("Number", int, Fraction)


@dataclass(frozen=True, slots=True)
class Between(Generic[Number]):
    """A number with proven bounds.

    Attributes
    ----------
    name : str
        Name of the number.
    lower, upper : int or Fraction
        Equal unless the search ended early.
    """

    name: str
    lower: Number
    upper: Number

    @property
    def exact(self) -> bool:
        """Whether the bounds are equal."""
        return self.lower == self.upper

    @property
    def value(self) -> Number:
        """The number.

        Raises
        ------
        RegretlessError
            If the bounds differ.
        """
        if not self.exact:
            raise RegretlessError(
                f"{self.name}: it is only known to be from {_shown(self.lower)} to {_shown(self.upper)}"
            )
        return self.lower

    def __str__(self) -> str:
        return str(self.lower) if self.exact else f"{_shown(self.lower)} to {_shown(self.upper)}"


@dataclass(frozen=True, slots=True)
class Dimension(Between[int]):
    """A dimension with proven bounds.

    Equality ignores the times and steps of the searches.

    Attributes
    ----------
    name : str
        "VC dimension" or "Littlestone dimension".
    lower, upper : int
        Equal unless the search ended early.
    witness : object
        A proof of the lower bound: the points of a shattered set, or a `MistakeTree`.
    seconds : float
        Time of the search.
    steps : int
        Number of version spaces, or sets of points, of the search.
    """

    witness: Any = field(hash=False)
    seconds: float = field(default=0.0, compare=False)
    steps: int = field(default=0, compare=False)

    def __int__(self) -> int:
        return self.value


def _shown(number: int | Fraction) -> str:
    return str(number) if isinstance(number, int) else repr(float(number))
