"""What is written down of a prediction and of its label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["pending", "learnt", "expired", "refused", "shadowed", "promoted", "watched"]
PENDING: State = "pending"
LEARNT: State = "learnt"
EXPIRED: State = "expired"
SHADOWED: State = "shadowed"
PROMOTED: State = "promoted"
WATCHED: State = "watched"


@dataclass(slots=True)
class Event:
    """A prediction, and what became of it.

    Attributes
    ----------
    number : int
        Its place among all predictions, from 1.
    id : str
        By which its label is reported: the client's, or ours.
    time : float
        When it was made, in seconds since 1970; never before that of an earlier one.
    input : bytes
        What was predicted; see `Served.read`.
    answer : bytes
        The answer as it was sent, a JSON object.
    ticket : int or None
        By which a learner whose predictions move it knows the prediction.
    propensity : float or None
        The probability with which an arm was drawn.
    version : int
        How many events were settled when it was predicted.
    state : {"pending", "learnt", "expired", "refused", "shadowed", "promoted", "watched"}
        The last three are no predictions. From here on another learner, whose model file is the input, learns beside
        the one that answers, or none if that is empty; here the two change places; here an alarm begins, with the
        settings in the answer, or none if these are null.
    label : str or None
        The label as JSON text; of an expired event what was learned in its place, if anything was.
    sequence : int or None
        Its place in the order in which events were settled, from 1 without gaps.
    settled : float or None
        When that was.
    """

    number: int
    id: str
    time: float
    input: bytes
    answer: bytes
    ticket: int | None
    propensity: float | None
    version: int
    state: State = PENDING
    label: str | None = None
    sequence: int | None = None
    settled: float | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The bytes of a model file, and where in the log it stands.

    Attributes
    ----------
    version : int
        How many events were settled.
    number : int
        How many predictions were made.
    time : float
    model : bytes
    """

    version: int
    number: int
    time: float
    model: bytes
