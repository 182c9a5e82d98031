"""The compiled bandits: the generator, the sum tree, and the loop in all the ways in which it can be cut."""

from __future__ import annotations

import itertools
import math
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless import _core
from regretless.textbook import bandits as textbook

from ..sanitized import fewer

pytestmark = pytest.mark.kernel

Array = Any
FIELDS = list(_core.PULL_FIELDS)
MEMORY = ("position", "epoch_begin", "epoch_end", "rate", "gamma", "offset")  # its first numbers
BARE = _core.PULL_MEMORY - 4  # where what a bare draw leaves behind begins
DRAWS, LOSSES, MISSED, ASLEEP = range(4)
LATE = {"exp3": {}, "exp3-ix": {}, "tsallis-inf": {}, "hedge": {}}
FIXED: dict[str, dict[str, Any]] = {
    "exp3": {"rate": 0.05, "gamma": 0.02},
    "exp3-ix": {"rate": 0.05, "gamma": 0.025},
    "exp3-p": {"rate": 0.05, "gamma": 0.02, "beta": 0.01, "explore": 0.05},
    "exp3-s": {"rate": 0.05, "gamma": 0.02, "share": 0.01},
    "hedge": {"rate": 0.2, "gamma": 0.02},
}
CASES = [(rule, "anytime") for rule in LATE] + [(rule, "constant") for rule in FIXED]
KEYS = st.integers(0, 2**64 - 1)
REFUSED = (ValueError, TypeError)
SIZES = (1, 2, 7, 8, 9, 16, 17, 64, 127, 128, 129, 136, 1000, 1024, 1025, 1100)


class Hall:
    """Plain arrays and a puller over them."""

    ARRAYS = ("state", "memory", "book", "tallies")

    def __init__(self, arms: int, rule: str = "exp3-ix", schedule: str = "anytime", experts: int = 0, **rest: Any):
        self.state = np.zeros((_core.puller_rows(rule), experts or arms))
        self.memory = np.zeros(_core.PULL_MEMORY)
        self.book = np.zeros(len(FIELDS))
        self.tallies = np.zeros((4, arms))
        self.arms, self.rule = arms, rule
        rates = FIXED[rule] if schedule == "constant" else {"rate": np.nan, "gamma": np.nan}
        self.made = (rule, schedule, {"seed": 3, "run": 5} | rates | rest)
        self.core = self.another_core()

    def another_core(self) -> Any:
        rule, schedule, rest = self.made
        borrowed = {name: getattr(self, name) for name in self.ARRAYS}
        return _core.Puller(rule, schedule, arms=self.arms, **borrowed, **rest)

    def play(self, table: Array, begin: int = 0, end: int | None = None, **rest: Any) -> tuple[int, str | None, int]:
        """Play to the end, however often the core comes up for air."""
        first, end = begin, len(table) if end is None else end
        while True:
            played, why, column = self.core.play_table(table, begin, end, **rest)
            begin += played
            if why is not None or begin == end:
                return begin - first, why, column

    def noise(self, means: Array, rounds: int, begin: int = 0, key: int = 7, **rest: Any) -> None:
        rows = np.atleast_2d(np.asarray(means, float))
        starts = rest.pop("starts", np.zeros(1, np.int64))
        while begin < rounds:
            played, why, _ = self.core.play_bernoulli(rows, starts, key, begin, rounds, **rest)
            assert why is None
            begin += played

    def turn(self, row: Array) -> int:
        """One round with a ticket; nan is an arm asleep."""
        awake = ~np.isnan(row)
        mask = None if awake.all() else awake
        arm, p, gamma, number = self.core.open(mask)
        arguments = (0.0, mask, None, row) if self.rule == "hedge" else (row[arm], mask)
        self.core.settle(arm, p, gamma, number, *arguments)
        return arm

    def number(self, name: str) -> float:
        return float(self.book[FIELDS.index(name)])

    def bits(self) -> bytes:
        return b"".join(getattr(self, name).tobytes() for name in self.ARRAYS)


def uniforms(rounds: int, seed: int = 3, run: int = 5) -> Array:
    return np.random.Generator(np.random.Philox(key=np.array([seed, run], np.uint64))).random(rounds)


def table_of(rounds: int, arms: int, seed: int = 0, gaps: float = 0.0) -> Array:
    rng = np.random.default_rng(seed)
    table = rng.random((rounds, arms))
    table[rng.random(table.shape) < gaps] = np.nan
    table[np.isnan(table).all(1), 0] = 0.5
    return table


def noise_table(key: int, means: Array, rounds: int) -> Array:
    """Splitmix64's finaliser over the cells of a table."""
    with np.errstate(over="ignore"):
        cells = np.arange(rounds * len(means), dtype=np.uint64) + np.uint64(1)
        z = np.uint64(key) + cells * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    drawn = (z >> np.uint64(11)).astype(float) * 2.0**-53
    return (drawn.reshape(rounds, len(means)) < np.asarray(means)).astype(float)


@pytest.fixture(params=_core.isas())
def isa(request):
    """Each instruction set that the machine has, in turn."""
    before = _core.isa()
    _core.use_isa(request.param)
    yield request.param
    _core.use_isa(before)


