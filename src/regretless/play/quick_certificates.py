"""Certificates of a linear learner without a search: of many runs only those that are shown are worth one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..certificate import Certificate, summed
from ..certify import Replay
from ..linear.certificates import Certified
from ..linear.comparators.evaluate import Vector
from ..linear.comparators.search import Leads, Question, _leads, read
from ..theory.facts import SEPARATES

if TYPE_CHECKING:
    from ..data.stream import Stream
    from ..linear.base import OnlineClassifier

SCALES = tuple(2.0**power for power in range(-4, 9))  # of a length that brings margins to about 1
FEW = 1 << 15  # numbers in rows among which the largest margin is searched: that ends before any limit on its time
ROUNDING = 1e-9


def read_cheaply(learner: OnlineClassifier, stream: Stream) -> list[Certificate]:
    """Each theorem read against a few multiples of the vectors that `certify_stream` looks along, and against v = 0.

    Any vector gives a valid certificate. Which multiple makes it smallest is not looked for, as that takes longest. A
    learner that measures in another way than by vectors is certified in full.

    Parameters
    ----------
    learner : OnlineClassifier
        After its run over the stream.
    stream : Stream
    """
    if type(learner).judge is not Certified.judge:
        from ..certify import certify_stream

        return certify_stream(learner, stream)
    replay = Replay(stream, learner)
    few = replay.small and replay.rows * learner.n_features_in_ <= FEW
    question = learner.question(replay, replay.rows, in_memory=few, svm=False, against=None)
    leads = _leads(question)
    per_target = [_of_target(question, target, lead) for target, lead in enumerate(leads)]
    return per_target[0] if len(per_target) == 1 else [summed(parts) for parts in zip(*per_target, strict=True)]


def _of_target(question: Question, target: int, leads: Leads) -> list[Certificate]:
    ledger, facts = question.state.ledgers()[target], question.target_facts[target]
    comparators = read(question, target, list(_vectors(question, target, leads)))
    certificates: list[Certificate] = []
    for theorem in question.theorems:
        # There is one regret: against the comparator of the first theorem.
        first = certificates[0].comparator if certificates and theorem.quantity == "regret" else None
        certificate = theorem.certify(ledger, comparators if first is None else [first], facts)
        if certificate.why == SEPARATES[0] and leads.inseparable is not None:
            certificate = replace(certificate, why=leads.inseparable)
        certificates.append(certificate)
    return certificates


def _vectors(question: Question, target: int, leads: Leads) -> Iterator[Vector]:
    units = [Vector(one.name, one.vector, one.bias) for one in leads.directions]
    yield Vector("v = 0", np.zeros_like(units[0].vector), 0.0)
    for unit, seen in zip(units, read(question, target, units), strict=True):
        parting = [(1 + ROUNDING) / seen.least] if seen.least > ROUNDING else []
        for scale in (*SCALES, *parting):
            yield Vector(unit.name, scale * unit.vector, scale * unit.bias)
