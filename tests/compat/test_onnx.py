"""Graphs of ONNX predict what the learners predict."""

from __future__ import annotations

import json

import numpy as np
import pytest

from regretless import load
from regretless.catalogue import TABLES, class_of
from regretless.compat.onnx import PRODUCTS, to_onnx
from regretless.errors import RegretlessError
from regretless.regression import AggregatedRegressor, OnlineGradientDescent, OnlineNewtonStep, VovkAzouryWarmuth

from ..command_line import CommandLine

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

RNG = np.random.default_rng(3)
X = RNG.normal(size=(120, 4))
NEW = RNG.normal(size=(50, 4)) * 5
TWO = np.where(X @ [1, -2, 0, 0.5] + 0.2 > 0, "yes", "no")
THREE = np.digitize(X[:, 0] + X[:, 1], [-0.6, 0.6]) * 10
LINEAR = [name for name in TABLES["linear"] if class_of("linear", name).info.predicts_by in PRODUCTS]


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def answers(learner) -> dict[str, np.ndarray]:
    session = runtime.InferenceSession(to_onnx(learner).SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": NEW}), strict=True))


@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", LINEAR)
def test_labels_and_scores_are_those_of_the_learner(name, labels):
    """Every learner of labels that predicts by a product gives the same labels in onnxruntime, and scores to 1e-9."""
    learner = class_of("linear", name)().fit(X, labels)
    replies = answers(learner)
    assert replies["label"].tolist() == learner.predict(NEW).tolist()
    scores = learner.decision_function(NEW).reshape(len(NEW), -1)
    assert replies["scores"] == pytest.approx(scores, rel=1e-9, abs=1e-9 * np.abs(scores).max())


def test_probabilities_are_those_of_the_learner():
    """The probabilities of logistic gradient descent come out of the graph too."""
    learner = class_of("linear", "online-gradient-descent")(loss="logistic").fit(X, TWO)
    assert answers(learner)["probabilities"] == pytest.approx(learner.predict_proba(NEW), abs=1e-12)


def test_forecasts_are_within_the_range_that_was_seen():
    """Forecasts of numbers are those of the learner, those at the ends of the range among them."""
    learner = OnlineGradientDescent().fit(X, X @ [1.0, 2.0, 0.0, -1.0] + 30)
    forecast = answers(learner)["forecast"]
    assert forecast == pytest.approx(learner.predict(NEW), rel=1e-12)
    assert {forecast.min(), forecast.max()} == set(learner.range_)


@pytest.mark.parametrize(
    ("learner", "outcomes"),
    [(class_of("linear", name)(), TWO) for name in TABLES["linear"] if name not in LINEAR]
    + [(one(), X[:, 0]) for one in (AggregatedRegressor, OnlineNewtonStep, VovkAzouryWarmuth)]
    + [(OnlineGradientDescent(loss="poisson"), abs(X[:, 0]).round())],
    ids=lambda one: getattr(one, "name", ""),
)
def test_what_is_no_product_is_refused(learner, outcomes):
    """Mixtures, votes, kernels, forecasters with a matrix and losses of counts are refused, with what predicts."""
    with pytest.raises(RegretlessError, match="does not predict by one product"):
        to_onnx(learner.fit(X, outcomes))


@pytest.mark.parametrize(
    "learner", [object(), None, class_of("linear", "perceptron"), class_of("linear", "perceptron")()]
)
def test_what_is_no_fitted_learner_is_refused(learner):
    """Other objects, classes of learners, and learners that learned nothing are refused by the library's own error."""
    with pytest.raises(RegretlessError):
        to_onnx(learner)


def test_the_verb_writes_a_graph_with_the_names_of_columns(run, tmp_path):
    """`export` writes a graph that knows the features of the table, and refuses a mixture in one line."""
    table = tmp_path / "rows.csv"
    table.write_text("size,town,y\n" + "1,Rome,a\n2,Oslo,b\n" * 4)
    for learner in ("arow", "aggregated"):
        run("learn", str(table), "--learner", learner, "--save", str(tmp_path / f"{learner}.rgl"))
    out = tmp_path / "arow.onnx"
    done = run("export", str(tmp_path / "arow.rgl"), "--onnx", str(out))
    assert done.code == 0
    assert "outputs label, scores" in done.out
    output = run("export", str(tmp_path / "arow.rgl"), "--onnx", str(out), "--json").json
    assert (output["schema"], output["learner"], output["outputs"]) == (
        "regretless.export/1",
        "arow",
        ["label", "scores"],
    )
    assert output["features"] == 3
    session = runtime.InferenceSession(str(out), providers=["CPUExecutionProvider"])
    names = json.loads(session.get_modelmeta().custom_metadata_map["features"])
    assert names == load(tmp_path / "arow.rgl")._feature_names()
    refused = run("export", str(tmp_path / "aggregated.rgl"), "--onnx", str(out))
    assert refused.code == 1
    assert "by its mixture" in refused.err