# ---- the generator


@given(seed=KEYS, run=KEYS, position=st.integers(0, 50), count=st.integers(0, 40))
def test_uniforms_are_those_of_numpy(seed, run, position, count):
    """Number n of a run is number n of numpy's Philox with that key, bit for bit, wherever one begins."""
    out = np.empty(count)
    _core.uniforms(seed, run, position, out)
    assert np.array_equal(out, uniforms(position + count, seed, run)[position:])


def test_uniforms_far_out():
    """Number 4 * 10^15 is found without those before it."""
    theirs = np.random.Philox(key=[1, 2])
    theirs.advance(10**15)
    out = np.empty(8)
    _core.uniforms(1, 2, 4 * 10**15, out)
    assert np.array_equal(out, np.random.Generator(theirs).random(8))


def test_every_draw_takes_one_uniform(isa):
    """With 2^10 equal masses the arm of draw n is floor(2^10 u_n), in every way to draw."""
    hall = Hall(1024)
    arms = [hall.turn(np.zeros(1024)) for _ in range(9)]
    for _ in range(9):
        arms.append(hall.core.draw())
        hall.core.update(arms[-1], 0.0)
    played = np.zeros(29, np.int32)
    hall.play(np.zeros((29, 1024)), 18, 29, arms=played)
    assert arms + played[18:].tolist() == np.floor(1024 * uniforms(29)).astype(int).tolist()
    assert hall.memory[MEMORY.index("position")] == 29


# ---- the sum tree


@pytest.mark.parametrize("arms", SIZES)
@pytest.mark.parametrize(("rule", "biased"), [("exp3", 0.0), ("exp3-ix", 0.5)])
def test_tree_draws_what_the_textbook_draws(rule, biased, arms):
    """On the same uniforms the tree draws the arms of a cumulative sum over all weights, for every shape of tree."""
    rounds = 400
    table = table_of(rounds, arms, arms)
    rates = textbook.anytime(rounds, arms) if arms > 1 else np.ones(rounds)
    draws, history, sums = textbook.exp3_ix(table, uniforms(rounds), rates, biased * rates)
    hall, arm = Hall(arms, rule), np.zeros(rounds, np.int32)
    marks, curve = np.arange(1, rounds + 1), np.zeros(rounds)
    shares = np.zeros((rounds, arms))
    hall.play(table, arms=arm, marks=marks, loss_curve=curve, certificate_curve=curve.copy(), shares=shares)
    assert arm.tolist() == draws.tolist()
    assert np.allclose(shares[:-1], history[1:], rtol=1e-9, atol=0)
    assert np.allclose(hall.state[0], sums, rtol=1e-9)
    assert np.allclose(curve, np.cumsum(table[np.arange(rounds), draws]))


@pytest.mark.parametrize("arms", SIZES)
@pytest.mark.parametrize(("rule", "biased"), [("exp3", 0.0), ("exp3-ix", 0.5)])
def test_new_rates_in_every_round_draw_what_the_textbook_draws(rule, biased, arms):
    """At the printed rate of each round arms and sums are the textbook's, and rates add up."""
    rounds = 300
    table = table_of(rounds, arms, arms, 0.2 if arms > 1 else 0)
    rates = textbook.every_round(rounds, arms) if arms > 1 else np.ones(rounds)
    draws, _, sums = textbook.exp3_ix(table, uniforms(rounds), rates, biased * rates)
    hall, arm = Hall(arms, rule, "every-round"), np.zeros(rounds, np.int32)
    hall.play(table, arms=arm)
    assert arm.tolist() == draws.tolist()
    assert np.allclose(hall.state[0], sums, rtol=1e-9, atol=1e-9)
    expected = {"first_rate": rates[0], "last_rate": rates[-1], "last_gamma": 0.5 * rates[-1], "rates": rates.sum()}
    expected["swing"] = rates @ (~np.isnan(table)).sum(1)
    assert expected == pytest.approx({name: hall.number(name) for name in expected}, rel=1e-12)
    if arms > 1:
        assert hall.core.rate() == pytest.approx(np.sqrt(np.log(arms) / (arms * (rounds + 1))), rel=1e-15)


@pytest.mark.parametrize("rule", ["exp3", "exp3-ix", "hedge", "exp4"])
def test_rates_of_every_round_give_the_same_bits_in_any_number_of_calls(rule):
    """Cut into calls, with what would come next asked for in between, a run ends with the bits of a single call."""
    rounds, arms = 97, 19
    table = table_of(rounds, arms, 8)
    advice = np.random.default_rng(1).integers(0, arms, (rounds, 4)) if rule == "exp4" else None
    whole, parts = (Hall(arms, rule, "every-round", experts=4 if rule == "exp4" else 0) for _ in range(2))
    assert whole.core.play_table(table, 0, rounds, advice=advice) == (rounds, None, -1)
    for begin, end in itertools.pairwise([0, 1, 2, 40, rounds]):
        assert parts.core.play_table(table, begin, end, advice=advice) == (end - begin, None, -1)
        parts.core.rate()
        parts.core.probabilities(advice=None if advice is None else np.ascontiguousarray(advice[0]))
    for name in ("state", "memory", "book", "tallies"):
        assert getattr(whole, name).tobytes() == getattr(parts, name).tobytes(), name


