"""Everything compiled, called with arrays that do not fit: a complaint in words or a result, never a crash."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless
from regretless import _core
from regretless.contextual import EpsilonGreedy, FastCB, LinThompson, LinUCB, SquareCB
from regretless.linear import AROW, AggregatedClassifier, Perceptron, PNormPerceptron, SecondOrderPerceptron, Winnow
from regretless.regression import AggregatedQuantile, AggregatedRegressor, VovkAzouryWarmuth

from .sound_calls import Arguments, copied, sound_calls

pytestmark = pytest.mark.kernel

CALLS = 400  # of each function and method
REFUSED = (ValueError, TypeError, RuntimeError, MemoryError, OverflowError, BufferError, AttributeError)
NUMBERS = np.array([0, 0, 1, 1, 1, -1, 0.5, 2, 5e-324, 1e-160, 1e160, 1.7e308, np.inf, -np.inf, np.nan])
WHOLE = np.array([0, 0, 0, 1, 1, 1, 2, 3, 4, -1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)])
DTYPES = (np.float64, np.float64, np.float32, np.int64, np.int32, np.uint8)
FEW = ("rounds", "words", "work", "limit", "least", "end", "depth")  # whose large values are asked for in good faith
NAMES = [
    "perceptron",
    "margin",
    "hinge",
    "direct",
    "euclidean",
    "ball",
    "constant",
    "anytime",
    "pa",
    "hedge",
    "exp3",
    "exp4",
]
NAMES += [
    "squared-hinge",
    "simplex",
    "balanced",
    "power",
    "square",
    "log",
    "table",
    "rm+",
    "cfr+",
    "tsallis-inf",
    "nothing",
]


def signatures() -> dict[str, list[dict[str, str]]]:
    """What each parameter of every function and method must be, as the stub of the core has it."""
    tree = ast.parse((Path(regretless.__file__).parent / "_core.pyi").read_text())
    parameters: dict[str, list[dict[str, str]]] = {}
    for node in tree.body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for each in inside:
            if isinstance(each, ast.FunctionDef):
                taken = [one for one in (*each.args.args, *each.args.kwonlyargs) if one.annotation is not None]
                annotations = {one.arg: ast.unparse(one.annotation) for one in taken if one.arg != "self"}
                parameters.setdefault(prefix + each.name, []).append(annotations)
    return parameters


SIGNATURES = signatures()


def array(random: np.random.Generator, annotation: str) -> np.ndarray:
    """An array of the right type and number of dimensions, mostly, whose lengths are small and often alike."""
    named = re.search(r"NDArray\[numpy\.(\w+)\]", annotation)
    shape = re.search(r"shape=\(([^)]*)\)", annotation)
    dimensions = shape[1].count("None") if shape else int(random.integers(1, 3))
    dtype = np.dtype(named[1]) if named and random.random() < 0.98 else np.dtype(DTYPES[random.integers(len(DTYPES))])
    lengths = random.choice([0, 1, 1, 2, 2, 2, 3, 6, 16], size=dimensions)
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return random.choice(NUMBERS[: random.choice([3, 8, len(NUMBERS)])], size=lengths).astype(dtype)
    return random.choice(WHOLE[: random.choice([6, len(WHOLE)])], size=lengths).astype(dtype)


def value(random: np.random.Generator, name: str, annotation: str) -> Any:
    """Something for a parameter."""
    if "None" in annotation.replace("shape=(None", "") and random.random() < 0.3:
        return None
    if "NDArray" in annotation:
        several = annotation.startswith("Sequence")
        return [array(random, annotation) for _ in range(3)] if several else array(random, annotation)
    if annotation == "Sequence[bytes]":
        return [bytes(random.integers(10)) for _ in range(random.integers(3))]
    if annotation.startswith("float"):
        return float(random.choice(NUMBERS))
    if annotation.startswith("bool"):
        return bool(random.integers(2))
    if annotation.startswith("str"):
        return NAMES[random.integers(len(NAMES))]
    if name == "memory":
        return int(random.choice([0, 2**20]))
    return int(random.choice([0, 1, 2, 3, -1] if name in FEW else WHOLE[: random.choice([9, len(WHOLE)])]))


def drawn(random: np.random.Generator, name: str) -> Arguments:
    """Arguments of which nothing is known but the types of the parameters."""
    options = SIGNATURES[name]
    parameters = options[random.integers(len(options))]
    return (), {parameter: value(random, parameter, annotation) for parameter, annotation in parameters.items()}


def changed(random: np.random.Generator, arguments: Arguments) -> Arguments:
    """Arguments that fit, or the same but for one or two."""
    args, named = copied(arguments)
    places = [*range(len(args)), *named]
    every: dict[Any, Any] = dict(enumerate(args)) | named
    for place in random.permutation(len(places))[: random.choice([0, 1, 1, 1, 2])]:
        every[places[place]] = other(random, every[places[place]])
    return tuple(every[place] for place in range(len(args))), {name: every[name] for name in named}


def other(random: np.random.Generator, one: Any) -> Any:
    """Something else of the same type, mostly."""
    if isinstance(one, np.ndarray):
        if random.random() < 0.6 and one.ndim:
            lengths = [*one.shape]
            axis = random.integers(one.ndim)
            lengths[axis] = max(0, random.choice([0, 1, lengths[axis] - 1, lengths[axis] + 1]))
            return np.resize(one, lengths) if one.size else np.zeros(lengths, one.dtype)
        if random.random() < 0.1:
            with np.errstate(all="ignore"):
                return one.astype(DTYPES[random.integers(len(DTYPES))])
        if one.size:
            one.flat[random.integers(one.size)] = 0
            with np.errstate(all="ignore"):
                values = NUMBERS if one.dtype.kind == "f" else WHOLE
                one.flat[random.integers(one.size)] = values[random.integers(len(values))].astype(one.dtype)
        return one
    if isinstance(one, list) and one:
        place = int(random.integers(len(one)))
        return one[:place] + [other(random, one[place])] * int(random.choice([0, 1, 1, 1])) + one[place + 1 :]
    if isinstance(one, tuple) and one:
        place = int(random.integers(len(one)))
        return (*one[:place], other(random, one[place]), *one[place + 1 :])
    if isinstance(one, bool):
        return not one
    if isinstance(one, int):
        return int(WHOLE[random.integers(len(WHOLE))])
    if isinstance(one, float):
        return float(random.choice(NUMBERS))
    return NAMES[random.integers(len(NAMES))] if isinstance(one, str) else None


def outcome(function: Callable[..., Any], arguments: Arguments) -> str:
    """How a call ends."""
    try:
        function(*arguments[0], **arguments[1])
    except TypeError:
        return "of other types"
    except REFUSED:
        return "refused"
    return "accepted"


def made(random: np.random.Generator) -> dict[str, Callable[[], Any]]:
    """Small objects that are sound, by the name of their class."""
    bits, all_of = np.array([[5], [6], [3]], dtype=np.uint64), np.array([7], dtype=np.uint64)
    X, y = random.normal(size=(6, 3)), [0, 1, 2, 0, 1, 2]

    def player(learner: Any) -> Any:
        learner.partial_fit(X, y if random.random() < 0.5 else [0, 1] * 3)
        return learner.state_.make_player(learner.checked())

    def numbers(learner: Any) -> Any:
        learner.partial_fit(X, np.arange(6.0))
        return learner.state_.make_player(learner.rules())

    def explorer(bandit: Any) -> Any:
        bandit.play(X, np.abs(X) / (1 + np.abs(X)))
        return bandit.core

    return {
        "Player": lambda: player(Perceptron()),
        "MirrorPlayer": lambda: player((Winnow(), Winnow(balanced=True), PNormPerceptron())[random.integers(3)]),
        "SecondOrderPlayer": lambda: player(
            (AROW(), AROW(matrix="sketch", rank=1), SecondOrderPerceptron(matrix="full"))[random.integers(3)]
        ),
        "AggregatedPlayer": lambda: player(AggregatedClassifier(full=(0, 256, "sketch")[random.integers(3)])),
        "RegressionPlayer": lambda: numbers(
            (AggregatedRegressor(full=int(random.choice([0, 256]))), AggregatedQuantile(), VovkAzouryWarmuth())[
                random.integers(3)
            ]
        ),
        "Explorer": lambda: explorer(
            (EpsilonGreedy, SquareCB, FastCB, LinUCB, LinThompson)[random.integers(5)](3, seed=int(random.integers(9)))
        ),
        "Payer": lambda: _core.Payer.dense(X),
        "GameTableau": lambda: _core.GameTableau(np.eye(3), 0.0, 1.0, None),
        "Littlestone": lambda: _core.Littlestone(bits, 3, 2**20),
        "RandomizedLittlestone": lambda: _core.RandomizedLittlestone(bits, 3, 2**20),
        "Shatter": lambda: _core.Shatter(bits, 3, 1),
        "Voter": lambda: _core.Voter(bits, 3, all_of.copy(), np.zeros(5, dtype=np.int64)),
        "WordReader": lambda: _core.WordReader(int(random.integers(1, 4))),
        "WorstCaseSearch": lambda: _core.WorstCaseSearch(bits, 3, memory=2**20),
    }


FUNCTIONS = [name for name in SIGNATURES if "." not in name and "NDArray" in " ".join(SIGNATURES[name][0].values())]
BORN = [
    name for name in SIGNATURES if name.endswith(".__init__") or (name.startswith("Payer.") and "gains" not in name)
]
METHODS = [
    name
    for name in SIGNATURES
    if name.split(".")[0] in made(np.random.default_rng()) and not name.endswith("__init__") and name not in BORN
    if SIGNATURES[name][0]
]


def hostile(random: np.random.Generator, name: str, function: Callable[[], Any]) -> dict[str, int]:
    """How calls with what the random numbers say ended: every other one is a call of the library with changes."""
    ends = dict.fromkeys(("of other types", "refused", "accepted"), 0)
    known = sound_calls().get(name, [])
    for k in range(CALLS):
        if known and k % 2:
            make, arguments = known[random.integers(len(known))]
            sound, _borrowed = make()
            ends[outcome(sound, changed(random, arguments))] += 1
        else:
            ends[outcome(function(), drawn(random, name))] += 1
    return ends


def reached(ends: dict[str, int]) -> None:
    """What was called looked at its arguments itself often, and took some of them."""
    assert ends["refused"] + ends["accepted"] >= CALLS // 4, ends
    assert ends["accepted"] > 0, ends


@pytest.mark.parametrize("name", [*FUNCTIONS, *BORN])
def test_arrays_that_do_not_fit_are_refused(name):
    """A function, or the making of an object, either takes arrays of any lengths or raises an error, and does both."""
    of, _, method = name.partition(".")
    function = getattr(_core, of) if method in ("", "__init__") else getattr(getattr(_core, of), method)
    reached(hostile(np.random.default_rng(0), name, lambda: function))


@pytest.mark.parametrize("name", METHODS)
def test_sound_objects_refuse_what_does_not_fit(name):
    """A method of an object that is sound either takes arrays of any lengths and numbers, or raises an error."""
    random = np.random.default_rng(0)
    of, _, method = name.partition(".")
    maker = made(random)[of]

    def functions() -> Iterator[Any]:
        while True:
            one = maker()
            for _ in range(8):
                yield getattr(one, method)

    each = functions()
    reached(hostile(random, name, lambda: next(each)))
