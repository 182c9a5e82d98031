"""Learners side by side over one stream, mixed by fixed share."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless
from regretless import LearnerMixture
from regretless.errors import ModelError, ParameterError, RegretlessError
from regretless.linear import AROW, AggregatedClassifier, MulticlassPerceptron, Perceptron

LETTERS = np.array(["a", "b", "c", "d"])


def runs(rows=900, classes=4, length=30, seed=0):
    """Rows that say nothing, and labels that come in runs."""
    random = np.random.default_rng(seed)
    return random.normal(size=(rows, 4)), LETTERS[random.integers(0, classes, rows // length).repeat(length)]


def drawn(rows=900, classes=4, seed=0):
    """Rows that say much, one independent of the other."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 5))
    return X, LETTERS[(X @ random.normal(size=(5, classes)) + 0.3 * random.normal(size=(rows, classes))).argmax(axis=1)]


def made(**settings):
    return LearnerMixture([AggregatedClassifier(), Perceptron(intercept=1.0), AROW()], **settings)


def row_by_row(X, y):
    """What each member says by definition: a learner predicts a row, then learns it; the last label needs no rows."""
    learners, messages = [AROW(), MulticlassPerceptron()], []
    for learner in learners:
        each = []
        for x, label in zip(X, y, strict=True):
            each.append(learner.predict(x[None])[0] if hasattr(learner, "classes_") else None)
            learner.partial_fit(x[None], [label])
        messages.append(each)
    messages.append([None, *y[:-1]])
    return np.array(messages, dtype=object).T


def test_members_are_charged_what_they_said_before_each_row():
    """The mistakes of a member are those of the learner alone, asked before each row; a label that was never seen is a
    mistake of all, and the weights are those of fixed share over these losses."""
    X, y = drawn(200)
    X, y = X[:200], y[:200]
    mixture = LearnerMixture([AROW(), MulticlassPerceptron()], share=0.05)
    for begin in range(0, 200, 23):
        mixture.partial_fit(X[begin : begin + 23], y[begin : begin + 23])
    wrong = row_by_row(X, y) != y[:, None]
    assert mixture.member_mistakes_.tolist() == wrong.sum(axis=0).tolist()
    combiner = regretless.experts.FixedShare(loss=None, value_range=(0, 1), alpha=0.05)
    played = combiner.play(wrong.astype(float))
    np.testing.assert_array_equal(mixture.weights_, combiner.weights)
    assert mixture.expected_loss_ == pytest.approx(played.losses.sum())


def test_runs_of_one_label_cost_hardly_more_than_the_last_label_makes():
    """Where rows say nothing and labels come in runs, the mixture is within ten mistakes of the last label; where rows
    say much it is within a tenth of the best learner, and the last label is of no use."""
    X, y = runs()
    mixture = made().partial_fit(X, y)
    assert mixture.member_mistakes_.argmin() == 3
    assert mixture.mistakes_ <= mixture.member_mistakes_.min() + 10
    # Three times, not more: the default learner follows runs closely as well.
    assert mixture.member_mistakes_[:3].min() > 3 * mixture.mistakes_
    X, y = drawn()
    mixture = made().partial_fit(X, y)
    assert mixture.mistakes_ <= 1.1 * mixture.member_mistakes_.min()
    assert mixture.member_mistakes_[3] > 3 * mixture.mistakes_


def test_a_stream_that_changes_is_followed():
    """Over informative rows, then runs of labels, then informative rows, the mixture errs less than each member."""
    (X1, y1), (X2, y2), (X3, y3) = drawn(seed=1), runs(seed=2), drawn(seed=1)
    X = np.vstack([X1[:, :4], X2, X3[:, :4]])
    mixture = made().partial_fit(X, np.concatenate([y1, y2, y3]))
    assert mixture.mistakes_ < mixture.member_mistakes_.min()


@given(st.integers(0, 2**32), st.integers(2, 5), st.sampled_from([1e-3, 0.05, 0.5]), st.booleans())
def test_certificates_hold_and_the_vote_errs_at_most_twice_as_often(seed, classes, share, last_label):
    """Whatever the rows, the bounds against members and sequences with switches hold, and the mistakes of the vote are
    at most twice the expected loss."""
    random = np.random.default_rng(seed)
    rows = int(random.integers(1, 60))
    X, y = random.normal(size=(rows, 2)), random.integers(0, classes, rows)
    if seed % 2:
        y = np.sort(y)
    mixture = LearnerMixture([MulticlassPerceptron(), AROW()], last_label=last_label, share=share).partial_fit(X, y)
    certificates = mixture.certify(switches=(0, 1, 3))
    assert certificates
    assert all(certificate.holds for certificate in certificates if certificate.applies)
    assert all(certificate.applies for certificate in certificates[:2])
    assert certificates[0].observed == mixture.mistakes_
    assert certificates[0].bound == 2 * mixture.expected_loss_
    assert mixture.mistakes_ <= mixture.rounds_ == rows


