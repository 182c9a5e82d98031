"""Held-out accuracy of mixed weights, epoch by epoch, beside passes over all rows in their order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, mixing_data
from benchmarks.accuracy_data import TASKS, Task
from regretless.distributed import Here, arrays, average_once
from regretless.distributed.mixing import Mixing
from regretless.linear import AveragedPerceptron

Array = np.ndarray[Any, np.dtype[Any]]
Curve = dict[str, list[float]]
SHARDS, EPOCHS = 8, 20
WEIGHTS = ("uniform", "updates", "rows")


def curve(task: Task, places: Sequence[Array], epochs: int, **how: Any) -> Curve:
    """What is right of the test rows after each epoch, in percent: by the mean weights and by the mixed ones."""
    shards = arrays(mixing_data.cut(task, list(places)))
    run = Mixing(AveragedPerceptron(), shards, Here(), epochs=epochs, classes=np.unique(task.y), **how)
    results: Curve = {"mean": [], "mixed": [], "updates": [], "weighted": []}

    def record(epoch: Any) -> None:
        assert run.mixture is not None
        counted = {"updates": epoch.updates, "weighted": round(epoch.weighted_updates, 1)}
        for name, value in {**judged(run.mixture.learner, task), **counted}.items():
            results[name].append(value)

    run.on_epoch = record
    run.play()
    return results


def once(task: Task, places: Sequence[Array], passes: int) -> dict[str, Any]:
    """The same of one-shot averaging, after so many passes over each shard."""
    shards = arrays(mixing_data.cut(task, list(places)))
    result = average_once(AveragedPerceptron(), shards, passes=passes, classes=np.unique(task.y))
    return {"passes": passes, **judged(result.learner, task), "updates": result.history[-1].updates}


def judged(learner: Any, task: Task) -> dict[str, float]:
    """What is right of the test rows, in percent."""
    return {"mean": _right(learner.coef_, learner, task), "mixed": _right(learner.last_coef_, learner, task)}


def _one_pass(task: Task, rows: int) -> dict[str, float]:
    """What one learner makes of the first so many rows."""
    (right,) = curve(task, [np.arange(rows)], 1)["mean"]
    return {"rows": rows, "mean": right}


def _right(weights: Array, learner: Any, task: Task) -> float:
    scores = task.X_test @ weights.T
    result = (scores[:, 0] >= 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
    return round(100 * float((learner.classes_[result] == task.y_test).mean()), 2)


def planted(cache: Path, rows: int, epochs: int = EPOCHS) -> dict[str, Any]:
    """Eight shards of the benchmark's rows, cut in several ways."""
    task = mixing_data.benchmark(cache, rows)
    whole = mixing_data.equal(task, 1)
    results: dict[str, Any] = {"rows": rows, "test": len(task.y_test), "sequential": curve(task, whole, epochs)}
    for way, places_of in mixing_data.WAYS.items():
        places = places_of(task, SHARDS)
        results[way] = {weights: curve(task, places, epochs, weights=weights) for weights in WEIGHTS}
        if way.startswith("sorted"):
            results[way]["one after the other"] = curve(task, [np.concatenate(places)], epochs)
    return results


def together(cache: Path, rows: int, epochs: int = EPOCHS) -> dict[str, Any]:
    """The weights are mixed more often: by fewer shards, and by as many that are smaller."""
    task = mixing_data.benchmark(cache, rows)
    return {
        f"{shards}/{group}": curve(task, mixing_data.equal(task, shards), epochs, together=group)
        for group in (2, 4, 8)
        for shards in (8, 64, 256, 1024)
    }


def public(folder: Path, epochs: int = EPOCHS) -> dict[str, Any]:
    """Public data in a random order, in eight shards of one size."""
    results = {}
    for name, read in TASKS.items():
        task = read(folder)
        order = np.random.default_rng(0).permutation(len(task.y))
        task = Task(task.X[order], task.y[order], task.X_test, task.y_test)
        places = mixing_data.equal(task, SHARDS)
        results[name] = {
            "rows": len(task.y),
            "sequential": curve(task, mixing_data.equal(task, 1), epochs),
            "uniform": curve(task, places, epochs),
            "updates": curve(task, places, epochs, weights="updates"),
            "2 together": curve(task, places, epochs, together=2),
        }
    return results


def many(rows: int = 2_000_000, epochs: int = 30) -> dict[str, Any]:
    """A thousand shards, and fewer, of the same rows; made anew, for they are too many to keep."""
    task = mixing_data.planted(data.generate(rows + mixing_data.TEST))
    thousand = mixing_data.equal(task, 1000)
    uneven = mixing_data.uneven(task, 1000)
    results: dict[str, Any] = {"rows": rows, "test": len(task.y_test)}
    results["one after the other"] = curve(task, mixing_data.equal(task, 1), epochs)
    results["one pass over fewer"] = [_one_pass(task, rows // 2**halved) for halved in range(11)]
    for shards in (8, 64):
        results[f"{shards} shards"] = curve(task, mixing_data.equal(task, shards), epochs)
    for weights in ("uniform", "updates"):
        results[f"1,000 shards, {weights}"] = curve(task, thousand, epochs, weights=weights)
    for group in (8, 64):
        results[f"1,000 shards, {group} together"] = curve(task, thousand, epochs, together=group)
    for weights in WEIGHTS:
        results[f"1,000 uneven shards, {weights}"] = curve(task, uneven, epochs, weights=weights)
    results["1,000 shards, averaged once"] = [once(task, thousand, passes) for passes in (1, 3, 10)]
    return results
