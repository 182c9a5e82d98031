"""The default learners of numbers: several linear learners at once, mixed by their own losses."""

from __future__ import annotations

from math import isfinite
from typing import Any, ClassVar

import numpy as np

from ..checks import one_of, positive, share
from ..errors import ParameterError
from ..info import RegressionInfo
from ..rows.estimator import with_constructor
from ..rows.mixture_state import LANES, RATES
from ..rows.state import LEAST_ENTRY, MOST_ENTRY
from ..theory.regression import SEVERAL, SEVERAL_BY_SLOPES
from .base import OnlineRegressor
from .losses import FORECAST_LOSSES
from .state import FULLS, RegressionRules, RegressionState

LEAST_PRIOR = 1e-20
LOSSES = ("square", "huber", "poisson")
FEW_COLUMNS = 256  # up to which "auto" has full members
PRIORS = (1e-4, 1e-2, 1.0)  # of these


def numbers_of(name: str, value: Any, most: int) -> tuple[float, ...]:
    """Several numbers above 0 as a parameter.

    Raises
    ------
    ParameterError
        If they are none, or too many.
    """
    try:
        numbers = tuple(float(one) for one in value)
    except (TypeError, ValueError):
        numbers = (np.nan,)
    if (
        isinstance(value, str)
        or len(numbers) > most
        or not all(isfinite(one) and LEAST_ENTRY <= one <= MOST_ENTRY for one in numbers)
    ):
        raise ParameterError(name, repr(value), f"must be at most {most} numbers above 0", " ")
    return numbers


def fit_number(name: str, value: Any) -> float:
    """A number above 0 whose products with those of rows are floats.

    Raises
    ------
    ParameterError
        If it is none.
    """
    number = positive(name, value)
    if not LEAST_ENTRY <= number <= MOST_ENTRY:
        raise ParameterError(name, repr(value), f"must be a number from {LEAST_ENTRY:g} to {MOST_ENTRY:g}", " ")
    return number


def fit_prior(value: Any) -> float:
    """A prior that is not lost in matrices of doubles, as a smaller one is where rows are nearly collinear.

    Raises
    ------
    ParameterError
        If it is none.
    """
    number = fit_number("prior", value)
    if number < LEAST_PRIOR:
        raise ParameterError("prior", repr(value), f"must be at least {LEAST_PRIOR:g}", " ")
    return number


def size_of_intercept(value: Any) -> float:
    """The size of the constant feature.

    Raises
    ------
    ParameterError
        If it is neither 0 nor a number that rows may have.
    """
    size = positive("intercept", value, or_zero=True)
    if size and not LEAST_ENTRY <= size <= MOST_ENTRY:
        raise ParameterError(
            "intercept", repr(value), f"must be 0, or a number from {LEAST_ENTRY:g} to {MOST_ENTRY:g}", " "
        )
    return size


def places(rates: int, fulls: int) -> tuple[bool, ...]:
    """Which of the eight places have a member."""
    full = (place < fulls for place in range(FULLS))
    return (*(place < rates for place in range(RATES)), *(LANES - RATES - FULLS) * (False,), *full)


