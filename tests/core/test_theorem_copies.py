"""Theorems and certificates are copied and pickled, in every room of the house."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest

import regretless.theory
from regretless.bandits import Exp3, simulate
from regretless.certificate import Certificate
from regretless.experts import AdaHedge
from regretless.games import BimatrixGame, MatrixGame, boost
from regretless.linear import KernelPerceptron, Perceptron
from regretless.theorem import Theorem

MODULES = [module.name for module in iter_modules(regretless.theory.__path__)]


def theorems_of(module: str) -> list[Theorem]:
    """All theorems that a module of theory names, alone or in tuples."""
    held = vars(import_module(f"regretless.theory.{module}")).values()
    each = [part for one in held for part in (one if isinstance(one, tuple) else (one,))]
    return [part for part in each if isinstance(part, Theorem)]


@pytest.mark.parametrize("module", MODULES)
def test_theorems_are_pickled_by_their_names(module: str) -> None:
    """A theorem comes back from a pickle and a copy as itself, or as its equal if it assumes more."""
    for theorem in theorems_of(module):
        for other in (pickle.loads(pickle.dumps(theorem)), copy.copy(theorem), copy.deepcopy(theorem)):
            assert other == theorem
            assert other.statement == theorem.statement


X, Y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
LOSSES = np.random.default_rng(1).random((60, 3))
PAYOFFS = np.random.default_rng(2).uniform(-1, 1, (4, 5))


def combined() -> list[Certificate]:
    """Of AdaHedge on bare losses."""
    learner = AdaHedge(loss=None)
    learner.play(LOSSES)
    return learner.certify(LOSSES)


CERTIFIED: dict[str, Callable[[], list[Certificate]]] = {
    "linear": lambda: Perceptron().fit(X, Y).certify(X, Y, svm=False),
    "kernels": lambda: KernelPerceptron(budget=5).fit(X, Y).certify(X, Y),
    "experts": combined,
    "bandits": lambda: simulate(Exp3(3, horizon=60), LOSSES, runs=3).certificates(),
    "games": lambda: MatrixGame(PAYOFFS).solve().certificates,
    "self-play": lambda: MatrixGame(PAYOFFS).solve("rm+", rounds=50).certificates,
    "two matrices": lambda: BimatrixGame(PAYOFFS, PAYOFFS).self_play("rm+", rounds=50).certificates,
    "boosting": lambda: boost(MatrixGame(PAYOFFS), rounds=50).certificates,
}


@pytest.mark.parametrize("room", CERTIFIED)
def test_certificates_of_every_room_are_copied(room: str) -> None:
    """Certificates that come back from a pickle or a copy print the same lines and describe themselves alike."""
    certificates = CERTIFIED[room]()
    assert certificates
    for others in (pickle.loads(pickle.dumps(certificates)), copy.deepcopy(certificates)):
        assert [str(one) for one in others] == [str(one) for one in certificates]
        assert [one.describe() for one in others] == [one.describe() for one in certificates]
