"""Learners of experts, bandits and games between threads, forks and pickles: nothing is lost or mixed in silence."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from regretless.bandits import Exp3
from regretless.catalogue import BANDITS, EXPERT_LEARNERS, bandit_class, expert_class
from regretless.errors import RegretlessError
from regretless.experts import Doubling, Hedge, RandomizedWeightedMajority, Ridge
from regretless.games.duel import Duel
from regretless.games.methods import SELF_PLAY
from regretless.games.payoffs import Payoffs
from regretless.turns import BUSY, Turn

from ..catalogue import needed_by

ADVICE = np.random.default_rng(0).random((200, 3))
OUTCOMES = np.random.default_rng(1).random(200)
WAIT = 30  # seconds after which a test that would hang fails


def combiner(name: str) -> Any:
    """A combiner with what it cannot do without."""
    kind = expert_class(name)
    more: dict[str, Any] = {} if "majority" in name else {"loss": "square"}
    if name in ("aggregating", "fixed-share", "eg", "hedge", "ewa", "adahedge"):
        more["value_range"] = (0.0, 1.0)
    more |= {"randomized-weighted-majority": {"random_state": 3}}.get(name, {})
    more |= {"hedge": {"horizon": 400}, "ewa": {"horizon": 400}, "eg": {"eta": 0.1}}.get(name, {})
    if name == "randomized-weighted-majority":
        more["horizon"] = 400
    if name == "fixed-share":
        more |= {"eta": 0.3, "alpha": 0.1}
    return kind(**more)


def advice_of(name: str) -> tuple[Any, Any]:
    """Advice and outcomes that such a combiner takes."""
    return (np.round(ADVICE), np.round(OUTCOMES)) if "majority" in name else (ADVICE, OUTCOMES)


def bandit(name: str) -> Any:
    return bandit_class(name)(3, seed=7, **needed_by(name))


def played(learner: Any, begin: int, end: int) -> None:
    """Some rounds of a bandit."""
    advice = {"advice": np.tile([0, 1, 2], (end - begin, 1))} if learner.info.advised else {}
    learner.play(ADVICE[begin:end], **advice)


class Stuck:
    """A loss that waits to be let go in the round that is asked for, so that a call is long for as long as wanted."""

    def __init__(self) -> None:
        self.inside, self.go = threading.Event(), threading.Event()
        self.holds = False

    def __call__(self, prediction: Any, outcome: Any) -> Any:
        if self.holds:
            self.inside.set()
            assert self.go.wait(WAIT)
        return (prediction - outcome) ** 2


def held(stuck: Stuck, call: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    """A call in another thread that is now in the middle of what it does, and where its result will be."""
    results: list[Any] = []
    stuck.holds = True
    thread = threading.Thread(target=lambda: results.append(call()))
    thread.start()
    assert stuck.inside.wait(WAIT)
    stuck.holds = False
    return thread, results


def test_a_second_play_is_refused_and_changes_nothing():
    """While one thread plays, a second play of the same combiner raises; the first ends as if it were alone."""
    stuck = Stuck()
    learner, alone = (Hedge(loss=loss, eta=0.3) for loss in (stuck, Stuck()))
    thread, result = held(stuck, lambda: learner.play(ADVICE, OUTCOMES))
    with pytest.raises(RegretlessError, match=BUSY):
        learner.play(ADVICE[:3], OUTCOMES[:3])
    stuck.go.set()
    thread.join()
    assert result[0].losses.tobytes() == alone.play(ADVICE, OUTCOMES).losses.tobytes()
    assert learner.ledger_.rounds == len(ADVICE)
    learner.play(ADVICE[:3], OUTCOMES[:3])


@pytest.mark.parametrize("method", ["play", "predict", "update"])
def test_ridge_is_used_by_one_thread_at_a_time(monkeypatch, method):
    """Ridge's triangle, which Python moves, is never moved by two threads: the second call raises, no round is lost."""
    from regretless.experts import ridge

    learner, alone = Ridge(), Ridge()
    for one in (learner, alone):
        one.play(ADVICE[:9], OUTCOMES[:9])
    stuck, rotate = Stuck(), ridge.rotate_triangle

    def slowly(*args: Any) -> None:
        stuck(0.0, 0.0)
        rotate(*args)

    monkeypatch.setattr(ridge, "rotate_triangle", slowly)
    forecast = learner.predict(ADVICE[9])
    thread, _ = held(stuck, lambda: learner.update(forecast, OUTCOMES[9]))
    other = {
        "play": lambda: learner._state.core.play(ADVICE, OUTCOMES, predictions=None, losses=None, weights=None),
        "predict": lambda: learner.predict(ADVICE[10]),
        "update": lambda: learner._state.core.close(np.zeros(7), 0.5),
    }
    with pytest.raises(ValueError, match=BUSY):
        other[method]()
    stuck.go.set()
    thread.join()
    alone.update(alone.predict(ADVICE[9]), OUTCOMES[9])
    assert learner._state.triangle.tobytes() == alone._state.triangle.tobytes()
    assert learner.ledger_.rounds == 10


