"""Probabilities from scores, and offsets of bins: the textbook, adversaries, and the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.calibration import BinnedOffsets, PlattScaling
from regretless.errors import ModelError, ParameterError, RegretlessError
from regretless.textbook import calibration as book

from ..command_line import CommandLine


def rounds(seed: int, count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Scores in some unit, and labels that are the larger one with log odds that are a scaling of them."""
    random = np.random.default_rng(seed)
    scores = random.normal(size=count) * 10.0 ** random.integers(-3, 4)
    return scores, random.random(count) < 1 / (1 + np.exp(-1.5 * scores / np.abs(scores).max() * 4 + 0.7))


@pytest.mark.parametrize("reach", [0.5, 6.0, 25.0])
def test_probabilities_are_those_of_the_textbook(reach):
    """What is said of each score, and what the theorem adds, are those of minimisers that are computed afresh."""
    scores, labels = rounds(1)
    scaling = PlattScaling(reach=reach)
    predictions = scaling.play(scores, labels)
    odds, energy = book.platt_scaling(scores, labels, reach, 0.01)
    assert predictions == pytest.approx(1 / (1 + np.exp(-odds)), rel=1e-9)
    assert scaling.facts().energy == pytest.approx(energy, rel=1e-9)
    assert scaling.ledger_.loss == pytest.approx(
        float(-np.log(np.where(labels, predictions, 1 - predictions)).sum()), rel=1e-9
    )
    each = [scaling.probability(score) for score in scores[:40]]
    assert scaling.probabilities(scores[:40]) == pytest.approx(each, rel=1e-12)


def test_the_unit_of_scores_does_not_matter():
    """Scores times a power of two have the same probabilities."""
    scores, labels = rounds(2)
    assert (PlattScaling().play(scores, labels) == PlattScaling().play(scores * 2.0**40, labels)).all()


@pytest.mark.parametrize("reach", [0.5, 2.0, 6.0, 30.0])
def test_the_curvature_is_below_the_loss_within_reach(reach):
    """l(q) >= l(p) + g (q - p) + c (q - p)^2 on a fine grid of p and q, and no c that is a tenth larger is."""
    grid = np.linspace(-reach, reach, 301)
    p, q = grid[:, None], grid[None, :]
    slope, end = 1 / (1 + np.exp(-p)), 1 / (1 + np.exp(-reach))
    apart = np.where(q == p, 1.0, q - p)
    quotient = np.where(q == p, slope * (1 - slope) / 2, (book.f(q) - book.f(p) - slope * apart) / apart**2)
    c = np.minimum(quotient[:, [0]], quotient[:, [-1]])
    c[[0, -1]] = np.minimum(c[[0, -1]], end * (1 - end) / 2)
    assert (quotient - c >= -1e-11).all()
    assert (quotient.min(axis=1) < 1.1 * c[:, 0]).all()


PLAN = st.lists(
    st.tuples(st.sampled_from([0.0, -1.0, 1.0, 0.3, 50.0, -1e6]), st.sampled_from(["likely", "unlikely", "one"])),
    min_size=1,
    max_size=80,
)


@settings(max_examples=150)
@given(PLAN, st.sampled_from([0.5, 6.0, 30.0]), st.floats(-3, 3), st.floats(-3, 3), st.sampled_from([1e-4, 0.01, 10.0]))
def test_no_sequence_breaks_the_bound_of_scalings(plan, reach, a, b, prior):
    """An adversary that sees each probability and picks the label cannot break the bound against any scaling."""
    scaling, scores, labels = PlattScaling(reach=reach, prior=prior), [], []
    for score, way in plan:
        likely = scaling.probability(score) >= 0.5
        labels.append({"likely": likely, "unlikely": not likely, "one": True}[way])
        scores.append(score)
        scaling.update(score, labels[-1])
    largest = max(abs(score) for score in scores) or 1.0
    for against in (None, (a * reach / 6 / largest, b * reach / 6)):
        (made,) = scaling.certify(scores, labels, against=against)
        assert made.applies
        assert made.holds, str(made)


def test_without_the_steps_the_bound_of_scalings_is_wrong():
    """Some run loses more than the best scaling and its penalty: the steps are part of the bound."""
    scores, labels = rounds(4)
    scaling = PlattScaling()
    scaling.play(scores, labels)
    (made,) = scaling.certify(scores, labels)
    assert made.comparator.loss + made.comparator.regularised < scaling.ledger_.loss <= made.bound


