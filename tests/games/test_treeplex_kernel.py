"""The compiled core of games in sequence form: enclosures, ranges, and learners that play each other."""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import _core
from regretless.ledger import GAME_FIELDS, GameLedger

from ..finite_classes.trees import Arrays
from ..sanitized import fewer

pytestmark = pytest.mark.kernel

Array = Any
SEEDS = st.integers(0, 2**32 - 1)
RULES = ("cfr", "cfr+", "pcfr+")
REGRETS, LAST, BEHAVIOUR, PLAN, AVERAGE = range(_core.TREE_ROWS)
REFUSED = (ValueError, TypeError)


class Duel:
    """Plain arrays, and two learners over them."""

    def __init__(self, arrays: Arrays, rule: str, alternate: bool, power: int) -> None:
        self.states = []
        for side in (0, 1):
            count = int(arrays.first[side][-1])
            state = np.zeros((_core.TREE_ROWS, count))
            state[PLAN] = arrays.laid(side, np.zeros(count))
            state[BEHAVIOUR] = 1.0
            for begin, end, _ in arrays.sets(side):
                state[BEHAVIOUR, begin:end] = 1 / (end - begin)
            self.states.append(state)
        self.memory, self.book = np.zeros(_core.TREE_MEMORY), np.zeros(len(GAME_FIELDS))
        self.tree = _core.Tree(**arrays.arguments())
        self.made = (rule, {"alternate": alternate, "power": power})
        self.core = self.another_core()

    def another_core(self) -> Any:
        rule, rest = self.made
        row, column = self.states
        return _core.TreeDuel(self.tree, rule, row=row, column=column, memory=self.memory, book=self.book, **rest)

    def bits(self) -> list[bytes]:
        self.core.settle()
        return [array.tobytes() for array in (*self.states, self.memory, self.book)]


class Twin:
    """The same learners, one numpy expression for each line of the books."""

    def __init__(self, arrays: Arrays, rule: str, alternate: bool, power: int) -> None:
        self.arrays, self.rule, self.alternate, self.power = arrays, rule, alternate, power
        counts = [int(arrays.first[side][-1]) for side in (0, 1)]
        self.regrets, self.last = [np.zeros(count) for count in counts], [np.zeros(count) for count in counts]
        self.plans = [arrays.laid(side, np.zeros(counts[side])) for side in (0, 1)]
        self.sums, self.weight, self.before = [np.zeros(count) for count in counts], 0.0, 0.0
        self.won, self.earned, self.squares = [0.0, 0.0], [np.zeros(count) for count in counts], [0.0, 0.0]

    def learn(self, side: int, earned: Array, weight: float) -> None:
        values, plan = earned.copy(), self.plans[side]
        regrets, steps = np.zeros(len(plan)), np.zeros(len(plan))
        for begin, end, parent in reversed(list(self.arrays.sets(side))):
            own = slice(begin, end)
            reach = plan[parent]
            behaviour = plan[own] / reach if reach > 0 else self.behaviour[side][own]
            value = behaviour @ values[own]
            values[parent] += value
            regrets[own] = values[own] - value
        if self.rule == "cfr":
            self.regrets[side] = self.regrets[side] * self.before / weight + regrets
        else:
            self.regrets[side] = np.maximum(self.regrets[side] + regrets, 0)
        steps = self.regrets[side] + (regrets if self.rule == "pcfr+" else 0)
        self.squares[side] += ((regrets - (self.last[side] if self.rule == "pcfr+" else 0)) ** 2).sum()
        self.last[side] = regrets
        self.behaviour[side] = self.step(side, np.maximum(steps, 0))
        self.plans[side] = self.arrays.laid(side, np.maximum(steps, 0))

    def norm(self, side: int) -> float:
        sums = np.zeros(len(self.regrets[side]))
        for begin, end, parent in reversed(list(self.arrays.sets(side))):
            sums[parent] += np.linalg.norm(np.maximum(self.regrets[side][begin:end], 0)) + sums[begin:end].max()
        return float(sums[0])

    def step(self, side: int, steps: Array) -> Array:
        behaviour = np.ones(len(steps))
        for begin, end, _ in self.arrays.sets(side):
            total = steps[begin:end].sum()
            behaviour[begin:end] = steps[begin:end] / total if total > 0 else 1 / (end - begin)
        return behaviour

    def play(self, rounds: int) -> None:
        payoffs = self.arrays.payoffs
        self.behaviour = [self.step(side, np.zeros(len(self.regrets[side]))) for side in (0, 1)]
        for number in range(1, rounds + 1):
            weight = float(number**self.power)
            row, met = self.plans[0], self.plans[1]
            losses = row @ payoffs
            self.won[1] += weight * (losses @ met)
            self.earned[1] += weight * losses
            if self.alternate:
                self.learn(1, -losses, weight)
            column = self.plans[1]
            gains = payoffs @ column
            self.won[0] += weight * (row @ gains)
            self.earned[0] += weight * gains
            if not self.alternate:
                self.learn(1, -losses, weight)
            self.learn(0, gains, weight)
            self.sums[0] += weight * row
            self.sums[1] += weight * column
            self.weight += weight
            self.before = weight


