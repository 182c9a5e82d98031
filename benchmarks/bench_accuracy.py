"""Accuracy after one pass with defaults, beside scikit-learn and Vowpal Wabbit, on public data.

``python -m benchmarks.bench_accuracy --data DATA`` prints the tables; with ``--write`` they are put into
docs/accuracy.md. Every player gets the same rows in the same order, several times in orders drawn at random.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks.accuracy_data import TASKS, Task
from benchmarks.accuracy_players import OURS, PEERS, Player, plays

PAGE = Path(__file__).resolve().parent.parent / "docs" / "accuracy.md"
Scores = dict[str, list[float]]


def shuffled(task: Task, seed: int) -> Task:
    """The task, with the rows to learn from in a random order."""
    order = np.random.default_rng(seed).permutation(len(task.y))
    return Task(task.X[order], task.y[order], task.X_test, task.y_test)


def scores(task: Task, players: dict[str, Player], orders: int) -> Scores:
    """The share of test rows that each player has right, for each order of the training rows."""
    shares: Scores = {name: [] for name in players if plays(name, task)}
    for seed in range(orders):
        played = shuffled(task, seed)
        for name in shares:
            before = process_time()
            right = float((players[name](played) == task.y_test).mean())
            shares[name].append(right)
            print(f"  {name:42} {right:8.4f}  {process_time() - before:6.2f} s", file=sys.stderr, flush=True)
    return shares


def table(by_task: dict[str, Scores]) -> str:
    """A row for each player, a column for each task: mean and standard deviation over the orders, in percent."""
    lines = ["| | " + " | ".join(by_task) + " |", "|" + " --- |" * (len(by_task) + 1)]
    best = {task: max(np.mean(one) for one in scores.values()) for task, scores in by_task.items()}
    for name in (*OURS, *PEERS):
        cells = [_cell(scores.get(name), best[task]) for task, scores in by_task.items()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(right: list[float] | None, best: float) -> str:
    if not right:
        return ""
    mean, spread = float(np.mean(right)), float(np.std(right))
    text = f"{100 * mean:.2f} ± {100 * spread:.2f}"
    return f"**{text}**" if mean == best else text


def filled(text: str, tables: str) -> str:
    """The document with the tables in their place."""
    place = re.compile(r"(<!-- accuracy: .*? -->\n).*?(\n<!-- end of accuracy -->)", re.DOTALL)
    match = place.search(text)
    if match is None:
        raise SystemExit("the document has no place for the table")
    return text[: match.start()] + match[1] + tables + match[2] + text[match.end() :]


def main() -> None:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("REGRETLESS_DATA"), help="folder of public data")
    parser.add_argument("--tasks", default=",".join(TASKS), help="which, with commas between them")
    parser.add_argument("--only", default="", help="a regular expression of the players wanted")
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--kept", type=Path, help="a file that keeps what was measured, by player and task")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    options = parser.parse_args()
    if options.data is None and not options.write:
        print("nothing to measure: give the folder of the data with --data")
        return
    if options.data is None or not Path(options.data).is_dir():
        sys.exit("give the folder of the data with --data")
    measured: dict[str, Any] = json.loads(options.kept.read_text()) if options.kept and options.kept.exists() else {}
    players = {name: player for name, player in {**OURS, **PEERS}.items() if re.search(options.only, name)}
    if find_spec("vowpalwabbit") is None:
        players = {name: player for name, player in players.items() if not name.startswith("Vowpal")}
    for name in options.tasks.split(","):
        print(name, file=sys.stderr)
        before = measured.setdefault(name, {})
        before.update(scores(TASKS[name](Path(options.data)), players, options.orders))
        if options.kept:
            options.kept.write_text(json.dumps(measured))
    print(table(measured))
    if options.write:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), table(measured)), encoding="utf-8")


if __name__ == "__main__":
    main()
