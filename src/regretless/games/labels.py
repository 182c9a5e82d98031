"""Names of strategies, sequences and information sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

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


def distinct(names: Iterable[str]) -> list[str]:
    """Distinct names: names that occur more than once are numbered."""
    texts = list(names)
    counts, used, unique = Counter(texts), set(texts), []
    numbers: Counter[str] = Counter()
    for name in texts:
        new = name
        while counts[name] > 1 and (new == name or new in used):
            numbers[name] += 1
            new = f"{name} ({numbers[name]})"
        used.add(new)
        unique.append(new)
    return unique
