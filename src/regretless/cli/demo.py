"""``regretless demo``: the main job on real data that comes with scikit-learn."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from typing import TYPE_CHECKING

from ..errors import RegretlessError
from .arguments import Arguments
from .options import run_verb, verb_of
from .output import DONE

if TYPE_CHECKING:
    from ..data.batch import Array

HELP = "run the main job on real data that comes with scikit-learn"
DESCRIPTION = (
    "Writes scikit-learn's breast cancer data to an svmlight file, learns from it, certifies what was observed, "
    "writes a report and predicts. Needs scikit-learn: pip install scikit-learn."
)


class DemoOptions(Arguments):
    """Of `demo`."""

    folder: str


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("--folder", metavar="DIR", default="demo", help="where to write; demo by default")


def run(arguments: DemoOptions) -> int:
    """Run the demonstration."""
    data, model, page = (os.path.join(arguments.folder, f"breast_cancer.{kind}") for kind in ("svm", "rgl", "html"))
    features, labels = _load()
    os.makedirs(arguments.folder, exist_ok=True)
    _write(data, features, labels)
    print(f"{data}: {len(labels)} tumours, {features.shape[1]} measurements each; +1 benign, -1 malignant", flush=True)
    code = _show("learn", data, "--save", model, "--report", page)
    if code == DONE:
        code = _show("predict", model, data, "--json")
    print(f"\nThe report is {os.path.abspath(page)}")
    return code


def _show(name: str, *words: str) -> int:
    """Print a command, and run it as the command line would."""
    import shlex

    print(f"\n$ regretless {name} {shlex.join(words)}", flush=True)
    parser, verb = ArgumentParser(), verb_of(name)
    verb.add_arguments(parser)
    return run_verb(verb, parser.parse_args(words))


def _load() -> tuple[Array, Array]:
    """The measurements, each with mean 0 and variance 1, and the labels."""
    try:
        from sklearn.datasets import load_breast_cancer
    except ImportError as error:
        raise RegretlessError("demo: scikit-learn is missing; pip install scikit-learn") from error
    features, labels = load_breast_cancer(return_X_y=True)
    return (features - features.mean(axis=0)) / features.std(axis=0), 2 * labels - 1


def _write(path: str, features: Array, labels: Array) -> None:
    """Write svmlight text from which every value comes back bit for bit."""
    with open(path, "w", encoding="ascii") as file:
        for row, label in zip(features.tolist(), labels.tolist(), strict=True):
            entries = " ".join(f"{place}:{value!r}" for place, value in enumerate(row, start=1) if value)
            file.write(f"{label:+d} {entries}\n")
