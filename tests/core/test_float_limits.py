"""Experts and bandits near the limits of floats: weights stay weights, and what cannot be is refused in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regretless.bandits import Exp3
from regretless.catalogue import BANDITS, EXPERT_LEARNERS, bandit_class, expert_class
from regretless.errors import RegretlessError
from regretless.experts import AggregatingAlgorithm, Hedge
from regretless.theorem import BOUNDLESS

from ..catalogue import needed_by

UNITS = np.random.default_rng(0).random((400, 3))
SETTINGS: dict[str, dict[str, Any]] = {
    "hedge": {"horizon": 400},
    "ewa": {"horizon": 400},
    "fixed-share": {"horizon": 400, "switches": 2},
}
RATED, EXTREME = ("exp3", "exp3-ix", "hedge", "exp4"), (1e-200, 1e200)  # those with a rate that goes without others
RANGES = [(0, 5e-324), (1e-310, 1e-300), (0, 1e-300), (-1e-300, 1e-300), (1e16, 1e16 + 4), (0, 1e290), (-1e290, 1e290)]


def is_weights(p: Any) -> bool:
    return bool(np.isfinite(p).all() and (p >= 0).all() and abs(p.sum() - 1) < 1e-9)


def numbers(certificates: Any) -> bool:
    """Whether all that applies says numbers, and nothing that always holds was broken."""
    applying = [one for one in certificates if one.applies]
    values = [one.observed for one in applying if one.observed is not None]
    return np.isfinite([one.bound for one in applying] + values).all() and not any(one.violated for one in applying)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("span", RANGES, ids=str)
@pytest.mark.parametrize(
    ("name", "rate"), [(name, None) for name in BANDITS] + [(n, r) for n in RATED for r in EXTREME]
)
def test_a_bandit_of_any_range_has_probabilities(name, rate, span):
    """Whatever the range of losses and the rate, draws have probabilities, and certificates say numbers or why not."""
    low, high = span
    more = needed_by(name)
    if rate is not None:
        more["rate"] = rate
    learner = bandit_class(name)(3, seed=1, value_range=span, **more)
    table = np.clip(low + (high - low) * UNITS, low, high)
    advice: dict[str, Any] = {"advice": np.tile([0, 1, 2], (400, 1))} if learner.info.advised else {}
    learner.play(table, **advice)
    predictions = learner.probabilities(advice=[0, 1, 2]) if learner.info.advised else learner.probabilities_
    assert is_weights(predictions)
    assert np.isfinite(learner.estimates_).all()
    assert numbers(learner.certify(table, **advice))


def test_an_infinite_bound_is_none():
    """Where ln K over the rate is beyond floats in the losses' own scale, the theorem does not apply, and says why."""
    learner = Exp3(3, seed=1, rate=1e-200, value_range=(0, 1e290))
    learner.play(1e290 * UNITS)
    assert {one.why for one in learner.certify(1e290 * UNITS)} == {BOUNDLESS}


@pytest.mark.parametrize("scale", [1e-305, 1e-300, 1e-150, 1e140, 1e300])
@pytest.mark.parametrize("loss", [None, "absolute"])
@pytest.mark.parametrize("name", [name for name in EXPERT_LEARNERS if "majority" not in name and name != "ridge"])
def test_a_combiner_of_any_scale_has_weights(name, loss, scale):
    """Losses of 1e-305 and of 1e300 give weights of sum one, or are refused by an error of the library."""
    more = dict(SETTINGS.get(name, {}))
    if name == "eg":
        more["eta"] = 0.1
    try:
        learner = expert_class(name)(loss=loss, value_range=(0, scale), **more)
        arguments = (scale * UNITS,) if loss is None else (scale * UNITS, scale * UNITS[:, 0])
        learner.play(*arguments)
    except RegretlessError:
        return
    ticket = learner.predict() if loss is None else learner.predict(arguments[0][0])
    assert is_weights(np.asarray(ticket) if loss is None else np.asarray(learner.waiting(ticket).weights))
    assert np.isfinite(learner.ledger_.loss)
    assert not any(one.violated for one in learner.certify())


@pytest.mark.parametrize("eta", [1e-300, 1.0, 1e300])
def test_exponential_weights_of_any_rate_are_weights(eta):
    """A rate of 1e-300 leaves all alike, one of 1e300 follows the leader."""
    learner = Hedge(loss=None, value_range=(0, 1), eta=eta)
    learner.play(UNITS)
    weights = np.asarray(learner.predict())
    assert is_weights(weights)
    if eta == 1e300:
        assert weights.argmax() == UNITS.sum(0).argmin()
        assert weights.max() == 1


@pytest.mark.parametrize("width", [1e-300, 1e160, 1e300])
def test_a_range_whose_square_is_no_number_is_refused(width):
    """The aggregating algorithm's rate is 2 over the squared width: where that is lost, it says so; others go on."""
    with pytest.raises(RegretlessError, match="floats hold no rate for a range of such a width"):
        AggregatingAlgorithm(loss="square", n_experts=2, value_range=(0, width))
    assert Hedge(loss="square", eta=0.1, value_range=(0, width)).value_range == (0, width)
