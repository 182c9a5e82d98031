"""Online gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from math import inf
from typing import Any, ClassVar

import numpy as np

from ..checks import one_of, positive, step
from ..data.batch import Array
from ..info import Cost, LinearInfo, LinearWords
from ..rows.estimator import with_constructor
from ..rows.state import Rules
from ..theorem import Theorem
from ..theory.facts import LinearFacts
from ..theory.gradient import GRADIENT_DESCENT
from ..theory.margin_losses import PLAYED_LOSSES
from .base import OnlineClassifier
from .progressive import log_probabilities

LOSSES = tuple(PLAYED_LOSSES)
SCHEDULES = ("scale-free", "self-tuned", "inverse-sqrt", "constant")
BOUNDED, UNBOUNDED = 20.0, 3.0  # scale-free rates by whether slopes are: good sizes on text and tables


@with_constructor
class OnlineGradientDescent(OnlineClassifier):
    """Online gradient descent (Zinkevich 2003) on a convex loss of the margin m = y <w, x>.

    ::

        predict   sign <w, x>
        suffer    the loss: max(0, 1 - m), ln(1 + exp(-m)), max(0, 1 - m)^2, (1 - m)^2 or max(0, -m)
        update    w <- w - eta_t * gradient, then back into the ball |w| <= radius

    Its regret against every fixed u is at most |u|^2 / (2 eta_1) + (|u| + W)^2 / 2 (1 / eta_T - 1 / eta_1) + half the
    sum of eta_t |g_t|^2, where W is the largest length that the weights had.

    Parameters
    ----------
    loss : {"hinge", "logistic", "squared-hinge", "square", "perceptron"}, default="hinge"
        What is charged. "perceptron" is max(0, -m), with the gradient -y x where m = 0, so that w = 0 moves: at a
        constant rate and without a ball it is `Perceptron`. A wrong round may cost nothing under it, so that no bound
        on the regret bounds the mistakes.
    schedule : {"scale-free", "self-tuned", "inverse-sqrt", "constant"} or None, default=None
        eta_t = rate / sqrt(sum of squared gradient norms so far) / (longest row so far), the same without the last
        factor (known as AdaGrad-norm), rate / sqrt(t), or rate. Scale-free steps do not depend on the units of the
        rows. None: self-tuned in a ball, scale-free without one.
    rate : float or None, default=None
        > 0, and at least 2.225e-308, the smallest float of full precision. None: sqrt(2) * radius for the self-tuned
        schedule in a ball, which minimises its bound; 20 for the scale-free one, or 3 with a squared loss; 1 otherwise.
    radius : float or None, default=None
        Radius of the ball that the weights, the constant feature's included, are kept in; None for no ball. The bound
        that is known before the run needs one, unless the rate is constant.
    intercept : float, default=0.0
        Size of a constant feature that is appended to every row; 0 for none.
    passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import OnlineGradientDescent
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]]), [1, 1, -1]
    >>> learner = OnlineGradientDescent(schedule="constant", rate=0.5, passes=4).fit(X, y)
    >>> learner.predict(X).tolist()
    [1, 1, -1]
    >>> all(certificate.holds for certificate in learner.certify(X, y))
    True
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="online-gradient-descent",
        task="classification",
        default_of="",
        charged="hinge, logistic, squared-hinge, square, max(0, -m)",
        geometry="euclidean, euclidean ball",
        rate="scale-free, self-tuned, 1/sqrt t, constant",
        unit_free=False,
        predicts_by="weights",
        plain="",
        lazy=False,
        additive=False,
        not_mixed="",
        by_sums=True,
        constant=True,
        twin="gradient_descent",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="the loss has a slope",
        update="w ← w − η_t ∇loss, then back into the ball",
        costs=(Cost("", "n", "d", "n"),),
        small_if="has small losses of the kind that was asked for",
        at_most="the regret, not a count",
    )
    theorems = GRADIENT_DESCENT

    loss: str = "hinge"
    schedule: str | None = None
    rate: float | None = None
    radius: float | None = None
    intercept: float = 0.0
    # Every loss above 0 is an update, so that a pass is hardly ever clean, and these two are no parameters.
    until_clean: bool = field(default=False, init=False)
    max_passes: int = field(default=1000, init=False)

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask of each target; the perceptron's loss is one that is charged to fixed vectors, too."""
        return [replace(one, loss=PLAYED_LOSSES[one.loss].name) for one in super().target_facts()]

    def mixed_proven(self) -> tuple[Theorem, ...]:
        """The theorems about mixed weights."""
        from ..theory.mixing_regret import MIXED_GRADIENT_DESCENT

        return MIXED_GRADIENT_DESCENT

    def rules(self) -> Rules:
        """The loss and the schedule by name, in a ball if there is one."""
        radius = None if self.radius is None else positive("radius", self.radius)
        loss = one_of("loss", self.loss, LOSSES)
        schedule = self.schedule
        if schedule is None:
            schedule = "scale-free" if radius is None else "self-tuned"
        one_of("schedule", schedule, SCHEDULES)
        rate = 1.0
        if schedule == "scale-free":
            rate = BOUNDED if PLAYED_LOSSES[loss].limit < inf else UNBOUNDED
        if schedule == "self-tuned" and radius is not None:
            rate = 2**0.5 * radius
        return Rules(
            geometry="euclidean" if radius is None else "ball",
            loss=loss,
            rate=schedule,
            radius=radius or 0.0,
            eta=rate if self.rate is None else step("rate", self.rate),
            intercept=positive("intercept", self.intercept, or_zero=True),
        )

    def settled(self) -> dict[str, Any]:
        """Schedule and rate."""
        rules = self.played_rules()
        return {"schedule": rules.rate, "rate": rules.eta}

    @property
    def predict_proba(self) -> Callable[[Any], Array]:
        """``predict_proba(X)``: the probability of each class, shape (rows, classes), for losses that have one.

        The logistic loss is smallest at the score ln(p / (1 - p)), the two squared ones at 2 p - 1, so that is what the
        scores estimate; of several classes against the rest, the odds (of the squared losses, the shares) are scaled to
        add up to 1. The hinge loss is smallest at the sign of 2 p - 1, the perceptron's knows no size, and the
        attribute is missing then.
        """
        if not self.has_probabilities:
            raise AttributeError(f"the {self.loss} loss has no probabilities; take loss='logistic'")
        return self._predict_proba

    def _predict_proba(self, X: Any) -> Array:
        shares: Array = self._boxed(np.asarray(self.probabilities(self._scores_of(X))), X)
        return shares

    @property
    def scores_are_log_odds(self) -> bool:
        """With the logistic loss, whose probabilities they are."""
        return self._says() == "log-odds"

    @property
    def has_probabilities(self) -> bool:
        """With losses that have some."""
        return self._says() != ""

    def _says(self) -> str:
        """What scores estimate."""
        return PLAYED_LOSSES[self.loss].says if self.loss in PLAYED_LOSSES else ""

    def probabilities(self, scores: Array) -> Array | None:
        """The probabilities that go with some scores, shape (rows, classes); None where the loss has none."""
        if not self.has_probabilities:
            return None
        if self.scores_are_log_odds:
            return np.exp(log_probabilities(scores, len(self.classes_)))
        positive = (np.clip(scores, -1, 1) + 1) / 2
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1))
        if scores.shape[1] == 1:
            return np.column_stack([1 - positive, positive])
        total = positive.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0, positive / np.where(total > 0, total, 1), 1 / scores.shape[1]))
