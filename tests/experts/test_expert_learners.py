"""Every combiner, as a user meets it: tables, single rounds, late outcomes, silence, models and certificates."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from math import exp, inf, log, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless
from regretless import _core
from regretless.catalogue import EXPERT_LEARNERS, expert_class
from regretless.errors import ModelError, RegretlessError
from regretless.experts import (
    EG,
    AdaHedge,
    AggregatingAlgorithm,
    Doubling,
    ExponentiallyWeightedAverage,
    FixedShare,
    Hedge,
    MLPoly,
    RandomizedWeightedMajority,
    Ridge,
    WeightedMajority,
)
from regretless.experts.validation import AdviceError
from regretless.theory.experts import adahedge_posterior

from ..catalogue import OWN_RATES

SQUARE = {
    "hedge": {"loss": "square"},
    "ewa": {},
    "adahedge": {},
    **{name: {} for name in OWN_RATES},
    "fixed-share": {},
    "aggregating": {"value_range": (-2, 3)},
    "ridge": {},
    "eg": {"loss": "square"},
}
NAMES = tuple(SQUARE)


def table(rounds=40, experts=5, seed=0):
    """Forecasts around what comes, each expert with a bias of its own."""
    generator = np.random.default_rng(seed)
    outcomes = generator.uniform(0, 1, rounds)
    advice = outcomes[:, None] + generator.normal(0, 0.2, (rounds, experts)) + np.linspace(-0.3, 0.3, experts)
    return np.clip(advice, -2, 3), outcomes


def make(name, **more):
    return expert_class(name)(**(SQUARE[name] | more))


@pytest.mark.parametrize("name", NAMES)
def test_a_table_and_its_rounds_one_by_one_give_the_same(name):
    """Playing a table gives the predictions, weights and books of predicting and updating row by row."""
    advice, outcomes = table()
    whole, single = make(name), make(name)
    played = whole.play(advice, outcomes, weights=True)
    for t, (row, outcome) in enumerate(zip(advice, outcomes, strict=True)):
        forecast = single.predict(row)
        assert forecast == played.predictions[t]
        assert single.update(outcome) == played.losses[t]
    assert np.array_equal(single.weights, whole.weights)
    assert single.ledger_.loss == whole.ledger_.loss
    assert np.array_equal(single.ledger_.regrets, whole.ledger_.regrets)


@pytest.mark.parametrize("name", NAMES)
def test_late_outcomes_are_settled_in_the_order_in_which_they_come(name):
    """A table with arrivals gives what predicting in order and reporting by ticket in order of arrival gives."""
    advice, outcomes = table(30, 4)
    arrivals = np.arange(30) + np.random.default_rng(3).integers(1, 6, 30)
    late, live = make(name), make(name)
    played = late.play(advice, outcomes, arrivals=arrivals)
    tickets = []
    for t in range(31):
        for row in [row for row in range(min(t, 30)) if min(arrivals[row], 30) == t]:
            live.update(tickets[row], outcomes[row])
        if t < 30:
            tickets.append(live.predict(advice[t]))
            assert tickets[t] == played.predictions[t]
    assert live.ledger_.delay == late.ledger_.delay != 0
    assert np.array_equal(live.weights, late.weights)


@pytest.mark.parametrize("name", NAMES)
def test_no_learner_breaks_a_sure_bound_on_drawn_tables(name):
    """On random tables with silence and delay every sure theorem of every combiner holds against its comparators."""
    for seed in range(12):
        generator = np.random.default_rng(seed)
        advice, outcomes = table(60, 4, seed)
        if seed % 3 == 1 and name != "ridge":
            advice[generator.random(advice.shape) < 0.3] = np.nan
            advice[np.isnan(advice).all(1), 0] = 0.5
        learner = make(name, value_range=(-2, 3)) if seed % 2 or name == "aggregating" else make(name)
        learner.play(advice, outcomes, arrivals=1 + seed % 4 if seed % 3 == 2 else None)
        certificates = learner.certify(advice, outcomes, switches=(2,))
        assert certificates
        for certificate in certificates:
            assert not certificate.violated, str(certificate)
        assert any(certificate.applies for certificate in certificates), [str(one) for one in certificates]


@given(
    losses=st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=40),
    prior=st.lists(st.floats(0.1, 5), min_size=3, max_size=3),
)
def test_hedge_on_bare_losses_holds_its_bounds(losses, prior):
    """Every bound of Hedge and AdaHedge holds on every table of losses in [0, 1] and every prior."""
    for learner in (
        Hedge(prior=prior, value_range=(0, 1)),
        Hedge(eta=0.7, prior=prior, value_range=(0, 1)),
        Hedge(horizon=len(losses)),
        AdaHedge(loss=None, prior=prior),
        FixedShare(loss=None, prior=prior, alpha=0.05),
        RandomizedWeightedMajority(beta=0.8, loss=None, random_state=1),
    ):
        learner.play(losses)
        for certificate in learner.certify(losses, switches=(1,)):
            assert not certificate.violated, (learner, str(certificate))


def case(oracles, name):
    return next(one for one in oracles if one["id"] == name)


def exact(value):
    head, _, tail = str(value).partition("/")
    return float(head) / float(tail or 1)


def test_the_worked_cases_of_the_weighted_average(oracles):
    """The average's predictions, losses and bounds are the worked ones."""
    for name in ("ewa/abs N3 eta=ln2", "ewa/abs N1", "ewa/abs N2 T1"):
        one = case(oracles, name)
        given_, expected = one["input"], one["expected"]
        learner = ExponentiallyWeightedAverage(eta=given_["eta"], loss="absolute", value_range=(0, 1))
        played = learner.play(given_["advice"], given_["labels"], weights=True)
        assert learner.ledger_.loss == pytest.approx(expected["total_loss"], rel=1e-12)
        for t, row in enumerate(expected["rounds"]):
            assert played.weights[t] == pytest.approx(row["p"], rel=1e-12)
            assert played.predictions[t] == pytest.approx(row["prediction"], rel=1e-12)
    one = case(oracles, "ewa/tuning")
    for (experts, rounds), eta in zip(one["input"]["N_T"], one["expected"]["eta"], strict=True):
        learner = Hedge(horizon=rounds, n_experts=experts)
        assert learner.rate_ == pytest.approx(eta, rel=1e-12)


