"""From a labelled file to a perceptron in a fresh process: ours, scikit-learn's, and Vowpal Wabbit's if installed.

Figures are CPU seconds, user and system, beyond the start of an interpreter.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from pathlib import Path

from benchmarks import data, timing

THEIRS = """
import sys
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron
X, y = load_svmlight_file(sys.argv[1])
X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")  # it refuses 64-bit ones
Perceptron(fit_intercept=False, shuffle=False, max_iter=1, tol=None).fit(X, y)
"""
WABBIT = """
import sys
from vowpalwabbit import Workspace
learner = Workspace("--quiet --binary --loss_function hinge --sgd -l 1 --noconstant")
for line in open(sys.argv[1]):
    label, _, features = line.partition(" ")
    learner.learn(f"{label} | {features}")
learner.finish()
"""


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=data.CACHE)
    parser.add_argument("--rows", type=int, default=data.ROWS)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    path = str(data.text(options.cache, options.rows))
    python = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model.rgl")
        learn = ["-m", "regretless", "learn", path, "--learner", "perceptron", "--quiet"]
        commands = {
            "interpreter alone": [python, "-c", "pass"],
            "regretless, without certificates": [python, *learn, "--no-certify", "--save", model],
            "regretless, with certificates": [python, *learn, "--save", model],
            "scikit-learn": [python, "-c", THEIRS, path],
        }
        if importlib.util.find_spec("vowpalwabbit"):
            commands["Vowpal Wabbit, from Python"] = [python, "-c", WABBIT, path]
        best = timing.fresh(commands, options.repeats)
    start = best.pop("interpreter alone")[0]
    size = Path(path).stat().st_size / 1e6
    figures = {name: seconds - start for name, (seconds, _) in best.items()}
    timing.show(f"file of {size:.0f} MB to trained perceptron", figures, "s CPU", "regretless, without certificates")
    for name, (_, memory) in best.items():
        print(f"  {name:42} {memory:12.0f} MB at most")


if __name__ == "__main__":
    main()
