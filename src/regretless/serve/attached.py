"""What a server is started with beside its model: from its first label on it is in the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import RegretlessError
from .alarm import LiveAlarm
from .events import SHADOWED, WATCHED, Event, State
from .live import Live, digest
from .shadow import fitting
from .store import Store
from .wire import write_json


def set_shadow(store: Store, live: Live, name: str, shadow: tuple[str, bytes] | None, time: float) -> None:
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
    time : float
        In seconds since 1970.

    Raises
    ------
    RegretlessError
        If the second learner cannot learn beside the model.
    """
    origin = None if live.shadow is None else live.shadow.origin
    if origin == (None if shadow is None else digest(shadow[1])):
        return
    other, model = ("", b"") if shadow is None else shadow
    if model:
        fitting(model, other, live.served)
    names = {"served": name, "shadow": other if other != name else f"{other} 2"}
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
        Those of `regretless.alarms.Watch`.
    time : float
        In seconds since 1970.

    Raises
    ------
    RegretlessError
        If answers of the model are no mistakes, or the settings are none.
    """
    if (None if live.alarm is None else live.alarm.settings) == settings:
        return
    refuse_alarm(live, settings)
    _note(store, live, WATCHED, b"", settings, time)


def refuse_alarm(live: Live, settings: Mapping[str, Any] | None) -> None:
    """Refuse an alarm on answers that are no mistakes, and settings that are none."""
    if settings is not None:
        if not live.served.judges_mistakes:
            raise RegretlessError(f"--alarm-reference is for learners of labels; {live.served.learner.name} is none")
        LiveAlarm(settings)


def _note(store: Store, live: Live, state: State, stored: bytes, value: Any, time: float) -> None:
    """Write to the log an event that is no prediction, and let the model know."""
    number, sequence = live.number + 1, live.version + 1
    when = max(time, store.ends()[2])
    id, answer = f"{state}-{sequence}-{number}", write_json(value)
    event = Event(number, id, when, stored, answer, None, None, live.version, state, None, sequence, when)
    store.commit([event], [])
    live.number = number
    live.settle([event])