def test_the_first_advice_of_two_threads_makes_one_state(monkeypatch):
    """Two threads whose advice is a combiner's first learn on one state; none is forgotten with its rounds."""
    learner, gate, lock = Hedge(loss="square", eta=0.3, value_range=(0, 1)), Stuck(), threading.Lock()
    make, batches = learner._make, [threading.Event(), threading.Event()]

    class Making:
        """The lock of who makes a state, which tells who comes to it."""

        def __enter__(self) -> None:
            batches[batches[0].is_set()].set()
            lock.acquire()

        def __exit__(self, *_: object) -> None:
            lock.release()

    def slowly(*args: Any) -> Any:
        gate(0.0, 0.0)
        return make(*args)

    monkeypatch.setattr("regretless.experts.base._MAKING", Making())
    learner.__dict__["_make"] = slowly
    thread, _ = held(gate, lambda: learner.update(learner.predict(ADVICE[0]), OUTCOMES[0]))
    second = threading.Thread(target=lambda: learner.update(learner.predict(ADVICE[1]), OUTCOMES[1]))
    second.start()
    assert batches[1].wait(WAIT)  # while the first is in the middle of making the state
    gate.go.set()
    thread.join()
    second.join()
    assert learner.ledger_.rounds == 2


def test_a_refused_play_does_not_move_the_generator_of_the_draws():
    """A play that the core refuses, as another thread is in it, leaves the draws to come as they were."""
    learner, alone = (RandomizedWeightedMajority(loss=None, horizon=400, random_state=3) for _ in range(2))
    learner.play(ADVICE[:5])
    alone.play(ADVICE[:5])

    class Busy:
        def play(self, *_: Any, **__: Any) -> Any:
            learner._state.book[0] += 7  # what another thread has played meanwhile
            raise ValueError(BUSY)

    core, book = learner._state.core, learner._state.book.copy()
    learner._state.core = Busy()
    with pytest.raises(ValueError, match=BUSY):
        learner.play(ADVICE)
    learner._state.core, learner._state.book[:] = core, book
    assert learner.play(ADVICE).chosen.tolist() == alone.play(ADVICE).chosen.tolist()


def test_a_bandits_play_says_when_others_played_in_between():
    """Rounds of another thread between two stretches of a long table are an error, and never in its sum of losses."""
    learner, other = Exp3(3, seed=1), np.ones((50, 3))
    learner.play(ADVICE[:1])
    core = learner._state.core

    class Core:
        first = True

        def play_table(self, table: Any, begin: int, end: int, **more: Any) -> Any:
            if len(table) == 50 or not self.first:
                return core.play_table(table, begin, end, **more)
            self.first = False
            result = core.play_table(table, begin, begin + 20, **more)  # as after many rounds, to be heard
            thread = threading.Thread(target=learner.play, args=(other,))
            thread.start()
            thread.join()
            return result

    learner._state.core = Core()
    with pytest.raises(RegretlessError, match=f"{BUSY}: rounds of others are among the 20 of the table"):
        learner.play(ADVICE)
    assert learner.ledger_.rounds == 71


