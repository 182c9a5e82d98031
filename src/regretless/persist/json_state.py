"""Objects whose whole state is JSON values, from which they go on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

from .validation import fits


class JsonState(ABC):
    """A dataclass whose fields are its parameters, and whose state is saved and restored as JSON values.

    A subclass sets `_kind`, what errors call it.
    """

    _kind: ClassVar[str]

    def state_dict(self) -> dict[str, Any]:
        """The parameters and the state, as JSON values; `from_state` makes the same object of it."""
        return {"parameters": self._parameters(), **self._state_values()}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """An object that goes on where that of `state_dict` stood.

        Raises
        ------
        ModelError
            If the state does not fit together.
        """
        with fits(f"the state of the {cls._kind}"):
            restored = cls(**state["parameters"])
            restored._restore(state)
        return restored

    def _parameters(self) -> dict[str, Any]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @abstractmethod
    def _state_values(self) -> dict[str, Any]:
        """All besides the parameters, as JSON values."""

    @abstractmethod
    def _restore(self, state: Mapping[str, Any]) -> None:
        """Restore `_state_values` in a new object.

        Raises
        ------
        ValueError
            If it does not fit together; or a LookupError, a TypeError, an ArithmeticError.
        """