def test_the_worked_cases_of_adahedge_and_fixed_share(oracles):
    """AdaHedge's and fixed share's weights and totals are the worked ones."""
    one = case(oracles, "adahedge/N3 T6")
    learner = AdaHedge(loss=None)
    played = learner.play(one["input"]["losses"], weights=True)
    assert learner.ledger_.loss == pytest.approx(one["expected"]["total"], rel=1e-12)
    assert learner.ledger_.gap == pytest.approx(one["expected"]["Delta"], rel=1e-12)
    for t, row in enumerate(one["expected"]["rounds"]):
        assert played.weights[t] == pytest.approx(row["w"], rel=1e-10)
    one = case(oracles, "fixed_share/N3 T6")
    learner = FixedShare(eta=one["input"]["eta"], alpha=one["input"]["alpha"], loss=None)
    played = learner.play(one["input"]["losses"], weights=True)
    assert played.weights == pytest.approx(np.array(one["expected"]["weights"]), rel=1e-12)
    assert learner.ledger_.loss == pytest.approx(one["expected"]["total"], rel=1e-12)


@pytest.mark.parametrize(
    "name",
    ["wm/beta0 equals lazy halving", "wm/update always variant", "wm/best expert errs", "wm/beta0 N8 attains log2N"],
)
def test_the_worked_cases_of_weighted_majority(oracles, name):
    """The majority's predictions and mistakes are the worked ones, and its theorem's bound too."""
    one = case(oracles, name)
    given_, expected = one["input"], one["expected"]
    learner = WeightedMajority(beta=exact(given_["beta"]), update_on=given_["update"])
    played = learner.play(given_["advice"], given_["labels"])
    assert played.predictions.tolist() == [row["prediction"] for row in expected["rounds"]]
    assert learner.ledger_.mistakes == expected["mistakes"]
    final = np.array([exact(weight) for weight in expected["final_weights"]])
    assert learner.weights == pytest.approx(final / final.sum(), rel=1e-12)
    bounds = [one.bound for one in learner.certify() if one.applies]
    assert any(bound == pytest.approx(expected["bound"], rel=1e-12) for bound in bounds)


@pytest.mark.parametrize("name", ["rwm/N2 beta3/4 alternating", "rwm/N4 beta1/2 one good expert", "rwm/N3 beta1/2"])
def test_the_worked_cases_of_randomized_majority(oracles, name):
    """The expected loss and both of its bounds are the worked ones."""
    one = case(oracles, name)
    learner = RandomizedWeightedMajority(beta=exact(one["input"]["beta"]), loss=None, random_state=0)
    learner.play(one["input"]["losses"])
    assert learner.ledger_.expected == pytest.approx(exact(one["expected"]["expected_loss"]), rel=1e-12)
    bounds = [certificate.bound for certificate in learner.certify() if certificate.applies]
    for key in ("bound_74", "bound_sharp"):
        assert any(bound == pytest.approx(one["expected"][key], rel=1e-9) for bound in bounds)


def test_the_worked_cases_of_doubling(oracles):
    """Doubling's sharp and printed bounds are the worked ones."""
    one = case(oracles, "doubling/bounds")
    for rounds, printed, sharp in zip(
        one["input"]["T"], one["expected"]["printed"], one["expected"]["sharp"], strict=True
    ):
        learner = Doubling(Hedge(n_experts=2, horizon=1))
        learner.play(np.random.default_rng(0).integers(0, 2, (rounds, 2)).astype(float))
        assert len(learner.blocks_) == rounds.bit_length()
        bounds = [certificate.bound for certificate in learner.certify() if certificate.applies]
        assert any(bound == pytest.approx(sharp, rel=1e-9) for bound in bounds)
        assert any(bound == pytest.approx(printed, rel=1e-9) for bound in bounds)


