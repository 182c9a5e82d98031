"""Learns models on numbers that every machine makes alike, and prints the SHA-256 of each file: `.ci/aarch64` compares."""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

from regretless.catalogue import TABLES, class_of
from regretless.cli import main

NAMES = [
    "perceptron",
    "averaged-perceptron",
    "passive-aggressive",
    "online-gradient-descent",
    "winnow",
    "p-norm-perceptron",
]
NAMES += ["second-order-perceptron", "arow", "alma", "aggregated", "selective-perceptron"]
ROWS = 400


def lines(label) -> str:
    """Rows of svmlight text with such labels."""
    return "\n".join(f"{label(k)} 1:{k % 13 / 8} 2:{k * 31 % 17 / 3} 4:{-(k % 5) / 7}" for k in range(ROWS))


def models(folder: Path) -> Iterator[tuple[str, Path]]:
    """Models of labels and of numbers by the command line, and combiners by Python."""
    (folder / "linear.svm").write_text(lines(lambda k: (k * k % 7 > 2) * 2 - 1))
    (folder / "regression.svm").write_text(lines(lambda k: k * 7 % 23 / 9))
    for kind, names in (("linear", NAMES), ("regression", TABLES["regression"])):
        for name in names:
            model = folder / f"{kind}-{name}.rgl"
            task = ["--task", class_of(kind, name).info.task]
            words = [
                "learn",
                folder / f"{kind}.svm",
                *task,
                "--learner",
                name,
                "--no-certify",
                "--quiet",
                "--save",
                model,
            ]
            with redirect_stdout(io.StringIO()):
                assert main([str(word) for word in words]) == 0, name
            yield f"{kind} {name}", model
    forecasts = np.arange(5 * ROWS).reshape(ROWS, 5) * 37 % 19 / 16
    # Not ridge: the logarithms that it sums are the C library's.
    for name in ("hedge", "ewa", "adahedge", "ml-poly", "boa", "squint", "fixed-share"):
        learner, model = class_of("experts", name)(), folder / f"{name}.rgl"
        learner.play(forecasts, forecasts[:, 2] / 2 + 0.25)
        learner.save(model)
        yield f"experts {name}", model


with tempfile.TemporaryDirectory() as made:
    for name, path in models(Path(made)):
        print(hashlib.sha256(path.read_bytes()).hexdigest(), name)
