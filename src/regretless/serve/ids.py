"""Of requests with one id the second waits until the first is done."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence


class Ids:
    """Ids that requests are at work on: of those that share one, the second waits until the first is done."""

    def __init__(self) -> None:
        self._held: set[str] = set()
        self._waiting: list[asyncio.Future[None]] = []

    async def take(self, ids: Sequence[str]) -> None:
        """Wait until all of them are free, and take them."""
        while not self._held.isdisjoint(ids):
            waiting = asyncio.get_running_loop().create_future()
            self._waiting.append(waiting)
            await waiting
        self._held.update(ids)

    def give(self, ids: Sequence[str]) -> None:
        """Let others have them."""
        self._held.difference_update(ids)
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if not one.done():
                one.set_result(None)
