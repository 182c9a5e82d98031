"""Alarms beside river's ADWIN and Page-Hinkley, at its defaults, on the same streams of losses of 0 to 1.

``python -m benchmarks.bench_alarms`` prints how often each is false on streams that stay as they are, how long each
takes to notice a change, how wide an interval of a mean is, and what a round costs; without river ours alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks import timing
from regretless.alarms import ConfidenceSequence, EDetector, VilleAlarm

Array = np.ndarray[Any, np.dtype[Any]]
Detector = Callable[[Array], list[int]]  # the rounds of its alarms, from 0
MEAN, ROUNDS, MEAN_ROUNDS, ALPHA = 0.1, 2000, 1000, 0.05
STABLE, WATCHED, CHANGED = 1000, 10_000, 5000  # of the delays: rounds before, N, and rounds after the change


def independent(rng: np.random.Generator, rounds: int, mean: float = MEAN) -> Array:
    """Draws of 0 and 1."""
    return (rng.random(rounds) < mean).astype(float)


def sizes(rng: np.random.Generator, rounds: int) -> Array:
    """Stretches of rare losses of 1 and of frequent ones of a fifth, with the same conditional mean in all rounds."""
    u, v = rng.random((2, rounds))
    x, large = np.empty(rounds), False
    for t in range(rounds):
        size = 1.0 if large else 0.2
        x[t] = size if u[t] < MEAN / size else 0.0
        large = large != (v[t] < 1 / 50)
    return x


def bursts(rng: np.random.Generator, rounds: int) -> Array:
    """0 and 1 with a conditional mean that goes up to the reference and down in bursts of about fifty rounds."""
    high = np.cumsum(rng.random(rounds) < 1 / 50) % 2 == 0
    return (rng.random(rounds) < np.where(high, MEAN, 0.01)).astype(float)


STREAMS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "independent": independent,
    "stretches of other sizes": sizes,
    "bursts of a mean up to the reference": bursts,
}


def e_detector(reference: float, mean_rounds: float) -> Detector:
    def play(x: Array) -> list[int]:
        return np.flatnonzero(EDetector(reference, mean_rounds).play(x) >= mean_rounds).tolist()

    return play


def ville(reference: float, alpha: float) -> Detector:
    def play(x: Array) -> list[int]:
        return np.flatnonzero(VilleAlarm(reference, alpha).play(x) >= 1 / alpha)[:1].tolist()

    return play


def of_river(make: Callable[[], Any]) -> Detector:
    def play(x: Array) -> list[int]:
        detector, alarms = make(), []
        for t, one in enumerate(x.tolist()):
            detector.update(one)
            if detector.drift_detected:
                alarms.append(t)
        return alarms

    return play


def peers() -> dict[str, Detector]:
    """river's at their defaults; Page-Hinkley for means that grow alone."""
    if find_spec("river") is None:
        return {}
    from river.drift import ADWIN, PageHinkley

    return {
        "river ADWIN": of_river(ADWIN),
        "river Page-Hinkley": of_river(lambda: PageHinkley(mode="up")),
        "river Page-Hinkley, threshold 10": of_river(lambda: PageHinkley(mode="up", threshold=10)),
    }


def false_alarms(streams: int) -> Iterator[str]:
    """Of streams that stay as they are: alarms in ROUNDS rounds, and in how many there was one."""
    yield f"| {streams:,} streams of {ROUNDS:,} rounds | detector | alarms a stream | at most | with one | at most |"
    yield "| --- | --- | --- | --- | --- | --- |"
    detectors = {
        f"EDetector, {MEAN_ROUNDS:,} rounds": (e_detector(MEAN, MEAN_ROUNDS), f"{ROUNDS / MEAN_ROUNDS:g}", ""),
        f"VilleAlarm, {ALPHA:g}": (ville(MEAN, ALPHA), "", f"{100 * ALPHA:g} %"),
        **{name: (play, "", "") for name, play in peers().items()},
    }
    for stream, draw in STREAMS.items():
        rng = np.random.default_rng(0)
        counts = {name: np.zeros(streams, int) for name in detectors}
        for run in range(streams):
            x = draw(rng, ROUNDS)
            for name, (play, _, _) in detectors.items():
                counts[name][run] = len(play(x))
        for name, (_, often, ever) in detectors.items():
            cells = (f"{counts[name].mean():.3f}", often, f"{100 * (counts[name] > 0).mean():.1f} %", ever)
            yield f"| {stream} | {name} | {' | '.join(cells)} |"


