"""Learners of finite classes: they predict what they say, drop whom they must, and never exceed their bounds."""

from __future__ import annotations

import copy
import pickle
import signal
import threading
import time
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regretless import _core
from regretless.catalogue import CLASS_LEARNERS, class_learner
from regretless.errors import RegretlessError
from regretless.finite_classes import (
    Consistent,
    FiniteClass,
    Halving,
    RandomizedOptimal,
    StandardOptimal,
    littlestone_dimension,
)
from regretless.finite_classes.learners import randomized, standard_optimal
from regretless.finite_classes.learners.standard_optimal import compared
from regretless.theory.finite_classes import floor_log2, half_the_bits_of

from ..sanitized import fewer

NAMES = list(CLASS_LEARNERS)
MADE = [
    (Consistent, {}),
    (Halving, {}),
    (Halving, {"tie": 0}),
    (Halving, {"prune": "mistake"}),
    (Halving, {"prune": "mistake", "tie": 0}),
    (StandardOptimal, {}),
    (StandardOptimal, {"tie": 0}),
    (RandomizedOptimal, {"random_state": 3}),
]


@st.composite
def tables(draw, hypotheses=12, points=6):
    """A table of 0 and 1."""
    rows, columns = draw(st.integers(1, hypotheses)), draw(st.integers(1, points))
    row = st.lists(st.booleans(), min_size=columns, max_size=columns)
    return np.array(draw(st.lists(row, min_size=rows, max_size=rows)))


@st.composite
def plays(draw, realizable=True, **sizes):
    """A class, points, and labels: those of a hypothesis, or any."""
    finite_class = FiniteClass(draw(tables(**sizes)))
    points = draw(st.lists(st.integers(0, finite_class.points - 1), max_size=20))
    target = draw(st.integers(0, finite_class.hypotheses - 1))
    labels = [int(finite_class.matrix[target, point]) for point in points]
    if not realizable:
        labels = draw(st.lists(st.integers(0, 1), min_size=len(points), max_size=len(points)))
    return finite_class, points, labels


def plainly(result, points, labels, say, lazy=False):
    """The same rounds with sets: predictions, how many agree after each, and the round of the last one's death."""
    table, rest = result.matrix, set(range(result.hypotheses))
    alive, died, predictions, counts = set(rest), None, [], []
    for number, (point, label) in enumerate(zip(points, labels, strict=True), 1):
        predictions.append(say([int(table[one, point]) for one in sorted(rest)]))
        alive = {one for one in alive if table[one, point] == label}
        died = died or (None if alive else number)
        counts.append(len(alive))
        if predictions[-1] != label or not lazy:
            rest = {one for one in rest if table[one, point] == label} or rest
    return predictions, counts, died, rest


def majority(tie):
    return lambda votes: tie if 2 * sum(votes) == len(votes) else int(2 * sum(votes) > len(votes))


def play_round(learner, point, label):
    """A round, played by itself."""
    learner.predict(point)
    return learner.update(label)


