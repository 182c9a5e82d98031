"""`learn` and `certify`: runs, comparators and bounds of every linear learner, again."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..command_line import CommandLine
from . import plain_linear as plain
from .tally import Tally

# Facts that only bound what rounding may do, and are in no printed formula.
ROUNDING = ("width",)
# What no plain computation gives, with the reason.
LISTED = {
    "rows": "it is the length of a pass",
    "passes": "it is the number of passes",
    "quiet": "it is the number of rounds since the last update",
}
LOSSES_LISTED = {
    "margin-perceptron": "it is charged what a row lacks of its threshold, which no theorem bounds",
}

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "perceptron": ("perceptron", {}),
    "perceptron, a rate and a constant": ("perceptron", {"rate": 0.3, "intercept": 1.0}),
    "averaged-perceptron": ("averaged-perceptron", {}),
    "voted-perceptron": ("voted-perceptron", {}),
    "margin-perceptron": ("margin-perceptron", {"gamma": 0.05, "max_passes": 8}),
    "margin-perceptron, a constant": ("margin-perceptron", {"gamma": 0.05, "max_passes": 40, "intercept": 1.0}),
    "PA": ("passive-aggressive", {"variant": "PA"}),
    "PA-I": ("passive-aggressive", {"variant": "PA-I", "C": 0.5}),
    "PA-II": ("passive-aggressive", {"variant": "PA-II", "C": 2.0, "intercept": 1.0}),
    "winnow": ("winnow", {"rate": 0.2}),
    "balanced winnow": ("winnow", {"rate": 0.1, "balanced": True, "intercept": 1.0}),
    "p-norm-perceptron": ("p-norm-perceptron", {"p": 3.0}),
    "second order, full": ("second-order-perceptron", {"matrix": "full"}),
    "second order, diagonal": ("second-order-perceptron", {"matrix": "diagonal", "a": 2.0}),
    "AROW, full": ("arow", {"matrix": "full", "r": 0.5}),
    "AROW, diagonal": ("arow", {"matrix": "diagonal", "r": 2.0}),
    "AROW, diagonal, in the units of the rows": ("arow", {"matrix": "diagonal", "r": 0.5, "scale": "none"}),
    "AROW, sketch": ("arow", {"matrix": "sketch", "rank": 1}),
    "AROW, sketch, in the units of the rows": ("arow", {"matrix": "sketch", "rank": 1, "scale": "none"}),
    "AROW, full, no constant": ("arow", {"matrix": "full", "intercept": 0.0}),
    "descent, constant": ("online-gradient-descent", {"schedule": "constant", "rate": 0.1}),
    "descent, in a ball": ("online-gradient-descent", {"schedule": "self-tuned", "rate": 2.0, "radius": 1.5}),
    "descent, 1/sqrt t": ("online-gradient-descent", {"schedule": "inverse-sqrt", "rate": 0.3, "radius": 2.0}),
    "descent, logistic": (
        "online-gradient-descent",
        {"schedule": "scale-free", "rate": 1.0, "loss": "logistic", "intercept": 1.0},
    ),
    "descent, square": (
        "online-gradient-descent",
        {"schedule": "self-tuned", "rate": 1.0, "radius": 1.0, "loss": "square"},
    ),
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def table(noise: float, rows: int = 90, seed: int = 5) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Rows and labels 0 and 1, of which some are noise; without noise they can be separated."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(4 * rows, 3)).round(3)
    scores = X @ [1.0, -0.5, 0.25] + 0.2
    mask = np.abs(scores) > (0.15 if not noise else 0)
    y = ((scores + noise * draw.normal(size=len(X))) > 0).astype(float)
    return X[mask][:rows], y[mask][:rows]


def written(path: Path, X: Any, y: Any) -> Path:
    lines = [",".join(map(repr, [label, *row])) for label, row in zip(y.tolist(), X.tolist(), strict=True)]
    path.write_text("y," + ",".join(f"x{i}" for i in range(X.shape[1])) + "\n" + "\n".join(lines) + "\n")
    return path


def settings(learner: str, parameters: dict[str, Any], width: int) -> dict[str, Any]:
    """The parameters as a plain run wants them."""
    values = dict(parameters)
    if learner in ("winnow", "online-gradient-descent"):
        values["eta"] = values["rate"]
    if learner == "p-norm-perceptron":
        values["norm"] = values["p"]
    values["full"] = values.get("matrix") not in ("diagonal", "sketch")
    return values


def again(tally: Tally, result: dict[str, Any], X: Any, y: Any, passes: int) -> None:
    """All numbers of a report of two classes."""
    learner, constant = result["learner"], float(result["parameters"]["intercept"])
    rows, signs = plain.rows_of(X, y, 1.0, constant)
    parameters = settings(learner, result["parameters"], rows.shape[1])
    if learner == "margin-perceptron":
        passes = result["rounds"] // len(y)
    run = plain.Run(learner, parameters, rows, signs, passes)
    for name in ("rounds", "mistakes"):
        tally.same(f"{learner} {name}", result[name], run.facts[name])
    # A row that was just learned has a margin of 1 but for rounding: whether it is an update only rounding knows.
    assert abs(result["updates"] - run.facts["updates"]) <= run.close
    if learner not in LOSSES_LISTED:
        tally.same(f"{learner} loss", result["loss"], run.facts["loss"])
    for one in result["certificates"]:
        certificate(tally, one, run, rows, signs, parameters, passes)


def certificate(
    tally: Tally, one: dict[str, Any], run: Any, rows: Any, signs: Any, parameters: Any, passes: int
) -> None:
    """Both sides of a certificate, and every fact that entered."""
    name = one["theorem"]
    if not one["applies"]:
        separated = plain.separable(rows, signs)
        assert not (separated and "cannot be separated" in one["why"]), f"{name}: {one['why']}"
        return
    constant = rows.shape[1] > len(one["comparator"]["vector"])
    vector = np.append(one["comparator"]["vector"], [one["comparator"]["bias"]] if constant else [])
    against = plain.comparator(rows, signs, vector, run, passes)
    facts = plain.facts(run) | {"quiet": 0.0}
    updates = {"updates", "update_norm2"} if run.close else set()
    for owner, mine in (("ledger", run.facts), ("comparator", against), ("learner", facts)):
        tally.facts(f"{name} {owner}", one["constants"][owner], mine, listed=[*ROUNDING, *LISTED, *updates])
    for fact in ("norm", "hinge", "squared_hinge", "rounds"):
        # Margins of 1 are 1 but for rounding, which their hinge losses add up.
        scale = 1e-6 * against["rounds"] if "hinge" in fact else 0.0
        tally.same(f"{name} comparator's {fact}", one["comparator"][fact], against[fact], scale=scale)
    observed = {
        "updates": run.facts["updates"],
        "mistakes": run.facts["mistakes"],
        "squared losses": run.facts["slope2"],
        "regret": run.facts["loss"] - against["loss"],
        "rounds": run.facts["rounds"],
    }
    if one["quantity"] == "margin asked for over margin attained":
        observed[one["quantity"]] = facts["threshold"] / against["margin"]
    tally.same(f"{name} observed", one["observed"], observed[one["quantity"]], scale=run.facts["loss"])
    size = against["hinge"] + run.facts["updates"]  # of which AROW's bounds are the difference
    again = plain.bound(name, run.facts, against, facts, parameters)
    tally.same(f"{name} bound", one["bound"], again, scale=size if run.kind == "arow" else 0.0)


@pytest.mark.parametrize("noise", [0.0, 0.5], ids=["separable", "noisy"])
@pytest.mark.parametrize("case", CASES)
def test_every_number_of_learn(run, tmp_path, case, noise):
    """Counts, losses, comparators' sums, facts and bounds of a run are those of a plain run over the same rows."""
    learner, parameters = CASES[case]
    X, y = table(noise)
    X = np.abs(X) if case == "winnow" and not noise else X
    path, tally = written(tmp_path / "t.csv", X, y), Tally()
    options = [word for name, value in parameters.items() for word in ("--set", f"{name}={value}")]
    for passes in (1, 3):
        words = () if learner == "margin-perceptron" else ("--passes", passes)
        command = run("learn", path, "--target", "y", "--learner", learner, *options, *words, "--json")
        again(tally, command.json, X, y, passes)
    print(f"{case}: {tally.count} numbers")
    assert tally.count >= 6  # PA's theorems are about rows that can be separated, or of one length


