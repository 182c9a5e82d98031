"""Mixing on a real Spark: the bits of the same partitions elsewhere, in pipelines and in files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .spark_session import WIDTH, frame, parts, separable, started

pytest.importorskip("pyspark")

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import functions as F

import regretless
from regretless.data import Batch
from regretless.distributed import mix
from regretless.distributed.spark import Partitions, RegretlessClassifier, RegretlessModel
from regretless.errors import RegretlessError
from regretless.linear import AveragedPerceptron, MulticlassPerceptron, OnlineGradientDescent, Perceptron
from regretless.linear.base import OnlineClassifier

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """Spark, for the tests of this module."""
    session = started()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def rows(session: Any) -> Any:
    """Two classes in three partitions, persisted."""
    return frame(session).persist()


@pytest.fixture(scope="module")
def model(rows: Any) -> RegretlessModel:
    """An averaged perceptron after two epochs on them."""
    return RegretlessClassifier(epochs=2, weights="updates").fit(rows)


def same(one: OnlineClassifier, other: OnlineClassifier) -> bool:
    """Whether two learners have the same bits in all that they learned."""
    ours, theirs = one.state_.tensors(), other.state_.tensors()
    return ours.keys() == theirs.keys() and all(np.array_equal(ours[name], theirs[name]) for name in ours)


def test_vectors_give_the_bits_of_the_same_partitions_here(rows: Any, model: RegretlessModel) -> None:
    """Dense and sparse vectors on Spark give the weights, averages and books of the same rows in this process."""
    here = mix(AveragedPerceptron(), parts(separable(), rows), epochs=2, weights="updates")
    assert same(model.learner, here.learner)
    assert [epoch.to_list() for epoch in model.mixture.history] == [epoch.to_list() for epoch in here.history]
    assert model.learner.classes_.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("learner", "inputs"),
    [
        (OnlineGradientDescent(loss="logistic"), {"features_col": "array"}),
        (MulticlassPerceptron(), {"featuresCol": [f"x{i}" for i in range(WIDTH)], "labelCol": "word"}),
    ],
)
def test_other_columns_do_too(session: Any, learner: OnlineClassifier, inputs: dict[str, Any]) -> None:
    """So do arrays of numbers, and a column for each feature with words for labels, whose names the model has."""
    words = "labelCol" in inputs
    data = separable(3 if words else 2)
    dataset = frame(session, 3 if words else 2).persist()
    model = RegretlessClassifier(learner=learner, **inputs).fit(dataset)
    X, y = data
    here = mix(learner, parts((X, np.array([f"class {c}" for c in y]) if words else y.astype(float)), dataset))
    assert same(model.learner, here.learner)
    assert model.learner.classes_.tolist() == here.learner.classes_.tolist()
    assert (
        getattr(model.learner, "feature_names_in_", None) is None
        or list(model.learner.feature_names_in_) == inputs["featuresCol"]
    )
    assert hasattr(model.learner, "feature_names_in_") == words
    predicted = model.transform(dataset).orderBy("place").toArrow()["prediction"].to_pylist()
    assert predicted == here.learner.labels(here.learner.scores(Batch(X, None, WIDTH))).tolist()
    dataset.unpersist()


def test_predictions_are_those_of_the_learner(rows: Any, model: RegretlessModel) -> None:
    """Labels and scores have the bits of the learner's own, beside all other columns as they were."""
    table = model.transform(rows).drop("features").orderBy("place").toArrow()
    X, _ = separable()
    scores = model.to_local().decision_function(X)
    assert table["prediction"].to_pylist() == model.to_local().predict(X).tolist()
    raw = np.array([value["values"] for value in table["rawPrediction"].to_pylist()])
    assert raw.tobytes() == np.column_stack([-scores, scores]).tobytes()
    assert table.drop_columns(["prediction", "rawPrediction"]).equals(rows.drop("features").orderBy("place").toArrow())
    first = rows.orderBy("place").first().features
    assert model.predict(first) == table["prediction"][0].as_py()
    assert model.predictRaw(first).toArray().tolist() == raw[0].tolist()
    assert (model.numClasses, model.numFeatures) == (2, WIDTH)


def test_empty_partitions_take_no_part(model: RegretlessModel, rows: Any) -> None:
    """Partitions without rows change no bit of the result."""
    gaps = rows.where("place < 0").union(rows)
    there = RegretlessClassifier(epochs=2, weights="updates").fit(gaps)
    assert same(there.learner, model.learner)
    assert there.mixture.names == ["partition 3", "partition 4", "partition 5"]


