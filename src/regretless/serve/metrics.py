"""Counters in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from time import time

from .engine import ModelEngine


class Metrics:
    """What a server has done since it was started.

    Attributes
    ----------
    predicted, labelled : int
        Rows that were answered, and labels that were taken.
    """

    def __init__(self) -> None:
        self.predicted = self.labelled = 0
        self._started = time()
        self._requests: Counter[tuple[str, int]] = Counter()

    def count(self, path: str, status: int) -> None:
        """Count a request; paths that are not served are one."""
        verb = path.rpartition("/")[2] if status != 404 else "other"
        self._requests[verb, status] += 1

    def text(self, engines: Mapping[str, ModelEngine]) -> bytes:
        """All of them."""
        return "".join(f"{line}\n" for line in self._lines(engines)).encode()

    def _lines(self, engines: Mapping[str, ModelEngine]) -> Iterator[str]:
        yield "# TYPE regretless_requests_total counter"
        for (verb, status), count in sorted(self._requests.items()):
            yield f'regretless_requests_total{{path="{_escaped(verb)}",status="{status}"}} {count}'
        yield "# TYPE regretless_predictions_total counter"
        yield f"regretless_predictions_total {self.predicted}"
        yield "# TYPE regretless_labels_total counter"
        yield f"regretless_labels_total {self.labelled}"
        yield "# TYPE regretless_uptime_seconds gauge"
        yield f"regretless_uptime_seconds {time() - self._started:.3f}"
        for name, kind in GAUGES.items():
            yield f"# TYPE regretless_{name} {kind}"
            for model, engine in engines.items():
                yield f'regretless_{name}{{model="{_escaped(model)}"}} {_value(name, engine)!r}'


GAUGES = {
    "learnt_total": "counter",
    "expired_total": "counter",
    "mistakes_total": "counter",
    "pending": "gauge",
    "pending_oldest_seconds": "gauge",
    "queue": "gauge",
    "version": "gauge",
    "up": "gauge",
}


def _value(name: str, engine: ModelEngine) -> float:
    tally = engine.live.tally
    oldest = engine.oldest if engine.outstanding else None
    values: dict[str, float] = {
        "learnt_total": tally.learnt,
        "expired_total": tally.expired,
        "mistakes_total": tally.mistakes,
        "pending": engine.outstanding,
        "pending_oldest_seconds": 0.0 if oldest is None else max(0.0, time() - oldest),
        "queue": engine.waiting,
        "version": engine.live.version,
        "up": int(engine.down is None),
    }
    return values[name]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
