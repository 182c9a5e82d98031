"""UCB1, MOSS, KL-UCB and Thompson sampling: the compiled rules by the book's, and theorems for independent draws."""

from __future__ import annotations

from dataclasses import replace
from math import log, nan, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless
from regretless.bandits import KLUCB, MOSS, UCB1, ThompsonSampling, simulate
from regretless.bandits.state import KNOWN
from regretless.comparator import BanditComparator
from regretless.environments import Bernoulli, MostDrawnLoses, Switching
from regretless.errors import ModelError, RegretlessError
from regretless.ledger import BanditLedger
from regretless.persist.format import read_model, write_model
from regretless.textbook import bandits as book
from regretless.theory import bandits as theory
from regretless.theory.bandit_facts import BanditFacts

from ..examples import at_most
from ..known import Assumes, Known, known, says_its_number
from ..sanitized import fewer

ROUNDS = 60
INDICES = {
    "ucb1": (UCB1, {}, book.ucb1),
    "moss": (MOSS, {"horizon": 300}, book.moss(300)),
    "kl-ucb": (KLUCB, {}, book.kl_ucb),
}
TABLES = st.tuples(st.integers(0, 10**6), st.integers(1, 9), st.sampled_from([0.0, 0.3]))


def table_of(seed, arms, gaps):
    """Losses of 0 and 1, or between; some arms asleep, but never all."""
    random = np.random.default_rng(seed)
    table = random.random((ROUNDS, arms))
    if seed % 2:
        table = np.round(table)
    table[random.random((ROUNDS, arms)) < gaps] = nan
    table[np.isnan(table).all(1), 0] = 0.5
    return table


@pytest.mark.kernel
@pytest.mark.parametrize("name", INDICES)
@at_most(fewer(40, 15))
@given(TABLES)
def test_an_index_draws_the_arms_of_the_book(name, problem):
    """The compiled rule draws what the textbook's does, with sleepers and without, and has the same sums."""
    made, settings, index = INDICES[name]
    table = table_of(*problem)
    learner = made(table.shape[1], seed=0, **settings)
    arms, sums = book.by_index(table, index)
    assert learner.play(table).arms.tolist() == arms.tolist()
    np.testing.assert_array_equal(learner.estimates_, sums)


@pytest.mark.kernel
@pytest.mark.parametrize("posterior", ["beta", "gaussian"])
@at_most(10)
@given(problem=TABLES, seed=st.integers(0, 2**64 - 1))
def test_thompson_draws_the_arms_of_the_book(posterior, problem, seed):
    """The compiled rule draws what the textbook's does, by the shares of the same sets of means."""
    table = table_of(*problem)
    learner = ThompsonSampling(table.shape[1], posterior=posterior, seed=seed, run=3)
    uniforms = np.random.Generator(np.random.Philox(key=np.array([seed, 3], np.uint64))).random(ROUNDS)
    arms, history, sums = book.thompson(table, uniforms, seed, 3, posterior)
    if not np.isnan(table[0]).any():
        np.testing.assert_array_equal(learner.probabilities_, history[0])
    assert learner.play(table).arms.tolist() == arms.tolist()
    np.testing.assert_array_equal(learner.estimates_, sums)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (3.0, 1.5), (200.0, 50.0)])
def test_samples_of_the_book_have_the_moments_of_their_laws(a, b):
    """Means and variances of 4,000 numbers are those of the beta and the Gaussian posterior, within five errors."""
    stream = book.numbers(7, 0, 1)
    betas = np.array([book.beta(stream, a - 1, a + b - 2) for _ in range(4000)])
    mean, variance = a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))
    assert abs(betas.mean() - mean) < 5 * sqrt(variance / 4000)
    assert betas.var() == pytest.approx(variance, rel=0.2)
    normals = -np.array([book.gaussian(stream, a, a + b) for _ in range(4000)])
    assert abs(normals.mean() - b / (a + b + 1)) < 5 * sqrt(1 / (a + b + 1) / 4000)
    assert normals.var() == pytest.approx(1 / (a + b + 1), rel=0.2)


