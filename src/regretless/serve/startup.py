"""What a server is started with: a model, perhaps a new one, and its log; beside them a second learner and an alarm.

From its first label on what is beside the model is in the log.
"""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..catalogue import Kind
from ..errors import RegretlessError
from .alarm import LiveAlarm, settings_of
from .certificates import refuse_rows
from .databases import store_of
from .live import Live
from .replay import begin, restored
from .settings import Settings
from .shadow import fitting, span_of
from .store import SHADOWED, WATCHED, Event, Snapshot, State, Store, digest
from .wire import write_json

KEYS: dict[Kind, tuple[str, ...]] = {
    "linear": ("features", "columns", "classes"),
    "regression": ("features", "columns"),
    "experts": ("experts",),
    "bandits": ("arms",),
    "contextual": ("arms", "features"),
}
KINDS = ("number", "boolean", "text")  # of columns
MOST = 2**20  # features, experts or arms
UNUSED = "--rows {rows} is not read: the log was pruned, so that no certificate can be on the rows before it"


@dataclass(slots=True)
class Opened:
    """A model and its store, ready to be served.

    Attributes
    ----------
    store : Store
        Opened, and held by this process.
    live : Live
        The model as the log has it.
    where : str or Path
        The address of the store.
    rows : str or None
        The file of the rows that the model had learned before.
    note : str or None
        What the operator should know.
    """

    store: Store
    live: Live
    where: str | Path
    rows: str | None = None
    note: str | None = None


def open_model(
    path: Path, where: str | Path, settings: Settings, shadow: Path | None = None, rows: str | None = None
) -> Opened:
    """Open the store of a model, and build the model as the log has it.

    Parameters
    ----------
    path : Path
        The model file that the log begins with.
    where : str or Path
        The address of the store.
    settings : Settings
    shadow : Path, optional
        The model file of a second learner, which learns the same labels.
    rows : str, optional
        The file of the rows that the model had learned before.

    Raises
    ------
    RegretlessError
        If the store cannot be opened, another process holds it, it began with another model, or what is beside the
        model does not fit it.
    """
    model = path.read_bytes()
    other = None if shadow is None else (shadow.stem, shadow.read_bytes())
    new = isinstance(where, Path) and not where.exists()
    if new:  # what is refused leaves no file of a log
        _refuse_first(Live.of(Snapshot(0, 0, clock.time(), model), str(path)), settings, other, rows)
    store = store_of(where)
    store.open()
    try:
        begin(store, model, str(path), clock.time())
        live = restored(store)
        _refuse_settings(live, settings)
        # A pruned log must start by the same command: it may be a service's.
        unused = rows is not None and store.begins_after() > 0
        if rows is not None and not new and not unused:
            refuse_rows(rows, Live.of(store.snapshots()[0], str(path)))
        set_shadow(store, live, path.stem, other, settings.most_loss, clock.time())
        set_alarm(store, live, alarm_of(live, settings), clock.time())
    except BaseException:
        store.close()
        raise
    return Opened(store, live, where, rows, UNUSED.format(rows=rows) if unused else None)


def _refuse_first(live: Live, settings: Settings, shadow: tuple[str, bytes] | None, rows: str | None) -> None:
    """Refuse what does not fit a model that was not served before."""
    _refuse_settings(live, settings)
    alarm_of(live, settings)
    if shadow is not None:
        fitting(shadow[1], shadow[0], live.served)
        span_of(live.served, settings.most_loss)
    if rows is not None:
        refuse_rows(rows, live)


def _refuse_settings(live: Live, settings: Settings) -> None:
    """Refuse settings that the model cannot go by."""
    name = live.served.learner.name
    if live.served.moves and not settings.log_predictions:
        raise RegretlessError(f"--no-log-predictions: a prediction of {name} moves it, and must be written down")
    if settings.default_loss is not None:
        if not live.served.takes_default:
            raise RegretlessError(f"--default-loss is for bandits, and the model is of {name}")
        live.served.read_label(settings.default_loss, None)  # type: ignore[arg-type]


