"""One thread at a time: a call that would overlap another on the same learner is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock, RLock
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from .errors import RegretlessError

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
BUSY = "this learner is being used by another thread"  # the compiled cores say the same


class Turn:
    """Whose turn it is; with `again` its holder may take it again. A copy, or what a pickle gives, is free."""

    def __init__(self, *, again: bool = False) -> None:
        lock = RLock() if again else Lock()
        self.again = again
        self.acquire, self.release = lock.acquire, lock.release  # the lock's own, at no more cost

    def __reduce__(self) -> tuple[Callable[[bool], Turn], tuple[Any, ...]]:
        return _turn, (self.again,)


def _turn(again: bool) -> Turn:
    return Turn(again=again)


class InTurn(Protocol):
    """What has a turn."""

    @property
    def turn(self) -> Turn: ...


Self = TypeVar("Self", bound=InTurn)


def in_turn(method: Callable[Concatenate[Self, Parameters], Result]) -> Callable[Concatenate[Self, Parameters], Result]:
    """A method that is refused while another thread is in one of those of the same learner."""

    @wraps(method)
    def alone(self: Self, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        turn = self.turn
        if not turn.acquire(False):
            raise RegretlessError(BUSY)
        try:
            return method(self, *args, **kwargs)
        finally:
            turn.release()

    return alone
