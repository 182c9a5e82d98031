"""Certificates of rows so short or so long that their squares are hardly numbers, and of comparators that cancel."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from regretless.catalogue import LEARNERS, learner_class
from regretless.errors import RegretlessError
from regretless.linear import MulticlassPerceptron, Perceptron, PNormPerceptron, SecondOrderPerceptron, Winnow
from regretless.theory.facts import MEASURED

from ..certificates import speak_of_some_rows

SIZES = (1e-165, 1.2345e-158, 1e-155, 1e-150, 1e150)
SETTINGS: dict[str, list[dict[str, object]]] = {
    "margin-perceptron": [{"gamma": 0.05, "max_passes": 3}],
    "passive-aggressive": [{"variant": variant} for variant in ("PA", "PA-I", "PA-II")],
    "online-gradient-descent": [{}, {"radius": 1.0, "loss": "logistic"}],
    "winnow": [{"balanced": True}, {"gamma": 0.1}],
    "second-order-perceptron": [{"matrix": "full"}, {"matrix": "diagonal"}],
    "arow": [{"matrix": "full"}, {"matrix": "diagonal"}],
    "kernel-perceptron": [{"kernel": "linear"}, {"kernel": "rbf"}],
}
CASES = [(name, settings) for name in LEARNERS for settings in SETTINGS.get(name, [{}])]
EVERY = pytest.mark.parametrize(("name", "settings"), CASES, ids=[f"{n}-{list(s.values())}" for n, s in CASES])
CANCELLING = [Winnow(), Winnow(balanced=True), PNormPerceptron(p=2), PNormPerceptron(p=3), Perceptron()]


def judged(name: str, settings: dict[str, object], X: np.ndarray, y: list[int]):
    """The certificates of a run, or none when the learner refuses it in words."""
    learner = learner_class(name)(**settings)
    if name == "margin-perceptron":
        learner.set_params(gamma=0.05 * float(np.abs(X).max(initial=1e-170)))
    try:
        learner.fit(X, y)
    except RegretlessError:  # what overflows is refused, in words
        return []
    return learner.certify(X, y, svm=False)


def orthogonal() -> tuple[np.ndarray, list[int]]:
    """Six rows of two classes that are separable, if anything is."""
    return np.eye(6), [1, -1] * 3


def entangled() -> tuple[np.ndarray, list[int]]:
    """Six rows of three classes."""
    return np.random.default_rng(1).normal(size=(6, 3)), [1, 2, 3] * 2


SCALED = [(orthogonal, size) for size in SIZES] + [(entangled, size) for size in (1e-160, 1e150)]


@EVERY
@pytest.mark.parametrize(("problem", "size"), SCALED, ids=[f"{p.__name__}-{size}" for p, size in SCALED])
def test_no_size_of_rows_breaks_a_certificate(name, settings, problem, size):
    """Whatever the size of the rows, certifying raises nothing and no theorem that always holds is violated."""
    X, y = problem()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of numbers that overflow while a comparator is looked for
        certificates = judged(name, settings, X * size, y)
    assert not [str(certificate) for certificate in certificates if certificate.violated]


@EVERY
def test_rows_of_zeros_are_legal(name, settings):
    """Rows of zeros, whose squares vanish rightly, keep certificates that say no less than the number of rounds."""
    certificates = judged(name, settings, np.zeros((6, 3)), [1, -1] * 3)
    assert not [str(certificate) for certificate in certificates if certificate.violated]
    assert any(certificate.applies for certificate in certificates) or speak_of_some_rows(
        one.theorem for one in certificates
    )


@pytest.mark.parametrize("learner", [Perceptron(), MulticlassPerceptron(), SecondOrderPerceptron()], ids=repr)
def test_rows_whose_squares_are_no_numbers_are_reported_so(learner):
    """Against anything but zero, rows shorter than about 1e-145 get a reason in words and no number."""
    X, y = np.eye(6) * 1e-158, [1, -1] * 3
    for certificate in learner.fit(X, y).certify(X, y, svm=False):
        assert certificate.why in (MEASURED[0], None) or "no" in certificate.why
        assert certificate.bound is None or certificate.bound >= 6


@pytest.mark.parametrize("learner", CANCELLING, ids=repr)
@pytest.mark.parametrize("small", [1e-7, 1e-10])
def test_no_bound_is_won_by_cancellation(learner, small):
    """Comparators that are so long that hinge losses and products cancel make no posterior bound false."""
    for seed in range(4):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(30, 2)), random.choice([-1, 1], 30)
        X[::2] *= small
        certificates = learner.fit(X, y).certify(X, y, svm=False)
        assert not [str(certificate) for certificate in certificates if certificate.violated]


def test_a_slow_winnow_is_not_near_its_start_by_rounding():
    """A comparator whose divergence from the start is smaller than rounding errors makes no bound of Winnow false."""
    for seed in range(8):
        random = np.random.default_rng(seed)
        X = random.choice([-1.0, 1.0], size=(20, 4))
        y = np.where(X @ (1 + 1e-9 * random.normal(size=4)) > 0, 1, -1)
        learner = Winnow(rate=1e-10, passes=50, until_clean=True).fit(X, y)
        certificates = learner.certify(X, y, svm=False)
        assert not [str(certificate) for certificate in certificates if certificate.violated]


def test_what_the_rate_was_made_for_is_known_before_the_run():
    """Parameters that change after the last round change no certificate of Winnow."""
    X = np.array([[1.0, 1, -1, -1], [1, -1, 1, -1], [-1, 1, 1, -1], [-1, -1, -1, 1]])
    y = [1, 1, -1, -1]
    learner = Winnow(gamma=0.5, passes=20, until_clean=True).fit(X, y)
    before = [str(certificate) for certificate in learner.certify(X, y)]
    learner.set_params(gamma=None, radius=7.0)
    assert [str(certificate) for certificate in learner.certify(X, y)] == before
    assert any("made for the margin: updates" in line for line in before)


@pytest.mark.parametrize(("balanced", "name"), [(False, "yours, its positive part"), (True, "yours, scaled")])
def test_a_positive_part_is_called_so(balanced, name):
    """A given comparator with negative entries is called what is left of it where only positive ones are allowed."""
    X = np.array([[1.0, 1, -1, -1], [1, -1, 1, -1], [-1, 1, 1, -1], [-1, -1, -1, 1]])
    y = [1, 1, -1, -1]
    learner = Winnow(rate=0.5, balanced=balanced).fit(X, y)
    certificates = learner.certify(X, y, against=[20.0, 0.0, 0.0, -1.0])
    names = {c.comparator.name for c in certificates if c.comparator is not None}
    assert name in names
    assert names <= {"yours", name, "v = 0"}  # which is 0 times yours
