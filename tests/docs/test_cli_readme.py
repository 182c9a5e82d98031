"""The documents say what is so."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest

from regretless.cli.entry import make
from regretless.cli.output import ALARMED, DONE, FAILED, INTERRUPTED, TERMINATED, USAGE, VIOLATED
from regretless.data.formats import ROWS, SUFFIXES

from .documents import script

ROOT = Path(__file__).resolve().parents[2]
VERDICT = re.compile(r"^[A-Z].*?: (does not apply|.* (<=|EXCEEDS) )")


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def toured(tmp_path_factory) -> tuple[Path, str]:
    """A folder in which the README's commands were run, and the README as it should be."""
    pytest.importorskip("sklearn")
    if shutil.which("bash") is None:
        pytest.skip("the tour is for bash")
    folder = tmp_path_factory.mktemp("tour")
    return folder, script("tour").filled(read("README.md"), str(folder))


def test_the_readme_shows_what_the_commands_print(toured):
    """Below each command of the README stands what it prints. How tight a bound is may differ by what scipy and BLAS
    do; that it is there, and of which theorem, may not."""
    _, told = toured

    def tolerant(text: str) -> list[str]:
        return [VERDICT.match(line)[0] if VERDICT.match(line) else line for line in text.splitlines()]

    assert tolerant(read("README.md")) == tolerant(told)


def test_the_readme_shows_what_python_answers(toured, monkeypatch):
    """Every line of Python in the README gives the answer that stands below it."""
    monkeypatch.chdir(toured[0])
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```$", read("README.md"), re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "README", "README.md", 0)
    assert test.examples
    result = doctest.DocTestRunner(verbose=False).run(test)
    assert result.failed == 0


TABLES = ("theorems", "linear", "environments")


@pytest.mark.parametrize("path", ["README.md", *(f"docs/{one}.md" for one in TABLES)])
def test_tables_are_those_of_the_classes(path):
    """The tables of learners and theorems are what `docs/learners.py` prints from the classes."""
    assert script("learners").filled(path) == read(path)


def test_every_option_is_described():
    """Each option of each verb stands in the documentation, and no other does."""
    text = read("docs/command-line.md") + read("docs/data.md")
    verbs = next(action for action in make()._actions if action.choices and "learn" in action.choices)
    known = {"--version", "--help", "--print-completion"}
    for verb in verbs.choices.values():
        known |= {option for action in verb._actions for option in action.option_strings if option.startswith("--")}
    described = set(re.findall(r"--[a-z][a-z-]+", text))
    of_service = read("docs/serving.md").partition("## In a container")[0]
    assert described | set(re.findall(r"--[a-z][a-z-]+", of_service)) <= known
    assert known - described <= {"--version"}


def test_every_format_and_exit_code_is_described():
    """The table of formats has every reader with its suffixes, that of exit codes every code."""
    text = read("docs/data.md")
    for name in ROWS.names:
        assert f"`{name}`" in text
        assert all(suffix in text for suffix in SUFFIXES[name])
    codes = read("docs/command-line.md").partition("## Exit codes")[2]
    for code in (DONE, FAILED, USAGE, VIOLATED, ALARMED, INTERRUPTED, TERMINATED):
        assert re.search(rf"^\|.*\b{code}\b", codes, re.MULTILINE)


PAGES = ("alarms", "batch", "certificates", "command-line", "data", "environments", "experts", "finite_classes")


@pytest.mark.parametrize("path", ["README.md", *(f"docs/{one}.md" for one in (*PAGES, "serving"))])
def test_links_lead_somewhere(path):
    """Every relative link of the documents is to a file that exists."""
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", read(path)):
        assert (ROOT / path).parent.joinpath(target).exists()


def test_no_row_of_a_table_is_a_page():
    """Every line of every document has at most 400 characters."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    assert not [
        f"{page.name}:{k}"
        for page in pages
        for k, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 400
    ]


def test_the_changelog_knows_this_version():
    """The changelog has an entry for the version of the package."""
    from regretless import __version__

    assert f"## [{__version__}]" in read("CHANGELOG.md")