def test_certify_prints_what_learn_printed(run, tmp_path):
    """The certificates of a saved model are computed again like those of the run."""
    X, y = table(0.5)
    path, model, tally = written(tmp_path / "t.csv", X, y), tmp_path / "m.rgl", Tally()
    run("learn", path, "--target", "y", "--learner", "perceptron", "--passes", 2, "--save", model, "--quiet")
    again(tally, run("certify", model, path, "--json").json, X, y, 2)
    assert tally.count > 20


def test_the_largest_margin_is_the_largest(run, tmp_path):
    """The bound on separable rows is (r / rho)^2 at the largest margin, found by least squares."""
    X, y = table(0.0)
    path, tally = written(tmp_path / "t.csv", X, y), Tally()
    report = run("learn", path, "--target", "y", "--learner", "perceptron", "--set", "intercept=1", "--json").json
    rows, signs = plain.rows_of(X, y, 1.0, 1.0)
    assert plain.separable(rows, signs)
    rho = plain.largest_margin(rows, signs)
    tally.same("bound", report["certificates"][0]["bound"], (rows**2).sum(1).max() / rho**2, part=1e-6)


def test_a_class_for_each(run, tmp_path):
    """With three classes each class's updates, sums and bounds are those of its own run against the rest."""
    draw, tally = np.random.default_rng(8), Tally()
    X = draw.normal(size=(90, 4)).round(3)
    y = np.argmax(X[:, :3] + 0.3 * draw.normal(size=(90, 3)), axis=1).astype(float)
    path = written(tmp_path / "t.csv", X, y)
    words = ("--target", "y", "--learner", "perceptron", "--set", "intercept=0")
    report = run("learn", path, *words, "--json").json
    arrivals = [int(np.flatnonzero(y == label)[0]) for label in report["classes"]]
    late = sorted(arrivals)[2]  # the first two classes are each other's mirror image from the first row on
    for one in report["certificates"]:
        for place, part in enumerate(one["parts"] if one["applies"] else []):
            begin = arrivals[place] if arrivals[place] >= late else 0
            rows, signs = plain.rows_of(X[begin:], y[begin:], report["classes"][place], 0.0)
            own = plain.Run("perceptron", report["parameters"], rows, signs)
            value = part | {"theorem": one["theorem"], "applies": True, "quantity": "updates"}
            certificate(tally, value, own, rows, signs, report["parameters"], 1)
        if one["applies"]:
            tally.same("sum of the bounds", one["bound"], sum(part["bound"] for part in one["parts"]))
            tally.same("sum of what was observed", one["observed"], sum(part["observed"] for part in one["parts"]))
    assert tally.count > 60


