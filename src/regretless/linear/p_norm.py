"""The p-norm perceptron."""

from __future__ import annotations

from dataclasses import field
from math import log
from numbers import Real
from typing import Any, ClassVar

from ..checks import one_of, positive
from ..errors import ParameterError
from ..info import Cost, LinearInfo, LinearWords
from ..rows.estimator import with_constructor
from ..rows.state import Rules
from ..theorem import Theorem
from ..theory.facts import LinearFacts
from ..theory.mirror import P_NORM, PNormFacts, p_norm_clean_pass
from .base import OnlineClassifier
from .mirror_steps import REACH, DualNormGeometry, MirrorRules, MirrorState
from .perceptron import TIES
from .state import Geometry

MOST = 1000.0  # a larger p tells powers of numbers apart that differ by a thousandth


@with_constructor
class PNormPerceptron(OnlineClassifier):
    """The p-norm perceptron (Grove, Littlestone & Schuurmans 2001): perceptron steps, seen through a power.

    ::

        predict   sign <w, x>,  w_i = sign(theta_i) |theta_i|^(p - 1) / |theta|_p^(p - 2)
        suffer    max(0, -y <w, x>)
        update    theta <- theta + rate * y * x    when y <w, x> <= 0

    p = 2 is the perceptron, decision for decision; p = 2 ln d, for d features, is Winnow's cousin with signed weights:
    it hardly minds how many features there are, if few of them matter. M updates satisfy M <= H(v) + sqrt((p - 1) M)
    R_p |v|_q for every v, where H(v) is the sum of its hinge losses over all rounds, R_p the largest |x|_p and 1 / p +
    1 / q = 1; if v separates with margin rho in |v|_q, M is at most (p - 1) (R_p / rho)^2.

    A round costs as much as its row has entries, whatever the number of features.

    Parameters
    ----------
    p : float or "auto", default="auto"
        From 2 to 1000. "auto": 2 ln d, but at least 2, for the d columns of the first rows that are learned; columns
        that a stream reveals later do not change it.
    rate : float, default=1.0
        Length of the steps, > 0; it changes the size of the weights and, but for rounding, no prediction.
    intercept : float, default=0.0
        Size of a constant feature that is appended to every row; 0 for none. The bounds are those of the longer rows.
    ties, passes, until_clean, max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`.

    Attributes
    ----------
    classes_ : ndarray
        The labels, ascending; a positive score stands for ``classes_[1]``.
    coef_, intercept_ : ndarray
        The weights w.
    p_ : float
        The p that is in use.
    ledger_ : Ledger
        What was observed.
    n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import PNormPerceptron
    >>> X = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [-1, 1, 1, -1], [-1, -1, -1, 1]])
    >>> learner = PNormPerceptron(passes=20, until_clean=True).fit(X, [1, 1, -1, -1])
    >>> round(learner.p_, 3), int(learner.ledger_.updates), learner.n_iter_
    (2.773, 3, 2)
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="p-norm-perceptron",
        task="classification",
        default_of="",
        charged="max(0, -m)",
        geometry="p-norm",
        rate="constant",
        unit_free=False,
        predicts_by="weights",
        plain="",
        lazy=True,
        additive=False,
        not_mixed="",
        by_sums=True,
        constant=True,
        twin="p_norm_perceptron",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="m ≤ 0",
        update="θ ← θ + η y x, w_i = sign(θ_i) |θ_i|^(p−1)",
        costs=(
            Cost("", "n, whatever d is, while η·max|x| is of order 1; d now and then when it is much larger", "d", "n"),
        ),
        small_if="between `perceptron` and `winnow`, as p goes from 2 to 2 ln d",
        at_most="(p − 1) (r_p / ρ)²",
    )
    theorems = P_NORM

    state_: MirrorState = field(init=False)

    p: float | str = field(default="auto", kw_only=False)
    rate: float = 1.0
    intercept: float = 0.0
    ties: str | int = "update"

    def proven(self) -> tuple[Theorem, ...]:
        """A run that goes on until a pass is clean has a bound on its length too."""
        return (*self.theorems, p_norm_clean_pass) if self.until_clean else self.theorems

    def mixed_proven(self) -> tuple[Theorem, ...]:
        """The theorems about mixed weights."""
        from ..theory.mixing_mirror import MIXED_P_NORM

        return MIXED_P_NORM

    def rules(self) -> Rules:
        """Perceptron loss, steps of constant rate in dual coordinates."""
        return MirrorRules(
            geometry="power",
            eta=positive("rate", self.rate),
            tie=TIES[one_of("ties", self.ties, tuple(TIES))],
            intercept=positive("intercept", self.intercept, or_zero=True),
            power=self._power(),
        )

    def _power(self) -> float:
        """p, or 0 if the columns decide."""
        if isinstance(self.p, str) and self.p == "auto":
            return 0.0
        number = isinstance(self.p, Real) and not isinstance(self.p, bool)
        if not number or not 2 <= float(self.p) <= MOST:
            raise ParameterError("p", repr(self.p), f"it must be a number from 2 to {MOST:g}, or 'auto'")
        return float(self.p)

    def looks_at_columns(self) -> str:
        """p, unless it is a number."""
        return "" if self._power() else "p"

    def new_state(self, columns: int, targets: int) -> MirrorState:
        """Dual coordinates of 0."""
        power = self._power() or max(2.0, 2 * log(max(columns + (self.intercept > 0), 1)))
        return MirrorState(columns, targets, link="power", constant=self.intercept > 0, power=power)

    @property
    def p_(self) -> float:
        """The p that is in use."""
        self._require_fitted()
        return self.state_.power

    def geometry(self) -> Geometry:
        """The dual norm."""
        return DualNormGeometry(self.state_.duals, self.state_.power)

    def settled(self) -> dict[str, Any]:
        """The power."""
        return {"p": self.state_.power}

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask of each target."""
        state, rules = self.state_, self.played_rules()
        return [
            PNormFacts(
                norm=norm,
                rate=rules.eta,
                steady=state.steady,
                p=state.power,
                reach=float(state.memory[target, REACH]),
            )
            for target, norm in enumerate(state.norms())
        ]
