"""Arrays that came by a wire lie anywhere; opening a shard copies them where compiled code can read them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from regretless.arrays import laid_out, numbers
from regretless.bandits import Exp3IX
from regretless.bandits import simulate as simulate_here
from regretless.catalogue import learner_class
from regretless.data.arrays import floating
from regretless.data.batch import Batch
from regretless.distributed import calls, certify_shards, combine, mix, simulate
from regretless.environments import Table
from regretless.experts import MLPoly, Squint
from regretless.linear import Perceptron

from ..data.mixed_data import pairs
from ..data.unaligned import Shifting, shifted, shifted_array

MIXED = {
    "perceptron": {},
    "averaged-perceptron": {},
    "multiclass-perceptron": {},
    "passive-aggressive": {},
    "online-gradient-descent": {},
    "p-norm-perceptron": {"p": 3.0},
    "winnow": {"balanced": True},
}


def odd_csr(X):
    matrix = sparse.csr_matrix(X)
    for name in ("data", "indices", "indptr"):
        setattr(matrix, name, shifted_array(getattr(matrix, name)))
    return matrix


def test_the_helper_makes_arrays_that_are_not_aligned():
    """An array at an odd address is not aligned, and `np.ascontiguousarray` leaves it so."""
    array = shifted_array(np.arange(6.0).reshape(2, 3))
    assert not array.flags.aligned
    assert not np.ascontiguousarray(array).flags.aligned


@pytest.mark.parametrize("take", [laid_out, lambda array: numbers(array, "x"), floating])
def test_what_is_taken_in_is_aligned(take):
    """Where arrays are taken in, those at odd addresses are copied and all others are not."""
    inputs = np.arange(6.0).reshape(2, 3)
    assert take(inputs) is inputs
    taken = take(shifted_array(inputs))
    assert taken.flags.aligned
    assert np.array_equal(taken, inputs)


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("form", ["dense", "sparse", "batch", "alone"])
def test_mixing_has_the_same_bits_however_arrays_lie(name, form):
    """A mixture and its certificates are the same when every array that travels arrives at an odd address."""
    learner, parts = learner_class(name)(**MIXED[name]), pairs(3)[: 1 if form == "alone" else 3]
    make = {
        "sparse": odd_csr,
        "batch": lambda X: Batch(shifted_array(X), None, X.shape[1]),
    }.get(form, shifted_array)
    odd = [(make(X), shifted_array(y)) for X, y in parts]
    plain = [(sparse.csr_matrix(X), y) for X, y in parts] if form == "sparse" else parts
    there, here = mix(learner, odd, Shifting(), epochs=2), mix(learner, plain, epochs=2)
    assert there.learner.state_.same(here.learner.state_)
    certificates = [(one.observed, one.bound) for one in there.certify(Shifting())]
    assert certificates == [(one.observed, one.bound) for one in here.certify()]


def test_readers_of_shards_may_give_arrays_that_lie_anywhere():
    """A function that reads a shard may give arrays at odd addresses."""
    parts = pairs(2)
    readers = [lambda X=X, y=y: (shifted_array(X), shifted_array(y)) for X, y in parts]
    assert mix(Perceptron(), calls(readers)).learner.state_.same(mix(Perceptron(), parts).learner.state_)


@pytest.mark.parametrize("learner", [MLPoly(), Squint()])
def test_combining_has_the_same_bits_however_arrays_lie(learner):
    """Experts are combined alike when every array that travels arrives at an odd address."""
    random = np.random.default_rng(0)
    shards = [(random.random((50, 4)), random.random(50)) for _ in range(4)]
    there, here = combine(learner, shards, Shifting()), combine(learner, shards)
    assert repr(there.ledger) == repr(here.ledger)
    assert [one.observed for one in there.certify()] == [one.observed for one in here.certify()]


def test_simulating_has_the_same_bits_however_arrays_lie():
    """A table of losses that arrives at an odd address is played as it was."""
    world = Table(np.random.default_rng(0).random((60, 3)))
    there = simulate(Exp3IX(3, seed=1), world, Shifting(), rounds=60, runs=5)
    here = simulate_here(Exp3IX(3, seed=1), world, rounds=60, runs=5)
    assert repr(there.ledgers) == repr(here.ledgers)


@pytest.mark.parametrize("name", ["perceptron", "winnow", "kernel-perceptron", "arow", "voted-perceptron"])
def test_learners_that_travelled_go_on(name):
    """A learner whose arrays arrived at odd addresses, for reading only, learns on with the same bits."""
    (X, y), (Z, z) = pairs(2)
    first, other = (learner_class(name)().partial_fit(X, y, classes=[-1, 1]) for _ in range(2))
    there = shifted(first).partial_fit(shifted_array(Z), z)
    assert np.array_equal(there.decision_function(Z), other.partial_fit(Z, z).decision_function(Z))
    fitted = learner_class(name)().fit(X, y)
    plain = certify_shards(fitted, [(X, y)])
    odd = certify_shards(fitted, [(shifted_array(X), y)], Shifting())
    assert [one.bound for one in plain] == [one.bound for one in odd]


def test_learners_of_experts_that_travelled_go_on():
    """A learner of experts whose arrays arrived at odd addresses plays on with the same bits."""
    random = np.random.default_rng(0)
    forecasts, outcomes = random.random((40, 3)), random.random(40)
    one, two = MLPoly(), MLPoly()
    for learner in (one, two):
        learner.play(forecasts, outcomes)
    assert np.array_equal(shifted(one).play(forecasts, outcomes).losses, two.play(forecasts, outcomes).losses)
