"""The data of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..certificate import Certificate


class Certified(Protocol):
    """What a page reads of its report to name the tightest bound."""

    @property
    def certificates(self) -> Sequence[Certificate]: ...
    @property
    def quantity(self) -> str: ...


@dataclass(frozen=True, slots=True)
class BoundCurve:
    """A certified bound as a function of the rounds played.

    Parameters
    ----------
    name : str
        What the legend calls it.
    points : sequence of (rounds, bound)
        In increasing rounds; a single point stands for a bound that is the same throughout.
    """

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Report:
    """One run, ready to be shown.

    Parameters
    ----------
    title : str
        The headline, as ``Perceptron on mail.svm``.
    learner : str
        The learner's name.
    parameters : mapping
        The learner's parameters by name.
    source : mapping
        Where the rounds came from: ``path, rows, features, nonzeros, skipped, passes``, as far as known.
    curve : sequence of (rounds, mistakes, updates)
        The ledger at increasing rounds, best spaced evenly on a log axis.
    bounds : sequence of BoundCurve
        Certified bounds on `quantity`; may be empty.
    quantity : str
        What is certified: ``"updates"``, ``"mistakes"`` or ``"regret"``.
    certificates : sequence of Certificate
        Every theorem that was asked, whether or not it applies.
    weights : sequence of (feature, weight)
        The largest weights.
    comparators : sequence of mapping
        The comparators that the certificates were read against, one row each.
    seconds : float, optional
        How long learning took.
    observed : sequence of (rounds, value), optional
        The certified quantity over time when it is neither mistakes nor updates; regret may be negative.
    progressive : mapping, optional
        How the rows were predicted before they were learned: what `Progressive.summary` gives.
    worse : str, optional
        What to say beside the verdict where a rule that looks at no feature errs less.
    """

    title: str
    learner: str
    parameters: Mapping[str, object]
    source: Mapping[str, object]
    curve: Sequence[tuple[int, int, int]]
    bounds: Sequence[BoundCurve]
    quantity: str
    certificates: Sequence[Certificate]
    weights: Sequence[tuple[str, float]]
    comparators: Sequence[Mapping[str, object]]
    seconds: float | None = None
    observed: Sequence[tuple[float, float]] = ()
    progressive: Mapping[str, Any] | None = None
    worse: str | None = None


def counted(quantity: str) -> bool:
    """Whether the quantity is a whole number, so that a bound on it may be rounded down."""
    return bare(quantity) in ("mistakes", "updates")


def bare(quantity: str) -> str:
    """The quantity without its parenthesis, as ``updates`` for ``updates (sum of 3 classes)``."""
    return quantity.partition(" (")[0]