def test_kl_ucb_is_less_cautious_than_a_bound_of_hoeffdings():
    """By hand: of an arm without a loss the index is 0; of one that always lost, q^n = 1 / f."""
    mean, n = np.array([0.0, 1.0]), np.array([4.0, 4.0])
    least = book.kl_ucb(mean, n, 10)
    assert least[0] == 0
    assert least[1] == pytest.approx((1 + 10 * log(10) ** 2) ** (-1 / 4))


def test_each_arm_comes_once_before_any_comes_twice_even_if_losses_are_late():
    """Ten draws that wait for their losses are of four arms in turn."""
    for made, settings, _ in INDICES.values():
        learner = made(4, seed=0, **settings)
        assert [int(learner.draw()) for _ in range(10)] == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]


# ---- theorems

K, T = 3, 50


def ledger(**changes):
    """Of 50 rounds with three arms."""
    nothing = dict.fromkeys(("mixed", "swing", "rates", "restricted", "late", "lost"), 0.0)
    known = {"rounds": float(T), "settled": float(T), "loss": 20.0, "reach": 150.0, "first_rate": 1.0, "last_rate": 0.5}
    arrays = {name: np.zeros(K) for name in ("draws", "losses", "missed", "asleep", "estimates", "implicit")}
    return BanditLedger(**nothing | known | arrays | {"last_gamma": 0.25, "width": 2.0} | changes)


def facts(**changes):
    """A learner whose range has the width 2."""
    known = {"schedule": "anytime", "scale": 0.5, "delta": 0.05, "width": 2.0, "horizon": 64, "estimator": "beta"}
    known["means"] = (0.5, 0.1, 1.0)
    return replace(BanditFacts(K, K, False, **known), **changes)


ARM = BanditComparator("arm", "arm 0", 15.0, 20.0, float(T), 0)
BEST = replace(ARM, name="best_arm")
LUCK = sqrt(2 * T * log(3))
KNOWN_VALUES = {
    theory.ucb1: 2 * sqrt(8 * 2 * T * log(T)) + 2 * (1 + pi**2 / 3),
    theory.ucb1_gaps: 0.4 * 50 + 0.9 * (8 * log(T) / 0.81 + 1 + pi**2 / 3),
    theory.kl_ucb_gaps: 0.4 * 50 + 0.9 * 50,
    theory.kl_ucb: 2 * sqrt(2 * T * (2 * log(1 + T * log(T) ** 2) + 40)),
    theory.moss: 19.5 * sqrt(3 * 64) + 2,
    theory.thompson: sqrt(3 * T * log(3) / 2),
}


@pytest.mark.parametrize("one", KNOWN_VALUES, ids=lambda one: one.name)
def test_a_bound_is_the_number_found_by_hand(one):
    """In the user's units; against the best arm in hindsight its luck is added; with one arm there is no regret."""
    value = KNOWN_VALUES[one]
    for comparator, extra in ((ARM, 0.0), (BEST, LUCK)):
        assert one.obstacle(ledger(), comparator, facts()) is None
        assert one.value(ledger(), comparator, facts()) == pytest.approx(2 * (value + extra))
        parts = (
            {"rounds": T},
            {"name": comparator.name},
            {"arms": K, "width": 2.0, "horizon": 64, "means": (0.5, 0.1, 1.0)},
        )
        assert book.BOUNDS["expected"][one.name](*parts) == pytest.approx(2 * (value + extra))
    assert one.value(ledger(), BEST, facts(arms=1, means=(0.5,))) == 0


