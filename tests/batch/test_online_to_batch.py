"""From one pass over independent rounds to the risk on new ones: the formulas, how often they fail, and what refuses to
apply."""

from __future__ import annotations

from math import expm1, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless
from regretless.batch import average
from regretless.catalogue import LEARNERS, learner_class
from regretless.data import Batch
from regretless.data.arrays import ArrayStream
from regretless.errors import ModelError, RegretlessError
from regretless.ledger import Ledger
from regretless.linear import (
    KernelPerceptron,
    MulticlassPerceptron,
    OnlineGradientDescent,
    Perceptron,
    PNormPerceptron,
)
from regretless.linear.first_pass import LOOKAHEAD
from regretless.linear.ogd import SCHEDULES
from regretless.persist.format import read_model
from regretless.persist.model import rebuilt
from regretless.run.linear import Run
from regretless.theory.online_to_batch import (
    FUTURE,
    RATES,
    Declared,
    deviation,
    mean_excess,
    mean_risk,
    small_loss,
    small_loss_grid,
    voted_risk,
)

# ---- the formulas


def cases(oracles, name):
    return next(case for case in oracles if case["id"] == name)


def test_the_grid_gives_the_worked_values(oracles):
    """The small-loss bound over the grid has the values of the worked cases."""
    case = cases(oracles, "o2b/small-loss grid")
    assert case["input"]["lambdas"] == list(RATES)
    grids = [small_loss_grid(loss, rounds, case["input"]["delta"]) for rounds, loss in case["input"]["T_L"]]
    assert grids == pytest.approx(case["expected"]["bound"], rel=1e-12)


def test_the_deviations_are_half_of_those_printed(oracles):
    """For a loss in [0, M] the deviations of a mean and of an excess risk are the sharp ones of the worked cases,
    exactly half of those that were once printed."""
    case = cases(oracles, "o2b/lemma 7.1 and 7.13")
    for place, (rounds, delta, width) in enumerate(case["input"]["T_delta_M"]):
        ledger, declared = Ledger(rounds=rounds), Declared(delta, width=width, regret=0.0)
        one, two = mean_risk.bound(ledger, None, declared), mean_excess.bound(ledger, None, declared)
        assert one == pytest.approx(case["expected"]["sharp_dev"][place], rel=1e-12)
        assert 2 * one == pytest.approx(case["expected"]["printed_dev"][place], rel=1e-12)
        assert two == pytest.approx(case["expected"]["sharp_713_dev"][place], rel=1e-12)
        assert 2 * two == pytest.approx(case["expected"]["printed_713_dev"][place], rel=1e-12)


rounds_and_losses = st.integers(1, 10**9).flatmap(
    lambda rounds: st.tuples(st.just(rounds), st.floats(0, 1).map(lambda share: share * rounds))
)


@given(rounds_and_losses, st.floats(1e-9, 0.5))
def test_the_mean_of_the_grid_beats_its_best(played, delta):
    """The bound from the mean of the supermartingales lies between the average loss and the best of the grid, which is
    at most 1."""
    rounds, losses = played
    bound = small_loss(losses, rounds, delta)
    assert losses / rounds <= bound * (1 + 1e-9)
    assert bound <= small_loss_grid(losses, rounds, delta) <= 1


@given(rounds_and_losses, st.floats(1e-9, 0.5))
def test_the_bound_solves_its_equation(played, delta):
    """Unless it is 1, a little less than the bound is not ruled out, for the mean of the supermartingales is below
    1 / delta there, and a little more is."""
    rounds, losses = played
    bound = small_loss(losses, rounds, delta)

    def evidence(risk):
        powers = [-rate * losses - rounds * np.log1p(risk * expm1(-rate)) for rate in RATES]
        return np.logaddexp.reduce(powers) - log(len(RATES))

    if bound * (1 + 1e-9) < 1:
        assert evidence(bound * (1 - 1e-9)) <= -log(delta) + 1e-9
        assert evidence(bound * (1 + 1e-9)) >= -log(delta) - 1e-9


@given(st.integers(1, 10**6), st.floats(0, 1), st.floats(0, 1), st.floats(1e-6, 0.5))
def test_more_losses_or_more_confidence_never_bring_the_bound_down(rounds, share, more, delta):
    """The bound grows with the losses and with the confidence that is asked for."""
    low, high = sorted((share * rounds, more * rounds))
    assert small_loss(low, rounds, delta) <= small_loss(high, rounds, delta) * (1 + 1e-12)
    assert small_loss(low, rounds, delta) <= small_loss(low, rounds, delta / 2) * (1 + 1e-12)


