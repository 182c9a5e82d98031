"""What a server says of itself: one JSON object a line, without inputs."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TextIO


class ServiceLog:
    """Writes lines.

    Parameters
    ----------
    out : TextIO, optional
        Where to; by default standard error.
    """

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = sys.stderr if out is None else out

    def info(self, what: str, **more: Any) -> None:
        """Something happened."""
        self._write("info", what, more)

    def error(self, what: str, **more: Any) -> None:
        """Something went wrong."""
        self._write("error", what, more)

    def _write(self, level: str, what: str, more: dict[str, Any]) -> None:
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        with suppress(OSError):  # nobody reads it
            print(json.dumps({"time": time, "level": level, "event": what, **more}), file=self._out, flush=True)
