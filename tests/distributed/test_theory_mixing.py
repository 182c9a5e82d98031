"""The theorems of mixing: no data, no shards and no weighting that hypothesis can build break them, plain counts do
break the forms that hold for weighted ones only, and single shards give back the theorems of one learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from math import atanh, inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.comparator import Comparator
from regretless.ledger import Ledger
from regretless.linear.passive_aggressive import RATES
from regretless.theorem import Theorem
from regretless.theory import gradient, mixing, mixing_mirror, mixing_regret, perceptron
from regretless.theory.facts import LinearFacts
from regretless.theory.gradient import AggressiveFacts
from regretless.theory.mirror import PNormFacts, WinnowFacts
from regretless.theory.mixing_facts import MixedFacts, MixedLedger

from .mixing_runs import LOSSES, Player, Run, against, divergence, mixed, power_link, simplex_link, split

WEIGHTINGS = ("uniform", "updates", "rows")
Shards = list[tuple[Any, Any]]

sizes = st.lists(st.integers(1, 7), min_size=1, max_size=5)  # skewed as often as not
seeds = st.integers(0, 2**32 - 1)


def data(seed: int, sizes: list[int], columns: int = 3, *, separable: bool = False, whole: bool = False) -> Shards:
    """Shards of random rows: normal or of small integers, of one kind or sorted by label; labels of a vector or
    noise."""
    rng = np.random.default_rng(seed)
    rows = sum(sizes)
    X = rng.integers(-2, 3, (rows, columns)).astype(float) if whole else rng.normal(size=(rows, columns))
    X *= rng.choice([0.1, 1.0, 5.0], size=(rows, 1)) if rng.random() < 0.3 else 1.0
    u = rng.normal(size=columns)
    y = np.where(X @ u >= 0, 1, -1) if separable or rng.random() < 0.5 else rng.choice([-1, 1], size=rows)
    if rng.random() < 0.3:
        order = np.argsort(y, kind="stable")  # whole shards of one class
        X, y = X[order], y[order]
    return split(X, y, sizes)


def vectors(seed: int, shards: Shards, run: Run, w: Any) -> list[Any]:
    """Some comparators: random ones, short and long, the weights themselves, and one that may separate."""
    rng = np.random.default_rng(seed + 1)
    columns = shards[0][0].shape[1]
    X, y = np.concatenate([X for X, _ in shards]), np.concatenate([y for _, y in shards])
    least = np.linalg.lstsq(X, y, rcond=None)[0]
    drawn = [rng.normal(size=columns) * 10.0 ** rng.integers(-2, 3) for _ in range(3)]
    comparators = [*drawn, w, least, np.zeros(columns), 1e12 * least]
    margins = [float((y * (X @ v)).min()) for v in comparators]
    return [*comparators, *(v / m for v, m in zip(comparators, margins, strict=True) if m > 1e-9)]


def check(theorems: tuple[Theorem, ...], run: Run, comparators: list[Comparator], facts: MixedFacts) -> int:
    """Read every theorem against every comparator; how many applied."""
    applied = 0
    for theorem in theorems:
        for comparator in comparators:
            certificate = theorem.certify(run.ledger, [comparator], facts)
            assert certificate.holds, f"{certificate} {run.weighting} {comparator}"
            applied += certificate.applies
    return applied


@given(
    seed=seeds,
    sizes=sizes,
    weighting=st.sampled_from(WEIGHTINGS),
    together=st.sampled_from([None, 1, 2]),
    epochs=st.integers(1, 6),
    rate=st.sampled_from([1.0, 0.1]),
    whole=st.booleans(),
)
@settings(max_examples=60)
def test_no_shards_and_no_comparator_break_a_bound_of_the_perceptron(
    seed, sizes, weighting, together, epochs, rate, whole
):
    """Every theorem of mixed perceptrons holds on all shards, for every weighting and against every vector."""
    shards = data(seed, sizes, whole=whole)
    run = mixed(Player(rate=rate), shards, epochs, weighting, together=together)
    facts = run.facts(LinearFacts(rate=rate, **run.plain(run.theta)))
    comparators = [against(run, shards, v) for v in vectors(seed, shards, run, run.theta)]
    assert check(mixing.MIXED_PERCEPTRON, run, comparators, facts) or not run.shares.any()


@given(seed=seeds, sizes=sizes, weighting=st.sampled_from(WEIGHTINGS), together=st.sampled_from([None, 2]))
@settings(max_examples=30)
def test_separable_shards_become_clean_within_the_epochs_that_are_promised(seed, sizes, weighting, together):
    """On separable shards an epoch without update comes, after no more epochs and updates than the theorems say."""
    shards = data(seed, sizes, columns=2, separable=True)
    X, y = np.concatenate([X for X, _ in shards]), np.concatenate([y for _, y in shards])
    margin, v = best_margin(X, y)
    if (np.linalg.norm(X, axis=1).max() / margin) ** 2 * len(sizes) > 400:
        return
    run = mixed(Player(), shards, 10_000, weighting, True, together)
    assert run.clean
    assert (y * (X @ run.theta) > 0).all()
    facts = run.facts(LinearFacts(rate=1.0, **run.plain(run.theta)))
    for theorem in (mixing.mixed_separable, mixing.all_separable, mixing.epochs_until_clean):
        certificate = theorem.certify(run.ledger, [against(run, shards, v)], facts)
        assert certificate.applies
        assert certificate.holds, str(certificate)


def best_margin(X: Any, y: Any) -> tuple[float, Any]:
    """The largest margin in the plane, nearly: over many directions."""
    angles = np.linspace(0, 2 * np.pi, 3600, endpoint=False)
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    margins = (y[:, None] * (X @ directions.T)).min(axis=0)
    best = int(margins.argmax())
    return max(float(margins[best]), 1e-6), directions[best]


@given(
    seed=seeds,
    sizes=sizes,
    epochs=st.integers(1, 5),
    weighting=st.sampled_from(WEIGHTINGS),
    together=st.sampled_from([None, 2]),
)
@settings(max_examples=40)
def test_the_two_inequalities_of_the_proof(seed, sizes, epochs, weighting, together):
    """K <= H + <v, w> for every v, and |w|^2 is at most the weighted sum of the squared lengths of the updates."""
    shards = data(seed, sizes)
    run = mixed(Player(), shards, epochs, weighting, together=together)
    k, lengths = run.ledger.mixed.updates, run.ledger.mixed.update_norm2
    assert float(run.theta @ run.theta) <= lengths * (1 + 1e-9) + 1e-9
    for v in np.random.default_rng(seed).normal(size=(4, 3)):
        u = against(run, shards, v)
        assert k <= u.hinge + float(v @ run.theta) + 1e-9 * (1 + u.hinge)


@given(
    seed=seeds,
    sizes=sizes,
    weighting=st.sampled_from(WEIGHTINGS),
    together=st.sampled_from([None, 1, 2]),
    epochs=st.integers(1, 6),
    loss=st.sampled_from(tuple(LOSSES)),
    schedule=st.sampled_from(["constant", "inverse-sqrt", "self-tuned", "scale-free"]),
    radius=st.sampled_from([0.3, 2.0, inf]),
    rate=st.sampled_from([0.02, 0.5, 3.0]),
)
@settings(max_examples=100)
def test_no_shards_break_a_bound_on_weighted_regret(
    seed, sizes, weighting, together, epochs, loss, schedule, radius, rate
):
    """Gradient descent's weighted regret and weighted mistakes keep their bounds for every loss, schedule and ball,
    before and after the run."""
    shards = data(seed, sizes)
    run = mixed(Player(loss, schedule, rate, radius), shards, epochs, weighting, together=together)
    if not np.isfinite(run.theta).all() or np.abs(run.theta).max() > 1e9:
        return  # it has diverged, as too long steps along squared losses do
    facts = run.facts(LinearFacts(rate=rate, schedule=schedule, loss=loss, radius=radius, **run.plain(run.theta)))
    comparators = vectors(seed, shards, run, run.theta)
    comparators += [v / np.linalg.norm(v) * radius for v in comparators if radius < inf and np.linalg.norm(v) > 0]
    check(mixing_regret.MIXED_GRADIENT_DESCENT, run, [against(run, shards, v, loss) for v in comparators], facts)


@given(
    seed=seeds,
    sizes=sizes,
    weighting=st.sampled_from(WEIGHTINGS),
    together=st.sampled_from([None, 1, 2]),
    epochs=st.integers(1, 5),
    variant=st.sampled_from(tuple(RATES)),
    limit=st.sampled_from([0.05, 1.0, 8.0]),
    alike=st.booleans(),
)
@settings(max_examples=60)
def test_no_shards_break_a_bound_of_passive_aggressive_learners(
    seed, sizes, weighting, together, epochs, variant, limit, alike
):
    """The weighted losses and mistakes of PA, PA-I and PA-II keep their bounds, of rows of one length and of
    several."""
    shards = data(seed, sizes)
    if alike:
        shards = [(X / np.linalg.norm(X, axis=1, keepdims=True), y) for X, y in shards]
    run = mixed(Player("hinge", RATES[variant], limit=limit), shards, epochs, weighting, together=together)
    player = AggressiveFacts(rate=1.0, loss="hinge", limit=limit, variant=variant, **run.plain(run.theta))
    comparators = [against(run, shards, v, "hinge") for v in vectors(seed, shards, run, run.theta)]
    check(mixing_regret.MIXED_PA[variant], run, comparators, run.facts(player))


@given(
    seed=seeds,
    sizes=sizes,
    weighting=st.sampled_from(WEIGHTINGS),
    together=st.sampled_from([None, 1, 2]),
    epochs=st.integers(1, 5),
    p=st.sampled_from([2.0, 2.8, 6.0]),
)
@settings(max_examples=40)
def test_no_shards_break_a_bound_of_p_norm_perceptrons(seed, sizes, weighting, together, epochs, p):
    """A p-norm perceptron whose dual coordinates are mixed keeps its bounds, in weighted updates and in all of them."""
    shards = data(seed, sizes)

    def measure(x: Any) -> float:
        return float((np.abs(x) ** p).sum() ** (1 / p))

    player = Player(link=power_link(p), measure=measure)
    run = mixed(player, shards, epochs, weighting, together=together)
    facts = run.facts(PNormFacts(rate=1.0, p=p, reach=player.reach, **run.plain(power_link(p)(run.theta))))
    q = p / (p - 1)
    comparators = [
        against(run, shards, v, own=float((np.abs(v) ** q).sum() ** (1 / q)), product=float(v @ run.theta))
        for v in vectors(seed, shards, run, power_link(p)(run.theta))
    ]
    check(mixing_mirror.MIXED_P_NORM, run, comparators, facts)


@given(
    seed=seeds,
    sizes=sizes,
    weighting=st.sampled_from(WEIGHTINGS),
    together=st.sampled_from([None, 1, 2]),
    epochs=st.integers(1, 5),
    s=st.sampled_from([0.05, 0.3, 0.8]),
)
@settings(max_examples=40)
def test_no_shards_break_a_bound_of_winnow(seed, sizes, weighting, together, epochs, s):
    """Winnow whose dual coordinates are mixed keeps its bounds, in weighted updates and in all of them."""
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], size=(sum(sizes), 4))
    y = (X[:, 0] if rng.random() < 0.5 else rng.choice([-1, 1], size=len(X))).astype(int)
    shards, rate = split(X, y, sizes), atanh(s)
    player = Player(rate=rate, link=simplex_link, measure=lambda x: float(np.abs(x).max()))
    run = mixed(player, shards, epochs, weighting, together=together)
    facts = run.facts(
        WinnowFacts(rate=rate, reach=player.reach, weights=4, gamma=s, **run.plain(simplex_link(run.theta)))
    )
    drawn = [*rng.dirichlet(np.full(4, 0.5), size=3), np.eye(4)[0], simplex_link(run.theta), np.full(4, 0.25)]
    comparators = [
        against(run, shards, size * v, own=size, divergence=divergence(v), product=float(size * v @ run.theta))
        for v in drawn
        for size in (0.5, 1.0, 4.0)
    ]
    assert check(mixing_mirror.MIXED_WINNOW, run, comparators, facts) or not run.shares.any()


# ---- what is false


def shared_data() -> tuple[Shards, float]:
    """Eight shards of unit rows that a vector separates with a margin of 0.05, and that margin."""
    rng, columns, shards, rows = np.random.default_rng(0), 30, 8, 2000
    u = rng.standard_normal(columns)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((shards * rows * 3, columns))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    margins = X @ u
    mask = np.abs(margins) > 0.05
    X, y = X[mask][: shards * rows], np.sign(margins[mask][: shards * rows]).astype(int)
    return split(X, y, [rows] * shards), float((y * (X @ u)).min())


def test_plain_updates_exceed_the_bound_that_weighted_updates_keep():
    """On eight separable shards the updates in all are more than (r / rho)^2, and the weighted ones are not: what holds
    for one learner does not hold for all shards together."""
    shards, margin = shared_data()
    run = mixed(Player(), shards, 60, "uniform", until_clean=True)
    assert run.clean
    assert run.ledger.plain.updates > 1 / margin**2
    assert run.ledger.mixed.updates <= 1 / margin**2
    assert run.ledger.plain.updates == pytest.approx(8 * run.ledger.mixed.updates)


def test_by_rows_the_number_of_shards_is_no_factor():
    """Mixed by rows, all updates may be more than S times the weighted ones, where the smallest share says how many."""
    learns = np.array([[1.0, 0.0], [-1.0, 0.1]]), np.array([1, 1])
    stands = np.tile([0.0, 1e-9], (18, 1)), np.ones(18, dtype=int)
    run = mixed(Player(), [learns, stands], 10, "rows")
    assert run.ledger.plain.updates > 2 * run.ledger.mixed.updates
    assert run.ledger.plain.updates <= run.ledger.mixed.updates / run.least * (1 + 1e-9)


def test_uniform_mixing_may_take_more_epochs_than_one_learner_may_take_updates():
    """With the same mu for all shards more epochs than (r / rho)^2 have an update, if one shard has all there is to
    learn: the factor S cannot be left out."""
    hard, easy = np.array([[-3.0, -4.0], [1.0, -2.0], [4.0, 3.0]]), np.array([[4.0, 3.0], [4.0, 2.0]])
    shards = [(hard, np.ones(3, dtype=int)), *[(easy, np.ones(2, dtype=int))] * 7]
    run = mixed(Player(), shards, 1000, "uniform", until_clean=True)
    margin, _ = best_margin(np.concatenate([hard, easy]), np.ones(5))
    assert run.clean
    assert run.ledger.busy > 25 / margin**2  # r = 5
    assert run.ledger.busy <= 8 * 25 / margin**2


def test_hinge_losses_of_the_shards_must_be_weighted_as_their_updates_are():
    """With the plain mean of the shards' hinge losses in place of the weighted sum the sharp bound is false."""
    noisy = (np.tile([[1.0, 0.0]], (40, 1)), np.tile([1, -1], 20))
    quiet = (np.tile([[0.0, 1.0]], (1, 1)), np.array([1]))
    shards = [noisy, *[quiet] * 7]
    run = mixed(Player(), shards, 5, "updates")
    facts = run.facts(LinearFacts(rate=1.0, **run.plain(run.theta)))
    u = against(run, shards, np.array([0.0, 0.1]))
    even = against(replace_shares(run, np.full(8, 5 / 8)), shards, np.array([0.0, 0.1]))
    assert mixing.mixed_sharp.bound(run.ledger, u, facts) >= run.ledger.mixed.updates
    assert mixing.mixed_sharp.bound(run.ledger, even, facts) < run.ledger.mixed.updates