@pytest.mark.parametrize("one", KNOWN_VALUES, ids=lambda one: one.name)
def test_each_assumption_fails_alone(one):
    """Losses that are no draws, arms asleep, late and lost losses, other rounds: each has its words."""

    def why(book=None, comparator=ARM, **changes):
        return str(one.obstacle(book or ledger(), comparator, facts(**changes)))

    assert "drawn independently" in why(drawn=False)
    assert "drawn independently" in why(oblivious=False)
    assert "uniform prior" in str(theory.thompson.obstacle(ledger(), ARM, facts(by_prior=False)))
    assert "every arm can be drawn" in why(ledger(restricted=1.0))
    assert "came late" in why(ledger(late=1.0))
    assert "becomes known" in why(ledger(settled=49.0))
    assert "no arm has been drawn" in why(ledger(rounds=0.0, settled=0.0))
    assert "one arm for all rounds" in why(comparator=replace(ARM, switches=1))
    assert "very rounds" in why(comparator=replace(ARM, rounds=49.0))
    assert "horizon" in str(theory.moss.obstacle(ledger(), ARM, facts(horizon=49)))
    assert "Gaussian" in str(theory.thompson.obstacle(ledger(), ARM, facts(estimator="gaussian")))
    for one in (theory.ucb1_gaps, theory.kl_ucb_gaps):
        assert "known" in str(one.obstacle(ledger(), ARM, facts(means=None)))
    halves = ledger(losses=np.array([1.0, 0.0, 0.0]), between=2.0)
    assert "the least or the most" in str(theory.thompson.obstacle(halves, ARM, facts()))


@pytest.mark.parametrize(
    ("learner", "one"),
    [
        (UCB1(3, seed=0), theory.ucb1),
        (KLUCB(3, seed=0), theory.kl_ucb),
        (MOSS(3, horizon=400, seed=0), theory.moss),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_expected_regret_is_within_the_bound_over_many_draws_of_the_losses(learner, one):
    """The mean over 60 tables of coins, of arms that are near each other and far apart, is below the bound."""
    for means in ([0.5, 0.5, 0.4], [0.9, 0.1, 0.8]):
        regrets = []
        for seed in range(60):
            pulls = simulate(learner, Bernoulli(means, seed=seed), rounds=400)
            regrets.append(float(pulls.regrets[0]))
        facts = replace(learner.clone().facts(), horizon=400)
        best = BanditComparator("best_arm", "", 0.0, 0.0, 400.0, 0)
        assert np.mean(regrets) <= one.value(replace(ledger(), rounds=400.0, width=1.0), best, facts)


def test_kl_ucb_by_gaps_is_a_number_of_hand_and_of_the_book():
    """Of 100,000 rounds and means 0 and 1/2 margins of 3 and 6 sixteenths of the gap are allowed; none gives less."""
    rounds = 100_000.0
    books, two = ledger(rounds=rounds), facts(arms=2, means=(0.5, 0.0), width=1.0)
    value = theory.kl_ucb_gaps.value(books, ARM, two)
    gap, f = 0.5, log(1 + rounds * log(rounds) ** 2)
    p, q = gap - 3 / 32, 6 / 32
    near = p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))
    assert 0 < value <= gap * (f / near + 1 / (2 * (3 / 32) ** 2) + 2 / (6 / 32) ** 2)
    named = {"name": "arm"}, {"arms": 2, "width": 1.0, "means": (0.5, 0.0)}
    assert book.BOUNDS["expected"]["kl_ucb_gaps"]({"rounds": rounds}, *named) == pytest.approx(value)
    assert value < theory.kl_ucb.value(books, ARM, two)


@pytest.mark.parametrize(
    ("learner", "plain", "gaps"),
    [(UCB1(3, seed=0), theory.ucb1, theory.ucb1_gaps), (KLUCB(3, seed=0), theory.kl_ucb, theory.kl_ucb_gaps)],
    ids=["ucb1", "kl-ucb"],
)
def test_expected_regret_is_within_the_bound_by_gaps_over_many_draws_of_the_losses(learner, plain, gaps):
    """The mean regret by means of 20 tables of coins is below it, at 3,000 rounds; it says less where gaps are wide."""
    for means in ([0.5, 0.5, 0.4], [0.9, 0.1, 0.8], [0.0, 1.0, 1.0]):
        worse = np.array(means) - min(means)
        regrets = []
        for seed in range(20):
            table = Bernoulli(means, seed=seed).read(0, 3000)
            regrets.append(worse[learner.clone().play(table).arms].sum())
        stands = replace(learner.clone().facts(), means=tuple(means))
        books = ledger(rounds=3000.0, width=1.0)
        bound = gaps.value(books, ARM, stands)
        assert np.mean(regrets) <= bound
        assert bound < plain.value(books, ARM, stands)


