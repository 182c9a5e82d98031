"""The faults: every place of a Python source where one is put in, and what it reads then."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Pow: "*",
}
SWAPPED = {"min": "max", "max": "min"}
TOLERANCE = 1e-6  # a constant below it is a tolerance: five percent more of it are no fault
SKIPPED = (ast.JoinedStr, ast.arg)  # places inside strings are not known


@dataclass(frozen=True)
class Mutant:
    """One fault: the text between two bytes of a file, and what stands there instead."""

    path: Path
    within: str
    line: int
    begin: int
    end: int
    before: str
    after: str

    @property
    def name(self) -> str:
        """What it is called, as long as the place reads the same; others may be called so, see `told_apart`."""
        return f"{self.path.stem}.{self.within}: {' '.join(self.before.split())} -> {' '.join(self.after.split())}"

    def source(self) -> bytes:
        """The file with the fault in it."""
        text = self.path.read_bytes()
        return text[: self.begin] + self.after.encode() + text[self.end :]


def told_apart(names: Sequence[str]) -> list[str]:
    """The same names, with an ordinal where several are alike: ``name [1]``, ``name [2]``."""
    count, observed, results = Counter(names), Counter[str](), []
    for name in names:
        observed[name] += 1
        results.append(f"{name} [{observed[name]}]" if count[name] > 1 else name)
    return results


def mutants(path: Path) -> list[Mutant]:
    """All mutants of a Python file, in the order of their places."""
    text = path.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    results = []
    for within, node, after in _walk(ast.parse(text), "module", False):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        results.append(Mutant(path, within, node.lineno, begin, end, text[begin:end].decode(), after))
    return results


def _walk(node: ast.AST, within: str, number: bool) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """Places below a node: the function they stand in, the node, the text instead. `number`: in one that returns it."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        within = node.name
        if isinstance(node, ast.FunctionDef):
            number = isinstance(node.returns, ast.Name) and node.returns.id == "float"
    if isinstance(node, ast.expr | ast.stmt):
        for after in _instead(node, number):
            yield within, node, after
    for field, child in ast.iter_fields(node):
        if field in ("annotation", "returns", "slice"):
            continue
        for one in child if isinstance(child, list) else [child]:
            if isinstance(one, ast.AST) and not isinstance(one, SKIPPED):
                yield from _walk(one, within, number)


def _instead(node: ast.expr | ast.stmt, number: bool) -> Iterator[str]:
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others):
            parts = [f"({ast.unparse(one)})" for one in (left, *others)]
            signs = [_sign(op) for op in ops]
            for place, op in enumerate(ops):
                for sign in COMPARISONS[type(op)]:
                    shown = [*signs[:place], sign, *signs[place + 1 :]]
                    yield "(" + parts[0] + "".join(f" {s} {p}" for s, p in zip(shown, parts[1:], strict=True)) + ")"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATIONS:
            yield f"(({ast.unparse(left)}) {OPERATIONS[type(op)]} ({ast.unparse(right)}))"
        case ast.BoolOp(op=op, values=values):
            yield (
                "(" + (" or " if isinstance(op, ast.And) else " and ").join(f"({ast.unparse(v)})" for v in values) + ")"
            )
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.Constant(value=value) if isinstance(value, int | float) and not isinstance(value, bool):
            yield from _numbers(value)
        case ast.Call(func=ast.Name(id="min" | "max" as name)):
            yield SWAPPED[name] + ast.unparse(node)[3:]
        case ast.Call(func=ast.Name(id="sqrt"), args=[inner]):
            yield f"({ast.unparse(inner)})"
        case ast.Return(value=value) if number and value is not None:
            if ast.unparse(value) not in ("0.0", "0", "inf"):
                yield f"return 2 * ({ast.unparse(value)})"
            if ast.unparse(value) != "inf":
                yield 'return float("inf")'
        case ast.Tuple(elts=elts) if len(elts) > 1 and all(_assumed(one) for one in elts):
            for place in range(len(elts)):
                yield "(" + "".join(f"{ast.unparse(one)}, " for k, one in enumerate(elts) if k != place) + ")"
        case ast.IfExp(test=test, body=body, orelse=orelse) if not isinstance(test, ast.Compare):
            yield f"(({ast.unparse(orelse)}) if ({ast.unparse(test)}) else ({ast.unparse(body)}))"


def _numbers(value: float) -> Iterator[str]:
    if 0 < abs(value) < TOLERANCE:
        yield "0.01"
    elif value == 0:
        yield "1"
    else:
        yield repr(value + 1)
        yield repr(value * 1.05) if value != 1 or isinstance(value, float) else "0"


def _sign(op: ast.cmpop) -> str:
    return ast.unparse(ast.Compare(ast.Name("a"), [op], [ast.Name("b")]))[2:-2]


def _assumed(one: ast.expr) -> bool:
    """Whether an entry of a tuple is an assumption or several: their names are in capitals."""
    one = one.value if isinstance(one, ast.Starred) else one
    if isinstance(one, ast.Attribute):
        return one.attr == "assumes"
    if isinstance(one, ast.Tuple):
        return len(one.elts) == 2 and isinstance(one.elts[0], ast.Constant) and isinstance(one.elts[0].value, str)
    return isinstance(one, ast.Name) and one.id.isupper() and one.id not in _TUPLES_OF_THEOREMS


_TUPLES_OF_THEOREMS = {
    "PA",
    "PA_I",
    "PA_II",
    "HEDGE",
    "OPTIMISTIC",
    "MATCHING",
    "OTHERS",
    "SOLVED",
    "CFR",
    "PERCEPTRON",
    "UNFORGETTING",
}
