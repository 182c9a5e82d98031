"""The alarm on what the answers of a served model cost, and how an address is told of it.

It is a function of the log: of the answers in the order of their labels. Where larger losses count as some number, an
alarm with a stated reference promises what it says of the losses themselves, too: where these do not exceed it in
expectation, the smaller ones that count do not either. A reference from earlier labels is a limit of what counted of
their losses. Later losses may be less in expectation than those were, and what counts of them more; so the promise is
then about what counts.
"""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any, Self

from ..alarms.column import ColumnAlarm
from ..alarms.watch import Watch
from ..errors import RegretlessError
from ..persist.validation import fits
from .logs import ServiceLog
from .served import MINUS_REWARD, MISTAKES, Charges
from .store import Event
from .wire import write_json

ALARM = "alarm"  # the key of it, in what is saved beside the learner
TIMEOUT, ATTEMPTS, FIRST_WAIT = 10.0, 6, 1.0  # seconds; the wait doubles


class LiveAlarm:
    """A watch on the charges of answers.

    Attributes
    ----------
    settings : mapping
        Those of `regretless.alarms.Watch` that it was begun with, and the name of what is watched as its `column`.
    charges : Charges
    watch : Watch
    why : str or None
        Why it watches nothing: nothing could exceed what the labels for the reference showed.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings, self.why = dict(settings), None  # type: dict[str, Any], str | None
        of_watch = dict(settings)
        name = of_watch.pop("column", MISTAKES.name)
        self.watch = Watch([name], **of_watch)
        self.charges = Charges(name, *self.watch.value_range)

    @classmethod
    def begun(cls, event: Event) -> Self | None:
        """The alarm that an event of the log begins, if it is not the end of one."""
        settings = json.loads(event.answer)
        return None if settings is None else cls(settings)

    def add(self, charges: Sequence[float]) -> list[ColumnAlarm]:
        """Take in further answers; the alarms that they raise."""
        if self.why is not None or not charges:
            return []
        try:
            return self.watch.add(self.charges.within(charges))
        except RegretlessError as error:
            self.why = str(error)
            return []

    @property
    def promise(self) -> str:
        """The bound on false alarms, in a sentence, and of which losses it is if not of the losses themselves."""
        low, high = self.watch.value_range
        stated = self.watch.reference is not None and low != -high  # where no loss counts as more than it is
        if stated or not self.charges.clipped:
            return self.watch.promise
        return f"{self.watch.promise}; of losses as they count, from {low:g} to {high:g}, not of the losses themselves"

    def describe(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {"settings": self.settings, "watch": self.watch.state_dict(), "why": self.why}

    @classmethod
    def read(cls, described: Mapping[str, Any]) -> Self:
        """What `describe` gave.

        Raises
        ------
        ModelError
            If it does not fit together.
        """
        with fits("what the model says of its alarm"):
            alarm = cls(described["settings"])
            alarm.watch, alarm.why = Watch.from_state(described["watch"]), described["why"]
        return alarm


def settings_of(charges: Charges, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of an alarm as they are written down.

    Parameters
    ----------
    charges : Charges
        What is watched.
    settings : mapping
        Those of `regretless.alarms.Watch`; of rewards the reference is the smallest mean that is no alarm.
    """
    if charges == MISTAKES:
        return dict(settings)
    reference = settings["reference"]
    if charges.name == MINUS_REWARD and reference is not None:
        reference = -reference
    more = {"column": charges.name, "value_range": [charges.low, charges.high]}
    return {**settings, "reference": reference, **more}


async def tell(url: str, alarm: dict[str, Any], log: ServiceLog, wait: float = FIRST_WAIT) -> None:
    """Post an alarm as JSON, again where that failed."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            await asyncio.to_thread(_post, url, write_json(alarm))
        except (OSError, ValueError) as error:
            log.error("alert failed", model=alarm["model"], attempt=attempt, reason=str(error))
            await asyncio.sleep(wait * 2 ** (attempt - 1))
        else:
            log.info("alert sent", model=alarm["model"], label=alarm["label"])
            return


def _post(url: str, body: bytes) -> None:
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        answer.read(1)
