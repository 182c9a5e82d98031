"""Perceptron and OnlineGradientDescent as estimators."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.utils.estimator_checks import check_class_weight_classifiers, parametrize_with_checks

import regretless
from regretless.errors import ModelError, RegretlessError, RowError
from regretless.linear import (
    AROW,
    KernelPerceptron,
    MarginPerceptron,
    OnlineGradientDescent,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    Winnow,
)

from ..examples import first_of

# scikit-learn's own Perceptron declares the same two: a row of weight 2 is one update, two equal rows are two rounds.
WEIGHTS = "a round that weighs 2 is one round and not two"
# The check gives scikit-learn's learners a thousand iterations and an intercept; ours is asked with both below.
THRESHOLD = "the weights of classes move a threshold, which takes a constant feature and many passes"
EXPECTED = {
    "check_class_weight_classifiers": THRESHOLD,
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    every_check = parametrize_with_checks(
        first_of(
            [
                Perceptron(intercept=2.0, passes=3, shuffle=True, random_state=0),
                Perceptron(),
                OnlineGradientDescent(),
                OnlineGradientDescent(loss="logistic", schedule="self-tuned", radius=5.0, intercept=1.0),
            ],
            also=(3,),
        ),
        expected_failed_checks=lambda estimator: EXPECTED,
    )

reals = st.floats(-8, 8, width=32)
LEARNERS = [
    Perceptron(),
    OnlineGradientDescent(),
    OnlineGradientDescent(loss="logistic", radius=1.0, intercept=0.5),
]


@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes, but for those that are declared above, each with its reason."""
    check(estimator)


@pytest.mark.filterwarnings("ignore")
def test_class_weights_decide_when_there_are_a_constant_feature_and_many_passes():
    """With 1,000 passes and an intercept scikit-learn's check of class weights passes, as with its own iterations."""
    check_class_weight_classifiers("Perceptron", Perceptron(intercept=2.0, passes=1000))


