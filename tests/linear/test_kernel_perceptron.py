"""The kernel perceptron plays in blocks what its twin plays row by row."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.estimator_checks import parametrize_with_checks

from regretless import _core
from regretless.data.batch import Batch
from regretless.errors import RegretlessError
from regretless.linear import KernelPerceptron, Perceptron
from regretless.textbook.linear import kernel_average, kernel_perceptron, kernel_vote

from ..examples import first_of
from ..sanitized import fewer

WEIGHTS = "a round that weighs 2 is one round and not two"
THRESHOLD = "the weights of classes move a threshold, which takes a constant feature and many passes"
SQUARE = "the check gives rows, and a Gram matrix is square"
FIT = "a Gram matrix is of rows that are all known, so there is no partial_fit"


def expected(estimator):
    """Checks that must fail, each with its reason."""
    reasons = {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
    }
    if estimator.kernel in ("linear", "precomputed"):
        reasons["check_class_weight_classifiers"] = THRESHOLD
    if estimator.kernel == "precomputed":
        reasons |= dict.fromkeys(("check_positive_only_tag_during_fit", "check_estimators_nan_inf"), SQUARE)
        for name in ("fit_score_takes_y", "n_features_in_after_fitting", "estimators_partial_fit_n_features"):
            reasons[f"check_{name}"] = FIT
    return reasons


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    every_check = parametrize_with_checks(
        first_of(
            [
                KernelPerceptron(),
                KernelPerceptron(kernel="linear", intercept=2.0, passes=3, shuffle=True, random_state=0),
                KernelPerceptron(kernel="precomputed", passes=2),
                KernelPerceptron(average="voted"),
                KernelPerceptron(budget=5, removal="projection"),
            ],
            also=(2,),
        ),
        expected_failed_checks=expected,
    )

small = st.integers(-3, 3).map(float)
signs = st.sampled_from([-1, 1])
KERNELS = {
    "rbf": {"kernel": "rbf", "gamma": 0.25},
    "poly": {"kernel": "poly", "gamma": 1.0, "coef0": 1.0, "degree": 3},
    "linear": {"kernel": "linear"},
}
THEIRS = {
    "rbf": {"metric": "rbf", "gamma": 0.25},
    "poly": {"metric": "polynomial", "gamma": 1.0, "coef0": 1.0, "degree": 3},
    "linear": {"metric": "linear"},
}
kernels = pytest.mark.parametrize("name", list(KERNELS))


@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes, but for weights that are not repetitions and a threshold
    that is not there."""
    check(estimator)


def problem(rows: int = 500, columns: int = 7, seed: int = 0, classes: int = 2):
    """Noisy rows with some zeros in them."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns)) * (random.random((rows, columns)) < 0.7)
    y = (X**2 @ random.normal(size=(columns, classes)) + 0.2 * random.normal(size=(rows, classes))).argmax(axis=1)
    return X, y


def forms(X):
    """The same rows as they may be given."""
    wide = sp.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    return X, sp.csr_array(X), wide


def made(name, **more):
    return KernelPerceptron(**(KERNELS[name] | more))


@given(
    X=arrays(np.float64, (40, 3), elements=small),
    y=arrays(np.int8, 40, elements=signs),
    name=st.sampled_from(["poly", "linear"]),
    ties=st.sampled_from(["update", 1, -1]),
    passes=st.integers(1, 3),
)
def test_on_whole_numbers_every_decision_is_the_twins(X, y, name, ties, passes):
    """Where no sum is rounded, coefficients, updates and mistakes are those of the rows played one by one."""
    if len(set(y)) < 2:
        return
    alpha, updates, mistakes = kernel_perceptron(
        pairwise_kernels(X, **THEIRS[name]), y, 0 if ties == "update" else ties, passes
    )
    for rows in (X, X.astype(np.float32), *forms(X)[1:]):
        ours = made(name, ties=ties, passes=passes).fit(rows, y)
        assert (ours.ledger_.updates, ours.ledger_.mistakes) == (len(updates), mistakes)
        slots = ours.state_.slots
        coefficients = np.append(ours.dual_coef_[0], 0.0)
        assert np.array_equal(coefficients[slots], alpha)


@pytest.mark.kernel
@kernels
@pytest.mark.parametrize("passes", [1, 4])
def test_blocks_are_the_twins_rounds(name, passes):
    """On rows of any numbers the updates are the twin's, over several blocks and passes."""
    X, y = problem()
    ours = made(name, passes=passes).fit(X, y)
    alpha, updates, mistakes = kernel_perceptron(pairwise_kernels(X, **THEIRS[name]), np.where(y, 1, -1), passes=passes)
    assert (ours.ledger_.updates, ours.ledger_.mistakes) == (len(updates), mistakes)
    assert np.array_equal(np.append(ours.dual_coef_[0], 0.0)[ours.state_.slots], alpha)
    assert np.allclose(ours.decision_function(X), pairwise_kernels(X, **THEIRS[name]) @ alpha)


