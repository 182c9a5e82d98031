"""What a server is started with: a model and its log, and beside them a second learner and an alarm.

From its first label on what is beside the model is in the log.
"""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import RegretlessError
from .alarm import LiveAlarm, settings_of
from .certificates import refuse_rows
from .live import Live
from .replay import begin, restored, store_of
from .settings import Settings
from .shadow import fitting, span_of
from .store import SHADOWED, WATCHED, Event, Snapshot, State, Store, digest
from .wire import write_json

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