@with_constructor
class AggregatedRegressor(OnlineRegressor):
    """Several linear learners forecast numbers side by side, and are mixed by their own squared losses.

    ::

        members   dual averagings of four rates, and Vovk, Azoury and Warmuth's forecaster of few features
        predict   p = sum pi_k p_k, the members' forecasts within the range of the outcomes so far
        suffer    (y - p)^2, Huber's loss, or that of counts
        update    pi_k <- pi_k exp(-eta l_k), and a share of 1 / (t + 1) goes round; each member from its own loss

    Nothing is to be chosen, nothing is to be scaled, and the range of the outcomes need not be known. The first outcome
    says where others are measured from. The theorems hold on every sequence, against every vector; see
    `theory.regression`.

    Rates: with B the width of the outcomes' range, G minus the sum of gradients of a feature, S of their squares, M its
    largest size and N its largest root mean square so far, ``w = rate B G / (N sqrt(S + (2 B M)^2))``. Full members
    keep the inverse of a matrix of the features, as long as these are few, with a prior times sum M^2 u^2. They are
    mixed by AdaHedge (de Rooij et al. 2014) on the loss that the mixture itself suffers.

    With ``loss="poisson"`` outcomes are counts, the members' scores s are logarithms of their means, and what is
    forecast is e^s. The loss is e^s - y s less the least that it can be, half the deviance. Its slopes have no limit,
    so that scores are kept within the logarithms of the counts so far, none taken as 1/2: no mean below 1/2 and none
    above the largest count is forecast. Bounds are about vectors whose own scores have no such limits.

    Parameters
    ----------
    loss : {"square", "huber", "poisson"}, default="square"
        What is charged. Huber's is half the square up to an error of `delta`, and a line beyond. Full members are for
        squares.
    delta : float, default=1.0
        Of Huber's loss, > 0, in units of the outcomes.
    rates : sequence of float, default=(0.025, 0.1, 0.4, 1.6)
        Of the dual averagings, > 0; at most four.
    priors : sequence of float, default=(1e-4, 1e-2, 1.0)
        Of the full members, > 0; at most three.
    full : "auto" or int, default="auto"
        Up to how many features there are full members; "auto": 256. 0: none.
    share : bool, default=True
        Whether a share of the weight goes round after each round, so that the mixture follows the member that is best
        now.
    intercept : float, default=1.0
        Size of a constant feature that is appended to every row; 0 for none.

    Attributes
    ----------
    members_ : list of str
        What the members are called.
    posterior_, losses_ : ndarray, shape (members,)
        Their weights for the next round; the loss of each.
    coef_, intercept_ : ndarray, float
        The mean of the members' weights by the posterior: a summary, which is not what predicts.
    ledger_ : Ledger
        Its loss is that of the forecasts.
    n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.regression import AggregatedRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3)) * [1, 10, 100]
    >>> y = X @ [3.0, -0.2, 0.01] + 5 + rng.normal(size=500) / 10
    >>> learner = AggregatedRegressor().fit(X, y)
    >>> learner.predict([[1.0, 0.0, 0.0]]).round(1).tolist()
    [8.0]
    >>> all(certificate.holds for certificate in learner.certify(X, y))
    True
    """

    info: ClassVar[RegressionInfo] = RegressionInfo(
        name="aggregated-regressor",
        task="regression",
        default_of="learn",
        twin="",
        charged="square, huber, poisson",
        geometry="diagonal and full, mixed by AdaHedge",
        rate="four rates, second order",
        unit_free=True,
        adds_up=False,
    )
    theorems = SEVERAL

    rates: Any = (0.025, 0.1, 0.4, 1.6)
    priors: Any = PRIORS
    full: str | int = "auto"
    share: bool = True
    intercept: float = 1.0
    loss: str = "square"
    delta: float = 1.0

    def rules(self) -> RegressionRules:
        """The members that the parameters stand for."""
        loss, delta = one_of("loss", self.loss, LOSSES), fit_number("delta", self.delta)
        rates, priors = numbers_of("rates", self.rates, RATES), numbers_of("priors", self.priors, FULLS)
        squares = FORECAST_LOSSES[loss].squares
        if not (rates or (squares and priors and self._limit())):
            raise ParameterError("rates", repr(self.rates), "must name a rate where there is no other member", " ")
        return RegressionRules(
            loss=loss,
            tau=delta if FORECAST_LOSSES[loss].parameter == "delta" else 0.5,
            intercept=size_of_intercept(self.intercept),
            rates=rates,
            priors=priors if squares else (),
            share=bool(self.share),
        )

    def _limit(self) -> int:
        if isinstance(self.full, str) and self.full == "auto":
            return FEW_COLUMNS
        if isinstance(self.full, bool) or not isinstance(self.full, int | np.integer) or self.full < 0:
            raise ParameterError("full", repr(self.full), 'must be "auto" or a whole number', " ")
        return int(self.full)

    def new_state(self, columns: int) -> RegressionState:
        """An empty state with the members that there are room for."""
        rules = self.rules()
        limit = self._limit() if rules.priors else 0
        return RegressionState(
            columns, 1, members=places(len(rules.rates), len(rules.priors) if limit else 0), limit=limit
        )

    def _names(self) -> list[str]:
        return member_names(self.played_rules())


def member_names(rules: RegressionRules) -> list[str]:
    """What the eight places of members are called."""
    rates = [f"rate {rate:g}" for rate in rules.rates]
    full = [f"{'Newton steps' if rules.newton else 'full'}, prior {prior:g}" for prior in rules.priors]
    return [*rates, *[""] * (LANES - FULLS - len(rates)), *full, *[""] * (FULLS - len(full))]


@with_constructor
class AggregatedQuantile(OnlineRegressor):
    """Several linear learners forecast a quantile of the outcomes, and are mixed by their own pinball losses.

    ::

        members   dual averagings of four rates
        predict   p = sum pi_k p_k, the members' forecasts within the range of the outcomes so far
        suffer    tau (y - p) where y > p, (1 - tau) (p - y) where not
        update    as `AggregatedRegressor`

    A share tau of the outcomes of any kind of rows lies below the quantile that loses least. With 0.5 it is the median,
    and the loss half the absolute one.

    Parameters
    ----------
    quantile : float, default=0.5
        tau, between 0 and 1.
    rates : sequence of float, default=(0.006, 0.025, 0.1, 0.4)
        Of the dual averagings, > 0; at most four.
    share, intercept
        As in `AggregatedRegressor`.

    Attributes
    ----------
    members_, posterior_, losses_, coef_, intercept_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `AggregatedRegressor`; losses are pinball losses.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.regression import AggregatedQuantile
    >>> rng = np.random.default_rng(0)
    >>> X, noise = rng.normal(size=(4000, 2)), rng.exponential(size=4000)
    >>> learner = AggregatedQuantile(quantile=0.9).fit(X, X @ [1.0, 2.0] + noise)
    >>> bool(abs(learner.predict([[0.0, 0.0]])[0] - np.log(10)) < 0.3)
    True
    """

    info: ClassVar[RegressionInfo] = RegressionInfo(
        name="aggregated-quantile",
        task="quantile",
        default_of="learn",
        twin="",
        charged="max(tau (y - p), (1 - tau) (p - y))",
        geometry="diagonal, mixed by AdaHedge",
        rate="four rates",
        unit_free=True,
        adds_up=False,
    )
    theorems = SEVERAL_BY_SLOPES

    quantile: float = 0.5
    rates: Any = (0.006, 0.025, 0.1, 0.4)
    share: bool = True
    intercept: float = 1.0

    def rules(self) -> RegressionRules:
        """The members that the parameters stand for."""
        rates = numbers_of("rates", self.rates, RATES)
        if not rates:
            raise ParameterError("rates", repr(self.rates), "must name a rate", " ")
        return RegressionRules(
            loss="pinball",
            tau=share("quantile", self.quantile),
            intercept=size_of_intercept(self.intercept),
            rates=rates,
            share=bool(self.share),
        )

    def new_state(self, columns: int) -> RegressionState:
        """An empty state."""
        return RegressionState(columns, 1, members=places(len(self.rules().rates), 0), limit=0)

    def _names(self) -> list[str]:
        return member_names(self.played_rules())