def test_no_tuned_average_exceeds_the_exact_worst_case(oracles):
    """The adversary that is exactly worst for two experts gets no more than the worked regret out of Hedge."""
    one = case(oracles, "ewa/exact worst regret N=2 tuned")
    for rounds, worst in zip(one["input"]["T"][:5], one["expected"]["worst"][:5], strict=True):
        most = -inf
        for code in range(2**rounds):
            first = np.array([code >> t & 1 for t in range(rounds)], float)
            learner = Hedge(horizon=rounds)
            learner.play(np.column_stack([first, 1 - first]))
            ledger = learner.ledger_
            most = max(most, ledger.loss - ledger.losses.min())
            if rounds > 5 and code > 200:
                break
        assert most <= worst + 1e-12
        if rounds <= 5:
            assert most == pytest.approx(worst, rel=1e-12)


def test_a_deterministic_vote_can_be_wrong_in_every_round(oracles):
    """Against two constant experts and an adversary the majority errs every time."""
    one = case(oracles, "lower_bound/deterministic")
    for rounds, mistakes in zip(one["input"]["T"], one["expected"]["m_T"], strict=True):
        learner = WeightedMajority(beta=0.5)
        for _ in range(rounds):
            forecast = learner.predict([0, 1])
            learner.update(1 - forecast)
        assert learner.ledger_.mistakes == mistakes


def test_silence_is_no_advice(data):
    """A silent expert gets no weight in that round, and what it loses is counted over its own rounds alone."""
    advice, outcomes = table(50, 3)
    advice[10:20, 1] = np.nan
    learner = MLPoly()
    played = learner.play(advice, outcomes, weights=True)
    assert (played.weights[10:20, 1] == 0).all()
    assert played.weights.sum(1) == pytest.approx(1)
    ledger = learner.ledger_
    assert ledger.spoke.tolist() == [50, 40, 50]
    assert ledger.losses[1] == pytest.approx(np.nansum((advice[:, 1] - outcomes) ** 2))
    spoke = ~np.isnan(advice[:, 1])
    assert ledger.faced[1] == pytest.approx(played.losses[spoke].sum())


@pytest.mark.parametrize("name", ["hedge", "ewa", "adahedge", *(name for name in OWN_RATES if name != "ml-poly")])
def test_an_expert_of_hardly_any_weight_who_speaks_alone_has_all_of_it(name):
    """Weights of a round add up to one even where the prior of those who speak is smaller than any normal float."""
    learner = expert_class(name)(**SQUARE[name], prior=[1.0, 1e-310])
    played = learner.play(np.array([[np.nan, 0.3], [0.2, 0.3]]), [0.5, 0.1], weights=True)
    assert np.nansum(played.weights, axis=1) == pytest.approx(1)


def test_rows_that_cannot_be_played_are_named():
    """All silent, out of range, infinite or without outcome: the error names row and expert, and what came before is
    learned."""
    advice, outcomes = table(10, 3)
    cases = [
        ((4, slice(None)), np.nan, MLPoly(), "row 4.*every forecast is missing"),
        ((6, 1), 9.0, MLPoly(value_range=(-2, 3)), r"row 6.*expert 1.*outside \[-2, 3\]"),
        ((7, 2), inf, MLPoly(), "row 7.*expert 2.*not finite"),
    ]
    for place, value, learner, words in cases:
        broken = advice.copy()
        broken[place] = value
        with pytest.raises(AdviceError, match=words) as caught:
            learner.play(broken, outcomes)
        assert caught.value.row == place[0] == learner.rounds_
        fresh = learner.clone()
        fresh.play(broken[: place[0]], outcomes[: place[0]])
        assert np.array_equal(fresh.weights, learner.weights)
    broken = outcomes.copy()
    broken[3] = np.nan
    with pytest.raises(AdviceError, match=r"row 3.*outcome is missing"):
        MLPoly().play(advice, broken)


def test_certainty_that_was_wrong_ends_the_log_loss_but_not_the_aggregating_algorithm():
    """An infinite loss is named where losses are charged, not where slopes are, and takes its expert's weight for good
    in the aggregating algorithm."""
    advice, outcomes = np.array([[0.5, 1.0], [0.4, 1.0], [0.6, 0.5]]), np.array([1.0, 0.0, 1.0])
    with pytest.raises(AdviceError, match=r"row 1.*expert 1.*infinite"):
        ExponentiallyWeightedAverage(eta=1.0, loss="log").play(advice, outcomes)
    linear = MLPoly(loss="log")
    linear.play(advice[1:], outcomes[1:])  # only slopes are charged, and that of the mixed forecast is finite
    assert linear.ledger_.losses[1] == inf
    assert any(one.applies for one in linear.certify(advice[1:], outcomes[1:]))
    assert not any(one.violated for one in linear.certify(advice[1:], outcomes[1:]))
    learner = AggregatingAlgorithm(loss="log")
    learner.play(advice, outcomes)
    assert learner.weights.tolist() == [1.0, 0.0]
    bayes = -log(0.5 * 0.5 * 0.6 * 0.6 + 0)
    assert learner.ledger_.loss == pytest.approx(bayes)
    assert all(not certificate.violated for certificate in learner.certify())


