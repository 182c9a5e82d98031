"""Bandits simulated by others: run r is a function of the seed and of r, whatever plays it, and books add."""

from __future__ import annotations

from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields
from functools import reduce
from multiprocessing import get_context
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.bandits import EXP3S, Exp3IX, Exp3P, Exp4, Hedge, Stopped, TsallisINF, simulate
from regretless.bandits.simulation import runner, statistics
from regretless.bandits.validation import LossError
from regretless.distributed import simulation as simulating
from regretless.environments import Bernoulli, LikeliestLoses, Oblivious, Table
from regretless.errors import RegretlessError
from regretless.ledger import BanditLedger

from ..examples import at_most
from .mixing_engines import Parcels

ROUNDS, ARMS = 60, 3
RNG = np.random.default_rng(7)
PLAIN = RNG.random((ROUNDS, ARMS))
ASLEEP = np.where(RNG.random(PLAIN.shape) < 0.3, np.nan, PLAIN)
ASLEEP[:, 1] = 0.5
SHARES = RNG.dirichlet(np.ones(ARMS), (ROUNDS, 2))

LEARNERS = {
    "exp3-ix": Exp3IX(ARMS, seed=3),
    "exp3-p": Exp3P(ARMS, seed=3, horizon=ROUNDS),
    "tsallis": TsallisINF(ARMS, seed=3, estimator="reduced"),
    "exp3-s": EXP3S(ARMS, seed=3, horizon=ROUNDS, switches=3),
    "hedge": Hedge(ARMS, seed=3),
    "exp4": Exp4(ARMS, seed=3),
}
WORLDS = {
    "table": Table(PLAIN),
    "asleep": Table(ASLEEP),
    "bernoulli": Bernoulli([0.2, 0.4, 0.8], seed=1, rounds=ROUNDS),
    "likeliest": LikeliestLoses(ARMS, ROUNDS),
}
# Experts may advise only arms that are awake.
PAIRS = [(learner, world) for learner in LEARNERS for world in WORLDS if (learner, world) != ("exp4", "asleep")]
CURVES = ("numbers", "losses", "regrets", "loss_curve", "regret_curve", "certificate_curve", "draws", "shares")


class Wild(Oblivious):
    """Loses more than anybody may, in the last round of every run but the first."""

    alike = False

    def block(self, begin, end, run=0):
        losses = np.full((end - begin, self.arms), 0.5)
        losses[-1, -1] = 0.5 + run
        return losses


class InOrder(ProcessPoolExecutor):
    """No pool at all: what is submitted is done at once, in this process; it shows what an executor must do."""

    def __init__(self):
        self.tasks = 0

    def submit(self, task, /, *arguments, **more):
        self.tasks += 1
        done = Future()
        done.set_result(task(*arguments, **more))
        return done


def same(one, other):
    """Everything but the time it took has the same bits."""
    for name in CURVES:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert len(one.ledgers) == len(other.ledgers)
    for mine, its in zip(one.ledgers, other.ledgers, strict=True):
        for name in (one.name for one in fields(BanditLedger)):
            np.testing.assert_array_equal(getattr(mine, name), getattr(its, name), err_msg=name)
    assert [c.describe() for c in one.certificates()] == [c.describe() for c in other.certificates()]
    assert one.course() == other.course()
    assert one.pseudo_regret == other.pseudo_regret or np.isnan(one.pseudo_regret)


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    """Groups of three runs, so that few runs make several of them."""
    monkeypatch.setattr(runner, "TOGETHER", 3)


def played(learner, world, **more):
    advice = {"advice": SHARES} if learner == "exp4" else {}
    return {"learner": LEARNERS[learner], "environment": WORLDS[world], **advice, **more}


@given(st.sampled_from(PAIRS), st.integers(1, 14), st.integers(0, 9))
def test_an_engine_gives_the_bits_of_this_machine(pair, count, seed):
    """Runs that travel as bytes and are played in any order give the Pulls of threads here, bit for bit."""
    how = played(*pair, runs=count, first=seed)
    same(simulate(**how), simulate(**how, executor=Parcels(seed)))


@pytest.mark.parametrize("world", sorted(WORLDS))
@pytest.mark.parametrize("executor", [InOrder, lambda: ThreadPoolExecutor(3)], ids=["bytes", "threads"])
def test_any_executor_gives_the_bits_of_this_machine(world, executor):
    """An executor of concurrent.futures, whether it is sent bytes or not, gives the same Pulls as none."""
    how = played("tsallis", world, runs=10)
    same(simulate(**how), simulate(**how, executor=executor()))