@pytest.mark.kernel
@given(play=plays(realizable=False, hypotheses=70), tie=st.integers(0, 1), lazy=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_halving_is_the_vote_of_those_left(isa, play, tie, lazy):
    """On every instruction set, halving predicts as a count of hands does, whether labels are realizable or not."""
    finite_class, points, labels = play
    learner = Halving(finite_class, tie=tie, prune="mistake" if lazy else "always")
    played = learner.play(points, labels)
    predictions, counts, died, alive = plainly(finite_class, points, labels, majority(tie), lazy)
    assert played.predictions.tolist() == predictions
    assert played.alive.tolist() == counts
    assert learner.died_ == died
    assert bits(learner.version_space_, finite_class.hypotheses) == alive


def bits(words, count):
    """The places of the bits that are set."""
    return {one for one in range(count) if int(words[one // 64]) >> (one % 64) & 1}


@pytest.mark.kernel
@given(play=plays(realizable=False, hypotheses=70), seed=st.integers(0, 99))
def test_consistent_follows_the_first_in_its_order(play, seed):
    """The first hypothesis of the order that agrees with all labels is followed, in any order."""
    finite_class, points, labels = play
    order = np.random.default_rng(seed).permutation(finite_class.hypotheses)
    ordered = FiniteClass(finite_class.matrix[order])
    learner = Consistent(finite_class, order=order)
    played = learner.play(points, labels)
    predictions, counts, died, alive = plainly(ordered, points, labels, lambda votes: votes[0])
    assert (played.predictions.tolist(), played.alive.tolist(), learner.died_) == (predictions, counts, died)
    assert bits(learner.version_space_, finite_class.hypotheses) == {int(order[one]) for one in alive}


@pytest.mark.kernel
def test_a_class_of_many_words_shrinks_to_a_list_and_stays_right(isa):
    """Wide registers count as bits one by one do, and so does the list of words that is left of many."""
    drawn = np.random.default_rng(5)
    finite_class = FiniteClass(drawn.random((9001, 24)) < 0.8)
    table, points = finite_class.matrix, drawn.integers(0, 24, 200)
    for target in (0, 777, finite_class.hypotheses - 1):
        labels = table[target, points].astype(int)
        for lazy in (False, True):
            learner = Halving(finite_class, prune="mistake" if lazy else "always")
            played = learner.play(points, labels)
            predictions, counts, died, alive = plainly(finite_class, points, labels, majority(1), lazy)
            assert (played.predictions.tolist(), played.alive.tolist(), died) == (predictions, counts, None)
            assert bits(learner.version_space_, finite_class.hypotheses) == alive


@pytest.mark.parametrize(("kind", "more"), MADE)
@given(play=plays(realizable=False))
def test_a_table_is_its_rounds(kind, more, play):
    """Rounds played at once and one by one come to the same learner, books included."""
    finite_class, points, labels = play
    at_once, one_by_one = kind(finite_class, **more), kind(finite_class, **more)
    played = at_once.play(points, labels)
    wrong = [play_round(one_by_one, point, label) for point, label in zip(points, labels, strict=True)]
    assert played.wrong.tolist() == [bool(one) for one in wrong]
    assert played.mistakes == at_once.mistakes_ == sum(wrong)
    assert at_once.ledger_ == one_by_one.ledger_
    assert at_once.state() == one_by_one.state()


@pytest.mark.parametrize(("kind", "more"), MADE)
@given(play=plays())
def test_no_realizable_labels_break_a_certificate(kind, more, play):
    """With labels of a hypothesis of the class every theorem applies, and none that is sure is violated."""
    finite_class, points, labels = play
    learner = kind(finite_class, **more)
    learner.play(points, labels)
    certificates = learner.certify()
    assert len(certificates) == len(kind.theorems)
    for one in certificates:
        assert one.applies, one
        assert not one.violated, one


@pytest.mark.parametrize(("kind", "more"), MADE)
def test_unrealizable_labels_are_named_by_their_round(kind, more):
    """Once no hypothesis agrees with all labels no theorem gives a number, and each says in which round it happened."""
    finite_class = FiniteClass.named("thresholds:4")
    learner = kind(finite_class, **more)
    learner.play([0, 3, 1, 0, 2], [1, 1, 1, 1, 1])
    assert learner.realizable_
    learner.play([3, 1], [0, 1])
    assert (learner.realizable_, learner.died_, learner.ledger_.alive, learner.alive_.tolist()) == (False, 6, 0, [])
    assert learner.version_space_.any()
    for one in learner.certify():
        assert (one.bound, one.holds) == (None, True)
        assert one.why == "no hypothesis agrees with all labels: the last one died in round 6"


def test_halving_needs_every_bit_of_its_bound():
    """All functions of five points cost halving five mistakes, and 2^5 is how many they are."""
    finite_class = FiniteClass.named("all:5")
    learner = Halving(finite_class)
    for point in range(5):
        learner.update(1 - learner.predict(point))
    assert learner.mistakes_ == floor_log2(finite_class.hypotheses) == 5
    assert str(learner.certify()[-1]).startswith("Halving: mistakes 5 <= 5")


def test_consistent_errs_on_all_singletons_but_one():
    """Who follows singletons one after the other errs |H| - 1 times; halving errs once."""
    finite_class = FiniteClass.named("singletons:9")
    one_by_one, halving = Consistent(finite_class), Halving(finite_class)
    for learner in (one_by_one, halving):
        learner.play(range(9), [0] * 8 + [1])
    assert (one_by_one.mistakes_, halving.mistakes_) == (8, 1)


def test_the_order_decides_what_consistent_pays():
    """An order that has the target first makes no mistake, by number and by name alike."""
    finite_class = FiniteClass([[1, 0, 0], [0, 1, 0], [0, 0, 1]], hypotheses=["a", "b", "c"])
    for order in ([2, 0, 1], ["c", "a", "b"], ["c", 0, "b"], np.array([2, 0, 1])):
        learner = Consistent(finite_class, order=order)
        assert learner.play([0, 1, 2], [0, 0, 1]).mistakes == 0
        assert learner.certify()[0].bound == 0


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0, 1, 3], [0, 1, -1], [[0, 1, 2]], ["x", 0, 1], [0.5, 1, 2]])
def test_an_order_names_each_hypothesis_once(order):
    """An order with too few, too many or unknown hypotheses is refused when the learner is made."""
    with pytest.raises(RegretlessError):
        Consistent(FiniteClass(np.eye(3, dtype=int)), order=order)


def test_pruning_on_mistakes_alone_keeps_more():
    """A lazy learner still counts on hypotheses that erred when it was right, and its books tell both numbers."""
    finite_class = FiniteClass.named("thresholds:8")
    learner = Halving(finite_class, prune="mistake")
    learner.play([7], [learner.forecast(7)])
    assert (learner.ledger_.voters, learner.ledger_.alive) == (9, len(learner.alive_))
    assert learner.ledger_.alive < 9


def test_points_go_by_number_or_by_name():
    """A point that has a name answers to both; what is called by neither is refused by what it is."""
    finite_class = FiniteClass([[0, 1], [1, 1]], points=["wet", "cold"])
    learner = Halving(finite_class)
    assert learner.play(["wet", "cold", "wet"], [1, 1, 1]).alive.tolist() == [1, 1, 1]
    assert learner.predict("cold") == 1
    learner.update(1)
    assert learner.predict(np.int64(0)) == 1
    learner.update(1)
    with pytest.raises(RegretlessError, match="hot"):
        learner.predict("hot")
    with pytest.raises(RegretlessError, match="row 1"):
        learner.play(["wet", "hot"], [1, 1])
    with pytest.raises(RegretlessError, match="row 2"):
        learner.play([0, 1, 2], [1, 1, 1])
    with pytest.raises(RegretlessError):
        learner.predict(-1)


@pytest.mark.parametrize("label", [2, -1, 0.5, "1", None, float("nan")])
def test_labels_are_zero_and_one(label):
    """Any other label is refused, alone and in a table, and nothing is learned from it."""
    learner = Halving(FiniteClass.named("thresholds:4"))
    learner.predict(1)
    with pytest.raises(RegretlessError, match="0 or 1"):
        learner.update(label)
    assert learner.rounds_ == 0
    assert learner.update(1) in (0, 1)
    with pytest.raises(RegretlessError, match="row 1"):
        learner.play([1, 1], [1, label])
    assert learner.rounds_ == 1


def test_labels_may_be_truth_values_and_whole_floats():
    """True, 1.0 and numpy's own are labels."""
    learner = Halving(FiniteClass.named("thresholds:4"))
    for label in (True, 1.0, np.int8(1), np.True_, np.float32(1)):
        play_round(learner, 3, label)
    learner.play([3, 3], [True, True])
    learner.play(np.array([3, 3], np.uint8), np.array([1.0, 1.0]))
    assert (learner.rounds_, learner.ledger_.alive) == (9, 4)


def test_tickets_are_answered_once():
    """A prediction is a label and a ticket; a second one, a second answer and a foreign ticket are refused."""
    learner = Halving(FiniteClass.named("thresholds:4"))
    with pytest.raises(RegretlessError, match="no prediction waits"):
        learner.update(1)
    first = learner.predict(1)
    assert (first.ticket, learner.pending_) == (0, (0,))
    with pytest.raises(RegretlessError, match="has no label yet"):
        learner.predict(2)
    with pytest.raises(RegretlessError, match="has no label yet"):
        learner.play([1], [1])
    with pytest.raises(RegretlessError, match="ticket 7"):
        learner.update(7, 1)
    assert learner.update(first, 0) == int(first != 0)
    second = learner.predict(2)
    with pytest.raises(RegretlessError, match="reported already"):
        learner.update(first, 0)
    learner.withdraw(second)
    assert (learner.pending_, learner.rounds_) == ((), 1)


def test_late_labels_would_break_the_bound():
    """Predictions that are all made before the first label is learned can all be wrong, few as hypotheses are."""
    learner = Halving(FiniteClass.named("thresholds:3"))
    stale = [learner.forecast(1) for _ in range(100)]
    labels = [1 - one for one in stale]
    assert sum(one != label for one, label in zip(stale, labels, strict=True)) == 100
    assert learner.play([1] * 100, labels).mistakes == 1


@pytest.mark.parametrize(("kind", "more"), MADE)
def test_a_forecast_moves_nothing(kind, more):
    """What would be predicted can be asked any number of times, and is what is then predicted."""
    learner, other = (kind(FiniteClass.named("intervals:5"), **more) for _ in range(2))
    for point, label in [(2, 1), (0, 0), (4, 0), (3, 1), (1, 0)]:
        answers = [learner.forecast(point) for _ in range(3)]
        predictions, again = learner.predict(point), other.predict(point)
        assert answers == [answers[0]] * 3
        assert predictions == again
        assert answers[0] == (predictions.probability if learner.info.draws else predictions)
        learner.update(label)
        other.update(label)


def test_parameters_are_frozen_and_refused_at_once():
    """Parameters cannot be changed afterwards, and those without meaning make no learner."""
    finite_class = FiniteClass.named("thresholds:4")
    learner = Halving(finite_class, tie=0)
    with pytest.raises(RegretlessError, match="clone"):
        learner.tie = 1
    other = learner.clone(prune="mistake")
    assert (other.tie, other.prune, other.finite_class) == (0, "mistake", finite_class)
    assert learner.get_params() == {"finite_class": finite_class, "tie": 0, "prune": "always"}
    for more in ({"tie": 2}, {"tie": "best"}, {"prune": "never"}, {"prune": None}):
        with pytest.raises(RegretlessError):
            Halving(finite_class, **more)
    with pytest.raises(RegretlessError):
        StandardOptimal(finite_class, tie=-1)
    with pytest.raises(RegretlessError):
        RandomizedOptimal(finite_class, random_state="often")


def test_a_table_will_do_for_a_class():
    """A learner that is given a bare table makes a class of it."""
    assert Halving([[0, 1], [1, 1], [0, 1]]).finite_class.hypotheses == 2


@pytest.mark.parametrize(("kind", "more"), MADE)
def test_copies_go_on_by_themselves(kind, more):
    """A copy, a deep copy and a pickle stand where the learner stood, and none of them moves another."""
    finite_class = FiniteClass.named("intervals:6")
    learner = kind(finite_class, **more)
    learner.play([1, 4], [1, 0])
    learner.predict(2)
    copies = [learner.copy(), copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))]
    before = learner.ledger_
    for other in copies:
        assert (other.ledger_, other.state(), other.pending_) == (before, learner.state(), learner.pending_)
        other.update(1)
        other.play([3, 2], [0, 1])
    assert learner.ledger_ == before
    learner.update(1)
    learner.play([3, 2], [0, 1])
    assert all(other.ledger_ == learner.ledger_ for other in copies)


