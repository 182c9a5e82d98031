"""How soon each verb ends after Ctrl-C: ``python -m benchmarks.bench_stops [--stops N]``.

Each verb is given more work than it can do in the time, and is interrupted at random moments, with everything saved.
Printed are the median and the longest time from the signal to the end of the process, and the exit codes that were seen
(130 unless the work was over). The target is 0.3 s.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

import numpy as np

ROWS = 300_000


def _inputs(folder: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((ROWS, 20)).round(3)
    labels = np.where(X @ rng.normal(size=20) + rng.normal(size=ROWS) > 0, 1, -1)
    with open(folder / "rows.svm", "w", encoding="utf-8") as out:
        for label, row in zip(labels, X, strict=True):
            out.write(f"{label} {' '.join(f'{j + 1}:{value}' for j, value in enumerate(row))}\n")
    for shard in range(4):
        (folder / f"part-{shard}.svm").write_bytes((folder / "rows.svm").read_bytes())
    outcomes = rng.random(ROWS)
    table = np.column_stack([outcomes, outcomes[:, None] + rng.normal(size=(ROWS, 8))])
    head = ",".join(["y", *(f"e{j}" for j in range(8))])
    np.savetxt(folder / "rows.csv", table, "%.6f", ",", header=head, comments="")
    np.savetxt(folder / "losses.csv", rng.random((20_000, 10)), "%.6f", ",", header=head[2:] + ",e8,e9", comments="")
    np.savetxt(folder / "game.csv", rng.normal(size=(300, 300)), "%.6f", ",")
    np.savetxt(folder / "class.csv", rng.integers(0, 2, (3000, 40)), "%d", ",")


def _verbs(folder: Path) -> dict[str, list[str]]:
    rows, parts, model = str(folder / "rows.svm"), str(folder / "part-*.svm"), str(folder / "m.rgl")
    save = ["--save", str(folder / "saved.rgl")]
    return {
        "learn": ["learn", rows, "--learner", "averaged-perceptron", "--passes", "500", *save],
        "learn, certificates": ["learn", rows, "--learner", "perceptron", "--json", "--svm"],
        "learn --workers": ["learn", parts, "--workers", "2", "--learner", "perceptron", "--passes", "500", *save],
        "combine": ["combine", str(folder / "rows.csv"), "--target", "y", "--loss", "absolute", *save],
        "pull": ["pull", str(folder / "losses.csv"), "--runs", "100000"],
        "solve": ["solve", str(folder / "game.csv"), "--method", "hedge", "--rounds", "100000000"],
        "solve, exact": ["solve", str(folder / "game.csv"), "--exact"],
        "dimension": ["dimension", str(folder / "class.csv"), "--limit", "600"],
        "play": ["play", "--learner", "perceptron", "--environment", "separable", "--rounds", "100000000"],
        "predict": ["predict", model, rows, "--scores"],
        "certify": ["certify", model, rows, "--svm"],
    }


def _stopped(command: list[str], after: float) -> tuple[float, int] | None:
    """Seconds from the signal to the end, and the exit code; None if it had ended before."""
    process = subprocess.Popen(
        [sys.executable, "-m", "regretless", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    time.sleep(after)
    if process.poll() is not None:
        return None
    kill = threading.Timer(60, process.kill)
    kill.start()
    begin = time.perf_counter()
    process.send_signal(signal.SIGINT)
    code = process.wait()  # with a timeout it would look only every 50 ms
    seconds = time.perf_counter() - begin
    kill.cancel()
    return seconds, code


def main() -> None:
    """Print a line for each verb."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stops", type=int, default=10, help="how often each verb is interrupted")
    stops = parser.parse_args().stops
    draw = random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _inputs(folder)
        train = ["learn", str(folder / "rows.svm"), "--learner", "perceptron", "--no-certify", "--quiet", "--save"]
        subprocess.run([sys.executable, "-m", "regretless", *train, str(folder / "m.rgl")], check=True)
        print(f"{'verb':22} {'stops':>5} {'median':>8} {'longest':>8}  exit codes; load {os.getloadavg()[0]:.1f}")
        for verb, command in _verbs(folder).items():
            times = [one for _ in range(stops) if (one := _stopped(command, draw.uniform(0.6, 2.5)))]
            if not times:
                print(f"{verb:22} {0:5}  ended before it was interrupted")
                continue
            seconds, codes = zip(*times, strict=True)
            print(
                f"{verb:22} {len(times):5} {median(seconds):6.3f} s {max(seconds):6.3f} s  "
                f"{', '.join(map(str, sorted(set(codes))))}",
                flush=True,
            )


if __name__ == "__main__":
    main()
