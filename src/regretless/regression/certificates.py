"""How a learner of numbers has its theorems read against the rounds that it played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from math import nan
from typing import Any, ClassVar

import numpy as np

from ..certificate import NOT_REPRODUCED, Certificate
from ..data.batch import Array, Batch
from ..errors import RegretlessError
from ..ledger import Ledger
from ..rows.mixture_state import FULL
from ..rows.validation import read_rows
from ..theorem import Theorem
from ..theory.aggregated import MemberComparator
from ..theory.regression import RegressionFacts, against_all, by_a_full_matrix
from .comparators import PlayedRun, Rounds, comparators_of
from .state import RegressionRules, RegressionState
from .validation import read_outcomes


class CertifiedRegressor(ABC):
    """What a learner of numbers offers of certificates.

    Attributes
    ----------
    theorems : tuple of Theorem
        About the learner, whatever its parameters.
    """

    theorems: ClassVar[tuple[Theorem, ...]]

    state_: RegressionState

    @abstractmethod
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and their values."""

    @abstractmethod
    def observe(self, batch: Batch) -> None:
        """Play a batch of a stream, whose columns may be new."""

    @abstractmethod
    def played_rules(self) -> RegressionRules:
        """The rules of the rounds played last."""

    @property
    @abstractmethod
    def ledger_(self) -> Ledger:
        """What was observed so far."""

    @abstractmethod
    def _require_fitted(self) -> None:
        """Refuse a learner that has learned nothing."""

    @abstractmethod
    def _names(self) -> list[str]:
        """What the eight places of members are called."""

    def facts(self) -> RegressionFacts:
        """What theorems may ask."""
        state, rules = self.state_, self.played_rules()
        width = state.one("high") - state.one("low")
        least, energy = nan, nan
        if state.full:
            members = [place for place in range(FULL, len(state.present)) if state.present[place]]
            best = min(members, key=lambda place: state.part("least")[place] + state.part("energy")[place])
            least, energy = float(state.part("least")[best]), float(state.part("energy")[best])
        determinant, least = (energy, nan) if rules.newton else (nan, least)
        return RegressionFacts(
            members=float(state.played.sum()),
            share=rules.share,
            eta=state.one("eta"),
            gap=state.one("gap"),
            width=width,
            worst=rules.worst(state.one("low"), state.one("high"), state.one("origin")),
            least=least,
            energy=nan if rules.newton else energy,
            determinant=determinant,
            steady=state.steady,
            square=rules.loss == "square",
            diagonal=rules.diagonal,
        )

    def proven(self) -> tuple[Theorem, ...]:
        """The theorems about this learner with its parameters."""
        return self.theorems

    def declined(self, why: str) -> list[Certificate]:
        """Certificates that do not apply, all for the same reason; but for those that no row is read again for."""
        return [
            self._alone(theorem) or Certificate(theorem, None, None, None, why)
            for theorem in self._without_repetition()
        ]

    def _alone(self, theorem: Theorem) -> Certificate | None:
        """The certificate of a theorem that compares with nothing."""
        return None if theorem.compares else theorem.certify(self.ledger_, [None], self.facts())

    def certify(self, X: Any, y: Any, *, against: Any = None) -> list[Certificate]:
        """Read every theorem of this learner against the rounds that it played.

        Parameters
        ----------
        X, y
            The rounds, as they were given to `fit` or, all together, to `partial_fit`.
        against : array-like, shape (features,), optional
            Your own comparator, instead of those found in hindsight; it may have one number more, for the weight of the
            constant feature.

        Returns
        -------
        list of Certificate
            One a theorem.
        """
        self._require_fitted()
        rows = read_rows(X, learner=self, reset=False, text="known")
        outcomes = read_outcomes(y, len(rows))
        again = partial(iter, [Batch(rows.values, outcomes, rows.columns, rows.indices, rows.starts)])
        if not self.gives(again):
            return self.declined(NOT_REPRODUCED.format(name="X"))
        return self.certify_rounds(again, against)

    def certify_rounds(self, rounds: Rounds, against: Any = None) -> list[Certificate]:
        """One certificate a theorem, of rounds that are known to be those that were played."""
        read, ledger, facts = self._comparators(rounds, against), self.ledger_, self.facts()
        theorems = self.proven() if against is not None else self._without_repetition()
        return [self._alone(theorem) or theorem.certify(ledger, read, facts) for theorem in theorems]

    def _comparators(self, rounds: Rounds, against: Any) -> list[MemberComparator]:
        run = PlayedRun(self.state_, self.played_rules(), self._names(), self.ledger_.rounds)
        return comparators_of(run, rounds, None if against is None else self.against(against))

    def _without_repetition(self) -> list[Theorem]:
        """What bounds the loss beside all vectors at once has no need of the same for one that was looked for."""
        at_once = self._alone(against_all)
        idle = at_once is not None and at_once.applies
        return [one for one in self.proven() if not (idle and one is by_a_full_matrix)]

    def gives(self, rounds: Rounds) -> bool:
        """Whether the rounds, played from the start, give the same state, bit for bit."""
        if not self.state_.steady:
            return True
        twin = type(self)(**self.get_params())
        try:
            for batch in rounds():
                twin.observe(batch)
        except RegretlessError:
            return False
        return hasattr(twin, "state_") and self.state_.same(twin.state_)

    def against(self, vector: Any) -> Array:
        """A user's comparator, the weight of the constant feature first, of outcomes measured from the first one.

        Raises
        ------
        RegretlessError
            If it has another shape.
        """
        vector = np.asarray(vector, dtype=np.float64).ravel()
        columns, size = self.state_.columns, self.played_rules().intercept
        widths = (columns, columns + 1) if size else (columns,)
        if vector.size not in widths or not np.isfinite(vector).all():
            wanted = " or ".join(str(width) for width in widths)
            raise RegretlessError(
                f"the comparator has {vector.size} numbers; it must have {wanted}, all of them finite"
            )
        bias = vector[columns] if vector.size > columns else 0.0
        origin = self.state_.one("origin") / size if size else 0.0
        return np.append(bias - origin, vector[:columns])
