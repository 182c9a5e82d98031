"""Online Newton steps on the square loss."""

from __future__ import annotations

from typing import ClassVar

from ..info import RegressionInfo
from ..rows.estimator import with_constructor
from ..theory.regression import NEWTON_STEPS
from .aggregated import fit_prior, member_names, places, size_of_intercept
from .base import OnlineRegressor
from .state import RegressionRules, RegressionState


@with_constructor
class OnlineNewtonStep(OnlineRegressor):
    """Online Newton steps (Hazan, Agarwal & Kale 2007) on the square loss, which is exp-concave within a range.

    ::

        predict   p = w'x, within the range of the outcomes so far
        suffer    (y - p)^2, of slope g in p
        update    A <- A + c x x', c = (g / (2 B))^2, B the width of the outcomes so far
                  w the least prior sum M_i^2 u_i^2 + sum of g (u'x - p) + c (u'x - p)^2

    A row counts by how much it was missed: A grows by squared gradients, not by squared rows as that of
    `VovkAzouryWarmuth` does, whose bound is the smaller one on the square loss. The slopes alone are read, so that its
    proof is the one for every exp-concave loss. M_i is the largest size of feature i so far: no column needs to be
    scaled, and the range of the outcomes need not be known. While forecasts stay within that range, w moves by
    -A^-1 g x / 2, as in the book. A round costs the square of the number of features.

    Parameters
    ----------
    prior : float, default=1.0
        lambda, > 0.
    intercept : float, default=1.0
        Size of a constant feature that is appended to every row; 0 for none. Outcomes are measured from the first one.

    Attributes
    ----------
    coef_, intercept_ : ndarray, float
        The weights.
    ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `AggregatedRegressor`.

    References
    ----------
    Hazan, Agarwal and Kale 2007, Theorem 2; here for every vector, with what the run itself had.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.regression import OnlineNewtonStep
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2)) * [1, 100]
    >>> y = X @ [3.0, 0.02] + 5 + rng.normal(size=500) / 10
    >>> learner = OnlineNewtonStep().fit(X, y)
    >>> learner.predict([[1.0, 0.0]]).round(0).tolist()
    [8.0]
    >>> all(certificate.holds for certificate in learner.certify(X, y))
    True
    """

    info: ClassVar[RegressionInfo] = RegressionInfo(
        name="online-newton-step",
        task="regression",
        default_of="",
        twin="newton_steps",
        charged="(y - p)^2",
        geometry="second order, full, of gradients",
        rate="none",
        unit_free=True,
        adds_up=False,
    )
    theorems = NEWTON_STEPS

    prior: float = 1.0
    intercept: float = 1.0

    def rules(self) -> RegressionRules:
        """One full member that goes by slopes."""
        prior = fit_prior(self.prior)
        return RegressionRules(
            loss="square", matrix="newton", intercept=size_of_intercept(self.intercept), priors=(prior,)
        )

    def new_state(self, columns: int) -> RegressionState:
        """An empty state with its matrix."""
        return RegressionState(columns, 1, members=places(0, 1), limit=None)

    def _names(self) -> list[str]:
        return member_names(self.played_rules())