@pytest.mark.kernel
@kernels
@pytest.mark.parametrize("classes", [2, 3])
def test_layouts_and_machines_give_the_same_bits(name, classes):
    """Dense and sparse rows, each instruction set, and batches of any size give one ledger and one set of scores."""
    X, y = problem(fewer(400, 150), classes=classes)
    first = made(name).fit(X, y)
    scores, before = first.decision_function(X), _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for rows in forms(X):
                ours = made(name).fit(rows, y)
                assert ours.ledger_ == first.ledger_
                assert np.array_equal(ours.decision_function(X), scores)
                assert np.array_equal(ours.decision_function(sp.csr_array(X)), scores)
    finally:
        _core.use_isa(before)
    for size in (1, 3, 64, 65, len(X) - 1):
        ours = made(name)
        for begin in range(0, len(X), size):
            # Now dense, now sparse: how the support is kept is the first batch's choice and nobody's business.
            rows = X[begin : begin + size] if begin % 2 else sp.csr_array(X[begin : begin + size])
            ours.partial_fit(rows, y[begin : begin + size], classes=range(classes))
        assert ours.ledger_ == first.ledger_
        assert np.array_equal(ours.decision_function(X), scores)


@given(
    X=arrays(np.float64, (50, 4), elements=small),
    y=arrays(np.int8, 50, elements=st.integers(0, 2)),
    passes=st.integers(1, 3),
    intercept=st.sampled_from([0.0, 2.0]),
    shuffle=st.booleans(),
)
def test_the_linear_kernel_is_the_perceptron(X, y, passes, intercept, shuffle):
    """With the linear kernel, weights, constant and ledger are the primal perceptron's, also of several classes."""
    if len(set(y)) < 2:
        return
    how = {"passes": passes, "intercept": intercept, "shuffle": shuffle, "random_state": 1}
    ours, theirs = KernelPerceptron(kernel="linear", **how).fit(X, y), Perceptron(**how).fit(X, y)
    assert np.array_equal(ours.coef_, theirs.coef_)
    assert np.array_equal(ours.intercept_, theirs.intercept_)
    assert ours.ledger_ == theirs.ledger_
    assert np.array_equal(ours.decision_function(X), theirs.decision_function(X))


@kernels
def test_kernels_of_others_are_the_same_kernels(name):
    """A precomputed Gram matrix and a callable make the decisions of the kernel that they hold, pass after pass."""
    X, y = problem(600)
    gram = pairwise_kernels(X, **THEIRS[name])
    ours = made(name, passes=2, shuffle=True, random_state=5).fit(X, y)
    how = {"passes": 2, "shuffle": True, "random_state": 5}
    by_matrix = KernelPerceptron(kernel="precomputed", **how).fit(gram, y)
    function = KernelPerceptron(kernel=lambda a, b: pairwise_kernels(a, b, **THEIRS[name]), **how)
    for rows in (X, sp.csr_array(X)):
        function.fit(rows, y)
        assert function.ledger_.updates == by_matrix.ledger_.updates == ours.ledger_.updates
        assert np.array_equal(function.dual_coef_, by_matrix.dual_coef_)
        assert np.allclose(function.decision_function(rows[:90]), by_matrix.decision_function(gram[:90]))
    assert np.array_equal(X[by_matrix.support_], ours.support_vectors_)
    assert np.array_equal(by_matrix.dual_coef_, ours.dual_coef_)