@pytest.mark.parametrize(
    ("masses", "numbers"),
    [([0.0, 0.0], [0.5]), ([1.0, -1.0], [0.5]), ([1.0, np.nan], [0.5]), ([np.inf, 1.0], [0.5]),
     ([1.0, 1.0], [1.0]), ([1.0, 1.0], [-0.1]), ([1.0, 1.0], [np.nan])],
)  # fmt: skip
def test_the_tree_is_asked_for_what_it_can_find(masses, numbers, isa):
    """Masses that sum to nothing or to no number, and numbers outside [0, 1), are refused."""
    with pytest.raises(ValueError, match="masses"):
        _core.find_arms(np.array(masses), np.array(numbers), np.zeros(1, np.int64))


@given(
    masses=st.lists(st.sampled_from([0.0, 0.0, 1.0, 0.1, 1 / 3, 1e-17, 1e-200, 1e-300]), min_size=1, max_size=400),
    repeats=st.integers(1, 12),
    seed=st.integers(0, 99),
)
def test_found_arms_have_mass_to_the_very_end(masses, repeats, seed):
    """However masses are strewn, a number finds an arm that has some, in its place up to rounding: the last one too."""
    rng = np.random.default_rng(seed)
    masses = rng.permuted(np.array(masses * repeats)) * rng.random(len(masses) * repeats)
    masses[rng.integers(len(masses))] = 1.0
    ends = 1 - 2.0 ** -np.arange(44, 54)
    numbers, sums = np.concatenate([[0, 2.0**-53], ends, rng.random(20)]), np.zeros(32, np.int64)
    _core.find_arms(masses, numbers, sums)
    assert (masses[sums] > 2.0**-960).all()
    after = np.cumsum(masses)[sums]
    x = numbers * masses.sum()
    slack = 1e-14 * masses.sum()
    assert (x < after + slack).all()
    assert (x >= after - masses[sums] - slack).all()


def fresh(hall: Hall) -> Array:
    """The probabilities of the next draw, if it has the rate of the last one, summed without error."""
    x = -hall.memory[MEMORY.index("rate")] * (hall.state[0] - hall.state[0].min())
    weights = np.exp(x)
    return weights / math.fsum(weights)