@pytest.mark.parametrize("name", NAMES)
def test_every_learner_knows_its_name_and_its_theorems(name):
    """Names lead to classes and back, and every learner has theorems and a line that says how it predicts."""
    kind = class_learner(name)
    assert kind.name == name
    assert kind.theorems
    assert kind.info.summary


@pytest.mark.parametrize(("kind", "more"), MADE)
def test_one_function_costs_nothing(kind, more):
    """A class of one function is known before the first round, and every bound on its mistakes is 0."""
    learner = kind(FiniteClass([[0, 1, 0]]), **more)
    assert learner.play([0, 1, 2, 1], [0, 1, 0, 1]).mistakes == 0
    assert all(one.bound == 0 for one in learner.certify() if one.theorem.kind == "sure")


def test_no_rounds_are_no_rounds():
    """A play of no rounds gives empty arrays, and certificates of a learner that did nothing hold."""
    learner = Halving(FiniteClass.named("thresholds:4"))
    assert len(learner.play([], [])) == 0
    assert all(one.holds and one.applies for one in learner.certify())
    with pytest.raises(RegretlessError, match="shape"):
        learner.play([1, 2], [1])
    with pytest.raises(RegretlessError, match="shape"):
        learner.play([[1, 2]], [[1, 1]])


def impatient(search, part, patience):
    """A search that never comes to its end while there are many hypotheses."""
    return len(bits(part, 64 * len(part))) < 40