def test_ucb1_by_gaps_with_a_lost_factor_is_broken():
    """With ln T in place of 8 ln T, the bound of a hundred arms far from the best would be below what is lost."""
    means = [0.2] + [0.5] * 9
    worse = np.array(means) - 0.2
    regrets = [
        worse[UCB1(10, seed=0).play(Bernoulli(means, seed=seed).read(0, 20_000)).arms].sum() for seed in range(20)
    ]
    rounds = 20_000
    wrong = sum(log(rounds) / gap + (1 + pi**2 / 3) * gap for gap in worse if gap > 0)
    assert np.mean(regrets) > wrong


def test_a_simulator_says_the_bound_by_gaps_beside_the_one_without():
    """Where means are known a line more is printed, for UCB1 and KL-UCB; of a table nothing is known."""
    world = Bernoulli([0.3, 0.5, 0.5], seed=1)
    for learner in (UCB1(3, seed=0), KLUCB(3, seed=0)):
        plain, gaps, _ = simulate(learner, world, rounds=5000, runs=2).certificates()
        assert gaps.theorem.name == f"{plain.theorem.name}_gaps"
        assert gaps.bound < plain.bound
        assert "assuming losses that are drawn independently" in str(gaps)
        assert len(simulate(learner, world.read(0, 100), runs=2).certificates()) == 2
    assert len(simulate(MOSS(3, horizon=100, seed=0), world, rounds=100, runs=2).certificates()) == 2


def test_the_bayesian_regret_of_thompson_sampling_is_within_its_bound():
    """The mean over 200 draws of means from the prior, and of losses by them, is below sqrt(K T ln(K) / 2)."""
    random, regrets = np.random.default_rng(0), []
    for seed in range(200):
        means = random.random(4)
        learner = ThompsonSampling(4, seed=seed)
        arms = learner.play((random.random((200, 4)) < means).astype(float)).arms
        regrets.append((means[arms] - means.min()).sum())
    bound = sqrt(4 * 200 * log(4) / 2)
    assert np.mean(regrets) <= bound
    assert np.mean(regrets) > bound / 4  # the same with a lost square would be broken


def test_a_certificate_says_what_it_takes_for_granted_and_is_never_broken_by_one_table():
    """All runs of a table see one draw of the losses: an adversary's table shows no fault of the theorem."""
    # Equal until the bound is far below what changes: the arm that was best becomes the worst for good.
    table = np.tile([0.0, 1.0], (2000, 1))
    table[100:] = [1.0, 0.0]
    table[:100, 1] = 1.0
    learner = KLUCB(2, seed=0)
    certificates, _ = simulate(learner, table, runs=20).certificates()
    assert "assuming losses that are drawn independently in each round" in str(certificates)
    assert certificates.holds
    assert "mean regret of 20 runs of one sequence of losses" in str(certificates)
    assert "±" not in str(certificates)
    assert "expected to be <=" in str(certificates)


def test_losses_that_are_known_to_change_or_to_answer_are_no_independent_draws():
    """Switching means and adversaries are refused; coins with one mean each are not."""
    for world, applies in (
        (Bernoulli([0.2, 0.8]), True),
        (Switching([[0.2, 0.8], [0.8, 0.2]], starts=[0, 50]), False),
        (MostDrawnLoses(2), False),
    ):
        certificates, *gaps, observable = simulate(UCB1(2, seed=0), world, rounds=100, runs=2).certificates()
        assert certificates.applies == applies
        assert len(gaps) == applies
        assert observable.applies


