"""Runs mutated files in a child process that may not take much memory, nor long, and tells what went wrong."""

from __future__ import annotations

import contextlib
import io
import os
import random
import resource
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ..corpus.seeds import command, write_beside
from .mutate import mutated, mutated_model, mutated_report
from .targets import made

SPACE = 6 << 30  # addresses of a child, of which allocators reserve more than they use
MEMORY = 2 << 30  # that a child may use besides what it began with: what is allowed (512 MiB) a few times
SECONDS = 20  # of computing before a run is taken to hang, however many others the machine has to serve
START = 60  # seconds in which a child must begin
WAIT = 600  # seconds before one that computes nothing is
FEW = 200  # runs of one child, so that memory that is lost shows and does not add up
TOLD = b"REGRETLESS_TRACEBACK"  # stands in what is said of errors that nobody expected


@dataclass(frozen=True)
class Finding:
    """A file that is not answered as it should be.

    Attributes
    ----------
    target, what : str
    number : int
        Of the execution: with the seed it gives the file again.
    content : bytes
    """

    target: str
    number: int
    what: str
    content: bytes


def content_of(name: str, seed: int, number: int) -> bytes:
    """The file of an execution: a function of the target, the seed and the number alone."""
    _, suffix, files = made(name)
    draw = random.Random(f"{name} {seed} {number}")
    content = draw.choice(files)
    if suffix == ".rgl" and draw.random() < 0.8:
        return mutated_model(content, draw)
    if suffix == ".json" and draw.random() < 0.8:
        return mutated_report(content, draw)
    return mutated(content, files, draw)


def fuzz(name: str, seed: int, seconds: float = 0.0, most: int = 1 << 60) -> tuple[int, list[Finding]]:
    """Run a target so long, or so often; how many executions there were, and what was found."""
    made(name)  # once, and not in every child
    end, done, faults = time.monotonic() + seconds if seconds else float("inf"), 0, []
    with TemporaryDirectory(prefix="regretless-fuzz-") as folder:
        write_beside(Path(folder))
        while done < most and time.monotonic() < end:
            count = min(FEW, most - done)
            for number, what in _child(name, seed, range(done, done + count), Path(folder), end):
                done = number + 1
                if what:
                    faults.append(Finding(name, number, what, content_of(name, seed, number)))
    return done, faults


def _child(name: str, seed: int, numbers: range, folder: Path, end: float) -> Iterator[tuple[int, str]]:
    """Each execution and what was wrong with it; a child that dies says so of the one that it was at."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _work(name, seed, numbers, folder, end, writing)
    os.close(writing)
    at = numbers.start
    with os.fdopen(reading, "rb") as pipe:
        if not select.select([pipe], [], [], START)[0]:
            os.kill(child, signal.SIGKILL)  # the fork of a process with threads may wait for ever; it did nothing yet
            os.waitpid(child, 0)
            return
        pipe.read(1)
        while head := pipe.read(4):
            yield at, pipe.read(struct.unpack("<I", head)[0]).decode()
            at += 1
    _, status = os.waitpid(child, 0)
    if status and os.WIFSIGNALED(status):
        ended = signal.Signals(os.WTERMSIG(status)).name
        hung = {"SIGPROF": f"a run that computes more than {SECONDS} s", "SIGALRM": f"a run that waits {WAIT} s"}
        yield at, hung.get(ended, f"the process ended by {ended}")
    elif status:
        yield at, f"the process ended with exit code {os.waitstatus_to_exitcode(status)}"


def _work(name: str, seed: int, numbers: range, folder: Path, end: float, pipe: int) -> None:
    """What the child does; it never returns."""
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    os.write(pipe, b"+")
    before = _most()  # a fork begins with all that the process had that it was made from
    try:
        for number in numbers:
            if time.monotonic() > end:
                break
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            signal.alarm(WAIT)
            data = (_one(name, content_of(name, seed, number), folder) or _used(before)).encode()
            os.write(pipe, struct.pack("<I", len(data)) + data)
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
    except BaseException:
        import traceback

        traceback.print_exc(file=sys.__stderr__)
        os._exit(70)
    os._exit(0)


def _most() -> int:
    """The most memory that this process had so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10  # kibibytes, on Linux


def _used(before: int) -> str:
    used = _most() - before
    return f"{used >> 20} MiB of memory were used" if used > MEMORY else ""


def _one(name: str, content: bytes, folder: Path) -> str:
    """What is wrong with how one file is answered; nothing if all is well."""
    from regretless.cli import main

    target, suffix, _ = made(name)
    file, out = folder / f"file{suffix}", folder / "out.rgl"
    file.write_bytes(content)
    out.unlink(missing_ok=True)
    outs, errors = io.StringIO(), io.BytesIO()
    stream = io.TextIOWrapper(errors, encoding="utf-8", errors="backslashreplace", write_through=True)
    with contextlib.redirect_stdout(outs), contextlib.redirect_stderr(stream):
        try:
            code = main(command(target, file, folder, out))
        except BaseException as error:
            return f"{type(error).__name__} was raised: {error}"
    text = errors.getvalue()
    if TOLD in text:
        return f"an error that is not translated: {text.decode(errors='replace').strip()}"
    # 2: a model of shards wants other options; 3: a report, its vectors or the sums in a model were changed, and
    # contradict the data or a theorem.
    changed = target.endswith(" on") or "verify" in command(target, file, folder, out)
    if code not in (0, 1, 2) and not (code == 3 and changed):
        return f"exit code {code}: {text.decode(errors='replace').strip()}"
    if "\x1b" in outs.getvalue() or b"\x1b" in text:
        return "an escape sequence is printed"
    if b"memory is exhausted" in text:
        return "memory beyond the rule"
    if code and not text.startswith(b"regretless: "):
        return f"no line says what is wrong: {text.decode(errors='replace').strip()!r}"
    return _left(folder, out)


def _left(folder: Path, out: Path) -> str:
    """What is wrong with the files that are left."""
    from regretless.persist.model import read

    if out.exists():
        try:
            read(out)
        except Exception as error:
            return f"what was saved cannot be read: {error}"
    if stray := [path.name for path in folder.iterdir() if path.name.endswith(".tmp")]:
        for one in stray:
            (folder / one).unlink()
        return f"temporary files are left: {stray}"
    return ""