@pytest.mark.parametrize("sparse", [False, True])
def test_class_weights_are_sample_weights(sparse):
    """Weighing classes, by a mapping or by their numbers, is weighing their rounds; a stream takes a mapping."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 5)), random.choice([3, 5, 9], size=300, p=[0.6, 0.3, 0.1])
    X = sp.csr_array(X) if sparse else X
    by_class = {3: 0.5, 9: 4.0}
    weights = np.array([by_class.get(label, 1.0) for label in y.tolist()])
    ours = Perceptron(class_weight=by_class).fit(X, y)
    assert np.array_equal(ours.coef_, Perceptron().fit(X, y, sample_weight=weights).coef_)
    assert np.array_equal(ours.coef_, Perceptron(class_weight=by_class).partial_fit(X, y, classes=[3, 5, 9]).coef_)
    balanced = len(y) / (3 * np.array([np.sum(y == label) for label in y]))
    expected = Perceptron().fit(X, y, sample_weight=balanced).coef_
    assert np.array_equal(Perceptron(class_weight="balanced").fit(X, y).coef_, expected)
    with pytest.raises(RegretlessError, match="needs all labels at once"):
        Perceptron(class_weight="balanced").partial_fit(X, y)
    with pytest.raises(RegretlessError, match="class_weight"):
        Perceptron(class_weight={3: -1}).fit(X, y)


def test_a_warm_start_goes_on():
    """Two fits with warm_start are one of two passes, and the certificates count both; without it fit forgets."""
    random = np.random.default_rng(1)
    X, y = random.normal(size=(200, 4)), np.sign(random.normal(size=200)).astype(int)
    twice = Perceptron(warm_start=True).fit(X, y).fit(X, y)
    once = Perceptron(passes=2).fit(X, y)
    assert np.array_equal(twice.coef_, once.coef_)
    assert twice.ledger_ == once.ledger_
    assert all(c.holds and c.applies for c in twice.certify(X, y)[1:])
    assert Perceptron().fit(X, y).fit(X, y).ledger_.rounds == 200


@pytest.mark.parametrize("loss", ["logistic", "square", "squared-hinge", "hinge", "perceptron"])
def test_probabilities_come_with_losses_that_have_them(loss):
    """They add up to 1, agree with predict and are near the true ones for losses that allow it; others have none."""
    random = np.random.default_rng(2)
    X = random.normal(size=(20_000, 2))
    truth = 1 / (1 + np.exp(-X[:, 0]))
    y = np.where(random.random(len(X)) < truth, "yes", "no")
    learner = OnlineGradientDescent(loss=loss, rate=0.2).fit(X, y)
    if loss in ("hinge", "perceptron"):
        assert not hasattr(learner, "predict_proba")
        return
    shares = learner.predict_proba(X)
    assert np.allclose(shares.sum(axis=1), 1)
    assert np.array_equal(learner.classes_[shares.argmax(axis=1)], learner.predict(X))
    assert np.abs(shares[:, 1] - truth).mean() < 0.1
    three = OnlineGradientDescent(loss=loss, rate=0.2).fit(X, random.integers(0, 3, size=len(X)))
    assert np.allclose(three.predict_proba(X).sum(axis=1), 1)


def test_what_a_learner_is_named_by_may_stand_alone():
    """The one parameter that a learner cannot do without, or is chosen by, needs no name; all others do."""
    assert MarginPerceptron(0.2, epsilon=0.1).gamma == 0.2
    assert Winnow(0.5, balanced=True).rate == 0.5
    assert PNormPerceptron(3.0).p == 3.0
    assert KernelPerceptron("poly", degree=2).kernel == "poly"
    with pytest.raises(TypeError):
        Winnow(0.5, 0.1)


def test_until_clean_goes_on_until_a_pass_is_clean_or_max_passes_are_made():
    """Separable rows end with a pass without an update; others after max_passes; `passes` above 1 is a limit too."""
    X, y = np.array([[1.0, 0.0], [1.0, 0.1]]), [1, -1]
    learner = Perceptron(until_clean=True, max_passes=10_000).fit(X, y)
    before = learner.ledger_.updates
    assert 1 < learner.n_iter_ < 10_000
    assert learner.partial_fit(X, y).ledger_.updates == before
    X = np.array([[1.0, 0.0], [1.0, 0.0]])
    assert Perceptron(until_clean=True, max_passes=7).fit(X, y).n_iter_ == 7
    assert Perceptron(until_clean=True, passes=3).fit(X, y).n_iter_ == 3


@given(arrays(float, (40, 4), elements=reals), arrays(np.int8, 40, elements=st.sampled_from([-1, 1])))
def test_one_pass_is_scikit_learns_perceptron(X, y):
    """Over one pass in order and without intercept the weights are those of scikit-learn's Perceptron."""
    if len(set(y)) < 2:
        return
    theirs = TheirPerceptron(fit_intercept=False, shuffle=False, max_iter=1, tol=None).fit(X, y)
    np.testing.assert_allclose(Perceptron().fit(X, y).coef_, theirs.coef_, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("learner", LEARNERS)
@given(
    X=arrays(np.float32, (25, 6), elements=st.one_of(st.just(0.0), reals)),
    y=arrays(np.int8, 25, elements=st.integers(0, 2)),
)
def test_dense_and_sparse_rows_give_the_same_bits(learner, X, y):
    """Weights, ledgers and scores do not depend on whether zeros are stored."""
    if len(set(y)) < 2:
        return
    dense, sparse = copy.deepcopy(learner).fit(X, y), copy.deepcopy(learner).fit(sp.csr_array(X), y)
    np.testing.assert_array_equal(dense.coef_, sparse.coef_)
    assert dense.ledger_ == sparse.ledger_
    np.testing.assert_array_equal(dense.decision_function(X), sparse.decision_function(sp.csr_matrix(X)))


@pytest.mark.parametrize("learner", LEARNERS)
def test_float32_and_float64_rows_of_the_same_numbers_give_the_same_bits(learner):
    """Weights are float64 whatever the rows are."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 7)).astype(np.float32), rng.choice(["a", "b"], 200)
    single, double = copy.deepcopy(learner).fit(X, y), copy.deepcopy(learner).fit(X.astype(np.float64), y)
    np.testing.assert_array_equal(single.coef_, double.coef_)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_rounds_in_pieces_are_the_same_rounds(learner, classes):
    """Any cut of a stream into calls of partial_fit gives the bits of one call, with classes announced or met on the
    way."""
    rng = np.random.default_rng(classes)
    X, y = rng.normal(size=(120, 5)), np.sort(rng.integers(0, classes, 120))
    whole = copy.deepcopy(learner).partial_fit(X, y)
    pieces = copy.deepcopy(learner)
    for begin, end in ((0, 1), (1, 7), (7, 60), (60, 61), (61, 120)):
        pieces.partial_fit(X[begin:end], y[begin:end])
    np.testing.assert_array_equal(whole.coef_, pieces.coef_)
    assert whole.ledger_ == pieces.ledger_
    announced = copy.deepcopy(learner).partial_fit(X, y, classes=range(classes))
    assert announced.ledger_ == copy.deepcopy(learner).fit(X, y).ledger_


def test_a_third_class_loses_nothing_of_the_first_two():
    """When a third class comes, the two that were one learner become mirror images and go on as one-against-rest
    would."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), np.r_[rng.integers(0, 2, 200), rng.integers(0, 3, 100)]
    late = Perceptron().partial_fit(X, y)
    learner = Perceptron().partial_fit(X[:200], y[:200], classes=[0, 1, 2]).partial_fit(X[200:], y[200:])
    np.testing.assert_array_equal(late.coef_[:2], learner.coef_[:2])
    assert late.classes_.tolist() == [0, 1, 2]
    assert late.state_.ledgers()[2].rounds == 300 - int(np.argmax(y == 2))


def test_one_against_rest_is_a_row_of_binary_learners():
    """Each class's weights are the bits of a binary learner of that class against all others."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 9)), rng.integers(0, 11, 200)
    many = OnlineGradientDescent(loss="squared-hinge", radius=2.0, intercept=1.0).fit(X, y)
    for label in range(11):
        one = OnlineGradientDescent(loss="squared-hinge", radius=2.0, intercept=1.0).fit(X, np.where(y == label, 1, -1))
        np.testing.assert_array_equal(many.coef_[label], one.coef_[0])


def test_a_single_class_waits_for_its_rival():
    """-1 and 0 alone are the negative class, whatever is positive the positive one, and a smaller rival turns that
    round."""
    X = np.array([[1.0, 2.0], [2.0, 1.0], [0.5, -1.0]])
    for first, second in ((-1, 1), (0, 1), (1, -1), (1, 2), ("ham", "spam"), ("spam", "ham")):
        labels = np.array([first, first, second])
        met = Perceptron().partial_fit(X, labels)
        np.testing.assert_array_equal(met.coef_, Perceptron().fit(X, labels).coef_)
        assert Perceptron().partial_fit(X[:2], labels[:2]).predict(X[:2]).tolist() == [first, first]
    with pytest.raises(RegretlessError, match="class"):
        Perceptron().fit(X, [1, 1, 1])


NAMED = [(-1, 1), (0, 1), (1, 2), (-2, -1), ("a", "b")]


@pytest.mark.parametrize("names", NAMED, ids=repr)
@pytest.mark.parametrize("first", [0, 1])
def test_the_rounds_of_a_class_without_a_rival_count_as_documented(names, first):
    """In a stream the first class is played as +1 if it is a string or positive and else as -1, until another comes;
    where that was the wrong sign, weights and updates are those of a run that knew both, and the mistakes differ by the
    rounds before that with a score of 0. Names count for nothing else."""
    random = np.random.default_rng(first)
    X, places = random.normal(size=(60, 3)), random.integers(0, 2, 60)
    places[:6], places[6] = first, 1 - first
    X[3] = 0  # besides the first round, another with a score of 0
    y = np.array(names)[places]
    guessed = isinstance(names[first], str) or names[first] > 0
    for learner in (Perceptron(), PNormPerceptron(p=4), KernelPerceptron("linear"), AROW()):
        known = copy.copy(learner).partial_fit(X, places, classes=[0, 1])
        met = copy.copy(learner)
        for k in range(0, 60, 4):
            met.partial_fit(X[k : k + 4], y[k : k + 4])
        zeros = 2 - (learner.name == "arow")  # its constant feature is no longer 0
        wrong = (guessed - first) * zeros
        assert met.ledger_.updates == known.ledger_.updates
        assert met.ledger_.mistakes == known.ledger_.mistakes - wrong
        np.testing.assert_array_equal(met.decision_function(X), known.decision_function(X))
        model = copy.copy(learner).partial_fit(X, y, classes=list(names))
        assert model.ledger_ == known.ledger_


def test_ties():
    """On orthonormal rows with label +1 the three rules make 3, 0 and 3 updates, and 0, 0 and 3 mistakes."""
    X, y = np.eye(3), np.ones(3)
    scores = {
        ties: (ledger.updates, ledger.mistakes)
        for ties in ("update", 1, -1)
        for ledger in [Perceptron(ties=ties).partial_fit(X, y, classes=[-1, 1]).ledger_]
    }
    assert scores == {"update": (3, 0), 1: (0, 0), -1: (3, 3)}


def test_the_order_is_the_order_of_the_rows_unless_asked():
    """Nothing is shuffled by default; with shuffle=True the order comes from random_state."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.choice([0, 1], 100)
    plain = Perceptron(passes=2).fit(X, y)
    again = Perceptron().partial_fit(X, y).partial_fit(X, y)
    np.testing.assert_array_equal(plain.coef_, again.coef_)
    shuffled = [Perceptron(shuffle=True, random_state=seed).fit(X, y).coef_ for seed in (1, 1, 2)]
    np.testing.assert_array_equal(shuffled[0], shuffled[1])
    assert (shuffled[0] != shuffled[2]).any()
    order = np.random.default_rng(1).permutation(100)
    np.testing.assert_array_equal(shuffled[0], Perceptron().fit(X[order], y[order]).coef_)


def test_weights_scale_what_is_charged():
    """A round of weight c moves the perceptron by c times the row and is charged c times."""
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    learner = Perceptron().fit(X, [1, -1], sample_weight=[3.0, 0.5])
    np.testing.assert_array_equal(learner.coef_, [[3.0, -0.5]])
    assert learner.ledger_.weighted == 2


def test_a_bad_row_loses_nothing_that_was_learned():
    """NaN in the middle of a batch is refused by row and column; the rows before it are learned, and learning goes
    on."""
    X, y = np.eye(5), np.array([1, -1, 1, -1, 1])
    X[3, 2] = np.nan
    learner = Perceptron().partial_fit(X[:1], y[:1], classes=[-1, 1])
    with pytest.raises(RegretlessError, match=r"NaN.*row 2, column 2.*2 rows before"):
        learner.partial_fit(X[1:], y[1:])
    assert learner.ledger_.rounds == 3
    learner.partial_fit(X[4:], y[4:])
    assert learner.ledger_.rounds == 4


def test_weights_that_overflow_are_named():
    """A rate that makes the weights explode ends in an error that says so, not in NaN."""
    X = np.array([[1e100], [1e100]] * 50)
    with pytest.raises(RegretlessError, match=r"overflow|too large"):
        OnlineGradientDescent(loss="square", schedule="constant", rate=1.0).fit(X, [0, 1] * 50)


def test_a_learner_without_a_rate_is_not_advised_to_lower_it():
    """A sketch without measures of the features, of columns from 1e-8 to 1e8, is refused with advice that it can take:
    it learns the same rows with the scale that is advised."""
    rng, sizes = np.random.default_rng(0), 10.0 ** np.linspace(-8, 8, 20)
    X, v = rng.normal(size=(300, 20)) * sizes, rng.normal(size=20) / sizes
    y = np.where(X @ v >= 0, 1, -1)
    with pytest.raises(RowError, match=r"would overflow; take scale=\"auto\" or scale the columns\.") as refused:
        AROW(r=1e-3, matrix="sketch", scale="none").fit(X, y)
    assert "rate" not in refused.value.advice
    assert abs(AROW(r=1e-3, matrix="sketch").fit(X, y).decision_function(X)).max() < 10


@pytest.mark.parametrize("rows", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    ("learner", "size", "says"),
    [
        (OnlineGradientDescent(), 1e-160, "so short .its largest entry is 1e-160."),
        (PassiveAggressive(variant="PA"), 1e-160, "so short .its largest entry is 1e-160."),
        (OnlineGradientDescent(loss="square", schedule="inverse-sqrt", radius=1.0), 1e100, "so long .its .* 1e.100"),
        (OnlineGradientDescent(loss="square", schedule="constant", rate=1e200), 1.0, "overflow; lower the rate"),
    ],
    ids=repr,
)
def test_a_row_that_is_too_short_or_too_long_is_named(learner, size, says, rows):
    """A row that no float can be learned from is refused by its number and its size, and not for the weights."""
    X = rows(np.array([[size, 0.0], [0.0, size], [size, size], [-size, size]]))
    with pytest.raises(RegretlessError, match=f"^(In r|R)ow [0-3] .*{says}"):
        copy.copy(learner).fit(X, [1, -1, 1, -1])


@pytest.mark.parametrize(
    ("learner", "names"),
    [
        (Perceptron(rate=0), "rate"),
        (Perceptron(rate=float("nan")), "rate"),
        (OnlineGradientDescent(rate=5e-324), r"rate=5e-324; it must be a finite number >= 2\.225"),
        (Perceptron(ties=0), "ties"),
        (Perceptron(ties=True), "ties"),
        (Perceptron(intercept=-1), "intercept"),
        (Perceptron(passes=0), "passes"),
        (OnlineGradientDescent(loss="huber"), "loss"),
        (OnlineGradientDescent(schedule="fast"), "schedule"),
        (OnlineGradientDescent(radius=0), "radius"),
    ],
)
def test_parameters_without_a_meaning_are_refused_by_name(learner, names):
    """The message names the parameter."""
    with pytest.raises(RegretlessError, match=names):
        learner.fit(np.eye(2), [0, 1])


def test_unsorted_and_doubled_indices_are_learned_as_the_matrix_they_mean():
    """A CSR matrix whose rows are out of order or name a column twice gives the model of its dense twin."""
    X = sp.csr_matrix(
        (np.array([1.0, 2.0, 3.0, 1.0, 1.0]), np.array([2, 0, 1, 1, 2]), np.array([0, 2, 4, 5])), shape=(3, 3)
    )
    before = X.indices.copy()
    np.testing.assert_array_equal(Perceptron().fit(X, [1, 0, 1]).coef_, Perceptron().fit(X.toarray(), [1, 0, 1]).coef_)
    np.testing.assert_array_equal(X.indices, before)


def test_indices_that_point_nowhere_are_refused():
    """A hostile CSR matrix is an error, not a read outside of the weights."""
    X = sp.csr_matrix(np.eye(3))
    X.indices[1] = 7
    with pytest.raises(RegretlessError, match="sparse"):
        Perceptron().fit(X, [1, 0, 1])
    X.indices[1] = -1
    with pytest.raises(RegretlessError, match="sparse"):
        Perceptron().fit(X, [1, 0, 1])


def test_one_row_at_a_time():
    """update_one and predict_one are partial_fit and predict of one row."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    slow, fast = (Perceptron(intercept=1.0).partial_fit(X[:1], y[:1], classes=[0, 1, 2]) for _ in range(2))
    for t in range(1, 60):
        assert fast.predict_one(X[t]) == slow.predict(X[t : t + 1])[0]
        fast.update_one(X[t], y[t])
        slow.partial_fit(X[t : t + 1], y[t : t + 1])
    np.testing.assert_array_equal(fast.coef_, slow.coef_)
    assert fast.ledger_ == slow.ledger_


@pytest.mark.parametrize("learner", [*LEARNERS, Perceptron(passes=3, shuffle=True, random_state=3)])
@pytest.mark.parametrize("labels", [[-1, 1], ["a", "b", "c"], [1.0, 2.0], [False, True]])
def test_a_saved_learner_goes_on_bit_for_bit(learner, labels, tmp_path):
    """N rounds, save, load and M rounds are N + M rounds, and the file of the one is the file of the other."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 4)), np.array(labels)[rng.integers(0, len(labels), 100)]
    whole = copy.deepcopy(learner).partial_fit(X, y)
    half = copy.deepcopy(learner).partial_fit(X[:37], y[:37])
    half.save(tmp_path / "half.rgl")
    loaded = regretless.load(tmp_path / "half.rgl")
    assert loaded.get_params() == half.get_params()
    loaded.partial_fit(X[37:], y[37:])
    whole.save(tmp_path / "whole.rgl")
    loaded.save(tmp_path / "resumed.rgl")
    assert (tmp_path / "whole.rgl").read_bytes() == (tmp_path / "resumed.rgl").read_bytes()
    np.testing.assert_array_equal(whole.predict(X), loaded.predict(X))
    thawed = pickle.loads(pickle.dumps(half)).partial_fit(X[37:], y[37:])
    np.testing.assert_array_equal(thawed.coef_, whole.coef_)


def test_a_model_that_does_not_fit_together_is_refused(tmp_path):
    """A model file with a good checksum but nonsense inside is a ModelError, whatever the nonsense."""
    from regretless.persist.format import read_model, write_model

    path = tmp_path / "m.rgl"
    Perceptron().fit(np.eye(3), [0, 1, 2]).save(path)
    meta, tensors = read_model(path)
    nonsense = [
        {"learner": "os.system"},
        {"learner": "random-forest"},
        {"parameters": {"rate": -1.0}},
        {"parameters": {"speed": 1}},
        {"parameters": None},
        {"classes": [2, 1, 0]},
        {"classes": []},
        {"labels": "O"},
        {"columns": 4},
        {"columns": -1},
        {"extra": None},
        {"surprise": 1},
    ]
    for change in nonsense:
        write_model(path, meta | change, tensors)
        with pytest.raises(ModelError):
            regretless.load(path)
    for name, array in (
        ("weights", np.full((3, 3), np.nan)),
        ("memory", np.zeros((2, 6))),
        ("books", np.zeros((4, 13), int)),
    ):
        write_model(path, meta, tensors | {name: array})
        with pytest.raises(ModelError):
            regretless.load(path)


def test_importing_and_learning_load_nothing_heavy():
    """`import regretless`, learning and predicting load neither scikit-learn nor scipy, pyarrow, jinja2 or a plotting
    library."""
    program = (
        "import sys, regretless, numpy as np\n"
        "from regretless.linear import Perceptron\n"
        "Perceptron().fit(np.eye(2), [0, 1]).predict(np.eye(2))\n"
        "heavy = {'sklearn', 'scipy', 'pyarrow', 'jinja2', 'matplotlib', 'pandas'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_public_names():
    """What the package exports is what it has, and nothing else is promised."""
    import regretless.linear as linear
    from regretless import learner_table

    separation = ["MaxMargin", "Separation", "SimplexMargin", "max_margin", "max_margin_simplex", "separate"]
    learners = [entry.attribute for entry in learner_table.LEARNERS.values()]
    assert sorted(linear.__all__) == sorted(learners + separation)
    for name in linear.__all__:
        assert getattr(linear, name).__name__ == name


@pytest.mark.parametrize("labels", [[-1, 1], ["a", "b"], [0.0, 1.0, 2.0], [False, True], list(range(150))])
def test_the_classes_of_many_labels_are_those_of_numpy(labels):
    """Comparing many labels finds what sorting them finds, also when a class comes late."""
    from regretless.linear.labels import distinct, encode, read_classes

    y = np.array(labels)[np.random.default_rng(0).integers(0, len(labels), 3000)]
    late = np.array([labels[0]] * 2999 + [labels[-1]])
    for some in (y, late, y[:10]):
        classes = np.unique(some)
        np.testing.assert_array_equal(distinct(some), classes)
        codes, known = encode(some, classes)
        assert known.all()
        labels, read, played = read_classes(some, len(some))
        assert labels is some
        np.testing.assert_array_equal(read, classes)
        np.testing.assert_array_equal(played, codes)
        expected = np.searchsorted(classes, some)
        np.testing.assert_array_equal(codes, expected if len(classes) != 2 else 2 * expected - 1)


@pytest.mark.parametrize(
    "values", [[], [np.nan], [2.0, np.nan, -0.0, 0.0, np.nan, -np.inf, 2.0], [3, 1, 3], ["b", "a", "b"]]
)
def test_ascending_values_are_those_of_numpy(values):
    """Each value comes once, in order, and NaN last and once."""
    from regretless.linear.labels import ascending

    np.testing.assert_array_equal(ascending(np.array(values)), np.unique(values))


@pytest.mark.parametrize("late", [0.5, np.nan, np.inf])
@pytest.mark.parametrize("place", [0, 2999])
def test_one_label_among_many_that_is_no_whole_number_is_refused(late, place):
    """A fraction, nan or infinity is an error, among the first labels, which all others are compared with, or last."""
    y = np.tile([0.0, 1.0], 1500)
    y[place] = late
    with pytest.raises(RegretlessError, match=r"continuous|NaN|infinity"):
        Perceptron().fit(np.ones((3000, 1)), y)


def test_the_loss_of_the_perceptron_is_how_far_mistakes_lie():
    """The ledger sums max(0, -y f(x)) with the score before each update; a right answer near the edge costs nothing."""
    random = np.random.default_rng(4)
    X, y = random.normal(size=(80, 3)), random.choice([-1, 1], 80)
    learner, loss = Perceptron(), 0.0
    for x, label in zip(X, y, strict=True):
        score = learner.decision_function([x])[0] if hasattr(learner, "classes_") else 0.0
        loss += max(0.0, -label * score)
        learner.partial_fit([x], [label], classes=[-1, 1])
    assert learner.ledger_.loss == pytest.approx(loss, rel=1e-9)
