"""A run over shards under the user's eyes, and what is said when it is stopped."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..errors import EngineError, RegretlessError
from .console import Console
from .exit_codes import Ended
from .mixing_table import EpochTable
from .output import complain, explain, many
from .signals import Stopping

if TYPE_CHECKING:
    from ..distributed.epochs import Mixing
    from ..distributed.history import Epoch
    from ..distributed.result import Mixture
    from .mixing_engine import Attended


class MixingLoop:
    """A run, whoever goes over its shards, and where the user looks.

    Parameters
    ----------
    run : Mixing
    attended : Attended
    console : Console
    played : int
        How many epochs there were before.
    """

    def __init__(self, run: Mixing, attended: Attended, console: Console, played: int) -> None:
        self.run, self.attended, self.console = run, attended, console
        self._table = EpochTable(console.line)
        self._played = played
        self._new = 0  # epochs that this run has played itself

    def go(self) -> Mixture:
        """Play all epochs that are left.

        Raises
        ------
        Ended
            If the user has had enough.
        RegretlessError
            If a shard cannot be used, or a process is gone; it says what is kept.
        """
        run = self.run
        self._announce(self._played + 1)
        run.on_epoch, run.on_shard = self._epoch, lambda number, place: self.attended.done(place)
        with Stopping(self.attended) as stopping:
            self.attended.stop = run.stop = stopping.asked
            try:
                mixture = run.play()
            except Exception as error:
                if stopping.asked():  # whoever reads may have put the interruption in words of its own
                    raise Ended(f"interrupted; {self.kept()}", stopping.code) from None
                inner = error.__cause__ if isinstance(error, EngineError) else None
                raise RegretlessError(f"{explain(inner or error)}{self._rescued()}") from error
            finally:
                self.console.settle()
        if stopping.asked():
            raise Ended(f"interrupted when the run was over; {self.kept()}", stopping.code)
        if not self._new:
            played = many(len(mixture.history), "epoch")
            complain(f"{played} were played already, and no more are asked for; --passes says how many in all")
        return mixture

    def kept(self) -> str:
        """What is left of a run that was stopped."""
        path = self.run.checkpoint
        if path is None:
            return "nothing was kept, for there is no --save"
        if not self.run.saved:
            return "no epoch was finished, so that nothing was kept"
        place = os.fspath(path)
        return f"{self._epochs()} kept in {place}; to go on: the same shards with --resume {place}"

    def all_kept(self) -> str:
        """What is left of a run that is over, where only its certificates were stopped."""
        path = self.run.checkpoint
        if path is None or not self.run.saved:
            return self.kept()
        place = os.fspath(path)
        return f"the whole run is kept in {place}; for its certificates: regretless certify {place}, the same shards"

    def _rescued(self) -> str:
        if self.run.checkpoint is None or not self.run.saved:
            return ""
        place = os.fspath(self.run.checkpoint)
        return f" ({self._epochs()} kept in {place}; to go on when this is mended: --resume {place})"

    def _epochs(self) -> str:
        done = self.run.saved
        return f"{many(done, 'epoch')} of {self.run.epochs:,} {'is' if done == 1 else 'are'}"

    def _epoch(self, epoch: Epoch) -> None:
        if not self._new and self.run.mixture is not None:
            self._table.begin(self.run.mixture.history[:-1])
        self._new += 1
        self._table.epoch(epoch)
        if epoch.number < self.run.epochs:
            self._announce(epoch.number + 1)

    def _announce(self, number: int) -> None:
        self.attended.begin(f"epoch {number:,} of {self.run.epochs:,}")
