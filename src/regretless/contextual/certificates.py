"""How a bandit that draws by features has its theorems read."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ..bandits.certificates import BanditCertificate
from ..certificate import Certificates

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..theory.contextual import ContextualFacts


def facts_of(learner: Any, least: float, **more: Any) -> ContextualFacts:
    """What a theorem may know of a contextual bandit besides its ledger.

    Parameters
    ----------
    learner : ContextualBandit
    least : float
        What all its regressions are charged less than any vectors, at most.
    **more
        Facts that not all rules have.
    """
    from ..theory.contextual import ContextualFacts

    width, implicit = learner._scale.width, learner._state.IMPLICIT
    return ContextualFacts(
        arms=learner.n_arms_, delta=learner.delta, width=width, implicit=implicit, least=least, **more
    )


def facts_of_squares(learner: Any) -> ContextualFacts:
    """The same of one whose regressions are charged squares."""
    facts = [model.facts() for model in learner._models]
    prior = max(getattr(learner._model, "prior", 0.0), *getattr(learner._model, "priors", (0.0,)))
    return facts_of(
        learner,
        # Of rows that were decisions of others a mean loss may miss the loss by 1.
        least=float(sum(fact.least for fact in facts)) - learner._state.one("taught"),
        penalty=prior * learner.norm**2 * learner._regressions,
        overtaken=sum(number < learner.rounds_ for number in learner.pending_),
    )


def certificates_of(learner: Any) -> list[Certificate]:
    """Each theorem about a contextual bandit, with the numbers of its run."""
    facts, ledger = learner.facts(), learner.ledger_
    each = [theorem.certify(ledger, [None], facts) for theorem in learner.proven()]
    # As of other bandits in production, which are looked at again and again, lines say "at any time".
    return Certificates(
        BanditCertificate(**{part.name: getattr(one, part.name) for part in fields(one)}) for one in each
    )
