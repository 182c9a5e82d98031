"""A second learner of the labels of a served model: it answers nothing, and the mistakes of both are compared.

Both are judged by what they predict just before each label is learned, in the order of labels, however late a label
is: so the comparison is a function of the log, and neither of the two has older weights than the other.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from ..errors import ModelError, RegretlessError
from ..persist.model import model_bytes, read_bytes
from ..persist.validation import count, fits
from ..run.comparison import UNSEEN, Comparison
from ..run.competitors import Losses, LossRecorder, refuse_lookahead
from .rows import DENSE, ServedClassifier
from .store import Event, digest

SHADOW = "shadow"  # the key of it, in what is saved beside the learner
Rounds = Sequence[tuple[Event, Any]]


class Shadow:
    """A second learner of labels.

    Attributes
    ----------
    served : ServedClassifier
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

    def __init__(self, served: ServedClassifier, origin: str, comparison: Comparison, since: int, before: int) -> None:
        self.served, self.origin, self.comparison = served, origin, comparison
        self.since, self.before, self.answering, self.uneven = since, before, 0, False

    @classmethod
    def begun(cls, event: Event, beside: Any) -> Self:
        """The learner that an event of the log begins."""
        names = json.loads(event.answer)
        served = fitting(event.input, names["shadow"], beside)
        comparison = Comparison((names["served"], names["shadow"]), assuming=UNSEEN)
        return cls(served, digest(event.input), comparison, event.sequence or 0, served.sums()[0])

    @property
    def name(self) -> str:
        """Of the one that does not answer."""
        return self.comparison.names[1 - self.answering]

    def learn(self, beside: Any, rounds: Rounds) -> dict[int, str]:
        """Let both learn, and compare; what the other one refused, as `Served.learn` says it."""
        refused, theirs = _learned(beside, rounds, range(len(rounds)))
        worded = any(column["kind"] == "text" for column in (self.served.schema or {}).get("columns", ()))
        # The features of words stand in another order here, so that a row without names cannot be read.
        readable = [place for place, (event, _) in enumerate(rounds) if not (worded and event.input.startswith(DENSE))]
        _, mine = _learned(self.served, rounds, readable)
        self.uneven |= theirs.keys() != mine.keys()
        both = [place for place in theirs if place in mine]
        if both:
            losses = [Losses(np.array([side[place] for place in both]), None) for side in (theirs, mine)]
            self.comparison.add(losses[self.answering], losses[1 - self.answering])
        return refused

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
            served = ServedClassifier(*read_bytes(b64decode(described["model"], validate=True), "the second model"))
            since, before = (count(described[name], name) for name in ("since", "before"))
            shadow = cls(served, described["origin"], Comparison.of_state(described["comparison"]), since, before)
            shadow.answering, shadow.uneven = count(described["answering"], "answering"), bool(described["uneven"])
        return shadow


def _learned(served: Any, rounds: Rounds, places: Sequence[int]) -> tuple[dict[int, str], dict[int, bool]]:
    """Learn some rounds: by their places, what was refused, and whether the others were predicted wrongly before."""
    served.learner.on_scores = watch = LossRecorder(served.learner)
    try:
        refused = served.learn([rounds[place] for place in places])
    finally:
        served.learner.on_scores = None
    learned = [place for number, place in enumerate(places) if number not in refused]
    wrong = watch.losses().wrong.tolist() if learned else []
    return {places[number]: why for number, why in refused.items()}, dict(zip(learned, wrong, strict=True))


def fitting(model: bytes, name: str, beside: Any) -> ServedClassifier:
    """The learner in a model file, if it can learn beside a served one.

    Raises
    ------
    RegretlessError
        If it is asked other rows or labels, or knows more than the rounds before.
    """
    learner, extra = read_bytes(model, name)
    if not isinstance(beside, ServedClassifier) or learner.kind != "linear":
        raise RegretlessError(f"--shadow {name}: both models must be learners of labels, whose mistakes are compared")
    if extra.get("mixing") is not None:
        raise ModelError(f"--shadow {name}: a model that mixes shards goes on with them; learn one without --workers")
    served = ServedClassifier(learner, extra)
    mine, other = served.describe(), beside.describe()
    asked = "columns" if mine["columns"] or other["columns"] else "features"
    for what in (asked, "labels"):
        if mine[what] != other[what]:
            raise RegretlessError(f"--shadow {name}: its {what} are {mine[what]}, those of the model {other[what]}")
    refuse_lookahead(learner)
    refuse_lookahead(beside.learner)
    return served
