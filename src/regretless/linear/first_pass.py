"""What the first pass of a learner guarantees of new rounds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from ..certificate import Certificate, Certificates
from ..checks import share
from ..ledger import Ledger
from ..theory.online_to_batch import FUTURE, Declared

# What may be taken from all rows before the first is played, by the parameter that says so.
LOOKAHEAD = {
    "": "",
    "class_weight": 'class_weight="balanced" looks at all labels first, so that no hypothesis is independent of its '
    "round; give the weight of each class",
    "gamma": 'gamma="scale" and gamma="auto" look at all rows first, so that no hypothesis is independent of its '
    "round; give a number",
    "p": 'p="auto" goes by the number of columns, which was not known before rows were read, so that no hypothesis is '
    "independent of its round; give a number",
    "classes": "classes that were not announced could be rivals before they were met, so that no hypothesis is "
    "independent of its round; give all of them as classes=, which partial_fit takes and the mixing of shards",
    "weights": 'with weights="updates" the updates of classes that were not announced moved the means that later '
    "groups of shards began with, so that no hypothesis is independent of its round; give all classes or other weights",
}


class FirstPass(ABC):
    """Counts of a learner's first pass; rounds that it meets again give no guarantee.

    Attributes
    ----------
    first_pass_ : tuple of (rounds, mistakes)
        Only there once rounds have been repeated; until then all rounds are of the first pass.
    unannounced_ : int
        How often classes came unannounced. The hypothesis that met such a round knew nothing of its class, so the round
        counts as a mistake, whatever was predicted once the class was known.
    lookahead_ : str
        By what something was taken from rows before the first was played, one of `LOOKAHEAD`; empty if nothing was.
    """

    first_pass_: tuple[int, int]
    unannounced_: int = 0
    lookahead_: str = ""
    class_weight: Any = None

    @property
    @abstractmethod
    def ledger_(self) -> Ledger:
        """What was observed so far."""

    def looks_ahead(self) -> str:
        """The parameter by which `fit` takes something from all rows before it plays the first; empty if none does."""
        return "class_weight" if isinstance(self.class_weight, str) else ""

    def looks_at_columns(self) -> str:
        """The parameter that depends on the number of columns of the first rows; empty if none does."""
        return ""

    def looks_at_classes(self) -> str:
        """Not empty if a class that is still to come may change which of the others is predicted."""
        return ""

    def repeats(self) -> None:
        """Take note that the rounds which follow are not new."""
        if not hasattr(self, "first_pass_"):
            self.first_pass_ = self._new()

    def first_pass(self) -> dict[str, Any]:
        """The first pass as a model file stores it, in JSON values."""
        counted = list(self.first_pass_) if hasattr(self, "first_pass_") else None
        return {"met": self.unannounced_, "first_pass": counted, "looked": self.lookahead_}

    def resume_first_pass(self, record: Mapping[str, Any] | None) -> None:
        """Restore what `first_pass` returned, in a learner that has its ledger already; None where no file holds it.

        Raises
        ------
        ValueError
            If it does not fit together.
        """
        if record is None:
            self.first_pass_ = 0, 0
            return
        self.unannounced_, self.lookahead_ = int(record["met"]), record["looked"]
        if self.lookahead_ not in LOOKAHEAD:
            raise ValueError("it looked at what no parameter looks at")
        if record["first_pass"] is not None:
            rounds, mistakes = (int(count) for count in record["first_pass"])
            if not 0 <= mistakes <= rounds <= self.ledger_.rounds:
                raise ValueError("its first pass is longer than all passes")
            self.first_pass_ = rounds, mistakes
        if self.unannounced_ < 0:
            raise ValueError("the rounds of a class are a negative number")

    def _new(self) -> tuple[int, int]:
        ledger = self.ledger_
        return int(ledger.rounds), min(int(ledger.rounds), int(ledger.mistakes) + self.unannounced_)

    def certify_risk(self, delta: float = 0.05) -> list[Certificate]:
        """What the first pass guarantees of new rounds, if all are independent draws from one distribution.

        Nobody can check that; it is for you to know. Rows given to `partial_fit` are taken for new ones, and so are
        those of the first pass of `fit`. Two classes are taken to be known beforehand by `fit`, and all that are given
        as ``classes`` by `partial_fit`; any other set of classes is not, and each of them counts as a mistake where it
        appears first. A table given to `fit` or `partial_fit` is taken to have its columns whatever the rows are; how
        many a stream has, only its rows tell. The guarantee is for a hypothesis drawn at random from those that the
        pass went through, one a round, and for the vote of all of them; the last one by itself gets none.

        Parameters
        ----------
        delta : float, default=0.05
            How improbable it may be that the guarantees fail.

        Returns
        -------
        list of Certificate
            Both hold together with probability 1 - delta, at whatever time one looks.
        """
        declared = Declared(share("delta", delta))
        if self.lookahead_:
            why = LOOKAHEAD[self.lookahead_]
            return Certificates(Certificate(theorem, None, None, None, why) for theorem in FUTURE)
        rounds, mistakes = self.first_pass_ if hasattr(self, "first_pass_") else self._new()
        ledger = Ledger(rounds=rounds, mistakes=mistakes)
        return Certificates(theorem.certify(ledger, [None], declared) for theorem in FUTURE)
