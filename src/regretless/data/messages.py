"""Words that the messages of several readers share."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ParameterError

SKIPPING = "--on-error skip passes over such rows"
LONGEST = 40  # characters of a text that are shown
MOST = 10  # names that are listed


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse an option that is none of the words allowed."""
    if value not in allowed:
        raise ParameterError(name, repr(value), f"it must be {' or '.join(allowed)}", ": ")


def shown(text: str) -> str:
    """The text in quotes; its beginning if it is long."""
    return repr(text if len(text) <= LONGEST else text[: LONGEST - 3] + "...")


def listed(names: Sequence[str], between: str = ", ", most: int = MOST) -> str:
    """The names in quotes; only the first of them when there are many."""
    first = between.join(repr(name) for name in names[:most])
    return first if len(names) <= most else f"{first} and {len(names) - most} more"