@pytest.mark.kernel
@kernels
@pytest.mark.parametrize("passes", [1, 3])
def test_the_average_is_the_twins(name, passes):
    """The averaged function is the mean of the functions before each round."""
    X, y = problem(200)
    ours = made(name, average="averaged", passes=passes).fit(X, y)
    gram = pairwise_kernels(X, **THEIRS[name])
    _, updates, _ = kernel_perceptron(gram, np.where(y, 1, -1), passes=passes)
    mean = gram @ kernel_average(np.where(y, 1, -1), updates, passes * len(X))
    assert np.allclose(ours.decision_function(X), mean)
    assert ours.ledger_ == made(name, passes=passes).fit(X, y).ledger_


@given(
    X=arrays(np.float64, (30, 3), elements=small),
    y=arrays(np.int8, 30, elements=signs),
    ties=st.sampled_from(["update", 1, -1]),
    passes=st.integers(1, 3),
)
def test_the_vote_is_the_twins(X, y, ties, passes):
    """The share of votes is that of the functions before each round, the first of which, 0, votes as ties say."""
    if len(set(y)) < 2:
        return
    tie, gram = 0 if ties == "update" else ties, pairwise_kernels(X, **THEIRS["poly"])
    ours = made("poly", average="voted", passes=passes, ties=ties).fit(X, y)
    _, updates, _ = kernel_perceptron(gram, y, tie, passes)
    shares = [kernel_vote(k, y, updates, passes * len(X), tie) for k in gram]
    assert np.allclose(ours.decision_function(X), shares)


def test_the_average_and_the_vote_differ():
    """Of the three functions x -> -1, 10 and 10 scaled, the mean and the majority may disagree."""
    X, y = np.array([[1.0], [-10.0], [1.0], [1.0]]), [1, 1, 1, 1]
    how = {"kernel": "linear", "ties": "update"}
    both = [
        KernelPerceptron(average=average, **how).partial_fit(X, y, classes=[-1, 1]) for average in ("averaged", "voted")
    ]
    mean, share = (learner.decision_function([[1.0]])[0] for learner in both)
    assert mean < 0
    assert share == 0.0


def test_worked_cases(oracles):
    """Coefficients, updates, passes, radius and bound are those found by hand for the dual perceptron and XOR."""
    cases = [case for case in oracles if case["topic"] in ("dual perceptron", "kernel perceptron")]
    assert len(cases) == 3
    for case in cases:
        X, y = np.array(case["input"]["X"], dtype=float), case["input"]["y"]
        degree = {"kernel/xor poly2": 2, "kernel/xor poly3": 3}.get(case["id"])
        how = {"kernel": "linear"} if degree is None else {"kernel": "poly", "degree": degree, "gamma": 1.0}
        ours = KernelPerceptron(until_clean=True, **how).fit(X, y)
        answer = case["expected"]
        alpha = np.append(ours.dual_coef_[0], 0.0)[ours.state_.slots]
        assert (alpha * y).tolist() == answer["alpha"]
        assert ours.ledger_.updates == answer["updates"]
        if degree is None:
            assert ours.coef_[0].tolist() == answer["w"]
            continue
        assert (ours.n_iter_, ours.ledger_.max_norm2) == (answer["passes"], answer["r2"])
        assert ours.certify(X, y)[0].bound == pytest.approx(float(Fraction(answer["bound"])))


def test_weights_scale_the_steps():
    """A round's weight multiplies its coefficient; rounds that weigh nothing teach nothing."""
    X, y = problem(120)
    weights = np.random.default_rng(3).choice([0.0, 0.5, 2.0], size=len(X))
    ours = KernelPerceptron(kernel="linear").fit(X, y, sample_weight=weights)
    theirs = Perceptron().fit(X, y, sample_weight=weights)
    assert np.allclose(ours.coef_, theirs.coef_)
    assert set(np.abs(ours.dual_coef_[0])) <= {0.5, 2.0}


def test_equal_rows_of_no_weight_do_not_stand_in_the_way():
    """Of rows that weigh nothing no line says that they cannot be separated: what it lacks are equal weights, and
    without weights these rows are named."""
    X, y, weights = np.array([[1.0, 0], [0, 1], [1, 1], [1, 1]]), [1, -1, 1, -1], np.array([1.0, 1, 0, 0])
    said = [
        KernelPerceptron(gamma=0.5).fit(X, y, sample_weight=its).certify(X, y, sample_weight=its)[0].why
        for its in (weights, None)
    ]
    assert ["every round weighs 1" in why for why in said] == [True, False]
    assert "rows 2 and 3 (from 0) are equal" in said[1]


