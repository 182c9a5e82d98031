"""By what Dask tells learners apart: it would take two that have learned different things for one."""

from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
import pytest

from regretless.catalogue import BANDITS, EXPERT_LEARNERS, expert_class
from regretless.experts import Hedge

from ..bandits.test_every_bandit import advice_of, losses, made
from ..experts.test_expert_models import MORE

RNG = np.random.default_rng(3)
OUTCOMES = (RNG.random(20) < 0.5).astype(float)
FORECASTS = (RNG.random((20, 2)) < 0.5).astype(float)


def combiner(name):
    """One that has learned nothing."""
    return expert_class(name)(n_experts=2, **MORE.get(name, {}))


MADE = [(combiner, name) for name in EXPERT_LEARNERS] + [(made, name) for name in BANDITS]


@pytest.mark.parametrize(("make", "name"), MADE, ids=[name for make, name in MADE])
def test_a_token_is_of_what_was_learned(make, name):
    """Two of equal parameters have different tokens once one has learned; what is read back has the same."""
    fresh = make(name)
    after = deepcopy(fresh)
    if make is combiner:
        after.play(FORECASTS, OUTCOMES)
    else:
        after.play(losses(), **advice_of(name))
    assert fresh.get_params() == after.get_params()
    assert fresh.__dask_tokenize__() != after.__dask_tokenize__()
    again = pickle.loads(pickle.dumps(after))
    assert again.__dask_tokenize__() == pickle.loads(pickle.dumps(again)).__dask_tokenize__()


def test_what_cannot_be_pickled_is_like_nothing_else():
    """With a loss that has no name each has a token of its own, and none is taken for another."""
    learner = Hedge(n_experts=2, loss=lambda forecasts, outcome: abs(forecasts - outcome))
    assert learner.__dask_tokenize__() != learner.__dask_tokenize__()
