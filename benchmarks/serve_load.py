"""A load of clients on one thread: each sends its next request when the last one is answered."""

from __future__ import annotations

import json
import selectors
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

HEAD = "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"


@dataclass
class Load:
    """What was measured.

    Attributes
    ----------
    requests : int
        How many were answered.
    rate : float
        Requests a second.
    p50, p99 : float
        Of the time to an answer, in milliseconds.
    """

    requests: int
    rate: float
    p50: float
    p99: float


def request(path: str, body: object) -> bytes:
    """The bytes of a POST."""
    raw = json.dumps(body).encode()
    return HEAD.format(path=path, length=len(raw)).encode() + raw


def _whole(received: bytearray) -> bool:
    """Whether an answer is there to its end; one that is no success ends the benchmark."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = bytes(received[:end]).lower()
    if not head.startswith(b"http/1.1 200"):
        raise SystemExit(bytes(received).decode())
    length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
    return len(received) >= end + 4 + length


def load(port: int, requests: Iterator[bytes], clients: int, seconds: float) -> Load:
    """Send requests for some seconds."""
    chooser, waits = selectors.DefaultSelector(), []
    sent: dict[socket.socket, float] = {}
    received: dict[socket.socket, bytearray] = {}
    for _ in range(clients):
        one = socket.create_connection(("127.0.0.1", port))
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        chooser.register(one, selectors.EVENT_READ)
        received[one], sent[one] = bytearray(), time.perf_counter()
        one.sendall(next(requests))
    began = time.perf_counter()
    end = began + seconds
    while (now := time.perf_counter()) < end:
        for key, _ in chooser.select(1.0):
            one: socket.socket = key.fileobj  # type: ignore[assignment]
            received[one] += one.recv(65536)
            if not _whole(received[one]):
                continue
            now = time.perf_counter()
            waits.append(now - sent[one])
            received[one].clear()
            sent[one] = now
            one.sendall(next(requests))
    for one in sent:
        one.close()
    p50, p99 = np.quantile(waits, [0.5, 0.99]) * 1000
    return Load(len(waits), len(waits) / (now - began), float(p50), float(p99))


def wait_for(port: int, alive: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something listens."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and alive():
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("the server did not start")