@pytest.mark.kernel
def test_classes_and_columns_may_come_late():
    """A stream that reveals classes and columns is learned as it would be had they been known."""
    X, y = problem(240, columns=9, classes=3, seed=4)
    X[:100, 6:], late = 0, np.sort(y)
    for average in (None, "averaged", "voted"):
        dense, sparse = (made("rbf", average=average) for _ in range(2))
        for begin in range(0, 240, 40):
            rows = sp.csr_array(X[begin : begin + 40])
            columns = 6 if begin < 80 else 9
            labels = late[begin : begin + 40].astype(float)
            sparse.observe(Batch(rows.data, labels, columns, rows.indices, rows.indptr))
            dense.observe(Batch(np.ascontiguousarray(X[begin : begin + 40, :columns]), labels, columns))
        assert sparse.classes_.tolist() == [0, 1, 2]
        assert sparse.ledger_ == dense.ledger_
        scores = sparse.decision_function(X)
        assert np.array_equal(dense.decision_function(X), scores)
        assert np.isfinite(scores).all()
        if average == "voted":
            assert np.abs(scores).max() <= 1


@pytest.mark.kernel
def test_very_many_classes_have_room():
    """Hundreds of one-against-rest targets are those of as many learners of two classes."""
    random, classes = np.random.default_rng(7), fewer(600, 100)
    X, y = random.normal(size=(3 * classes, 3)), np.arange(3 * classes) % classes
    for rows in (X, sp.csr_array(X)):
        ours = made("rbf").fit(rows, y)
        for label in (0, classes - 1):
            alone = made("rbf").fit(rows, y == label)
            target = ours.state_.ledgers()[label]
            assert (target.updates, target.mistakes) == (alone.ledger_.updates, alone.ledger_.mistakes)


def test_gamma_is_scikit_learns():
    """ "scale" and "auto" stand for scikit-learn's numbers, from dense and from sparse rows."""
    X, y = problem(80)
    for rows in forms(X):
        assert KernelPerceptron().fit(rows, y).gamma_ == pytest.approx(1 / (7 * X.var()))
        assert KernelPerceptron(gamma="auto").fit(rows, y).gamma_ == 1 / 7


def test_pickles_that_are_mapped_read_only_go_on():
    """A learner whose arrays a process pool has made read-only learns on."""
    X, y = problem(200)
    learner = made("rbf").fit(X[:100], y[:100])
    twin = pickle.loads(pickle.dumps(learner))
    for array in vars(twin.state_.support).values():
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    twin.state_.support.__setstate__(dict(vars(twin.state_.support)))
    assert twin.partial_fit(X[100:], y[100:]).ledger_ == learner.partial_fit(X[100:], y[100:]).ledger_


