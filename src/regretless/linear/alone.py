"""One thread at a time learns with one learner; any number of them may predict meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, TypeVar, cast

from ..errors import RegretlessError

TAKEN = "this learner is being used by another thread"  # the core's own words
TURN = "_turn"  # the attribute that holds the lock; neither copied nor pickled
F = TypeVar("F", bound=Callable[..., Any])


def turn_of(learner: Any) -> Any:
    """The lock that a thread holds while it learns; made when it is first asked for, by one of them."""
    return vars(learner).get(TURN) or vars(learner).setdefault(TURN, RLock())


def alone(learns: F) -> F:
    """A method by which no two threads learn at a time: the later one is refused, and nothing is learned by it."""

    @wraps(learns)
    def learning(self: Any, *args: Any, **kwargs: Any) -> Any:
        turn = turn_of(self)
        if not turn.acquire(blocking=False):
            raise RegretlessError(TAKEN)
        try:
            return learns(self, *args, **kwargs)
        finally:
            turn.release()

    return cast(F, learning)
