"""Parameters of the Spark estimator and its model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasFeaturesCol, HasLabelCol, HasPredictionCol, HasRawPredictionCol

from ...catalogue import learner_class
from ...linear.base import OnlineClassifier

SNAKES = {
    "features_col": "featuresCol",
    "label_col": "labelCol",
    "prediction_col": "predictionCol",
    "raw_prediction_col": "rawPredictionCol",
    "num_workers": "numWorkers",
}


def description_of(learner: Any) -> str | dict[str, Any]:
    """A learner as Spark stores it: its name, with the parameters that differ from their defaults.

    Parameters
    ----------
    learner : str, OnlineClassifier, or mapping with the keys "learner" and "parameters"

    Raises
    ------
    TypeError
        If it is something else; Spark turns that into its own error.
    """
    if isinstance(learner, str):
        return str(learner_class(learner).name)
    if isinstance(learner, Mapping):
        return description_of(learner_from(learner))
    if not isinstance(learner, OnlineClassifier):
        raise TypeError(f"{learner!r} is no learner: give the name of one, or one of regretless")
    plain = type(learner)().get_params()
    other = {name: value for name, value in learner.get_params().items() if value != plain[name]}
    return {"learner": learner.name, "parameters": other} if other else learner.name


def learner_from(value: str | Mapping[str, Any]) -> OnlineClassifier:
    """The learner of what `description_of` gave."""
    if isinstance(value, str):
        value = {"learner": value}
    name, parameters = value["learner"], value.get("parameters", {})
    learner: OnlineClassifier = learner_class(name)(**parameters)
    return learner


NAMES = ("featuresCol", "featuresCols", "labelCol", "predictionCol", "rawPredictionCol", "numWorkers")  # of a model


class ColumnParams(HasRawPredictionCol, HasLabelCol, HasFeaturesCol, HasPredictionCol):  # type: ignore[misc]
    """Which columns there are - of features one, or several numeric ones - and in how many partitions."""

    featuresCols: Any = Param(
        Params._dummy(),
        "featuresCols",
        "names of the numeric columns that are the features; used instead of featuresCol where it is set",
        TypeConverters.toListString,
    )
    numWorkers: Any = Param(
        Params._dummy(),
        "numWorkers",
        "how many partitions there shall be; without it, those that the data frame has",
        TypeConverters.toInt,
    )

    def getFeatures(self) -> str | list[str]:
        """The column of the features, or the columns."""
        result: str | list[str] = self.chosen("featuresCols") or self.getFeaturesCol()
        return result

    def chosen(self, name: str) -> Any:
        """The value of a parameter; None if it has none."""
        return self.getOrDefault(name) if self.isDefined(name) else None

    def _take(self, parameters: Mapping[str, Any]) -> None:
        """Set parameters, under either name; a list of columns as `featuresCol` is a list of columns."""
        named: dict[str, Any] = {}
        for name, value in parameters.items():
            spark = SNAKES.get(name, name)
            if not self.hasParam(spark):
                raise TypeError(f"there is no parameter {name!r}; there are: {', '.join(self._param_names())}")
            if spark in named and value is not None:
                raise TypeError(f"{name} and {spark} are one parameter: give it once")
            if value is not None:
                named[spark] = value
        if not isinstance(named.get("featuresCol", ""), str):
            named["featuresCols"] = named.pop("featuresCol")
        elif "featuresCol" in named:
            self.clear(self.featuresCols)
        self._set(**named)

    def _param_names(self) -> list[str]:
        return [param.name for param in self.params]


class MixingParams(ColumnParams):
    """Parameters of mixing: the learner, epochs, weights, groups and the checkpoint."""

    learner: Any = Param(
        Params._dummy(),
        "learner",
        "the learner: its name, or a learner of regretless with its parameters",
        description_of,
    )
    epochs: Any = Param(Params._dummy(), "epochs", "how often all rows are played, at least 1", TypeConverters.toInt)
    weights: Any = Param(
        Params._dummy(),
        "weights",
        "what a partition's weights count in the mean: uniform, updates or rows",
        TypeConverters.toString,
    )
    together: Any = Param(
        Params._dummy(),
        "together",
        "how many partitions play before their weights are mixed; without it, all of them",
        TypeConverters.toInt,
    )
    checkpoint: Any = Param(
        Params._dummy(),
        "checkpoint",
        "a .rgl file of the driver, written after every epoch, which an interrupted run goes on from",
        TypeConverters.toString,
    )

    def made_learner(self) -> OnlineClassifier:
        """The learner that was named."""
        return learner_from(self.getOrDefault("learner"))
