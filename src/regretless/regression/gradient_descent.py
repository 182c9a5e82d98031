"""Online gradient descent on losses of a forecast."""

from __future__ import annotations

from typing import ClassVar

from .. import _core
from ..checks import one_of, share
from ..info import RegressionInfo
from ..rows.estimator import with_constructor
from ..rows.mixture_state import LANES
from ..theory.regression import ONE_DESCENT
from .aggregated import fit_number, places, size_of_intercept
from .base import OnlineRegressor
from .losses import FORECAST_LOSSES
from .state import RegressionRules, RegressionState

LOSSES = tuple(name for name, loss in FORECAST_LOSSES.items() if loss.outcomes != "shares")
SCHEDULES = tuple(_core.descent_schedules())


@with_constructor
class OnlineGradientDescent(OnlineRegressor):
    """Online gradient descent (Zinkevich 2003) on a convex loss of the forecast.

    ::

        predict   p = <w, x>, within the range of the outcomes so far
        suffer    (y - p)^2, |y - p|, the pinball loss, Huber's, or that of counts
        update    w <- w - eta_t l'(p) x

    The plain method: one rate for all features, so that columns of very different sizes should be scaled. Its bound is
    the linearised regret as the run had it, against every vector.

    Parameters
    ----------
    loss : {"square", "absolute", "pinball", "huber", "poisson"}, default="square"
        What is charged. Huber's is half the square up to an error of `delta`, and a line beyond. That of counts is as
        `AggregatedRegressor` has it.
    quantile : float, default=0.5
        Of the pinball loss, between 0 and 1.
    delta : float, default=1.0
        Of Huber's loss, > 0, in units of the outcomes.
    schedule : {"scale-free", "inverse-sqrt", "constant"}, default="scale-free"
        eta_t = rate * width of the outcomes so far / (longest row so far * sqrt(sum of squared gradient norms so far)),
        which depends on no units; rate / sqrt(t), or rate.
    rate : float, default=1.0
        > 0.
    intercept : float, default=1.0
        Size of a constant feature that is appended to every row; 0 for none.

    Attributes
    ----------
    coef_, intercept_ : ndarray, float
        The weights.
    ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `AggregatedRegressor`.

    References
    ----------
    Zinkevich 2003; Huber 1964.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.regression import OnlineGradientDescent
    >>> X = np.tile([[0.0], [1.0], [2.0]], (200, 1))
    >>> learner = OnlineGradientDescent(loss="absolute").fit(X, 2 * X[:, 0] + 1)
    >>> learner.predict([[0.0], [1.0], [2.0]]).round()
    array([1., 3., 5.])
    >>> all(certificate.holds for certificate in learner.certify(X, 2 * X[:, 0] + 1))
    True
    """

    product = True
    info: ClassVar[RegressionInfo] = RegressionInfo(
        name="online-gradient-descent",
        task="regression",
        default_of="",
        twin="gradient_descent",
        charged="square, absolute, pinball, huber, poisson",
        geometry="euclidean",
        rate="scale-free, 1/sqrt t, constant",
        unit_free=False,
        adds_up=False,
    )
    theorems = ONE_DESCENT

    loss: str = "square"
    quantile: float = 0.5
    delta: float = 1.0
    schedule: str = "scale-free"
    rate: float = 1.0
    intercept: float = 1.0

    def rules(self) -> RegressionRules:
        """The loss and the schedule by name."""
        loss, tau, delta = (
            one_of("loss", self.loss, LOSSES),
            share("quantile", self.quantile),
            fit_number("delta", self.delta),
        )
        return RegressionRules(
            loss=loss,
            tau=delta if FORECAST_LOSSES[loss].parameter == "delta" else tau,
            schedule=one_of("schedule", self.schedule, SCHEDULES),
            eta=fit_number("rate", self.rate),
            intercept=size_of_intercept(self.intercept),
        )

    def new_state(self, columns: int) -> RegressionState:
        """An empty state."""
        return RegressionState(columns, 1, members=places(1, 0), limit=0)

    def _names(self) -> list[str]:
        return ["gradient descent", *[""] * (LANES - 1)]
