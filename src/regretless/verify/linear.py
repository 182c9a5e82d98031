"""Certificates of `learn` and `certify`, and what they count, from the rows and the vectors alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf, log
from typing import Any

import numpy as np

from ..textbook import linear as rules
from ..textbook import linear_runs as runs
from . import predicted
from .certificates import COUNTS, Again, idle, whole
from .checks import ABSENT, Check, alike, elsewhere, headline, not_played
from .formulas import FORMULAS
from .played_rounds import PlayedRounds

Array = np.ndarray[Any, Any]

Fields = Mapping[str, Any]

ROUNDED = 2.0**-52  # of each product and sum, in two computations


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
    reader = _CheckedRounds(report, rows, labels)
    if not reader.has_classes():
        return elsewhere(report, *alike("classes", report["classes"], np.unique(labels).tolist()))
    scales = {"loss": float(reader.report["rounds"])}
    checks = [_check(reader, one, vectors or {}) for one in report["certificates"]]
    counted = reader.counted() | {"input/skipped": skipped}
    return [*checks, headline(report, counted, scales, not_played(reader.unplayed()))]


def _check(reader: _CheckedRounds, certificate: Mapping[str, Any], vectors: Mapping[str, Array]) -> Check:
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


def _no_vector(reader: _CheckedRounds, part: Fields) -> str:
    """Why a certificate of a mixture has no vector anywhere; empty if it may be in a file."""
    if part["comparator"]["name"] in ("member", "sequence"):
        return "its comparator is a member of the mixture, and no vector"
    return "its comparators are vectors of each class, which are not kept" if len(reader.classes) > 2 else ""


def _risk(reader: _CheckedRounds, certificate: Mapping[str, Any]) -> Check:
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


class _CheckedRounds(PlayedRounds):
    """The rounds of a report, and what they say of comparators and of the numbers of the run."""

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
        errors["least"] = float(doubt[played].max(initial=0.0))
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
        numbers |= self.counted_again()
        return numbers | (self.foretold() if same else {})

    def _progressive(self) -> dict[str, Any]:
        """What labels say of how rows were predicted, and what the report's own counts must be beside one another."""
        progressive = self.report.get("progressive")
        if progressive is None:
            return {}
        numbers = predicted.by_labels(self.arriving, self.classes)
        if progressive["confusion"] is not None:
            numbers |= predicted.by_confusion(self.arriving, progressive["confusion"]["counts"])
        if self.passes == 1 and not self.predicts_otherwise:
            numbers["mistakes"] = numbers.get("progressive/errors", progressive["errors"])
        return numbers

    def _rounded(self, sizes: Array, bias: float) -> Array:
        """By how much the margin of each row may be rounded, along a vector of these sizes."""
        columns = self.rows.shape[1]
        terms = abs(self.rows) @ np.atleast_2d(sizes)[:, :columns].T
        if sizes.ndim == 1:
            terms = terms + bias * self.constant
        elif self.constant:
            terms = terms + self.constant * sizes[:, columns]
        return np.asarray(terms.max(axis=1) * (columns + 2) * ROUNDED)

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
        return measure(self.parameters, np.abs(np.append(vector, bias)), self.width)

    def _settled(self) -> dict[str, float]:
        """What the settings and the columns alone say of the learner."""
        settled = runs.SETTLED.get(self.twin)
        return {} if settled is None else settled(self.parameters, self.width)

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
