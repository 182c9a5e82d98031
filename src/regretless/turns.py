"""One thread at a time: calls on one learner that would get in each other's way are refused, and never mixed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from .errors import RegretlessError

Given = ParamSpec("Given")
Found = TypeVar("Found")
BUSY = "this learner is being used by another thread"  # the compiled cores say the same


class Turn:
    """Whose turn it is. A copy, or what a pickle gives, is free."""

    def __init__(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise RegretlessError(BUSY)

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[Turn], tuple[Any, ...]]:
        return Turn, ()


class InTurn(Protocol):
    """What has a turn."""

    turn: Turn


Self = TypeVar("Self", bound=InTurn)


def in_turn(method: Callable[Concatenate[Self, Given], Found]) -> Callable[Concatenate[Self, Given], Found]:
    """A method that is refused while another thread is in one of those of the same learner."""

    @wraps(method)
    def alone(self: Self, /, *given: Given.args, **named: Given.kwargs) -> Found:
        with self.turn:
            return method(self, *given, **named)

    return alone
