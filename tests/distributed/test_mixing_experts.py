"""Experts combined on shards by themselves: ledgers add, and bounds against one comparator add with them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import partial, reduce
from math import log
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.catalogue import expert_class
from regretless.distributed.combined import combine
from regretless.errors import DataError, RegretlessError
from regretless.experts import (
    BOA,
    EG,
    AdaHedge,
    AggregatingAlgorithm,
    Doubling,
    FixedShare,
    Hedge,
    MLPoly,
    RandomizedWeightedMajority,
    Ridge,
    WeightedMajority,
)
from regretless.ledger import ExpertLedger

from ..catalogue import OWN_RATES
from .mixing_engines import Parcels

LEARNERS = {
    "hedge": lambda: Hedge(loss="absolute", value_range=(0, 1)),
    "hedge, tuned": lambda: Hedge(loss="absolute", value_range=(0, 1), horizon=12),
    "hedge, linearised": lambda: Hedge(loss="square", value_range=(0, 1), linearize=True),
    "adahedge": lambda: AdaHedge(value_range=(0, 1)),
    "eg": lambda: EG(eta=0.5),
    **{name: partial(expert_class(name), value_range=(0, 1)) for name in OWN_RATES},
    "fixed-share": lambda: FixedShare(alpha=0.1, value_range=(0, 1)),
    "aggregating": lambda: AggregatingAlgorithm(value_range=(0, 1)),
    "ridge": lambda: Ridge(a=0.5),
    "weighted-majority": lambda: WeightedMajority(),
    "randomised majority": lambda: RandomizedWeightedMajority(beta=0.7, random_state=5),
}
SILENT = ("hedge", "hedge, tuned", "adahedge", *OWN_RATES, "fixed-share")


@st.composite
def cases(draw, names=tuple(LEARNERS)):
    """A learner, and shards whose rows and experts it can play."""
    name = draw(st.sampled_from(names))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    experts, lengths = draw(st.integers(1, 4)), draw(st.lists(st.integers(1, 12), min_size=1, max_size=5))
    coins, silence = name.endswith("majority"), draw(st.booleans()) and name in SILENT
    shards = []
    for rounds in lengths:
        forecasts, outcomes = rng.random((rounds, experts)), rng.random(rounds)
        if coins:
            forecasts, outcomes = forecasts.round(), outcomes.round()
        if silence:
            forecasts[:, 1:][rng.random((rounds, experts - 1)) < 0.4] = np.nan
        shards.append((forecasts, outcomes))
    return LEARNERS[name](), shards


def one_after_the_other(learner, shards):
    """The fresh copies that played the shards, by hand."""
    played = []
    for place, (forecasts, outcomes) in enumerate(shards):
        changes = {}
        if hasattr(learner, "seed_"):
            words = np.random.SeedSequence([learner.seed_, place]).generate_state(1, np.uint64)
            changes["random_state"] = int(words[0] >> np.uint64(1))
        copy = learner.clone(**changes)
        copy.play(forecasts, outcomes)
        played.append(copy)
    return played


def in_pairs(values):
    """The sum along the tree that all engines add by."""
    while len(values) > 1:
        values = [reduce(add, values[k : k + 2]) for k in range(0, len(values), 2)]
    return values[0]


def same(one: ExpertLedger, other: ExpertLedger) -> None:
    """Every number has the same bits."""
    for name in (one.name for one in fields(ExpertLedger)):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@given(cases())
def test_ledgers_are_those_of_playing_the_shards_one_after_the_other_by_hand(case):
    """Each shard's ledger has the bits of a fresh copy that played it by hand, and the sum is their sum in pairs."""
    learner, shards = case
    combined = combine(learner, shards, Parcels())
    by_hand = [copy.ledger_ for copy in one_after_the_other(learner, shards)]
    for play, ledger in zip(combined.plays, by_hand, strict=True):
        same(play.ledger, ledger)
    same(combined.ledger, in_pairs(by_hand))
    assert learner.rounds_ == 0


