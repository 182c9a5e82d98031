"""Learners of rows as they are served: labels or numbers from features."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence, Set
from itertools import groupby
from math import exp, inf, log
from typing import Any, ClassVar

import numpy as np

from ..data.batch import Array, Batch
from ..data.messages import listed
from ..data.names import all_names
from ..errors import ModelError, RegretlessError, RowError, did_you_mean
from ..rows.one_row import FEATURE, RowAsTable, divides_rows, is_table, named_row, read_as_features
from ..run.competitors import LossRecorder
from .served import MISTAKES, Charges, Judgement, Refused, Served, ServedAnswer, loss_words
from .store import Event
from .wire import is_number, shown, write_json

DENSE = b"doubles:"  # what an input begins with that is a row of doubles; any other is a JSON object
MOST_WEIGHTS = 20  # on the page
LARGEST = 1e70  # outcome
SMALLEST = 2.3e-308  # share whose logarithm is known: smaller ones have few digits, or none
NAMED = 20  # classes or columns in a message
MOST_FEATURES = 2**20  # with those that words became


class ServedRows(Served):
    """What learners of labels and of numbers share."""

    moves: ClassVar[bool] = False

    def __init__(self, learner: Any, extra: Mapping[str, Any]) -> None:
        super().__init__(learner, extra)
        form = (self.schema or {}).get("format")
        if form == "table":
            learner.schema_ = self.schema
        elif divides_rows(self.schema) or not read_as_features(self.schema):
            what = "hashed, multiplied or divided by their lengths"
            raise ModelError(f"rows of numbered features that are {what} cannot be served; learn a table")
        self._numbered = all_names(self.schema, learner.state_.columns) if form == "svmlight" and self.schema else None
        if not hasattr(learner, "state_"):
            raise ModelError("the model has no columns yet")
        self._columns = None if self._numbered is not None else _columns_of(learner, self.schema)

    # ---- inputs

    def read(self, value: Any) -> bytes:
        if type(value) is list:
            if divides_rows(self.schema):
                raise Refused("an object of values by their names is expected: each row is divided by its length")
            return DENSE + self._dense(value).astype("<f8", copy=False).tobytes()
        if type(value) is not dict:
            raise Refused(f"a row is a list of numbers, or an object of values by their names; {shown(value)}")
        for name, one in value.items():
            if not (is_number(one) or type(one) is str):
                raise Refused(f"{name!r}: a finite number or a text is expected; {shown(one)}")
        self._named(value, learns=False)
        if self._columns is not None and not value.keys() <= self._columns:
            value = self._known_of(value, self._columns)
        return write_json(value)

    def _known_of(self, value: Mapping[str, Any], columns: Set[str]) -> dict[str, Any]:
        """What the model knows of a record; other names are refused where a column is missing: they are misspelt."""
        others = [name for name in value if name not in columns and FEATURE.split(name)[0] not in columns]
        target = (self.schema or {}).get("target")
        if target in others:
            raise Refused(f"{target!r} is the target, which is sent as the label and not with the row")
        if others and not columns <= value.keys():
            near = did_you_mean(others[0], columns)
            raise Refused(f"the model has no column {others[0]!r}; {near}it learned from {listed(sorted(columns))}")
        return {name: one for name, one in value.items() if name not in others}

    def _dense(self, value: list[Any]) -> Array:
        columns = self.learner.state_.columns
        if not set(map(type, value)) <= {int, float}:
            wrong = next(one for one in value if type(one) not in (int, float))
            raise Refused(f"a row is a list of numbers; {shown(wrong)}")
        if len(value) != columns:
            raise Refused(
                f"a row of {columns:,} numbers is expected; {len(value):,} were found{self._of_words(columns)}"
            )
        try:
            row = np.array(value, dtype=np.float64)
        except OverflowError:
            row = np.array([np.inf])
        if not np.isfinite(row).all():
            raise Refused("numbers must be finite, and one is not")
        return row

    def _of_words(self, features: int) -> str:
        """Why a row has more numbers than the table had columns, where it had words."""
        if self._columns is None or len(self._columns) >= features:
            return ""
        return f"; {len(self._columns)} columns have these, one for each word: send an object of values by their names"

    def _named(self, value: Mapping[str, Any], *, learns: bool) -> Array | RowAsTable:
        """A row by names, as the learner takes it."""
        try:
            if self._numbered is not None:
                return named_row(value, self._numbered, None, learns=False)
            row: Array | RowAsTable = self.learner._row_of(value, learns=learns)
            return row
        except RegretlessError as error:
            raise Refused(str(error)) from error

    def _row(self, stored: bytes, *, learns: bool = False) -> Array | RowAsTable:
        if not stored.startswith(DENSE):
            return self._named(json.loads(stored), learns=learns)
        row = _doubles(stored)
        short = self.learner.state_.columns - len(row)
        if short < 0:
            raise Refused(f"a row of {self.learner.state_.columns:,} numbers is expected; {len(row):,} were found")
        return row if short <= 0 else np.append(row, np.zeros(short))  # columns that came since

    def value_of(self, stored: bytes) -> Any:
        return _doubles(stored).tolist() if stored.startswith(DENSE) else json.loads(stored)

    def batch(self, stored: Sequence[bytes], labels: Array | None) -> Batch:
        """Rows as one batch, by the columns that the learner has now; names it does not know contribute nothing."""
        from ..rows.validation import read_rows

        rows = []
        for one in stored:
            row = self._row(one)
            if isinstance(row, RowAsTable):
                read = read_rows(row, learner=self.learner, reset=False, in_order=False, text="known")
                row = _dense_of(read, self.learner.state_.columns)
            rows.append(row)
        columns = self.learner.state_.columns
        return Batch(np.array(rows, dtype=np.float64).reshape(len(rows), columns), labels, columns)

    # ---- predictions

    def predict(self, inputs: Sequence[bytes]) -> list[ServedAnswer]:
        row = self._row(inputs[0]) if len(inputs) == 1 else None
        if type(row) is np.ndarray:
            return self._answers(self.learner.scores_one(row))
        return self._answers(self.learner.scores(self.batch(inputs, None)))

    @abstractmethod
    def _answers(self, scores: Array) -> list[ServedAnswer]:
        """What is answered to rows with these scores."""

    # ---- learning

    def learn(self, rounds: Sequence[tuple[Event, Any]]) -> dict[int, str]:
        refused: dict[int, str] = {}
        rows: list[tuple[int, Any, Any]] = []
        for place, (event, label) in enumerate(rounds):
            try:
                rows.append((place, self._row(event.input, learns=True), label))
            except Refused as error:  # it was predicted by another learner
                refused[place] = str(error)
        for plain, group in groupby(rows, key=lambda one: type(one[1]) is np.ndarray):
            if plain:
                self._learn_plain(list(group), refused)
                continue
            for place, _, label in group:
                row = self._row(rounds[place][0].input, learns=True)  # by the names as they are known by now
                columns = self.learner.state_.columns
                if isinstance(row, RowAsTable) and columns >= MOST_FEATURES:
                    refused[place] = f"the model has {columns:,} features, and words become no more than these"
                    continue
                try:
                    self.learner.partial_fit(row if isinstance(row, RowAsTable) else row[None], self.labels([label]))
                except RegretlessError as error:
                    refused[place] = str(error)
        return refused

    def _learn_plain(self, rows: list[tuple[int, Any, Any]], refused: dict[int, str]) -> None:
        columns = self.learner.state_.columns
        while rows:
            values = np.array([_padded(row, columns) for _, row, _ in rows]).reshape(len(rows), columns)
            try:
                self.learner.observe(Batch(values, self.labels([label for _, _, label in rows]), columns))
                return
            except RowError as error:
                refused[rows[error.row][0]] = error.why
                rows = rows[error.row + 1 :]

    @abstractmethod
    def labels(self, labels: list[Any]) -> Array:
        """Labels as the learner takes them."""

    def expire(self, event: Event, label: Any) -> None:
        if label is not None:
            raise ModelError("a label that did not come is learned by bandits alone")

    # ---- description

    def weights(self) -> list[tuple[str, float]]:
        weights = np.atleast_2d(self.learner.coef_)
        names = self._numbered or self.learner._feature_names()
        targets = [f" → {label}" for label in self._classes_shown()] if len(weights) > 1 else [""]
        sizes = np.abs(weights).ravel()
        chosen = np.argsort(-sizes, kind="stable")[:MOST_WEIGHTS]
        places = [divmod(int(one), weights.shape[1]) for one in chosen if sizes[one] > 0]
        return [
            (f"{column if names is None else names[column]}{targets[target]}", float(weights[target, column]))
            for target, column in places
        ]

    def _classes_shown(self) -> list[Any]:
        """The classes that have weights of their own."""
        return []

    def describe(self) -> dict[str, Any]:
        learner = self.learner
        names = self._numbered or learner._feature_names()
        columns = (self.schema or {}).get("columns") if (self.schema or {}).get("format") == "table" else None
        return {
            "input": "a list of numbers in the order of the features, or an object of values by their names",
            "features": learner.state_.columns,
            "names": names if names is None or len(names) <= 1000 else None,
            "columns": [{"name": one["name"], "kind": one["kind"]} for one in columns] if columns else None,
        }


def _columns_of(learner: Any, schema: Mapping[str, Any] | None) -> Set[str] | None:
    """The names that a row may have, besides those of features that are made of these; None if there are none."""
    if is_table(schema):
        return frozenset(column["name"] for column in (schema or {})["columns"])
    names = learner._feature_names()
    return None if names is None else frozenset([*names, *(FEATURE.split(name)[0] for name in names)])


def _doubles(stored: bytes) -> Array:
    return np.frombuffer(stored, dtype="<f8", offset=len(DENSE)).astype(np.float64)  # a copy, which is aligned


def _padded(row: Array, columns: int) -> Array:
    return row if len(row) == columns else np.append(row, np.zeros(columns - len(row)))


def _dense_of(batch: Batch, columns: int) -> Array:
    row = np.zeros(columns)
    if batch.starts is None or batch.indices is None:
        row[: batch.values.shape[1]] = batch.values[0]
    else:
        row[batch.indices] = batch.values
    return row


class ServedClassifier(ServedRows):
    """A learner of labels."""

    def __init__(self, learner: Any, extra: Mapping[str, Any]) -> None:
        super().__init__(learner, extra)
        self._text = learner.classes_.dtype.kind == "U"
        self._known: dict[Any, Any] = {}
        self._shown: list[Any] = []
        self._names: list[str] = []
        self._tie, self._has_shares = learner.rules().tie, learner.has_probabilities

    def _classes(self) -> dict[Any, Any]:
        """The classes as JSON values, by what they are to the learner."""
        if len(self._known) != len(self.learner.classes_):
            self._known = {one: plain_label(one) for one in self.learner.classes_.tolist()}
            self._shown = list(self._known.values())
            self._names = [str(one) for one in self._shown]
        return self._known

    def _answers(self, scores: Array) -> list[ServedAnswer]:
        self._classes()
        if len(scores) == 1 and len(self._shown) == 2:
            return [self._answer_of_two(float(scores[0, 0]))]
        learner, classes = self.learner, self._known
        labels = [classes[label] for label in learner.labels(scores).tolist()]
        shares = learner.probabilities(scores).tolist() if self._has_shares else scores.tolist()
        return [ServedAnswer({"label": label, **self._more(row)}) for label, row in zip(labels, shares, strict=True)]

    def _answer_of_two(self, score: float) -> ServedAnswer:
        """The answer to one row, of two classes: what is asked most, without arrays."""
        label = self._shown[score > 0 or (score == 0 and self._tie >= 0)]
        if not self._has_shares:
            return ServedAnswer({"label": label, "scores": [score]})
        odds = exp(-abs(score))
        larger, smaller = 1 / (1 + odds), odds / (1 + odds)
        return ServedAnswer({"label": label, **self._more([smaller, larger] if score > 0 else [larger, smaller])})

    def _more(self, row: list[float]) -> dict[str, Any]:
        return {"probabilities": dict(zip(self._names, row, strict=True))} if self._has_shares else {"scores": row}

    def read_label(self, value: Any, event: Event) -> Any:
        expected = type(value) is str if self._text else is_number(value)
        if not expected or value not in self._classes():
            names = ", ".join(map(repr, list(self._classes().values())[:NAMED]))
            more = "" if len(self._classes()) <= NAMED else " and others"
            raise Refused(f"the label is one of {names}{more}; {shown(value)}")
        return plain_label(value)

    def _classes_shown(self) -> list[Any]:
        return list(self._classes().values())

    def labels(self, labels: list[Any]) -> Array:
        return np.array(labels) if self._text else np.array(labels, dtype=np.float64)

    @property
    def judges_mistakes(self) -> bool:
        return True

    @property
    def judges_loss(self) -> bool:
        return bool(self.learner.counts_log_loss)

    @property
    def charges(self) -> Charges:
        return MISTAKES

    def judge(self, event: Event, answer: Mapping[str, Any], label: Any) -> Judgement:
        loss = None
        if self.judges_loss:
            share = answer.get("probabilities", {}).get(str(label), 0.0)  # none of another learner that answered
            loss = -log(share) if share >= SMALLEST else None
        mistake = answer["label"] != label
        return Judgement(mistake, loss, float(mistake))

    def learn_compared(self, rounds: Sequence[tuple[Event, Any]]) -> tuple[dict[int, str], dict[int, float]]:
        self.learner.on_scores = watch = LossRecorder(self.learner)
        try:
            refused = self.learn(rounds)
        finally:
            self.learner.on_scores = None
        learned = [place for place in range(len(rounds)) if place not in refused]
        wrong = watch.losses().wrong.tolist() if learned else []
        return refused, dict(zip(learned, map(float, wrong), strict=True))

    def sums(self) -> tuple[int, float, float]:
        ledger = self.learner.ledger_
        return int(ledger.rounds), float(ledger.mistakes), float(ledger.loss)

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "labels": list(self._classes().values())}


def plain_label(label: Any) -> Any:
    """A label as JSON value: whole numbers without a point."""
    return int(label) if isinstance(label, float) and label.is_integer() else label


class ServedRegressor(ServedRows):
    """A learner of numbers."""

    def __init__(self, learner: Any, extra: Mapping[str, Any]) -> None:
        super().__init__(learner, extra)
        self._begun = self.sums()[0] > 0

    def _answers(self, scores: Array) -> list[ServedAnswer]:
        return [ServedAnswer({"forecast": forecast}) for forecast in scores[:, 0].tolist()]

    def read_label(self, value: Any, event: Event) -> Any:
        counts = self.learner.played_rules().counts
        if not is_number(value) or abs(value) > LARGEST or (counts and value < 0):
            raise Refused(f"the outcome is a number{' of at least 0' if counts else ''}; {shown(value)}")
        return float(value)

    def labels(self, labels: list[Any]) -> Array:
        return np.array(labels, dtype=np.float64)

    @property
    def judges_loss(self) -> bool:
        return bool(self.learner.played_rules().charged.squares)

    @property
    def charges(self) -> Charges:
        rules = self.learner.played_rules()
        return Charges(f"{loss_words(rules.loss, rules.tau if rules.charged.parameter else None)} loss", 0.0, inf)

    def judge(self, event: Event, answer: Mapping[str, Any], label: Any) -> Judgement:
        begun, self._begun = self._begun or self.sums()[0] > 0, True
        if not begun:  # from the first outcome the others are measured; it is charged to nobody
            return Judgement(None, 0.0 if self.judges_loss else None)
        charge = self._lost(answer["forecast"], label)
        return Judgement(None, (answer["forecast"] - label) ** 2 if self.judges_loss else None, charge)

    def _lost(self, forecast: float, outcome: float) -> float:
        with np.errstate(all="ignore"):  # of a mean of counts that is 0 as a float
            return float(self.learner.played_rules().lost_by(np.array([forecast]), np.array([outcome]))[0])

    def learn_compared(self, rounds: Sequence[tuple[Event, Any]]) -> tuple[dict[int, str], dict[int, float]]:
        refused: dict[int, str] = {}
        charges: dict[int, float] = {}
        for place, (event, label) in enumerate(rounds):
            begun = self.sums()[0] > 0
            try:
                (answer,) = self.predict([event.input])
            except RegretlessError as error:
                refused[place] = str(error)
                continue
            charge = self._lost(answer.values["forecast"], label)
            if why := self.learn([(event, label)]):
                refused[place] = why[0]
            elif begun:
                charges[place] = charge
        return refused, charges

    def sums(self) -> tuple[int, float, float]:
        ledger = self.learner.ledger_
        return int(self.learner.state_.books[0, 0]), 0.0, float(ledger.loss)

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "labels": "numbers"}
