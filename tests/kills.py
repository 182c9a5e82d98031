"""Runs that are killed at random moments: ``python -m tests.kills KIND FOLDER KILLS SEED``.

Each run is a fork of this process, which has imported everything, and is killed after a random share of the time that
it takes. Whatever is then in the folder must be whole, and the next run must end as if nothing had been killed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from regretless.cli import main
from regretless.errors import ModelError
from regretless.persist.format import read_model

from .command_line import noisy_lines, quietly, write

ROWS = 3000
MOST = 10  # runs that are begun for each that is killed
QUIET = ("--quiet", "--no-certify")


def forecast_lines(rows: int) -> list[str]:
    """A table of three experts and an outcome."""
    draw = random.Random(1)
    lines = ["y,a,b,c\n"]
    for _ in range(rows):
        y = draw.gauss(0, 1)
        lines.append(",".join([repr(y), *(repr(y + draw.gauss(0, 1)) for _ in range(3))]) + "\n")
    return lines


def loss_lines(rows: int) -> list[str]:
    """A table of losses of three arms."""
    draw = random.Random(2)
    return ["a,b,c\n"] + [",".join(repr(draw.random()) for _ in range(3)) + "\n" for _ in range(rows)]


class Kind:
    """A command that is killed, and how it goes on.

    Parameters
    ----------
    folder : Path
        Where its input and its output are.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.model = name, folder / ("page.html" if name == "pull" else "m.rgl")
        if name == "learn":
            rows = write(folder / "rows.svm", noisy_lines(ROWS))
            self.begin = ("learn", rows, "--learner", "averaged-perceptron", "--passes", 2, "--save", self.model)
            self.go_on = ("learn", rows, "--resume", self.model)
            self.more = (*QUIET, "--checkpoint-every", 100)
        elif name == "combine":
            rows = write(folder / "rows.csv", forecast_lines(ROWS // 2))
            self.begin = ("combine", rows, "--target", "y", "--save", self.model)
            self.go_on = ("combine", rows, "--resume", self.model)
            self.more = ("--quiet", "--no-comparators", "--checkpoint-every", 50)
        elif name == "mixing":
            shards = [write(folder / f"part-{k}.svm", noisy_lines(100, seed=k)) for k in range(2)]
            self.begin = ("learn", *shards, "--learner", "perceptron", "--passes", 20, "--save", self.model)
            self.go_on = ("learn", *shards, "--resume", self.model)
            self.more = (*QUIET, "--workers", 1)
        else:
            rows = write(folder / "rows.csv", loss_lines(400))
            self.begin = self.go_on = ("pull", rows, "--learner", "exp3-ix", "--runs", 3, "--report", self.model)
            self.more = ("--quiet", "--workers", 1)
        self.folder, self.inputs = folder, {path.name for path in folder.iterdir()}

    def words(self) -> list[str]:
        """The command line of the next run."""
        return [str(word) for word in (*(self.go_on if self.model.exists() else self.begin), *self.more)]

    def refuse_torn(self) -> None:
        """What has the output's name is whole."""
        if not self.model.exists():
            return
        if self.name == "pull":
            assert self.model.read_bytes().rstrip().endswith(b"</html>"), "half a page"
            return
        try:
            read_model(self.model)
        except ModelError as error:
            raise AssertionError("half a model") from error

    def left_over(self) -> set[str]:
        """Files that are neither input nor output."""
        return {path.name for path in self.folder.iterdir()} - self.inputs - {self.model.name}


def run(words: list[str], after: float | None) -> int | None:
    """Run a command line in a fork of this process and kill it after some seconds; its exit code if it ended before."""
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os._exit(main(words))
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else None


def harass(name: str, folder: Path, kills: int, seed: int) -> tuple[int, int]:
    """Kill runs of one kind; how many were killed, and how many temporary files that left."""
    (folder / "elsewhere").mkdir()
    assert quietly(*Kind(name, folder / "elsewhere").words()) == 0  # no fork need import what is imported late
    kind, draw = Kind(name, folder), random.Random(seed)
    began = time.monotonic()
    assert run(kind.words(), None) == 0
    takes, whole = time.monotonic() - began, kind.model.read_bytes()
    killed = strays = tries = 0
    while killed < kills:
        tries += 1
        assert tries <= MOST * kills, f"{killed} of {tries} runs were killed: they end before that"
        kind.model.unlink(missing_ok=True)
        over = False
        for _ in range(draw.randint(1, 3)):  # runs that go on may be killed as well
            code = run(kind.words(), takes * draw.random())
            assert code in (None, 0), f"the next run failed with {code}"
            killed += code is None
            kind.refuse_torn()
            over = code == 0 or (name != "pull" and kind.model.exists() and kind.model.read_bytes() == whole)
            if over:
                break
        strays += len(kind.left_over())
        assert over or run(kind.words(), None) == 0, "the next run failed"
        assert name == "pull" or kind.model.read_bytes() == whole, "the model is another one"
        assert not kind.left_over(), f"left over: {kind.left_over()}"
    return killed, strays


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    counts = harass(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    print(f"{counts[0]} runs of {sys.argv[1]} were killed, which left {counts[1]} temporary files to the next runs")