def test_labels_that_change_places_are_the_run_with_signs_changed():
    """With its labels swapped a scaling is that of minus the scores and the other labels."""
    scores, labels = rounds(5)
    one, other = PlattScaling(), PlattScaling()
    one.play(scores, labels)
    one._swap_labels()
    other.play(-scores, ~labels)
    assert one.state_dict()["sums"] == pytest.approx(other.state_dict()["sums"], rel=1e-9)


def test_a_scaling_that_is_saved_goes_on():
    """Through JSON and back nothing changes, and a state that does not fit is refused."""
    scores, labels = rounds(6)
    for kind, numbers in ((PlattScaling, scores), (BinnedOffsets, np.abs(np.sin(scores)))):
        whole, parts = kind(), kind()
        forecasts = whole.play(numbers, labels)
        first = parts.play(numbers[:70], labels[:70])
        parts = kind.from_state(json.loads(json.dumps(parts.state_dict(), allow_nan=False)))
        assert np.append(first, parts.play(numbers[70:], labels[70:])).tolist() == forecasts.tolist()
        assert parts.ledger_ == whole.ledger_


def test_states_that_do_not_fit_are_refused():
    """What is missing, of another number of bins, or contradicts itself is no state."""
    scaling, offsets = PlattScaling().state_dict(), BinnedOffsets(2).state_dict()
    for spoilt in ({}, scaling | {"sums": {}}, scaling | {"sums": scaling["sums"] | {"rounds": -1.0}}):
        with pytest.raises(ModelError):
            PlattScaling.from_state(spoilt)
    for change in (
        {"rounds": [0]},
        {"rounds": [0, -1]},
        {"errors": [0.0, 1.0]},
        {"offsets": [0.5, 0.0]},
        {"errors": 0},
    ):
        with pytest.raises(ModelError, match="the state of the calibration"):
            BinnedOffsets.from_state(offsets | change)


def test_what_is_no_score_is_refused():
    """Scores that are no finite numbers are named with their row, and so are parameters without a meaning."""
    scaling = PlattScaling()
    with pytest.raises(RegretlessError, match="row 1 "):
        scaling.play([1.0, np.nan], [True, False])
    for score in (np.inf, "x", 1e80):
        with pytest.raises(RegretlessError, match="score"):
            scaling.update(score, True)
    with pytest.raises(RegretlessError, match="2 scores and 1 labels"):
        scaling.play([1.0, 2.0], [True])
    assert scaling.ledger_.rounds == 0
    for wrong in ({"reach": 31.0}, {"reach": 0.0}, {"prior": -1.0}):
        with pytest.raises(ParameterError):
            PlattScaling(**wrong)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["spam", "ham"], "row 0 .* is 'spam': bool, 0 and 1, or -1 and 1 are expected"),
        ([1, 2], "row 1 .* is 2:"),
        ([1.0, np.nan], "row 1 .* is nan:"),
        ([True, None], "row 1 .* is None:"),
        ([-1, 0], "both -1 and 0"),
        ([1], "2 .* and 1 labels"),
    ],
)
@pytest.mark.parametrize("made", [PlattScaling, BinnedOffsets])
def test_labels_other_than_two_are_refused(made, labels, message):
    """Words, numbers, missing labels and other lengths are named before a round is learned."""
    rule = made()
    with pytest.raises(RegretlessError, match=message):
        rule.play([0.25, 0.5], labels)
    for label in ("spam", "1", 2, np.nan, None):
        with pytest.raises(RegretlessError, match=r"label .*: bool"):
            rule.update(0.5, label)
    assert rule.ledger_.rounds == 0
    same = [made().play([0.25, 0.5], two).tolist() for two in ([False, True], [0, 1], [-1.0, 1.0], [np.int8(-1), True])]
    assert all(one == same[0] for one in same)


@pytest.mark.parametrize("p", [np.nan, 1.5, -0.1, np.inf, "x"])
def test_what_is_no_probability_is_refused_before_a_round_is_learned(p):
    """A number beyond 0 and 1, or none, is named with its row, and the rounds before it are not learned."""
    offsets = BinnedOffsets()
    message = "numbers are expected" if p == "x" else "row 1 "
    with pytest.raises(RegretlessError, match=message):
        offsets.play([0.5, p], [True, False])
    for method in (offsets.probability, lambda one: offsets.update(one, True)):
        with pytest.raises(RegretlessError, match="a number from 0 to 1 is expected"):
            method(p)
    assert offsets.ledger_.rounds == 0


# ---- bins


