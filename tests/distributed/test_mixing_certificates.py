"""Certificates of mixed learners: no run breaks one, every engine gives the same numbers, and what cannot be said is
refused with its reason."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import regretless.distributed.comparators as over
from regretless.distributed import arrays, mix
from regretless.distributed.certify import MIXED_OTHERS
from regretless.distributed.checkpoint import NO_GUARANTEE
from regretless.distributed.mixing import average_once
from regretless.distributed.result import Mixture
from regretless.errors import RegretlessError
from regretless.linear import (
    AveragedPerceptron,
    MulticlassPerceptron,
    OnlineGradientDescent,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    Winnow,
)
from regretless.linear.first_pass import LOOKAHEAD
from regretless.theory.facts import UNIT_WEIGHTS
from regretless.theory.mixing import all_separable, epochs_until_clean, mixed_separable

from ..data.mixed_data import write_svm
from .mixing_runs import LOSSES, Player, mixed, power_link

LEARNERS: list[Any] = [
    Perceptron(),
    Perceptron(intercept=1.0, rate=0.3),
    AveragedPerceptron(intercept=0.5),
    MulticlassPerceptron(),
    OnlineGradientDescent(),
    OnlineGradientDescent(loss="logistic", schedule="constant", rate=0.1),
    OnlineGradientDescent(schedule="inverse-sqrt", radius=1.0),
    OnlineGradientDescent(loss="square", radius=2.0),
    PassiveAggressive(variant="PA"),
    PassiveAggressive(variant="PA-I", C=0.3, intercept=1.0),
    PassiveAggressive(variant="PA-II"),
    PNormPerceptron(p=3.0),
    PNormPerceptron(intercept=1.0),
    Winnow(rate=0.2),
    Winnow(gamma=0.2, radius=4.0, balanced=True),
]
Parts = list[tuple[Any, Any]]


def parts(seed: int, sizes: list[int], classes: int = 2, noise: float = 0.5) -> Parts:
    """Shards of rows of four features, whose classes are those of the largest score, or nearly."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(sum(sizes), 4))
    scores = X @ rng.normal(size=(4, classes)) + noise * rng.normal(size=(sum(sizes), classes))
    y = scores.argmax(axis=1)
    ends = np.cumsum(sizes)
    return [(X[end - size : end], y[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no rounds were few enough to be brought to one place."""
    monkeypatch.setattr(over, "SMALL", -1)


@given(
    place=st.integers(0, len(LEARNERS) - 1),
    seed=st.integers(0, 2**31),
    sizes=st.lists(st.integers(1, 12), min_size=2, max_size=5),
    classes=st.sampled_from([2, 2, 3]),
    weights=st.sampled_from(["uniform", "updates", "rows"]),
    together=st.sampled_from([None, 2]),
    epochs=st.integers(1, 4),
)
@settings(max_examples=12)
def test_no_mixed_run_breaks_its_certificates(place, seed, sizes, classes, weights, together, epochs):
    """No certificate of a learner that was mixed is violated, and each is of the theorems about mixing that learner."""
    shards = parts(seed, sizes, classes, noise=0.3 * (seed % 3))
    mixture = mix(LEARNERS[place], shards, epochs=epochs, weights=weights, together=together, classes=range(classes))
    certificates = mixture.certify()
    assert [one.theorem for one in certificates] == list(mixture.learner.mixed_proven())
    for one in certificates:
        assert not one.violated, str(one)
        assert one.applies or one.why


@pytest.mark.parametrize("rows", [80, 1e12])
@pytest.mark.parametrize("learner", [MulticlassPerceptron(), Perceptron()])
def test_many_rows_of_mixed_classes_are_certified(learner, rows, monkeypatch):
    """Where rows count as many, a mixed learner of five classes has certificates, whether a part of them is enough to
    learn from or not."""
    monkeypatch.setattr("regretless.linear.comparators.question.MOST_PLAYED", 0)
    monkeypatch.setattr("regretless.linear.comparators.question.ROWS_A_NUMBER", rows / 1e3)
    certificates = mix(learner, parts(3, [60, 50], 5, noise=0.3), classes=range(5)).certify()
    assert any(one.applies for one in certificates)
    assert not any(one.violated for one in certificates)


@pytest.mark.parametrize("learner", [Perceptron(), MulticlassPerceptron()], ids=repr)
def test_a_deep_search_of_a_mixture_says_how_much_tighter_it_is(learner, monkeypatch):
    """A deep certificate of a mixture has the bound of the quick search, of which some are larger, none is smaller."""
    monkeypatch.setattr("regretless.linear.comparators.question.QUICK_WORK", 1.0)
    monkeypatch.setattr("regretless.linear.comparators.question.WORK_AN_ENTRY", 0.0)
    mixture = mix(learner, parts(3, [60, 50], noise=0.0), epochs=2)
    quick, deep = mixture.certify(), mixture.certify(deep=True)
    for one, other in zip(deep, quick, strict=True):
        assert one.quick_bound == (np.inf if other.bound is None else other.bound)
        assert other.bound is None or one.bound <= other.bound
    assert max(one.tighter or 0.0 for one in deep) > 0


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: repr(one))
@pytest.mark.usefixtures("no_room")
def test_certificates_of_shards_that_stay_where_they_are_hold(learner):
    """Where rows stay in their shards no certificate is violated, and at least one applies."""
    mixture = mix(learner, parts(7, [30, 12, 50], 3, noise=0.0), epochs=2, weights="updates", classes=range(3))
    certificates = mixture.certify()
    assert not any(one.violated for one in certificates)
    assert (
        any(one.applies for one in certificates) or learner.get_params().get("variant") == "PA"
    )  # nobody found a margin


@pytest.mark.parametrize(
    ("learner", "room"),
    [(Perceptron(), 1 << 20), (MulticlassPerceptron(), -1), (OnlineGradientDescent(), -1), (Winnow(), -1)],
)
def test_every_engine_gives_the_same_numbers(learner, room, monkeypatch):
    """Threads, which finish in any order, give the same certificates as one shard after the other, to the last bit."""
    monkeypatch.setattr(over, "SMALL", room)
    mixture = mix(learner, parts(3, [20, 40, 10, 33, 21], 3), epochs=2)
    here = [one.describe() for one in mixture.certify()]
    with ThreadPoolExecutor(3) as pool:
        assert [one.describe() for one in mixture.certify(pool)] == here


@pytest.mark.parametrize(
    ("loss", "weights", "together"),
    [("hinge", "uniform", None), ("logistic", "updates", 2), ("square", "rows", 3), ("squared-hinge", "rows", None)],
)
@pytest.mark.parametrize("room", [-1, 1 << 20])
def test_sums_against_a_vector_are_those_of_numpy(loss, weights, together, room, monkeypatch):
    """What a given vector suffers is summed over the shards, times how often each has counted; the regret that is
    observed is the weighted loss of the run less the vector's."""
    monkeypatch.setattr(over, "SMALL", room)
    sizes = [5, 30, 12, 1]
    shards = parts(11, sizes)
    learner = OnlineGradientDescent(loss=loss, radius=1.0)
    mixture = mix(learner, shards, epochs=3, weights=weights, together=together, classes=[0, 1])
    v = np.array([0.3, -0.2, 0.1, 0.5])
    certificate = mixture.certify(against=v)[0]
    margins = [np.where(y == 1, 1, -1) * (X @ v) for X, y in shards]

    def weighted(charge: Any) -> float:
        return float(sum(s * sum(map(charge, m)) for s, m in zip(mixture.shares, margins, strict=True)))

    one = certificate.comparator
    assert (one.name, certificate.theorem.quantity) == ("yours", "weighted regret")
    assert one.hinge == pytest.approx(weighted(LOSSES["hinge"][0]))
    assert one.squared_hinge == pytest.approx(weighted(LOSSES["squared-hinge"][0]))
    assert certificate.observed == pytest.approx(mixture.mixed[0].mixed.loss - weighted(LOSSES[loss][0]))
    assert one.least == pytest.approx(min(m.min() for m in margins))
    assert one.rounds == pytest.approx(float(mixture.shares @ sizes))
    assert one.played == 3 * 48


@pytest.mark.parametrize("weights", ["uniform", "updates", "rows"])
@pytest.mark.parametrize(
    ("learner", "player"),
    [
        (Perceptron(rate=0.5), Player(rate=0.5)),
        (PassiveAggressive(C=0.2), Player("hinge", "pa-1", limit=0.2)),
        (OnlineGradientDescent(schedule="constant", rate=0.1), Player("hinge", "constant", 0.1)),
        (OnlineGradientDescent(schedule="inverse-sqrt", rate=0.5, radius=1), Player("hinge", "inverse-sqrt", 0.5, 1.0)),
        (OnlineGradientDescent(schedule="self-tuned", rate=2, loss="logistic"), Player("logistic", "self-tuned", 2.0)),
        (OnlineGradientDescent(schedule="scale-free", rate=2, loss="square"), Player("square", "scale-free", 2.0)),
    ],
)
def test_the_books_of_a_mixed_run_are_those_of_plain_numpy(learner, player, weights):
    """Weighted and plain sums, the longest path and what is kept of the rates are what mixing in plain numpy gives."""
    shards = parts(13, [9, 25, 4, 17, 6])
    mixture = mix(learner, shards, epochs=3, weights=weights, together=2, classes=[0, 1])
    run = mixed(player, [(X, np.where(y == 1, 1, -1)) for X, y in shards], 3, weights, together=2)
    assert mixture.mixed[0].array() == pytest.approx(run.ledger.array(), rel=1e-9, abs=1e-12)
    assert mixture.shares == pytest.approx(run.shares)
    assert mixture.learner.coef_[0] == pytest.approx(run.theta)


@pytest.mark.parametrize("weights", ["uniform", "updates", "rows"])
def test_the_reach_of_mirror_learners_is_that_of_all_shards(weights):
    """The largest norm of an update's row, which bounds of p-norm perceptrons go by, is the largest of any shard and
    epoch, and the dual coordinates are the mean of those of the shards."""
    shards = parts(17, [9, 25, 4])
    player = Player(link=power_link(3.0), measure=lambda x: float((np.abs(x) ** 3).sum() ** (1 / 3)))
    run = mixed(player, [(X, np.where(y == 1, 1, -1)) for X, y in shards], 3, weights)
    learner = mix(PNormPerceptron(p=3.0), shards, epochs=3, weights=weights, classes=[0, 1]).learner
    assert learner.target_facts()[0].reach == pytest.approx(player.reach)
    assert learner.state_.duals(0)[0] == pytest.approx(run.theta)


def test_the_oracle_of_two_shards(oracles):
    """Of the recorded run over two shards: the weights, one weighted update, and 5 as the bound."""
    case = next(one for one in oracles if one["id"] == "ipm/2 shards")
    inputs, expected = case["input"], case["expected"]
    X, y = np.array(inputs["X"], dtype=float), np.array(inputs["y"])
    mixture = mix(Perceptron(), [(X[rows], y[rows]) for rows in inputs["shards"]], epochs=2)
    assert mixture.learner.coef_.tolist() == [[1.5, 0.5]]
    assert [epoch.updates for epoch in mixture.history] == [sum(row) for row in expected["updates_per_epoch_and_shard"]]
    certificate = mixture.certify()[0]
    assert certificate.theorem is mixed_separable
    assert (certificate.observed, certificate.bound) == (expected["sum_mu_k"], pytest.approx(expected["bound"]))


def test_plain_updates_may_exceed_what_bounds_the_weighted_ones():
    """On eight separable shards of 2,000 unit rows the updates in all are above (r / rho)^2, the weighted ones below,
    and every certificate on plain counts holds with its factor."""
    rng, columns = np.random.default_rng(3), 30
    u = rng.standard_normal(columns)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((48_000, columns))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    margins = X @ u
    mask = np.abs(margins) > 0.05
    X, y = X[mask][:16_000], np.sign(margins[mask][:16_000])
    shards = [(X[i : i + 2000], y[i : i + 2000]) for i in range(0, 16_000, 2000)]
    bound = float((y * (X @ u)).min()) ** -2
    mixture = mix(Perceptron(until_clean=True), shards)
    assert mixture.clean
    assert mixture.ledger.updates == 527 > bound
    certificates = {one.theorem: one for one in mixture.certify(against=u)}
    for theorem, factor in ((mixed_separable, 1), (all_separable, 8), (epochs_until_clean, 8)):
        assert certificates[theorem].bound == pytest.approx(factor * bound)
        assert certificates[theorem].holds
    assert certificates[all_separable].observed == mixture.ledger.updates


def test_groups_of_shards_have_the_factor_of_a_group():
    """Mixed two at a time all updates are at most twice the bound on the weighted ones, however many shards there
    are."""
    mixture = mix(Perceptron(), parts(2, [10] * 6, noise=0.0), epochs=3, together=2)
    certificates = {one.theorem: one for one in mixture.certify(against=np.array([1.0, 0, 0, 0]))}
    sharp = next(one for one in certificates.values() if one.theorem.name == "mixed_sharp")
    every = next(one for one in certificates.values() if one.theorem.name == "all_sharp")
    assert every.bound == pytest.approx(2 * sharp.bound)
    assert every.observed == mixture.ledger.updates


# ---- what is refused


def others(mixture: Mixture, shards: Parts) -> Mixture:
    """The mixture, with other shards given for its own."""
    return Mixture(mixture.learner, arrays(shards), mixture.run)


def test_a_shard_that_has_changed_is_named():
    """If a shard has more rows than were played, or rows of other lengths, no certificate applies, and the shard is
    named."""
    shards = parts(1, [10, 20, 15])
    mixture = mix(Perceptron(), shards, epochs=2)
    longer = [shards[0], (np.vstack([shards[1][0], np.ones(4)]), np.append(shards[1][1], 1)), shards[2]]
    scaled = [*shards[:2], (shards[2][0] * 1.01, shards[2][1])]
    for given_instead, name, word in ((longer, "shard 1", "21"), (scaled, "shard 2", "lengths")):
        for one in others(mixture, given_instead).certify():
            assert not one.applies
            assert name in one.why
            assert word in one.why


def test_shards_that_are_not_trusted_are_mixed_again():
    """Labels that were turned round have the same rows and lengths: they pass if they are trusted, and not when mixed
    again."""
    shards = parts(1, [10, 20, 15])
    mixture = mix(AveragedPerceptron(), shards, epochs=2, weights="updates", together=2)
    turned = [shards[0], (shards[1][0], 1 - shards[1][1]), shards[2]]
    assert any(one.applies for one in mixture.certify(trusted=False))
    assert all(one.why == MIXED_OTHERS for one in others(mixture, turned).certify(trusted=False))


def test_features_that_were_never_met_are_an_error_that_names_the_shard():
    """A shard with more columns than the model knows is no shard that it learned from, and is named."""
    shards = parts(1, [10, 20])
    mixture = mix(Perceptron(), shards)
    wide = Mixture(mixture.learner, arrays([shards[0], (np.ones((20, 9)), shards[1][1])]), mixture.run)
    with pytest.raises(RegretlessError, match="shard 1"):
        wide.certify()


def test_one_shot_averages_have_no_certificates():
    """Where weights were averaged once every theorem is declined with the same reason; what the first pass says of new
    rounds stays."""
    mixture = average_once(Perceptron(), parts(1, [10, 20]), passes=3)
    certificates = mixture.certify(iid=True)
    assert [one.why for one in certificates[:-2]] == [NO_GUARANTEE] * len(mixture.learner.mixed_proven())
    assert [one.applies for one in certificates[-2:]] == [True, True]


def test_a_single_pass_that_is_averaged_once_is_an_epoch_of_mixing():
    """After one pass over each shard the one average has the certificates of the first epoch, number for number."""
    shards = parts(1, [10, 20])
    once, epoch = average_once(Perceptron(), shards, passes=1), mix(Perceptron(), shards, epochs=1)
    assert [str(one) for one in once.certify(trusted=False)] == [str(one) for one in epoch.certify()]
    assert any(one.applies for one in once.certify())


def test_a_one_shot_average_errs_for_ever_on_data_that_mixing_separates():
    """There are two shards of separable rows for which the average of clean perceptrons is wrong however many passes
    they make, and mixing becomes clean."""
    for seed in range(500):
        rng = np.random.default_rng(seed)
        X = rng.integers(-3, 4, (4, 2)).astype(float)
        y = np.where(X @ [3.0, 1.0] > 0, 1, -1)
        if (X @ [3.0, 1.0] == 0).any():
            continue
        shards = [(X[:2], y[:2]), (X[2:], y[2:])]
        averages = [average_once(Perceptron(), shards, passes=passes, classes=[-1, 1]) for passes in (50, 500)]
        if all((one.learner.predict(X) != y).any() for one in averages):
            break
    assert averages[0].learner.coef_.tolist() == averages[1].learner.coef_.tolist()
    mixture = mix(Perceptron(until_clean=True), shards, classes=[-1, 1])
    assert mixture.clean
    assert (mixture.learner.predict(X) == y).all()


def test_weighted_rounds_are_declined():
    """With class weights no theorem of mixing applies, and each says that it assumes rounds of weight 1."""
    mixture = mix(Perceptron(class_weight={0: 2.0}), parts(1, [10, 20]), epochs=2)
    assert {one.why for one in mixture.certify()} == {UNIT_WEIGHTS[0]}


def test_what_the_first_epoch_says_of_new_rounds():
    """With iid the certificates of risk are those of the first epoch's mistakes, whatever later epochs made of the
    weights."""
    shards = parts(4, [40, 60, 50])
    once, often = (mix(Perceptron(), shards, epochs=epochs, classes=[0, 1]) for epochs in (1, 5))
    first, later = ([one.bound for one in mixture.certify(iid=True)[-2:]] for mixture in (once, often))
    assert first == later
    assert once.certify(iid=True)[-2].observed == pytest.approx(once.history[0].mistakes / 150)


@pytest.mark.parametrize(
    ("learner", "how", "why"),
    [
        (MulticlassPerceptron(), {}, "classes"),
        (MulticlassPerceptron(), {"classes": [0, 1], "together": 1}, "classes"),
        (MulticlassPerceptron(), {"classes": [0, 1, 2]}, ""),
        (Perceptron(), {"weights": "updates", "together": 2}, "weights"),
        (Perceptron(), {"weights": "updates", "together": 2, "classes": [0, 1, 2]}, ""),
        (Perceptron(), {"weights": "updates", "together": 1}, ""),
        (Perceptron(), {"weights": "updates"}, ""),
        (Perceptron(), {"weights": "rows", "together": 2}, ""),
    ],
)
def test_classes_to_come_that_may_change_what_is_played_spoil_the_guarantee(learner, how, why, tmp_path):
    """Classes that nobody announced spoil what is said of new rounds where they can be rivals of others, or count in
    the means that later groups begin with, also in a file; elsewhere they do not."""
    mixture = mix(learner, parts(4, [40, 60, 50], classes=3), **how)
    mixture.save(tmp_path / "model.rgl")
    for certificates in (mixture.certify(iid=True)[-2:], Mixture.read(tmp_path / "model.rgl").learner.certify_risk()):
        assert [one.why for one in certificates] == ([LOOKAHEAD[why]] * 2 if why else [None] * 2)


def test_a_power_that_goes_by_what_shards_were_found_to_have_spoils_the_guarantee(tmp_path):
    """With p="auto" nothing is said of new rounds where only the rows of files tell how many columns there are; where
    dense arrays do, or p is a number, something is."""
    dense = parts(4, [40, 60, 50])
    write_svm(tmp_path, [(X, np.asarray(y)) for X, y in dense])
    pattern, sparse = str(tmp_path / "part-*.svm"), [(csr_matrix(X), y) for X, y in dense]
    for shards, power, why in (
        (pattern, "auto", LOOKAHEAD["p"]),
        (sparse, "auto", LOOKAHEAD["p"]),
        (pattern, 3.0, None),
        (dense, "auto", None),
    ):
        assert mix(PNormPerceptron(p=power), shards).certify(iid=True)[-1].why == why


def charged_too_much(together):
    """Gradient descent on rows so long, at a rate so large, that squares of its losses are no floats."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        m = int(rng.integers(4, 20))
        cuts = np.sort(rng.choice(np.arange(1, m), int(rng.integers(2, m)) - 1, replace=False))
        X = rng.normal(size=(m, 3)) * 10.0 ** rng.integers(3, 9)
        y = (X[:, 0] > 0).astype(int)
        shards = list(zip(np.split(X, cuts), np.split(y, cuts), strict=True))
        learner = OnlineGradientDescent(loss="square", schedule="constant", rate=0.01)
        yield lambda learner=learner, shards=shards: mix(learner, shards, epochs=4, together=together)


@pytest.mark.parametrize("together", [1, 2, None])
def test_books_that_overflow_end_the_run_with_what_to_do(together):
    """Books that overflow end a run with an error that speaks of the rate; a run that ends well has finite books and
    certificates."""
    refused = 0
    for run in charged_too_much(together):
        try:
            mixture = run()
        except RegretlessError as error:
            refused += "would overflow; lower the rate" in str(error)
            continue
        assert np.isfinite(mixture.mixed_whole.array()).all()
        assert all(np.isfinite(one.bound) for one in mixture.certify() if one.applies)
    assert refused


def test_a_certificate_whose_numbers_are_no_floats_is_declined():
    """Against a comparator so long that its loss overflows, no certificate of a mixture gives an infinite number."""
    mixture = mix(OnlineGradientDescent(loss="square", radius=1.0), parts(4, [40, 60]))
    with np.errstate(over="ignore"):
        certificates = mixture.certify(against=np.full(4, 1e200), deep=True)
    assert not all(one.applies for one in certificates)
    assert not any(one.applies and not np.isfinite(one.bound) for one in certificates)


def test_a_book_that_was_made_smaller_is_found_out():
    """If the weighted updates were counted twice, the posterior bound against the run's own weights would be violated
    on orthonormal rows: the test of every certificate can fail."""
    mixture = mix(Perceptron(), [(np.eye(6)[:3], [0, 0, 0]), (np.eye(6)[3:], [0, 0, 0])], classes=[0, 1])
    book = mixture.mixed[0]
    doubled = replace(book, mixed=replace(book.mixed, updates=2 * book.mixed.updates))
    sums = replace(mixture.run.sums, mixed=(doubled,), whole=doubled)
    wrong = Mixture(mixture.learner, mixture.shards, replace(mixture.run, sums=sums))
    assert not any(one.violated for one in mixture.certify())
    assert any(one.violated for one in wrong.certify())