def test_workers_are_as_many_as_asked_for(rows: Any) -> None:
    """Every row lands in one of num_workers partitions, and in the same one, at the same place, each time."""
    results = []
    for _ in range(2):
        with Partitions(rows, "features", "label", 2) as dealt:
            assert sum(shard.rows for shard in dealt.shards) == rows.count()
            results.append(dealt.frame.withColumn("p", F.spark_partition_id()).collect())
            assert dealt.frame.storageLevel.useMemory
    assert {row.p for row in results[0]} == {0, 1}
    assert results[0] == results[1]
    with Partitions(rows, "features", "label", 3) as same_number:
        names = [shard.name for shard in same_number.shards]
    assert names == ["partition 0", "partition 1", "partition 2"]


def test_a_mixture_goes_on_from_its_checkpoint(rows: Any, model: RegretlessModel, tmp_path: Path) -> None:
    """One epoch, and then two from the checkpoint of that one, are two epochs bit for bit."""
    path = str(tmp_path / "run.rgl")
    RegretlessClassifier(epochs=1, weights="updates", checkpoint=path).fit(rows)
    again = RegretlessClassifier(epochs=2, weights="updates", checkpoint=path).fit(rows)
    assert same(again.learner, model.learner)
    assert same(regretless.load(path), model.learner)


def test_a_fit_is_of_its_own_rows(rows: Any, tmp_path: Path) -> None:
    """A checkpoint of other rows is refused by the name of the partition, and so is one that is finished."""
    path = str(tmp_path / "run.rgl")
    RegretlessClassifier(checkpoint=path).fit(rows)
    other = rows.withColumn("label", 1 - F.col("label"))
    with pytest.raises(RegretlessError, match="partition 0 has other rows than those that were learned from"):
        RegretlessClassifier(epochs=2, checkpoint=path).fit(other)
    with pytest.raises(RegretlessError, match=r"run\.rgl is finished: load it, or give another name"):
        RegretlessClassifier(checkpoint=path).fit(rows)


def test_certificates_are_those_of_the_same_partitions_here(rows: Any, model: RegretlessModel) -> None:
    """Certificates over Spark's partitions have the numbers of certificates over the same rows in this process."""
    here = mix(AveragedPerceptron(), parts(separable(), rows), epochs=2, weights="updates").certify()
    there = model.certify(rows)
    assert there
    assert [(one.theorem.name, one.bound, one.observed) for one in there] == [
        (one.theorem.name, one.bound, one.observed) for one in here
    ]
    with pytest.raises(RegretlessError, match="the model learned from 3 partitions of"):
        model.certify(rows.where("place > 20"))


def test_classes_that_spark_found_are_not_announced(rows: Any) -> None:
    """Three labels that a look at the frame tells count as met once a partition that plays together with others, as
    they do where nobody looked."""
    three = rows.withColumn("label", (F.col("place") % 3).cast("double"))
    for together, met in ((None, 9), (1, 3)):
        learner = RegretlessClassifier(learner="perceptron", together=together).fit(three).mixture.learner
        assert (learner.classes_.tolist(), learner.unannounced_) == ([0.0, 1.0, 2.0], met)
    result = RegretlessClassifier(learner="multiclass-perceptron").fit(three).to_local()
    assert not result.certify_risk()[0].applies


# ---- files and pipelines


def test_a_model_is_one_file_that_everybody_reads(rows: Any, model: RegretlessModel, tmp_path: Path) -> None:
    """A path that ends in .rgl is a model file of regretless, which keeps the columns and is not replaced unasked."""
    path = tmp_path / "model.rgl"
    named = model.copy().setParams(prediction_col="guess", features_col="array")
    named.save(str(path))
    assert same(regretless.load(str(path)), model.learner)
    again = RegretlessModel.load(str(path))
    assert (again.getPredictionCol(), again.getFeatures(), again.getLabelCol()) == ("guess", "array", "label")
    assert again.mixture is not None
    assert again.mixture.names == model.mixture.names
    with pytest.raises(RegretlessError, match=r"there is something already; write\(\)\.overwrite\(\)"):
        model.save(str(path))
    model.write().overwrite().save(str(path))
    assert RegretlessModel.load(str(path)).getFeatures() == "features"


