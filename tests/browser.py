"""A headless Chromium driven over its debugging pipe: no driver, no sockets, only the standard library."""

from __future__ import annotations

import base64
import json
import os
import shutil
import struct
import subprocess
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from select import select
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
)


def find_browser() -> str | None:
    """The first Chromium on the path."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One browser process with one page; what the page logs is kept in `complaints`."""

    def __init__(self, executable: str, timeout: float = 60.0) -> None:
        self.complaints: list[str] = []
        self._timeout = timeout
        self._profile = tempfile.mkdtemp(prefix="chromium-")
        self._sent, self._rest = 0, b""
        self._loaded = False
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        self._process = subprocess.Popen(
            [executable, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=lambda: _as_three_and_four(theirs_in, theirs_out),
        )
        os.close(theirs_in)
        os.close(theirs_out)
        targets = self._call("Target.getTargets", {}, session=False)["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        attached = self._call("Target.attachToTarget", {"targetId": page["targetId"], "flatten": True}, session=False)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(Exception):
            self._call("Browser.close", {}, session=False)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, path: Path | str, *, width: int = 1000, height: int = 900, dark: bool = False) -> None:
        """Show a file, or what an address answers, in a window of the given size and wait until it is loaded."""
        self.complaints.clear()
        self._size(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", {"features": [scheme]})
        self._loaded = False
        self.call("Page.navigate", {"url": path if isinstance(path, str) else path.resolve().as_uri()})
        deadline = time.monotonic() + self._timeout
        while not self._loaded:
            self._listen(deadline)
        self._drawn()

    def resize(self, width: int, height: int = 900) -> None:
        """Make the window as large and wait until the page is drawn for it, which takes a fifth of opening it anew."""
        self._size(width, height)
        self._drawn()

    def at_widths(self, path: Path | str, widths: Iterable[int]) -> Iterator[int]:
        """Open a file at the first width, then make its window as wide as each of the others."""
        for k, width in enumerate(widths):
            if k:
                self.resize(width)
            else:
                self.open(path, width=width)
            yield width

    def _size(self, width: int, height: int) -> None:
        window = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", window)

    def _drawn(self) -> None:
        # Two frames later everything that was set off has been drawn, and complained about.
        frame = "new Promise(done => requestAnimationFrame(() => done(1)))"
        self.evaluate(f"{frame}.then(() => {frame})")

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        expected = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        answer = self.call("Runtime.evaluate", expected)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def point(self, x: float, y: float) -> None:
        """Move the mouse."""
        self.call("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})

    def press(self, key: str) -> None:
        """Press and release a named key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": key})

    def screenshot(self, *, whole: bool = False) -> bytes:
        """What is in the window, or the whole page, as PNG."""
        answer = self.call("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole})
        return base64.b64decode(answer["data"])

    def pdf(self) -> bytes:
        """The page as it prints."""
        return base64.b64decode(self.call("Page.printToPDF", {"printBackground": False})["data"])

    def call(self, method: str, parameters: Mapping[str, Any] | None = None) -> Any:
        """One command to the page."""
        return self._call(method, parameters or {}, session=True)

    def _call(self, method: str, parameters: Mapping[str, Any], *, session: bool) -> Any:
        self._sent += 1
        message: dict[str, Any] = {"id": self._sent, "method": method, "params": parameters}
        if session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        deadline = time.monotonic() + self._timeout
        while True:
            answer = self._listen(deadline)
            if answer.get("id") == self._sent:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _listen(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select([self._in], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser did not answer")
            chunk = os.read(self._in, 1 << 20)
            if not chunk:
                raise EOFError("the browser ended")
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._hear(message.get("method", ""), message.get("params", {}))
        return message

    def _hear(self, event: str, details: Mapping[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self._loaded = True
        elif event == "Runtime.exceptionThrown":
            self.complaints.append(str(details["exceptionDetails"]))
        elif event == "Runtime.consoleAPICalled":
            self.complaints.append(str(details["args"]))
        elif event == "Log.entryAdded":
            self.complaints.append(details["entry"]["text"])
        elif event == "Network.requestWillBeSent" and not details["request"]["url"].startswith("file:"):
            self.complaints.append("asked for " + details["request"]["url"])


def _as_three_and_four(reads: int, writes: int) -> None:
    """Put the pipe's ends where the browser expects them, without one overwriting the other."""
    reads, writes = (os.dup(os.dup(os.dup(end))) for end in (reads, writes))
    os.dup2(reads, 3)
    os.dup2(writes, 4)


def pixels(png: bytes) -> list[list[tuple[int, ...]]]:
    """The rows of pixels of an 8-bit PNG without interlacing."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    channels = {0: 1, 2: 3, 6: 4}[kind]
    if depth != 8:
        raise ValueError(f"a depth of {depth} bits is not read here")
    raw = zlib.decompress(_chunks(png, b"IDAT"))
    stride = width * channels
    above, rows = bytes(stride), []
    for k in range(height):
        begin = k * (stride + 1)
        above = _unfiltered(raw[begin], raw[begin + 1 : begin + 1 + stride], above, channels)
        rows.append([tuple(above[i : i + channels]) for i in range(0, stride, channels)])
    return rows


def _chunks(png: bytes, content: bytes) -> bytes:
    place, data = 8, b""
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        if png[place + 4 : place + 8] == content:
            data += png[place + 8 : place + 8 + length]
        place += length + 12
    return data


def _unfiltered(kind: int, line: bytes, above: bytes, channels: int) -> bytes:
    if kind == 0:
        return line
    out = bytearray(line)
    for i, value in enumerate(line):
        left = out[i - channels] if i >= channels else 0
        corner = above[i - channels] if i >= channels else 0
        guess = (0, left, above[i], (left + above[i]) // 2, _paeth(left, above[i], corner))[kind]
        out[i] = (value + guess) & 255
    return bytes(out)


def _paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((left, above, corner), key=lambda near: abs(guess - near))
