r"""Theorems of learners of rows, read on predictions whose labels came late.

Such a learner is played in the order in which labels come: round s is the s-th label, and its theorem is about the
forecasts \tilde p_s by the weights just before it is learned. What was answered is p_s, by older weights where the
label is late. For every comparator u, with losses l_s,

    sum l_s(p_s) - sum l_s(u) = [sum l_s(\tilde p_s) - sum l_s(u)] + D,   D = sum [l_s(p_s) - l_s(\tilde p_s)],

which is the reduction of Joulani, Gyorgy & Szepesvari 2016 (SOLID; D is their drift). Both sums are observed, so that
a bound on the first bracket is one on what was answered, once D is added: for regret, for losses, and for mistakes,
whose loss is 0 or 1. D is not known before the run: how far weights drift in a delay no theorem about these learners
says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..certificate import Bounding, Certificate, Kind, Most

SOURCE = "Joulani, György & Szepesvári 2016, the drift as observed"
MISTAKES, LOSSES = ("mistakes",), ("log loss", "loss", "squared losses", "regret")


@dataclass(frozen=True, slots=True)
class AsAnswered:
    """A theorem about forecasts in the order of labels, on those that were answered.

    Attributes
    ----------
    single : Theorem
        Of the forecasts in the order of labels.
    drift : float
        The D that was observed.
    """

    single: Bounding
    drift: float

    @property
    def name(self) -> str:
        """In code and in JSON."""
        return f"{self.single.name}_as_answered"

    @property
    def title(self) -> str:
        """For people."""
        return f"{self.single.title}, as answered"

    @property
    def statement(self) -> str:
        """In words."""
        return f"{self.single.statement} What was answered by older weights differs by the drift D, which is added."

    @property
    def quantity(self) -> str:
        """That of the other theorem."""
        return self.single.quantity

    @property
    def formula(self) -> str:
        """In TeX."""
        return f"{self.single.formula} + D"

    @property
    def source(self) -> str:
        """Where it comes from."""
        return f"{self.single.source}; {SOURCE}"

    @property
    def kind(self) -> Kind:
        """That of the other theorem."""
        return self.single.kind

    @property
    def whole(self) -> bool:
        """Whether the quantity is a whole number."""
        return self.single.whole

    @property
    def event(self) -> str:
        """That of the other theorem."""
        return self.single.event

    @property
    def presumes(self) -> str:
        """That of the other theorem."""
        return self.single.presumes

    def entered(self, ledger: Any, comparator: Any, learner: Any) -> dict[str, Any]:
        """The facts that the other bound was computed from, where it is no sum of others, and the drift."""
        known = {} if ledger is None else self.single.entered(ledger, comparator, learner)
        return known | {"answers": {"drift": self.drift}}


def as_answered(certificate: Certificate, drift: Mapping[str, float | None]) -> Certificate | None:
    """A certificate about what was answered, from one about the order of labels.

    Parameters
    ----------
    certificate : Certificate
    drift : mapping
        The D of ``mistakes`` and of ``loss``, None where it is not known.

    Returns
    -------
    Certificate or None
        None if the other does not apply, or bounds something that an answer does not say, such as updates, or the
        mistakes of several problems of one against the rest: in a round several of them may err, the answer but once.
    """
    quantity = certificate.theorem.quantity
    cost = drift["mistakes"] if quantity in MISTAKES else drift["loss"] if quantity in LOSSES else None
    if cost is None or certificate.bound is None or certificate.observed is None or certificate.parts > 1:
        return None
    bound, observed = certificate.bound + cost, certificate.observed + cost
    most = certificate.most
    if quantity == "regret":  # no larger than the learner's own loss, which D is in
        most = Most(most.value + cost, most.words)
    theorem, read = AsAnswered(certificate.theorem, cost), certificate.read or (None, None, None)
    answered = replace(certificate, theorem=theorem, observed=observed, bound=bound, most=most, each=(), read=read)
    if certificate.vacuous and not answered.vacuous:  # a D below 0, which was only observed, promises nothing
        return replace(answered, most=Most(most.value + cost, f"{most.words}, and D"))
    return answered
