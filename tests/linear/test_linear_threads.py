"""One thread at a time learns with one learner, and nothing that another does meanwhile harms what is learned."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from threading import Barrier, Event
from time import monotonic
from typing import Any

import numpy as np
import pytest

from regretless.bandits import Exp3IX
from regretless.catalogue import LEARNERS, learner_class
from regretless.data.batch import Batch, narrow
from regretless.errors import RegretlessError
from regretless.experts import Hedge
from regretless.finite_classes import FiniteClass, Halving
from regretless.linear import Perceptron, PNormPerceptron, SecondOrderPerceptron

SETTINGS: dict[str, dict[str, Any]] = {"margin-perceptron": {"gamma": 0.05}, "kernel-perceptron": {"budget": 20}}
ROWS, CALLS = 20_000, 10
WAIT = 60  # seconds after which two threads should have met


def begun(name: str) -> Any:
    """A learner that knows its two classes."""
    learner = learner_class(name)(**SETTINGS.get(name, {}))
    return learner.partial_fit([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [1, -1])


def both(learns: Callable[[], object]) -> int:
    """How many of the calls that two threads make at once are not refused; they go on until one has been."""
    barrier, refused, end = Barrier(2), Event(), monotonic() + WAIT

    def often() -> int:
        calls = done = 0
        barrier.wait(WAIT)
        while calls < CALLS or not (refused.is_set() or monotonic() > end):
            calls += 1
            try:
                learns()
                done += 1
            except ValueError as error:  # of the core, or ours
                if "being used by another thread" not in str(error):
                    raise
                refused.set()
        return done

    with ThreadPoolExecutor(2) as threads:
        total = sum(future.result() for future in [threads.submit(often) for _ in range(2)])
    assert refused.is_set(), f"no call of {WAIT} s was refused"
    return total


@pytest.mark.parametrize("name", LEARNERS)
def test_no_round_of_two_threads_is_lost(name):
    """When two threads learn with one learner each call is learned from or refused, and the ledger has all rounds."""
    learner = begun(name)
    rng = np.random.default_rng(0)
    rows = 1000 if name == "kernel-perceptron" else ROWS
    X, y = rng.normal(size=(rows, 3)), rng.choice([-1, 1], rows)
    done = both(lambda: learner.partial_fit(X, y))
    assert done > 0
    assert learner.ledger_.rounds == 2 + done * rows


def test_no_round_of_other_rooms_is_lost():
    """So it is with combiners of experts, bandits and learners of a finite class."""
    rng = np.random.default_rng(0)
    table = rng.random((ROWS, 3))
    hedge, bandit = Hedge(n_experts=3, loss=None), Exp3IX(n_arms=3)
    halving = Halving(FiniteClass(np.array([[0, 0], [0, 1], [1, 1]])))
    hedge.play(table[:1])
    bandit.play(table[:1])
    plays = [
        (lambda: hedge.play(table), hedge),
        (lambda: bandit.play(table), bandit),
        (lambda: halving.play([0, 1] * (ROWS // 2), [0, 1] * (ROWS // 2)), halving),
    ]
    for play, learner in plays:
        before = learner.rounds_
        done = both(play)
        assert learner.rounds_ == before + done * ROWS


@pytest.mark.parametrize("name", LEARNERS)
def test_who_comes_second_is_refused(name):
    """While one thread holds a learner no other learns with it by any of its methods, and any may predict."""
    learner, row = begun(name), np.array([1.0, 0.0, 0.0])
    before = deepcopy(learner).ledger_
    with ThreadPoolExecutor(1) as other:
        other.submit(learner.turn.acquire).result()
        for learns in (
            lambda: learner.fit(row[None], [1]),
            lambda: learner.partial_fit(row[None], [1]),
            lambda: learner.update_one(row, 1),
            lambda: learner.announce(np.array([1, 2]), 3),
        ):
            with pytest.raises(RegretlessError, match="being used by another thread"):
                learns()
        assert learner.predict(row[None]).shape == (1,)
        learner.predict_one(row)
        other.submit(learner.turn.release).result()
    assert learner.ledger_ == before


@pytest.mark.parametrize("core", [Perceptron(), PNormPerceptron(), SecondOrderPerceptron()], ids=repr)
def test_a_core_is_held_by_one_thread(core):
    """The compiled loop itself refuses a second thread: of what two play at once no round is counted twice or lost."""
    core.partial_fit([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    rng = np.random.default_rng(1)
    X, codes = (
        rng.normal(size=(300_000, 2)),
        rng.choice(np.array([-1, 1], np.int32), 300_000),
    )  # so many that calls overlap
    player = core.state_.player(core.rules())
    done = both(lambda: player.play(X, None, None, codes))
    assert core.ledger_.rounds == 2 + done * len(X)


def test_copies_learn_beside_each_other():
    """A copy of a learner, pickled or not, is not held by the thread that holds the original."""
    learner = begun("perceptron")
    with ThreadPoolExecutor(1) as other:
        other.submit(learner.turn.acquire).result()
        for copy in (deepcopy(learner), pickle.loads(pickle.dumps(learner))):
            copy.update_one(np.array([1.0, 0.0, 0.0]), 1)
        other.submit(learner.turn.release).result()


RACE = """
import sys, threading
import numpy as np, scipy.sparse as sp
from regretless.catalogue import learner_class

rows, columns = 200, 1500
rng = np.random.default_rng(0)
X = sp.csr_matrix(rng.normal(size=(rows, columns)))
y = rng.choice([-1, 1], rows)
arrays = [(X.indices, X.indices.copy(), 2_000_000_000), (X.indptr, X.indptr.copy(), 1_900_000_000)]
over = threading.Event()

def spoil():
    while not over.is_set():
        for array, good, bad in arrays:
            np.copyto(array, bad)
            np.copyto(array, good)

def race(name, settings):
    learner = learner_class(name)(**settings)
    learner.partial_fit(np.eye(2, columns), [1, -1])
    shuffled = learner_class(name)(**settings).set_params(shuffle=True, random_state=0)
    steps = [lambda: learner.partial_fit(X, y), lambda: learner.predict(X), lambda: shuffled.fit(X, y)] * 12
    for step in [*steps, lambda: learner.certify(X, y)]:
        try:
            step()
        except ValueError:
            pass

other = threading.Thread(target=spoil)
other.start()
try:
    for name, settings in eval(sys.argv[1]).items():
        print(name, flush=True)
        race(name, settings)
finally:
    over.set()
    other.join()
"""


def test_columns_that_change_meanwhile_harm_no_learner():
    """Whatever another thread writes into the indices of a matrix that is learned from, shuffled, scored or certified,
    no memory is read or written that is not the learner's: each learner copies them first."""
    settings = {name: SETTINGS.get(name, {}) for name in LEARNERS}
    command = [sys.executable, "-c", RACE, repr(settings)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, f"{done.stdout.split()[-1:]}: {done.stderr}"
    assert done.stdout.split() == list(LEARNERS)


@pytest.mark.parametrize("changed", [-1, 3])
def test_columns_that_changed_since_they_were_checked_are_refused(changed: int) -> None:
    """Rows are numbered afresh by a copy of their columns, and that is looked at once more."""
    starts = np.array([0, 2])
    assert narrow(Batch(np.ones(2), None, 3, np.array([0, 2]), starts))[1].tolist() == [0, 2]
    with pytest.raises(RegretlessError, match="by another thread"):
        narrow(Batch(np.ones(2), None, 3, np.array([0, changed]), starts))