@given(cases(), st.integers(0, 1000))
def test_the_order_in_which_shards_are_played_changes_no_bit(case, seed):
    """Another order of play, and other processes or threads, give the same sums, combinations and certificates."""
    learner, shards = case
    one, other = combine(learner, shards, Parcels(0)), combine(learner, shards, Parcels(seed))
    same(one.ledger, other.ledger)
    assert one.describe() == other.describe()


@given(cases())
def test_no_sum_of_bounds_is_broken(case):
    """The sum of the regrets against one comparator stays within the sum of the bounds, whatever the comparator."""
    learner, shards = case
    combined = combine(learner, shards, Parcels())
    experts = len(combined.ledger.losses)
    weights = np.random.default_rng(experts).dirichlet(np.ones(experts))
    always = combined.ledger.absent == 0
    for against in (None, *range(experts), *([weights] if always else [])):
        for one in combined.certify(against=against, executor=Parcels()):
            assert one.theorem.kind == "probable" or one.holds, one


@given(cases())
def test_bounds_are_sums_of_what_each_copy_certifies(case):
    """Against an expert that spoke in every shard, bound and regret are the sums of those the copies certify."""
    learner, shards = case
    combined = combine(learner, shards, Parcels())
    copies = one_after_the_other(learner, shards)
    expert = 0  # never silent
    for place, theorem in enumerate(learner.theorems):
        whole = combined.certify(against=expert)[place]
        each = []
        for copy in copies:
            ledger = copy.ledger_
            alone = combine(learner, [shards[0]]).comparator(expert)
            fields = {"loss": ledger.losses, "faced": ledger.faced, "rounds": ledger.spoke}
            at = type(alone)(
                "expert",
                "",
                **{name: float(values[expert]) for name, values in fields.items()},
                expert=expert,
                divergence=alone.divergence,
            )
            each.append(copy.certify(comparators=[at])[place])
        assert whole.applies == all(one.applies for one in each)
        if whole.applies and theorem.kind == "sure":
            assert whole.bound == pytest.approx(sum(one.bound for one in each), rel=1e-12, abs=1e-12)
            assert whole.observed == pytest.approx(sum(one.observed for one in each), rel=1e-9, abs=1e-9)