def replace_shares(run: Run, shares: Any) -> Run:
    """The same run, as if its shards had counted so much."""
    return replace(run, shares=shares)


def test_without_the_clock_the_bound_before_the_run_is_false_and_the_observed_one_is_not():
    """Where every epoch's rates begin anew, the regret breaks the bound that is known before the run, along the longest
    path; the one that is read off the rates stands."""
    ledger, theta, losses, epochs = MixedLedger(), np.zeros(1), [], 400
    player = Player("hinge", "inverse-sqrt", 2.0, 1.0)
    for epoch in range(epochs):  # labels in turns: steps that never shorten go to and fro
        label = 1 if epoch % 2 == 0 else -1
        theta, book = player.shard(theta, np.ones((1, 1)), np.array([label]), Ledger())
        ledger = ledger.after([1.0], [book])
        losses.append(book.loss)
    hinge = float(epochs)  # of u = 0
    u = Comparator("zero", 0.0, hinge, hinge, hinge, 0.0, epochs, 1.0, epochs)
    facts = MixedFacts(LinearFacts(1.0, 2.0, "inverse-sqrt", "hinge", 1.0), "uniform", 1, 1.0)
    observed = sum(losses) - hinge
    assert observed > mixing_regret.mixed_prior_regret.bound(ledger, u, facts)
    assert observed <= mixing_regret.mixed_posterior_regret.bound(ledger, u, facts)


