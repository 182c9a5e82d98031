"""The result of mixing: the learner, and the record of its epochs."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any, Self

from ..certificate import Certificate
from ..data.batch import Array
from ..errors import RegretlessError
from ..ledger import Ledger
from ..linear.base import OnlineClassifier
from ..persist.validation import plain
from ..theory.mixing_facts import MixedLedger
from .certify import certify_mixture
from .checkpoint import SavedRun, load, names_of, no_guarantee, save, union_of
from .history import Epoch
from .shards import Shard, few_of
from .sources import shards_of

HEAD = ("epoch", "rounds", "mistakes", "updates", "weighted updates", "weights of shards from", "to", "seconds")
SHOWN = 8  # epochs that are printed; of those behind, the powers of two and the last


@dataclass(eq=False)
class Mixture:
    """A learner that was mixed over shards.

    Attributes
    ----------
    learner : OnlineClassifier
        Fitted; its ledger holds the plain totals of all shards and epochs.
    shards : list of Shard
        Empty if it was read from a file without them.
    run : SavedRun
        All else, as in a model file.
    """

    learner: OnlineClassifier
    shards: list[Shard]
    run: SavedRun

    @classmethod
    def read(cls, path: str | PathLike[str], shards: Any = None) -> Self:
        """Read a mixture that was saved, or the checkpoint of one.

        Parameters
        ----------
        path : path-like
            A ``.rgl`` file.
        shards : optional
            The shards it was learned from, to certify it; anything that `mix` takes. Paths are read and cut as they
            were then.

        Raises
        ------
        ModelError
            If it is no model, or was not mixed.
        RegretlessError
            If the shards are others.
        """
        learner, run = load(path)
        if shards is None:
            return cls(learner, [], run)
        parts = shards_of(shards, **(run.reading or {}))
        if names_of(parts) != run.names:
            here = few_of(names_of(parts))
            raise RegretlessError(f"{path} was learned from the shards {few_of(run.names)}; these are {here}")
        return cls(learner, parts, run)

    # ---- the run

    @property
    def history(self) -> list[Epoch]:
        """One entry an epoch."""
        return self.run.history

    @property
    def epochs(self) -> int:
        """How many epochs were asked for; `history` says how many there were."""
        return self.run.epochs

    @property
    def weights(self) -> str:
        """By what shards count in the mean: "uniform", "updates" or "rows"."""
        return self.run.weights

    @property
    def together(self) -> int:
        """How many shards began from the same weights, at most."""
        return self.run.together

    @property
    def passes(self) -> int:
        """How often a shard was gone over in an epoch."""
        return self.run.passes

    @property
    def one_shot(self) -> bool:
        """Whether weights were averaged once, at the end."""
        return self.run.one_shot

    @property
    def guaranteed(self) -> bool:
        """Whether theorems hold of it; weights that are averaged once, after a single pass, are one epoch of mixing."""
        return not no_guarantee(self.learner, self.run)

    @property
    def clean(self) -> bool:
        """Whether the last epoch was without an update."""
        return self.history[-1].clean

    @property
    def mixed(self) -> list[MixedLedger]:
        """The books that theorems of mixing are about, one a target."""
        return list(self.run.sums.mixed)

    @property
    def mixed_whole(self) -> MixedLedger:
        """The same of the whole: with several targets, of the class that is predicted."""
        return self.run.sums.whole

    @property
    def ledger(self) -> Ledger:
        """The plain totals of the whole."""
        return self.learner.ledger_

    @property
    def totals(self) -> list[Ledger]:
        """The plain totals, one a target."""
        return [book.plain for book in self.mixed]

    @property
    def weighted(self) -> list[Ledger]:
        """The sums in which each shard counts by its mu, one a target."""
        return [book.mixed for book in self.mixed]

    @property
    def shares(self) -> Array:
        """The sum of mu over the epochs, shape (shards,)."""
        return self.run.sums.shares

    @property
    def rounds(self) -> Array:
        """Rows of each shard, shape (shards,)."""
        return self.run.sums.rounds

    @property
    def nonzeros(self) -> Array:
        """Values of each shard that are not zero, or are stored, shape (shards,)."""
        return self.run.sums.nonzeros

    @property
    def norms2(self) -> Array:
        """The sum of the squared lengths of the rows of each shard, shape (shards,)."""
        return self.run.sums.norms2

    @property
    def names(self) -> list[str]:
        """Of the shards, without the folder that all of them are in."""
        return self.run.names

    @property
    def schema(self) -> dict[str, Any] | None:
        """By which all shards are read to the same columns."""
        return self.run.schema

    @property
    def skipped(self) -> int:
        """Rows of all shards that could not be used and were passed over, in the last epoch."""
        return self.run.skipped

    @property
    def first_errors(self) -> list[str]:
        """What was wrong with the first of them."""
        return list(self.run.first_errors)

    # ---- what can be done with it

    def certify(
        self,
        executor: Any = None,
        *,
        against: Any = None,
        iid: bool = False,
        delta: float = 0.05,
        **how: Any,
    ) -> list[Certificate]:
        """Read every theorem about mixing against the rounds that were played; each shard is read again where it is.

        Parameters
        ----------
        executor : optional
            As in `mix`.
        against : array-like, optional
            Your own comparator, as in the learner's own `certify`.
        iid : bool, default=False
            Whether you vouch that all rounds are independent draws from one distribution.
        delta : float, default=0.05
            How improbable it may be that the guarantee for new rounds fails.
        **how
            What else `regretless.distributed.certify.certify_mixture` takes.

        Returns
        -------
        list of Certificate
            One a theorem.

        Raises
        ------
        RegretlessError
            If the shards are not at hand, or cannot be read.
        """
        if not self.shards:
            raise RegretlessError("this mixture was read without its shards; give them: Mixture.read(path, shards)")
        return certify_mixture(
            self.learner, self.shards, self.run, executor, against=against, iid=iid, delta=delta, **how
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write a model file, which `regretless.load` and the command line read like any other.

        Raises
        ------
        RegretlessError
            If a parameter cannot be written to a file.
        OSError
            If the file cannot be written.
        """
        save(path, self.learner, self.run)

    def describe(self) -> dict[str, Any]:
        """All that is known of it as JSON values."""
        shards = zip(self.names, self.rounds.tolist(), self.nonzeros.tolist(), self.shares.tolist(), strict=True)
        whole = self.mixed_whole
        return {
            "learner": self.learner.name,
            "parameters": {name: plain(value) for name, value in self.learner.get_params().items()},
            "classes": self.learner.classes_.tolist(),
            "features": self.learner.state_.columns,
            "weights": self.weights,
            "together": self.together,
            "one_shot": self.one_shot,
            "guarantee": no_guarantee(self.learner, self.run) or None,
            "passes": self.passes,
            "epochs_asked": self.epochs,
            "epochs": len(self.history),
            "clean": self.clean,
            "rounds": int(self.ledger.rounds),
            "mistakes": int(self.ledger.mistakes),
            "updates": int(self.ledger.updates),
            "weighted_updates": whole.mixed.updates,
            "weighted_mistakes": whole.mixed.mistakes,
            "skipped": self.skipped,
            "history": [epoch.describe() for epoch in self.history],
            "shards": [{"name": n, "rows": r, "nonzeros": v, "share": s} for n, r, v, s in shards],
        }

    def __str__(self) -> str:
        many = len(self.names)
        passes = "one pass" if self.passes == 1 else f"{self.passes} passes"
        once = f"{union_of(self.learner)} once, after {passes} over each"
        how = once if self.one_shot else f"weights by {self.weights}"
        how += f", {self.together:,} together" if self.together < many else ""
        head = f"{self.learner.name} over {many:,} shards, {how}; {int(self.rounds.sum()):,} rows"
        rows: list[tuple[str, ...]] = [HEAD]
        for epoch in self.history:
            if epoch.number <= SHOWN or epoch.number & (epoch.number - 1) == 0 or epoch is self.history[-1]:
                rows.append(_row(epoch))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        why = no_guarantee(self.learner, self.run)
        last = [f"No guarantee: {why}."] if why else []
        last += ["The last epoch was clean."] if self.clean else []
        return "\n".join([head, *(line.rstrip() for line in lines), *last])

    def __repr__(self) -> str:
        return f"<Mixture of {self.learner!r} over {len(self.names):,} shards after {len(self.history)} epochs>"


def _row(epoch: Epoch) -> tuple[str, ...]:
    counts = (epoch.rounds, epoch.mistakes, epoch.updates)
    seconds = "" if epoch.seconds is None else f"{epoch.seconds:.2f}"
    mu = (f"{epoch.least:.3g}", f"{epoch.most:.3g}")
    return (str(epoch.number), *(f"{count:,}" for count in counts), f"{epoch.weighted_updates:,.1f}", *mu, seconds)