def test_a_function_may_be_the_loss():
    """A loss that is a function gives what the same loss gives by name, and cannot be saved."""
    advice, outcomes = table(25, 4)
    by_name = MLPoly(loss="square", linearize=False).play(advice, outcomes)
    learner = MLPoly(loss=lambda a, y: (a - y) ** 2)
    by_function = learner.play(advice, outcomes)
    assert by_function.predictions == pytest.approx(by_name.predictions, rel=1e-12)
    with pytest.raises(RegretlessError, match="model file"):
        learner.save("never.rgl")


@pytest.mark.parametrize("loss", ["square", "absolute", "pinball", "percentage"])
def test_adahedge_reads_its_gaps_on_its_own_loss(loss):
    """Of a convex loss AdaHedge is charged what it lost itself, and promises less regret than by its experts' mean."""
    advice, outcomes = table(200, 5)
    learner = AdaHedge(loss=loss)
    learner.play(advice, outcomes)
    by_mean = AdaHedge(loss=lambda a, y: learner._loss.of(a, y))
    by_mean.play(advice, outcomes)
    assert learner.ledger_.charge == pytest.approx(learner.ledger_.loss, rel=1e-12)
    assert by_mean.ledger_.charge > by_mean.ledger_.loss
    own, mean = (
        learner.certify()[0],
        adahedge_posterior.certify(by_mean.ledger_, by_mean.comparators(), replace(by_mean.facts(), convex=True)),
    )
    assert own.holds
    assert own.bound < mean.bound


def test_probabilities_of_classes():
    """Vectors of probabilities are mixed, and scored by Brier or the logarithm against the class that came."""
    generator = np.random.default_rng(5)
    advice = generator.dirichlet(np.ones(3), (40, 4))
    classes = generator.integers(0, 3, 40)
    for name in ("square", "log"):
        for linear in (True, False):
            learner = AdaHedge(loss=name, linearize=linear)
            played = learner.play(advice, classes, weights=True)
            mixed = np.einsum("tn,tnk->tk", played.weights, advice)
            assert played.predictions == pytest.approx(mixed)
            hit = mixed[np.arange(40), classes]
            expected = -np.log(hit) if name == "log" else ((mixed - np.eye(3)[classes]) ** 2).sum(1)
            assert played.losses == pytest.approx(expected)
            single = AdaHedge(loss=name, linearize=linear)
            for row, outcome in zip(advice, classes, strict=True):
                single.predict(row)
                single.update(outcome)
            assert np.array_equal(single.weights, learner.weights)
            assert not any(one.violated for one in learner.certify(advice, classes))


def test_data_frames_name_the_experts():
    """The columns of a frame are the experts' names, and others are refused afterwards."""
    advice, outcomes = table(10, 2)
    frame = pd.DataFrame(advice, columns=["gfs", "ecmwf"])
    learner = MLPoly()
    learner.play(frame, pd.Series(outcomes))
    assert learner.names() == ["gfs", "ecmwf"]
    with pytest.raises(RegretlessError, match="experts ukmo, ecmwf: the learner's are gfs, ecmwf"):
        learner.play(frame.rename(columns={"gfs": "ukmo"}), outcomes)
    assert learner.forecast(frame.iloc[3]) == learner.forecast(frame.iloc[3][["ecmwf", "gfs"]])
    swapped, same = learner.clone(), learner.clone()
    same.play(frame, outcomes)
    swapped.play(frame.iloc[:1], outcomes[:1])
    swapped.play(frame[["ecmwf", "gfs"]].iloc[1:], outcomes[1:])
    assert np.array_equal(swapped.weights, same.weights)
    comparators = same.comparators(frame[["ecmwf", "gfs"]], outcomes)
    assert comparators[0].loss == pytest.approx(same.comparators(frame, outcomes)[0].loss)


