"""The notebooks of lectures: runs their cells, and makes a page of the site of each, with what its cells gave.

``python docs/lectures.py`` runs all of them and says how long each took; ``--strip`` takes out of the files what
Jupyter wrote into them, so that only what somebody has written stands there. Nothing but Python is needed for either.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
HEAD = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class Cell(NamedTuple):
    """A cell of a notebook.

    Attributes
    ----------
    kind : {"markdown", "code"}
    source : str
    """

    kind: str
    source: str


def notebooks() -> list[Path]:
    """The files, in their order."""
    return sorted(FOLDER.glob("*.ipynb"))


def cells(path: Path) -> list[Cell]:
    """The cells of a notebook."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return [Cell(one["cell_type"], "".join(one["source"])) for one in content["cells"]]


def stripped(all_cells: list[Cell]) -> str:
    """The text of a notebook without outputs, the same for the same cells."""
    listed = []
    for place, cell in enumerate(all_cells):
        one: dict[str, Any] = {"cell_type": cell.kind, "id": f"cell-{place}", "metadata": {}}
        if cell.kind == "code":
            one |= {"execution_count": None, "outputs": []}
        listed.append(one | {"source": cell.source.splitlines(keepends=True)})
    content = {"cells": listed, "metadata": HEAD, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def run(path: Path) -> Iterator[tuple[Cell, str]]:
    """Each cell with what it gave, as Markdown; code runs as in a notebook, all cells in one namespace."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for place, cell in enumerate(cells(path)):
        yield cell, _run(cell.source, f"{path.name}, cell {place}", names) if cell.kind == "code" else ""


def _run(source: str, name: str, names: dict[str, Any]) -> str:
    """Run code, and show what it prints and what its last expression is."""
    tree = ast.parse(source, name)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, name, "exec"), names)
        value = None if last is None else eval(compile(last, name, "eval"), names)
    return _block(printed.getvalue()) + _shown(value)


def _block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n\n" if text.strip() else ""


def _shown(value: Any) -> str:
    """A value as a notebook shows it."""
    if value is None:
        return ""
    if hasattr(value, "savefig"):
        picture = io.BytesIO()
        value.savefig(picture, format="svg")
        return f'<img alt="" src="data:image/svg+xml;base64,{base64.b64encode(picture.getvalue()).decode()}">\n\n'
    if hasattr(value, "_repr_html_"):
        return f"{value._repr_html_()}\n\n"
    return _block(repr(value))


def pages(*, play: bool = True) -> dict[str, str]:
    """The page of each notebook, by its path; without what cells give, if they are not to be run."""
    made = {}
    for path in notebooks():
        each = run(path) if play else ((cell, "") for cell in cells(path))
        parts = [
            f"{cell.source}\n\n" if cell.kind == "markdown" else f"```python\n{cell.source}\n```\n\n{output}"
            for cell, output in each
        ]
        made[f"notebooks/{path.stem}.md"] = "".join(parts)
    return made


if __name__ == "__main__":
    for notebook in notebooks():
        if "--strip" in sys.argv[1:]:
            notebook.write_text(stripped(cells(notebook)), encoding="utf-8")
            continue
        started = process_time()
        count = sum(1 for _ in run(notebook))
        print(f"{notebook.name}: {count} cells, {process_time() - started:.1f} s")