@pytest.mark.parametrize("seed", range(4))
def test_losing_patience_costs_half_the_bits_at_most(seed, monkeypatch):
    """A search that is given up leaves a learner whose certificates hold; of few it finds what it sought."""
    monkeypatch.setattr(randomized, "searched", impatient)
    finite_class = FiniteClass.named("at-most-k:12,3")
    learner = RandomizedOptimal(finite_class, random_state=seed)
    points = np.random.default_rng(seed).permutation(12)
    for number, point in enumerate(points.tolist()):
        predictions = learner.predict(point)
        ones = int((finite_class.matrix[learner.alive_, point]).sum())
        learner.update(int(predictions.probability < 0.5 and ones > 0))
        known = learner.facts()
        assert (known.randomized[0], known.randomized[1]) == (0, half_the_bits_of(299))
        assert all(one.applies and one.holds for one in learner.certify() if one.theorem.kind == "sure"), number
    assert known.randomized_left[0] == known.randomized_left[1]


def test_half_the_bits_pay_for_every_split():
    """Half the bits of n hypotheses are no less than half of one more than those of any two parts, nor than theirs."""
    worth = [0.0, *(half_the_bits_of(count) for count in range(1, 300))]
    for count in range(2, 300):
        assert worth[count] > worth[count - 1]
        assert all(2 * worth[count] >= 1 + worth[part] + worth[count - part] for part in range(1, count))