@pytest.mark.parametrize("name", [*NAMES, "randomized-weighted-majority", "weighted-majority"])
def test_a_saved_learner_goes_on_to_the_same_bits(name, tmp_path):
    """A learner that was saved and read back, with predictions waiting, ends where an undisturbed one does."""
    advice, outcomes = table(30, 3)
    if name.endswith("majority"):
        advice, outcomes = (advice > 0.5).astype(float), (outcomes > 0.5).astype(float)
        fresh = lambda: expert_class(name)(beta=0.7, **({"random_state": 4} if "random" in name else {}))  # noqa: E731
    else:
        fresh = lambda: make(name)  # noqa: E731
    whole, first = fresh(), fresh()
    for learner in (whole, first):
        learner.play(advice[:10], outcomes[:10])
        learner.predict(advice[10])
    first.save(tmp_path / "half.rgl")
    second = regretless.load(tmp_path / "half.rgl")
    assert second.pending_ == first.pending_
    for learner in (whole, second):
        learner.update(outcomes[10])
        learner.play(advice[11:], outcomes[11:])
        learner.save(tmp_path / f"{'whole' if learner is whole else 'second'}.rgl")
    assert (tmp_path / "whole.rgl").read_bytes() == (tmp_path / "second.rgl").read_bytes()


def test_a_damaged_model_is_refused(tmp_path):
    """A model whose arrays do not fit its description is refused."""
    from regretless.persist.format import read_model, write_model

    learner = MLPoly()
    learner.play(*table(5, 3))
    learner.save(tmp_path / "good.rgl")
    description, tensors = read_model(tmp_path / "good.rgl")
    write_model(tmp_path / "bad.rgl", {**description, "experts": 4}, tensors)
    with pytest.raises(ModelError, match="fit together"):
        regretless.load(tmp_path / "bad.rgl")


def test_drawn_losses_are_stored_apart_and_seeded():
    """The same seed draws the same experts; the drawn loss is that of the drawn experts, the expected one is not."""
    generator = np.random.default_rng(0)
    advice, labels = generator.integers(0, 2, (200, 5)).astype(float), generator.integers(0, 2, 200).astype(float)
    runs = []
    for seed in (1, 1, 2):
        learner = RandomizedWeightedMajority(horizon=200, random_state=seed)
        played = learner.play(advice, labels)
        drawn = (advice[np.arange(200), played.chosen] != labels).sum()
        assert learner.ledger_.sampled == drawn
        assert learner.ledger_.expected != drawn
        runs.append(played.chosen.tolist())
    assert runs[0] == runs[1] != runs[2]


def test_the_drawn_loss_stays_within_its_deviation_as_often_as_promised():
    """Over many seeds the probable bound on the drawn loss fails less often than its delta allows."""
    generator = np.random.default_rng(0)
    losses = generator.random((60, 4))
    failures = 0
    for seed in range(200):
        learner = RandomizedWeightedMajority(beta=0.8, loss=None, random_state=seed)
        learner.play(losses)
        probable = [one for one in learner.certify() if one.theorem.kind == "probable"]
        assert probable
        assert all(one.confidence == 0.95 for one in probable)
        failures += any(not one.holds for one in probable)
    assert failures <= 20


def test_doubling_restarts_at_powers_of_two():
    """Each stretch is a fresh learner of its own horizon, and live rounds give what the table gives."""
    losses = np.random.default_rng(2).random((13, 3))
    learner, live = Doubling(Hedge(horizon=1)), Doubling(Hedge(horizon=1, n_experts=3))
    played = learner.play(losses, weights=True)
    for row, weights in zip(losses, played.weights, strict=True):
        assert np.array_equal(live.predict(), weights)
        live.update(row)
    assert [one.horizon for one in learner.blocks_] == [1, 2, 4, 8]
    assert [one.rounds_ for one in learner.blocks_] == [1, 2, 4, 6]
    assert learner.ledger_.loss == pytest.approx(played.losses.sum())
    with pytest.raises(RegretlessError, match="takes no horizon"):
        Doubling(MLPoly())


def test_meaningless_parameters_are_refused():
    """A parameter without meaning is an error that says what is possible."""
    for build, words in [
        (lambda: Hedge(eta=-1, n_experts=2), "eta=-1"),
        (lambda: Hedge(eta=1, horizon=5, n_experts=2), "exclude"),
        (lambda: MLPoly(loss="hinge"), "the losses are"),
        (lambda: MLPoly(loss="pinball", tau=1.5), "tau=1.5"),
        (lambda: MLPoly(value_range=(1, 0)), "value_range"),
        (lambda: Hedge(linearize=True), "bare losses"),
        (lambda: AggregatingAlgorithm(n_experts=2), "value_range= is missing"),
        (lambda: WeightedMajority(beta=1.0, n_experts=2), "below 1"),
        (lambda: FixedShare(alpha=2, n_experts=2), "alpha=2"),
        (lambda: RandomizedWeightedMajority(), "either"),
        (lambda: MLPoly(n_experts=0), "n_experts=0"),
        (lambda: MLPoly(prior=[1, 0]).play([[1, 2]], [1]), "above 0"),
        (lambda: MLPoly(n_experts=3).play([[1, 2]], [1]), "n_experts=3"),
        (lambda: MLPoly().update(1.0), "no prediction waits"),
    ]:
        with pytest.raises(RegretlessError, match=words):
            build()


