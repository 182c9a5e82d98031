"""A dimension of a class, or how much of it is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import RegretlessError


@dataclass(frozen=True, slots=True)
class Dimension:
    """A whole number between two that are proven.

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

    name: str
    lower: int
    upper: int
    witness: Any
    seconds: float = 0.0
    steps: int = 0

    @property
    def exact(self) -> bool:
        """Whether it is known."""
        return self.lower == self.upper

    @property
    def value(self) -> int:
        """The dimension.

        Raises
        ------
        RegretlessError
            If the search was ended before it was known.
        """
        if not self.exact:
            raise RegretlessError(f"{self.name}: known is only that it lies from {self.lower} to {self.upper}")
        return self.lower

    def __int__(self) -> int:
        return self.value

    def __str__(self) -> str:
        return str(self.lower) if self.exact else f"{self.lower} to {self.upper}"
