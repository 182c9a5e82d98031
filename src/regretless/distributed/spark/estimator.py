"""The estimator for pipelines of pyspark.ml."""

from __future__ import annotations

from typing import Any

from pyspark import keyword_only
from pyspark.ml.classification import Classifier
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable

from ...catalogue import DEFAULT_OVER_SHARDS
from ...checks import one_of, whole
from ..learner_adapter import refuse
from ..messages import WEIGHTINGS
from ..mixing import Mixing
from .model import RegretlessModel
from .params import NAMES, MixingParams
from .survey import Partitions


class RegretlessClassifier(MixingParams, Classifier, DefaultParamsReadable, DefaultParamsWritable):  # type: ignore[misc]
    """Learns from the partitions of a data frame, where they are, by iterative parameter mixing.

    In every epoch each partition plays its rows from the same weights, in the order in which it holds them; then the
    weights are averaged. Only weights and counts travel. The result has the bits of `regretless.distributed.mix` on
    the same partitions. Works in classic sessions and through Spark Connect.

    Parameters
    ----------
    learner : str or OnlineClassifier
        The name of a learner, or one with its parameters; it is not changed.
    featuresCol : str or list of str
        A column of pyspark.ml vectors or of arrays of numbers; or numeric columns, whose names the model then knows.
    labelCol : str
        Numbers, truth values or strings.
    predictionCol : str
        Predicted labels: doubles where labels are numbers, else of the labels' type. An empty name: none.
    rawPredictionCol : str
        Vectors of scores, one a class. An empty name: none.
    epochs : int, optional
        By default as many as the learner makes passes.
    weights : {"uniform", "updates", "rows"}
        What a partition's weights count in the mean.
    numWorkers : int, optional
        How many partitions there shall be; rows are dealt out anew if there are more or fewer (see `Partitions`).
    together : int, optional
        How many partitions play before their weights are mixed; by default all of them.
    checkpoint : str, optional
        A file of the driver, written after every epoch; a fit of the same rows that was stopped goes on from it. One
        that is finished is refused.
    features_col, label_col, prediction_col, raw_prediction_col, num_workers
        The same in XGBoost's manner.

    Raises
    ------
    RegretlessError
        From `fit`, if a column is missing or holds what cannot be used; it is named.
    """

    __module__ = "regretless.distributed.spark"  # saved pipelines name it by this, wherever the code is

    @keyword_only  # type: ignore[untyped-decorator]
    def __init__(
        self,
        *,
        learner: Any = DEFAULT_OVER_SHARDS,
        featuresCol: Any = None,
        labelCol: str | None = None,
        predictionCol: str | None = None,
        rawPredictionCol: str | None = None,
        epochs: int | None = None,
        weights: str | None = None,
        numWorkers: int | None = None,
        together: int | None = None,
        checkpoint: str | None = None,
        features_col: Any = None,
        label_col: str | None = None,
        prediction_col: str | None = None,
        raw_prediction_col: str | None = None,
        num_workers: int | None = None,
    ) -> None:
        super().__init__()
        self._setDefault(learner=DEFAULT_OVER_SHARDS, weights="uniform")
        self._take(self._input_kwargs)

    def setParams(self, **parameters: Any) -> RegretlessClassifier:
        """Set parameters, under either name."""
        self._take(parameters)
        return self

    def setFeaturesCol(self, value: Any) -> RegretlessClassifier:
        """Set the column of the features, or the columns."""
        return self.setParams(featuresCol=value)

    def _fit(self, dataset: Any) -> RegretlessModel:
        learner, weights = self.made_learner(), self.getOrDefault("weights")
        refuse(learner)
        one_of("weights", weights, WEIGHTINGS)
        epochs, workers, together = map(self._count, ("epochs", "numWorkers", "together"))
        with Partitions(dataset, self.getFeatures(), self.getLabelCol(), workers) as rows:
            run = Mixing(
                learner,
                list(rows.shards),
                rows.engine,
                epochs=learner.most_passes if epochs is None else epochs,
                weights=weights,
                together=together,
                known_labels=rows.classes,  # in the rows: they were not declared
                checkpoint=self.chosen("checkpoint"),
                unfinished=True,
            )
            mixture = run.play()
        model = RegretlessModel(mixture.learner, mixture)
        model._resetUid(self.uid)
        for name in NAMES:
            if self.isSet(name):
                model._set(**{name: self.getOrDefault(name)})
        return model

    def _count(self, name: str) -> int | None:
        result = self.chosen(name)
        return None if result is None else whole(name, result)
