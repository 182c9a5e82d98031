"""Names of strategies, sequences and information sets."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RegretlessError


def names_or_numbers(names: Sequence[str] | None, count: int, what: str, first: int = 1) -> list[str]:
    """Distinct names; by default numbers.

    Parameters
    ----------
    names : sequence of str or None
    count : int
        The number of names.
    what : str
        Their name in errors.
    first : int
        The first number.

    Raises
    ------
    RegretlessError
        If there are more or fewer names, or one occurs twice.
    """
    if names is None:
        return [str(place) for place in range(first, first + count)]
    if isinstance(names, str):
        raise RegretlessError(f"{what}: {names!r} is one name; a list of {count} names is expected")
    texts = [str(name) for name in names]
    if len(texts) != count:
        raise RegretlessError(f"{what}: {len(texts)} names; {count} are expected")
    if len(set(texts)) < count:
        twice = next(name for place, name in enumerate(texts) if name in texts[:place])
        raise RegretlessError(f"{what}: {twice!r} stands twice; each needs a name of its own")
    return texts
