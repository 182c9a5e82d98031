"""Ctrl-C while the command line starts: the process dies as it would of any signal, without a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib import import_module
from time import sleep

import pytest

from regretless.cli import main

from ..command_line import BARE, heed_interrupts, noisy_lines, write

STARTS = {
    "script": "from importlib.metadata import entry_points\n"
    "(script,) = entry_points(group='console_scripts', name='regretless')\n"
    "begin = lambda: sys.exit(script.load()())\n",
    "module": "import runpy\nbegin = lambda: runpy.run_module('regretless', run_name='__main__', alter_sys=True)\n",
}
SEARCHES = {f"regretless.linear.comparators.{module}" for module in ("line_search", "rays", "search")}
# The signal comes at the import of a module, not after so many milliseconds: before the first of ours it is Python's.
PROGRAM = """
import signal, sys
class Strike:
    def find_spec(self, name, *_):
        if name == struck:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)
struck = sys.argv.pop(1)
sys.meta_path.insert(0, Strike())
begin()
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("begin", STARTS)
@pytest.mark.parametrize("module", ["regretless.cli", "regretless.cli.entry", "argparse", "numpy", "numpy.linalg"])
def test_an_interrupted_start_shows_no_traceback(tmp_path, begin, module):
    """Ctrl-C at whatever is imported from the first module of the command line on ends the process by that signal."""
    words = ["learn", str(write(tmp_path / "rows.svm", noisy_lines(50))), *BARE]
    done = subprocess.run(
        [sys.executable, "-c", STARTS[begin] + PROGRAM, module, *words],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=heed_interrupts,
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_an_interruption_that_became_an_error_is_reported_as_one(capsys, monkeypatch):
    """Ctrl-C of which a module that is imported makes an error of its own ends with 130 and is called what it was."""

    def importing(*_):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError from None

    monkeypatch.setattr("regretless.cli.entry.make", importing)
    before = signal.getsignal(signal.SIGINT)
    assert main(["learn"]) == 130
    assert capsys.readouterr().err == "regretless: interrupted\n"
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interruption_waits_for_the_end_of_an_import(capsys, monkeypatch, tmp_path):
    """Ctrl-C that a module would swallow while it is imported ends the command after it, and the module is whole."""
    lines = [
        "import signal",
        "try:",
        "    signal.raise_signal(signal.SIGINT)",
        "except BaseException: pass",
        "whole = 1",
    ]
    write(tmp_path / "swallowing.py", "\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)

    def importing(*_):
        swallowing = import_module("swallowing")

        imported.append(swallowing.whole)
        sleep(60)

    imported: list[int] = []
    monkeypatch.setattr("regretless.cli.entry.make", importing)
    before = signal.getsignal(signal.SIGINT)
    assert main(["learn"]) == 130
    assert imported == [1]
    assert capsys.readouterr().err == "regretless: interrupted\n"
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("words", "spared"),
    [
        (["learn", "FILE"], {"csv", "difflib", "hashlib", "html", "logging", "numpy.random", "uuid", *SEARCHES}),
        (["--version"], {"numpy", "regretless.cli.learn"}),
    ],
)
def test_a_start_imports_nothing_that_it_does_not_use(tmp_path, words, spared):
    """No module that takes milliseconds to import, and is for other calls, is loaded where few rows are learned or the
    version is printed."""
    file = str(write(tmp_path / "rows.svm", noisy_lines(50)))
    program = "import sys; from regretless.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", program, *(file if word == "FILE" else word for word in words)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "regretless.cli.entry" in done.stderr.split()
    assert not spared & set(done.stderr.split())


@pytest.mark.parametrize("rows", [20, 2000])
def test_a_table_with_labels_that_are_words_is_learned_without_pandas(tmp_path, rows):
    """Labels, towns and words beyond ASCII of a CSV file are read without pandas, whether its first bytes are all of
    it or tell what the others hold."""
    lines = [f"{row % 7},{'Zürich' if row % 3 else 'Aarau'},{'ça va' if row % 2 else 'so so'}" for row in range(rows)]
    said = [f"{line},{'yes' if row % 2 else 'no'}" for row, line in enumerate(lines)]
    file = str(write(tmp_path / "rows.csv", "\n".join(["n,town,words,label", *said, ""])))
    program = "import sys; from regretless.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", program, "learn", file, "--target", "label", "--text", "words"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "errors, each row predicted before it is learned" in done.stdout
    assert not {"pandas", "pyarrow.pandas_compat"} & set(done.stderr.split())