@settings(max_examples=150)
@given(
    st.integers(1, 4),
    st.sampled_from([0.01, 0.3, 0.9]),
    st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.integers(0, 2)), min_size=1, max_size=200),
)
def test_no_sequence_breaks_the_bound_of_bins(bins, rate, plan):
    """An adversary that sees what is said and picks the label cannot break the bound; the textbook says the same."""
    offsets, messages, labels = BinnedOffsets(bins, rate), [], []
    for p, way in plan:
        probability = offsets.probability(p)
        labels.append((probability < 0.5) if way == 0 else bool(way - 1))
        messages.append(offsets.update(p, labels[-1]))
        assert probability == messages[-1]
        assert offsets.certify()[0].holds
    p = np.array([one for one, _ in plan])
    assert book.binned_offsets(p, np.array(labels), bins, rate) == pytest.approx(messages)
    k = np.minimum((p * bins).astype(int), bins - 1)
    apart = np.abs(np.bincount(k, np.array(labels) - np.array(messages), bins)).sum()
    assert offsets.ledger_.loss == pytest.approx(apart, abs=1e-9)


def test_the_bound_of_bins_is_nearly_attained():
    """Labels that are all the larger one while 0 was forecast drive an offset to 1."""
    offsets = BinnedOffsets(1, 0.5)
    offsets.play(np.zeros(50), np.ones(50))
    (made,) = offsets.certify()
    assert made.bound == pytest.approx(1.5 / 0.5 / 50)
    assert made.observed > 0.6 * made.bound


# ---- the command line


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def table(path, first: str) -> None:
    """Rows of two labels, one of which comes first."""
    random = np.random.default_rng(3)
    X = random.normal(size=(150, 2))
    labels = np.where(random.random(150) < 1 / (1 + np.exp(-2 * X[:, 0])), "spam", "ham")
    labels[0] = first
    lines = [f"{a:.3f},{b:.3f},{label}" for (a, b), label in zip(X, labels, strict=True)]
    path.write_text("\n".join(["a,b,label", *lines]) + "\n")


@pytest.mark.parametrize("first", ["ham", "spam"])
def test_scores_of_a_run_become_probabilities(run, tmp_path, first):
    """`learn --calibrate` says the log loss and its bound, and `predict --probabilities` works then by the scaling that
    the scores of the run give, whichever label came first."""
    table(tmp_path / "t.csv", first)
    model = tmp_path / "m.rgl"
    report = run("learn", tmp_path / "t.csv", "--learner", "arow", "--calibrate", "--save", model, "--json").json
    calibration = report["calibration"]
    (one,) = [one for one in report["certificates"] if one["theorem"] == "against_every_scaling"]
    assert one["observed"] == calibration["log_loss"] <= one["bound"]
    assert calibration["rounds"] == 150
    assert calibration["best_constant_log_loss"] == pytest.approx(np.log(2) * 150, rel=0.03)
    likely = run("predict", model, tmp_path / "t.csv", "--probabilities", "--json").json["probabilities"]
    scores = [float(line) for line in run("predict", model, tmp_path / "t.csv", "--scores").out.split()]
    odds = np.clip(calibration["slope"] * np.array(scores) + calibration["offset"], -6, 6)
    # scores above the largest of the run are scaled less
    assert np.array(likely)[:, 1] == pytest.approx(1 / (1 + np.exp(-odds)), rel=0.05)
    again = run("learn", tmp_path / "t.csv", "--resume", model, "--json").json
    assert again["calibration"]["rounds"] == 300


def test_calibration_where_it_has_no_meaning_is_refused(run, tmp_path):
    """Of three labels, of a learner with probabilities, of numbers and of a model that has learned without it."""
    table(tmp_path / "t.csv", "ham")
    model = tmp_path / "m.rgl"
    assert run("learn", tmp_path / "t.csv", "--learner", "arow", "--save", model, "--quiet").code == 0
    text = (tmp_path / "t.csv").read_text()
    (tmp_path / "three.csv").write_text(text + "1,1,eggs\n")
    for words, message in [
        ((tmp_path / "three.csv", "--learner", "arow"), "for two labels"),
        ((tmp_path / "t.csv",), "probabilities of its own"),
        ((tmp_path / "t.csv", "--resume", model), "contradicts the model"),
        ((tmp_path / "t.csv", "--target", "a", "--task", "regression"), "--calibrate"),
    ]:
        command = run("learn", *words, "--calibrate")
        assert command.code != 0
        assert message in command.err
    assert "learn --calibrate learns some" in run("predict", model, tmp_path / "t.csv", "--probabilities").err
