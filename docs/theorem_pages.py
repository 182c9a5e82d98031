"""A page for each theorem, and one for each module of theorems with its proofs: all from what the code says."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple

from errata import errata, linked
from latex2mathml.converter import convert

from regretless.theorem import Theorem

CODE = re.compile(r"(``.*?``|`[^`]*`)", re.DOTALL)
EMPHASIS = re.compile(r"(?<!\w)(\\\*(?:\\\*)?)[A-Za-z][^*\\\n]*\1(?!\w)")  # words between stars, once these are escaped
SECTION = re.compile(r"^# ---- (.*?)\n((?:#.*\n)*)", re.MULTILINE)
KINDS = {"sure": "always", "expected": "in expectation", "probable": "with a probability"}
# Modules of theorems to whose proofs a part of docs/proofs.md belongs.
PROOFS = {
    "late_labels": "labels-that-come-late",
    "confidence": "looking-at-any-time",
    "alarms": "alarms",
    "off_policy": "what-a-log-proves",
    "finite_classes": "finite-classes",
    **dict.fromkeys(("mixing", "mixing_mirror", "mixing_regret"), "shards"),
    **dict.fromkeys(("bandits", "bandit_estimates", "bandit_weights"), "bandits"),
    **dict.fromkeys(("games", "self_play"), "games"),
}


class Drawing(NamedTuple):
    """A picture of a page, and what is said below it."""

    svg: str
    caption: str


Drawings = Mapping[str, Drawing]  # by the path of their page, without its suffix


def theorems() -> dict[str, Theorem]:
    """All theorems, by the name of their page."""
    pages: dict[str, Theorem] = {}
    for one in iter_modules(import_module("regretless.theory").__path__, "regretless.theory."):
        for value in vars(import_module(one.name)).values():
            if isinstance(value, Theorem):
                pages[theorem_page(value)] = value
    return pages


def theorem_page(theorem: Theorem) -> str:
    """The name of a theorem's page."""
    return f"{_module(theorem)}-{theorem.name}"


def theorem_pages(of: Mapping[str, list[str]], drawn: Drawings) -> Iterator[tuple[str, str]]:
    """A page for each theorem, one for the proofs of each module, and their list.

    Parameters
    ----------
    of : mapping of str to list of str
        By the name of a theorem's page, links to the learners that have it.
    drawn : mapping
        The pictures.
    """
    known, wrong = theorems(), errata()
    for name, theorem in known.items():
        blocks = _theorem(
            theorem, of.get(name, []), shown(f"theorems/{name}", drawn), linked(wrong.get(name, ""), known, "")
        )
        yield f"theorems/{name}.md", "\n\n".join(blocks)
    modules = sorted({_module(one) for one in known.values()})
    for module in modules:
        yield f"theorems/proofs-{module}.md", "\n\n".join(_proofs(module))
    titles = {name: f"{one.title}, of {name.partition('-')[0]}" for name, one in known.items()}
    titles |= {f"proofs-{module}": f"Proofs of {module.replace('_', ' ')}" for module in modules}
    yield "theorems/index.md", "# A page for each theorem\n\n" + listed(titles)


def _theorem(theorem: Theorem, learners: list[str], drawn: str, wrong: str) -> Iterator[str]:
    module = _module(theorem)
    yield f"# {theorem.title}"
    yield f"*{theorem.kind}*: it holds {KINDS[theorem.kind]}. It bounds {theorem.quantity}."
    yield plain(theorem.statement)
    yield convert(theorem.formula, display="block")
    if drawn:
        yield f"## The bound, and what was observed\n\n{drawn}"
    if theorem.assumes or theorem.presumes:
        yield "## Assumptions"
    if theorem.assumes:
        yield "A certificate gives no number, but one of these reasons, where an assumption fails:"
        yield "\n".join(f"- {plain(words)}" for words in dict.fromkeys(words for words, _ in theorem.assumes))
    if theorem.presumes:
        yield f"It presumes what no run can show: {plain(theorem.presumes)}."
    yield f"## Source and proof\n\n{plain(theorem.source)}"
    yield f"What the code says of the proof stands in [the proofs of {module.replace('_', ' ')}](proofs-{module}.md)."
    if wrong:
        yield f"## Where a printed form errs\n\n{wrong}\n\nAll such forms stand on [one page](../errata.md)."
    if learners:
        yield f"## Learners\n\n{', '.join(learners)}"
    yield f"## As it is computed\n\n```python\n{inspect.getsource(theorem.bound)}```"


def _proofs(module: str) -> Iterator[str]:
    """What a module says at its head, and at the head of each of its parts."""
    chapter = import_module(f"regretless.theory.{module}")
    head, _, rest = (inspect.getdoc(chapter) or "").partition("\n")
    yield f"# Proofs of {module.replace('_', ' ')}"
    yield f"*{plain(head)}* These are the words at the head of `regretless/theory/{module}.py`."
    yield _prose(rest)
    if module in PROOFS:
        yield f"More stands in [proofs](../proofs.md#{PROOFS[module]})."
    for title, text in SECTION.findall(inspect.getsource(chapter)):
        yield f"## {plain(title)}"
        yield _prose("\n".join(line.removeprefix("#").removeprefix(" ") for line in text.splitlines()))


def _prose(text: str) -> str:
    """Paragraphs, formulas that stand apart, and words between stars."""
    lines = [line if line.startswith("    ") else plain(line) for line in text.strip("\n").splitlines()]
    return EMPHASIS.sub(lambda match: match[0].replace("\\*", "*"), "\n".join(lines))


def _module(theorem: Theorem) -> str:
    return theorem.bound.__module__.removeprefix("regretless.theory.")


def shown(path: str, drawn: Drawings) -> str:
    """The picture of a page with its caption, if there is one."""
    if path not in drawn:
        return ""
    name, caption = path.rpartition("/")[2], plain(drawn[path].caption)
    return f"![What was observed, below what is allowed]({name}.svg)\n\n{caption}\n"


def plain(words: str) -> str:
    """Words in which signs of mathematics are no markup, but for code."""
    parts = CODE.split(words)
    return "".join(part if k % 2 else re.sub(r"[<*|\\_\[]", r"\\\g<0>", part) for k, part in enumerate(parts))


def listed(titles: Mapping[str, str]) -> str:
    """Links to pages that the navigation leaves out: each page of the site would carry them all."""
    return "".join(f"- [{title}]({name}.md)\n" for name, title in titles.items())
