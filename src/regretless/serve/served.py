"""A learner as it is served: what may be sent to it, what it answers, and how it learns what comes back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from math import inf, isfinite
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


def loss_words(name: str, parameter: float | None) -> str:
    """A loss by its name, and its parameter where it has one."""
    return name if parameter is None else f"{name}({parameter:g})"


class Judgement(NamedTuple):
    """What an answer was beside its label.

    Attributes
    ----------
    mistake : bool or None
        Whether it was one; None where there is no such thing.
    loss : float or None
        In the units of the ledger; None where it is not in the answer, or the ledger itself is about answers.
    charge : float or None
        What is watched and compared; None where it was not observed, or is charged to nobody.
    """

    mistake: bool | None = None
    loss: float | None = None
    charge: float | None = None


COUNTED = ", counted up to "  # in the name of charges that do


class Charges(NamedTuple):
    """What answers are charged with: the name of it, and the range in which it counts.

    What is beyond an end counts as that end; an infinite one is none that the learner declares.
    """

    name: str
    low: float = 0.0
    high: float = 1.0

    def within(self, charges: Iterable[float]) -> list[float]:
        """Charges as they count."""
        return [min(max(one, self.low), self.high) for one in charges]

    def up_to(self, most: float | None, whose: str) -> Charges:
        """The same, where larger ones count as `most`.

        Parameters
        ----------
        most : float, optional
        whose : str
            What the learner is called, for messages.

        Raises
        ------
        RegretlessError
            If there is neither such a number nor a largest charge, or it is none.
        """
        if most is None and not isfinite(self.high):
            fault = f"losses of {whose} have no largest value that it declares"
            raise RegretlessError(f"{fault}; give --most-loss, as which larger ones are to count")
        if most is None or most >= self.high:
            return self
        low = self.low if isfinite(self.low) else -most
        if not low < most < inf:
            raise RegretlessError(f"--most-loss {most:g}: a number above {low:g} is expected, the least {self.name}")
        return Charges(f"{self.name}{COUNTED}{most:g}", low, most)

    @property
    def clipped(self) -> bool:
        """Whether larger ones count as the largest, by the name."""
        return COUNTED in self.name


MISTAKES = Charges("mistakes")
MINUS_REWARD = "minus the reward"


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
    answers_since: int | None = None  # the sequence number from which on answers are its own; None: none is
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

    def step_back(self) -> None:
        """Answer nothing from here on: another learner does."""
        self.answers_since = None

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
    def judge(self, event: Event, answer: Mapping[str, Any], label: Any) -> Judgement:
        """What an answer was beside its label."""

    @property
    @abstractmethod
    def charges(self) -> Charges:
        """What answers are charged with."""

    def learn_compared(self, rounds: Sequence[tuple[Event, Any]]) -> tuple[dict[int, str], dict[int, float]]:
        """Learn events in this order, each predicted just before.

        Returns
        -------
        refused : dict of int to str
            As `learn` has it.
        charges : dict of int to float
            Of the predictions of the others by their places, where they are charged with anything.
        """
        raise NotImplementedError

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
