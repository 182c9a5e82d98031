"""How a bandit that draws by features has its theorems read."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

from ..bandits.certificates import BanditCertificate
from ..certificate import Certificates
from ..ledger import ContextualLedger
from ..theorem import Theorem
from .asked import Asked
from .state import ContextualState

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..theory.contextual import ContextualFacts


class CertifiedBandit(Asked):
    """What a bandit that draws by features offers of certificates."""

    theorems: ClassVar[tuple[Theorem, ...]]
    delta: float
    norm: float
    _model: Any
    _state: ContextualState

    @property
    def ledger_(self) -> ContextualLedger:
        """What was observed so far."""
        return self._state.ledger(self._scale.width)

    def facts(self) -> ContextualFacts:
        """What a theorem may know of the learner besides its ledger."""
        from ..theory.contextual import ContextualFacts

        facts = [model.facts() for model in self._models]
        prior = max(getattr(self._model, "prior", 0.0), *getattr(self._model, "priors", (0.0,)))
        return ContextualFacts(
            arms=self.n_arms_,
            delta=self.delta,
            width=self._scale.width,
            implicit=self._state.IMPLICIT,
            # Of rows that were decisions of others a mean loss may miss the loss by 1.
            least=float(sum(fact.least for fact in facts)) - self._state.one("taught"),
            penalty=prior * self.norm**2 * self._regressions,
            overtaken=sum(number < self._state.one("rounds") for number in self._pending),
        )

    def proven(self) -> tuple[Theorem, ...]:
        """The theorems about this learner; those about policies only where some were named."""
        from ..theory.contextual import observable_by_policies

        return tuple(one for one in self.theorems if self.policy_names_ or one is not observable_by_policies)

    def certify(self) -> list[Certificate]:
        """Each theorem about this learner, with the numbers of its run."""
        facts, ledger = self.facts(), self.ledger_
        each = [theorem.certify(ledger, [None], facts) for theorem in self.proven()]
        # As of other bandits in production, which are looked at again and again, lines say "at any time".
        return Certificates(
            BanditCertificate(**{part.name: getattr(one, part.name) for part in fields(one)}) for one in each
        )
