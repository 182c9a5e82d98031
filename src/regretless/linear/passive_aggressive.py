"""Passive-aggressive learners."""

from __future__ import annotations

from dataclasses import asdict
from typing import ClassVar

from ..checks import one_of, positive
from ..info import Cost, LinearInfo, LinearWords
from ..rows.estimator import with_constructor
from ..rows.state import Rules
from ..theorem import Theorem
from ..theory.facts import LinearFacts
from ..theory.gradient import OF_VARIANT, PASSIVE_AGGRESSIVE, AggressiveFacts
from .base import OnlineClassifier

RATES = {"PA": "pa", "PA-I": "pa-1", "PA-II": "pa-2"}  # in the kernel, by variant


@with_constructor
class PassiveAggressive(OnlineClassifier):
    """Passive-aggressive learning (Crammer, Dekel, Keshet, Shalev-Shwartz & Singer 2006): as little change as corrects
    the round.

    ::

        predict   sign <w, x>
        suffer    l = max(0, 1 - y <w, x>)
        update    w <- w + tau * y * x,    tau = l / |x|^2              (PA)
                                           tau = min(C, l / |x|^2)      (PA-I)
                                           tau = l / (|x|^2 + 1 / (2C)) (PA-II)

    For every v, with H(v) and U(v)^2 the sums over all rounds of its hinge losses and of their squares and r the length
    of the longest row, PA-I makes at most max(r^2, 1/C) (|v|^2 + 2 C H) mistakes, and the squared losses of PA-II,
    which the mistakes never exceed, sum to at most (r^2 + 1/(2C)) (|v|^2 + 2 C U^2). Those of PA sum to at most (r /
    rho)^2 when a vector separates the rounds with margin rho; without one there is a bound for rows of one length only.

    Parameters
    ----------
    variant : {"PA-I", "PA-II", "PA"}, default="PA-I"
        How far a step goes: until the round is right with a margin of 1, but no further than C; a part of that way; all
        of it, which a single wrong label may ruin.
    C : float, default=1.0
        How aggressive PA-I and PA-II are, > 0; the larger, the nearer to PA. Where rounds have weights, C is multiplied
        by them, so that no step goes past a loss of 0. (scikit-learn multiplies the step.)
    intercept : float, default=0.0
        Size of a constant feature that is appended to every row; 0 for none.
    ties : {1, -1}, default=1
        Which label a score of exactly 0 predicts; it is an update whatever the label is.
    passes, until_clean, max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`. A pass is clean when no round had a loss, that is, all had a margin of 1;
        separable rows may come ever nearer to that and never be there.

    Attributes
    ----------
    classes_, coef_, intercept_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`. In the ledger, `slope2` is the sum of the squared losses.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import PassiveAggressive
    >>> X, y = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, 1.0], [1.0, -2.0]]), [1, 1, -1, -1, 1]
    >>> learner = PassiveAggressive(variant="PA").fit(X, y)
    >>> learner.coef_.round(3).tolist()
    [[0.946, -0.027]]
    >>> print(learner.certify(X, y)[0])
    PA, separable data: squared losses 2.9839 <= 5, against maximum margin  [Crammer et al. 2006, Thm 2]
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="passive-aggressive",
        task="classification",
        default_of="",
        charged="hinge",
        geometry="euclidean",
        rate="loss / norm^2, the same up to C, loss / (norm^2 + 1/(2C))",
        unit_free=False,
        predicts_by="weights",
        plain="",
        lazy=True,
        additive=False,
        not_mixed="",
        by_sums=True,
        constant=True,
        twin="passive_aggressive",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="m < 1",
        update="w ← w + τ y x; τ = min(C, (1 − m) / ‖x‖²), or another of three",
        costs=(Cost("", "n", "d", "n"),),
        small_if="has few or small hinge losses for its length",
        at_most="PA-I: max(r₂², 1/C) (‖v‖² + 2 C H) mistakes",
    )
    theorems = PASSIVE_AGGRESSIVE

    variant: str = "PA-I"
    C: float = 1.0
    intercept: float = 0.0
    ties: int = 1

    def mixed_proven(self) -> tuple[Theorem, ...]:
        """The theorems about mixed weights."""
        from ..theory.mixing_regret import MIXED_PA

        return MIXED_PA[self._variant()]

    def rules(self) -> Rules:
        """Hinge loss, Euclidean steps towards no loss."""
        return Rules(
            loss="hinge",
            rate=RATES[one_of("variant", self.variant, tuple(RATES))],
            tie=float(one_of("ties", self.ties, (1, -1))),
            intercept=positive("intercept", self.intercept, or_zero=True),
            limit=positive("C", self.C),
        )

    def proven(self) -> tuple[Theorem, ...]:
        """The theorems about the variant that was played."""
        return OF_VARIANT[self._variant()]

    def _variant(self) -> str:
        """The one that was played, if one was."""
        played = (self.played_rules() if hasattr(self, "classes_") else self.rules()).rate
        return next(variant for variant, rate in RATES.items() if rate == played)

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask, C and the variant among it."""
        limit, variant = self.played_rules().limit, self._variant()
        return [AggressiveFacts(**asdict(facts), limit=limit, variant=variant) for facts in super().target_facts()]
