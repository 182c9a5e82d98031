"""A second learner of the labels of a served model: it answers nothing, and mistakes or losses of both are compared.

Both are judged by what they predict just before each label is learned, in the order of labels, however late a label
is: so the comparison is a function of the log, and neither of the two has older weights than the other.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from ..catalogue import NOUNS
from ..errors import ModelError, RegretlessError
from ..persist.model import model_bytes, read_bytes
from ..persist.validation import count, fits
from ..run.comparison import UNSEEN, Comparison
from ..run.competitors import Losses, refuse_lookahead
from .rows import DENSE, ServedClassifier, ServedRegressor
from .served import MISTAKES, Served
from .store import Event, digest
from .tickets import ServedCombiner

SHADOW = "shadow"  # the key of it, in what is saved beside the learner
Rounds = Sequence[tuple[Event, Any]]


class Shadow:
    """A second learner of the same labels.

    Attributes
    ----------
    served : Served
    origin : str
        The digest of the model file that it began as, or the one that has its place now.
    comparison : Comparison
        Of A, which answered when the second learner began, and B, which was that learner.
    answering : int
        0 while A answers, 1 while B does.
    since, before : int
        It has learned the labels of the log after the first `since` ones, and `before` rounds before them.
    uneven : bool
        Whether there was a row that one of the two learned and the other could not.
    """

    def __init__(self, served: Served, origin: str, comparison: Comparison, since: int, before: int) -> None:
        self.served, self.origin, self.comparison = served, origin, comparison
        self.since, self.before, self.answering, self.uneven = since, before, 0, False

    @classmethod
    def begun(cls, event: Event, beside: Any) -> Self:
        """The learner that an event of the log begins."""
        names = json.loads(event.answer)
        served = fitting(event.input, names["shadow"], beside)
        span = None if names.get("span") is None else tuple(names["span"])
        comparison = Comparison((names["served"], names["shadow"]), assuming=UNSEEN, span=span)
        return cls(served, digest(event.input), comparison, event.sequence or 0, served.sums()[0])

    @property
    def name(self) -> str:
        """Of the one that does not answer."""
        return self.comparison.names[1 - self.answering]

    def learn(self, beside: Served, rounds: Rounds) -> dict[int, str]:
        """Let both learn, and compare; what the other one refused, as `Served.learn` says it."""
        refused: dict[int, str]
        refused, theirs = beside.learn_compared(rounds)
        worded = any(column["kind"] == "text" for column in (self.served.schema or {}).get("columns", ()))
        # The features of words stand in another order here, so that a row without names cannot be read.
        readable = [place for place, (event, _) in enumerate(rounds) if not (worded and event.input.startswith(DENSE))]
        mine_refused, charges = self.served.learn_compared([rounds[place] for place in readable])
        learned = {place for number, place in enumerate(readable) if number not in mine_refused}
        self.uneven |= learned != set(range(len(rounds))) - refused.keys()
        mine = {readable[number]: charge for number, charge in charges.items()}
        both = [place for place in theirs if place in mine]
        if both:
            losses = [self._losses([side[place] for place in both]) for side in (theirs, mine)]
            self.comparison.add(losses[self.answering], losses[1 - self.answering])
        return refused

    def _losses(self, charges: list[float]) -> Losses:
        """Charges as the comparison takes them."""
        if (span := self.comparison.span) is None:
            return Losses(np.array(charges) > 0, None)
        low, high = span
        return Losses((np.clip(charges, low, high) - low) / (high - low), None)

    def describe(self) -> dict[str, Any]:
        """All of it as JSON values."""
        learner = self.served.learner
        model = model_bytes(learner, {"schema": getattr(learner, "schema_", self.served.schema)})
        return {
            "model": b64encode(model).decode("ascii"),
            "origin": self.origin,
            "comparison": self.comparison.state(),
            "answering": self.answering,
            "since": self.since,
            "before": self.before,
            "uneven": self.uneven,
        }

    @classmethod
    def read(cls, described: Mapping[str, Any]) -> Self:
        """What `describe` gave.

        Raises
        ------
        ModelError
            If it does not fit together.
        """
        with fits("what the model says of a second one"):
            served = serves(*read_bytes(b64decode(described["model"], validate=True), "the second model"))
            since, before = (count(described[name], name) for name in ("since", "before"))
            shadow = cls(served, described["origin"], Comparison.of_state(described["comparison"]), since, before)
            shadow.answering, shadow.uneven = count(described["answering"], "answering"), bool(described["uneven"])
        return shadow


def serves(learner: Any, extra: Mapping[str, Any]) -> Served:
    """A second learner as it would be served."""
    return SHADOWS[learner.kind](learner, extra)


SHADOWS: dict[str, type[Served]] = {
    "linear": ServedClassifier,
    "regression": ServedRegressor,
    "experts": ServedCombiner,
}
DRAWS = (
    "a bandit sees the loss of the arm that it drew alone, so that a second one cannot learn by draws that are not its "
    "own; regretless evaluate holds both against a log of draws"
)


def span_of(beside: Served, most: float | None) -> list[float] | None:
    """Where losses lie that are compared, the larger ones counted as `most`; None of mistakes.

    Raises
    ------
    RegretlessError
        If losses have no largest value and none is declared.
    """
    charges = beside.charges.up_to(most, beside.learner.name)
    return None if charges == MISTAKES else [charges.low, charges.high]


def fitting(model: bytes, name: str, beside: Served) -> Served:
    """The learner in a model file, if it can learn beside a served one.

    Raises
    ------
    RegretlessError
        If it is of another kind, is asked other rows or labels, has another loss, or knows more than the rounds before.
    """
    learner, extra = read_bytes(model, name)
    if beside.learner.kind not in SHADOWS:
        raise RegretlessError(f"--shadow {name}: {DRAWS}")
    if learner.kind != beside.learner.kind:
        fault = f"it is a {NOUNS[learner.kind]}, and the model a {NOUNS[beside.learner.kind]}"
        raise RegretlessError(f"--shadow {name}: {fault}; two of a kind are compared")
    if extra.get("mixing") is not None:
        raise ModelError(f"--shadow {name}: a model that mixes shards goes on with them; learn one without --workers")
    served = serves(learner, extra)
    mine, other = served.describe(), beside.describe()
    for what in ("columns" if mine.get("columns") or other.get("columns") else "features", "experts", "labels"):
        if mine.get(what) != other.get(what):
            fault = f"its {what} are {mine.get(what)}, those of the model {other.get(what)}"
            raise RegretlessError(f"--shadow {name}: {fault}")
    if served.charges != beside.charges:
        fault = f"it has the {served.charges.name}, and the model the {beside.charges.name}"
        raise RegretlessError(f"--shadow {name}: {fault}; two with the same are compared")
    if learner.kind == "linear":
        refuse_lookahead(learner)
        refuse_lookahead(beside.learner)
    return served
