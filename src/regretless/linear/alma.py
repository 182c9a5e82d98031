"""ALMA, the approximate maximal margin algorithm."""

from __future__ import annotations

from dataclasses import asdict
from math import sqrt
from numbers import Real
from typing import ClassVar

from ..checks import positive
from ..errors import ParameterError
from ..info import Cost, LinearInfo, LinearWords
from ..rows.estimator import with_constructor
from ..rows.state import Rules
from ..theory.facts import LinearFacts
from ..theory.margin_perceptron import ALMA_THEOREMS, AlmaFacts
from .base import OnlineClassifier


@with_constructor
class ALMA(OnlineClassifier):
    """The approximate maximal margin algorithm (Gentile 2001) in Euclidean space.

    ::

        predict   sign <w, x>
        update    w <- w + sqrt(2 / k) y x / R, then back into the ball |w| <= 1,
                  when y <w, x> <= (1 - alpha) sqrt(8 / k) R / alpha

    Here k - 1 is the number of updates so far, and R the length of the longest row so far. If some v has a margin of
    rho in every round, y <v, x> / |v| >= rho, there are at most (8 / alpha - 5)^2 / 8 (R / rho)^2 updates (for alpha
    at most 8/9). After a pass without an update the final weights have a margin of at least (1 - alpha) rho, and rho
    need not be known. With alpha = 1 a round is an update only if it is predicted wrongly, or with a score of 0.

    Parameters
    ----------
    alpha : float, default=0.9
        Which share of the largest margin may be lost; above 0, at most 1. Smaller ones take more updates.
    intercept : float, default=0.0
        Size of a constant feature that is appended to every row; 0 for none.
    passes, until_clean, max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`.

    Notes
    -----
    Gentile divides each row by its own length. Here rows are divided by the length of the longest so far, so that the
    bounds are about the margin and the hinge losses of the rows as they are. For rows of one length both are the same.

    References
    ----------
    Gentile 2001, A new approximate maximal margin classification algorithm, JMLR 2.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import ALMA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 5))
    >>> y = np.where(X[:, 0] > 0, 1, -1)
    >>> X[:, 0] += y
    >>> learner = ALMA().fit(X, y)
    >>> int(learner.ledger_.updates)
    7
    >>> print(str(learner.certify(X, y)[0]).partition("  [")[0])
    ALMA, separable data: updates 7 <= 51, against maximum margin
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="alma",
        task="classification",
        default_of="",
        charged="max(0, (1 - alpha)·sqrt(8/k)·R/alpha - m) / (R·sqrt(k))",
        geometry="euclidean unit ball",
        rate="constant",
        unit_free=False,
        predicts_by="weights",
        plain="",
        lazy=False,
        additive=False,
        not_mixed="whether it moves depends on how many updates there were, and the proof of its bound follows one "
        "sequence of updates and says nothing of a mean of several",
        by_sums=True,
        constant=True,
        twin="alma",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="m ≤ (1 − α) √(8/k) R / α, k counting updates",
        update="w ← w + √(2/k) y x / R, then back into the unit ball; R the longest row so far",
        costs=(Cost("", "n", "d", "n"),),
        small_if="as `perceptron`; after a clean pass the weights have (1 − α) ρ of the largest margin ρ, which "
        "need not be known",
        at_most="(8/α − 5)² / 8 · (r₂ / ρ)², for α ≤ 8/9",
    )
    theorems = ALMA_THEOREMS

    alpha: float = 0.9
    intercept: float = 0.0

    def rules(self) -> Rules:
        """A margin that falls with the updates, in the unit ball."""
        if not isinstance(self.alpha, Real) or not 0 < self.alpha <= 1:
            raise ParameterError("alpha", repr(self.alpha), "it must be a number above 0, and at most 1")
        alpha = float(self.alpha)
        return Rules(
            geometry="ball",
            loss="falling-margin",
            radius=1.0,
            eta=sqrt(2.0),
            margin=(1 - alpha) * sqrt(8.0) / alpha,
            intercept=positive("intercept", self.intercept, or_zero=True),
        )

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask, alpha among it."""
        rules = self.played_rules()
        alpha = sqrt(8.0) / (sqrt(8.0) + rules.margin)
        return [AlmaFacts(**asdict(facts), alpha=alpha) for facts in super().target_facts()]