def delays(streams: int) -> Iterator[str]:
    """After STABLE rounds the mean changes: how many rounds later that is noticed, in the median."""
    yield f"| {STABLE:,} rounds at {MEAN:g}, then | detector | median delay | noticed | false before |"
    yield "| --- | --- | --- | --- | --- |"
    for mean in (0.12, 0.15, 0.2, 0.3, 0.5):
        rng = np.random.default_rng(1)
        detectors = {
            f"EDetector, reference {MEAN:g}": e_detector(MEAN, WATCHED),
            "EDetector, reference from the first 1,000 rounds": _from_start,
            **peers(),
        }
        observed: dict[str, list[float]] = {name: [] for name in detectors}
        early = dict.fromkeys(detectors, 0)
        for _ in range(streams):
            x = np.concatenate([independent(rng, STABLE), independent(rng, CHANGED, mean)])
            for name, play in detectors.items():
                alarms = play(x)
                early[name] += any(t < STABLE for t in alarms)
                observed[name].append(next((t - STABLE + 1 for t in alarms if t >= STABLE), np.inf))
        for name, each in observed.items():
            noticed = np.isfinite(each).mean()
            median = float(np.median(each))
            shown = f"{median:.0f}" if np.isfinite(median) else f"> {CHANGED:,}"
            yield f"| {mean:g} | {name} | {shown} | {100 * noticed:.0f} % | {100 * early[name] / streams:.0f} % |"


def _from_start(x: Array) -> list[int]:
    """The reference is the upper limit of the first rounds at 5 %, which are not watched."""
    sequence = ConfidenceSequence(0.9)
    sequence.update(x[:STABLE])
    return [STABLE + t for t in e_detector(sequence.interval_[1], WATCHED)(x[STABLE:])]


def widths(streams: int) -> Iterator[str]:
    """The mean width of 95 % intervals."""
    yield "| mean width of a 95 % interval after | 100 | 1,000 | 10,000 rounds |"
    yield "| --- | --- | --- | --- |"
    rng = np.random.default_rng(2)
    draws: dict[str, Callable[[], Array]] = {
        "0 and 1, mean 0.1": lambda: independent(rng, 10_000),
        "uniform": lambda: rng.random(10_000),
        "0.1, give or take 0.03": lambda: np.clip(0.1 + 0.03 * rng.standard_normal(10_000), 0, 1),
    }
    for name, draw in draws.items():
        each: dict[str, list[list[float]]] = {"bernstein": [], "betting": []}
        for _ in range(streams):
            x = draw()
            for method, rows in each.items():
                sequence, row, done = ConfidenceSequence(method=method), [], 0
                for rounds in (100, 1000, 10_000):
                    sequence.update(x[done:rounds])
                    done = rounds
                    row.append(sequence.interval_[1] - sequence.interval_[0])
                rows.append(row)
        for method, rows in each.items():
            yield f"| {name}, {method} | {' | '.join(f'{one:.4f}' for one in np.mean(rows, axis=0))} |"


def speed(rounds: int = 100_000) -> Iterator[str]:
    """CPU time of a round, best of three."""
    yield "| CPU time of a round | microseconds |"
    yield "| --- | --- |"
    x = independent(np.random.default_rng(3), rounds)
    values = x.tolist()

    def one_by_one() -> None:
        detector = EDetector(MEAN, 1e9)
        for one in values:
            detector.update(one)

    contest: dict[str, Callable[[], object]] = {
        "EDetector, a table": lambda: e_detector(MEAN, 1e9)(x),
        "EDetector, one by one": one_by_one,
        "VilleAlarm, a table": lambda: ville(MEAN, 1e-9)(x),
        "ConfidenceSequence, betting, a table": lambda: ConfidenceSequence(method="betting").update(x),
        "ConfidenceSequence, bernstein, a table": lambda: ConfidenceSequence().update(x),
        **{name: (lambda play=play: play(x)) for name, play in peers().items()},
    }
    for name, best in timing.in_process(contest, 3).items():
        yield f"| {name} | {1e6 * best / rounds:.2f} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=1000)
    streams = parser.parse_args().streams
    for part in (false_alarms(streams), delays(max(streams // 5, 1)), widths(max(streams // 50, 1)), speed()):
        print("\n" + "\n".join(part), flush=True)