@pytest.mark.parametrize(("arms", "rounds"), [(10, 10**7), (1000, 10**6), (5000, 10**6)])
@pytest.mark.parametrize(("rule", "rate"), [("exp3", 1e-3), ("exp3-ix", 1e-3), ("exp3-ix", 0.3)])
def test_root_stays_exact_over_millions_of_rounds(rule, rate, arms, rounds):
    """After so many rounds probabilities are off by less than 1e-12 of themselves, and rebuilding changes no bit."""
    hall = Hall(arms, rule, "constant", rate=rate, gamma=rate / 2)
    hall.noise(np.linspace(0.2, 0.9, arms), fewer(rounds, rounds // 100))
    probabilities, exact = hall.core.probabilities(), fresh(hall)
    assert np.abs(probabilities - exact).max() < 1e-12
    likely = exact > 1e-250
    assert np.abs(probabilities[likely] / exact[likely] - 1).max() < 1e-12
    hall.core.rebuild()
    assert np.array_equal(hall.core.probabilities(), probabilities)


@pytest.mark.parametrize("arms", [10, 300])
def test_root_survives_an_adversary(arms):
    """Losses that always hit the likeliest arm, then turn round, make leaves and root vanish; the sums stay exact."""
    hall, hit = Hall(arms, "exp3", "constant", rate=0.9, gamma=0.1), 0
    for t in range(6000):
        if t % 50 == 0:
            p = hall.core.probabilities()
            hit = int(p.argmax() if t < 3000 else p.argmin())
        arm = hall.core.draw()
        hall.core.update(arm, float(arm == hit or t % 3 == 0))
    probabilities, exact = hall.core.probabilities(), fresh(hall)
    assert np.abs(probabilities - exact).max() < 1e-12
    hall.core.rebuild()
    assert np.array_equal(hall.core.probabilities(), probabilities)
    hall.noise(np.ones(arms), 200_000)
    assert np.abs(hall.core.probabilities() - fresh(hall)).max() < 1e-12


@pytest.mark.parametrize("rate", [1e-300, 1e-9, 1.0, 1e6, 1e300])
@pytest.mark.parametrize("rule", ["exp3", "exp3-ix"])
def test_any_rate_keeps_probabilities(rule, rate):
    """At the wildest rates the probabilities stay numbers that sum to one, and estimates stay finite."""
    hall = Hall(40, rule, "constant", rate=rate, gamma=1e-9)
    hall.noise(np.full(40, 0.7), 5000)
    p = hall.core.probabilities()
    assert np.isfinite(hall.state).all()
    assert p.min() >= 0
    assert abs(p.sum() - 1) < 1e-12


def test_one_arm():
    """A single arm is always drawn with probability one, at rate one."""
    hall = Hall(1, "exp3")
    for _ in range(300):
        assert hall.core.open()[:2] == (0, 1.0)
        hall.core.settle(0, 1.0, 0.5, int(hall.number("rounds")), 1.0)
    assert (hall.state[0, 0], hall.core.rate(), hall.core.gamma()) == (300, 1, 0.5)


# ---- the same bits however it is played


@pytest.mark.parametrize(("rule", "schedule"), CASES)
@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("arms", [3, 21, 150])
def test_same_bits_on_all_instruction_sets(rule, schedule, gaps, arms):
    """Every instruction set gives the same state, ledger and tallies, bit for bit."""
    table, names, before = table_of(300, arms, 1, gaps), set(), _core.isa()
    for name in _core.isas():
        _core.use_isa(name)
        hall = Hall(arms, rule, schedule)
        hall.play(table)
        names.add(hall.bits())
    _core.use_isa(before)
    assert len(names) == 1


@pytest.mark.parametrize(("rule", "schedule"), CASES)
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_same_bits_in_pieces(rule, schedule, gaps):
    """One call, many calls, tickets, bare draws, rebuilt caches and another core over the arrays give the same bits."""
    arms, rounds = 21, 240
    table = table_of(rounds, arms, 2, gaps)
    whole, pieces, tickets = (Hall(arms, rule, schedule) for _ in range(3))
    whole.play(table)
    for begin in range(0, rounds, 7):
        pieces.play(table, begin, min(begin + 7, rounds))
        pieces.core.probabilities()
        pieces.core.rate()
        if begin % 2:
            pieces.core.rebuild()
    assert pieces.bits() == whole.bits()
    for t in range(rounds):
        if t % 60 == 31:
            tickets.core = tickets.another_core()
        if rule != "hedge" and t % 2 and not np.isnan(table[t]).any():
            arm = tickets.core.draw()
            tickets.core.update(arm, table[t, arm])
        else:
            tickets.turn(table[t])
        tickets.core.probabilities()
    tickets.memory[BARE:] = 0
    assert tickets.bits() == whole.bits()


@pytest.mark.parametrize(("rule", "schedule"), CASES)
def test_marks_change_nothing(rule, schedule):
    """Curves and shares that are written on the way leave every bit of the game as it is."""
    arms, rounds = 21, 240
    table = table_of(rounds, arms, 3)
    plain, marked = Hall(arms, rule, schedule), Hall(arms, rule, schedule)
    plain.play(table)
    marks = np.array([1, 2, 3, 10, 100, 239, 240])
    loss, certificate, shares = np.zeros(7), np.zeros(7), np.zeros((7, arms))
    marked.play(table, marks=marks, loss_curve=loss, certificate_curve=certificate, shares=shares)
    assert marked.bits() == plain.bits()
    for j, mark in enumerate(marks):
        upto = Hall(arms, rule, schedule)
        upto.play(table[:mark])
        assert loss[j] == upto.number("loss")
        assert certificate[j] == upto.number("loss") - upto.state[1].min()
        assert np.array_equal(shares[j], upto.core.probabilities())


@pytest.mark.parametrize("rule", ["exp3", "exp3-ix"])
def test_clean_tables_give_the_same_bits(rule):
    """Rows that were looked at beforehand, of either precision, give what rows give that are looked at as they come."""
    table = table_of(500, 21).astype(np.float32)
    assert _core.inspect_table(table, 0.0, 1.0) == (500, None, -1, False)
    halls = [Hall(21, rule) for _ in range(3)]
    halls[0].play(table)
    halls[1].play(table, clean=True)
    halls[2].play(table.astype(float), clean=True)
    assert halls[0].bits() == halls[1].bits() == halls[2].bits()


@pytest.mark.parametrize(("rule", "schedule"), CASES)
def test_noise_is_a_table_that_nobody_keeps(rule, schedule):
    """A Bernoulli world gives the bits of the table that its hash spells out, across a change of means."""
    first, second = np.linspace(0.1, 0.9, 21), np.linspace(0.8, 0.2, 21)
    table = noise_table(2**63 + 9, first, 400)
    table[150:] = noise_table(2**63 + 9, second, 400)[150:]
    full, made = Hall(21, rule, schedule), Hall(21, rule, schedule)
    full.play(table)
    made.noise([first, second], 99, key=2**63 + 9, starts=np.array([0, 150]))
    made.noise([first, second], 400, begin=99, key=2**63 + 9, starts=np.array([0, 150]))
    assert made.bits() == full.bits()


def test_a_long_play_comes_up_for_air():
    """A call plays at most 2^20 rounds, so that its caller can be interrupted."""
    hall = Hall(3)
    assert hall.core.play_bernoulli(np.full((1, 3), 0.5), np.zeros(1, np.int64), 1, 0, 2**21) == (2**20, None, -1)


@pytest.mark.parametrize(("rule", "clean"), [*itertools.product(["exp3-p", "exp3"], [True, False])][: fewer(4, 1)])
def test_a_play_of_wide_rows_comes_up_for_air_sooner(rule, clean):
    """Where all numbers of a row are looked at, a call looks at 2^26 of them at most, whichever rule looks."""
    rows = fewer(2100, 100)
    table = np.zeros((rows, 2**15), np.float32)
    played = Hall(2**15, rule, "constant").core.play_table(table, 0, rows, clean=clean)
    assert played == (rows if rule == "exp3" and clean else min(rows, 2**11), None, -1)


def test_runs_differ_and_seeds_differ():
    """The arms that are drawn depend on the seed and on the run."""
    drawn = set()
    for seed, run in ((0, 0), (0, 1), (1, 0), (2**64 - 1, 0)):
        arms = np.zeros(64, np.int32)
        Hall(16, seed=seed, run=run).play(np.zeros((64, 16)), arms=arms)
        drawn.add(tuple(arms))
    assert len(drawn) == 4


# ---- what the ledger keeps


def test_ledger_of_an_anytime_game():
    """Sums over draws of rate, reach and swing are those of the epochs, and the tallies those of the arms drawn."""
    arms, rounds = 21, 1000
    table, drawn = table_of(rounds, arms, 4, 0.3), np.zeros(rounds, np.int32)
    hall = Hall(arms, "exp3-ix")
    hall.play(table, arms=drawn)
    rates, awake = textbook.anytime(rounds, arms), (~np.isnan(table)).sum(1)
    losses = table[np.arange(rounds), drawn]
    expected = {
        "rounds": rounds, "settled": rounds, "late": 0, "lost": 0, "restricted": (awake < arms).sum(),
        "loss": losses.sum(), "mixed": 0,
        "swing": rates @ awake, "rates": rates.sum(), "reach": awake.sum(),
        "first_rate": rates[0], "last_rate": rates[-1], "last_gamma": rates[-1] / 2,
    }  # fmt: skip
    assert expected == pytest.approx({name: hall.number(name) for name in FIELDS}, rel=1e-12)
    assert hall.tallies[DRAWS].tolist() == np.bincount(drawn, minlength=arms).tolist()
    assert np.allclose(hall.tallies[LOSSES], np.bincount(drawn, losses, arms))
    assert hall.tallies[ASLEEP].tolist() == np.isnan(table).sum(0).tolist()
    assert np.allclose(hall.tallies[MISSED], losses @ np.isnan(table))


@pytest.mark.parametrize("rewards", [False, True])
def test_losses_are_stored_in_units(rewards):
    """A range and rewards change what is reported, not what is stored."""
    units = table_of(200, 5)
    plain, scaled = Hall(5), Hall(5, low=-3.0, high=5.0, rewards=rewards)
    plain.play(units)
    losses = 5 - 8 * units if rewards else -3 + 8 * units
    scaled.play(losses)
    for name in Hall.ARRAYS:
        assert np.allclose(getattr(plain, name), getattr(scaled, name), rtol=1e-9)
    scaled.turn(losses[0])
    arm = scaled.core.draw()
    scaled.core.update(arm, losses[1, arm])


# ---- tickets


def test_losses_may_come_late_out_of_order_or_never():
    """Estimates do not depend on when losses come; what was late, lost or left open is counted."""
    hall = Hall(6, "exp3", "constant")
    tickets = [hall.core.open() for _ in range(9)]
    assert [t[1:] for t in tickets] == [(1 / 6, 0.02, number) for number in range(1, 10)]
    for ticket in (tickets[4], tickets[8], tickets[0]):
        hall.core.settle(*ticket, 0.5)
    hall.core.lose(3)
    sums = np.zeros(6)
    for ticket in (tickets[4], tickets[8], tickets[0]):
        sums[ticket[0]] += 0.5 * 6
    assert np.allclose(hall.state[0], sums)
    assert [hall.number(name) for name in ("rounds", "settled", "late", "lost", "loss")] == [9, 3, 2, 1, 1.5]


def test_no_more_draws_are_settled_and_lost_than_were_made():
    """A draw is lost or settled once, whatever number is named, and a bare draw that is open is not one of these."""
    hall = Hall(6)
    ticket = hall.core.open()
    hall.core.lose(1)
    for call in (lambda: hall.core.lose(1), lambda: hall.core.settle(*ticket, 0.5)):
        with pytest.raises(ValueError, match="no such draw"):
            call()
    hall.core.draw()
    for call in (lambda: hall.core.lose(1), lambda: hall.core.settle(ticket[0], 0.5, 0.1, 2, 0.5)):
        with pytest.raises(ValueError, match="no such draw"):
            call()
    assert (hall.number("rounds"), hall.number("settled"), hall.number("lost")) == (2, 0, 1)


def test_a_bare_draw_can_be_lost():
    """The loss of a bare draw may never come: then others are drawn, and the draw counts as lost."""
    hall = Hall(6)
    ticket, arm = hall.core.open(), hall.core.draw()
    with pytest.raises(ValueError, match=f"a draw is open, of arm {arm}: report its loss, or that it is lost"):
        hall.core.draw()
    hall.core.lose(2)
    with pytest.raises(ValueError, match="no draw is open"):
        hall.core.update(arm, 0.5)
    hall.core.settle(*ticket, 0.5)
    hall.core.update(hall.core.draw(), 0.5)
    assert [hall.number(name) for name in ("rounds", "settled", "lost")] == [3, 2, 1]


@settings(deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("rule", ["exp3", "exp3-ix"])
def test_any_order_of_events(rule, data):
    """Whatever comes in whatever order, the estimates are those of a plain twin, and so are the probabilities."""
    arms = data.draw(st.integers(1, 40))
    hall, estimates, implicit = Hall(arms, rule, "constant"), np.zeros(arms), np.zeros(arms)
    eta, gamma = FIXED[rule]["rate"], FIXED[rule]["gamma"]
    waiting: list[tuple[Any, Array]] = []
    for _ in range(data.draw(st.integers(1, 60))):
        action = data.draw(st.sampled_from(["open", "open", "settle", "settle", "lose", "bare", "rebuild", "again"]))
        if action == "open":
            awake = np.array(data.draw(st.lists(st.booleans(), min_size=arms, max_size=arms)))
            awake[data.draw(st.integers(0, arms - 1))] = True
            p = textbook.exponential(eta, estimates, awake)
            assert np.allclose(hall.core.probabilities(awake), p, rtol=1e-9, atol=1e-300)
            ticket = hall.core.open(awake)
            assert awake[ticket[0]]
            assert ticket[1] == pytest.approx(p[ticket[0]], rel=1e-9)
            waiting.append((ticket, awake))
        elif action in ("settle", "lose") and waiting:
            ticket, awake = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
            if action == "lose":
                hall.core.lose(ticket[3])
                continue
            arm, p_arm, _, _ = ticket
            loss = data.draw(st.floats(0, 1))
            hall.core.settle(*ticket, loss, awake)
            careful = loss / (p_arm + gamma)
            estimate = careful if rule == "exp3-ix" else loss / p_arm
            implicit[arm] += careful
            estimates += textbook.at(arm, estimate, arms) - (0 if awake.all() else np.where(awake, estimate * p_arm, 0))
        elif action == "bare":
            arm = hall.core.draw()
            p_arm = textbook.exponential(eta, estimates, np.ones(arms, bool))[arm]
            hall.core.update(arm, 0.25)
            implicit[arm] += 0.25 / (p_arm + gamma)
            estimates[arm] += 0.25 / (p_arm + (gamma if rule == "exp3-ix" else 0))
        elif action == "rebuild":
            hall.core.rebuild()
        elif action == "again":
            hall.core = hall.another_core()
    assert np.allclose(hall.state, [estimates, implicit], rtol=1e-9, atol=1e-9)
    assert np.allclose(hall.core.probabilities(), textbook.exponential(eta, estimates, np.ones(arms, bool)), rtol=1e-9)


@pytest.mark.parametrize("rule", ["exp3", "exp3-ix"])
def test_arms_far_behind_can_be_the_only_ones_awake(rule):
    """Where all arms with weight sleep, the others are drawn by their own proportions."""
    hall = Hall(4, rule, "constant")
    hall.state[0] = [0, 1e9, 1e9 + 10, 1e9 + 20]
    hall.core.rebuild()
    p = hall.core.probabilities(np.array([False, True, True, True]))
    assert np.allclose(p, textbook.exponential(0.05, hall.state[0], np.array([False, True, True, True])))
    assert hall.core.open(np.array([False, False, False, True]))[:2] == (3, 1.0)


# ---- refusals


@pytest.mark.parametrize(("bad", "why"), [(1.5, "out of range"), (-0.1, "out of range"), (np.inf, "out of range")])
@pytest.mark.parametrize(("rule", "schedule"), CASES)
def test_a_bad_row_stops_the_play_before_it(rule, schedule, bad, why):
    """A row with a number outside the range is refused whole, though another arm be drawn; what was played stands."""
    table = table_of(60, 21, 5, 0.1)
    good = Hall(21, rule, schedule)
    good.play(table[:40])
    table[40, 17] = bad
    hall = Hall(21, rule, schedule)
    assert hall.play(table) == (40, why, 17)
    assert hall.bits() == good.bits()
    assert _core.inspect_table(table, 0.0, 1.0) == (40, why, 17, True)


def test_a_row_in_which_all_sleep_stops_the_play():
    """Nobody awake is an error of the row, not of a column."""
    table = table_of(10, 5)
    table[6] = np.nan
    hall = Hall(5)
    assert hall.play(table) == (6, "asleep", -1)
    assert _core.inspect_table(table, 0.0, 1.0) == (6, "asleep", -1, False)
    with pytest.raises(ValueError, match="asleep"):
        hall.core.open(np.zeros(5, bool))
    with pytest.raises(ValueError, match="asleep"):
        hall.core.probabilities(np.zeros(5, bool))
    assert hall.number("rounds") == 6


@pytest.mark.parametrize("loss", [1.0000001, -1e-9, np.nan, np.inf, -np.inf])
def test_bad_losses_change_nothing(loss):
    """A loss outside the range is refused, bare or with a ticket, and the draw still waits."""
    hall = Hall(5)
    ticket = hall.core.open()
    before = hall.bits()
    with pytest.raises(ValueError, match="out of range"):
        hall.core.settle(*ticket, loss)
    assert hall.bits() == before
    hall.core.settle(*ticket, 0.5)
    arm = hall.core.draw()
    before = hall.bits()
    with pytest.raises(ValueError, match="out of range"):
        hall.core.update(arm, loss)
    assert hall.bits() == before
    hall.core.update(arm, 0.5)


def test_bare_calls_come_strictly_in_turn():
    """A bare draw waits for the loss of its own arm, and nothing else may be drawn until then."""
    hall = Hall(5)
    with pytest.raises(ValueError, match="no draw is open"):
        hall.core.update(0, 0.5)
    arm = hall.core.draw()
    for call in (hall.core.draw, hall.core.open, lambda: hall.core.play_table(np.zeros((1, 5)), 0, 1)):
        with pytest.raises(ValueError, match="a draw is open"):
            call()
    for other in ((arm + 1) % 5, -1, 5, 2**40):
        with pytest.raises(ValueError, match="another arm"):
            hall.core.update(other, 0.5)
    hall.core.update(arm, 0.5)
    assert hall.number("rounds") == hall.number("settled") == 1


@pytest.mark.parametrize(
    "ticket", [(5, 0.5, 0.1, 1), (-1, 0.5, 0.1, 1), (0, 0.0, 0.1, 1), (0, 1.5, 0.1, 1), (0, np.nan, 0.1, 1),
               (0, 0.5, -1.0, 1), (0, 0.5, np.nan, 1), (0, 0.5, np.inf, 1), (0, 0.5, 0.1, 0), (0, 0.5, 0.1, 2)]
)  # fmt: skip
def test_no_such_ticket(ticket):
    """A ticket that no draw gave is refused."""
    hall = Hall(5)
    hall.core.open()
    with pytest.raises(ValueError, match="no such draw"):
        hall.core.settle(*ticket, 0.5)


@pytest.mark.parametrize(
    "change", [{"rate": 0.0}, {"rate": -1.0}, {"rate": np.nan}, {"rate": np.inf}, {"gamma": -1.0}, {"gamma": np.nan},
               {"low": 1.0}, {"low": np.nan}, {"high": np.inf}, {"low": -1e308, "high": 1e308},
               {"beta": 2.0}, {"explore": -0.1}, {"share": 1.0}, {"explore": 5e-324}, {"share": 1e-300}]
)  # fmt: skip
def test_parameters_are_checked(change):
    """Parameters outside their ranges make no puller."""
    with pytest.raises(ValueError, match=r"needs a rate|out of its range|range of losses"):
        Hall(5, "exp3", "constant", **change)


def test_shapes_are_checked():
    """Arrays of other shapes or types are refused, and so are masks, tables, curves and advice."""
    hall = Hall(5)
    borrowed = {name: getattr(hall, name) for name in Hall.ARRAYS}
    rest = {"arms": 5, "rate": 0.1, "gamma": 0.1, "seed": 0, "run": 0}
    for name, array in borrowed.items():
        for wrong in (array[..., :-1].copy(), array.astype(np.float32)):
            with pytest.raises(REFUSED):
                _core.Puller("exp3", "constant", **(borrowed | {name: wrong}), **rest)
    for wrong in ("exp5", ""):
        with pytest.raises(ValueError, match="rule"):
            _core.Puller(wrong, "constant", **borrowed, **rest)
    with pytest.raises(ValueError, match="schedule"):
        _core.Puller("exp3", "sometimes", **borrowed, **rest)
    table, marks, curve = np.zeros((4, 5)), np.array([1, 2]), np.zeros(2)
    curves = {"loss_curve": curve, "certificate_curve": curve.copy()}
    for wrong in (
        {"table": np.zeros((4, 6))}, {"table": np.zeros(5)}, {"table": np.zeros((4, 5), int)},
        {"end": 5}, {"begin": -1}, {"begin": 3, "end": 2},
        {"arms": np.zeros(3, np.int32)}, {"advice": np.zeros((4, 3), int)},
        {"marks": marks}, curves, {"marks": marks[::-1].copy()} | curves, {"marks": np.array([1, 2, 3])} | curves,
        {"marks": marks, "shares": np.zeros((2, 4))} | curves, {"shares": np.zeros((2, 5))},
    ):  # fmt: skip
        with pytest.raises(REFUSED):
            hall.core.play_table(**({"table": table, "begin": 0, "end": 4} | wrong))
    for mask in (np.ones(4, bool), np.ones((1, 5), bool)):
        with pytest.raises(REFUSED):
            hall.core.open(mask)
    means, starts = np.full((2, 5), 0.5), np.array([0, 3])
    world = {"means": means, "starts": starts, "noise_key": 0, "begin": 0, "end": 4}
    for wrong in (
        {"means": means[:, :4].copy()}, {"starts": starts[:1]}, {"starts": starts[::-1].copy()}, {"starts": starts + 1},
        {"begin": -1}, {"begin": 5}, {"arms": np.zeros(3, np.int32)}, {"advice": np.zeros((4, 3), int)},
    ):  # fmt: skip
        with pytest.raises(REFUSED):
            hall.core.play_bernoulli(**(world | wrong))
    assert not hall.book.any()


def test_damaged_memory_is_refused():
    """Numbers that no game leaves behind are refused before anything is made of them."""
    damage = {"position": -1.0, "epoch_begin": np.nan, "rate": np.inf, "offset": np.nan, "epoch_end": np.nan}
    for name, value in damage.items():
        hall = Hall(5)
        hall.play(table_of(10, 5))
        hall.memory[MEMORY.index(name)] = value
        for call in (hall.core.draw, hall.core.open, hall.core.rebuild, hall.core.probabilities, hall.another_core):
            with pytest.raises(ValueError, match="damaged"):
                call()
    hall = Hall(5)
    hall.state[0, 2] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        hall.core.rebuild()


@settings(deadline=None)
@given(
    state=st.lists(st.floats(-1e308, 1e308), min_size=20, max_size=20),
    offset=st.floats(-1e308, 1e308),
    rate=st.floats(-1e308, 1e308),
    draws=st.integers(1, 20),
)
@pytest.mark.parametrize("rule", ["exp3", "exp3-ix"])
def test_any_finite_state_can_be_drawn_from(rule, state, offset, rate, draws):
    """Whatever finite numbers stand in the arrays, draws name arms with a probability."""
    hall = Hall(20, rule, "constant")
    hall.core.open()
    hall.state[0], hall.memory[MEMORY.index("offset")], hall.memory[MEMORY.index("rate")] = state, offset, rate
    hall.core.rebuild()
    for _ in range(draws):
        arm, p, _, _ = hall.core.open()
        assert 0 <= arm < 20
        assert 0 < p <= 1


def test_one_thread_at_a_time():
    """While a play runs in another thread, every other call is refused rather than mixed in."""
    hall, rounds = Hall(3, "exp3"), fewer(3 * 2**20, 2**19)
    done = threading.Event()

    def play():
        try:
            hall.noise(np.full(3, 0.5), rounds)
        finally:
            done.set()

    threading.Thread(target=play).start()
    refusals = set()
    while not done.is_set():
        try:
            hall.core.rate()
        except ValueError as error:
            refusals.add(str(error))
    assert refusals == {"this learner is being used by another thread"}
    assert hall.number("rounds") == rounds


@pytest.mark.parametrize("rule", ["exp3", "exp3-ix"])
def test_short_calls_on_many_arms_keep_the_interpreters_lock(rule):
    """Threads that draw and report on one learner in O(log K) are never in each other's way, whatever K."""
    hall, failures = Hall(5000, rule, "constant"), []

    def work():
        try:
            for _ in range(3000):
                hall.core.settle(*hall.core.open(), 0.5)
                hall.core.rate()
        except ValueError as error:
            failures.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert hall.number("settled") == 9000


def test_advice_and_rows_go_to_those_who_ask():
    """Only exp4 takes advice, only hedge takes a row of losses, and neither has bare draws."""
    with pytest.raises(ValueError, match="advice"):
        Hall(3).core.open(None, np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="one loss per arm"):
        Hall(3).core.settle(0, 0.5, 0.1, 1, 0.5, None, None, np.zeros(3))
    hedge, exp4 = Hall(3, "hedge"), Hall(3, "exp4", experts=2)
    for hall in (hedge, exp4):
        with pytest.raises(ValueError, match="bare"):
            hall.core.draw()
    ticket = hedge.core.open()
    with pytest.raises(ValueError, match="one loss per arm"):
        hedge.core.settle(*ticket, 0.5)
    with pytest.raises(ValueError, match="out of range"):
        hedge.core.settle(*ticket, 0.0, None, None, np.array([0.5, 2.0, 0.5]))
    half = [0.5, 0.5, 0.0]
    for advice in (np.array([0, 3]), np.array([half, [0.5, 0.6, 0.0]]), np.array([half, [np.nan, 0, 1]])):
        with pytest.raises(ValueError, match="advice"):
            exp4.core.open(None, advice)
    with pytest.raises(ValueError, match="restricted"):
        exp4.core.open(np.ones(3, bool), np.array([0, 1]))
    table = np.array([[0.5, np.nan, np.nan]])
    assert exp4.play(table, advice=np.array([[0, 1]])) == (0, "asleep", 1)
    assert not exp4.book.any()
    assert exp4.play(table, advice=np.array([[0, 0]])) == (
        1,
        None,
        -1,
    )  # of an arm that nobody advises no more is asked


# ---- worked cases


@pytest.mark.parametrize("case", ["exp3/K3 T8", "exp3ix/K3 T8"])
def test_worked_cases(oracles, case):
    """Probabilities and estimates of the worked traces, the arms being given."""
    known = next(entry for entry in oracles if entry["id"] == case)
    inputs, expected = known["input"], known["expected"]
    rule = "exp3-ix" if "gamma" in inputs else "exp3"
    hall = Hall(3, rule, "constant", rate=inputs["eta"], gamma=inputs.get("gamma", 0.1))
    for row, u, values in zip(inputs["losses"], inputs["uniforms"], expected["rounds"], strict=True):
        p = hall.core.probabilities()
        assert p == pytest.approx(values["p"], abs=1e-9)
        arm = textbook.drawn(p, u)
        _, _, gamma, number = hall.core.open()
        hall.core.settle(arm, p[arm], gamma, number, float(row[arm]))
    assert hall.state[0] == pytest.approx(expected["Lhat"], abs=1e-9)
    assert hall.number("loss") == pytest.approx(expected["total_loss"])
