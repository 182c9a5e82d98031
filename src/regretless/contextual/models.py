"""The regressions of the arms: made, begun at the middle of the range, kept in a file and read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from .. import _core
from ..catalogue import DEFAULT_REGRESSOR, class_of
from ..errors import ParameterError
from ..persist.validation import one, plain
from ..regression.base import OnlineRegressor

Array = np.ndarray[Any, Any]
MIDDLE = 0.5  # of the range of losses: arms that were never drawn are all expected to lose as much


def regressor_of(regressor: Any) -> OnlineRegressor:
    """What each arm's regression is a copy of; Vovk, Azoury and Warmuth's forecaster where none is named.

    Raises
    ------
    ParameterError
        If it is no learner of numbers, or forecasts something else than a mean.
    """
    if regressor is None:
        return cast(OnlineRegressor, class_of("regression", DEFAULT_REGRESSOR)())
    if not isinstance(regressor, OnlineRegressor):
        raise ParameterError("regressor", repr(regressor), "a learner of regretless.regression is expected")
    if not regressor.rules().charged.squares:
        raise ParameterError("regressor", repr(regressor), "one of the square loss is expected, which forecasts means")
    return regressor


def begun(regressor: OnlineRegressor, columns: int) -> OnlineRegressor:
    """A copy that has learned nothing but that losses lie between 0 and 1, and scores within a limit of their middle.

    Outcomes are measured from the first one, which teaches nothing else: it is the middle of the range, for all arms.
    """
    limit = float(_core.LOGISTIC_LIMIT) if regressor.rules().charged.outcomes == "shares" else MIDDLE
    model = type(regressor)(**regressor.get_params())
    model.begin(columns)
    model.update_one(np.zeros(columns), MIDDLE)
    model.state_.put("low", -limit)
    model.state_.put("high", limit)
    return model


def described(regressor: OnlineRegressor | None) -> dict[str, Any] | None:
    """A regressor's name and parameters as JSON values."""
    if regressor is None:
        return None
    parameters = {name: plain(value) for name, value in regressor.get_params().items()}
    return {"name": regressor.name, "parameters": parameters}


def regressor_from(description: Any) -> OnlineRegressor | None:
    """The regressor that was described so."""
    if description is None:
        return None
    parts = one(description, dict, "regressor")
    kind = class_of("regression", one(parts["name"], str, "the name of the regressor"))
    return regressor_of(kind(**one(parts["parameters"], dict, "the parameters of the regressor")))


def states_of(models: list[OnlineRegressor]) -> tuple[list[dict[str, Any]], dict[str, Array]]:
    """What the models have learned: a description of each, and the arrays of all, named by the number of the arm."""
    states = [model.state_dict() for model in models]
    arrays = {f"{arm}.{name}": array for arm, (_, own) in enumerate(states) for name, array in own.items()}
    return [description for description, _ in states], arrays


def restored(
    regressor: OnlineRegressor, descriptions: Any, columns: int, tensors: Mapping[str, Array]
) -> list[OnlineRegressor]:
    """The models that `states_of` described.

    Raises
    ------
    ValueError
        If they do not fit together.
    """
    models = []
    for arm, description in enumerate(one(descriptions, list, "the regressions")):
        own = {name.partition(".")[2]: array for name, array in tensors.items() if name.partition(".")[0] == str(arm)}
        parts = one(description, dict, "a regression") | {"parameters": regressor.get_params()}
        model = type(regressor).from_state(parts, own)
        if model.state_.columns != columns:
            raise ValueError("a regression has other columns than the rows")
        models.append(model)
    return models