def test_one_shot_averages_err_for_ever_where_mixing_becomes_clean():
    """On separable data the mean of perceptrons that were trained apart until they were clean is wrong in a row however
    long they train, and mixing has an epoch without update."""
    shards, mean = apart()
    X, y = np.concatenate([X for X, _ in shards]), np.concatenate([y for _, y in shards])
    assert (y * (X @ mean) <= 0).any()
    for weighting in WEIGHTINGS:
        run = mixed(Player(), shards, 200, weighting, until_clean=True)
        assert run.clean
        assert (y * (X @ run.theta) > 0).all()


def apart() -> tuple[Shards, Any]:
    """Two shards and the mean of what each gives when it is gone over until it is clean."""
    for seed in range(10_000):
        rng = np.random.default_rng(seed)
        X = rng.integers(-3, 4, (4, 2)).astype(float)
        y = np.where(X @ [3.0, 1.0] > 0, 1, -1)
        if (X @ [3.0, 1.0] == 0).any():
            continue
        shards = split(X, y, [2, 2])
        ended = [mixed(Player(), [one], 100, until_clean=True) for one in shards]
        mean = sum(run.theta for run in ended) / 2
        if all(run.clean for run in ended) and (y * (X @ mean) < 0).any():
            return shards, mean
    raise AssertionError("no such data")