def test_several_classes_at_once(run, tmp_path):
    """The perceptron of several classes and its bounds are those of a plain run over all rows."""
    draw, tally = np.random.default_rng(9), Tally()
    X = draw.normal(size=(80, 4)).round(3)
    y = np.argmax(X[:, :3] + 0.3 * draw.normal(size=(80, 3)), axis=1).astype(float)
    words = ("--target", "y", "--learner", "multiclass-perceptron", "--set", "intercept=0")
    report = run("learn", written(tmp_path / "t.csv", X, y), *words, "--json").json
    W, updates = np.zeros((3, 4)), 0
    known = set(list(dict.fromkeys(y.astype(int).tolist()))[:2])  # a lone class plays against the next one
    for x, label in zip(X, y.astype(int), strict=True):
        known.add(int(label))
        rival = max((place for place in sorted(known) if place != label), key=lambda place: W[place] @ x)
        if W[label] @ x <= W[rival] @ x:
            W[label] += x
            W[rival] -= x
            updates += 1
    for one in report["certificates"]:
        if not one["applies"]:
            continue
        V = np.array(one["comparator"]["vector"])
        V = V if len(V) == 3 else np.zeros((3, 4))  # nothing served better than no vector at all
        scores = X @ V.T
        own = scores[np.arange(80), y.astype(int)]
        scores[np.arange(80), y.astype(int)] = -np.inf
        hinge = np.maximum(0, 1 - (own - scores.max(axis=1))).sum()
        norm, r2 = np.sqrt((V**2).sum()), (X**2).sum(axis=1).max()
        tally.same("norm", one["comparator"]["norm"], norm)
        tally.same("hinge", one["comparator"]["hinge"], hinge)
        bounds = {
            "classes_sharp": plain._root(np.sqrt(2 * r2) * norm, hinge),
            "classes_posterior": hinge + norm * np.sqrt((W**2).sum()),
        }
        tally.same(one["theorem"], one["bound"], bounds[one["theorem"]])
        tally.same("updates", one["observed"], updates)
    assert tally.count >= 8