def test_thompson_has_no_bayesian_bound_where_means_were_set():
    """Of an environment with set means the certificate says so; a table may be one of means by the prior."""
    table = Bernoulli([0.3, 0.5, 0.5]).read(0, 50)
    for world, applies in ((Bernoulli([0.3, 0.5, 0.5]), False), (table, True)):
        bayesian, observable = simulate(ThompsonSampling(3, seed=0), world, rounds=50, runs=2).certificates()
        assert bayesian.applies == applies
        assert applies or "set beforehand" in str(bayesian.why)
        assert observable.applies


@pytest.mark.parametrize("path", ["play", "simulate", "online", "resumed"])
def test_thompson_has_no_bound_where_losses_lie_between_however_they_add_up(path, tmp_path):
    """Both arms lose 1/2 an even number of times, so that sums are whole: they are no coins all the same."""
    halves = np.full((4, 2), 0.5)
    for seed in range(100):
        learner = ThompsonSampling(2, seed=seed)
        if not (learner.clone().play(halves).arms.sum() % 2):
            break
    if path == "simulate":
        certificate = simulate(learner, halves).certificates()[0]
    else:
        if path == "play":
            learner.play(halves)
        for step in range(0 if path == "play" else 4):
            learner.update(learner.draw(), 0.5)
            if path == "resumed" and step == 1:
                learner.save(tmp_path / "m.rgl")
                learner = regretless.load(tmp_path / "m.rgl")
        assert not (learner.ledger_.losses % 1).any()
        certificate = learner.certify(halves)[0]
    assert not certificate.applies
    assert "the least or the most" in str(certificate.why)


# ---- models, arms that come


@pytest.mark.parametrize("made", [UCB1, KLUCB, ThompsonSampling])
def test_what_is_known_of_arms_that_no_run_left_is_refused(made, tmp_path):
    """Counts that are no whole numbers, or do not add up, and sums that are no sums of losses are refused."""
    learner = made(3, seed=0)
    learner.play(np.random.default_rng(0).random((20, 3)))
    path = tmp_path / "m.rgl"
    learner.save(path)
    meta, tensors = read_model(path)
    for row, value in ((KNOWN, 0.5), (KNOWN, 21.0), (0, -1.0), (0, 30.0)):
        state = tensors["state"].copy()
        state[row, 1] = value
        write_model(path, meta, tensors | {"state": state})
        with pytest.raises(ModelError, match="does not fit together"):
            regretless.load(path)


def test_an_arm_that_comes_is_drawn_next():
    """No loss of it is known: an index draws it at once, and the mean of an arm that never came is none."""
    learner = UCB1(2, seed=0)
    learner.play(np.random.default_rng(0).random((20, 2)))
    assert learner.add_arm() == learner.draw() == 2
    assert np.isnan(learner.means_).tolist() == [False, False, True]
    assert learner.best_arm_ in (0, 1)


def test_moss_needs_a_horizon_and_thompson_a_posterior():
    """What has no meaning is refused when the learner is made."""
    with pytest.raises(RegretlessError, match="give horizon="):
        MOSS(3)
    with pytest.raises(RegretlessError, match="posterior"):
        ThompsonSampling(3, posterior="flat")


# ---- the numbers again, for the test that every theorem has one

CASES = [Known(one, ledger(), ARM, facts(), 2 * value, 10.0) for one, value in KNOWN_VALUES.items()]
ASSUMES: Assumes = [
    ((theory.ucb1, theory.kl_ucb), theory.SEEN),
    ((theory.ucb1_gaps, theory.kl_ucb_gaps), (theory.MEANS, *theory.SEEN)),
    ((theory.moss,), (theory.HORIZON, *theory.SEEN)),
    ((theory.thompson,), (theory.BETA, theory.COINS, *theory.SEEN, theory.BY_PRIOR)),
]


@known(CASES)
def test_a_theorem_says_its_number(case):
    """On this game losses span two units: the regret of 5 counts twice, and so does the number computed by hand."""
    says_its_number(case)


def test_assumptions_are_those_that_are_stated():
    """A theorem has the assumptions that stand here, in their order."""
    for theorems, assumed in ASSUMES:
        for one in theorems:
            assert [words for words, _ in one.assumes] == [words for words, _ in assumed]
