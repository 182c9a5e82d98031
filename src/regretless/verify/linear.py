"""Certificates of `learn` and `certify`, and what they count, from the rows and the vectors alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from ..info import LinearInfo
from ..learner_table import LEARNERS
from ..textbook import linear as rules
from ..textbook import linear_runs as runs
from . import predicted
from .arriving_classes import ArrivingClasses
from .certificates import COUNTS, Again, idle, whole
from .checks import ABSENT, ALLOWED, OR_SETTINGS, Check, alike, at, elsewhere, has, headline, not_played, number
from .formulas import FORMULAS

Array = np.ndarray[Any, Any]

Fields = Mapping[str, Any]

ROUNDED = 2.0**-52  # of each product and sum, in two computations
SMALLEST = 1e-140  # numbers of rows up to which their squares have few digits, or none
MOST_CELLS = 20_000_000  # of rows times columns times passes that a textbook is asked to play


def check(
    report: Mapping[str, Any],
    rows: Any,
    labels: Array,
    vectors: Mapping[str, Array] | None = None,
    skipped: int | None = None,
) -> list[Check]:
    """One check a certificate, and one of the run.

    Parameters
    ----------
    report : mapping
        What ``learn --json`` or ``certify --json`` printed.
    rows : ndarray or scipy sparse array, shape (rows, features)
        Of one pass.
    labels : ndarray, shape (rows,)
    vectors : mapping of str to ndarray, optional
        What ``--save-comparators`` wrote.
    skipped : int, optional
        How many rows were passed over.
    """
    reader = _LearnedRounds(report, rows, labels)
    if not reader.has_classes():
        return elsewhere(report, *alike("classes", report["classes"], np.unique(labels).tolist()))
    scales = {"loss": float(reader.report["rounds"])}
    checks = [_check(reader, one, vectors or {}) for one in report["certificates"]]
    counted = reader.counted() | {"input/skipped": skipped}
    return [*checks, headline(report, counted, scales, not_played(reader.unplayed()))]


def _check(reader: _LearnedRounds, certificate: Mapping[str, Any], vectors: Mapping[str, Array]) -> Check:
    name = str(certificate["theorem"])
    if (nothing := idle(certificate)) is not None:
        return nothing
    if name in FORMULAS and FORMULAS[name].risk:
        first = "it is about the first pass alone"
        return Check(name, "unchecked", first) if reader.passes != 1 else _risk(reader, certificate)
    if certificate["quantity"] == "calibrated log loss":
        return Check(name, "unchecked", "the scores that rounds had before they were learned are not in the report")
    if reader.dual:
        return Check(name, "unchecked", "its comparator is a function of the kernel, and no vector")
    parts = certificate["parts"] or [certificate]
    each = []
    for place, part in enumerate(parts):
        key = f"{name}/{place}" if certificate["parts"] else name
        vector = vectors.get(key, part["comparator"] and part["comparator"]["vector"])
        if vector is None and reader.mixture and (why := _no_vector(reader, part)):
            return Check(name, "unchecked", why)
        if vector is None and reader.each_alone and not certificate["parts"]:
            classes = len(reader.classes)
            return Check(name, "unchecked", f"it sums over {classes} classes, and the report has the numbers of none")
        if vector is None:
            return Check(name, "unchecked", f"its vector is {ABSENT}")
        try:
            vector = np.asarray(vector, dtype=np.float64)
            target = place if certificate["parts"] else reader.whose(vector, float(part["comparator"]["bias"]))
            again = reader.again(certificate, part, vector, target)
            each.append(replace(again, shown={**again.shown, "vector": vectors[key]}) if key in vectors else again)
        except ValueError as error:
            return Check(name, "differs", str(error))
    return whole(certificate, each)


def _no_vector(reader: _LearnedRounds, part: Fields) -> str:
    """Why a certificate of a mixture has no vector anywhere; empty if it may be in a file."""
    if part["comparator"]["name"] in ("member", "sequence"):
        return "its comparator is a member of the mixture, and no vector"
    return "its comparators are vectors of each class, which are not kept" if len(reader.classes) > 2 else ""


def _risk(reader: _LearnedRounds, certificate: Mapping[str, Any]) -> Check:
    """The error rate of the pass; a row whose class had not come yet counts as an error there."""
    mistakes = certificate["constants"]["ledger"]["mistakes"]
    played = reader.run(None, certificate).get("ledger", {}) if len(reader.classes) == 2 else {}
    least = played.get("mistakes", reader.report["mistakes"])
    counted = min(max(mistakes, least), least + len(reader.classes))
    if counted != mistakes and not played:
        return Check(str(certificate["theorem"]), "differs", f"{mistakes} errors are not the {least} of the pass")
    ledger = {"rounds": reader.count} | ({"mistakes": int(counted)} if played else {})
    share = counted / reader.count * FORMULAS[str(certificate["theorem"])].risk
    return whole(certificate, [Again({"ledger": ledger}, observed=min(1.0, share), most=1.0)])


def _counts(run: Fields) -> dict[str, float]:
    """Updates, the lengths of their rows and mistakes of a run of the textbook."""
    names = ("updates", "update_norm2", "mistakes")
    return {name: count for name, count in run.get("ledger", {}).items() if name in names}


def _is_alike(one: Fields, other: Fields) -> bool:
    """Whether two runs count the same."""
    return one.keys() == other.keys() and all(abs(one[name] - other[name]) <= _slack(one[name]) for name in one)


def _is_near(count: float, others: Sequence[float]) -> bool:
    """Whether a count lies within five standard deviations of the mean of others: runs that rounding tells apart go on
    apart as by chance, and of few rows all others may miss what one has."""
    return bool(abs(count - np.mean(others)) <= 5 * max(float(np.std(others)), 1.0))


def _slack(count: float) -> float:
    """What sums of lengths may differ by."""
    return ALLOWED * abs(count)


class _Run(NamedTuple):
    """Of one class against the rest, or of all: how many passes, how many rows of the first came before the class, and
    what lines know of the learner."""

    target: int | None
    passes: int
    late: int
    learner: Fields


class _LearnedRounds:
    """The rounds of a report: rows with their constant feature, and their signs for each class."""

    def __init__(self, report: Mapping[str, Any], rows: Any, labels: Array) -> None:
        self.report, self.rows, self.labels = report, rows, labels
        self.parameters, entry = report["parameters"], LEARNERS.get(str(report["learner"]))
        self.info: LinearInfo | None = entry and entry.info
        self.twin = getattr(rules, self.info.twin) if self.info and self.info.twin else None
        self.classes = list(report["classes"])
        self.count = len(labels)
        self.passes = float(report["rounds"]) / max(self.count, 1)
        self.constant = float(self.parameters.get("intercept") or 0.0)
        self.dual, self.mixture = "kernel" in self.parameters, "rates" in self.parameters
        squares = rows.multiply(rows).sum(axis=1) if hasattr(rows, "multiply") else (rows * rows).sum(axis=1)
        self.weights = self._weights()
        self.norms2 = (np.asarray(squares, dtype=np.float64).ravel() + self.constant**2) * self.weights**2
        self.arriving = ArrivingClasses(labels, self.classes)
        self.each_alone = len(self.classes) > 2 and self.twin not in runs.ALL_IN_ONE
        self.targets: list[int | None] = [*range(len(self.classes))] if self.each_alone else [None]
        self._played: dict[int | None, dict[str, Any]] = {}
        self._asked: dict[int | None, _Run] = {}
        self._exact = False
        self._dense: Array | None = None

    def has_classes(self) -> bool:
        """Whether the labels are the classes of the report, where scores of all classes are compared."""
        several = self.twin in runs.ALL_IN_ONE and any(one["applies"] for one in self.report["certificates"])
        return not several or set(self.labels.tolist()) == set(self.classes)

    def _weights(self) -> Array:
        """What rows weigh by their class, where theorems are about the rows times that; of a mixture they are not."""
        weights, by_class = np.ones(self.count), self.parameters.get("class_weight") or {}
        if self.mixture:
            return weights
        if by_class == "balanced":
            _, places, counts = np.unique(self.labels, return_inverse=True, return_counts=True)
            return np.asarray((self.count / len(counts) / counts)[places])
        for name, weight in by_class.items():
            with suppress(ValueError):  # where labels are numbers, a word is none of them
                weights[self.labels == (name if self.labels.dtype.kind == "U" else float(name))] = weight
        return weights

    def signs(self, target: int | None) -> Array:
        """+1 where the label is the target's, or the larger of two; a class that is alone has a sign of its own."""
        if len(self.classes) < 2:
            return np.full(self.count, self.arriving.first_sign)
        label = self.classes[-1 if target is None else target]
        return np.where(self.labels == label, 1.0, -1.0)

    def margins(self, vector: Array, bias: float, target: int | None) -> Array:
        """y <v, x> of every row; of several classes together, by how much the right one leads."""
        if vector.ndim == 1:
            if len(vector) != self.rows.shape[1]:
                raise ValueError(f"its vector has {len(vector):,} numbers and the rows {self.rows.shape[1]:,} features")
            return np.asarray(self.signs(target) * (self.rows @ vector + bias * self.constant))
        if len(vector) == 1 and not vector.any():  # the same nothing for all classes
            return np.zeros(self.count)
        if len(vector) != max(2, len(self.classes)):
            raise ValueError(f"its vectors are of {len(vector):,} classes and the rows of {len(self.classes):,}")
        scores = np.asarray(self.rows @ vector[:, : self.rows.shape[1]].T)
        scores = scores + self.constant * vector[:, self.rows.shape[1]] if self.constant else scores
        places = self.arriving.places if len(vector) > 2 else (self.signs(None) > 0).astype(int)
        own = scores[np.arange(self.count), places]
        scores[np.arange(self.count), places] = -np.inf
        return np.asarray(own - scores.max(axis=1))

    def whose(self, vector: Array, bias: float) -> int | None:
        """The class that a vector tells from the rest, where a line is about the worst of several and does not say
        which that is; of other vectors none, as they are of all rounds."""
        if not self.each_alone or vector.ndim > 1:
            return None
        return max(range(len(self.classes)), key=lambda target: self.margins(vector, bias, target).min())

    def _rounded(self, sizes: Array, bias: float) -> Array:
        """By how much the margin of each row may be rounded, along a vector of these sizes."""
        columns = self.rows.shape[1]
        terms = abs(self.rows) @ np.atleast_2d(sizes)[:, :columns].T
        if sizes.ndim == 1:
            terms = terms + bias * self.constant
        elif self.constant:
            terms = terms + self.constant * sizes[:, columns]
        return np.asarray(terms.max(axis=1) * (columns + 2) * ROUNDED)

    def again(self, certificate: Fields, part: Fields, vector: Array, target: int | None) -> Again:
        """All that the rows say of one comparator."""
        comparator = part["comparator"]
        bias = float(comparator["bias"]) if vector.ndim == 1 else 0.0
        margins = self.weights * self.margins(vector, bias, target)
        if not 0 <= comparator["rounds"] <= self.report["rounds"]:
            raise ValueError(f"its comparator is about {comparator['rounds']} rounds of {self.report['rounds']}")
        times = self._times(float(comparator["rounds"]))
        played = times > 0
        hinge = np.maximum(0.0, 1 - margins)
        doubt = self.weights * self._rounded(np.abs(vector), abs(bias))
        errors = {"hinge": float(times @ doubt), "squared_hinge": float(times @ (doubt * (2 * hinge + doubt)))}
        norm = float(np.sqrt((vector**2).sum() + bias**2))
        seen: dict[str, Any] = {
            "norm": norm,
            "hinge": float(times @ hinge),
            "squared_hinge": float(times @ hinge**2),
            "least": float(margins[played].min()) if played.any() else None,
            "largest": float(np.abs(margins[played]).max()) if played.any() else None,
            "rounds": int(times.sum()),
            "total_norm2": float(times @ self.norms2),
            "max_norm2": float(self.norms2[played].max()) if played.any() else None,
            "bias": bias,
        }
        usual = rules.IN_WORDS.get(self.info.charged, "hinge") if self.info else "hinge"
        loss = self.parameters.get("loss", usual)
        if comparator["loss"] is not None and loss in rules.LOSSES:
            seen["loss"] = float(times @ rules.LOSSES[loss][0](margins))
        if norm > 0 and seen["least"] is not None:
            seen["margin"] = seen["least"] / norm
        seen |= self._geometry(vector, bias)
        run = self.run(target, part)
        errors |= self._errors(vector, bias, run)
        seen |= self._products(vector, bias, run, part)
        ledger = {name: seen[name] for name in ("rounds", "total_norm2", "max_norm2")} | run.get("ledger", {})
        shown = {
            name: seen.get(name) for name in ("norm", "hinge", "squared_hinge", "loss", "rounds", "margin", "largest")
        }
        # By the width theorems round up for the errors of products of so many terms.
        learner = {"width": float(self.rows.shape[1] + 1)} | self._settled() | run.get("learner", {})
        facts = {"ledger": ledger, "comparator": seen, "learner": learner}
        observed = self._observed(str(certificate["quantity"]).partition(" (")[0], seen, run, part)
        shown = {name: value for name, value in shown.items() if value is not None}
        shown |= {"bias": 0.0} if vector.ndim != 1 else {}  # a matrix has a column for those of the constant feature
        most = self._most(str(certificate["quantity"]), seen, run)
        # A mixture is allowed a part of sums that its members had, which are not computed again.
        rounding = None if self.mixture else 0.0
        return Again(facts, shown, observed, self._scales(certificate, seen, run), most, rounding, errors=errors)

    def _errors(self, vector: Array, bias: float, run: Fields) -> dict[str, float]:
        """By how much what theorems measure of a vector may be rounded: its product with the roots of a matrix; and
        its divergence, which is what is left of ln N without a sum of as many terms, and which a report rounds up."""
        terms, errors = (self.rows.shape[1] + 4) * ROUNDED, {}
        if "roots" in run:
            sizes = np.abs(run["roots"]) @ np.abs(self._with_constant(vector, bias))
            errors["own"] = float(np.linalg.norm(sizes)) * terms
        weights = self._settled().get("weights")
        if weights:
            errors["divergence"] = 2 * terms * (1 + log(weights))
        return errors

    def _with_constant(self, vector: Array, bias: float) -> Array:
        """A vector, or a matrix as one, with its weight of the constant feature."""
        return np.append(vector, bias) if self.constant else np.asarray(vector).ravel()

    def _most(self, quantity: str, seen: Fields, run: Fields) -> float | None:
        """The most that a quantity can be: a count the rounds, a log loss a coin's, a regret what was lost; others have
        no limit."""
        if quantity.startswith((*COUNTS, "weighed mistakes")):
            return float(seen["rounds"])
        if quantity.startswith("log loss"):
            return float(seen["rounds"]) * log(2)
        if quantity.startswith("regret"):
            lost: float | None = run.get("ledger", {}).get("loss")
            return lost
        return inf

    def counted(self) -> dict[str, Any]:
        """The numbers of the run; of rounds only if a certificate says that it is about these rows."""
        nonzeros = self.rows.nnz if hasattr(self.rows, "nnz") else np.count_nonzero(self.rows)
        numbers = {"input/rows": self.count, "input/features": self.rows.shape[1], "input/nonzeros": int(nonzeros)}
        if not any(one["applies"] for one in self.report["certificates"]):
            return numbers
        numbers["classes"] = np.unique(self.labels).tolist()
        once = "passes" in self.parameters and not self.parameters.get("until_clean")
        passes = self.parameters["passes"] if once else max(1, round(self.passes))
        numbers["rounds"] = self.count * passes
        counts = np.unique(self.labels, return_counts=True)[1]
        numbers["best_constant_log_loss"] = float(counts @ np.log(self.count / counts))
        same = numbers["classes"] == self.classes
        numbers |= self._progressive() if same else {}
        if self.dual:
            return numbers
        numbers |= self._counted_again()
        return numbers | (self._foretold() if same else {})

    def _counted_again(self) -> dict[str, float]:
        """What the textbook counts of the whole run: of one class against the rest the sums over all classes, which the
        mistakes of the whole are not."""
        if self.each_alone:
            lines = [one["parts"] for one in self.report["certificates"] if one["applies"] and one["parts"]]
            each = [self.run(target, part) for target, part in enumerate(lines[0])] if lines else []
            ledgers = [run["ledger"] for run in each] if all(each) else []
            names = [name for name in ("updates", "loss") if ledgers and all(name in one for one in ledgers)]
            return {name: sum(one[name] for one in ledgers) for name in names}
        lines = [one for one in self.report["certificates"] if one["constants"]]
        ledger = self.run(None, lines[0]).get("ledger", {}) if lines else {}
        return {name: ledger[name] for name in ("mistakes", "updates", "loss") if name in ledger}

    def _progressive(self) -> dict[str, Any]:
        """What labels say of how rows were predicted, and what the report's own counts must be beside one another."""
        progressive = self.report.get("progressive")
        if progressive is None:
            return {}
        numbers = predicted.by_labels(self.arriving, self.classes)
        if progressive["confusion"] is not None:
            numbers |= predicted.by_confusion(self.arriving, progressive["confusion"]["counts"])
        if self.passes == 1 and not self._predicts_otherwise:
            numbers["mistakes"] = numbers.get("progressive/errors", progressive["errors"])
        return numbers

    @property
    def _predicts_otherwise(self) -> bool:
        """Whether rows are predicted by other weights than those whose mistakes are counted: by means or votes."""
        return self.info is not None and self.info.predicts_by in ("average", "vote")

    @property
    def _are_short(self) -> bool:
        """Whether the rows are so short that their squares have few digits, or none."""
        return bool(self.rows.shape[1] and 0 < abs(self.rows).max() < SMALLEST)

    @property
    def _is_one_sided(self) -> bool:
        """Whether a class against the rest is learned otherwise than the rest against it."""
        return self.parameters.get("balanced") is False

    def _foretold(self) -> dict[str, Any]:
        """How the textbook's runs predicted all rounds; of what rounding decides only counts that are far off it."""
        played = [self._played.get(target) for target in self.targets]
        if not all(played) or not (self.twin in runs.COMPARABLE or not self.each_alone):
            return {}
        own = self._predicted([run for run in played if run])
        if self._exact or not self._contradicts(own):
            return own
        nudged = runs.nudged(self._dense) if self._dense is not None else ()
        asked = [self._asked[target] for target in self.targets]
        others = [self._predicted([self._once(near, run) for run in asked]) for near in nudged]
        if all(one == own for one in others):
            return own
        stated = {name: at(self.report, name) for name in ("mistakes", "progressive/errors") if has(self.report, name)}
        near = {name for name, count in stated.items() if _is_near(count, [one.get(name, count) for one in others])}
        return {name: own[name] for name in stated.keys() - near if name in own}

    def _contradicts(self, own: Fields) -> bool:
        """Whether the report has other numbers than these."""
        stated = {path: at(self.report, path) for path in own if has(self.report, path)}
        return any(not one.agrees for path, said in stated.items() for one in alike(path, said, own[path]))

    def _predicted(self, each: Sequence[Fields]) -> dict[str, Any]:
        """How runs, of each class against the rest or of all at once, predicted all rounds."""
        rounds, classes = self.count * int(self.passes), len(self.classes)
        late = [self._asked[target].late for target in self.targets]
        whole = all(len(run.get("scores", ())) == rounds - its for run, its in zip(each, late, strict=True))
        if not whole or classes < 2 or (self._is_one_sided and self._turns()):  # or one class was learned before others
            return {}
        if len(each) == 1 and classes > 2:
            known = self.arriving.known() + [list(range(classes))] * (rounds - self.count)
            both = zip(each[0]["scores"].tolist(), known, strict=True)
            places = np.array([max(there, key=lambda place: scores[place]) for scores, there in both])
        else:
            scores = np.zeros((rounds, classes))
            for place, run in enumerate(each if self.each_alone else [{"scores": -each[0]["scores"]}, *each]):
                scores[rounds - len(run["scores"]) :, place] = run["scores"]
            places = predicted.predictions(scores, self.arriving, -1 if self.parameters.get("ties") == -1 else 1)
        updated = [np.pad(run["updated"], (rounds - len(run["updated"]), 0)) for run in each if "updated" in run]
        counted = len(updated) == len(each) and all("updates" in run["ledger"] for run in each)
        updates = np.array(updated) if counted else None
        return predicted.by_predictions(self.arriving, places, updates, otherwise=self._predicts_otherwise)

    def _scales(self, certificate: Fields, seen: Fields, run: Fields) -> dict[str, float]:
        """Each round takes its margin from 1; a regret takes a loss from another, and a bound may take updates from a
        sum."""
        rounds = float(seen["rounds"])
        scales = dict.fromkeys(("hinge", "squared_hinge", "loss"), rounds)
        scales["margin"] = float(np.sqrt(seen["max_norm2"] or 0.0))
        scales["observed"] = max(rounds, float(seen.get("loss", 0.0)))
        name = str(certificate["theorem"])
        if name in FORMULAS and FORMULAS[name].subtracts:
            scales["bound"] = float(seen["hinge"] + run.get("ledger", {}).get("updates", 0.0))
        return scales

    def _observed(self, quantity: str, seen: Mapping[str, Any], run: Fields, part: Fields) -> float | None:
        if quantity == "regret":
            return float(part["constants"]["ledger"]["loss"] - seen["loss"])
        if quantity == "margin asked for over margin attained" and seen["least"]:
            return float(seen["own"] / seen["least"])
        name = {"updates": "updates", "mistakes": "mistakes", "squared losses": "slope2"}.get(quantity, "")
        numbers: float | None = run.get("ledger", {}).get(name, run.get("observed", {}).get(quantity))
        return numbers

    def _times(self, rounds: float) -> Array:
        """How often each row that weighs anything was played: in every pass, but a class that came late missed the
        first ones."""
        (there,) = np.nonzero(self.weights)
        passes = np.ceil(rounds / len(there)) if len(there) else 0.0
        times = np.zeros(self.count)
        times[there] = passes
        times[there[: int(passes * len(there) - rounds)]] -= 1
        return times

    def _geometry(self, vector: Array, bias: float) -> dict[str, float]:
        """What the learner's theorems measure of a vector beside its length."""
        measure = runs.MEASURES.get(self.twin)
        if measure is None:
            return {}
        return measure(self.parameters, np.abs(np.append(vector, bias)), self.rows.shape[1] + bool(self.constant))

    def _settled(self) -> dict[str, float]:
        """What the settings and the columns alone say of the learner."""
        settled = runs.SETTLED.get(self.twin)
        return {} if settled is None else settled(self.parameters, self.rows.shape[1] + bool(self.constant))

    def _products(self, vector: Array, bias: float, run: Fields, part: Fields) -> dict[str, float]:
        """What a comparator measures in terms of the run: <v, theta>, |v|_q, sqrt(v'A v) = |F v|."""
        whole, numbers = self._with_constant(vector, bias), {}
        if "theta" in run:
            numbers["product"] = float(whole @ run["theta"])
        if "roots" in run:
            numbers["own"] = float(np.linalg.norm(run["roots"] @ whole))
        p = part["constants"]["learner"].get("p")
        if p is not None:
            q = p / (p - 1)
            numbers["own"] = float((np.abs(whole) ** q).sum() ** (1 / q))
        return numbers

    # The run once more, as the textbook has it.

    def run(self, target: int | None, part: Mapping[str, Any]) -> dict[str, Any]:
        """Counts and weights of the textbook's run over the same rounds; empty where it is none of the textbook's."""
        if target not in self._played:
            self._played[target] = self._play(target, part)
        return self._played[target]

    def _play(self, target: int | None, part: Mapping[str, Any]) -> dict[str, Any]:
        if self._hindered() or (self.each_alone and target is None):
            return {}
        learner = self._all_known() | part["constants"]["learner"]
        if self._dense is None:
            self._dense = np.asarray(self.rows.toarray() if hasattr(self.rows, "toarray") else self.rows, np.float64)
            if self.constant:
                self._dense = np.column_stack([self._dense, np.full(self.count, self.constant)])
        passes = int(self.passes)
        late = 0 if target is None else int(passes * self.count - part["comparator"]["rounds"])
        run = self._asked[target] = _Run(target, passes, late, learner)
        result = self._once(self._dense, run)
        self._exact = runs.is_exact(self.twin, self._dense, passes, self.parameters.get("rate") or 1.0)
        return {} if not self._exact and result and self._may_be_rounded(self._dense, run, result, part) else result

    def _may_be_rounded(self, rows: Array, run: _Run, result: Fields, part: Fields) -> bool:
        """Whether the counts are others than stated where rounding decides: runs over rows that differ by nothing else
        count otherwise, too, and by chance as much."""
        own = _counts(result)
        of_all = [part["constants"].get("ledger") or {}, self.report]
        statements = self._stated(own, *(of_all if run.target is None else self._ledgers(run.target)))
        stated = [(name, count) for name, count in statements if abs(count - own[name]) > _slack(count)]
        others = [own]
        for near in runs.nudged(rows) if stated else ():
            others.append(_counts(self._once(near, run)))
            if own.keys() - others[-1].keys():
                return True
            if all(abs(count - others[-1][name]) <= _slack(count) for name, count in stated):
                return True
        if all(_is_alike(one, own) for one in others):
            return False
        return all(_is_near(count, [one[name] for one in others]) for name, count in stated if name in COUNTS)

    def _once(self, rows: Array, run: _Run) -> dict[str, Any]:
        """The textbook's run over rows, of one class against the rest or of all classes at once."""
        passes = run.passes
        if len(self.classes) > 2 and not self.each_alone:
            known = self.arriving.known() + [list(range(len(self.classes)))] * ((passes - 1) * self.count)
            facts = {**run.learner, "classes": len(self.classes), "known": known}
            return dict(runs.AT_ONCE[self.twin](rows, self.arriving.places, passes, self.parameters, facts))
        signs = self.signs(run.target)
        result = self._played_by_signs(rows, signs, run)
        if "mistakes" in result.get("ledger", {}):
            result["ledger"]["mistakes"] += self._mistaken_otherwise(rows, signs, run)
        return result

    def _played_by_signs(self, rows: Array, signs: Array, run: _Run) -> dict[str, Any]:
        """One class against the rest, from the row on in which it came."""
        play = runs.PLAYS[self.twin]
        if not run.late:
            return dict(play(rows, signs, run.passes, self.parameters, run.learner))
        rows = np.concatenate([rows[run.late :], *[rows] * (run.passes - 1)])
        signs = np.concatenate([signs[run.late :], *[signs] * (run.passes - 1)])
        return dict(play(rows, signs, 1, self.parameters, run.learner))

    def _mistaken_otherwise(self, rows: Array, signs: Array, run: _Run) -> int:
        """How many more mistakes there were since a score of 0 says +1, which another class was until more came."""
        shift, own = 0, len(self.classes) - 1 if run.target is None else run.target
        if own not in self.arriving.pair:
            return 0
        once = run._replace(passes=1)
        for begin, end, plus in self.arriving.phases():
            if plus != own:
                for count, factor in ((end, 1), (begin, -1)):
                    for labels, sign in ((-signs, 1), (signs, -1)):
                        part = self._played_by_signs(rows[:count], labels[:count], once) if count else {}
                        shift += factor * sign * int(part["ledger"]["mistakes"] if part else 0)
        return shift

    def _ledgers(self, target: int) -> list[Fields]:
        """What each line that applies states of one class."""
        lines = (one["parts"] for one in self.report["certificates"] if one["applies"] and one["parts"])
        return [(one["constants"] or {}).get("ledger") or {} for one in (parts[target] for parts in lines)]

    def _stated(self, counts: Fields, *statements: Fields) -> list[tuple[str, float]]:
        """What a certificate and the report state of these counts, as far as they state any."""
        known = ((name, number(one.get(name))) for name in counts for one in statements)
        return [(name, count) for name, count in known if isinstance(count, int | float)]

    def _all_known(self) -> dict[str, Any]:
        """What all lines together know of the learner: of p, say, one line alone."""
        each = (part for one in self.report["certificates"] if one["applies"] for part in one["parts"] or [one])
        lines = (one.get("constants") or {} for one in each)
        return {name: value for one in lines for name, value in (one.get("learner") or {}).items()}

    def _hindered(self) -> str:
        """What keeps the textbook from playing the run again; empty if nothing does."""
        if len(self.classes) > 2 and not self._plays_several():
            return "the textbook plays this learner, with these settings, of two classes alone"
        if self.dual or self.mixture:
            return "it is in the space of a kernel" if self.dual else "it is a mixture of learners"
        if self.twin not in runs.PLAYS:
            return "the textbook has no run of this learner"
        if len(self.classes) == 2 and self._turns() and runs.is_of_ties(self.twin, self.parameters):
            return "ties were decided by another sign until the second class came"
        if self.parameters["class_weight"]:
            return "its rounds were weighed"
        if self.passes != int(self.passes):
            return "it ended within a pass"
        if self._are_short:
            return "the squares of its rows are no floats of full precision"
        width = self.rows.shape[1] + bool(self.constant)
        if not runs.keeps_digits(self.twin, self.parameters, width, float(self.norms2.max(initial=0.0))):
            return "its rows are so long that the textbook's matrix keeps less than half the digits"
        cells = self.count * (self.rows.shape[1] + 1) * self.passes * (len(self.classes) if self.each_alone else 1)
        return f"it is of more than {MOST_CELLS:,} numbers" if cells > MOST_CELLS else ""

    def _turns(self) -> bool:
        """Whether the smaller of two classes was +1 while it was alone."""
        return any(end > begin and plus != len(self.classes) - 1 for begin, end, plus in self.arriving.phases())

    def _plays_several(self) -> bool:
        """Whether the textbook plays more than two classes of this learner."""
        return runs.is_symmetric(self.twin, self.parameters) if self.each_alone else self.twin in runs.AT_ONCE

    def unplayed(self) -> str:
        """Why the textbook did not play the run again; empty if it did, or if nothing asked for it."""
        if not any(one["applies"] for one in self.report["certificates"]):
            return ""
        return self._hindered() or (OR_SETTINGS if self._unlike_any() else "")

    def _unlike_any(self) -> bool:
        """Whether a run was asked for, of one class or of all, that the textbook does not give."""
        return any(not run for target, run in self._played.items() if target is not None or not self.each_alone)