# ---- what is attained, and what one shard gives


def test_orthonormal_rows_spread_over_shards_attain_the_bounds():
    """With one orthonormal row of label -1 a shard, mixing by updates makes K = 1 in the first epoch and is clean in
    the second; in one shard all n rows give K = n = (r / rho)^2."""
    X, y = np.eye(6), -np.ones(6, dtype=int)
    spread = mixed(Player(), split(X, y, [1] * 6), 9, "updates", until_clean=True)
    assert (spread.ledger.mixed.updates, spread.ledger.plain.updates, spread.ledger.busy) == (pytest.approx(1), 6, 1)
    run = mixed(Player(), [(X, y)], 9, "updates", until_clean=True)
    u = against(run, [(X, y)], -np.ones(6))
    certificate = mixing.mixed_separable.certify(run.ledger, [u], run.facts(LinearFacts(1.0, 1.0)))
    assert (certificate.observed, certificate.bound) == (6, pytest.approx(6))
    assert not certificate.vacuous


@given(seed=seeds, rows=st.integers(1, 12), epochs=st.integers(1, 4), weighting=st.sampled_from(["uniform", "rows"]))
@settings(max_examples=30)
def test_a_single_shard_gives_the_theorems_of_one_learner(seed, rows, epochs, weighting):
    """With one shard weighted sums are plain ones, and each bound is that of the learner's own theorem."""
    shards = data(seed, [rows])
    run = mixed(Player(), shards, epochs, weighting)
    player = LinearFacts(rate=1.0, **run.plain(run.theta))
    assert run.ledger.mixed == run.ledger.plain
    for v in vectors(seed, shards, run, run.theta):
        u = against(run, shards, v)
        for single, theorem in (
            (perceptron.sharp, mixing.mixed_sharp),
            (perceptron.squared_hinge, mixing.mixed_squared_hinge),
            (perceptron.total_distance, mixing.mixed_total_distance),
            (perceptron.posterior, mixing.mixed_posterior),
        ):
            mine = theorem.bound(run.ledger, u, run.facts(player))
            assert mine == pytest.approx(single.bound(run.ledger.plain, u, player), rel=1e-6, abs=1e-6)


