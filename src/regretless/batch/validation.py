"""Validation of the conversions' input: learners of this library, and streams."""

from __future__ import annotations

from typing import Any

from ..data.stream import Stream
from ..errors import RegretlessError
from ..linear.base import OnlineClassifier


def refuse_foreign(learner: Any, stream: Any = None) -> None:
    """Refuse what is no learner of ours, and rounds that come otherwise than as a stream.

    Raises
    ------
    RegretlessError
        Which says what to give.
    """
    if not isinstance(learner, OnlineClassifier):
        kind = learner.__name__ if isinstance(learner, type) else type(learner).__name__
        raise RegretlessError(f"{kind} is no learner of regretless.linear, one that was made with its parameters")
    if stream is not None and not isinstance(stream, Stream):
        kind = type(stream).__name__
        raise RegretlessError(
            f"the rounds are a {kind}; give a stream, read as far as needed, such as regretless.data.ArrayStream(X, y)"
        )
