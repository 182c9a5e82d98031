"""``regretless explain``: a learner, a theorem, or what there is to explain, from the facts that the code states."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from importlib import import_module
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from ..catalogue import TABLES, Kind, class_of, name_in
from ..environments.registry import WORST, entry_of
from ..errors import did_you_mean
from ..play.compatibility import PREFIXES, environments_for
from ..report.formatting import printable
from ..report.formula_text import in_text
from .arguments import Arguments
from .output import DONE, UsageError, write_json

if TYPE_CHECKING:
    from ..theorem import Theorem

HELP = "explain a learner or a theorem"
DESCRIPTION = (
    "Prints what a learner is shown and charged, how it updates, its theorems with their assumptions and sources, the "
    "same algorithm as a textbook prints it, and commands to try; or one theorem with the formula as it is computed. "
    "Without a name it lists all learners and all theorems."
)
SCHEMA = "regretless.explain/1"
WIDTH = 100
HEADS = {
    "class": "learners of finite classes",
    "linear": "learners of weights, for labels",
    "regression": "learners of weights, for numbers",
    "experts": "combiners of experts",
    "bandits": "bandits",
    "contextual": "bandits with features",
}
REVEALED = {
    "class": "a point, then its label",
    "linear": "a row, then its label",
    "regression": "a row, then its number",
    "experts": "what every expert says, then the outcome: what each of them loses",
    "bandits": "the loss of the arm that was drawn, and no other",
    "contextual": "features, then the loss of the arm that was drawn, and no other",
}
SECTION = re.compile(r"\n\n\w+\n-{3,}")  # of a numpydoc docstring
COLONS = re.compile(r",? ?::$")  # before a verbatim block
VERB = {
    "linear": "learn FILE.csv --target COLUMN",
    "regression": "learn FILE.csv --task {task} --target COLUMN",
    "experts": "combine FILE.csv --target COLUMN",
    "bandits": "pull LOSSES.csv",
    "contextual": "explore FILE.csv --costs ARM,ARM",
}


class ExplainOptions(Arguments):
    """Of `explain`."""

    name: str | None
    theorem: str | None
    json: bool


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument(
        "name", metavar="LEARNER", nargs="?", help="by its name on the command line or in Python; as in bandits.hedge"
    )
    parser.add_argument(
        "--theorem",
        metavar="NAME",
        help="explain this theorem, by its title in certificates or its name in code and in JSON",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run(arguments: ExplainOptions) -> int:
    """Explain."""
    if arguments.name is not None and arguments.theorem is not None:
        raise UsageError("a learner and --theorem are two things to explain; name one")
    lines: Iterable[str]
    if arguments.theorem is not None:
        values, lines = _theorems_alone(arguments.theorem)
    elif arguments.name is not None:
        kind, name = _resolved(arguments.name)
        values = describe_learner(kind, name)
        lines = _learner_lines(values)
    else:
        values, lines = _all(), _list_lines()
    if arguments.json:
        write_json({"schema": SCHEMA, **values})
    else:
        for line in lines:
            print("\n".join(map(printable, line.split("\n"))))
    return DONE


# ---- which


def theorems() -> dict[str, Theorem]:
    """All theorems by their names, in the order of the modules of the theory."""
    from pkgutil import iter_modules

    from ..theorem import Theorem

    known: dict[str, Theorem] = {}
    room = import_module(f"{__package__.rpartition('.')[0]}.theory")
    for one in iter_modules(room.__path__, f"{room.__name__}."):
        for value in vars(import_module(one.name)).values():
            if isinstance(value, Theorem):
                known[value.name] = value
    return known


def _called(text: str) -> Iterator[tuple[Kind, str]]:
    """All learners of a name, which may have their room before it."""
    room, _, bare = text.rpartition(".")
    for kind, table in TABLES.items():
        if (not room or PREFIXES.get(room) == kind) and (name := name_in(table, bare)) in table:
            yield kind, name


def _resolved(text: str) -> tuple[Kind, str]:
    """The first learner of a name.

    Raises
    ------
    UsageError
        If there is none; it says which names are like it.
    """
    for learner in _called(text):
        return learner
    if text.replace("-", "_") in theorems():
        raise UsageError(f"{text} is a theorem: regretless explain --theorem {text.replace('-', '_')}")
    names = dict.fromkeys(name for table in TABLES.values() for name in table)
    meant = did_you_mean(text.rpartition(".")[2], names)
    raise UsageError(f"there is no learner called {text!r}; {meant}regretless explain lists them")


# ---- learners


def describe_learner(kind: Kind, name: str) -> dict[str, Any]:
    """A learner as JSON values."""
    import inspect

    learner = class_of(kind, name)
    summary, rule, about = _parts(inspect.getdoc(learner) or "")
    room = learner.__module__.split(".")[1]
    others = [f"{_room(of)}.{other}" for of, other in _called(name) if of != kind]
    return {
        "learner": name,
        "kind": kind,
        "class": f"regretless.{room}.{learner.__name__}",
        "others": others,
        "summary": summary,
        "revealed": _revealed(kind, learner.info),
        "update": rule,
        "about": about,
        "facts": {fact: value for fact, value in learner.info._asdict().items() if fact != "name"},
        "theorems": [describe_theorem(one) for one in learner.theorems],
        "twin": _twin(room, learner.info),
        "examples": list(_examples(kind, name)),
    }


def _room(kind: Kind) -> str:
    """What stands before the names of learners of a kind, where several have one name."""
    return next(room for room, of in PREFIXES.items() if of == kind)


def _revealed(kind: Kind, info: Any) -> str:
    informed = kind == "bandits" and info.informed
    return "the losses of all arms" if informed else REVEALED[kind]


def _parts(doc: str) -> tuple[str, str, str]:
    """The first paragraph of a docstring, its first verbatim block, and what else stands before the sections.

    Later blocks stay indented, behind the paragraphs that they belong to.
    """
    import inspect

    paragraphs = SECTION.split(doc)[0].split("\n\n")
    rule, about = "", []
    for paragraph in paragraphs[1:]:
        if paragraph.startswith("    "):
            if rule:
                about.append(paragraph)
            else:
                rule = inspect.cleandoc(paragraph)
        elif paragraph != "::":
            about.append(COLONS.sub(":", " ".join(paragraph.split())))
    return " ".join(paragraphs[0].split()), rule, "\n\n".join(about)


def _twin(room: str, info: Any) -> dict[str, str] | None:
    """The function of the textbook, with its source."""
    import inspect

    name = getattr(info, "twin", "")
    if not name:
        return None
    book = import_module(f"{__package__.rpartition('.')[0]}.textbook.{room}")
    return {"function": f"{book.__name__}.{name}", "source": inspect.getsource(getattr(book, name))}


def _examples(kind: Kind, name: str) -> Iterator[str]:
    """Command lines: on a file of the user's, and one that needs no file."""
    import inspect

    learner = class_of(kind, name)
    wanted = inspect.signature(learner).parameters.values()
    needed = "".join(f" --set {one.name}=..." for one in wanted if one.default is one.empty and kind != "class")
    if kind in VERB:
        verb = VERB[kind].format(task=getattr(learner.info, "task", ""))
        advice = " --advice ADVICE.csv" if kind == "bandits" and learner.info.advised else ""
        more = f" {learner.example_options}" if learner.example_options else ""
        yield f"regretless {verb} --learner {name}{needed}{advice}{more}"
    against = [one for one in environments_for(kind, name) if one != WORST]
    if against and not needed:
        called = f"{_room(kind)}.{name}" if len(list(_called(name))) > 1 else name
        wants = " --named thresholds:7" if entry_of(against[0]).needs_class else ""
        yield f"regretless play --learner {called} --environment {against[0]}{wants} --trace"


