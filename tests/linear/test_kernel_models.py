"""A kernel perceptron in a model file and on the command line."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import regretless
from regretless.errors import ModelError, RegretlessError
from regretless.linear import KernelPerceptron
from regretless.persist.format import read_model, write_model

from ..command_line import CommandLine, noisy_lines, write

SETTINGS = {
    "rbf": ["kernel=rbf", "gamma=0.1"],
    "averaged poly": ["kernel=poly", "gamma=0.2", "degree=2", "average=averaged"],
    "voted": ["gamma=0.1", "average=voted"],
    "oldest": ["gamma=0.1", "budget=30"],
    "random": ["gamma=0.1", "budget=30", "removal=random", "intercept=1"],
    "projection": ["gamma=0.1", "budget=30", "removal=projection"],
    "linear": ["kernel=linear", "intercept=2"],
}
settings = pytest.mark.parametrize("name", list(SETTINGS))


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def words(name: str) -> list[str]:
    """A learner on the command line."""
    return ["--learner", "kernel-perceptron", *(word for text in SETTINGS[name] for word in ("--set", text))]


def problem(classes: int = 2, sparse: bool = False):
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 6)) * (random.random((120, 6)) < 0.4)
    y = (np.sin(2 * X) @ random.normal(size=(6, classes)) + 0.3 * random.normal(size=(120, classes))).argmax(axis=1)
    return (sp.csr_array(X) if sparse else X), y


@settings
@pytest.mark.parametrize("cut", [1, 165])
def test_a_run_that_is_stopped_goes_on_to_the_same_bytes(run, tmp_path, name, cut):
    """Two files learned one after the other, and a file learned with checkpoints, give the model of one run."""
    lines = noisy_lines(250, classes=(1, 2, 3))
    whole, first, second = (tmp_path / f"{part}.svm" for part in ("whole", "first", "second"))
    for path, part in ((whole, lines), (first, lines[:cut]), (second, lines[cut:])):
        write(path, part)
    one, two = tmp_path / "one.rgl", tmp_path / "two.rgl"
    quiet = ("--quiet", "--no-certify")
    assert run("learn", whole, *words(name), "--save", one, "--checkpoint-every", "70", *quiet).code == 0
    assert run("learn", first, *words(name), "--save", two, *quiet).code == 0
    assert run("learn", second, "--resume", two, *quiet).code == 0
    assert read_model(one)[1].keys() == read_model(two)[1].keys()
    assert all(np.array_equal(array, read_model(two)[1][key]) for key, array in read_model(one)[1].items())
    assert run("predict", one, whole, "--scores").out == run("predict", two, whole, "--scores").out


@settings
@pytest.mark.parametrize("classes", [(-1, 1), (1, 2, 3)])
def test_the_command_line_learns_predicts_certifies_and_inspects(run, tmp_path, name, classes):
    """Each verb works on each kind of kernel perceptron, and what `certify` reads is what `learn` printed."""
    data, model, page = (
        write(tmp_path / "d.svm", noisy_lines(70, classes=classes)),
        tmp_path / "m.rgl",
        tmp_path / "r.html",
    )
    learned = run("learn", data, *words(name), "--save", model, "--report", page, "--json")
    assert learned.code == 0, learned.err
    again = run("certify", model, data, "--json")
    assert again.code == 0, again.err
    assert [c["bound"] for c in again.json["certificates"]] == pytest.approx(
        [c["bound"] for c in learned.json["certificates"]]
    )
    inspected = run("inspect", model)
    assert "support" in inspected.out
    assert len(run("predict", model, data).out.split()) == 70


def test_a_stream_needs_a_number_for_gamma(run, tmp_path):
    """Without one, `learn` says which, and learns nothing."""
    data = write(tmp_path / "d.svm", noisy_lines(20))
    refused = run("learn", data, "--learner", "kernel-perceptron", "--save", tmp_path / "m.rgl")
    assert refused.code == 1
    assert "--set gamma=NUMBER" in refused.err
    assert not (tmp_path / "m.rgl").exists()


@pytest.mark.parametrize(
    ("sparse", "how"),
    [
        (False, {}),
        (True, {}),
        (False, {"average": "voted", "passes": 3}),
        (True, {"average": "averaged", "kernel": "linear"}),
        (False, {"budget": 10, "removal": "projection"}),
        (True, {"budget": 10, "removal": "random"}),
        (False, {"passes": 3, "shuffle": True, "random_state": 1}),
    ],
)
def test_a_saved_model_is_the_model(tmp_path, sparse, how):
    """What is loaded predicts, certifies and goes on learning as what was saved."""
    X, y = problem(3, sparse)
    learner = KernelPerceptron(**how).fit(X, y)
    learner.save(tmp_path / "m.rgl")
    loaded = regretless.load(tmp_path / "m.rgl")
    assert loaded.gamma_ == learner.gamma_
    assert loaded.ledger_ == learner.ledger_
    assert np.array_equal(loaded.decision_function(X), learner.decision_function(X))
    certificates = loaded.certify(X, y)
    assert [c.bound for c in certificates] == [c.bound for c in learner.certify(X, y)]
    assert certificates[0 if "budget" in how else 1].applies
    loaded.partial_fit(X, y), learner.partial_fit(X, y)
    assert loaded.ledger_ == learner.ledger_
    assert np.array_equal(loaded.decision_function(X), learner.decision_function(X))


def test_a_gram_matrix_is_stored_by_its_columns(tmp_path):
    """A precomputed kernel is saved without rows; a callable cannot be saved, and says so."""
    X, y = problem()
    gram = X @ X.T
    learner = KernelPerceptron(kernel="precomputed", passes=2).fit(gram, y)
    learner.save(tmp_path / "m.rgl")
    loaded = regretless.load(tmp_path / "m.rgl")
    assert np.array_equal(loaded.predict(gram), learner.predict(gram))
    assert loaded.certify(gram, y)[1].applies
    with pytest.raises(RegretlessError, match=r"cannot be kept in a model file; give the name of a kernel"):
        KernelPerceptron(kernel=lambda a, b: a @ b.T).fit(X, y).save(tmp_path / "n.rgl")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("support_indices", lambda a: a + 100),
        ("support_indices", lambda a: a - 100),
        ("support_indices", lambda a: a[::-1].copy()),
        ("support_starts", lambda a: a[::-1].copy()),
        ("support_starts", lambda a: a[:-1]),
        ("support_starts", lambda a: a * 1000),
        ("support_values", lambda a: a * np.inf),
        ("support_values", lambda a: a[:-1]),
        ("coefficients", lambda a: a[:-1]),
        ("lag", lambda a: a[:, :1]),
        ("born", lambda a: a[:-1]),
        ("log_slot", lambda a: a + 10_000),
        ("log_slot", lambda a: a - 10_000),
        ("log_moves", lambda a: a[:-1]),
        ("setup", lambda a: -a - 1),
        ("setup", lambda a: a[:1]),
        ("seed", lambda a: a.astype(float)),
        ("setup", lambda a: np.array([a[0], 1e300])),
        ("setup", lambda a: np.array([a[0], 2.0**40])),
        ("setup", lambda a: np.array([a[0], a[1] + 0.5])),
        ("setup", lambda a: np.array([2 * a[0], a[1]])),
        ("setup", lambda a: np.array([0.0, a[1]])),
        ("removed", lambda a: a - 1),
        ("removed", lambda a: a[:1]),
        ("norm2", lambda a: a[:1]),
        ("norm2", lambda a: -a - 1),
        ("books", lambda a: a[:1]),
    ],
)
def test_a_forged_model_is_refused(tmp_path, name, change):
    """Arrays that do not fit together are refused with the file's name, never played."""
    X, y = problem(3, True)
    KernelPerceptron(average="voted", gamma=0.3).fit(X, y).save(tmp_path / "m.rgl")
    description, tensors = read_model(tmp_path / "m.rgl")
    assert name in tensors
    forged = tmp_path / "forged.rgl"
    with np.errstate(invalid="ignore"):
        write_model(forged, description, tensors | {name: change(tensors[name])})
    with pytest.raises(ModelError, match=r"forged\.rgl"):
        regretless.load(forged)
    write_model(forged, description, {key: array for key, array in tensors.items() if key != name})
    with pytest.raises(ModelError, match=r"forged\.rgl"):
        regretless.load(forged)
    write_model(forged, description, tensors | {"more": np.zeros(3)})
    with pytest.raises(ModelError, match=r"forged\.rgl"):
        regretless.load(forged)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("degree", 2**70),
        ("budget", 2**70),
        ("budget", 2),
        ("average", "voted"),
        ("gamma", 0.5),
        ("kernel", "sigmoid"),
    ],
)
def test_forged_parameters_are_refused(tmp_path, parameter, value):
    """Parameters without a meaning, or of another run than the arrays, are refused with the file's name."""
    X, y = problem()
    KernelPerceptron(kernel="poly", degree=2, gamma=0.25, coef0=0.0).fit(X, y).save(tmp_path / "m.rgl")
    description, tensors = read_model(tmp_path / "m.rgl")
    forged = tmp_path / "forged.rgl"
    write_model(forged, description | {"parameters": description["parameters"] | {parameter: value}}, tensors)
    with pytest.raises(ModelError, match=r"forged\.rgl"):
        regretless.load(forged)


