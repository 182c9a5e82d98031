"""Vovk, Azoury and Warmuth's forecaster: online ridge regression on features."""

from __future__ import annotations

from typing import ClassVar

from ..info import RegressionInfo
from ..linear.estimator import with_constructor
from ..theory.regression import ONE_MATRIX
from .aggregated import fit_number, member_names, places, size_of_intercept
from .base import OnlineRegressor
from .state import RegressionRules, RegressionState


@with_constructor
class VovkAzouryWarmuth(OnlineRegressor):
    """Vovk, Azoury and Warmuth's forecaster for the square loss: ridge regression that sees the row before its outcome.

    ::

        predict   p = w'x / (1 + x'A^-1 x), within the range of the outcomes so far
        suffer    (y - p)^2
        update    A <- A + x x', w the least prior sum M_i^2 u_i^2 + sum (y - u'x)^2 of all rows so far

    M_i is the largest size of feature i so far, so that no column needs to be scaled. A round costs the square of the
    number of features, in time and memory. One number of the run bounds its loss beside **every** vector at once.

    Parameters
    ----------
    prior : float, default=0.01
        lambda, > 0.
    intercept : float, default=1.0
        Size of a constant feature that is appended to every row; 0 for none. Outcomes are measured from the first one.

    Attributes
    ----------
    coef_, intercept_ : ndarray, float
        Ridge regression on all rows but the first; `predict` shrinks its score towards the first outcome.
    ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `AggregatedRegressor`.

    References
    ----------
    Vovk 2001; Azoury and Warmuth 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.regression import VovkAzouryWarmuth
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    >>> learner = VovkAzouryWarmuth(prior=1e-6).fit(X, [1.0, 3.0, 5.0, 7.0, 9.0])
    >>> learner.coef_.round(3).tolist(), round(learner.intercept_, 3)
    ([2.0], 1.0)
    >>> learner.certify(X, [1.0, 3.0, 5.0, 7.0, 9.0])[0].holds
    True
    """

    info: ClassVar[RegressionInfo] = RegressionInfo(
        name="vovk-azoury-warmuth",
        task="regression",
        twin="vaw",
        charged="(y - p)^2",
        geometry="second order, full",
        rate="none",
    )
    theorems = ONE_MATRIX

    prior: float = 0.01
    intercept: float = 1.0

    def rules(self) -> RegressionRules:
        """One full member."""
        prior = fit_number("prior", self.prior)
        return RegressionRules(loss="square", intercept=size_of_intercept(self.intercept), priors=(prior,))

    def new_state(self, columns: int) -> RegressionState:
        """An empty state with its matrix."""
        return RegressionState(columns, 1, members=places(0, 1), limit=None)

    def _names(self) -> list[str]:
        return member_names(self.played_rules())