def _learner_lines(values: dict[str, Any]) -> Iterator[str]:
    yield f"{values['learner']}: {values['class']}"
    if values["others"]:
        yield f"(another of this name: {', '.join(values['others'])})"
    yield ""
    yield fill(values["summary"], WIDTH)
    yield ""
    yield f"{'revealed':<12} {values['revealed']}"
    for fact, value in values["facts"].items():
        if value not in ("", None) and fact not in ("summary", "twin"):
            yield f"{fact:<12} {('yes' if value else 'no') if isinstance(value, bool) else value}"
    if values["update"]:
        yield from ("", "A round:", indent(values["update"], "  "))
    for paragraph in filter(None, values["about"].split("\n\n")):
        yield from ("", paragraph if paragraph.startswith("    ") else fill(paragraph, WIDTH))
    yield from ("", "Theorems")
    common = _common(values["theorems"])
    if common:
        yield "  A certificate of any of them has no number, but one of these reasons, where an assumption fails:"
        yield from (indent(fill(words, WIDTH - 4), "    ") for words in common)
    for theorem in values["theorems"]:
        own = [words for words in theorem["assumes"] if words not in common]
        yield ""
        yield from (indent(line, "  ") for line in _theorem_lines({**theorem, "assumes": own}))
    if values["twin"] is not None:
        yield from ("", f"As a textbook prints it: {values['twin']['function']}", "")
        yield indent(values["twin"]["source"].rstrip(), "  ")
    yield from ("", "To try it:", *(f"  {example}" for example in values["examples"]))


