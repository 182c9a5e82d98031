"""Parameter mixing: accuracy beside sequential passes, seconds with one process and with two, engines, bytes moved.

``python -m benchmarks.bench_mixing`` prints what it measures; with ``--kept docs/shards.json`` it is kept there too,
and ``python docs/shards.py --write`` puts it into docs/scale.md. ``--only many`` is the simulation of a thousand
shards, which takes a quarter of an hour and is left out otherwise; ``--data DATA`` adds public data.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import data, mixing_accuracy, mixing_speed

USUAL = ("accuracy", "together", "processes", "engines", "moved")


def main() -> None:
    """Run, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=data.CACHE)
    parser.add_argument("--rows", type=int, default=data.ROWS)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=mixing_accuracy.EPOCHS)
    parser.add_argument("--data", type=Path, default=os.environ.get("REGRETLESS_DATA"), help="folder of public data")
    parser.add_argument("--only", default="", help=f"which of {', '.join((*USUAL, 'public', 'many'))}, with commas")
    parser.add_argument("--kept", type=Path, help="a file that keeps what was measured")
    options = parser.parse_args()
    cache, rows, epochs = options.cache, options.rows, options.epochs
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "accuracy": lambda: mixing_accuracy.planted(cache, rows, epochs),
        "together": lambda: mixing_accuracy.together(cache, rows, epochs),
        "public": lambda: mixing_accuracy.public(Path(options.data), epochs),
        "processes": lambda: mixing_speed.processes(cache, rows, options.repeats),
        "engines": lambda: mixing_speed.engines(cache, options.repeats),
        "moved": lambda: mixing_speed.moved(cache, rows),
        "many": mixing_accuracy.many,
    }
    usual = (*USUAL, "public") if options.data else USUAL
    for name in options.only.split(",") if options.only else usual:
        measured = makers[name]()
        show(name, measured)
        if options.kept:
            measures = json.loads(options.kept.read_text()) if options.kept.exists() else {}
            options.kept.write_text(written({**measures, name: measured}))


def show(name: str, measured: Any) -> None:
    """What was measured, of curves the third and the last epoch."""
    print(f"\n{name}")
    for path, value in flat(measured).items():
        print(f"  {path:68} {value:12.6g}", flush=True)


def flat(measured: Any, path: str = "") -> dict[str, float]:
    """All numbers in it, under the names that lead to them."""
    if isinstance(measured, (int, float)):
        return {path: measured}
    if isinstance(measured, list) and len(measured) > 3:
        measured = {"epoch 3": measured[2], f"epoch {len(measured)}": measured[-1]}
    pairs = measured.items() if isinstance(measured, dict) else enumerate(measured)
    return {name: value for key, one in pairs for name, value in flat(one, f"{path} {key}".strip()).items()}


def written(measures: dict[str, Any]) -> str:
    """As JSON, a line for each curve or table."""
    lines = []
    for name, section in measures.items():
        inner = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in section.items())
        lines.append(f"{json.dumps(name)}: {{\n{inner}\n}}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main()
