"""The compiled loop over advice: against its textbook twins, against itself in other pieces, and on hostile input."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless import _core
from regretless.catalogue import expert_class
from regretless.textbook import experts as textbook
from regretless.textbook.experts import aggregating, weighted_majority

from ..catalogue import OWN_RATES
from ..sanitized import fewer

pytestmark = pytest.mark.kernel

FIELDS = _core.expert_fields()
OWN, ABSENT, MISSED_CORE, MISSED_MIX, MISSED_LOSS = range(5)
# The textbook's rules without a common rate, by the kernel's names.
MAKERS = {expert_class(name)()._rules(2).rule: maker for name, maker in OWN_RATES.items()}
RULES = ("hedge", "share", *MAKERS)
SCHEDULES = ("constant", "anytime", "self-tuned")
RATE, ALPHA, TAU = 0.3, 0.1, 0.3

LOSSES = {
    "absolute": (lambda a, y: np.abs(a - y), lambda p, y: np.sign(p - y)),
    "square": (lambda a, y: (a - y) ** 2, lambda p, y: 2 * (p - y)),
    "pinball": (
        lambda a, y: np.where(y >= a, TAU * (y - a), (1 - TAU) * (a - y)),
        lambda p, y: (1 - TAU) * (p > y) - TAU * (p < y),
    ),
    "percentage": (lambda a, y: np.abs(a - y) / np.abs(y), lambda p, y: np.sign(p - y) / np.abs(y)),
    "log": (
        lambda a, y: -y * np.log(np.where(a > 0, a, 0.5)) - (1 - y) * np.log1p(-np.where(a > 0, a, 0.5)),
        lambda p, y: (p - y) / (p * (1 - p)),
    ),
}


class Room:
    """Plain arrays and a combiner over them."""

    def __init__(self, experts: int, rule: str, prior: Any = None, **rest: Any) -> None:
        self.prior = np.full(experts, 1 / experts) if prior is None else prior
        self.state = np.zeros((_core.combiner_rows(rule), experts))
        self.memory = np.zeros(_core.COMBINER_MEMORY)
        self.numbers = np.zeros(len(FIELDS))
        self.tallies = np.zeros((5, experts))
        if rule == "share":
            self.state[0] = self.prior
            rest.setdefault("alpha", ALPHA)
        if rule == "majority":
            rest.setdefault("powers", 0.5 ** np.arange(60))
        rest.setdefault("charge", "table")
        borrowed = (self.state, self.memory, self.numbers, self.tallies, self.prior)
        self.core = _core.Combiner(*borrowed, rule=rule, **rest)
        self.rule, self.experts, self.width = rule, experts, rest.get("width", 1)

    def play(self, advice, outcomes=None, **rest):
        """Verdict, predictions, losses and weights."""
        rounds = len(advice)
        predictions, losses = np.full((rounds, self.width), np.nan), np.full(rounds, np.nan)
        weights = np.full((rounds, self.experts), np.nan)
        verdict = self.core.play(advice, outcomes, predictions=predictions, losses=losses, weights=weights, **rest)
        return verdict, predictions, losses, weights

    def live(self, row, outcome=0.0):
        """Predict and settle one row: the loss."""
        p, prediction = np.empty(self.experts), np.empty(self.width)
        assert self.core.predict(row, p, prediction) == (None, -1)
        loss, why, _ = self.core.settle(row, p, prediction, outcome)
        assert why is None
        return loss

    @property
    def book(self) -> dict[str, float]:
        return dict(zip(FIELDS, self.numbers.tolist(), strict=True))

    def bits(self) -> bytes:
        return self.state.tobytes() + self.memory.tobytes() + self.numbers.tobytes() + self.tallies.tobytes()


def textbook_rule(rule: str, prior: Any, schedule: str = "constant", span: float = 0.0, alpha: float = ALPHA) -> Any:
    """The generator that a composition's names stand for."""
    n = len(prior)
    numerator = np.log(n / alpha) if rule == "share" else np.log(n)
    rates = {
        "constant": textbook.constant(RATE),
        "anytime": textbook.anytime(n, span),
        "self-tuned": textbook.self_tuned(numerator),
    }
    if rule == "hedge":
        return textbook.hedge(prior, rates[schedule])
    if rule == "share":
        return textbook.fixed_share(prior, rates[schedule], alpha)
    return MAKERS[rule](prior, span)


def charged_itself(composition: tuple[str, str], linear: bool = False) -> bool:
    """Whether the rule is charged the loss of the prediction rather than the mix of the experts' losses."""
    return composition == ("hedge", "self-tuned") and not linear


compositions = st.one_of(
    st.tuples(st.sampled_from(["hedge", "share"]), st.sampled_from(SCHEDULES)),
    st.tuples(st.sampled_from(list(MAKERS)), st.just("constant")),
)