@pytest.mark.parametrize("seed", range(20))
def test_the_worst_labels_for_half_the_bits_stay_within_them(seed, monkeypatch):
    """An adversary that answers the less likely label, while some hypothesis does, gets no more than half the bits."""
    monkeypatch.setattr(randomized, "searched", lambda search, part, patience: False)
    drawn = np.random.default_rng(seed)
    finite_class = FiniteClass(drawn.random((int(drawn.integers(2, 200)), 12)) < 0.5)
    learner = RandomizedOptimal(finite_class, random_state=1)
    while len(left := learner.alive_) > 1:
        ones = finite_class.matrix[left].sum(0)
        point = int(np.argmin(abs(2 * ones - len(left))))
        predictions = learner.predict(point)
        learner.update(int(predictions.probability < 0.5))
        assert (
            learner.ledger_.expected
            <= half_the_bits_of(finite_class.hypotheses) - half_the_bits_of(len(learner.alive_)) + 1e-12
        )


def test_patience_makes_no_difference_where_the_search_ends():
    """Where the dimension is found, the odds are those of a search without an end, and exact in halves of halves."""
    finite_class = FiniteClass.named("thresholds:7")
    learners = [RandomizedOptimal(finite_class, patience=patience) for patience in (None, 1 << 16, 1 << 26)]
    # Eight thresholds are three fair coins, and the point in the middle is the first of them.
    assert [learner.forecast(3) for learner in learners] == [0.5] * 3
    assert [learner.facts().randomized for learner in learners] == [(1.5, 1.5)] * 3
    for patience in (0, -1, 1.5, "long", True):
        with pytest.raises(RegretlessError, match="patience"):
            RandomizedOptimal(finite_class, patience=patience)