def test_columns_that_no_row_has_cost_nothing(tmp_path):
    """A model of two billion columns of which six are in use, or whose support is empty, is small in memory too."""
    X, y = problem(2, True)
    KernelPerceptron(gamma=0.3).fit(X, y).save(tmp_path / "m.rgl")
    description, tensors = read_model(tmp_path / "m.rgl")
    wide = tmp_path / "wide.rgl"
    write_model(wide, description | {"columns": 2**31 - 1}, tensors)
    loaded = regretless.load(wide)
    assert len(loaded.state_.support.place) == 6
    stretched = sp.csr_array((X.data, X.indices, X.indptr), shape=(len(y), 2**31 - 1))
    scores = regretless.load(tmp_path / "m.rgl").decision_function(X)
    assert np.array_equal(loaded.decision_function(stretched), scores)
    write_model(wide, description | {"columns": 2**31}, tensors)
    with pytest.raises(ModelError, match="columns makes no sense"):
        regretless.load(wide)
    rows = [key for key in tensors if key.startswith("support")]
    nothing = {key: array for key, array in tensors.items() if key not in rows}
    nothing |= {key: array[:0] for key, array in nothing.items() if key in ("coefficients", "lag", "born")}
    write_model(wide, description | {"columns": 2**31 - 1}, nothing | {"support": np.zeros((0, 2**31 - 1))})
    assert not regretless.load(wide).decision_function(stretched).any()