def test_small_losses_are_worth_much():
    """Without a loss in 1,000 rounds the bound is below a seventh of Azuma's and below the best of the grid."""
    bound = small_loss(0, 1000, 0.05)
    assert bound < small_loss_grid(0, 1000, 0.05) < deviation(1.0, 1000, 0.05) / 7
    assert bound > log(1 / 0.05) / 1000  # what a single rate, known beforehand, could give at best


def test_nothing_is_known_before_the_first_round():
    """Without a round no certificate of the future applies, and the bare bound is 1."""
    assert small_loss(0, 0, 0.05) == 1
    for theorem in FUTURE:
        assert not theorem.certify(Ledger(), [None], Declared(0.05)).applies


# ---- how often they fail


def failures(trials, rounds, delta, risks, rng):
    """How often the bound was broken at any time, when the hypotheses have the given risks."""
    wrong = rng.random((trials, rounds)) < risks
    losses = np.cumsum(wrong, axis=1)
    averages = np.cumsum(risks) / np.arange(1, rounds + 1)
    looks = np.unique(np.geomspace(1, rounds, 16).astype(int))
    bounds = {(loss, t): small_loss(loss, t, delta) for t in looks for loss in np.unique(losses[:, t - 1])}
    broken = [any(averages[t - 1] > bounds[row[t - 1], t] for t in looks) for row in losses]
    return sum(broken)


@pytest.mark.parametrize("risk", ["constant", "falling", "small"])
def test_the_bound_fails_at_most_as_often_as_it_says(risk):
    """Looked at some fifteen times in a run, the bound is broken in no more runs than delta allows, at the 0.1 % level
    of a binomial test."""
    from scipy.stats import binom

    trials, rounds, delta = 400, 500, 0.1
    risks = {
        "constant": np.full(rounds, 0.3),
        "falling": 0.5 / np.sqrt(np.arange(1, rounds + 1)),
        "small": np.full(rounds, 0.003),
    }[risk]
    broken = failures(trials, rounds, delta, risks, np.random.default_rng(0))
    assert binom.sf(broken - 1, trials, delta) > 0.001


def test_perceptrons_on_independent_rounds_keep_the_guarantee():
    """Over 120 samples of noisy labels, the true average risk of the hypotheses of a pass exceeds the certified one no
    more often than delta allows."""
    from scipy.stats import binom

    trials, delta, broken = 120, 0.1, 0
    rng = np.random.default_rng(1)
    # All rows that can come, so that risks are exact.
    support = np.array([[a, b, 1.0] for a in range(-2, 3) for b in range(-2, 3)])
    sure = np.where(support @ [1.0, 2.0, 0.5] > 0, 1, -1)
    for _ in range(trials):
        places = rng.integers(len(support), size=60)
        y = np.where(rng.random(60) < 0.1, -sure[places], sure[places])
        learner, risks = Perceptron(), []
        for x, label in zip(support[places], y, strict=True):
            predicted = learner.predict(support) if risks else np.ones(len(support))
            risks.append(np.where(predicted == sure, 0.1, 0.9).mean())
            learner.partial_fit(x[None], [label], classes=[-1, 1])
        certificate = learner.certify_risk(delta)[0]
        broken += np.mean(risks) > certificate.bound
    assert binom.sf(broken - 1, trials, delta) > 0.001


# ---- the certificates of a learner