def test_processes_give_the_bits_of_this_machine():
    """Two processes of their own give the Pulls of this one, also of an environment that is played in Python."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for world in ("likeliest", "asleep"):
            how = played("exp3-ix", world, runs=8)
            same(simulate(**how), simulate(**how, executor=pool))
        how = played("exp3-ix", "bernoulli", runs=8)
        same(simulate(**how), simulating.simulate(executor=pool, **how))


def test_an_error_of_a_run_comes_back_whole():
    """A loss outside the range in another process is the LossError that it is here, with its row and its arm."""
    how = {"learner": Exp3IX(ARMS, seed=3), "environment": Wild(ARMS, 5), "runs": 2}
    with pytest.raises(LossError) as here:
        simulate(**how)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool, pytest.raises(LossError) as away:
        simulate(**how, executor=pool)
    assert str(away.value) == str(here.value)
    assert (away.value.row, away.value.whose) == (here.value.row, here.value.whose) == (4, "2")


def test_what_there_is_no_room_for_is_stored_of_the_first_runs_alone(monkeypatch):
    """Curves and ledgers of as many runs are kept as locally, and no others travel."""
    monkeypatch.setattr(statistics, "MOST_CURVES", 5 * ROUNDS)
    monkeypatch.setattr(statistics, "MOST_LEDGERS", 4)
    monkeypatch.setattr(statistics, "FEW", 1)  # so that ledgers share what was missed
    how = played("exp3-ix", "table", runs=10, marks=range(1, ROUNDS + 1))
    here, away = simulate(**how), simulate(**how, executor=Parcels())
    assert len(away.ledgers) == 4
    assert len(away.loss_curve) == 5
    same(here, away)


@at_most(25)
@given(st.sampled_from(PAIRS), st.integers(1, 11))
def test_books_of_runs_that_were_split_add_up_to_the_book_of_all(pair, cut):
    """Runs 0 to 11 in two simulations have the ledgers of one, and the sum of ledgers is the same book of all draws."""
    how = played(*pair)
    whole = simulate(**how, runs=12).ledgers
    parts = [*simulate(**how, runs=cut).ledgers, *simulate(**how, first=cut, runs=12 - cut, executor=Parcels()).ledgers]
    book, other = reduce(add, whole), reduce(add, parts)
    assert book.rounds == 12 * ROUNDS
    assert book.draws.sum() == 12 * ROUNDS
    for name in ("rounds", "settled", "loss", "draws", "losses", "missed", "asleep"):
        np.testing.assert_array_equal(getattr(book, name), getattr(other, name))


def test_rounds_are_reported_as_groups_come_back():
    """What is reported in the end are all rounds of all runs."""
    calls = []
    simulate(**played("exp3-ix", "table", runs=7), executor=InOrder(), on_rounds=calls.append)
    assert calls == [3 * ROUNDS, 6 * ROUNDS, 7 * ROUNDS]


def test_after_a_stop_the_runs_that_were_over_are_given_back():
    """A wish to stop leaves the runs of the groups that were done, with their own bits."""
    calls = []

    class Slow(InOrder):
        """Never begins a second task."""

        def submit(self, task, /, *arguments, **more):
            return super().submit(task, *arguments, **more) if self.tasks == 0 else Future()

    how = played("exp3-ix", "table")
    simulation = simulate(**how, runs=9, executor=Slow(), stop=lambda: calls.append(1) or len(calls) > 2)
    same(simulation, simulate(**how, runs=3))


def test_ctrl_c_gives_back_the_runs_that_were_over():
    """A Ctrl-C while others play raises Stopped with the runs that are over."""

    class Interrupting(Future):
        """Somebody presses Ctrl-C while it is waited for."""

        def cancel(self):
            return True

    class Half(InOrder):
        """Plays the first group only."""

        def submit(self, task, /, *arguments, **more):
            return super().submit(task, *arguments, **more) if self.tasks == 0 else Interrupting()

    def impatient():
        impatient.calls += 1
        if impatient.calls == 2:
            raise KeyboardInterrupt
        return False

    impatient.calls = 0
    with pytest.raises(Stopped) as stopped:
        simulate(**played("exp3-ix", "table"), runs=9, executor=Half(), stop=impatient)
    assert stopped.value.pulls.runs == 3


def test_what_cannot_be_sent_is_reported():
    """An environment that no other process could build is refused by name; threads play it."""

    class Local(Oblivious):
        """Defined where nobody else finds it."""

        def block(self, begin, end, run=0):
            return PLAIN[begin:end]

    how = {"learner": LEARNERS["exp3-ix"], "environment": Local(ARMS, ROUNDS), "runs": 4}
    with pytest.raises(RegretlessError, match="Local cannot be sent"):
        simulate(**how, executor=InOrder())
    same(simulate(**how), simulate(**how, executor=ThreadPoolExecutor(1)))


@pytest.mark.parametrize(
    ("more", "words"),
    [({"executor": 3}, "executor=.*not int"), ({"executor": InOrder(), "workers": 2}, "workers=.*executor=")],
)
def test_what_is_no_executor_is_refused(more, words):
    """Something else than an executor or an engine, or two answers to who plays, is an error that says so."""
    with pytest.raises(RegretlessError, match=words):
        simulate(**played("exp3-ix", "table", runs=2), **more)
