"""Certificates in words: of every kind of run, besides the learners of the catalogue (`test_every_entry`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import regretless
from regretless.alarms import ConfidenceSequence, EDetector, VilleAlarm, Watch
from regretless.bandits import Exp3, Hedge, evaluate_policy, simulate
from regretless.calibration import BinnedOffsets, PlattScaling
from regretless.certificate import Certificates
from regretless.certify import certify_outcomes, certify_stream
from regretless.contextual import EpsilonGreedy
from regretless.data.arrays import ArrayStream
from regretless.data.logged import Log
from regretless.distributed import mix
from regretless.environments import Bernoulli
from regretless.games import BimatrixGame, MatrixGame
from regretless.intervals import AdaptiveIntervals
from regretless.linear import AROW, Perceptron
from regretless.play import play
from regretless.regression import AggregatedRegressor

from ..certificates import assert_sentence_says_all

ROWS, LABELS = np.array([[1.0, 2.0], [-1.0, -1.0], [2.0, -1.0]]), np.array([1, -1, 1])
CLASSES = np.array([0, 1, 2])
WRONG = [0, 1] * 20
TABLE = np.array([WRONG, WRONG[::-1]]).T
ARMS = Bernoulli([0.2, 0.4])


def after(learner, *columns):
    learner.play(*columns)
    return learner


RUNS: dict[str, Callable[[], Certificates]] = {
    "rows": lambda: certify_stream(Perceptron().fit(ROWS, LABELS), ArrayStream(ROWS, LABELS)),
    "classes": lambda: Perceptron().fit(ROWS, CLASSES).certify(ROWS, CLASSES),
    "numbers": lambda: certify_outcomes(AggregatedRegressor().fit(ROWS, LABELS), ArrayStream(ROWS, LABELS * 1.0)),
    "risk": lambda: Perceptron().fit(ROWS, LABELS).certify_risk(),
    "shards": lambda: mix(Perceptron(), [(ROWS, LABELS), (ROWS, LABELS)]).certify(),
    "intervals": lambda: after(AdaptiveIntervals(), WRONG, WRONG[::-1]).certify(),
    "mean": lambda: after(ConfidenceSequence(), WRONG).certify(),
    "detector": lambda: after(EDetector(reference=0.5, mean_rounds=100), WRONG).certify(),
    "alarm": lambda: after(VilleAlarm(reference=0.5), WRONG).certify(),
    "watch": lambda: after_watch().certify(),
    "scaling": lambda: after(PlattScaling(), WRONG, WRONG[::-1]).certify(WRONG, WRONG[::-1]),
    "offsets": lambda: after(BinnedOffsets(), WRONG, WRONG[::-1]).certify(),
    "policy": lambda: evaluate_policy(log(), {"0": 0.5, "1": 0.5}).certify(),
    "decisions": lambda: after(EpsilonGreedy(2, seed=0), ROWS, ROWS[:, :2] > 0).certify(),
    "few pulls": lambda: simulate(Exp3(2, horizon=20, seed=0), ARMS, rounds=20, runs=3).certificates(),
    "pulls": lambda: simulate(Exp3(2, horizon=20, seed=0), ARMS, rounds=20, runs=12).certificates(),
    "one table": lambda: simulate(
        Hedge(2, horizon=20, seed=0), np.array([WRONG, WRONG[::-1]]).T, runs=12
    ).certificates(),
    "plays": lambda: play(Hedge(seed=0), ARMS, 20, runs=12).certificates,
    "play": lambda: play(Exp3(seed=0), ARMS, 20).certificates,
    "comparison": lambda: regretless.compare(Perceptron(), AROW(), ROWS, LABELS).certificates,
    "game": lambda: MatrixGame([[0, -1], [1, 0]]).solve().certificates,
    "self-play": lambda: MatrixGame([[0, -1], [1, 0]]).solve("hedge", rounds=20).certificates,
    "joint play": lambda: BimatrixGame([[3, 0], [5, 1]], [[3, 5], [0, 1]]).self_play(rounds=20).certificates,
}


def after_watch() -> Watch:
    watch = Watch(["wrong"], reference=0.5, mean_rounds=100)
    watch.add(np.array(WRONG))
    return watch


def log() -> Log:
    return Log.of(np.array(WRONG), np.full(len(WRONG), 0.5), np.array(WRONG[::-1]), least=0.5)


@pytest.mark.parametrize("name", RUNS)
def test_each_run_gives_certificates_that_read_as_sentences(name: str) -> None:
    """They are a list that notebooks show, and each says in words what was observed, its bound, how surely and why."""
    certificates = RUNS[name]()
    assert isinstance(certificates, Certificates)
    assert len(certificates) > 0
    for one in certificates:
        assert_sentence_says_all(one)


def test_a_sentence_reads_as_one() -> None:
    """The line of the certificate and its sentence have the same numbers, and this is the sentence."""
    (first, *_) = Perceptron().fit(ROWS, LABELS).certify(ROWS, LABELS)
    against = "the direction of a linear SVM, C = 0.02/r^2"
    assert str(first) == f"Separable data: updates 2 <= 2, against {against}  [Novikoff 1962; Block 1962]"
    assert first.sentence() == (
        "The number of updates was 2; the theorem \u201cSeparable data\u201d says that it is always at most 2, "
        f"against {against} (Novikoff 1962; Block 1962)."
    )


def test_a_sentence_says_that_a_bound_was_exceeded_or_empty() -> None:
    """One that always holds is then a fault of the program; one as large as what is true of every run is no better."""
    (first, *_) = Perceptron().fit(ROWS, LABELS).certify(ROWS, LABELS)
    broken = replace(first, observed=9.0, bound=1.0)
    assert broken.sentence().endswith(". The bound was exceeded; as it holds always, that is a fault of the program.")
    assert replace(first, bound=3.0).sentence().endswith(" The bound is no better than the number of rounds.")
