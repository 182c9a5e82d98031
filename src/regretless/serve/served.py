"""A learner as it is served: what may be sent to it, what it answers, and how it learns what comes back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from ..errors import RegretlessError
from .store import Event

SERVING = "serving"  # the key of what is counted, in what is saved beside the learner


class Refused(RegretlessError):
    """What was sent cannot be predicted or learned; the message says why, and what is expected."""


class ServedAnswer(NamedTuple):
    """What is answered, besides the id: JSON values; and what is written down with it."""

    values: dict[str, Any]
    ticket: int | None = None
    propensity: float | None = None


class Served(ABC):
    """A learner of one kind.

    Parameters
    ----------
    learner : object
    extra : mapping
        What was saved beside it.
    """

    forgets: ClassVar[bool] = False  # whether an answer whose label does not come is in no theorem about answers
    takes_default: ClassVar[bool] = False  # whether it can learn a default where no label comes
    moves: ClassVar[bool]  # whether a prediction moves the learner, so that a log is played again with all of them

    def __init__(self, learner: Any, extra: Mapping[str, Any]) -> None:
        self.learner, self.schema = learner, extra.get("schema")

    @abstractmethod
    def read(self, value: Any) -> bytes:
        """An input, checked, as it is written down.

        Raises
        ------
        Refused
            If it is none.
        """

    @abstractmethod
    def predict(self, inputs: Sequence[bytes]) -> list[ServedAnswer]:
        """The answers to some inputs."""

    @abstractmethod
    def read_label(self, value: Any, event: Event) -> Any:
        """A label, checked, as JSON value.

        Raises
        ------
        Refused
            If the event cannot have it.
        """

    @abstractmethod
    def learn(self, rounds: Sequence[tuple[Event, Any]]) -> dict[int, str]:
        """Learn events with their labels, in this order.

        Returns
        -------
        dict of int to str
            The places of those that the learner refused, and why.
        """

    @abstractmethod
    def expire(self, event: Event, label: Any) -> None:
        """Give up an event; where there is a label, learn it in place of the one that did not come."""

    @abstractmethod
    def judge(self, event: Event, answer: Mapping[str, Any], label: Any) -> tuple[bool | None, float | None]:
        """Whether an answer was a mistake, and what it lost in the units of the ledger; None where there is no such
        thing."""

    @property
    def judges_mistakes(self) -> bool:
        """Whether answers are judged by mistakes."""
        return False

    @property
    def judges_loss(self) -> bool:
        """Whether what an answer lost is known, in the units of the ledger."""
        return True

    def weights(self) -> list[tuple[str, float]]:
        """The largest weights, or the probabilities of arms, by their names."""
        return []

    @abstractmethod
    def sums(self) -> tuple[int, float, float]:
        """Rounds, mistakes and loss of the ledger, in the order of labels."""

    @abstractmethod
    def value_of(self, stored: bytes) -> Any:
        """An input as JSON value, from what `read` made of it."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """What is asked for and answered, as JSON values."""
