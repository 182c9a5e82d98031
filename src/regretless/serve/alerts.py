"""Telling an address of an alarm, once, without holding up anything."""

from __future__ import annotations

import asyncio
import urllib.request
from typing import Any

from .logs import ServiceLog
from .wire import write_json

TIMEOUT, ATTEMPTS, FIRST_WAIT = 10.0, 6, 1.0  # seconds; the wait doubles


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
