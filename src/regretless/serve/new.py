"""A model that has learned nothing yet, from a learner and a schema of what will be sent to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..catalogue import Kind
from ..errors import RegretlessError

KEYS: dict[Kind, tuple[str, ...]] = {
    "linear": ("features", "columns", "classes"),
    "regression": ("features", "columns"),
    "experts": ("experts",),
    "bandits": ("arms",),
    "contextual": ("arms", "features"),
}
KINDS = ("number", "boolean", "text")  # of columns
MOST = 2**20  # features, experts or arms


def new_model(learner: Any, schema: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A learner that stands ready, and what is saved beside it.

    Parameters
    ----------
    learner : object
        With nothing learned. Of combiners and bandits it is made anew with the number that the schema says.
    schema : mapping
        Of learners of rows ``features``, how many there are, or ``columns``, the kind of each by its name: number,
        boolean or text; of labels also ``classes``. Of combiners ``experts``, of bandits ``arms``: their names, or how
        many there are; of contextual bandits also ``features``.

    Raises
    ------
    RegretlessError
        If the schema is none for this learner.
    """
    keys = KEYS.get(learner.kind)
    if keys is None:
        raise RegretlessError(f"{learner.name} is not served; learners of rows, combiners and bandits are")
    unknown = sorted(set(schema) - set(keys))
    if unknown or not schema:
        fault = f"{unknown[0]!r} was found" if unknown else "it is empty"
        raise RegretlessError(f"the schema of {learner.name} has {' and '.join(keys)}; {fault}")
    if learner.kind == "experts":
        return _of_experts(learner, schema["experts"]), {}
    if learner.kind == "bandits":
        names, many = _names("arms", schema["arms"])
        made = learner.clone(**({"n_arms": many} if names is None else {"arms": names, "n_arms": None}))
        made.n_arms_  # noqa: B018 (it makes the state)
        return made, {}
    if learner.kind == "contextual":
        return _of_arms_and_features(learner, schema)
    return _of_rows(learner, schema)


def _of_arms_and_features(learner: Any, schema: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A contextual bandit, and how many features there will be, which it learns from its first row only."""
    names, many = _names("arms", schema.get("arms"))
    made = type(learner)(**(learner.get_params() | {"n_arms": many, "arms": names}))
    features, bits = _features(schema.get("features")), made.hash_bits
    if bits is not None and features != 1 << bits:
        raise RegretlessError(f"the schema has {features} features; a hash of {bits} bits (hash_bits) has {1 << bits}")
    return made, {"schema": {"features": features}}


def _of_experts(learner: Any, value: Any) -> Any:
    names, many = _names("experts", value)
    made = learner.clone(n_experts=many)
    made.weights  # noqa: B018 (it makes the state)
    made.expert_names_ = names
    return made


def _names(what: str, value: Any) -> tuple[list[str] | None, int]:
    if type(value) is int and 1 <= value <= MOST:
        return None, value
    fit = type(value) is list and 1 <= len(value) <= MOST and all(type(name) is str for name in value)
    if not fit or len(set(value)) < len(value):
        raise RegretlessError(f"{what} of the schema: names, each once, or how many there are")
    return value, len(value)


def _of_rows(learner: Any, schema: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    described, columns = _columns(schema)
    if learner.kind == "linear":
        learner.announce(_classes(schema.get("classes")), columns)
    else:
        learner.begin(columns)
    if described is None:
        return learner, {}
    learner.schema_ = described
    return learner, {"schema": described}


def _columns(schema: Mapping[str, Any]) -> tuple[dict[str, Any] | None, int]:
    """The schema of a table, if columns are named, and how many features there are at first."""
    from ..data.columns import FeatureMap

    if ("features" in schema) == ("columns" in schema):
        raise RegretlessError("the schema says features, how many there are, or columns, the kind of each by its name")
    if "features" in schema:
        return None, _features(schema["features"])
    kinds = schema["columns"]
    if type(kinds) is not dict or not kinds or not all(kind in KINDS for kind in kinds.values()):
        raise RegretlessError(f"columns of the schema: the kind of each by its name, {', '.join(KINDS)}")
    features = FeatureMap()
    features.settle(dict(kinds))
    described = {"format": "table", "target": None, "target_kind": "empty", "missing": "error", **features.schema()}
    return described, sum(kind != "text" for kind in kinds.values())


def _features(value: Any) -> int:
    if type(value) is not int or not 1 <= value <= MOST:
        raise RegretlessError(f"features of the schema: a number from 1 to {MOST:,}")
    return value


def _classes(value: Any) -> Any:
    alike = type(value) is list and len({type(one) is str for one in value}) == 1
    fit = alike and len(set(value)) == len(value) >= 2 and all(type(one) in (str, int, float) for one in value)
    if not fit or not (type(value[0]) is str or np.isfinite(np.array(value, dtype=np.float64)).all()):
        raise RegretlessError("classes of the schema: at least two labels, each once, all texts or all numbers")
    return np.unique(np.array(value) if type(value[0]) is str else np.array(value, dtype=np.float64))