def test_doubling_begins_a_stretch_in_one_thread_alone(monkeypatch):
    """Who plays a doubling learner while another thread does is refused, and stretches are those of the first alone."""
    stuck = Stuck()
    learner = Doubling(Hedge(loss="square", value_range=(0, 1)))
    begun = learner._begun

    def slowly() -> Any:
        stuck(0.0, 0.0)
        return begun()

    monkeypatch.setattr(learner, "_begun", slowly)
    thread, _ = held(stuck, lambda: learner.play(ADVICE, OUTCOMES))
    for call in (lambda: learner.play(ADVICE, OUTCOMES), lambda: learner.predict(ADVICE[0])):
        with pytest.raises(RegretlessError, match=BUSY):
            call()
    stuck.go.set()
    thread.join()
    assert [block.rounds_ for block in learner.blocks_] == [1, 2, 4, 8, 16, 32, 64, 73]


@pytest.mark.parametrize("name", EXPERT_LEARNERS)
def test_combiners_that_threads_share_lose_no_round(name):
    """Four threads that predict and report on one combiner: each round is counted once, or its call raised."""
    learner, (advice, outcomes) = combiner(name), advice_of(name)
    learner.play(advice[:2], outcomes[:2])
    done, start, refusals = [0] * 4, threading.Barrier(4), set()

    def work(place: int) -> None:
        start.wait(WAIT)
        for row, outcome in zip(advice[:60], outcomes[:60], strict=True):
            try:
                learner.update(learner.predict(row), outcome)
                done[place] += 1
            except ValueError as error:
                refusals.add(str(error))

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert learner.ledger_.rounds == 2 + sum(done)
    assert refusals <= {BUSY}


def forked(make: Callable[[], Any], go_on: Callable[[Any], bytes]) -> None:
    """A child forked after some rounds goes on to the bits that the parent comes to."""
    learner = make()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(writing, go_on(learner))
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        there = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    assert there == go_on(learner)


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


@needs_fork
@pytest.mark.parametrize("name", BANDITS)
def test_a_forked_bandit_goes_on_to_the_same_bits(name):
    """A child process goes on with what the parent learned, to the very estimates and losses of the parent."""

    def make() -> Any:
        learner = bandit(name)
        played(learner, 0, 90)
        return learner

    def go_on(learner: Any) -> bytes:
        played(learner, 90, 200)
        return learner.estimates_.tobytes() + np.float64(learner.total_).tobytes()

    forked(make, go_on)


@needs_fork
@pytest.mark.parametrize("name", EXPERT_LEARNERS)
def test_a_forked_combiner_goes_on_to_the_same_bits(name):
    """The same of combiners: predictions of the rounds to come, and the books."""
    advice, outcomes = advice_of(name)

    def make() -> Any:
        learner = combiner(name)
        learner.play(advice[:90], outcomes[:90])
        return learner

    def go_on(learner: Any) -> bytes:
        predictions = learner.play(advice[90:], outcomes[90:])
        return predictions.predictions.tobytes() + np.float64(learner.ledger_.loss).tobytes()

    forked(make, go_on)


@needs_fork
def test_a_child_forked_while_another_thread_plays_may_copy_the_learner():
    """A fork in the middle of another thread's play leaves a learner that is in use; a copy of it is free."""
    turn = Turn()
    assert turn.acquire(False)
    for free in (copy.deepcopy(turn), pickle.loads(pickle.dumps(turn))):
        assert free.acquire(False)
    assert not turn.acquire(False)


@needs_fork
@pytest.mark.parametrize("travels", [pickle.loads, None])
@pytest.mark.parametrize("method", SELF_PLAY)
def test_a_duel_goes_on_elsewhere_to_the_same_bits(method, travels):
    """Two learners on one matrix end with the same strategies in a forked child, and from a pickle."""

    def make() -> Any:
        duel = Duel(Payoffs(np.random.default_rng(0).normal(size=(7, 9))), method)
        duel.play(50)
        return duel

    def go_on(duel: Any) -> bytes:
        duel.play(70)
        return duel.row.tobytes() + duel.column.tobytes() + np.float64(duel.ledger.gap).tobytes()

    if travels is None:
        forked(make, go_on)
    else:
        assert go_on(travels(pickle.dumps(make()))) == go_on(make())