def test_the_command_line_predicts_with_it(session: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`regretless predict` gives a table's rows the labels that the data frame's rows get."""
    from regretless.cli import main

    names = [f"x{i}" for i in range(WIDTH)]
    dataset = frame(session)
    model = RegretlessClassifier(learner=Perceptron(), features_col=names).fit(dataset)
    model.save(str(tmp_path / "m.rgl"))
    rows = dataset.orderBy("place").select(*names, "label").toArrow().to_pylist()
    lines = [",".join([*names, "label"]), *(",".join(map(repr, row.values())) for row in rows)]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    assert main(["predict", str(tmp_path / "m.rgl"), str(tmp_path / "rows.csv"), "--target", "label"]) == 0
    predicted = model.transform(dataset).orderBy("place").toArrow()["prediction"].to_pylist()
    assert [float(line) for line in capsys.readouterr().out.split()] == predicted


def test_it_is_a_stage_of_a_pipeline(rows: Any, tmp_path: Path) -> None:
    """A pipeline with it can be saved, fitted, saved when fitted, and predicts the same when read again; what is saved
    knows its class by its public name."""
    assembler = VectorAssembler(inputCols=["x0", "x1", "x2", "x3"], outputCol="together")
    learner = OnlineGradientDescent(loss="logistic", rate=0.5)
    stages = [assembler, RegretlessClassifier(learner=learner, features_col="together")]
    Pipeline(stages=stages).write().overwrite().save(str(tmp_path / "unfitted"))
    pipeline = Pipeline.load(str(tmp_path / "unfitted"))
    assert pipeline.getStages()[1].made_learner().get_params() == learner.get_params()
    fitted = pipeline.fit(rows)
    fitted.write().overwrite().save(str(tmp_path / "fitted"))
    again = PipelineModel.load(str(tmp_path / "fitted"))
    assert same(again.stages[1].learner, fitted.stages[1].learner)
    assert again.stages[1].mixture.names == fitted.stages[1].mixture.names
    values = [one.transform(rows).orderBy("place").select("prediction").collect() for one in (fitted, again)]
    assert values[0] == values[1]
    metadata = [
        next((tmp_path / name / "stages").glob("1_*/metadata/part-*")).read_text() for name in ("unfitted", "fitted")
    ]
    assert [json.loads(one)["class"] for one in metadata] == [
        "regretless.distributed.spark.RegretlessClassifier",
        "regretless.distributed.spark.RegretlessModel",
    ]
    (inside,) = (tmp_path / "fitted" / "stages").glob("1_*/model.rgl")
    assert same(regretless.load(str(inside)), fitted.stages[1].learner)


# ---- parameters


def test_both_manners_name_the_same_parameters() -> None:
    """XGBoost's names set Spark's parameters; a learner is kept as its name and what is not as it comes."""
    own = {"ties": -1}
    ours = RegretlessClassifier(
        features_col=["a", "b"], label_col="y", num_workers=4, learner=Perceptron(**own), epochs=3
    )
    theirs = RegretlessClassifier(
        featuresCol=["a", "b"],
        labelCol="y",
        numWorkers=4,
        learner={"learner": "perceptron", "parameters": own},
    ).setParams(epochs=3)
    values = [{p.name: v for p, v in one.extractParamMap().items()} for one in (ours, theirs)]
    assert values[0] == values[1]
    assert ours.getFeatures() == ["a", "b"]
    assert ours.setFeaturesCol("c").getFeatures() == "c"
    assert ours.copy({ours.epochs: 5}).chosen("epochs") == 5
    assert ours.chosen("epochs") == 3
    assert "how often all rows are played" in ours.explainParams()


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"learner": "perceptrom"}, "no learner called 'perceptrom'"),
        ({"learner": 3}, "3 is no learner"),
        ({"label_col": "a", "labelCol": "b"}, "one parameter"),
    ],
)
def test_parameters_without_a_meaning_are_refused(inputs: dict[str, Any], message: str) -> None:
    """What cannot be set is an error when it is set."""
    with pytest.raises((TypeError, RegretlessError), match=message):
        RegretlessClassifier(**inputs)


# ---- what cannot be used


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"features_col": "nowhere"}, "there is no column 'nowhere' (features); there are: place, features"),
        ({"label_col": "nowhere"}, "there is no column 'nowhere' (label)"),
        ({"features_col": "word"}, "column 'word' holds string"),
        ({"label_col": "features"}, "column 'features' holds vectors: labels are"),
        ({"features_col": ["x0", "word"]}, "column 'word' holds string: in a list of columns all must be numeric"),
        ({"features_col": ["x0", "label"]}, "'label' cannot be the label and a feature"),
        ({"label_col": "x0"}, "column 'x0'"),
        ({"epochs": 0}, "epochs"),
        ({"num_workers": 0}, "numWorkers"),
        ({"weights": "some"}, "weights"),
        ({"learner": "voted-perceptron"}, "voted"),
    ],
)
def test_what_cannot_be_learned_from_is_named(rows: Any, inputs: dict[str, Any], message: str) -> None:
    """The error says which column or setting it is and what was found, and is none of Java's."""
    with pytest.raises(RegretlessError) as error:
        RegretlessClassifier(**inputs).fit(rows)
    assert message in str(error.value)
    assert "java" not in str(error.value).lower()


@pytest.mark.parametrize(
    ("column", "changed", "message"),
    [
        ("features", "case when place != 7 then features end", "column 'features' holds null or NaN in 1 rows"),
        ("label", "if(place == 7, double('NaN'), label)", "column 'label' holds null or NaN in 1 rows"),
        ("label", "1.0D", "column 'label' holds one class only (1.0)"),
        ("label", "label + 0.5D", "column 'label': Unknown label type: continuous"),
        ("array", "if(place == 7, slice(array, 1, 2), array)", "column 'array' holds arrays of 2 and of 4 numbers"),
    ],
)
def test_labels_and_features_that_cannot_be_used_are_counted(
    rows: Any, column: str, changed: str, message: str
) -> None:
    """Nulls, labels that are no classes and features of several widths are found before anything is played."""
    dataset = rows.withColumn(column, F.expr(changed))
    with pytest.raises(RegretlessError) as error:
        RegretlessClassifier(features_col="array" if column == "array" else "features").fit(dataset)
    assert message in str(error.value)


def test_no_rows_are_an_error(rows: Any) -> None:
    """A data frame whose partitions are all empty is refused."""
    with pytest.raises(RegretlessError, match="no rows: there is nothing to learn from"):
        RegretlessClassifier().fit(rows.where("place < 0"))


def test_not_a_number_is_found_where_it_stands(rows: Any) -> None:
    """Not a number among the features is an error with its partition, column, row and place."""
    changed = rows.withColumn("array", F.expr("array(1.0D, if(place == 7, double('NaN'), x0))"))
    expected = r"^partition \d: column 'array', row \d+ \(counted from 0\): nan at place 1; only finite"
    with pytest.raises(RegretlessError, match=expected):
        RegretlessClassifier(features_col="array").fit(changed)


def test_what_is_no_frame_of_spark_is_refused(model: RegretlessModel) -> None:
    """A frame of pandas is refused by its kind, in fitting, predicting and certifying."""
    pandas = pytest.importorskip("pandas").DataFrame({"features": [1.0], "label": [0.0]})
    for use in (RegretlessClassifier().fit, model.transform, model.certify):
        with pytest.raises(RegretlessError, match=r"this is a pandas DataFrame; spark\.createDataFrame"):
            use(pandas)


def test_narrow_vectors_are_refused_before_anything_runs(rows: Any, model: RegretlessModel) -> None:
    """Where a column says how wide its vectors are, other widths than the model's are an error of `transform`."""
    for inputs in (["x0", "x1"], ["x0", "x1", "x2", "x3"]):
        made = VectorAssembler(inputCols=inputs, outputCol="made").transform(rows)
        named = model.copy().setParams(features_col="made")
        if len(inputs) == WIDTH:
            assert named.transform(made).count() == rows.count()
            continue
        with pytest.raises(RegretlessError, match="column 'made' has 2 features, but the model knows 4"):
            named.transform(made)


def test_a_column_that_is_there_already_is_not_replaced(rows: Any, model: RegretlessModel) -> None:
    """Predictions do not overwrite a column, and another name helps; an empty name gives none."""
    with pytest.raises(RegretlessError, match="there is a column 'label' already"):
        model.copy().setParams(prediction_col="label").transform(rows)
    bare = model.copy().setParams(prediction_col="guess", raw_prediction_col="")
    assert bare.transform(rows).columns == [*rows.columns, "guess"]
