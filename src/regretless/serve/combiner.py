"""Combiners as they are served: forecasts of experts now, the outcome later."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..errors import ModelError, RegretlessError
from .events import Event
from .served import Refused, Served, ServedAnswer
from .wire import is_number, shown, write_json

Array = np.ndarray[Any, Any]


class ServedCombiner(Served):
    """A combiner of experts, which remembers by which weights a forecast was made until its outcome comes."""

    moves: ClassVar[bool] = True
    forgets: ClassVar[bool] = True

    def __init__(self, learner: Any, extra: Mapping[str, Any]) -> None:
        super().__init__(learner, extra)
        if learner.loss is None or callable(learner.loss):
            raise ModelError("a combiner of bare losses is not served: there is nothing to forecast; use a bandit")
        if extra.get("interval") is not None:
            self.schema = None  # intervals belong to the run that made them

    def read(self, value: Any) -> bytes:
        names = self.learner.names()
        if type(value) is dict:
            unknown = sorted(set(value) - set(names))
            if unknown:
                raise Refused(f"there is no expert {unknown[0]!r}; there are {', '.join(names[:20])}")
            value = [value.get(name) for name in names]
        if type(value) is not list or len(value) != len(names):
            raise Refused(
                f"forecasts of {len(names)} experts are expected, as a list or by their names; {shown(value)}"
            )
        width = self.learner._known().width
        for one in value:
            parts = one if type(one) is list else [one]
            if one is not None and not (len(parts) == width and all(map(is_number, parts))):
                many = "a finite number" if width == 1 else f"a list of {width} finite numbers"
                raise Refused(f"a forecast is {many}, or null of an expert who is silent; {shown(one)}")
        stored = write_json(value)
        try:
            self.learner._round(self._advice(stored))  # what the kernel would refuse; nothing is moved
        except RegretlessError as error:
            raise Refused(str(error)) from error
        return stored

    def _advice(self, stored: bytes) -> Array:
        width = self.learner._known().width
        silent = float("nan") if width == 1 else [float("nan")] * width
        return np.array([silent if one is None else one for one in json.loads(stored)], dtype=np.float64)

    def predict(self, inputs: Sequence[bytes]) -> list[ServedAnswer]:
        return [self._predicted(stored) for stored in inputs]

    def _predicted(self, stored: bytes) -> ServedAnswer:
        forecast = self.learner.predict(self._advice(stored))
        return ServedAnswer({"forecast": np.asarray(forecast).tolist()}, forecast.ticket)

    def read_label(self, value: Any, event: Event) -> Any:
        width = self.learner._known().width
        if self.learner.loss == "wealth":
            if value is not None:
                raise Refused(f"wealth needs no outcome but null; {shown(value)}")
            return None
        low, high = self.learner.value_range or (-np.inf, np.inf)
        parts = value if type(value) is list and width > 1 else [value]
        if not all(is_number(one) and low <= one <= high for one in parts) or len(parts) not in (1, width):
            where = "" if self.learner.value_range is None else f" from {low:g} to {high:g}"
            many = f"a number{where}" if width == 1 else f"a class, or a list of {width} numbers{where}"
            raise Refused(f"the outcome is {many}; {shown(value)}")
        return value

    def learn(self, rounds: Sequence[tuple[Event, Any]]) -> dict[int, str]:
        refused = {}
        for place, (event, label) in enumerate(rounds):
            try:
                self.learner.update(event.ticket, label)
            except RegretlessError as error:
                self.learner.withdraw(event.ticket)
                refused[place] = str(error)
        return refused

    def expire(self, event: Event, label: Any) -> None:
        if label is not None:
            raise ModelError("a label that did not come is learned by bandits alone")
        self.learner.withdraw(event.ticket)

    def judge(self, event: Event, answer: Mapping[str, Any], label: Any) -> tuple[bool | None, float | None]:
        return None, None  # the learner's own ledger is about its forecasts as they were answered

    def weights(self) -> list[tuple[str, float]]:
        return list(zip(map(str, self.learner.names()), self.learner.weights.tolist(), strict=True))

    def sums(self) -> tuple[int, float, float]:
        ledger = self.learner.ledger_
        return int(ledger.rounds), float(ledger.mistakes), float(ledger.loss)

    def value_of(self, stored: bytes) -> Any:
        return json.loads(stored)

    def describe(self) -> dict[str, Any]:
        return {
            "input": "a list of forecasts in the order of the experts, or an object by their names; null is silent",
            "experts": self.learner.names(),
            "labels": "outcomes",
        }