def test_other_rounds_are_not_certified():
    """Rounds of the same number that were not played are refused rather than certified."""
    learner = MLPoly()
    learner.play(*table(40, 5, 0))
    for advice, outcomes in (table(40, 5, 1), table(39, 5, 0)):
        with pytest.raises(RegretlessError, match="rounds"):
            learner.certify(advice, outcomes)


def test_parameters_are_given_once():
    """A parameter cannot be changed after the fact, when a certificate would speak of another learner."""
    learner = WeightedMajority(beta=0.5)
    learner.play([[1, 0]], [1])
    with pytest.raises(RegretlessError, match=r"beta= is given when a learner is made"):
        learner.beta = 0.01
    assert learner.clone(beta=0.01).beta == 0.01


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_goes_on_like_the_original(name):
    """Deep copies and pickles of a learner go on to the same weights, and not on the original's."""
    advice, outcomes = table(20, 3)
    learner = make(name)
    learner.play(advice[:10], outcomes[:10])
    copies = [copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))]
    before = learner.weights
    for one in copies:
        one.play(advice[10:], outcomes[10:])
        assert np.array_equal(learner.weights, before)
    learner.play(advice[10:], outcomes[10:])
    for one in copies:
        assert np.array_equal(one.weights, learner.weights)


@pytest.mark.parametrize("arrivals", [None, 4])
def test_the_history_of_a_play_ends_where_the_play_did(arrivals):
    """Played once more for the picture, the rounds end with the learner's own loss, regret and weights."""
    advice, outcomes = table(90, 3)
    learner = MLPoly()
    history = learner.play(advice, outcomes, arrivals=arrivals).history()
    assert history.rounds[-1] == 90
    assert history.learner_loss[-1] == learner.ledger_.loss
    assert history.weights[-1] == pytest.approx(learner.weights, abs=1e-6)
    assert history.residuals[-1][2] == outcomes[-1]


def test_doubling_keeps_its_tickets_apart():
    """A forecast of one stretch is settled in it, though the next has begun, and looking at weights begins none."""
    learner = Doubling(Hedge(horizon=1, n_experts=2, loss="square"))
    first = learner.predict([0.2, 0.8])
    assert learner.weights.tolist() == [0.5, 0.5]
    assert len(learner.blocks_) == 1
    second = learner.predict([0.3, 0.7])
    assert [len(one.pending_) for one in learner.blocks_] == [1, 1]
    with pytest.raises(RegretlessError, match="2 predictions wait"):
        learner.update(0.5)
    learner.update(first, 0.0)
    learner.update(1.0)
    assert float(second) == 0.5
    assert learner.rounds_ == 2
    with pytest.raises(AdviceError, match="row 4"):
        learner.play([[0.1, 0.2]] * 4 + [[5.0, 0.1]], [0.1] * 5)
    assert learner.rounds_ == 6


def test_a_float_is_no_ticket_and_nothing_is_no_outcome():
    """A forecast that has lost its ticket, None, and words are refused, and the prediction goes on waiting."""
    learner = MLPoly(n_experts=2)
    first = learner.predict([1.0, 1.0])
    for report in ((float(first), 1.0), (first, None), (first, "x")):
        with pytest.raises(RegretlessError):
            learner.update(*report)
    assert learner.pending_ == (0,)
    learner.update(first, 1.0)


def test_a_ticket_is_reported_once():
    """A ticket cannot be reported twice, and one outcome for several predictions must name its ticket."""
    learner = MLPoly(n_experts=2)
    first, second = learner.predict([0.1, 0.2]), learner.predict([0.3, 0.4])
    with pytest.raises(RegretlessError, match="2 predictions wait"):
        learner.update(0.5)
    learner.update(second, 0.5)
    with pytest.raises(RegretlessError, match="reported already"):
        learner.update(second, 0.5)
    learner.update(first.ticket, 0.4)
    assert learner.rounds_ == 2
    assert learner.pending_ == ()


def test_every_name_in_the_table_is_a_class_that_knows_it():
    """The table of combiners and the classes agree on names, and each has a summary."""
    for name in EXPERT_LEARNERS:
        finite_class = expert_class(name)
        assert finite_class.name == name
        assert finite_class.info.summary


def test_the_regional_forecasts(data):
    """ML-Poly with the gradient trick does as well on French load as the published mixture: 1.383 % or less."""
    with np.load(data / "experts" / "opera_regional.npz", allow_pickle=False) as file:
        advice, load = file["experts"], file["load"]
    learner = MLPoly()
    played = learner.play(advice, load)
    assert 100 * np.mean(np.abs(played.predictions - load) / load) <= 1.383
    assert not any(one.violated for one in learner.certify(advice, load))


def test_the_stock_exchange(data):
    """EG(0.05) multiplies wealth on the New York Stock Exchange as published."""
    with np.load(data / "experts" / "portfolio_nyse_o.npz") as file:
        relatives = file["relatives"]
    learner = EG(0.05)
    learner.play(relatives)
    assert exp(-learner.ledger_.loss) == pytest.approx(27.095, abs=5e-4)
    assert exp(-learner.ledger_.losses.min()) == pytest.approx(54.14, abs=5e-3)
    convex = next(one for one in learner.comparators(relatives) if one.name == "best_convex")
    assert exp(-convex.loss) == pytest.approx(250.597, abs=5e-4)


