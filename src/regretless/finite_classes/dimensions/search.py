"""A search over the version spaces of a class, with a table of those it has solved."""

from __future__ import annotations

from ... import _core
from ...checks import whole
from ..finite_class import FiniteClass, Words, refuse_empty

LEAST_MEMORY = 2**20


class VersionSpaceSearch:
    """What the searches for both Littlestone dimensions share: the class, and how much is known of it.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    """

    _search: _core.Littlestone | _core.RandomizedLittlestone

    def __init__(self, finite_class: FiniteClass) -> None:
        refuse_empty(finite_class)
        self.finite_class = finite_class

    @property
    def forgot(self) -> bool:
        """Whether the memory was not enough to remember all."""
        return self._search.full

    @property
    def known(self) -> int:
        """How many version spaces it remembers something of."""
        return self._search.known

    @property
    def words(self) -> int:
        """How many words of bits it has looked at."""
        return self._search.words


def room_of(memory: int) -> int:
    """How many bytes a search may take to remember by."""
    return max(whole("memory", memory), LEAST_MEMORY)


def left_of(finite_class: FiniteClass, alive: Words | None) -> int:
    """How many hypotheses are alive."""
    return finite_class.hypotheses if alive is None else int.from_bytes(alive.tobytes(), "little").bit_count()