@given(SEEDS, st.sampled_from(RULES), st.booleans(), st.integers(0, 2))
def test_twin(seed: int, rule: str, alternate: bool, power: int) -> None:
    """The kernel's averages, regrets and gap are those of the same learners written plainly."""
    arrays = Arrays(seed)
    duel, twin = Duel(arrays, rule, alternate, power), Twin(arrays, rule, alternate, power)
    duel.core.play(12)
    duel.core.settle()
    twin.play(12)
    for side in (0, 1):
        np.testing.assert_allclose(duel.states[side][AVERAGE], twin.sums[side], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(duel.states[side][REGRETS][1:], twin.regrets[side][1:], rtol=1e-9, atol=1e-9)
    rounds, weight, last, row_regret, column_regret, turn, *norms = duel.book.tolist()
    most, least = arrays.best(0, twin.earned[0]), arrays.best(1, twin.earned[1], min)
    assert (rounds, weight, last) == (12, twin.weight, 12.0**power)
    assert row_regret == pytest.approx(most - twin.won[0], abs=1e-8 * weight)
    assert column_regret == pytest.approx(twin.won[1] - least, abs=1e-8 * weight)
    assert turn == pytest.approx(twin.won[0] - twin.won[1], abs=1e-8 * weight)
    assert norms[2:4] == pytest.approx(twin.squares, rel=1e-8, abs=1e-8)
    assert norms[-1] == pytest.approx((most - least) / weight, abs=1e-8)
    assert norms[:2] == pytest.approx([twin.norm(0), twin.norm(1)], rel=1e-9, abs=1e-9)


@given(SEEDS, st.sampled_from(RULES), st.booleans(), st.integers(0, 2), st.integers(1, 60))
def test_kept_bounds_regret(seed: int, rule: str, alternate: bool, power: int, rounds: int) -> None:
    """Each player's regret is at most the last weight times the lengths of what the matchers of one plan keep."""
    duel = Duel(Arrays(seed), rule, alternate, power)
    duel.core.play(rounds)
    duel.core.settle()
    _, weight, last, row_regret, column_regret, turn, row_norm, column_norm, *_, gap = duel.book.tolist()
    assert row_regret <= last * row_norm + 1e-9 * weight
    assert column_regret <= last * column_norm + 1e-9 * weight
    assert weight * gap == pytest.approx(row_regret + column_regret + turn, abs=1e-9 * weight)
    assert turn <= 1e-9 * weight or (rule == "pcfr+" and alternate)


@given(SEEDS, st.sampled_from(RULES), st.booleans(), st.integers(0, 2))
def test_same_bits(seed: int, rule: str, alternate: bool, power: int) -> None:
    """Every instruction set gives the same bits."""
    arrays, results = Arrays(seed, sets=12), []
    before = _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            duel = Duel(arrays, rule, alternate, power)
            duel.core.play(30)
            results.append(duel.bits())
    finally:
        _core.use_isa(before)
    assert all(bits == results[0] for bits in results)


@given(SEEDS, st.sampled_from(RULES), st.booleans(), st.integers(0, 2), st.integers(0, 20))
def test_cut(seed: int, rule: str, alternate: bool, power: int, cut: int) -> None:
    """However the rounds are cut into calls and looks, and whatever borrows the arrays next, the same bits come out."""
    arrays = Arrays(seed)
    whole, parts = Duel(arrays, rule, alternate, power), Duel(arrays, rule, alternate, power)
    whole.core.play(20)
    parts.core.play(cut)
    parts.core.settle()
    parts.core = parts.another_core()
    parts.core.play(20 - cut)
    assert whole.bits() == parts.bits()


def exact_interval(arrays: Arrays, x: Array, y: Array) -> tuple[Fraction, Fraction]:
    """What plans guarantee, without rounding."""
    plans = []
    for side, steps in ((0, x), (1, y)):
        plan = [Fraction(1)] + [Fraction(value) for value in steps.tolist()[1:]]
        for begin, end, parent in arrays.sets(side):
            total = sum(plan[begin:end])
            own = [step / total for step in plan[begin:end]] if total else [Fraction(1, end - begin)] * (end - begin)
            plan[begin:end] = [plan[parent] * step for step in own]
        plans.append(plan)
    rows, columns = (range(len(plan)) for plan in plans)
    exact = [[Fraction(value) for value in row] for row in arrays.payoffs.tolist()]
    gains = [sum((exact[i][j] * plans[1][j] for j in columns), Fraction()) for i in rows]
    losses = [sum((exact[i][j] * plans[0][i] for i in rows), Fraction()) for j in columns]
    return arrays.best(1, losses, min), arrays.best(0, gains)


@given(SEEDS, st.booleans(), st.sampled_from((1.0, 1e-300, 1e285, 1e-150)), st.booleans())
def test_enclosure(seed: int, whole: bool, scale: float, tiny: bool) -> None:
    """The interval contains what plans guarantee exactly, and is hardly wider."""
    arrays, random = Arrays(seed, whole=whole), np.random.default_rng(seed)
    arrays.payoffs = arrays.payoffs * scale
    x, y = arrays.plan(0, random), arrays.plan(1, random)
    if tiny:  # probabilities that underflow when they are multiplied
        x, y = (np.where(random.random(len(plan)) < 0.3, 1e-200 * plan, plan) for plan in (x, y))
    lower, upper = _core.Tree(**arrays.arguments()).enclose(x, y, rounded=False)
    true_lower, true_upper = exact_interval(arrays, x, y)
    assert Fraction(lower) <= true_lower <= true_upper <= Fraction(upper)
    size = max(float(np.abs(arrays.payoffs).sum()), 1e-270)
    assert true_lower - Fraction(lower) <= Fraction(2.0**-52) * abs(true_lower) + Fraction(size) / 2**80
    assert Fraction(upper) - true_upper <= Fraction(2.0**-52) * abs(true_upper) + Fraction(size) / 2**80


@given(SEEDS)
def test_enclosure_of_rounded_payoffs(seed: int) -> None:
    """The interval of payoffs that are rounded contains that of any they may be rounded from."""
    arrays, random = Arrays(seed), np.random.default_rng(seed)
    x, y = arrays.plan(0, random), arrays.plan(1, random)
    lower, upper = _core.Tree(**arrays.arguments()).enclose(x, y, rounded=True)
    for sign in (-1, 1):
        moved = Arrays(seed)
        step = Fraction(sign, 2**53)
        signs = random.choice((-1, 1), arrays.payoffs.shape).tolist()
        rows = zip(arrays.payoffs.tolist(), signs, strict=True)
        exact = [[Fraction(v) * (1 + s * step) for v, s in zip(*row, strict=True)] for row in rows]
        moved.payoffs = np.array(exact, dtype=object)
        true_lower, true_upper = exact_interval(moved, x, y)
        assert Fraction(lower) <= true_lower
        assert true_upper <= Fraction(upper)


@given(SEEDS)
def test_reaches(seed: int) -> None:
    """Whatever both do, each sequence is worth no less than its least and no more than its most."""
    arrays, random = Arrays(seed), np.random.default_rng(seed)
    tree = _core.Tree(**arrays.arguments())
    for side, row in ((0, True), (1, False)):
        count = int(arrays.first[side][-1])
        low, high = np.empty(count), np.empty(count)
        tree.reaches(row, low, high)
        payoffs = arrays.payoffs if row else arrays.payoffs.T
        for _ in range(5):
            worth = payoffs @ arrays.plan(1 - side, random)
            steps = arrays.laid(side, random.random(count))
            for begin, end, parent in reversed(list(arrays.sets(side))):
                own = steps[begin:end] / steps[begin:end].sum()
                worth[parent] += own @ worth[begin:end]
            assert (worth >= low - 1e-12 * (1 + np.abs(low))).all()
            assert (worth <= high + 1e-12 * (1 + np.abs(high))).all()


@given(SEEDS)
def test_reaches_of_single_sequences(seed: int) -> None:
    """Of a player who decides nothing the range is exactly what the other can make of it."""
    arrays = Arrays(seed)
    arrays.first[0], arrays.parent[0] = np.array([1], dtype=np.int32), np.array([], dtype=np.int32)
    arrays.payoffs = arrays.payoffs[:1]
    low, high = np.empty(1), np.empty(1)
    _core.Tree(**arrays.arguments()).reaches(True, low, high)
    assert low[0] == pytest.approx(arrays.best(1, arrays.payoffs[0], min), abs=1e-12)
    assert high[0] == pytest.approx(arrays.best(1, arrays.payoffs[0]), abs=1e-12)


def test_refusals() -> None:
    """Arrays that are no game in sequence form are refused before anything is read from them."""
    arrays = Arrays(5)
    good = arrays.arguments()
    wrong: list[dict[str, Any]] = [
        {"row_first": good["row_first"] + 1},
        {"row_first": good["row_first"][:0]},
        {"row_first": good["row_first"][::-1].copy()},
        {"row_parent": good["row_parent"] + 100},
        {"row_parent": good["row_parent"] - 100},
        {"row_columns": good["row_columns"] + 1000},
        {"row_columns": good["row_columns"] - 1000},
        {"row_columns": np.sort(good["row_columns"])[::-1].copy()},
        {"row_starts": good["row_starts"][:-1]},
        {"row_starts": good["row_starts"] + 1},
        {"row_starts": np.concatenate([[0], np.full(len(good["row_starts"]) - 2, 10**6), good["row_starts"][-1:]])},
        {"row_values": good["row_values"] * np.nan},
        {"row_values": good["row_values"][:-1]},
        {"column_values": good["column_values"].astype(np.float32)},
    ]
    for change in wrong:
        with pytest.raises(REFUSED):
            _core.Tree(**(good | change))
    tree = _core.Tree(**good)
    x, y = np.ones(int(arrays.first[0][-1])), np.ones(int(arrays.first[1][-1]))
    for plans in ((x[:-1], y), (x, -y), (x * np.nan, y), (x, y * np.inf), (x, y * 3)):
        with pytest.raises(REFUSED):
            tree.enclose(*plans, rounded=False)
    with pytest.raises(REFUSED):
        tree.reaches(True, np.empty(1), np.empty(1))


def test_duel_refusals() -> None:
    """Learners are refused arrays of other shapes, rules nobody knows, and a second thread at a time."""
    duel = Duel(Arrays(5), "cfr+", True, 2)
    row, column = duel.states
    good: dict[str, Any] = {"row": row, "column": column, "memory": duel.memory, "book": duel.book}
    settings: dict[str, Any] = {"alternate": True, "power": 2}
    for change in ({"row": column}, {"column": row[:-1]}, {"memory": np.zeros(1)}, {"book": np.zeros(1)}):
        with pytest.raises(REFUSED):
            _core.TreeDuel(duel.tree, "cfr+", **(good | change), **settings)
    for rule, power in (("dcfr", 0), ("cfr", 3), ("cfr", -1)):
        with pytest.raises(REFUSED):
            _core.TreeDuel(duel.tree, rule, **good, alternate=True, power=power)
    with pytest.raises(REFUSED):
        duel.core.play(-1)


def test_what_is_no_state_is_refused() -> None:
    """Learners whose arrays hold no plans, or no number of rounds, are neither begun nor played on."""
    for where, value in ((BEHAVIOUR, -0.5), (BEHAVIOUR, np.nan), (PLAN, 3.0), (PLAN, np.inf)):
        duel = Duel(Arrays(5), "cfr+", True, 2)
        duel.core.play(3)
        duel.states[0][where, 0] = value
        for go_on in (duel.another_core, lambda duel=duel: duel.core.play(1)):
            with pytest.raises(ValueError, match="a plan is none"):
                go_on()
    for value in (-1.0, np.nan, 2.0**53):
        duel = Duel(Arrays(5), "cfr+", True, 2)
        duel.book[0] = value
        with pytest.raises(ValueError, match="the book is damaged"):
            duel.core.play(1)


def test_books_have_the_ledgers_fields() -> None:
    """What the kernels write down by place is what the ledger of games reads by name."""
    assert _core.GAME_FIELDS == GAME_FIELDS
    duel = Duel(Arrays(5), "cfr+", True, 2)
    duel.core.play(4)
    duel.core.settle()
    ledger = GameLedger(*duel.book.tolist())
    assert (ledger.rounds, ledger.weight, ledger.last_weight) == (4.0, 30.0, 16.0)
    assert ledger.weight * ledger.gap == pytest.approx(ledger.row_regret + ledger.column_regret + ledger.turn)
    assert (ledger.row_shift, ledger.column_move) == (0.0, 0.0)


def test_busy() -> None:
    """While one thread plays, another one is refused."""
    duel = Duel(Arrays(7, sets=200, density=0.9), "cfr+", True, 2)
    refused = 0
    thread = threading.Thread(target=duel.core.play, args=(fewer(3000, 600),))
    thread.start()
    while thread.is_alive() and not refused:
        try:
            duel.core.settle()
        except ValueError:
            refused += 1
    thread.join()
    assert refused
