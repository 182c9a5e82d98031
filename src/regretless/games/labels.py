"""What strategies, sequences and information sets are called."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RegretlessError


def names_or_numbers(given: Sequence[str] | None, count: int, what: str, first: int = 1) -> list[str]:
    """As many names as are given, all different; where none are given, numbers.

    Parameters
    ----------
    given : sequence of str or None
    count : int
        How many are needed.
    what : str
        What errors call them.
    first : int
        Where numbers begin.

    Raises
    ------
    RegretlessError
        If there are more or fewer, or one occurs twice.
    """
    if given is None:
        return [str(place) for place in range(first, first + count)]
    if isinstance(given, str):
        raise RegretlessError(f"{what}: {given!r} is one name; a list of {count} names is expected")
    names = [str(name) for name in given]
    if len(names) != count:
        raise RegretlessError(f"{what}: {len(names)} names; {count} are expected")
    if len(set(names)) < count:
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise RegretlessError(f"{what}: {twice!r} stands twice; each needs a name of its own")
    return names
