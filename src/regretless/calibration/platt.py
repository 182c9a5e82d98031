"""Platt's scaling, online: probabilities from scores, by Newton steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, inf, log, log1p
from typing import Any

import numpy as np

from ..blas import one_thread
from ..certificate import Certificates
from ..checks import positive
from ..errors import ParameterError, RegretlessError
from ..ledger import Ledger
from ..persist.json_state import JsonState
from ..persist.validation import finite
from ..theory.aggregated import MemberComparator
from ..theory.calibration import CalibrationFacts, against_every_scaling
from .labels import is_larger, which_are_larger

Array = np.ndarray[Any, np.dtype[np.float64]]
LEAST_PRIOR = 1e-9
FARTHEST = 30.0  # log odds, so that curvatures are floats with digits
LARGEST = 1e70  # score
NEAR = 1e-3  # log odds next to an end, between which the curvature is that of the end
STEPS = 100  # of the search for the best scaling
SUMS = ("largest", "rounds", "loss", "ones", "h11", "h12", "h22", "b1", "b2", "k")


@dataclass(eq=False)
class PlattScaling(JsonState):
    """Log odds a s + b from scores s of any classifier of two labels, learned round by round.

    ::

        predict   1 / (1 + exp(-p)), p = a s + b within +-reach
        suffer    the log loss
        update    (a, b) the least prior (M^2 a^2 + b^2) + sum of g (q - p) + c (q - p)^2 over the rounds so far

    M is the largest score so far, q = a s + b, g the slope of the loss at p, and c the largest curvature that is below
    the loss within reach (see `regretless.theory.calibration`). Scores may have any unit, and need not be of a good
    classifier: on any sequence the log loss is near that of the best scaling in hindsight, and the certificate has the
    distance.

    Parameters
    ----------
    reach : float, default=6.0
        How far from 0 log odds may be, between 0 and 30: 6 is a probability of 0.25 %. The larger, the smaller the
        steps.
    prior : float, default=0.01
        > 0.

    Attributes
    ----------
    slope_, offset_ : float
        a and b.
    ledger_ : Ledger
        Rounds, and the log loss of the forecast probabilities.

    References
    ----------
    Platt 1999; Hazan, Agarwal & Kale 2007; Gupta & Ramdas 2023, Online Platt scaling.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.calibration import PlattScaling
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=2000) * 50
    >>> labels = rng.random(2000) < 1 / (1 + np.exp(-scores / 25))
    >>> scaling = PlattScaling()
    >>> probabilities = scaling.play(scores, labels)
    >>> round(scaling.probability(25.0), 2)
    0.75
    >>> scaling.certify(scores, labels)[0].holds
    True
    """

    reach: float = 6.0
    prior: float = 0.01

    _kind = "calibration"

    def __post_init__(self) -> None:
        self.reach, self.prior = positive("reach", self.reach), positive("prior", self.prior)
        if self.prior < LEAST_PRIOR:
            raise ParameterError("prior", repr(self.prior), f"it must be at least {LEAST_PRIOR:g}, for floats to tell")
        if self.reach > FARTHEST:
            raise ParameterError("reach", repr(self.reach), f"must be at most {FARTHEST:g}", " ")
        self._largest = self._rounds = self._loss = self._ones = 0.0
        self._h11 = self._h12 = self._h22 = self._b1 = self._b2 = self._k = 0.0
        self._low, self._high = log1p(exp(-self.reach)), self.reach + log1p(exp(-self.reach))
        steep = 1 / (1 + exp(-self.reach))
        self._flat = steep * (1 - steep) / 2

    # ---- rounds

    def _solution(self, largest: float) -> tuple[float, float]:
        """The minimiser, where the largest score is this one."""
        a11, a22 = self._h11 + self.prior * largest * largest, self._h22 + self.prior
        determinant = a11 * a22 - self._h12 * self._h12
        if not determinant > 0:
            return 0.0, self._b2 / a22
        return (
            (a22 * self._b1 - self._h12 * self._b2) / determinant,
            (a11 * self._b2 - self._h12 * self._b1) / determinant,
        )

    def log_odds(self, score: float) -> float:
        """Log odds of the larger label, before the label is known."""
        a, b = self._solution(max(self._largest, abs(score)))
        return min(max(a * score + b, -self.reach), self.reach)

    def probability(self, score: float) -> float:
        """The probability of the larger label.

        Raises
        ------
        RegretlessError
            If the score is no finite number, or too large.
        """
        return 1 / (1 + exp(-self.log_odds(_checked(score))))

    def probabilities(self, scores: Any) -> Array:
        """The probability of the larger label for many scores, none of whose labels is known."""
        each = _column(scores)
        largest = np.maximum(np.abs(each), self._largest)
        a11, a22 = self._h11 + self.prior * largest**2, self._h22 + self.prior
        determinant = a11 * a22 - self._h12**2
        regular = determinant > 0
        safe = np.where(regular, determinant, 1)
        a = np.where(regular, (a22 * self._b1 - self._h12 * self._b2) / safe, 0)
        b = np.where(regular, (a11 * self._b2 - self._h12 * self._b1) / safe, self._b2 / a22)
        return np.asarray(1 / (1 + np.exp(-np.clip(a * each + b, -self.reach, self.reach))))

    def update(self, score: float, label: Any) -> float:
        """Learn a round; the probability of the larger label, forecast before it was learned.

        Parameters
        ----------
        score : float
        label : bool, or -1, 0 or 1
            Whether it is the larger one.

        Raises
        ------
        RegretlessError
            If the score is no finite number, or too large, or the label is another.
        """
        return self._learn(_checked(score), is_larger(label))

    def _learn(self, score: float, larger: bool) -> float:
        size = abs(score)
        if size > self._largest:
            self._largest = size
        a, b = self._solution(self._largest)
        reach = self.reach
        p = min(max(a * score + b, -reach), reach)
        small = exp(-abs(p))
        probability = (1 if p >= 0 else small) / (1 + small)
        value = log1p(small) + (p if p > 0 else 0.0)
        up, down = reach - p, reach + p
        above = (self._high - value - probability * up) / (up * up) if up > NEAR else self._flat
        below = (self._low - value + probability * down) / (down * down) if down > NEAR else self._flat
        c, slope = max(min(above, below), 0.0), probability - larger
        pull, weight = c * p - slope / 2, c * score
        self._h11 += weight * score
        self._h12 += weight
        self._h22 += c
        self._b1 += pull * score
        self._b2 += pull
        self._k += p * (c * p - slope)
        self._rounds += 1
        self._ones += larger
        self._loss += value - (p if larger else 0.0)
        return probability

    def play(self, scores: Any, labels: Any) -> Array:
        """Many rounds; the probability of the larger label in each, forecast before it was learned.

        Parameters
        ----------
        scores : array-like of shape (rounds,)
        labels : array-like of shape (rounds,)
            Whether each is the larger one: bool, or -1 and 1, or 0 and 1.

        Raises
        ------
        RegretlessError
            If a score is no finite number, or too large, or there are other labels; the message says in which row (from
            0). Then nothing is learned.
        """
        each = _column(scores)
        larger = which_are_larger(labels, len(each), "scores")
        return np.array([self._learn(*one) for one in zip(each.tolist(), larger.tolist(), strict=True)])

    def _swap_labels(self) -> None:
        """Exchange the two labels and change the signs of all scores so far."""
        self._h12, self._b2, self._ones = -self._h12, -self._b2, self._rounds - self._ones

    # ---- the scaling

    @property
    def slope_(self) -> float:
        """a."""
        return self._solution(self._largest)[0]

    @property
    def offset_(self) -> float:
        """b."""
        return self._solution(self._largest)[1]

    @property
    def ledger_(self) -> Ledger:
        """What was observed so far."""
        return Ledger(rounds=self._rounds, loss=self._loss)

    def facts(self) -> CalibrationFacts:
        """What theorems may ask."""
        a, b = self._solution(self._largest)
        return CalibrationFacts(energy=a * self._b1 + b * self._b2 - self._k, reach=self.reach)

    def best_constant(self) -> float:
        """The log loss of the best constant probability, known in hindsight."""
        parts = (self._ones, self._rounds - self._ones)
        return sum(count * log(self._rounds / count) for count in parts if count)

    @one_thread()
    def certify(self, scores: Any, labels: Any, *, against: tuple[float, float] | None = None) -> Certificates:
        """Read the theorem against the best scaling of these rounds in hindsight, or against yours.

        Parameters
        ----------
        scores, labels
            The rounds that were played.
        against : tuple of float, optional
            a and b.

        Raises
        ------
        RegretlessError
            As in `play`.
        """
        each = _column(scores)
        larger = which_are_larger(labels, len(each), "scores")
        if against is None:
            scale = max(self._largest, 1e-300)
            best = _best(each / scale, larger, self.reach, self.prior)
            scalings = [(name, float(one[0]) / scale, float(one[1])) for name, one in best]
        else:
            scalings = [("yours", float(against[0]), float(against[1]))]
        comparators = [self._comparator(name, a, b, each, larger) for name, a, b in scalings]
        return Certificates([against_every_scaling.certify(self.ledger_, comparators, self.facts())])

    def _comparator(self, name: str, a: float, b: float, scores: Array, larger: Any) -> MemberComparator:
        odds = a * scores + b
        return MemberComparator(
            name.partition(",")[0],
            name,
            float(len(scores)),
            float((np.logaddexp(0, odds) - odds * larger).sum()),
            regularised=self.prior * ((a * self._largest) ** 2 + b * b),
            reach=self.reach,
            largest=float(np.abs(odds).max(initial=0.0)),
            vector=np.array([a]),
            bias=b,
        )

    # ---- in a file

    def _state_values(self) -> dict[str, Any]:
        return {"sums": {name: getattr(self, f"_{name}") for name in SUMS}}

    def _restore(self, state: Mapping[str, Any]) -> None:
        for name in SUMS:
            least = -inf if name in ("h12", "b1", "b2", "k") else 0.0
            setattr(self, f"_{name}", finite(state["sums"][name], name, least))
        if self._ones > self._rounds:
            raise ValueError("more labels than rounds")


def _checked(score: Any) -> float:
    try:
        number = float(score)
    except (TypeError, ValueError, OverflowError) as error:
        raise RegretlessError(f"score {score!r}: a number is expected") from error
    if not abs(number) <= LARGEST:
        raise RegretlessError(f"score {number:g}: a number up to {LARGEST:g} in size is expected")
    return number


def _column(scores: Any) -> Array:
    try:
        each = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise RegretlessError(f"scores: numbers are expected ({error})") from error
    if each.ndim != 1:
        raise RegretlessError(f"scores of shape {each.shape}: one number a round is expected")
    unfit = ~(np.abs(each) <= LARGEST)
    if unfit.any():
        row = int(np.argmax(unfit))
        raise RegretlessError(f"scores: row {row} (from 0) is {each[row]:g}: a number up to {LARGEST:g} is expected")
    return each


def _best(scores: Array, larger: Any, reach: float, prior: float) -> list[tuple[str, Array]]:
    """Scalings (a, b) in hindsight: the best one, shrunk until its log odds are within reach, and the best constant."""
    X = np.column_stack([scores, np.ones(len(scores))])
    u = np.zeros(2)
    least = inf
    for _ in range(STEPS):
        odds = X @ u
        forecasts = 1 / (1 + np.exp(-np.clip(odds, -700, 700)))
        value = float((np.logaddexp(0, odds) - odds * larger).sum() + prior * u @ u)
        if not value < least * (1 - 1e-14):
            break
        least = value
        hessian = (X * (forecasts * (1 - forecasts))[:, None]).T @ X + 2 * prior * np.eye(2)
        step = np.linalg.solve(hessian, X.T @ (forecasts - larger) + 2 * prior * u)
        size = 1.0
        while size > 1e-6 and _penalised(X, larger, u - size * step, prior) > value:
            size /= 2
        u = u - size * step
    largest = float(np.abs(X @ u).max(initial=0.0))
    shrunk = u * min(1.0, reach / largest * (1 - 1e-12)) if largest > 0 else u
    share = min(max(float(larger.mean()) if len(larger) else 0.5, 1e-300), 1 - 1e-16)
    constant = min(max(log(share / (1 - share)), -reach), reach)
    name = "the best scaling" if largest <= reach else f"the best scaling, shrunk to within {reach:g}"
    return [(name, shrunk), ("the best constant", np.array([0.0, constant]))]


def _penalised(X: Array, larger: Any, u: Array, prior: float) -> float:
    odds = X @ u
    return float((np.logaddexp(0, odds) - odds * larger).sum() + prior * u @ u)