def test_the_flu(data):
    """Silence and delay at once: the error is 0.207 if outcomes came at once and 0.339 as they do come."""
    frame = pd.read_csv(data / "experts" / "flusight_2015.csv.xz")
    advice, outcomes = frame.drop(columns=["ew", "loc", "k", "obs"]), frame["obs"]
    weeks = frame["ew"].drop_duplicates()
    first = [*weeks.index, *[len(frame)] * 4]  # row in which each week begins
    arrivals = [first[weeks.tolist().index(week) + k] for week, k in zip(frame["ew"], frame["k"], strict=True)]
    assert MLPoly().play(advice, outcomes).losses.mean() == pytest.approx(0.207, abs=6e-4)
    learner = MLPoly()
    assert learner.play(advice, outcomes, arrivals=arrivals).losses.mean() == pytest.approx(0.339, abs=6e-4)
    certificates = learner.certify(advice, outcomes)
    assert any(one.applies for one in certificates)
    assert not any(one.violated for one in certificates)


def test_ridge_against_linear_combinations():
    """Ridge regression's bound holds against the best linear combination, and it wins where experts are biased."""
    generator = np.random.default_rng(7)
    truth = generator.normal(size=300)
    advice = np.column_stack([0.5 * truth + generator.normal(0, 0.1, 300), -truth + generator.normal(0, 0.1, 300)])
    learner = Ridge(around="zero")
    learner.play(advice, truth)
    convex = MLPoly()
    convex.play(advice, truth)
    assert learner.ledger_.loss < convex.ledger_.loss / 2
    certificates = learner.certify(advice, truth)
    assert any(one.applies for one in certificates)
    assert not any(one.violated for one in certificates)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_ridge_rotates_and_solves_as_a_plain_loop_does(n):
    """Triangle, solutions and sums have the bits of loops over single numbers in one order, which no BLAS decides."""
    random = np.random.default_rng(n)
    triangle, right = np.zeros((n + 1, n + 1)), random.normal(size=n)
    triangle[range(n), range(n)] = 0.5
    plain = [[float(one) for one in row] for row in triangle]
    for _ in range(3):
        triangle[-1] = plain[-1] = random.normal(size=n + 1).tolist()
        _core.rotate_triangle(triangle)
        last = plain[-1] = list(plain[-1])
        for k in range(n):
            upper, most = plain[k], max(abs(plain[k][k]), abs(last[k]))
            length = most * sqrt((upper[k] / most) * (upper[k] / most) + (last[k] / most) * (last[k] / most))
            cosine, sine = upper[k] / length, last[k] / length
            upper[k], last[k] = length, 0.0
            for j in range(k + 1, n + 1):
                upper[j], last[j] = cosine * upper[j] + sine * last[j], cosine * last[j] - sine * upper[j]
        assert triangle.tolist() == plain
    for transposed in (True, False):
        solution, expected = right.copy(), right.tolist()
        _core.solve_triangle(triangle, solution, transposed)
        for i in range(n) if transposed else range(n - 1, -1, -1):
            before = range(i) if transposed else range(i + 1, n)
            for j in before:
                expected[i] -= (plain[j][i] if transposed else plain[i][j]) * expected[j]
            expected[i] /= plain[i][i]
        assert solution.tolist() == expected
    total = 0.0
    for one, other in zip(right.tolist(), plain[-1], strict=False):
        total += one * other
    assert _core.sum_of_products(right, triangle[-1, :n].copy()) == total


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
def test_ridge_keeps_its_digits_among_forecasts_of_one_quantity(scale):
    """Nearly parallel forecasts, duplicates among them, in whatever unit: the predictions are those of a QR solution,
    and the bounds hold."""
    generator = np.random.default_rng(3)
    outcomes = scale * (50_000 + 8_000 * np.sin(np.arange(120)))
    advice = outcomes[:, None] + scale * generator.normal(0, 500, (120, 4))
    advice[:, 3] = advice[:, 2]
    learner = Ridge(around="average")
    played = learner.play(advice, outcomes)
    for t in (5, 60, 119):
        start = np.full(4, 0.25)
        rows = np.vstack([np.eye(4), advice[: t + 1]])
        targets = np.concatenate([np.zeros(4), outcomes[:t] - advice[:t] @ start, [0.0]])
        weights = start + np.linalg.lstsq(rows, targets, rcond=None)[0]
        assert played.predictions[t] == pytest.approx(advice[t] @ weights, rel=1e-7)
    assert all(one.applies and not one.violated for one in learner.certify(advice, outcomes))