@pytest.mark.parametrize(
    ("kernel", "options"),
    [("rbf", {"gamma": 0.5}), ("poly", {"gamma": 0.3, "degree": 2, "coef0": 1.0})],
)
def test_a_kernel_perceptron(run, tmp_path, kernel, options):
    """Counts, the function's length and the bounds of a kernel perceptron follow from its Gram matrix; the sums of its
    comparators are listed: they are functions, which the report does not hold."""
    X, y = table(0.5)
    path, tally = written(tmp_path / "t.csv", X, y), Tally()
    words = [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
    words += ["--target", "y", "--learner", "kernel-perceptron", "--set", f"kernel={kernel}", "--passes", 2, "--json"]
    report = run("learn", path, *words).json
    squares = (X**2).sum(axis=1)
    gram = {
        "rbf": np.exp(-options["gamma"] * (squares[:, None] + squares - 2 * X @ X.T)),
        "poly": (options["gamma"] * X @ X.T + 1) ** 2,
    }[kernel]
    signs, alpha = np.where(y == 1, 1.0, -1.0), np.zeros(len(y))
    updates, mistakes, lengths = 0, 0, 0.0
    for i in [*range(len(y))] * 2:
        score = gram[i] @ alpha
        mistakes += (1 if score >= 0 else -1) != signs[i]
        if signs[i] * score <= 0:
            alpha[i] += signs[i]
            updates, lengths = updates + 1, lengths + float(gram[i, i])
    tally.same("updates", report["updates"], updates)
    tally.same("mistakes", report["mistakes"], mistakes)
    m = {"max_norm2": float(gram.diagonal().max()), "update_norm2": lengths}
    w = {"norm": float(np.sqrt(alpha @ gram @ alpha)), "rate": 1.0}
    for one in report["certificates"]:
        if not one["applies"]:
            continue
        values = one["constants"]["comparator"] | {"margin": one["comparator"]["margin"] or 0.0, "least": 0.0}
        v = {
            name: values.get(name, one["comparator"].get(name)) for name in ("norm", "hinge", "squared_hinge", "margin")
        }
        tally.same(one["theorem"], one["bound"], plain.bound(one["theorem"], m, v, w, {}))
        tally.same("observed", one["observed"], updates)
    assert tally.count >= 8


@pytest.mark.parametrize("learner", ["perceptron", "passive-aggressive", "arow"])
def test_real_tumours(run, data, tmp_path, learner):
    """Every number about the breast cancer data is that of a plain run."""
    with lzma.open(data / "dense" / "breast_cancer_wisconsin.csv.xz", "rt") as file:
        cells = [line.split(",") for line in file.read().splitlines()[1:]]
    whole = [line for line in cells if all(cell.isdigit() for cell in line[1:-1])]
    X = np.array([[float(cell) for cell in line[1:-1]] for line in whole])
    y = np.array([float(line[-1] == "malignant") for line in whole])
    assert len(y) > 600
    assert 0 < y.mean() < 1
    path, tally = written(tmp_path / "t.csv", X, y), Tally()
    again(tally, run("learn", path, "--target", "y", "--learner", learner, "--json").json, X, y, 1)
    print(f"{learner}: {tally.count} numbers")
    assert tally.count > 20