def set_shadow(
    store: Store, live: Live, name: str, shadow: tuple[str, bytes] | None, most: float | None, time: float
) -> None:
    """Write to the log that a second learner begins, or that there is none now, unless the log has it so already.

    Parameters
    ----------
    store : Store
        Opened.
    live : Live
        The model as the log has it.
    name : str
        Of the model.
    shadow : (str, bytes), optional
        The name of the second learner, and its model file.
    most : float, optional
        As which larger losses count in the comparison.
    time : float
        In seconds since 1970.

    Raises
    ------
    RegretlessError
        If the second learner cannot learn beside the model.
    """
    there = None if live.shadow is None else (live.shadow.origin, live.shadow.comparison.span)
    other, model = ("", b"") if shadow is None else shadow
    span = None if shadow is None else span_of(live.served, most)
    if there == (None if shadow is None else (digest(model), None if span is None else tuple(span))):
        return
    if model:
        fitting(model, other, live.served)
    names: dict[str, Any] = {"served": name, "shadow": other if other != name else f"{other} 2"}
    if span is not None:
        names["span"] = span
    _note(store, live, SHADOWED, model, names, time)


def set_alarm(store: Store, live: Live, settings: Mapping[str, Any] | None, time: float) -> None:
    """Write to the log that an alarm begins, or that there is none now, unless the log has it so already.

    Parameters
    ----------
    store : Store
        Opened.
    live : Live
        The model as the log has it.
    settings : mapping, optional
        As `alarm_of` gives them.
    time : float
        In seconds since 1970.
    """
    if (None if live.alarm is None else live.alarm.settings) != settings:
        _note(store, live, WATCHED, b"", settings, time)


def alarm_of(live: Live, settings: Settings) -> dict[str, Any] | None:
    """Settings of the alarm on the answers of a model as the log has them, if there is to be one.

    Raises
    ------
    RegretlessError
        If its losses have no largest value, or the settings are none.
    """
    if settings.alarm is None:
        return None
    charges = live.served.charges.up_to(settings.most_loss, live.served.learner.name)
    described = settings_of(charges, settings.alarm)
    LiveAlarm(described)
    return described


def _note(store: Store, live: Live, state: State, stored: bytes, value: Any, time: float) -> None:
    """Write to the log an event that is no prediction, and let the model know."""
    number, sequence = live.number + 1, live.version + 1
    when = max(time, store.ends()[2])
    id, answer = f"{state}-{sequence}-{number}", write_json(value)
    event = Event(number, id, when, stored, answer, None, None, live.version, state, None, sequence, when)
    store.commit([event], [])
    live.number = number
    live.settle([event])


# ---- a model that has learned nothing yet


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
        fresh = learner.clone(**({"n_arms": many} if names is None else {"arms": names, "n_arms": None}))
        fresh.n_arms_  # noqa: B018 (it makes the state)
        return fresh, {}
    if learner.kind == "contextual":
        return _of_arms_and_features(learner, schema)
    return _of_rows(learner, schema)


def _of_arms_and_features(learner: Any, schema: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A contextual bandit, and how many features there will be, which it learns from its first row only."""
    names, many = _names("arms", schema.get("arms"))
    fresh = type(learner)(**(learner.get_params() | {"n_arms": many, "arms": names}))
    features, bits = _features(schema.get("features")), fresh.hash_bits
    if bits is not None and features != 1 << bits:
        raise RegretlessError(
            f"the schema has {features:,} features; a hash of {bits} bits (hash_bits) has {1 << bits:,}"
        )
    return fresh, {"schema": {"features": features}}


def _of_experts(learner: Any, value: Any) -> Any:
    names, many = _names("experts", value)
    fresh = learner.clone(n_experts=many)
    fresh.weights  # noqa: B018 (it makes the state)
    fresh.expert_names_ = names
    return fresh


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