class Slowly:
    """A search that narrows an interval by one at either end with each call, from -1 to 20."""

    def __init__(self):
        self.calls = {}

    def run(self, part, steps):
        calls = self.calls[part] = self.calls.get(part, -1) + 1
        return *self.after(part, calls), steps

    def after(self, part, calls):
        return max(-1, min(part, calls - 1)), min(20, max(part, 20 - calls))


@given(one=st.integers(0, 18), other=st.integers(0, 18))
def test_dimensions_are_compared_without_being_known(one, other):
    """Which of two is larger is found out rightly, and as soon as the intervals part."""
    search = Slowly()
    assert compared(search, one, other) == (one > other) - (one < other)
    if one != other:
        mine, theirs = (search.after(part, search.calls[part] - 1) for part in (one, other))
        assert mine[0] <= theirs[1]
        assert theirs[0] <= mine[1]


@given(play=plays(), tie=st.integers(0, 1))
def test_the_standard_optimal_algorithm_lowers_the_dimension_with_each_mistake(play, tie):
    """Along any realizable labels each mistake leaves hypotheses of a smaller Littlestone dimension."""
    finite_class, points, labels = play
    learner, before = StandardOptimal(finite_class, tie=tie), littlestone_dimension(finite_class).value
    for point, label in zip(points, labels, strict=True):
        wrong = play_round(learner, point, label)
        after = littlestone_dimension(finite_class.only(learner.alive_)).value
        assert after <= before - wrong
        before = after


@given(table=tables(hypotheses=30))
def test_the_tree_makes_the_standard_optimal_algorithm_pay_its_dimension(table):
    """Asked down the mistake tree against its predictions it errs exactly as often as the dimension says."""
    finite_class = FiniteClass(table)
    tree, learner = littlestone_dimension(finite_class).witness, StandardOptimal(finite_class)
    labels = []
    while len(labels) < tree.depth:
        labels.append(1 - learner.predict(tree.point(labels)))
        learner.update(labels[-1])
    assert learner.realizable_
    assert learner.mistakes_ == tree.depth
    assert all(one.bound >= tree.depth for one in learner.certify())


def test_draws_have_the_odds_that_are_reported():
    """Of many first draws at a threshold away from the middle as many are 1 as the probability says."""
    finite_class = FiniteClass.named("thresholds:7")
    messages = [RandomizedOptimal(finite_class, random_state=seed).predict(1) for seed in range(2000)]
    probability = messages[0].probability
    assert 0 < probability < 1
    spread = (probability * (1 - probability) / len(messages)) ** 0.5
    assert abs(sum(messages) / len(messages) - probability) < 4 * spread


