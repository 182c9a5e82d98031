"""Vovk, Azoury and Warmuth's forecaster: online ridge regression on features."""

from __future__ import annotations

from typing import ClassVar

from ..checks import one_of
from ..info import RegressionInfo
from ..rows.estimator import with_constructor
from ..rows.mixture_state import LANES
from ..theorem import Theorem
from ..theory.regression import ONE_MATRIX, by_slopes
from .aggregated import fit_prior, member_names, places, size_of_intercept
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

    With ``matrix="diagonal"`` only the diagonal of A is kept, and a round costs the entries of its row that are not 0::

        predict   p = w'x / (1 + h), h = sum x_i^2 / A_ii, within the range of the outcomes so far
        update    w_i <- w_i + (y - w'x) / (1 + h) x_i / A_ii, A_ii <- A_ii + x_i^2

    The theorem is about the whole matrix. Of the diagonal nothing is known before the run: the square of an error is no
    sum of squares of the features' parts of it. What is printed then is the regret of the slopes as the run had them,
    which bounds that of any learner with a convex loss.

    Parameters
    ----------
    prior : float, default=0.01
        lambda, > 0.
    matrix : {"full", "diagonal"}, default="full"
        What is kept of A.
    intercept : float, default=1.0
        Size of a constant feature that is appended to every row; 0 for none. Outcomes are measured from the first one.

    Attributes
    ----------
    coef_, intercept_ : ndarray, float
        Ridge regression on all rows but the first, where the matrix is full; `predict` shrinks its score towards the
        first outcome.
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
        default_of="explore",
        twin="vaw",
        charged="(y - p)^2",
        geometry="second order, full or diagonal",
        rate="none",
        unit_free=True,
        adds_up=True,
    )
    theorems = ONE_MATRIX

    prior: float = 0.01
    intercept: float = 1.0
    matrix: str = "full"

    def rules(self) -> RegressionRules:
        """One full member, or one diagonal."""
        matrix = one_of("matrix", self.matrix, ("full", "diagonal"))
        intercept, prior = size_of_intercept(self.intercept), fit_prior(self.prior)
        return RegressionRules(loss="square", matrix=matrix, intercept=intercept, priors=(prior,))

    def proven(self) -> tuple[Theorem, ...]:
        """Those about slopes, where there is no matrix."""
        return self.theorems if self.matrix == "diagonal" else tuple(one for one in self.theorems if one != by_slopes)

    def new_state(self, columns: int) -> RegressionState:
        """An empty state with its matrix, or room for a diagonal in the cells."""
        if self.matrix == "diagonal":
            return RegressionState(columns, 1, members=places(1, 0), limit=0)
        return RegressionState(columns, 1, members=places(0, 1), limit=None)

    def _names(self) -> list[str]:
        if self.matrix == "diagonal":
            return [f"diagonal, prior {self.prior:g}", *[""] * (LANES - 1)]
        return member_names(self.played_rules())