@kernels
def test_pickles_carry_no_room(name):
    """A pickle holds the rows and not what was set aside for more, and its learner goes on as the one before."""
    X, y = problem(900)
    for rows in forms(X)[:2]:
        learner = made(name).fit(rows[:800], y[:800])
        twin = pickle.loads(pickle.dumps(learner))
        support = twin.state_.support
        assert len(support.coefficients) == len(support.norm2) == support.count
        assert len(support.values) == support.counts[1]
        assert len(pickle.dumps(support)) < 1.3 * (support.batch().values.nbytes + support.count * 120) + 3000
        assert np.array_equal(twin.decision_function(rows), learner.decision_function(rows))
        learner.partial_fit(rows[800:], y[800:]), twin.partial_fit(rows[800:], y[800:])
        assert np.array_equal(twin.decision_function(rows), learner.decision_function(rows))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"kernel": "sigmoid"}, "kernel='sigmoid'; it must be one of"),
        ({"gamma": 0.0}, "gamma=0.0"),
        ({"gamma": "wide"}, "gamma='wide'; it must be one of 'scale', 'auto'"),
        ({"degree": 0}, "degree=0"),
        ({"degree": 2**70}, "it must be at most 1000"),
        ({"budget": 2**70}, "it must be at most 2147483647"),
        ({"coef0": -1.0}, "coef0=-1.0"),
        ({"budget": 0}, "budget=0"),
        ({"budget": 3, "average": "voted"}, "use one or the other"),
        ({"budget": 3, "kernel": "precomputed"}, "has none"),
        ({"kernel": "precomputed", "intercept": 1.0}, "add its square"),
        ({"removal": "newest"}, "removal='newest'"),
        ({"average": "mean"}, "average='mean'"),
    ],
)
def test_parameters_without_a_meaning_are_refused(how, says):
    """Each parameter that has no meaning is refused by name, before anything is learned."""
    X, y = problem(20)
    with pytest.raises(RegretlessError, match=says):
        KernelPerceptron(**how).fit(X, y)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"average": "voted"}),
        ({"average": "voted"}, {"average": None}),
        ({}, {"kernel": "linear"}),
        ({}, {"kernel": "precomputed"}),
        ({"kernel": "precomputed"}, {"kernel": "rbf"}),
        ({}, {"gamma": 0.5}),
        ({}, {"intercept": 1.0}),
        ({"kernel": "poly"}, {"degree": 2}),
        ({"kernel": "poly"}, {"coef0": 2.0}),
        ({}, {"budget": 5}),
        ({"budget": 9}, {"budget": 8}),
    ],
)
def test_what_a_function_is_made_of_stays(tmp_path, before, after):
    """A learner whose kernel, vote or budget was changed after `fit` neither predicts, learns nor is saved, until it is
    fitted anew or changed back."""
    X, y = problem(60)
    X = X @ X.T
    learner = KernelPerceptron(**({"gamma": 0.25} | before)).fit(X, y)
    scores, was = learner.decision_function(X), learner.get_params()
    learner.set_params(**after)
    for action in (
        lambda: learner.predict(X),
        lambda: learner.set_params(warm_start=True).fit(X, y),
        lambda: learner.save(tmp_path / "m.rgl"),
    ):
        with pytest.raises(RegretlessError, match="fit anew"):
            action()
    assert np.array_equal(learner.set_params(**was).decision_function(X), scores)
    learner.set_params(**after).fit(X, y).save(tmp_path / "m.rgl")


def test_what_may_change_after_fit_may():
    """The average can be asked for later, a budget can grow, and ties can be met in another way."""
    X, y = problem()
    learner = made("rbf").fit(X, y)
    mean = made("rbf", average="averaged").fit(X, y).decision_function(X)
    assert np.array_equal(learner.set_params(average="averaged").decision_function(X), mean)
    learner.set_params(average=None, ties=1, budget=learner.state_.support.count).partial_fit(X, y)
    assert learner.state_.support.count == learner.budget
    assert learner.state_.removed[0, 1] > 0


def test_what_a_kernel_cannot_do_is_refused():
    """A Gram matrix that is not square or negative on its diagonal, a callable of the wrong shape, a stream without a
    number for gamma, and weights of a kernel that has none are errors in words."""
    X, y = problem(30)
    with pytest.raises(RegretlessError, match="square"):
        KernelPerceptron(kernel="precomputed").fit(X, y)
    with pytest.raises(RegretlessError, match="use fit"):
        KernelPerceptron(kernel="precomputed").partial_fit(X @ X.T, y)
    with pytest.raises(RegretlessError, match="that is no kernel"):
        KernelPerceptron(kernel="precomputed").fit(-X @ X.T, y)
    with pytest.raises(RegretlessError, match="shape"):
        KernelPerceptron(kernel=lambda a, b: a).fit(X, y)
    with pytest.raises(RegretlessError, match="finite"):
        KernelPerceptron(kernel=lambda a, b: np.full((len(a), len(b)), np.nan)).fit(X, y)
    with pytest.raises(RegretlessError, match="give a number"):
        KernelPerceptron().observe(Batch(X, y.astype(float), 7))
    broken = sp.csr_array(X)
    broken.indptr[3:6] = 10**9
    with pytest.raises(RegretlessError, match="not a valid sparse matrix"):
        made("rbf").fit(broken, y)
    with pytest.raises(AttributeError, match="only the linear kernel"):
        _ = made("rbf").fit(X, y).coef_
    with pytest.raises(RegretlessError, match="too large"):
        made("poly", degree=9).fit(X * 1e30, y)
