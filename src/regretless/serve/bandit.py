"""Bandits as they are served: an arm is drawn now, its loss comes later."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..errors import RegretlessError
from .events import Event
from .served import Refused, Served, ServedAnswer
from .wire import is_number, shown, write_json

KEYS = {"available", "advice"}


class ServedBandit(Served):
    """A bandit, which remembers with what probability an arm was drawn until its loss comes."""

    moves: ClassVar[bool] = True

    def read(self, value: Any) -> bytes:
        value = {} if value is None else value
        if type(value) is not dict or not set(value) <= KEYS:
            raise Refused(f"what may be sent is null, or an object with available or advice; {shown(value)}")
        try:
            self.learner.probabilities(**value)
        except (RegretlessError, TypeError, ValueError, OverflowError, IndexError) as error:
            raise Refused(str(error)) from error
        return write_json(value)

    def predict(self, inputs: Sequence[bytes]) -> list[ServedAnswer]:
        return [self._drawn(json.loads(stored)) for stored in inputs]

    def _drawn(self, conditions: Mapping[str, Any]) -> ServedAnswer:
        draw = self.learner.draw(**conditions)
        return ServedAnswer({"arm": draw.name, "probability": draw.probability}, draw.ticket, draw.probability)

    def read_label(self, value: Any, event: Event) -> Any:
        low, high = self.learner._scale.low, self.learner._scale.high
        informed = self.learner.info.informed
        parts = value if informed and type(value) is list else [value]
        arms = self.learner.n_arms_ if informed else 1
        noun = "reward" if self.learner.rewards else "loss"
        fit = len(parts) == arms and all(
            (is_number(one) and low <= one <= high) or (informed and one is None) for one in parts
        )
        if not fit:
            many = f"a list of {arms} numbers" if informed else "a number"
            raise Refused(f"the {noun} is {many} from {low:g} to {high:g}; {shown(value)}")
        return value

    def _loss(self, label: Any) -> Any:
        return [float("nan") if one is None else one for one in label] if type(label) is list else label

    def learn(self, rounds: Sequence[tuple[Event, Any]]) -> dict[int, str]:
        refused = {}
        for place, (event, label) in enumerate(rounds):
            try:
                self.learner.update(ticket=event.ticket, loss=self._loss(label))
            except RegretlessError as error:
                self.learner.withdraw(ticket=event.ticket)
                refused[place] = str(error)
        return refused

    def expire(self, event: Event, label: Any) -> None:
        if label is None:
            self.learner.withdraw(ticket=event.ticket)
        else:
            self.learner.update(ticket=event.ticket, loss=self._loss(label))

    def judge(self, event: Event, answer: Mapping[str, Any], label: Any) -> tuple[bool | None, float | None]:
        return None, label if is_number(label) else None

    def weights(self) -> list[tuple[str, float]]:
        return list(zip(map(str, self.learner.names()), self.learner.probabilities().tolist(), strict=True))

    def sums(self) -> tuple[int, float, float]:
        return int(self.learner.rounds_), 0.0, float(self.learner.total_)

    def value_of(self, stored: bytes) -> Any:
        return json.loads(stored)

    def describe(self) -> dict[str, Any]:
        return {
            "input": "null, or an object with available, the arms that may be drawn, or advice",
            "arms": self.learner.names(),
            "labels": f"{'rewards' if self.learner.rewards else 'losses'} from {self.learner._scale.low:g} to "
            f"{self.learner._scale.high:g}",
        }