@pytest.mark.parametrize("kind", [StandardOptimal, RandomizedOptimal])
def test_copies_go_on_in_threads_of_their_own(kind):
    """Copies that forecast at once, in threads of their own, all say what one alone does."""
    coins = np.random.default_rng(3).random((2000, 800)) < 0.5
    finite_class = FiniteClass(coins) if kind is StandardOptimal else FiniteClass.named("intervals:20")
    alone = [kind(finite_class).forecast(point) for point in range(6)]
    learner = kind(finite_class)
    learner.forecast(0)
    copies, reasons, failed = [learner.copy() for _ in range(3)], {}, []

    def go_on(number):
        try:
            reasons[number] = [copies[number].forecast(point) for point in range(6)]
        except ValueError as error:
            failed.append(error)

    threads = [threading.Thread(target=go_on, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert all(reasons[number] == alone for number in range(3))


@pytest.mark.kernel
def test_a_thread_that_waits_for_a_search_can_be_interrupted():
    """Ctrl-C comes through to the thread that waits while another one searches."""
    coins = np.random.default_rng(4)
    finite_class = FiniteClass(coins.random((fewer(50_000, 4_000), 400)) < 0.03)
    search = _core.Littlestone(finite_class.columns, finite_class.hypotheses)
    other = threading.Thread(target=search.run, args=(None, 2**31))
    other.start()
    while not search.words and other.is_alive():
        time.sleep(0.001)
    before = signal.signal(signal.SIGALRM, interrupted)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(KeyboardInterrupt):
            search.run(None, 2**31)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        other.join()


def interrupted(number, frame):
    raise KeyboardInterrupt


class Counted:
    """A search that counts how it is asked, and never has an answer."""

    calls: ClassVar[list[tuple[bool, int]]] = []

    def __init__(self, columns, hypotheses):
        self.hypotheses = hypotheses

    def run(self, alive, words):
        self.calls.append((alive is None, words))
        return 0, 5 if alive is None else 6, words


def test_certificates_go_by_work_and_never_by_the_clock(monkeypatch):
    """A search gets so many words, however often it is certified: the class is searched once, and each part once."""
    monkeypatch.setattr(standard_optimal._core, "Littlestone", Counted)
    monkeypatch.setattr(Counted, "calls", [])
    finite_class = FiniteClass.named("intervals:12")
    learner = StandardOptimal(finite_class)
    assert learner.facts().littlestone == (0, 5)
    first = list(Counted.calls)
    assert all(whole for whole, _ in first)
    assert (
        standard_optimal.PATIENCE
        <= sum(words for _, words in first)
        <= standard_optimal.PATIENCE + standard_optimal.LAST + standard_optimal.FIRST
    )
    learner._state.core.settle(3, 1, 1)
    learner.facts()
    for _ in range(2):
        for one in (learner, learner.copy()):
            assert (one.facts().littlestone, one.facts().littlestone_left) == ((0, 5), (0, 5))
    assert StandardOptimal(finite_class).facts().littlestone == (0, 5)
    assert [words for _, words in Counted.calls] == [words for _, words in first] * 2


def test_the_rank_of_a_class_is_found_out_once(monkeypatch):
    """Runs on one class share what certificates say of it."""
    calls = []
    eliminated = _core.rank_of_bits
    monkeypatch.setattr(_core, "rank_of_bits", lambda rows: calls.append(len(rows)) or eliminated(rows))
    finite_class = FiniteClass.named("parities:3")
    for learner in (
        Consistent(finite_class),
        Consistent(finite_class, order=range(7, -1, -1)),
        Consistent(finite_class).clone(),
    ):
        assert learner.facts().rank == learner.facts().rank_left == 3
    assert calls == [9]
    pickled = pickle.loads(pickle.dumps(finite_class))
    assert Consistent(pickled).facts().rank == 3
    assert calls == [9, 9]


@pytest.mark.kernel
def test_a_vote_refuses_what_is_no_set_of_its_hypotheses():
    """Bits beyond the last hypothesis, sets of other lengths, and arrays that are not aligned raise."""
    finite_class = FiniteClass.named("thresholds:5")
    book, rest = np.zeros(5, dtype=np.int64), finite_class.all_hypotheses.copy()
    for columns, hypotheses, some, message in [
        (finite_class.columns, 6, rest << np.uint64(1), "a bit beyond"),
        (finite_class.columns, 4, rest >> np.uint64(2), "a bit beyond"),
        (finite_class.columns, 65, rest, "one bit per hypothesis"),
        (finite_class.columns, 6, np.ones(2, dtype=np.uint64), "as many words"),
        (finite_class.columns, 6, np.ones(9, dtype=np.uint8)[1:].view(np.uint64), "must be aligned"),
        (finite_class.columns, 6, rest * np.uint64(0), "no hypothesis is kept"),
    ]:
        with pytest.raises(ValueError, match=message):
            _core.Voter(columns, hypotheses, some, book)
    voter = _core.Voter(finite_class.columns, 6, rest, book)
    assert voter.size == 6


@pytest.mark.parametrize("kind", [Consistent, Halving, StandardOptimal, RandomizedOptimal])
def test_a_shallow_copy_goes_its_own_way(kind):
    """What a copy made by `copy.copy` learns changes nothing of the learner that it was made of."""
    learner = kind(FiniteClass.named("thresholds:7"))
    other = copy.copy(learner)
    other.play([3, 1, 5], [1, 0, 1])
    assert (learner.rounds_, len(learner.alive_)) == (0, 8)
    assert (other.rounds_, learner.realizable_) == (3, True)