# ---- theorems


def describe_theorem(theorem: Theorem) -> dict[str, Any]:
    """A theorem as JSON values."""
    return {
        "theorem": theorem.name,
        "title": theorem.title,
        "chapter": theorem.bound.__module__.rpartition(".")[2],
        "kind": theorem.kind,
        "quantity": theorem.quantity,
        "statement": theorem.statement,
        "formula": theorem.formula,
        "assumes": list(dict.fromkeys(words for words, _ in theorem.assumes)),
        "presumes": theorem.presumes or None,
        "source": theorem.source,
    }


def _called_theorem(text: str) -> list[Theorem]:
    """The theorem of a name, or all those of a title, in whatever case."""
    known = theorems()
    name = text.lower().replace("-", "_")
    if name in known:
        return [known[name]]
    if titled := [one for one in known.values() if one.title.lower() == text.strip(" :").lower()]:
        return titled
    meant = did_you_mean(text, dict.fromkeys((*known, *(one.title for one in known.values()))))
    learner = f"{text} is a learner: regretless explain {text}; " if next(_called(text), None) else ""
    raise UsageError(f"there is no theorem called {text!r}; {learner}{meant}regretless explain lists them")


def _theorems_alone(text: str) -> tuple[dict[str, Any], list[str]]:
    """The theorem of a name, or each of those of a title, for some have one title for several learners."""
    values, blocks = zip(*map(_theorem_alone, _called_theorem(text)), strict=True)
    lines = [line for block in blocks for line in ("", *block)][1:]
    return values[0] if len(values) == 1 else {"title": values[0]["title"], "theorems": list(values)}, lines


def _theorem_alone(theorem: Theorem) -> tuple[dict[str, Any], list[str]]:
    """A theorem with the code of its formula and the learners that it is about."""
    import inspect

    about = [
        f"{_room(kind)}.{learner}"
        for kind, table in TABLES.items()
        for learner in table
        if theorem in class_of(kind, learner).theorems
    ]
    code = inspect.getsource(theorem.bound)
    values = {**describe_theorem(theorem), "computed": code, "learners": about}
    lines = [*_theorem_lines(values), "", "As it is computed:", "", indent(code.rstrip(), "  ")]
    return values, [*lines, *(["", fill(f"Learners: {', '.join(about)}", WIDTH)] if about else [])]


def _common(theorems: list[dict[str, Any]]) -> list[str]:
    """What all of several theorems assume."""
    first = theorems[0]["assumes"] if len(theorems) > 1 else []
    return [words for words in first if all(words in one["assumes"] for one in theorems)]


def _theorem_lines(values: dict[str, Any]) -> Iterator[str]:
    """A theorem in lines."""
    from ..certificate import SURELY  # which loads dataclasses, for which --help would have to wait

    yield f"{values['title']} ({values['theorem']}): bounds {values['quantity']}, {SURELY[values['kind']]}"
    yield indent(fill(values["statement"], WIDTH - 4), "  ")
    yield f"  formula  {_shown(values['formula'])}"
    if values["assumes"]:
        yield "  no number, but one of these reasons, where an assumption fails:"
        yield from (indent(fill(words, WIDTH - 6), "    ") for words in values["assumes"])
    if values["presumes"]:
        yield f"  presumes {values['presumes']}"
    yield f"  source   {values['source']}"


def _shown(formula: str) -> str:
    """A formula as text, or in TeX where the output has no such signs."""
    text = in_text(formula)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return formula
    return text


# ---- all


def _all() -> dict[str, Any]:
    """The names of all, as JSON values."""
    return {
        "learners": {kind: list(table) for kind, table in TABLES.items()},
        "theorems": {name: one.title for name, one in theorems().items()},
    }


def _list_lines() -> Iterator[str]:
    import inspect

    for kind, table in TABLES.items():
        yield HEADS[kind]
        for name in table:
            summary = _parts(inspect.getdoc(class_of(kind, name)) or "")[0]
            yield f"  {name:<26} {summary if len(summary) <= WIDTH else summary[: WIDTH - 3] + '...'}"
        yield ""
    yield "theorems (explain --theorem NAME)"
    chapters: dict[str, list[str]] = {}
    for name, theorem in theorems().items():
        chapters.setdefault(theorem.bound.__module__.rpartition(".")[2], []).append(name)
    for chapter, names in chapters.items():
        head = f"  {chapter.replace('_', ' '):<26} "
        yield fill(", ".join(names), WIDTH + 28, initial_indent=head, subsequent_indent=" " * 29)
