"""Options that are one of a few words, and the error for another word."""

from __future__ import annotations

from ..errors import ParameterError

SKIPPING = "--on-error skip passes over such rows"


def one_of(name: str, given: str, allowed: tuple[str, ...]) -> None:
    """Refuse an option that is none of the words allowed."""
    if given not in allowed:
        raise ParameterError(name, repr(given), f"it must be {' or '.join(allowed)}", ": ")