def test_a_mixture_goes_on_from_its_folder(tmp_path):
    """Saved, loaded and fed on, in pieces, it has the bits of one that never stopped; what was saved before is gone."""
    X, y = runs()
    whole, half = made().partial_fit(X, y), made().partial_fit(X[:100], y[:100])
    half.save(tmp_path / "m")
    half = LearnerMixture.load(tmp_path / "m").partial_fit(X[100:400], y[100:400])
    half.save(tmp_path / "m")
    assert len(list((tmp_path / "m").iterdir())) == 5
    half = LearnerMixture.load(tmp_path / "m").partial_fit(X[400:], y[400:])
    np.testing.assert_array_equal(half.weights_, whole.weights_)
    assert (half.mistakes_, half.members_, half.rounds_) == (whole.mistakes_, whole.members_, 900)
    np.testing.assert_array_equal(half.predict(X), whole.predict(X))
    assert [str(one) for one in half.certify()] == [str(one) for one in whole.certify()]


def test_a_folder_is_no_model(tmp_path):
    """The folder of a mixture is refused by `load` with the way to read it; the models in it are read."""
    X, y = runs(rows=30)
    made().partial_fit(X, y).save(tmp_path / "m")
    with pytest.raises(ModelError, match=r"the folder of a mixture .*LearnerMixture\.load reads it"):
        regretless.load(tmp_path / "m")
    assert regretless.load(tmp_path / "m" / "member-1-30.rgl").name == "perceptron"


def test_folders_that_do_not_fit_together_are_refused(tmp_path):
    """A model of another learner, losses of other rounds, and a missing file each end in an error of their own."""
    X, y = runs(rows=90)
    made().partial_fit(X, y).save(tmp_path / "m")
    shutil.copytree(tmp_path / "m", tmp_path / "other")
    np.save(tmp_path / "other" / "losses-90.npy", np.zeros((3, 4), dtype=bool))
    with pytest.raises(ModelError, match="does not fit together"):
        LearnerMixture.load(tmp_path / "other")
    (tmp_path / "other" / "losses-90.npy").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="does not fit together"):
        LearnerMixture.load(tmp_path / "other")
    (tmp_path / "m" / "member-1-90.rgl").unlink()
    with pytest.raises(OSError, match="member-1-90"):
        LearnerMixture.load(tmp_path / "m")
    Perceptron().partial_fit(X, y).save(tmp_path / "m" / "mixture.rgl")
    with pytest.raises(ModelError):
        LearnerMixture.load(tmp_path / "m")


def test_what_cannot_be_mixed_is_refused():
    """No learner, one that is none, one twice, one that has learned something, or a share that is none."""
    once = Perceptron()
    for learners in ([], ["perceptron"], [once, once], [Perceptron().fit([[1.0], [2.0]], [0, 1])]):
        with pytest.raises(ParameterError, match="learners"):
            LearnerMixture(learners)
    for share in (0, 1, -1, "x"):
        with pytest.raises(ParameterError, match="alpha"):
            LearnerMixture([once], share=share)
    with pytest.raises(RegretlessError, match="nothing was learned"):
        LearnerMixture([once]).certify()


def test_a_row_that_is_refused_ends_the_mixture():
    """A row that no learner can use leaves nothing learned if it is alone; behind others the learners differ, and then
    the mixture says why it learns no more."""
    X, y = drawn(60)
    mixture = LearnerMixture([Perceptron(), AROW()]).partial_fit(X[:20], y[:20])
    X[30] = np.nan
    with pytest.raises(RegretlessError):
        mixture.partial_fit(X[30:31], y[30:31])
    mixture.partial_fit(X[31:40], y[31:40])
    with pytest.raises(RegretlessError):
        mixture.partial_fit(X[20:40], y[20:40])
    with pytest.raises(RegretlessError, match="have not learned the same rows, for perceptron was stopped"):
        mixture.partial_fit(X[40:], y[40:])


def test_announced_classes_may_be_predicted_before_they_come():
    """With classes announced no round is a mistake for its label alone, and a call without rows changes nothing."""
    X, y = drawn(60)
    mixture = LearnerMixture([MulticlassPerceptron()], last_label=False)
    mixture.partial_fit(X, y, classes=LETTERS)
    alone = MulticlassPerceptron().partial_fit(X, y, classes=LETTERS)
    assert mixture.member_mistakes_.tolist() == [alone.ledger_.mistakes]
    assert mixture.mistakes_ == alone.ledger_.mistakes
    assert mixture.classes_.tolist() == LETTERS.tolist()


def test_two_learners_of_one_kind_have_names_of_their_own():
    """Members of one name are distinguished by their places."""
    assert LearnerMixture([AROW(), Perceptron(), AROW(r=10.0)]).members_ == [
        "arow 1",
        "perceptron",
        "arow 3",
        "last-label",
    ]