@given(
    seed=seeds,
    rows=st.integers(2, 10),
    epochs=st.integers(1, 3),
    schedule=st.sampled_from(["constant", "inverse-sqrt", "self-tuned"]),
)
@settings(max_examples=30)
def test_the_regret_of_a_single_shard_is_that_of_one_learner(seed, rows, epochs, schedule):
    """With one shard whose clock runs on, both bounds on the regret are those of one learner."""
    shards = data(seed, [rows])
    run = mixed(Player("hinge", schedule, 0.5, 2.0), shards, epochs)
    player = LinearFacts(1.0, 0.5, schedule, "hinge", 2.0)
    u = against(run, shards, np.array([0.1, -0.2, 0.3]), "hinge")
    for single, theorem in (
        (gradient.posterior_regret, mixing_regret.mixed_posterior_regret),
        (gradient.prior_regret, mixing_regret.mixed_prior_regret),
    ):
        mine = theorem.bound(run.ledger, u, run.facts(player))
        assert mine == pytest.approx(single.bound(run.ledger.plain, u, player), rel=1e-9)


def test_weighted_counts_are_named_so():
    """No theorem that bounds a weighted count calls it by the name of a plain one, and those on plain counts have a
    factor."""
    every: list[Theorem] = [
        *mixing.MIXED_PERCEPTRON,
        *mixing.MIXED_MULTICLASS,
        *mixing_regret.MIXED_GRADIENT_DESCENT,
        *chain.from_iterable(mixing_regret.MIXED_PA.values()),
        *mixing_mirror.MIXED_P_NORM,
        *mixing_mirror.MIXED_WINNOW,
    ]
    book = MixedLedger(
        Ledger(updates=3, mistakes=2, loss=5, slope2=7), Ledger(updates=30, mistakes=20, loss=50, slope2=70), busy=9
    )
    u = Comparator("zero", 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    plain: dict[str, Callable[[MixedLedger], float]] = {
        "updates": lambda m: m.plain.updates,
        "epochs with an update": lambda m: m.busy,
    }
    for theorem in every:
        if theorem.quantity in plain:
            assert theorem.counts(book, u) == plain[theorem.quantity](book)
            assert " c " in theorem.statement
        else:
            assert theorem.quantity.startswith("weighted ")
            assert theorem.counts(book, u) < 8
            assert not theorem.whole


@given(seed=seeds, sizes=sizes, epochs=st.integers(1, 3), weighting=st.sampled_from(WEIGHTINGS))
@settings(max_examples=20)
def test_a_book_of_mixing_is_written_and_read(seed, sizes, epochs, weighting):
    """A mixed ledger comes back from its array as it was, and its weighted sums are those of the shards' books."""
    run = mixed(Player("hinge", "inverse-sqrt"), data(seed, sizes), epochs, weighting)
    assert MixedLedger.read(run.ledger.array()) == run.ledger
    assert run.ledger.epochs == epochs
    assert run.ledger.path == epochs * max(sizes)
    assert run.ledger.together == len(sizes)
    assert run.ledger.mixed.rounds == pytest.approx(float(run.shares @ sizes))


def test_the_oracle_of_two_shards():
    """Two shards of five rows, mixed uniformly, have one update each in the first epoch and w = (3/2, 1/2), which is
    clean."""
    X = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, 1.0], [1.0, -2.0]])
    y = np.array([1, 1, -1, -1, 1])
    run = mixed(Player(), split(X, y, [3, 2]), 2)
    assert run.theta.tolist() == [1.5, 0.5]
    assert run.clean
    assert run.ledger.mixed.updates == 1
    assert run.ledger.plain.updates == 2