def noisy(rows=400, columns=5, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, (X @ rng.normal(size=(columns, classes)) + rng.normal(size=(rows, classes))).argmax(axis=1)


@pytest.mark.parametrize("classes", [2, 4])
def test_a_fit_certifies_its_first_pass_alone(classes):
    """However many passes follow, what is certified of new rounds is what one pass certifies, with two classes and
    more; the vote gets twice as much."""
    X, y = noisy(classes=classes)
    one, many = Perceptron().fit(X, y), Perceptron(passes=7).fit(X, y)
    assert many.ledger_.rounds == 7 * one.ledger_.rounds
    mistakes = one.ledger_.mistakes + (classes if classes > 2 else 0)
    for learner in (one, many):
        risk, vote = learner.certify_risk(0.1)
        assert risk.observed == mistakes / len(y)
        assert risk.bound == small_loss(mistakes, len(y), 0.1)
        assert (vote.observed, vote.bound) == (2 * risk.observed, min(1, 2 * risk.bound))
        assert risk.confidence == vote.confidence == 0.9
        assert risk.theorem.kind == "probable"
        assert not risk.violated


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_learner_tells_of_its_first_pass(name, classes, tmp_path):
    """Each learner certifies, after three passes and after being saved and read, the mistakes of a first pass that it
    counts itself when there is no other, and one for each class if there are more than two."""
    X, y = noisy(rows=80, classes=classes)
    one, three = (playing(name, passes).fit(X, y) for passes in (1, 3))
    three.save(tmp_path / "model.rgl")
    # A class that is still to come may be a rival of the others.
    if name in ("multiclass-perceptron", "selective-perceptron") and classes == 3:
        assert [c.why for c in three.certify_risk()] == [LOOKAHEAD["classes"]] * 2
        return
    expected = small_loss(one.ledger_.mistakes + (3 if classes == 3 else 0), 80, 0.05)
    for learner in (one, three, regretless.load(tmp_path / "model.rgl")):
        assert learner.certify_risk()[0].bound == expected


def playing(name, passes):
    """A learner that makes so many passes, clean or not."""
    needed = {"gamma": 0.3} if name in ("margin-perceptron", "kernel-perceptron") else {}
    learner = learner_class(name)(**needed)
    fixed = {"until_clean": False} if "until_clean" in learner.get_params() else {}
    return learner.set_params(passes=passes, **fixed)


def test_a_run_over_a_stream_certifies_its_first_pass_alone():
    """A run of several passes over a stream certifies of new rounds what a run of one pass does, and each class that
    came unannounced counts as a mistake."""
    X, y = noisy()
    learners = []
    for passes in (1, 3):
        learners.append(Perceptron())
        Run(learners[-1], ArrayStream(X, y, entries=250), passes=passes).play()
    one, many = (learner.certify_risk()[0] for learner in learners)
    assert (one.observed, one.bound) == (many.observed, many.bound)
    assert one.observed == (learners[0].ledger_.mistakes + 2) / len(y)


def test_a_saved_model_still_knows_its_first_pass(tmp_path):
    """A model that was saved and read certifies of new rounds what it certified before."""
    X, y = noisy()
    for passes in (1, 5):
        learner = Perceptron(passes=passes).fit(X, y)
        learner.save(tmp_path / "model.rgl")
        read = regretless.load(tmp_path / "model.rgl")
        assert [str(c) for c in read.certify_risk()] == [str(c) for c in learner.certify_risk()]


@pytest.mark.parametrize(
    "rest",
    [
        {"met": -1, "first_pass": None, "looked": ""},
        {"met": 0, "first_pass": [500, 3], "looked": ""},
        {"met": 0, "first_pass": [3, 4], "looked": ""},
        {"met": 0, "first_pass": None, "looked": "n_jobs"},
        {},
    ],
)
def test_a_model_with_an_impossible_first_pass_is_refused(rest, tmp_path):
    """A model file whose first pass does not fit its ledger is refused; one that knows of none certifies nothing of new
    rounds."""
    Perceptron().fit(*noisy()).save(tmp_path / "model.rgl")
    description, tensors = read_model(tmp_path / "model.rgl")
    with pytest.raises(ModelError, match="does not fit together"):
        rebuilt("model.rgl", description | {"fresh": rest}, tensors)
    older = {key: value for key, value in description.items() if key != "fresh"}
    assert not rebuilt("model.rgl", older, tensors)[0].certify_risk()[0].applies


def test_certify_tells_of_the_future_only_if_rows_are_declared_independent():
    """Without iid=True, `certify` speaks of the rounds that were played alone; with it, the same and of new ones."""
    X, y = noisy()
    learner = Perceptron(passes=2).fit(X, y)
    plain, more = learner.certify(X, y, svm=False), learner.certify(X, y, svm=False, iid=True, delta=0.01)
    assert [str(c) for c in more] == [str(c) for c in plain + learner.certify_risk(0.01)]


def test_a_warm_start_repeats_its_rounds():
    """A fit that goes on from an earlier one adds nothing to what is certified of new rounds, for its rows may be the
    same."""
    X, y = noisy()
    learner = Perceptron(warm_start=True).fit(X, y)
    before = str(learner.certify_risk()[0])
    assert str(learner.fit(X, y).certify_risk()[0]) == before


def test_weights_that_look_at_all_labels_spoil_the_guarantee():
    """With balanced class weights no hypothesis is independent of its round, and the certificates say so."""
    X, y = noisy()
    assert [c.applies for c in Perceptron(class_weight="balanced").fit(X, y).certify_risk()] == [False, False]


def test_what_was_looked_at_is_remembered(tmp_path):
    """The guarantee depends on the parameters that were played, in a saved model too: those set later neither spoil nor
    mend it, a fit that starts anew does."""
    X, y = noisy()
    spoiled = Perceptron(class_weight="balanced").fit(X, y).set_params(class_weight=None)
    spoiled.save(tmp_path / "model.rgl")
    for learner in (spoiled, regretless.load(tmp_path / "model.rgl"), spoiled.partial_fit(X, y)):
        assert "balanced" in learner.certify_risk()[0].why
    assert spoiled.fit(X, y).certify_risk()[0].applies
    assert spoiled.set_params(class_weight="balanced").certify_risk()[0].applies


@pytest.mark.parametrize("gamma", ["scale", "auto"])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_width_that_is_taken_from_all_rows_spoils_the_guarantee(gamma, method, tmp_path):
    """With a gamma that is taken from the rows, no certificate of a kernel perceptron applies to new rounds, and it
    says why; with a number, or a kernel without gamma, they do."""
    X, y = noisy()
    learner = getattr(KernelPerceptron(gamma=gamma), method)(X, y)
    learner.save(tmp_path / "model.rgl")
    for one in (learner, regretless.load(tmp_path / "model.rgl")):
        assert all("gamma" in c.why for c in one.certify_risk())
    for parameters in ({"gamma": 0.5}, {"gamma": gamma, "kernel": "linear"}):
        assert getattr(KernelPerceptron(**parameters), method)(X, y).certify_risk()[0].applies


def test_a_power_that_goes_by_the_columns_of_a_stream_spoils_the_guarantee():
    """With p="auto" what is said of new rounds stands if the columns are those of a table, not if the first rows of a
    stream tell how many there are; with a number it stands."""
    X, y = noisy()
    batch = Batch(np.asarray(X, dtype=np.float64), y, X.shape[1])
    for power, why in (("auto", LOOKAHEAD["p"]), (3.0, None)):
        streamed = PNormPerceptron(p=power)
        streamed.observe(batch)
        assert [c.why for c in streamed.certify_risk()] == [why] * 2
        for method in ("fit", "partial_fit"):
            assert getattr(PNormPerceptron(p=power), method)(X, y).certify_risk()[0].applies


@pytest.mark.parametrize("classes", [2, 3])
def test_rivals_that_nobody_announced_spoil_the_guarantee_of_fit(classes):
    """The multiclass perceptron's `fit` says nothing of new rounds if there are more than two classes; `partial_fit`
    does, announced or not."""
    X, y = noisy(classes=classes)
    assert MulticlassPerceptron().fit(X, y).certify_risk()[0].applies == (classes == 2)
    assert MulticlassPerceptron().partial_fit(X, y).certify_risk()[0].applies
    assert MulticlassPerceptron().partial_fit(X, y, classes=np.arange(classes)).certify_risk()[0].applies


def test_more_than_two_classes_are_not_known_beforehand():
    """In `fit`, each of three classes counts as a mistake once, as it does where classes are met as they come; with
    two, or where they are announced, none does."""
    for classes, unannounced in ((2, 0), (3, 3)):
        X, y = noisy(classes=classes)
        fitted = Perceptron(passes=2).fit(X, y).certify_risk()[0].observed
        announced = Perceptron().partial_fit(X, y, classes=np.arange(classes))
        assert announced.certify_risk()[0].observed == announced.ledger_.mistakes / len(y)
        assert fitted == (announced.ledger_.mistakes + unannounced) / len(y)


@pytest.mark.parametrize("delta", [0, 1, -0.1, inf, "often", True])
def test_improbability_must_be_a_probability(delta):
    """A delta that is no number between 0 and 1 is refused by name."""
    learner = Perceptron().fit(*noisy())
    with pytest.raises(RegretlessError, match=r"^delta="):
        learner.certify_risk(delta)


# ---- the mean of a pass


def convex(X, y, **parameters):
    return average(OnlineGradientDescent(**{"radius": 2.0} | parameters), X, y, longest=10.0)


@pytest.mark.parametrize("classes", [2, 3])
def test_before_and_after_are_different_means(classes):
    """The mean before each round is that of w_1, ..., w_T, the one after it that of w_2, ..., w_{T+1}, and only the
    former has certificates."""
    X, y = noisy(rows=40, classes=classes)
    learner = OnlineGradientDescent(radius=2.0, intercept=0.5)
    weights = [np.zeros((1 if classes == 2 else classes, 6))]
    for t in range(1, 41):
        now = OnlineGradientDescent(radius=2.0, intercept=0.5).partial_fit(X[:t], y[:t], classes=np.arange(classes))
        weights.append(np.column_stack([now.coef_, now.intercept_]))
    for name, rest in (("before", weights[:-1]), ("after", weights[1:])):
        average_model = average(learner, X, y, longest=10.0, average=name)
        mean = np.column_stack([average_model.hypothesis.coef_, average_model.hypothesis.intercept_])
        assert mean == pytest.approx(np.mean(rest, axis=0), abs=1e-12)
        assert [c.applies for c in average_model.certificates] == 3 * [name == "before"]


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge", "square"])
def test_the_certified_risk_of_the_mean_holds_on_fresh_rows(loss):
    """The expected loss of the mean, taken on many fresh rows, is below both certified bounds, and its excess over a
    vector of the ball below the third."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(60_000, 2))
    y = np.where(X @ [1.0, -0.5] + 0.3 * rng.normal(size=len(X)) > 0, 1, -1)
    mean = average(OnlineGradientDescent(loss=loss, radius=1.0), X[:4000], y[:4000], longest=sqrt(2))
    m = y[4000:] * mean.hypothesis.decision_function(X[4000:])
    best = y[4000:] * (X[4000:] @ (np.array([1.0, -0.5]) / np.hypot(1, 0.5)))
    price = {
        "hinge": lambda m: np.maximum(0, 1 - m),
        "logistic": lambda m: np.logaddexp(0, -m),
        "squared-hinge": lambda m: np.maximum(0, 1 - m) ** 2,
        "square": lambda m: (1 - m) ** 2,
    }[loss]
    risk, small, excess = mean.certificates
    assert price(m).mean() <= min(risk.bound, small.bound)
    assert price(m).mean() - price(best).mean() <= excess.bound
    assert mean.ledger.loss / mean.ledger.rounds == risk.observed


def test_the_regret_in_an_excess_risk_is_the_smallest_that_applies():
    """The regret bound is the smaller of the two that apply to the schedule: the one before the run is left out where
    it does not hold."""
    X, y = noisy()
    for schedule in SCHEDULES:
        learner = OnlineGradientDescent(radius=1.0, schedule=schedule)
        played = learner.partial_fit(X, y, classes=[0, 1])
        regrets = [c.bound for c in played.certify(X, y, against=[1.0, 0, 0, 0, 0], svm=False)[:2] if c.applies]
        excess = average(learner, X, y, longest=10.0).certificates[2]
        assert excess.bound == pytest.approx(min(regrets) / 400 + 11 * sqrt(2 * log(2 / 0.05) / 400))


def test_losses_without_a_bound_get_no_certificate():
    """Without a ball, or without a length that no row exceeds, the mean is computed and the certificates say why they
    do not apply."""
    X, y = noisy()
    for learner, longest in ((OnlineGradientDescent(), 10.0), (OnlineGradientDescent(radius=1.0), None)):
        mean = average(learner, X, y, longest=longest)
        assert [c.applies for c in mean.certificates] == [False] * 3
        assert mean.hypothesis.predict(X).shape == y.shape


def test_what_cannot_be_averaged_is_refused():
    """Several passes, shuffled rows, a loss that is not convex and rows longer than promised are refused."""
    X, y = noisy()
    ball = {"radius": 1.0}
    for learner, longest in (
        (OnlineGradientDescent(passes=2, **ball), 10.0),
        (OnlineGradientDescent(shuffle=True, **ball), 10.0),
        (Perceptron(), 10.0),
        (OnlineGradientDescent(**ball), 0.1),
    ):
        with pytest.raises(RegretlessError):
            average(learner, X, y, longest=longest)


def test_the_vote_errs_at_most_twice_as_often():
    """The majority of the hypotheses of a pass is wrong on at most twice the average share of rows that they are wrong
    on, whatever the labels are."""
    rng = np.random.default_rng(3)
    X, y = noisy(rows=120, classes=3, seed=3)
    votes = np.zeros((len(X), 3))
    learner = Perceptron()
    for t in range(60):
        learner.partial_fit(X[t : t + 1], y[t : t + 1], classes=[0, 1, 2])
        votes[np.arange(len(X)), learner.predict(X)] += 1
    for labels in (y, rng.permutation(y)):
        right = votes[np.arange(len(X)), labels]
        assert (votes.argmax(axis=1) != labels).mean() <= 2 * (1 - right / 60).mean()
    assert voted_risk.bound(Ledger(rounds=9, mistakes=9), None, Declared(0.5)) == 1