def test_delays_whose_costs_cancel_are_delays():
    """A bound that is known before the run is not given where outcomes came late, though their costs add up to 0."""
    losses = np.array([[0, 1.0], [1.0, 0]] * 200 + [[0, 1.0]] * 201)
    learner = MLPoly(loss=None, value_range=(0, 1))
    learner.play(losses, arrivals=np.full(601, 601))
    assert learner.ledger_.delay == 0
    certificates = learner.certify(losses)
    assert [one.applies for one in certificates] == [True, False, False]
    assert not any(one.violated for one in certificates)


def test_vectors_span_as_many_ranges_as_they_have_numbers():
    """With a declared range the bounds known before the run hold for vectors too, at rates for their span."""
    advice = np.array([np.eye(3)] * 50)
    learner = ExponentiallyWeightedAverage(value_range=(0, 1), horizon=50)
    learner.play(advice, np.random.default_rng(0).integers(0, 3, 50))
    applied = {one.theorem.name for one in learner.certify() if one.applies}
    assert {"hedge_prior", "hedge_tuned"} <= applied
    assert learner.facts().span == 3.0


def test_stretches_draw_apart():
    """Doubling a learner that draws gives each stretch draws of its own, and tells whom it drew."""
    losses = np.tile([[0.0, 1.0]], (63, 1))
    learner = Doubling(RandomizedWeightedMajority(horizon=1, loss=None, random_state=5))
    played = learner.play(losses)
    assert played.chosen.shape == (63,)
    states = [one.seed_ for one in learner.blocks_]
    assert len(set(states)) == len(states) == 6


@pytest.mark.parametrize("loss", ["square", None])
@pytest.mark.parametrize("delay", [1, 3, 30])
def test_doubling_takes_outcomes_when_they_arrive(loss, delay):
    """Doubling plays a table with arrivals as single rounds are reported late, and is certified with what that cost."""
    advice, outcomes = table(45, 3)
    advice, outcomes = (np.clip(part, 0, 1) for part in (advice, outcomes))
    rows = advice if loss else (advice - outcomes[:, None]) ** 2
    whole, live = (Doubling(Hedge(loss=loss, value_range=(0, 1), horizon=1)) for _ in range(2))
    played = whole.play(rows, outcomes if loss else None, arrivals=delay, weights=True)
    waiting, lost = [], np.empty(45)
    for row in range(45):
        if row >= delay:
            at, ticket = waiting.pop(0)
            lost[at] = live.update(ticket, outcomes[at] if loss else rows[at])
        waiting.append((row, live.predict(rows[row] if loss else ~np.isnan(rows[row]))))
    for at, ticket in waiting:
        lost[at] = live.update(ticket, outcomes[at] if loss else rows[at])
    assert np.array_equal(played.losses, lost)
    assert played.weights.sum(1) == pytest.approx(1)
    assert whole.pending_ == ()
    assert whole.rounds_ == 45
    assert (whole.ledger_.delay != 0) == (delay > 1)
    posterior, *prior = whole.certify()
    assert posterior.applies
    assert posterior.holds
    assert [one.applies for one in prior] == [delay == 1] * 2


def test_doubling_says_which_late_row_cannot_be_played():
    """A bad row or outcome of a table with arrivals is named, those before it are learned, and nothing waits."""
    advice, outcomes = table(20, 3)
    advice[9, 1] = inf
    learner = Doubling(ExponentiallyWeightedAverage(horizon=1, value_range=(-2, 3)))
    with pytest.raises(AdviceError, match="row 9"):
        learner.play(advice, outcomes, arrivals=2)
    assert learner.pending_ == ()
    assert learner.rounds_ == 8


@pytest.mark.parametrize("made", [lambda majority: majority, Doubling], ids=["alone", "doubling"])
def test_a_combiner_that_draws_takes_no_late_outcomes(made):
    """Of two rows late at once none is played; if each comes before the next row, all are."""
    learner = made(RandomizedWeightedMajority(horizon=1, random_state=0))
    with pytest.raises(RegretlessError, match="arrivals: experts are drawn one round after the other"):
        learner.play(np.eye(3), [0, 1, 0], arrivals=2)
    assert len(learner.play(np.eye(3), [0, 1, 0], arrivals=1).losses) == 3


def test_luck_of_draws_that_were_withdrawn(tmp_path: Path) -> None:
    """Who withdraws a draw because of whom it drew gets no bound on the draws that are left, also after a reload."""
    learner = RandomizedWeightedMajority(n_experts=2, beta=0.7, random_state=1)
    for _ in range(20):
        forecast = learner.predict(np.array([0.0, 1.0]))
        if float(forecast) == 1.0:
            learner.withdraw(forecast)
        else:
            learner.update(forecast, 1.0)
    learner.save(tmp_path / "m.rgl")
    for one in (learner, regretless.load(tmp_path / "m.rgl")):
        luck = next(line for line in one.certify() if line.theorem.name == "sampled_loss")
        assert "withdrawn" in (luck.why or "")
