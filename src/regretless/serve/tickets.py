"""Combiners and bandits as they are served: a forecast or a draw now, the outcome or the loss later, by its ticket."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from math import inf, isnan
from typing import Any, ClassVar

import numpy as np

from ..bandits.validation import mask_of
from ..errors import ModelError, RegretlessError
from ..experts.losses import WITHOUT_OUTCOME, Loss, named_loss
from ..experts.validation import outcomes_of
from .served import MINUS_REWARD, Charges, Judgement, Refused, Served, ServedAnswer, loss_words
from .store import Event
from .wire import is_number, shown, write_json

Array = np.ndarray[Any, Any]
KEYS = {"available", "advice"}  # of what a draw may be asked with


class ServedByTicket(Served):
    """A learner that remembers its predictions until their labels come, each by a ticket."""

    moves: ClassVar[bool] = True

    @abstractmethod
    def _predicted(self, value: Any) -> ServedAnswer:
        """The answer to an input, as JSON value."""

    @abstractmethod
    def _update(self, ticket: int | None, label: Any) -> None:
        """Learn the label of a prediction."""

    @abstractmethod
    def _withdraw(self, ticket: int | None) -> None:
        """Give up a prediction."""

    def predict(self, inputs: Sequence[bytes]) -> list[ServedAnswer]:
        return [self._predicted(json.loads(stored)) for stored in inputs]

    def learn(self, rounds: Sequence[tuple[Event, Any]]) -> dict[int, str]:
        refused = {}
        for place, (event, label) in enumerate(rounds):
            ticket = None
            try:
                ticket = event.ticket if self._answered(event) else self._predicted(self.value_of(event.input)).ticket
                self._update(ticket, label)
            except RegretlessError as error:
                if ticket is not None:
                    self._withdraw(ticket)
                refused[place] = str(error)
        return refused

    def _answered(self, event: Event) -> bool:
        """Whether an answer is its own; if not, it predicts for itself just before it learns the label."""
        return self.answers_since is not None and event.version >= self.answers_since

    def step_back(self) -> None:
        super().step_back()
        for ticket in self.learner.pending_:
            self._withdraw(ticket)

    def value_of(self, stored: bytes) -> Any:
        return json.loads(stored)


class ServedCombiner(ServedByTicket):
    """A combiner of experts, which remembers by which weights a forecast was made until its outcome comes."""

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
                f"forecasts of {len(names):,} experts are expected, as a list or by their names; {shown(value)}"
            )
        width = self.learner.width_
        for one in value:
            parts = one if type(one) is list else [one]
            if one is not None and not (len(parts) == width and all(map(is_number, parts))):
                many = "a finite number" if width == 1 else f"a list of {width} finite numbers"
                raise Refused(f"a forecast is {many}, or null of an expert who is silent; {shown(one)}")
        try:
            self.learner.forecast(self._advice(value))  # what the kernel would refuse; nothing is moved
        except RegretlessError as error:
            raise Refused(str(error)) from error
        return write_json(value)

    def _advice(self, value: list[Any]) -> Array:
        width = self.learner.width_
        silent = float("nan") if width == 1 else [float("nan")] * width
        return np.array([silent if one is None else one for one in value], dtype=np.float64)

    def _predicted(self, value: Any) -> ServedAnswer:
        forecast = self.learner.predict(self._advice(value))
        return ServedAnswer({"forecast": np.asarray(forecast).tolist()}, forecast.ticket)

    def read_label(self, value: Any, event: Event) -> Any:
        width = self.learner.width_
        if self.learner.loss in WITHOUT_OUTCOME:
            if value is not None:
                raise Refused(f"{self.learner.loss} needs no outcome but null; {shown(value)}")
            return None
        low, high = self.learner.value_range or (-np.inf, np.inf)
        parts = value if type(value) is list and width > 1 else [value]
        if not all(is_number(one) and low <= one <= high for one in parts) or len(parts) not in (1, width):
            where = "" if self.learner.value_range is None else f" from {low:g} to {high:g}"
            many = f"a number{where}" if width == 1 else f"a class, or a list of {width} numbers{where}"
            raise Refused(f"the outcome is {many}; {shown(value)}")
        return value

    def _update(self, ticket: int | None, label: Any) -> None:
        self.learner.update(ticket, label)

    def _withdraw(self, ticket: int | None) -> None:
        self.learner.withdraw(ticket)

    def expire(self, event: Event, label: Any) -> None:
        if label is not None:
            raise ModelError("a label that did not come is learned by bandits alone")
        if self._answered(event):
            self._withdraw(event.ticket)

    @property
    def charges(self) -> Charges:
        loss = self._loss()
        name = f"{loss_words(loss.name, loss.parameter)} loss"
        return Charges(name, -inf if loss.of_relatives else 0.0, loss.span(False, self.learner.width_) or inf)

    def _loss(self) -> Loss:
        return named_loss(self.learner.loss, self.learner.tau, self.learner.value_range)

    def judge(self, event: Event, answer: Mapping[str, Any], label: Any) -> Judgement:
        # The learner's own ledger is about its forecasts as they were answered.
        return Judgement(charge=self._lost(answer["forecast"], label))

    def _lost(self, forecast: Any, outcome: Any) -> float | None:
        """What a forecast lost; None beside an outcome that the learner does not take."""
        loss, width = self._loss(), self.learner.width_
        if width == 1:
            lost = float(loss.of(forecast, 1.0 if outcome is None else outcome))
        else:
            try:
                vector = outcomes_of(np.asarray(outcome)[None], 1, width, classes=True)[0]
            except RegretlessError:
                return None
            lost = float(loss.of_vectors(forecast, vector))
        return None if isnan(lost) else lost

    def learn_compared(self, rounds: Sequence[tuple[Event, Any]]) -> tuple[dict[int, str], dict[int, float]]:
        refused, charges = {}, {}
        for place, (event, label) in enumerate(rounds):
            try:
                before = self.learner.forecast(self._advice(self.value_of(event.input)))
            except RegretlessError as error:
                refused[place] = str(error)
                continue
            if why := self.learn([(event, label)]):
                refused[place] = why[0]
            elif (charge := self._lost(before, label)) is not None:
                charges[place] = charge
        return refused, charges

    def weights(self) -> list[tuple[str, float]]:
        return list(zip(map(str, self.learner.names()), self.learner.weights.tolist(), strict=True))

    def sums(self) -> tuple[int, float, float]:
        ledger = self.learner.ledger_
        return int(ledger.rounds), float(ledger.mistakes), float(ledger.loss)

    def describe(self) -> dict[str, Any]:
        many, ends = self.learner.width_, self.learner.value_range
        where = "" if ends is None else f" from {ends[0]:g} to {ends[1]:g}"
        classes = f"classes from 0 to {many - 1}, or lists of {many} numbers{where}"
        return {
            "input": "a list of forecasts in the order of the experts, or an object by their names; null is silent",
            "experts": self.learner.names(),
            "labels": f"outcomes{where}" if many == 1 else classes,
        }


class ServedBandit(ServedByTicket):
    """A bandit, which remembers with what probability an arm was drawn until its loss comes."""

    takes_default: ClassVar[bool] = True

    def _informed(self) -> bool:
        """Whether a label may be the losses of all arms."""
        return bool(self.learner.info.informed)

    def read(self, value: Any) -> bytes:
        value = {} if value is None else value
        if type(value) is not dict or not set(value) <= KEYS:
            raise Refused(f"what may be sent is null, or an object with available or advice; {shown(value)}")
        try:
            self.learner.probabilities(**value)
        except (RegretlessError, TypeError, ValueError, OverflowError, IndexError) as error:
            raise Refused(str(error)) from error
        return write_json(value)

    def _predicted(self, value: Any) -> ServedAnswer:
        draw = self.learner.draw(**value)
        return ServedAnswer({"arm": draw.name, "probability": draw.probability}, draw.ticket, draw.probability)

    def read_label(self, value: Any, event: Event) -> Any:
        low, high = map(float, self.learner.value_range)
        informed = self._informed()
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

    def _update(self, ticket: int | None, label: Any) -> None:
        loss = [float("nan") if one is None else one for one in label] if type(label) is list else label
        self.learner.update(ticket=ticket, loss=loss)

    def _withdraw(self, ticket: int | None) -> None:
        self.learner.withdraw(ticket=ticket)

    def expire(self, event: Event, label: Any) -> None:
        if label is None:
            self._withdraw(event.ticket)
        else:
            self._update(event.ticket, label)

    @property
    def charges(self) -> Charges:
        low, high = map(float, self.learner.value_range)
        return Charges(MINUS_REWARD, -high, -low) if self.learner.rewards else Charges("loss", low, high)

    def judge(self, event: Event, answer: Mapping[str, Any], label: Any) -> Judgement:
        sign = -1.0 if self.learner.rewards else 1.0
        drawn = label[list(map(str, self.learner.names())).index(str(answer["arm"]))] if type(label) is list else label
        return Judgement(None, label if is_number(label) else None, None if drawn is None else sign * drawn)

    def weights(self) -> list[tuple[str, float]]:
        return list(zip(map(str, self.learner.names()), self.learner.probabilities().tolist(), strict=True))

    def sums(self) -> tuple[int, float, float]:
        return int(self.learner.rounds_), 0.0, float(self.learner.total_)

    def describe(self) -> dict[str, Any]:
        low, high = map(float, self.learner.value_range)
        return {
            "input": "null, or an object with available, the arms that may be drawn, or advice",
            "arms": self.learner.names(),
            "labels": f"{'rewards' if self.learner.rewards else 'losses'} from {low:g} to {high:g}",
        }


class ServedContextual(ServedBandit):
    """A contextual bandit, which draws an arm for a row of features."""

    def __init__(self, learner: Any, extra: Mapping[str, Any]) -> None:
        super().__init__(learner, extra)
        features = (self.schema or {}).get("features")
        if features is None:
            fault = "the model does not say how many features a row has, as one does that was begun with --schema"
            raise ModelError(f"{fault}; name a new MODEL, with --learner and --schema")
        self._features: int = features

    def _informed(self) -> bool:
        return False

    def read(self, value: Any) -> bytes:
        value = {"features": value} if type(value) is list else value
        if type(value) is not dict or not {"features"} <= set(value) <= {"features", "available"}:
            raise Refused(f"a list of numbers is expected, or an object with features and available; {shown(value)}")
        rows = value["features"] if self.learner.shared else [value["features"]]
        fits = type(rows) is list and 1 <= len(rows) <= self.learner.n_arms_ and len(set(map(type, rows))) == 1
        if not fits or not all(map(self._is_row, rows)):
            raise Refused(f"features are {self._row_words()}; {shown(value['features'])}")
        try:
            if self.learner.rounds_:  # before, the first row makes the regressions
                self.learner.probabilities(value["features"], value.get("available"))
            elif "available" in value:
                mask_of(value["available"], self.learner.arm_names_, self.learner.n_arms_)
        except (RegretlessError, TypeError, ValueError, OverflowError, IndexError) as error:
            raise Refused(str(error)) from error
        return write_json(value)

    def _is_row(self, value: Any) -> bool:
        if type(value) is dict and self.learner.hash_bits is not None:
            return all(type(one) is str or is_number(one) for one in value.values())
        return type(value) is list and len(value) == self._features and all(map(is_number, value))

    def _row_words(self) -> str:
        row = f"a list of {self._features} finite numbers"
        row += "" if self.learner.hash_bits is None else " or an object of numbers and texts by their names"
        return f"for each of at most {self.learner.n_arms_:,} arms {row}" if self.learner.shared else row

    def _predicted(self, value: Any) -> ServedAnswer:
        draw = self.learner.act(value["features"], value.get("available"))
        return ServedAnswer({"arm": draw.name, "probability": draw.probability}, draw.number, draw.probability)

    def _update(self, ticket: int | None, label: Any) -> None:
        self.learner.learn(ticket, label)

    def _withdraw(self, ticket: int | None) -> None:
        self.learner.withdraw(ticket)

    def weights(self) -> list[tuple[str, float]]:
        return []

    def describe(self) -> dict[str, Any]:
        row = self._row_words()
        return {
            **super().describe(),
            "input": f"{row}, or an object with features, which are such, and available, the arms that may be drawn",
            "features": self._features,
        }
