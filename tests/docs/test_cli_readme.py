"""The documents say what is so."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest

from regretless.cli.entry import make
from regretless.cli.output import ALARMED, DONE, FAILED, INTERRUPTED, TERMINATED, USAGE, VIOLATED
from regretless.data.formats import ROWS, SUFFIXES

from .documents import script

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
VERDICT = re.compile(r"^[A-Z].*?: (does not apply|.* (<=|EXCEEDS) )")


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def toured(tmp_path_factory) -> tuple[Path, str]:
    """A folder in which the tour's commands were run, and the tour as it should be."""
    pytest.importorskip("sklearn")
    if shutil.which("bash") is None:
        pytest.skip("the tour is for bash")
    folder = tmp_path_factory.mktemp("tour")
    return folder, script("tour").filled(read("docs/tour.md"), str(folder))


def test_the_tour_shows_what_the_commands_print(toured):
    """Below each command of the tour stands what it prints. How tight a bound is may differ by what scipy and BLAS
    do; that it is there, and of which theorem, may not."""
    _, text = toured

    def tolerant(text: str) -> list[str]:
        return [VERDICT.match(line)[0] if VERDICT.match(line) else line for line in text.splitlines()]

    assert tolerant(read("docs/tour.md")) == tolerant(text)


@pytest.mark.parametrize("path", ["README.md", "docs/tour.md"])
def test_the_first_pages_show_what_python_answers(path, toured, monkeypatch):
    """Every line of Python in the README and in the tour gives the answer that stands below it."""
    monkeypatch.chdir(toured[0])
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```$", read(path), re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, path, path, 0)
    assert test.examples
    doctests = doctest.DocTestRunner(verbose=False).run(test)
    assert doctests.failed == 0


def test_the_readme_is_short():
    """The README has at most 900 words."""
    assert len(read("README.md").split()) <= 900


def test_the_commands_of_the_readme_are_understood():
    """The command line accepts each command of the README's table, and the one above it."""
    page = read("README.md")
    table = page.partition("| you have |")[2].partition("\n\n")[0]
    commands = [*re.findall(r"^\|[^|]*\| `([^`]*)` \|", table, re.MULTILINE)[1:]]
    commands += re.findall(r"^regretless (.*)$", page, re.MULTILINE)
    assert len({shlex.split(one)[0] for one in commands}) > 9
    for one in commands:
        assert make().parse_args(shlex.split(one)).verb


def test_the_picture_of_the_readme_is_what_the_learner_did():
    """The picture of the README is what its script draws, within 0.3 pixels; the loss lies below both bounds."""
    pytest.importorskip("sklearn")
    drawn, svg = script("under_bound").figure(), read("docs/under-bound.svg")
    number = r"\d+\.\d+"
    assert re.sub(number, "", drawn) == re.sub(number, "", svg)
    numbers = [[float(one) for one in re.findall(number, text)] for text in (drawn, svg)]
    assert numbers[0] == pytest.approx(numbers[1], abs=0.3)
    lines = re.findall(r'class="line[^/]*', svg)[::-1]
    observed, tight, loose, _ = ([float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", line)] for line in lines)
    for bound in (tight, loose):
        assert all(low > high for low, high in zip(observed, bound, strict=True))  # from the top of the picture


@pytest.mark.parametrize("path", script("learners").PLACES)
def test_tables_are_those_of_the_classes(path):
    """The tables and lists of learners and theorems are what `docs/learners.py` prints from the classes."""
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


def test_links_lead_somewhere():
    """Every relative link of every document is to a file that exists."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    links = [(page, target) for page in pages for target in LINK.findall(page.read_text(encoding="utf-8"))]
    assert not [(page.name, target) for page, target in links if not (page.parent / target).exists()]


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