@given(cases())
def test_combinations_found_from_sums_are_those_of_all_rows(case):
    """What fixed uses of the experts lose is computed from sums as it is from all rows in one table."""
    learner, shards = case
    combined = combine(learner, shards, Parcels())
    forecasts, outcomes = (np.concatenate(parts) for parts in zip(*shards, strict=True))
    comparators = {one.name: one for one in combined.comparators()}
    own = learner._loss.of(forecasts, outcomes[:, None])
    np.testing.assert_allclose(combined.ledger.losses, np.nansum(own, axis=0), rtol=1e-9, atol=1e-9)
    best, spoke = comparators["best_expert"], combined.ledger.spoke > 0
    assert best.regret == pytest.approx(np.max((combined.ledger.faced - combined.ledger.losses)[spoke]), abs=1e-9)
    for name in ("best_convex", "best_linear"):
        if name in comparators:
            weights = comparators[name].weights
            among = weights != 0
            lost = learner._loss.of(forecasts[:, among] @ weights[among], outcomes).sum()
            assert comparators[name].loss == pytest.approx(lost, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("loss", ["absolute", "square", "log", "pinball"])
def test_weights_of_yours_lose_what_they_lose_on_all_rows(loss):
    """The loss of given weights, added over shards that are read once more, is that on all rows together."""
    rng = np.random.default_rng(3)
    shards = [(rng.uniform(0.1, 0.9, (n, 3)), rng.uniform(0.1, 0.9, n)) for n in (5, 9, 2)]
    learner = Hedge(loss=loss, linearize=True)
    weights = np.array([0.25, 0.0, 0.75])
    forecasts, outcomes = (np.concatenate(parts) for parts in zip(*shards, strict=True))
    one = combine(learner, shards).comparator(weights, Parcels())
    assert one.loss == pytest.approx(learner._loss.of(forecasts @ weights, outcomes).sum(), rel=1e-12)
    assert one.divergence == pytest.approx(sum(u * log(3 * u) for u in weights if u))


def test_a_constant_bound_is_paid_once_a_shard():
    """The aggregating algorithm's constant regret is S times as large over S shards as over one."""
    rng = np.random.default_rng(1)
    rows = rng.random((60, 3)), rng.random(60)
    cut = [tuple(part[k : k + 10] for part in rows) for k in range(0, 60, 10)]
    learner = AggregatingAlgorithm(value_range=(0, 1))
    whole, split = combine(learner, [rows]).certify()[0], combine(learner, cut).certify()[0]
    assert whole.bound == pytest.approx(log(3) / 2)
    assert split.bound == pytest.approx(6 * whole.bound)
    assert "6 shards" in split.quantity


def test_the_bound_of_one_pass_is_broken_by_the_sum_over_shards():
    """Copies that each pay to find the best expert lose more together than one pass over all rows may."""
    table = np.tile([[1.0, 0.0]], (40, 1))
    learner = Hedge(loss=None, value_range=(0, 1), eta=1.0)
    split = combine(learner, [table[k : k + 2] for k in range(0, 40, 2)])
    alone = learner.clone()
    alone.play(table)
    one_pass = alone.certify()[0]
    assert one_pass.theorem.name == "hedge_posterior"
    assert split.certify()[0].observed > one_pass.bound
    assert split.certify()[0].holds


def test_one_comparator_for_all_shards_is_weaker_than_the_best_of_each():
    """Where shards have different best experts the sum is about the one that is best for all, not about each best."""
    good, bad = np.tile([[0.0, 1.0]], (30, 1)), np.tile([[1.0, 0.0]], (30, 1))
    learner = Hedge(loss=None, value_range=(0, 1))
    combined = combine(learner, [good, bad])
    best_of_each = sum(play.ledger.losses.min() for play in combined.plays)
    assert best_of_each == 0
    assert combined.comparators()[0].loss == 30
    assert combined.certify()[0].holds


def test_draws_are_others_on_every_shard():
    """Copies that draw experts draw independently: the same rows in two shards do not get the same draws."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (200, 4)).astype(float), rng.integers(0, 2, 200).astype(float)
    combined = combine(RandomizedWeightedMajority(beta=0.9, random_state=1), [rows, rows])
    first, second = (play.ledger for play in combined.plays)
    assert first.expected == second.expected
    assert first.sampled != second.sampled


def test_a_theorem_that_fails_on_one_shard_says_on_which():
    """One shard longer than the horizon makes the tuned bound decline, naming the shard."""
    rng = np.random.default_rng(0)
    shards = [(rng.random((n, 2)), rng.random(n)) for n in (5, 30, 5)]
    certificates = combine(Hedge(loss="absolute", value_range=(0, 1), horizon=10), shards).certify()
    tuned = next(one for one in certificates if one.theorem.name == "hedge_tuned")
    assert not tuned.applies
    assert "shard 1" in str(tuned)


@pytest.fixture
def parts(tmp_path):
    """Three files of forecasts, the experts in different orders, and the same as arrays."""
    rng = np.random.default_rng(8)
    rows = [(rng.random((n, 3)), rng.random(n)) for n in (4, 7, 5)]
    orders = (["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"])
    for place, ((forecasts, outcomes), order) in enumerate(zip(rows, orders, strict=True)):
        lines = [",".join(["load", *order])]
        for row, outcome in zip(forecasts, outcomes, strict=True):
            cells = dict(zip("abc", row, strict=True))
            lines.append(",".join(repr(float(value)) for value in (outcome, *(cells[name] for name in order))))
        (tmp_path / f"part-{9 + place}.csv").write_text("\n".join(lines) + "\n")
    return tmp_path, rows


def test_files_are_shards_in_their_order_whatever_the_order_of_their_columns(parts):
    """A pattern's files give the bits of the same arrays, though each names its columns in another order."""
    folder, rows = parts
    learner = MLPoly(value_range=(0, 1))
    with ThreadPoolExecutor(2) as pool:
        by_files = combine(learner, str(folder / "part-*.csv"), pool, target="load")
    by_arrays = combine(learner, rows)
    same(by_files.ledger, by_arrays.ledger)
    assert by_files.names() == ["a", "b", "c"]
    assert [play.name.rpartition("/")[2] for play in by_files.plays] == ["part-9.csv", "part-10.csv", "part-11.csv"]
    assert by_files.certify(against="c")[0].holds


def test_functions_that_read_a_shard_are_shards(parts):
    """A function is called where its shard is played, and gives the same bits as what it returns."""
    _, rows = parts
    learner = BOA(value_range=(0, 1))
    combined = combine(learner, [lambda one=one: one for one in rows])
    same(combined.ledger, combine(learner, rows).ledger)


def test_a_bad_row_is_named_with_its_file(parts):
    """A cell that is no number is an error with file, line and column."""
    folder, _ = parts
    path = folder / "part-10.csv"
    path.write_text(path.read_text().replace("\n0.", "\nx0.", 2).replace("\nx0.", "\n0.", 1))
    with pytest.raises(DataError, match=r"part-10\.csv:3"):
        combine(MLPoly(), str(folder / "part-*.csv"), target="load")


@pytest.mark.parametrize(
    ("shards", "words"),
    [
        ([(np.ones((3, 2)), np.ones(3)), (np.ones((3, 4)), np.ones(3))], "shard 1.*4 experts"),
        ([(np.ones((3, 2)), np.ones(3)), (np.full((3, 2), np.inf), np.ones(3))], "shard 1:1"),
        ([(np.ones((3, 2)), np.ones(3)), (np.ones((0, 2)), np.ones(0))], "shard 1: no rows"),
        ([np.ones((3, 2))], "shard 0: there are no outcomes"),
        ([(np.ones((3, 2)), np.ones(2))], "shard 0"),
        ([], "no files|no shards"),
    ],
)
def test_a_shard_that_cannot_be_played_is_named(shards, words):
    """Whatever is wrong with a shard, the error begins with its name."""
    with pytest.raises(RegretlessError, match=words):
        combine(MLPoly(), shards)


def test_what_does_not_add_up_is_declined_with_a_reason():
    """Doubling, learners that have played, and searches that are no sums are refused or absent, in words."""
    rng = np.random.default_rng(0)
    rows = rng.random((9, 2)), rng.random(9)
    with pytest.raises(RegretlessError, match="count of all rounds"):
        combine(Doubling(Hedge(loss="square", horizon=1, value_range=(0, 1))), [rows])
    played = MLPoly()
    played.play(*rows)
    with pytest.raises(RegretlessError, match="from the prior"):
        combine(played, [rows])
    with pytest.raises(RegretlessError, match="n_experts=3"):
        combine(MLPoly(n_experts=3), [rows])
    absent = combine(Hedge(loss="absolute", linearize=True), [rows]).absent
    assert "sums" in absent["best_convex"]
    assert "no order" in absent["best_shifting"]
    silent = rows[0].copy()
    silent[0, 1] = np.nan
    with pytest.raises(RegretlessError, match="silent"):
        combine(MLPoly(), [(silent, rows[1])]).comparator([0.5, 0.5])


def test_a_sum_of_bounds_that_says_nothing_is_marked():
    """Two shards of three rounds each allow more regret than all of them lost: the line says so, and JSON."""
    shards = [(np.array([[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]]), np.array([0.5, 0.4, 0.6]))] * 2
    combined = combine(Hedge(loss="absolute", value_range=(0, 1)), shards)
    posterior = combined.certify()[0]
    assert posterior.bound >= combined.ledger.loss
    assert posterior.describe()["vacuous"]
    assert "no better than the learner's own loss" in str(posterior)
