"""Models as graphs of ONNX, where what predicts is a product of weights and rows."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..errors import MissingError, RegretlessError
from ..learner_table import LEARNERS
from ..rows.one_row import divides_rows

__all__ = ["to_onnx"]

OPSET, IR = 17, 8  # of 2022: what runs models need not be new
PRODUCTS = ("weights", "average")  # what predicts labels by one product


def to_onnx(learner: Any) -> Any:
    """A fitted learner as a model of ONNX that predicts as it does.

    The input ``X`` has shape (rows, features), double precision, a column for each feature of the learner; the names of
    these, where it knows them, stand in the metadata under ``features``. Of labels the outputs are ``label`` and
    ``scores``, shape (rows, targets), as `decision_function` gives them, and ``probabilities``, shape (rows, 2), of
    two labels where the scores are log odds; of numbers the output is ``forecast``, shape (rows,).

    Parameters
    ----------
    learner : learner of labels or of numbers
        One whose scores are X @ coef_.T + intercept_: a learner of labels that predicts by its last or its mean
        weights, or gradient descent of numbers.

    Returns
    -------
    onnx.ModelProto

    Raises
    ------
    RegretlessError
        If it is no such learner, predicts in another way, learned from rows that were divided by their lengths, or
        learned nothing yet.
    MissingError
        If the package `onnx` is missing.

    Examples
    --------
    >>> from regretless.linear import Perceptron
    >>> learner = Perceptron().fit([[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    >>> [output.name for output in to_onnx(learner).graph.output]
    ['label', 'scores']
    """
    refuse_other(learner)
    try:
        import onnx
    except ImportError as error:
        raise MissingError.of_extra("models of ONNX need the package onnx", "onnx", "onnx") from error
    graph = _Graph(onnx)
    weights = np.atleast_2d(learner.coef_)
    graph.constant("weights", weights.T)
    graph.constant("bias", np.atleast_1d(learner.intercept_))
    if learner.kind == "regression":
        _forecast(graph, learner)
    else:
        _labels(graph, learner)
    return graph.model(learner, weights.shape[1])


def refuse_other(learner: Any) -> None:
    """Refuse what does not predict by a product.

    Raises
    ------
    RegretlessError
    """
    kind, name = getattr(learner, "kind", None), getattr(learner, "name", type(learner).__name__)
    if isinstance(learner, type) or kind not in ("linear", "regression"):
        raise RegretlessError(f"{name} predicts no rows of features; export takes models of learn")
    learner._require_fitted()
    if divides_rows(vars(learner).get("schema_")):
        raise RegretlessError(f"{name} learned from rows of length 1 (--normalize), which no product of rows gives")
    by = learner.info.predicts_by if kind == "linear" else "members or a matrix"
    product = by in PRODUCTS if kind == "linear" else learner.product and not learner.played_rules().counts
    if not product:
        raise RegretlessError(
            f"{name} does not predict by one product of weights and rows, but by its {by}; "
            f"those that do are {', '.join(name for name, one in LEARNERS.items() if one.info.predicts_by in PRODUCTS)}"
        )


class _Graph:
    """Nodes and constants of a graph, in the order in which they are made."""

    def __init__(self, onnx: Any) -> None:
        self._onnx = onnx
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._outputs: list[Any] = []

    def constant(self, name: str, value: np.ndarray[Any, Any]) -> None:
        if value.dtype.kind == "U":
            words = [word.encode() for word in value.tolist()]
            made = self._onnx.helper.make_tensor(name, self._onnx.TensorProto.STRING, value.shape, words)
        else:
            made = self._onnx.numpy_helper.from_array(np.ascontiguousarray(value), name)
        self._constants.append(made)

    def node(self, operation: str, inputs: list[str], output: str, **attributes: Any) -> None:
        self._nodes.append(self._onnx.helper.make_node(operation, inputs, [output], **attributes))

    def output(self, name: str, dtype: np.dtype[Any], *shape: int | str) -> None:
        word = dtype.kind == "U"
        kind = self._onnx.TensorProto.STRING if word else self._onnx.helper.np_dtype_to_tensor_dtype(dtype)
        self._outputs.append(self._onnx.helper.make_tensor_value_info(name, kind, list(shape)))

    def model(self, learner: Any, columns: int) -> Any:
        helper = self._onnx.helper
        rows = helper.make_tensor_value_info("X", self._onnx.TensorProto.DOUBLE, ["rows", columns])
        graph = helper.make_graph(self._nodes, learner.name, [rows], self._outputs, self._constants)
        model = helper.make_model(graph, producer_name="regretless", opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR
        names = learner._feature_names()
        if names is not None:
            helper.set_model_props(model, {"features": json.dumps(names)})
        self._onnx.checker.check_model(model)
        return model


def _labels(graph: _Graph, learner: Any) -> None:
    """Scores, and the labels that they say: by their sign, or by the largest of them."""
    targets, classes = len(learner.coef_), learner.classes_
    graph.node("Gemm", ["X", "weights", "bias"], "scores")
    graph.constant("classes", classes)
    if targets > 1:
        graph.node("ArgMax", ["scores"], "place", axis=1, keepdims=0)
    else:
        graph.constant("zero", np.zeros(1))
        graph.constant("target", np.array([1], dtype=np.int64))
        graph.node("GreaterOrEqual" if learner.rules().tie >= 0 else "Greater", ["scores", "zero"], "positive")
        graph.node("Cast", ["positive"], "places", to=7)  # 64-bit whole numbers
        graph.node("Squeeze", ["places", "target"], "place")
    graph.node("Gather", ["classes", "place"], "label")
    graph.output("label", classes.dtype, "rows")
    graph.output("scores", np.dtype(float), "rows", targets)
    if targets == 1 and learner.scores_are_log_odds:
        graph.node("Sigmoid", ["scores"], "of_positive")
        graph.constant("one", np.ones(1))
        graph.node("Sub", ["one", "of_positive"], "of_negative")
        graph.node("Concat", ["of_negative", "of_positive"], "probabilities", axis=1)
        graph.output("probabilities", np.dtype(float), "rows", 2)


def _forecast(graph: _Graph, learner: Any) -> None:
    """The forecast, within the range of the outcomes so far."""
    low, high = learner.range_
    graph.constant("low", np.array(low))
    graph.constant("high", np.array(high))
    graph.constant("target", np.array([1], dtype=np.int64))
    graph.node("Gemm", ["X", "weights", "bias"], "products")
    graph.node("Clip", ["products", "low", "high"], "within")
    graph.node("Squeeze", ["within", "target"], "forecast")
    graph.output("forecast", np.dtype(float), "rows")
