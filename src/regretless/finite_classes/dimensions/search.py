"""A search over the version spaces of a class, with a table of results."""

from __future__ import annotations

from ... import _core
from ...checks import whole
from ..finite_class import FiniteClass, Words, refuse_empty

LEAST_MEMORY = 2**20


class VersionSpaceSearch:
    """The common part of the searches for both Littlestone dimensions.

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
    def memory_full(self) -> bool:
        """Whether the table was too small for all results."""
        return self._search.full

    @property
    def table_size(self) -> int:
        """Number of version spaces in the table."""
        return self._search.known

    @property
    def words(self) -> int:
        """Number of words of bits that were read."""
        return self._search.words


def room_of(memory: int) -> int:
    """Bytes of a search's table."""
    return max(whole("memory", memory), LEAST_MEMORY)


def left_of(finite_class: FiniteClass, alive: Words | None) -> int:
    """Number of hypotheses that are alive."""
    return finite_class.hypotheses if alive is None else int.from_bytes(alive.tobytes(), "little").bit_count()