@st.composite
def games(draw: Any, low: float = -4.0, high: float = 4.0, sleep: bool | None = None, rounds: int = 25) -> Any:
    """Advice with or without gaps, outcomes, and prior weights."""
    n = draw(st.sampled_from([1, 2, 7, 8, 11, 16, 19]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    skill = random.uniform(0.1, 1, n)
    middle, half = (low + high) / 2, (high - low) / 2
    truth = middle + half * random.uniform(-0.95, 0.95, rounds)
    noise = random.uniform(-0.95, 0.95, (rounds, n)) * half
    advice = ((1 - skill) * truth[:, None] + skill * (middle + noise)).astype(dtype)
    if draw(st.booleans()) if sleep is None else sleep:
        asleep = random.random((rounds, n)) < draw(st.sampled_from([0.1, 0.6]))
        asleep[np.arange(rounds), random.integers(n, size=rounds)] = False
        advice[asleep] = np.nan
    weights = random.random(n) + 0.01 if draw(st.booleans()) else np.ones(n)
    return advice, truth, weights / weights.sum()


def known(advice: Any, loss: str, outcomes: Any) -> tuple[Any, Any]:
    """The advice and the outcomes as the loss wants them."""
    if loss == "log":
        squashed = np.clip(np.abs(advice) / 5, 0.01, 0.99).astype(advice.dtype)
        return squashed, np.abs(outcomes) / 5
    return advice, outcomes


@given(games(), compositions, st.sampled_from(sorted(LOSSES)), st.booleans(), st.sampled_from([0.0, 1.0, 50.0]))
@settings(max_examples=fewer(400, 40))
def test_every_composition_is_the_textbooks(game, composition, name, linear, span):
    """Predictions, losses and weights are those of the textbook: rules, schedules, charges, sleepers, priors, spans."""
    advice, outcomes = known(game[0], name, game[1])
    (rule, schedule), prior, (loss, slope) = composition, game[2], LOSSES[name]
    wide = advice.astype(np.float64)
    twin = textbook_rule(rule, prior, schedule, span)
    itself = charged_itself(composition, linear)
    predictions, paid, history = textbook.combine(twin, wide, outcomes, loss, slope if linear else None, itself=itself)
    room = Room(len(prior), rule, prior, charge=name, schedule=schedule, rate=RATE, span=span, linear=linear, tau=TAU)
    verdict, forecasts, losses, weights = room.play(advice, outcomes)
    assert verdict == (len(advice), None, -1)
    np.testing.assert_allclose(weights, history, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(forecasts[:, 0], predictions, rtol=1e-7, atol=1e-7)
    assert losses.sum() == pytest.approx(paid, rel=1e-7)
    assert room.book["loss"] == pytest.approx(paid, rel=1e-7)
    check_books(room, wide, outcomes, loss, forecasts[:, 0], weights, slope if linear else None, itself)


def check_books(room, advice, outcomes, loss, predictions, weights, slope, itself):
    """Every total, summed once more by numpy."""
    speaks = ~np.isnan(advice)
    forecasts = np.where(speaks, advice, predictions[:, None])
    own = np.where(speaks, loss(forecasts, outcomes[:, None]), 0.0)
    charges = own
    if slope is not None:
        charges = np.where(speaks, slope(predictions, outcomes)[:, None] * (forecasts - predictions[:, None]), 0.0)
    paid = loss(predictions, outcomes)
    mix = paid if itself else (weights * charges).sum(1)
    spreads = np.nanmax(np.where(speaks, charges, np.nan), 1) - np.nanmin(np.where(speaks, charges, np.nan), 1)
    book = room.book
    expected = {
        "rounds": len(advice),
        "loss": paid.sum(),
        "expected": (weights * own).sum(),
        "charge": mix.sum(),
        "delay": 0,
        "spread": spreads.max(),
        "spread2": (spreads**2).sum(),
        "lowest": own[speaks].min(),
        "highest": own[speaks].max(),
        "absent": (~speaks).sum(),
        "mistakes": 0,
        "max_outcome2": (outcomes**2).max(),
    }
    for name, value in expected.items():
        assert book[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name
    regrets = np.where(speaks, mix[:, None] - charges, 0.0)
    sums = book["charge"] - room.state[-1] if room.rule in ("hedge", "share") else room.state[0]
    np.testing.assert_allclose(sums, regrets.sum(0), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(room.tallies[ABSENT], (~speaks).sum(0))
    np.testing.assert_allclose(room.tallies[MISSED_CORE], (mix[:, None] * ~speaks).sum(0), atol=1e-9)
    np.testing.assert_allclose(room.tallies[MISSED_MIX], (mix[:, None] * ~speaks).sum(0), atol=1e-9)
    np.testing.assert_allclose(room.tallies[MISSED_LOSS], (paid[:, None] * ~speaks).sum(0), atol=1e-9)
    np.testing.assert_allclose(room.tallies[OWN], own.sum(0) if slope is not None else 0, rtol=1e-9, atol=1e-9)


@given(games(), compositions)
def test_gaps_are_what_the_charges_exceed_the_mix_losses_by(game, composition):
    """The gaps of a hedge or share are those of the textbook's mix losses, and none is negative."""
    (rule, schedule), (advice, outcomes, prior) = composition, game
    if rule not in ("hedge", "share"):
        return
    room = Room(len(prior), rule, prior, charge="absolute", schedule=schedule, rate=RATE)
    gaps, before = 0.0, room.core.gap()
    assert before == 0
    for row, y in zip(advice.astype(float), outcomes, strict=True):
        eta = room.core.rate()
        p, u, predictions = np.empty(len(prior)), room.state[0].copy(), np.empty(1)
        assert room.core.predict(row, p, predictions) == (None, -1)
        speaks = ~np.isnan(row)
        own = np.abs(np.where(speaks, row, 0) - y)
        h = float(np.abs(predictions[0] - y) if charged_itself(composition) else p @ np.where(speaks, own, 0))
        charges = np.where(speaks, own, h)
        if rule == "share":
            gaps += max(0.0, h - textbook.mix_loss(u, eta, charges))
        else:
            gaps += max(0.0, h - textbook.tempered_mix_loss(prior, eta, u, charges))
        room.live(row, y)
    assert room.core.gap() == pytest.approx(gaps, rel=1e-9, abs=1e-9)


@given(games(), compositions, st.booleans())
def test_a_hedge_pays_no_more_than_its_certificate(game, composition, linear):
    """Regret <= KL / eta + gaps, sleepers or not, for every nonincreasing rate."""
    (rule, schedule), (advice, outcomes, prior) = composition, game
    if rule != "hedge":
        return
    room = Room(len(prior), rule, prior, charge="square", schedule=schedule, rate=RATE, linear=linear)
    room.play(advice, outcomes)
    regrets = room.book["charge"] - room.state[0]
    bound = -np.log(prior) / room.book["last_rate"] + room.core.gap()
    assert (regrets <= bound + 1e-9 * (1 + np.abs(bound))).all()


def charges_of_leaders(rounds: int) -> tuple[np.ndarray[Any, Any], float]:
    """Losses of two groups of 16 experts, the leader's so much larger that quick gaps are logarithms at the edge of
    their series; and the sum of these gaps."""
    sums, table, gaps = np.zeros(2), np.zeros((rounds, 2)), 0.0
    for t in range(rounds):
        eta = 2 * math.sqrt(math.log(32) / (t + 1))
        weights = np.exp(-eta * (sums - sums.min()))
        weights /= weights.sum()
        leader = int(sums.argmin())
        table[t, leader] = c = math.log1p(0.124 / weights[1 - leader]) / eta
        more = weights[1 - leader] * math.expm1(eta * c)
        gaps += c * (weights[leader] - 1) + math.log1p(more) / eta
        sums += table[t]
    return table.repeat(16, axis=1), gaps


def test_quick_gaps_have_all_their_digits():
    """The gaps that blocks of rounds make of a series are those of the logarithm, but for some units of rounding."""
    table, gaps = charges_of_leaders(190)
    room = Room(32, "hedge", schedule="anytime", span=1.0)
    assert room.core.play(table, None)[1] is None
    assert room.core.gap() == pytest.approx(gaps, rel=0, abs=2e-14)


def test_blocks_of_rounds_know_a_small_span():
    """Where charges span less than 1, as was declared, a table leaves the bits of its rows, one by one."""
    table = np.random.default_rng(2).uniform(0.1, 0.3, (640, 5))
    whole, single = (Room(5, "hedge", schedule="anytime", span=0.5) for _ in range(2))
    whole.core.play(table, None)
    for row in table:
        single.core.play(row[None], None)
    assert whole.bits() == single.bits()
    assert whole.book["last_rate"] == pytest.approx(2 * math.sqrt(math.log(5) / 640) / 0.5)


@pytest.mark.parametrize("sleep", [False, True])
def test_gaps_at_a_steep_rate_are_the_textbooks(sleep):
    """Where a round's losses times the rate are beyond the exponential, each gap is that of the formula."""
    random = np.random.default_rng(2)
    losses = random.random((40, 5))
    if sleep:
        losses[random.random(losses.shape) < 0.3] = np.nan
        losses[:, 0] = random.random(40)
    prior, gaps, steep = np.full(5, 0.2), 0.0, 0
    room = Room(5, "hedge", schedule="anytime", span=1e-5)
    rule, sums = textbook.hedge(prior, textbook.anytime(5, 1e-5)), np.zeros(5)
    next(rule)
    for t, row in enumerate(losses, 1):
        speaks, eta = ~np.isnan(row), textbook.anytime(5, 1e-5)(t, 0, 0)
        p = rule.send(speaks)
        h = float(p @ np.nan_to_num(row))
        c = np.where(speaks, row, h)
        steep += eta * (h - c.min()) > 600
        gaps += max(0.0, h - textbook.tempered_mix_loss(prior, eta, sums, c))
        sums = sums + c
        rule.send((c, h))
    room.play(losses)
    assert steep > 5
    assert room.core.gap() == pytest.approx(gaps, rel=1e-9)


@given(games(), st.sampled_from(["prod", "boa", "squint", "poly"]), st.booleans())
def test_second_order_rules_keep_their_promises(game, rule, linear):
    """The observed potentials bound the regret of every expert."""
    advice, outcomes, prior = game
    room = Room(len(prior), rule, prior, charge="square", linear=linear)
    room.play(advice, outcomes)
    rates = np.empty(len(prior))
    room.core.rates(rates)
    regret, squares = room.state[0], room.state[-1]
    if rule == "poly":
        largest = room.memory[5]
        bound = np.sqrt(room.book["drag"] * (largest + squares) / prior)
    elif rule == "squint":
        first, largest = room.memory[6], room.memory[5]
        j = np.arange(30)
        etas = 0.5**j / (2 * first) if first else np.ones(30)
        active = etas * 2 * largest <= 1
        gamma = 1 / ((j + 1) * (j + 2))
        each = (room.core.log_potential() - np.log(prior[:, None] * gamma)) / etas + etas * squares[:, None]
        bound = each[:, active].min(1)
        powers = np.exp(etas * regret[:, None] - etas**2 * squares[:, None])
        assert room.core.log_potential() == pytest.approx(
            np.log(prior @ (powers * gamma)[:, active].sum(1)) if first else 0, rel=1e-9, abs=1e-9
        )
    else:
        gains = room.state[1]
        bound = (room.core.log_potential() - np.log(prior)) / rates + regret - gains
        assert room.core.log_potential() == pytest.approx(np.log(prior @ np.exp(rates * gains)), rel=1e-9, abs=1e-9)
    assert (regret <= bound + 1e-9 * (1 + np.abs(bound))).all()


@given(games(sleep=False), st.sampled_from([0.0, 0.5, 0.25]), st.booleans())
def test_the_majority_is_the_textbooks(game, beta, always):
    """Mistakes, predictions and weights of a vote on bits."""
    advice, labels = (game[0] > 0).astype(game[0].dtype), (game[1] > 0).astype(np.float64)
    mistakes, predictions, weights = weighted_majority(advice.astype(float), labels, beta, always)
    powers = np.cumprod([1.0, *[beta] * 1100])
    room = Room(advice.shape[1], "majority", charge="zero-one", powers=powers, always=always)
    _, forecasts, losses, _ = room.play(advice, labels)
    np.testing.assert_array_equal(forecasts[:, 0], predictions)
    assert room.book["mistakes"] == room.book["loss"] == losses.sum() == mistakes
    np.testing.assert_allclose(powers[room.state[0].astype(int)], weights)
    np.testing.assert_array_equal(room.tallies[OWN], (advice != labels[:, None]).sum(0))


@given(games(-1, 3, sleep=False))
def test_the_aggregating_algorithm_is_the_textbooks(game):
    """Substituted predictions and weights, and the constant regret."""
    advice, outcomes, _ = game
    n = advice.shape[1]
    predictions, weights = aggregating(advice.astype(float), outcomes, -1, 3)
    room = Room(n, "hedge", charge="square", rate=2 / 16, low=-1.0, high=3.0, substitute=True)
    _, forecasts, losses, _ = room.play(advice, outcomes)
    np.testing.assert_allclose(forecasts[:, 0], predictions, rtol=1e-9, atol=1e-9)
    now = np.empty(n)
    room.core.weights(now)
    np.testing.assert_allclose(now, weights, rtol=1e-9, atol=1e-12)
    assert room.book["charge"] == room.book["loss"]
    assert losses.sum() - room.state[0].min() <= 8 * np.log(n) + 1e-9
    assert room.core.gap() <= 1e-9


@given(st.integers(0, 2**32), st.integers(2, 5), st.sampled_from(["square", "log"]), st.booleans(), st.booleans())
def test_vectors_are_charged_by_plain_numpy(seed, width, charge, linear, sleep):
    """Brier and log losses of probability vectors, linear or not, some of them missing."""
    random = np.random.default_rng(seed)
    advice = random.dirichlet(np.ones(width), (12, 9))
    outcomes = np.eye(width)[random.integers(width, size=12)]
    if sleep:
        advice[random.random((12, 9)) < 0.3, 0] = np.nan
        advice[:, 4] = 1 / width
    room = Room(9, "hedge", charge=charge, rate=RATE, linear=linear, width=width)
    verdict, predictions, losses, weights = room.play(advice, outcomes)
    assert verdict[1] is None
    sums, charged = np.zeros(9), 0.0
    for t, (forecasts, y) in enumerate(zip(advice, outcomes, strict=True)):
        speaks = ~np.isnan(forecasts).any(1)
        p = textbook.tempered(np.full(9, 1 / 9), RATE, sums, speaks)
        mean = p[speaks] @ forecasts[speaks]
        np.testing.assert_allclose(weights[t], p, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(predictions[t], mean, rtol=1e-9, atol=1e-12)

        def loss(a, y=y):
            return -np.log(a @ y) if charge == "log" else ((a - y) ** 2).sum(-1)

        slope = -y / (mean @ y) if charge == "log" else 2 * (mean - y)
        c = np.where(speaks, (forecasts - mean) @ slope if linear else loss(forecasts), 0.0)
        h = float(p @ c)
        sums, charged = sums + np.where(speaks, c, h), charged + h
        assert losses[t] == pytest.approx(float(loss(mean)), rel=1e-9)
    np.testing.assert_allclose(room.state[0], sums, rtol=1e-9, atol=1e-9)
    assert room.book["charge"] == pytest.approx(charged, abs=1e-9)


@given(games(-1, 1), compositions)
def test_wealth_is_charged_by_its_gradient(game, composition):
    """Price relatives: minus the logarithm of the mixed relative is paid, and linear charges teach."""
    (rule, schedule), prior, prices = composition, game[2], np.exp(game[0])
    room = Room(len(prior), rule, prior, charge="wealth", schedule=schedule, rate=RATE, low=0.0)
    verdict, predictions, losses, weights = room.play(prices)
    assert verdict[1] is None
    twin = textbook_rule(rule, prior, schedule)
    wide = prices.astype(np.float64)
    forecasts, paid, history = textbook.combine(
        twin, wide, np.zeros(len(wide)), lambda a, y: -np.log(np.where(a > 0, a, 1)), lambda p, y: -1 / p
    )
    np.testing.assert_allclose(weights, history, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(predictions[:, 0], forecasts, rtol=1e-7)
    assert losses.sum() == pytest.approx(paid, rel=1e-7, abs=1e-9)


@given(games(), st.sampled_from([2, 5]))
def test_values_are_voted_on(game, kinds):
    """Under zero-one charges the value with most weight is predicted, the larger one of two that have as much."""
    advice, outcomes, prior = np.round(game[0] * kinds / 4), np.round(game[1] * kinds / 4), game[2]
    room = Room(len(prior), "hedge", prior, charge="zero-one", rate=RATE)
    _, predictions, losses, weights = room.play(advice, outcomes)
    for t, row in enumerate(advice):
        values = np.unique(row[~np.isnan(row)])
        support = np.array([weights[t][row == value].sum() for value in values])
        assert support[values == predictions[t, 0]] == pytest.approx(support.max(), rel=1e-12)
        speaks = ~np.isnan(row)
        assert losses[t] == pytest.approx(weights[t][speaks] @ (row[speaks] != outcomes[t]), abs=1e-12)
    assert room.book["mistakes"] == (predictions[:, 0] != outcomes).sum()


@given(games(), compositions, st.sampled_from(["absolute", "log", "table", "zero-one"]), st.booleans())
def test_all_instruction_sets_give_the_same_bits(game, composition, charge, linear):
    """State, books, predictions, losses and weights, on every instruction set."""
    (rule, schedule), prior = composition, game[2]
    advice, outcomes = known(game[0], charge, game[1])
    linear = linear and charge in LOSSES
    names, before = set(), _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            room = Room(len(prior), rule, prior, charge=charge, schedule=schedule, rate=RATE, linear=linear)
            _, *bits = room.play(advice, None if charge == "table" else outcomes)
            rates = np.empty(len(prior))
            room.core.rates(rates)
            numbers = np.array([room.core.gap(), room.core.rate(), room.core.log_potential(), *rates])
            names.add(room.bits() + b"".join(one.tobytes() for one in (*bits, numbers)))
    finally:
        _core.use_isa(before)
    assert len(names) == 1


@given(games(), compositions, st.sampled_from(["absolute", "table", "zero-one"]), st.booleans())
def test_single_rounds_pieces_and_one_table_give_the_same_bits(game, composition, charge, linear):
    """A table, the same table in pieces, one round at a time, and float32 as float64: one and the same state."""
    (rule, schedule), (advice, outcomes, prior) = composition, game
    linear = linear and charge in LOSSES

    def fresh():
        return Room(len(prior), rule, prior, charge=charge, schedule=schedule, rate=RATE, linear=linear)

    given_outcomes = None if charge == "table" else outcomes
    whole, pieces, live, wide = fresh(), fresh(), fresh(), fresh()
    _, predictions, losses, _ = whole.play(advice, given_outcomes)
    for begin in range(0, len(advice), 7):
        _, part, _, _ = pieces.play(advice, given_outcomes, begin=begin, end=min(begin + 7, len(advice)))
        stretch = slice(begin, begin + 7)
        np.testing.assert_array_equal(part[stretch], predictions[stretch])
    paid = [live.live(row, 0.0 if charge == "table" else float(y)) for row, y in zip(advice, outcomes, strict=True)]
    np.testing.assert_array_equal(paid, losses)
    wide.play(advice.astype(np.float64), given_outcomes)
    assert whole.bits() == pieces.bits() == live.bits() == wide.bits()


@pytest.mark.parametrize(("experts", "rounds"), [(2, 5000), (70, 200), (5000, 70)])
def test_long_tables_of_float32_are_played_as_float64(experts, rounds):
    """However many rounds are made double precision at a time, nothing that is written differs, nor what is refused."""
    random = np.random.default_rng(experts)
    advice, outcomes = random.random((rounds, experts), np.float32), random.random(rounds)
    advice[random.random((rounds, experts)) < 0.01] = np.nan
    advice[:, 0] = 0.5
    names, late = [], rounds - 3
    for table in (advice, advice.astype(np.float64)):
        room, chosen = Room(experts, "hedge", charge="square", rate=RATE), np.empty(rounds, np.int64)
        verdict, *written = room.play(table, outcomes, uniforms=np.full(rounds, 0.3), chosen=chosen)
        assert verdict == (rounds, None, -1)
        table[late, 1] = np.inf
        again = Room(experts, "hedge", charge="square", rate=RATE)
        assert again.core.play(table, outcomes, begin=2) == (late, "not finite", 1)
        names.append([room.bits(), again.bits(), chosen.tobytes(), *(one.tobytes() for one in written)])
    assert names[0] == names[1]


@pytest.mark.parametrize("isa", _core.isas())
@pytest.mark.parametrize("charge", ["table", "absolute", "square", "pinball", "percentage"])
@pytest.mark.parametrize("composition", [*[("hedge", schedule) for schedule in SCHEDULES], ("poly", "constant")])
def test_rounds_that_are_played_at_once_give_the_bits_of_single_ones(composition, charge, isa):
    """Without weights asked for, usual rounds take shorter ways: state, books and losses are the same."""
    (rule, schedule), random, before = composition, np.random.default_rng(7), _core.isa()
    try:
        _core.use_isa(isa)
        for n, rounds, linear in (
            (1, 40, False),
            (2, 70, True),
            (4, 70, False),
            (5, 49, False),
            (10, 130, False),
            (13, 80, True),
            (16, 70, False),
            (20, 70, False),
            (33, 60, False),
        ):
            advice, outcomes = random.random((rounds, n)) / 4, random.random(rounds) + 0.5
            advice[rounds // 2, 0] = np.nan  # an expert is silent once, and once a loss is large
            advice[rounds // 4, n // 2] = 900.0
            table, prior = charge == "table", random.random(n) + 0.1
            rest = {"schedule": schedule, "rate": RATE, "linear": linear and not table, "charge": charge, "tau": TAU}
            if n == 1:
                advice = np.nan_to_num(advice)
            at_once, single = Room(n, rule, prior / prior.sum(), **rest), Room(n, rule, prior / prior.sum(), **rest)
            losses = np.empty(rounds)
            verdict = at_once.core.play(advice, None if table else outcomes, losses=losses)
            assert verdict == (rounds, None, -1)
            paid = [single.live(row, 0.0 if table else float(y)) for row, y in zip(advice, outcomes, strict=True)]
            np.testing.assert_array_equal(losses, paid)
            assert at_once.bits() == single.bits()
    finally:
        _core.use_isa(before)


@given(games(), compositions, st.sampled_from(["absolute", "square"]), st.booleans())
def test_charges_from_elsewhere_teach_the_same(game, composition, charge, linear):
    """Losses and charges found by numpy move the state as the kernel's own do."""
    (rule, schedule), (advice, outcomes, prior), (loss, slope) = composition, game, LOSSES[charge]
    if charged_itself(composition, linear):  # losses that are given are mixed
        return
    options = {"schedule": schedule, "rate": RATE, "linear": linear}
    known_room, forecasts = (
        Room(len(prior), rule, prior, charge=charge, **options),
        Room(len(prior), rule, prior, **options),
    )
    known_room.play(advice, outcomes)
    p, prediction = np.empty(len(prior)), np.empty(1)
    for row, y in zip(advice.astype(np.float64), outcomes, strict=True):
        assert forecasts.core.predict(row, p, prediction) == (None, -1)
        own = loss(row, y)
        charges = slope(prediction[0], y) * (row - prediction[0]) if linear else own
        mix = float(np.nansum(p * own))
        assert forecasts.core.settle_charges(own, charges, p, float(loss(prediction[0], y)), mix) is None
    np.testing.assert_allclose(forecasts.state, known_room.state, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(forecasts.tallies, known_room.tallies, rtol=1e-9, atol=1e-9)
    expected = np.where(np.array(FIELDS) == "max_outcome2", 0, known_room.numbers)
    np.testing.assert_allclose(forecasts.numbers, expected, rtol=1e-9, atol=1e-9)


def slots_of(settle, starts, rounds):
    """A place for each row's weights, as many as wait at once."""
    slots, free, room = np.zeros(rounds, np.int64), [], 0
    for row in range(rounds):
        free += [slots[done] for done in settle[starts[row] : starts[row + 1]]]
        if not free:
            free, room = [room], room + 1
        slots[row] = free.pop()
    return slots, room


@given(games(), compositions, st.integers(0, 2**32), st.booleans(), st.sampled_from([1, 4, 40]))
def test_late_outcomes_are_settled_as_a_slow_loop_does(game, composition, seed, linear, longest):
    """Delays of all lengths, outcomes out of order: predictions, losses, state, and what the delay cost."""
    (rule, schedule), (advice, outcomes, prior) = composition, game
    rounds, n = advice.shape
    when = np.minimum(np.arange(rounds) + np.random.default_rng(seed).integers(1, longest + 1, rounds), rounds)
    settle = np.argsort(when, kind="stable").astype(np.int64)
    starts = np.searchsorted(when[settle], np.arange(rounds + 2)).astype(np.int64)
    starts[-1] = rounds
    slots, size = slots_of(settle, starts, rounds)
    options = {"charge": "square", "schedule": schedule, "rate": RATE, "linear": linear}
    late, slow = Room(n, rule, prior, **options), Room(n, rule, prior, **options)
    predictions, losses, weights = np.empty((rounds, 1)), np.empty(rounds), np.empty((rounds, n))
    verdict = late.core.play_delayed(
        advice, outcomes, settle, starts, slots, np.empty((size, n)),
        predictions=predictions, losses=losses, weights=weights,
    )  # fmt: skip
    assert verdict == (rounds, None, -1)

    forecasts, rest, paid, cost = np.empty((rounds, 1)), np.empty((rounds, n)), np.empty(rounds), 0.0
    for t in range(rounds + 1):
        for row in settle[starts[t] : starts[t + 1]]:
            q, other = np.empty(n), np.empty(1)
            slow.core.predict(advice[row], q, other)
            spoken, error = advice[row].astype(float), forecasts[row, 0] - outcomes[row]
            c = 2 * error * (spoken - forecasts[row, 0]) if linear else (spoken - outcomes[row]) ** 2
            mean = float(np.nansum((rest[row] - q) * c))
            cost += error**2 - (other[0] - outcomes[row]) ** 2 if charged_itself(composition, linear) else mean
            paid[row], why, _ = slow.core.settle(advice[row], rest[row], forecasts[row], float(outcomes[row]))
            assert why is None
        if t < rounds:
            slow.core.predict(advice[t], rest[t], forecasts[t])
    np.testing.assert_array_equal(predictions, forecasts)
    np.testing.assert_array_equal(losses, paid)
    np.testing.assert_array_equal(weights, rest)
    assert late.bits() == slow.bits()
    assert late.book["delay"] == pytest.approx(cost, rel=1e-9, abs=1e-9)
    assert late.book["loss"] == pytest.approx(((predictions[:, 0] - outcomes) ** 2).sum())
    if longest == 1:
        prompt = Room(n, rule, prior, **options)
        prompt.play(advice, outcomes)
        assert prompt.bits() == late.bits()
        assert late.book["delay"] == 0


@given(games(0, 1), st.integers(1, 9))
def test_what_delay_costs_the_aggregating_algorithm(game, late):
    """Its rule is charged what it would predict on arrival; the regret of that stays constant."""
    advice, outcomes, prior = game
    rounds, n = advice.shape
    rows, when = np.arange(rounds, dtype=np.int64), np.minimum(np.arange(rounds) + late, rounds)
    starts = np.searchsorted(when, np.arange(rounds + 2)).astype(np.int64)
    starts[-1] = rounds
    room = Room(n, "hedge", prior, charge="square", rate=2.0, low=0.0, high=1.0, substitute=True)
    losses = np.empty(rounds)
    verdict = room.core.play_delayed(
        advice, outcomes, rows, starts, rows, np.empty((rounds, n)), predictions=np.empty((rounds, 1)), losses=losses
    )
    assert verdict == (rounds, None, -1)
    assert room.book["loss"] == pytest.approx(losses.sum())
    assert room.book["charge"] + room.book["delay"] == pytest.approx(losses.sum())
    regrets = room.book["charge"] - room.state[0]
    assert (regrets <= -np.log(prior) / 2 + 1e-9).all()
    if late == 1:
        assert room.book["delay"] == 0


@given(games(), st.integers(0, 2**32))
def test_draws_follow_the_weights(game, seed):
    """The expert drawn is where the running sum of the weights passes the number drawn."""
    advice, outcomes, prior = game
    room = Room(len(prior), "hedge", prior, charge="absolute", rate=RATE)
    uniforms, chosen = np.random.default_rng(seed).random(len(advice)), np.full(len(advice), -1, np.int64)
    _, _, _, weights = room.play(advice, outcomes, uniforms=uniforms, chosen=chosen)
    drawn = [min(int((np.cumsum(p) <= u).sum()), len(p) - 1) for p, u in zip(weights, uniforms, strict=True)]
    np.testing.assert_array_equal(chosen, drawn)
    paid = np.abs(advice[np.arange(len(advice)), chosen].astype(float) - outcomes).sum()
    assert room.book["sampled"] == pytest.approx(paid)


COMPLAINTS = (
    ("square", {}, np.inf, 0.5, "not finite", 2),
    ("square", {"low": 0.0, "high": 1.0}, 1.5, 0.5, "out of range", 2),
    ("square", {"low": 0.0, "high": 1.0}, 0.5, -0.5, "out of range", -1),
    ("square", {}, 0.5, np.nan, "outcome", -1),
    ("square", {}, 0.5, -np.inf, "not finite", -1),
    ("square", {}, 1e200, 0.5, "infinite loss", 2),
    ("absolute", {}, 1.7e308, 0.5, "infinite loss", 2),
    ("absolute", {}, 2e145, 0.5, "infinite loss", 2),
    ("absolute", {}, 0.5, -1e145, "infinite loss", -1),
    ("table", {}, -2e145, 0.5, "infinite loss", 2),
    ("log", {}, 0.0, 1.0, "infinite loss", 2),
    ("log", {}, -0.1, 1.0, "out of range", 2),
    ("percentage", {}, 0.5, 0.0, "out of range", -1),
    ("percentage", {}, 0.5, -1e-291, "out of range", -1),
    ("wealth", {}, 0.0, 0.5, "out of range", 2),
    ("table", {"low": 0.0, "high": 1.0}, -1e-9, 0.5, "out of range", 2),
    ("table", {}, -np.inf, 0.5, "not finite", 2),
)


@pytest.mark.parametrize(("charge", "options", "message", "outcome", "why", "column"), COMPLAINTS)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("experts", [5, 8])
def test_a_round_that_cannot_be_played_leaves_no_trace(rule, experts, charge, options, message, outcome, why, column):
    """What is wrong, where, and nothing learned of it, in a table, late, and live."""
    advice, outcomes = np.full((4, experts), 0.25), np.full(4, 0.5)
    advice[:, 1], advice[2, 0] = 0.75, np.nan
    good, bad = Room(experts, rule, charge=charge, **options), Room(experts, rule, charge=charge, **options)
    good.play(advice[:2], outcomes[:2])
    advice[2, 2], outcomes[2] = message, outcome
    verdict, *_ = bad.play(advice, outcomes)
    assert verdict == (2, why, column)
    assert bad.bits() == good.bits()
    p, prediction = np.full(experts, 1 / experts), np.full(1, 0.5)
    result, place = bad.core.predict(advice[2], p, prediction)
    if result is None:
        _, result, place = bad.core.settle(advice[2], p, prediction, outcome)
    assert (result, place) == (why, column)
    assert bad.bits() == good.bits()
    rows = np.arange(4, dtype=np.int64)
    late = Room(experts, rule, charge=charge, **options)
    verdict = late.core.play_delayed(
        advice, outcomes, rows, np.array([0, 0, 1, 2, 3, 4]), rows, np.empty((4, experts)), predictions=np.empty((4, 1))
    )
    assert verdict == (2, why, column)


@pytest.mark.parametrize("rule", RULES)
def test_a_round_in_which_all_are_silent_is_refused(rule):
    """Nobody speaks: the round is not played."""
    room = Room(3, rule, charge="absolute")
    assert room.play(np.array([[0.1, 0.2, 0.3], [np.nan] * 3]), np.zeros(2))[0] == (1, "asleep", -1)


def test_a_majority_takes_bits_only():
    """Anything else than 0 and 1 is refused, in advice and outcome."""
    advice = np.array([[0.0, 1.0, np.nan], [1.0, 1.0, 0.5]])
    assert Room(3, "majority", charge="zero-one").play(advice, np.ones(2))[0] == (1, "not binary", 2)
    assert Room(3, "majority", charge="zero-one").play(advice, np.full(2, 0.25))[0] == (0, "not binary", -1)


def test_certain_and_wrong_is_forgiven_by_the_aggregating_algorithm_alone():
    """An expert that gave no chance to what came loses its weight for good, and nobody else's is harmed."""
    advice, outcomes = np.array([[0.0, 0.5, 0.9], [0.0, 0.5, 0.6], [0.3, 0.4, 0.5]]), np.ones(3)
    room = Room(3, "hedge", charge="log", rate=1.0, substitute=True)
    verdict, predictions, losses, weights = room.play(advice, outcomes)
    assert verdict == (3, None, -1)
    assert weights[1, 0] == weights[2, 0] == 0
    likelihoods = np.cumprod(advice, axis=0)
    np.testing.assert_allclose(np.exp(-losses.cumsum()), likelihoods.mean(1))
    assert np.isfinite(predictions).all()
    assert Room(3, "hedge", charge="log").play(advice, outcomes)[0] == (0, "infinite loss", 0)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("scale", [1e300, 1e140, 1e-140, 1e-300, 5e-324])
def test_losses_of_any_size_give_weights(rule, schedule, scale):
    """Huge and tiny losses: weights are numbers that sum to one, or the loss is refused as too large to square."""
    losses = np.random.default_rng(0).random((50, 13)) * scale
    room = Room(13, rule, schedule=schedule)
    verdict, _, _, weights = room.play(losses)
    if scale > 1e150:
        assert verdict[:2] == (0, "infinite loss")
        return
    assert verdict == (50, None, -1)
    np.testing.assert_allclose(weights.sum(1), 1)
    assert np.isfinite(room.state).all()
    now = np.empty(13)
    room.core.weights(now)
    assert now.sum() == pytest.approx(1)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_scaled_losses_give_the_same_weights_to_rules_without_a_unit(schedule):
    """AdaHedge and the anytime rate ask for no range: a power of two times the losses changes no weight."""
    losses = np.random.default_rng(1).random((200, 10))
    if schedule == "constant":
        return
    plain, scaled = (Room(10, "hedge", schedule=schedule).play(losses * unit)[3] for unit in (1.0, 2.0**40))
    np.testing.assert_array_equal(plain, scaled)


@pytest.mark.parametrize("schedule", ["anytime", "self-tuned"])
@pytest.mark.parametrize("experts", [9, 10, 13, 16])
def test_shifted_losses_give_the_same_weights(schedule, experts):
    """A constant added to all losses changes no weight beyond rounding, however large it is."""
    losses = np.random.default_rng(4).random((100, experts))
    plain, shifted = (Room(experts, "hedge", schedule=schedule).play(losses + by)[3] for by in (0.0, 1e6))
    np.testing.assert_allclose(shifted, plain, atol=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_a_million_rounds_do_no_harm(rule):
    """After 10^6 rounds weights are finite, and sums are what exact sums say."""
    block = np.random.default_rng(2).random((fewer(10_000, 2_000), 5))
    room = Room(5, rule, schedule="anytime" if rule == "hedge" else "constant", rate=0.1)
    blocks = fewer(100, 2)
    for _ in range(blocks):
        assert room.core.play(block, None)[1] is None
    weights = np.empty(5)
    room.core.weights(weights)
    assert np.isfinite(weights).all()
    assert weights.sum() == pytest.approx(1)
    assert np.isfinite(room.state).all()
    exact = np.array([np.sum(np.sort(column)) for column in block.T]) * blocks
    sums = room.state[-1] if rule in ("hedge", "share") else room.book["charge"] - room.state[0]
    np.testing.assert_allclose(sums, exact, rtol=1e-10)


@pytest.mark.parametrize("rule", RULES)
def test_steep_rates_cannot_overflow(rule):
    """A rate at which every exponent is out of range still gives weights and gaps."""
    losses = np.random.default_rng(3).random((40, 9))
    room = Room(9, rule, rate=1e6, alpha=0.01 if rule == "share" else 0.0)
    _, _, _, weights = room.play(losses)
    np.testing.assert_allclose(weights.sum(1), 1)
    assert np.isfinite(room.core.gap())
    if rule == "hedge":
        assert room.core.gap() <= room.book["charge"] - losses.sum(0).min() + 1e-9


def test_names_and_shapes_are_checked():
    """Unknown names and arrays that do not fit are refused before anything is played."""
    with pytest.raises(ValueError, match="no rule is called"):
        _core.combiner_rows("best")
    with pytest.raises(ValueError, match="no charge is called"):
        Room(3, "hedge", charge="pain")
    with pytest.raises(ValueError, match="powers"):
        Room(3, "majority", charge="absolute")
    with pytest.raises(ValueError, match="slope"):
        Room(3, "hedge", charge="zero-one", linear=True)
    room = Room(3, "hedge", charge="absolute")
    with pytest.raises(ValueError, match="outcomes are missing"):
        room.core.play(np.zeros((2, 3)), None)
    with pytest.raises(ValueError, match="advice has the wrong shape"):
        room.core.play(np.zeros((2, 4)), np.zeros(2))
    with pytest.raises(ValueError, match="one outcome per round"):
        room.core.play(np.zeros((2, 3)), np.zeros(3))
    rows, pool = np.arange(2, dtype=np.int64), np.empty((2, 3))
    with pytest.raises(ValueError, match="does not wait"):
        room.core.play_delayed(
            np.zeros((2, 3)), np.zeros(2), rows, np.array([0, 1, 1, 2]), rows, pool, predictions=np.empty((2, 1))
        )
    with pytest.raises(ValueError, match="slot is taken"):
        room.core.play_delayed(
            np.zeros((2, 3)), np.zeros(2), rows, np.array([0, 0, 0, 2]), rows * 0, pool, predictions=np.empty((2, 1))
        )


@pytest.mark.parametrize("beta", [0.0, 0.5])
def test_a_majority_counts_no_mistakes_below_zero(beta):
    """Whatever numbers a state from elsewhere holds, votes are powers of beta."""
    strange = np.array([-1e300, -5.0, -np.inf, np.nan, np.inf, 0.0, 1e300, -0.5, 1.0])
    for state in (strange, np.full(9, np.nan), np.full(9, -np.inf), -strange):
        room = Room(9, "majority", charge="zero-one", powers=beta ** np.arange(3.0))
        room.state[0] = state
        weights = np.empty(9)
        room.core.weights(weights)
        assert weights.sum() == pytest.approx(1)
        assert set(weights / weights.max()) <= {*(beta ** np.arange(3.0)), 0.0}


@pytest.mark.parametrize("width", [0, -1, -(2**62), 2**40, 2**62, 2**63 - 1])
def test_a_row_that_no_memory_could_hold_is_refused(width):
    """A width by which sizes would overflow is refused before anything is set aside."""
    with pytest.raises(ValueError, match=r"from one number to 2\*\*40"):
        Room(3, "hedge", charge="square", width=width)


def test_one_thread_at_a_time_plays():
    """While one thread plays, each call of another one is refused, and no round is lost."""
    advice = np.random.default_rng(0).uniform(-1, 1, (fewer(20_000, 2_000), 64))
    room, alone = Room(64, "squint"), Room(64, "squint")
    alone.play(advice)
    p, predictions, waiting = np.empty(64), np.empty(1), np.zeros(room.core.room)
    calls = {
        "play": lambda: room.core.play(advice[:1], None),
        "predict": lambda: room.core.predict(advice[0], p, predictions),
        "settle": lambda: room.core.settle(advice[0], p, predictions, 0.0),
        "settle_charges": lambda: room.core.settle_charges(advice[0], advice[0], p, 0.0, 0.0),
        "open": lambda: room.core.open(advice[0], waiting),
        "close": lambda: room.core.close(waiting, 0.0),
        "weights": lambda: room.core.weights(p),
        "rates": lambda: room.core.rates(p),
        "rate": room.core.rate,
        "log_potential": room.core.log_potential,
        "gap": room.core.gap,
    }
    player = threading.Thread(target=room.core.play, args=(advice, None))
    player.start()
    while player.is_alive():  # until it plays: weights may be asked for at any time
        try:
            room.core.weights(p)
        except ValueError:
            break
    for call in calls.values():
        with pytest.raises(ValueError, match="this learner is being used by another thread"):
            call()
    player.join()
    assert room.bits() == alone.bits()
    for name in ("open", "close", "predict", "weights", "gap"):
        calls[name]()
    assert room.book["rounds"] == len(advice) + 1


def test_a_refusal_leaves_the_combiner_free():
    """After a round or an argument that was refused the next call is served."""
    room = Room(3, "hedge", charge="absolute")
    waiting = np.empty(room.core.room)
    assert room.core.open(np.full(3, np.inf), waiting) == ("not finite", 0)
    with pytest.raises(ValueError, match="advice has the wrong shape"):
        room.core.open(np.zeros(4), waiting)
    assert room.core.open(np.zeros(3), waiting) == 0.0
    assert room.core.close(waiting, 1.0) == 1.0
