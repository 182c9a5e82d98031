"""Mutants of the update rules of the core: one build holds them all, and a variable of the environment wakes one.

In a copy of the sources each expression with faults becomes a choice, `MUTANT(17) ? (a - b) : (a + b)`; it is compiled
once, for one instruction set and with little optimisation, and then every mutant costs no more than its tests.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"
TOOLS = Path(sys.executable).parent
# What moves weights, strategies and masses, and the tests of it.
_LINEAR = tuple(
    f"linear/test_{one}"
    for one in ("known_alma", "learners", "theory_regret", "passive_aggressive", "margin_perceptron", "kernels")
)
_EXPERTS = "experts/test_combine_kernels", "experts/test_known_ada_normal_hedge", "experts/test_expert_learners"
_COMBINERS = (
    *("ada_normal_hedge", "hedge", "majority", "poly", "second_order", "share", "squint"),
    *("workspace", "books", "blocks", "poly_rounds", "sweeps"),
)
_PULLED = tuple(f"bandits/test_{one}" for one in ("known_rules", "bandit_rules", "pull_kernel", "bandit_learners"))
_BANDITS = "rule", "flat", "tree", "exp3_p", "exp3_s", "exp4", "hedge", "tsallis"
RULES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("geometry", "rate"), _LINEAR),
    "loss": (*_LINEAR, "linear/test_certify"),  # where fixed vectors are charged it
    **dict.fromkeys(("combine", *(f"expert_{one}" for one in _COMBINERS)), _EXPERTS),
    **{f"pull_{name}": _PULLED for name in _BANDITS},
    "duel_rules": ("games/test_duel_kernel", "games/test_treeplex_kernel"),
    "fixed_vectors": ("linear/test_certify",),
    "multi_target": ("linear/test_kernels",),
    "sketch": ("linear/test_sketch", "linear/test_aggregated_sketch"),
    "aggregated_sketch": ("linear/test_aggregated_sketch",),
    "vote": tuple(f"finite_classes/test_{one}" for one in ("class_twins", "class_learners", "finite_class")),
}
SWAPS = {
    " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " < ": " <= ", " > ": " >= ", " <= ": " < ", " >= ": " > ",
    " == ": " != ", " != ": " == ", " && ": " || ", " || ": " && ", "std::sqrt(": "(", "std::max": "std::min",
    "std::min": "std::max",
}  # fmt: skip
NUMBER = re.compile(r"(?<![\w.<])(\d+\.?\d*)(?![\w.>])")
# A whole expression on one line: what is returned, assigned to a number, or asked.
PLACES = (
    re.compile(r"(?P<head>\breturn )(?P<it>[^;{}\[\]\"]+)(?P<tail>;)"),
    re.compile(r"(?P<head>^\s*(?:const )?(?:double|Octet) \w+ = )(?P<it>[^;,{}\[\]\"]+)(?P<tail>;)"),
    re.compile(r"(?P<head>^\s*[\w.\[\]]+ [+\-*/]?= )(?P<it>[^;,{}\[\]\"]+)(?P<tail>;)"),
    re.compile(r"(?P<head>^\s*if \()(?P<it>[^;,{}\[\]\"]+)(?P<tail>\) (?:\{|return|\[\[))"),
)
REFUSED = re.compile(r"regretless/(\w+)\.hpp:(\d+):\d+: error")
WAKE = """
#include <cstdlib>
#ifndef MUTANT
namespace regretless_mutants {
inline const int live = std::getenv("REGRETLESS_MUTANT") ? std::atoi(std::getenv("REGRETLESS_MUTANT")) : 0;
}
#define MUTANT(k) (regretless_mutants::live == k)
#endif
#line 2
"""


@dataclass(frozen=True)
class Rule:
    """One fault of a header: the number that wakes it, and what an expression reads then."""

    number: int
    header: str
    line: int
    before: str
    after: str

    @property
    def name(self) -> str:
        """What it is called, as long as the line reads the same."""
        return f"{self.header}.hpp: {self.before} -> {self.after}"

    @property
    def files(self) -> list[str]:
        """The tests of its header."""
        return [str(ROOT / "tests" / f"{name}.py") for name in RULES[self.header]]


def faults(expression: str) -> list[str]:
    """What an expression may read instead."""
    results = []
    for old, new in SWAPS.items():
        places = [match.start() for match in re.finditer(re.escape(old), expression)]
        results += [expression[:at] + new + expression[at + len(old) :] for at in places]
    for match in NUMBER.finditer(expression):
        other = repr(float(match[1]) * 1.05) if "." in match[1] else str(int(match[1]) + 1)
        results.append(expression[: match.start()] + other + expression[match.end() :])
    return results


def planted(header: str, text: str, first: int, refused: set[int]) -> tuple[str, list[Rule]]:
    """The header with its faults in it, asleep, and their list; none in lines that the compiler refused."""
    rules: list[Rule] = []
    lines = text.split("\n")
    for place, line in enumerate(lines):
        code = line.split("//")[0]
        if place + 1 in refused or "constexpr" in code or code.lstrip().startswith("#"):
            continue
        for pattern in PLACES:
            match = pattern.search(code)
            if match is None or match["it"].count("(") != match["it"].count(")") or " auto" in match["it"]:
                continue
            choice = ""
            for count, after in enumerate(faults(match["it"])):
                number = first + 100 * place + count  # the same whatever else is refused
                rules.append(Rule(number, header, place + 1, match["it"].strip(), after.strip()))
                choice += f"MUTANT({number}) ? ({after}) : "
            if choice:
                lines[place] = f"{code[: match.start('it')]}{choice}({match['it']}){code[match.end('it') :]}"
            break
    after = text.split("\n").index("#pragma once") + 1
    wake = WAKE.replace("#line 2", f"#line {after + 1}").strip("\n")  # what the compiler refuses keeps its line
    return "\n".join([*lines[:after], wake, *lines[after:]]), rules


def build() -> tuple[Path, list[Rule]]:
    """The core with every mutant in it, compiled if it is not yet, and their list."""
    refused: dict[str, set[int]] = {header: set() for header in RULES}
    rules = _plant(refused)
    _configure()  # it looks for the sources
    while True:
        ninja = subprocess.run(
            [TOOLS / "ninja", "-k", "0", "-C", BUILD / "core", "_core"], capture_output=True, text=True
        )
        if ninja.returncode == 0:
            return next((BUILD / "core").glob("_core*.so")), rules
        # An operation that its types do not have is no mutant; its whole line is left as it is.
        values = {(header, int(line)) for header, line in REFUSED.findall(ninja.stdout) if header in RULES}
        if not values or any(line in refused[header] for header, line in values):
            raise RuntimeError(ninja.stdout[-4000:])
        for header, line in values:
            refused[header].add(line)
        rules = _plant(refused)


def _plant(refused: dict[str, set[int]]) -> list[Rule]:
    """Write the sources with all faults in them, for one instruction set."""
    rules: list[Rule] = []
    for source in sorted([*ROOT.glob("bind/*.*"), *ROOT.glob("cpp/regretless/*.hpp")]):
        text = source.read_text()
        if "_mm" not in text:
            text = text.replace("defined(__x86_64__)", "0")
        if source.suffix == ".hpp" and source.parent.name == "regretless" and source.stem in RULES:
            text, result = planted(
                source.stem, text, 10**6 * (1 + list(RULES).index(source.stem)), refused[source.stem]
            )
            rules += result
        _write(BUILD / "tree" / source.relative_to(ROOT), text)
    return rules


def _configure() -> None:
    """For one instruction set, AVX2 where the machine has it, with little optimisation."""
    cmake = (ROOT / "CMakeLists.txt").read_text()
    plain = re.sub(r"if\(CMAKE_SYSTEM_PROCESSOR.*", "if(FALSE)", cmake).replace("-O3", "-O1")
    _write(BUILD / "tree" / "CMakeLists.txt", plain)
    arguments = [sys.executable, "-m", "nanobind", "--cmake_dir"]
    nanobind = Path(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.strip())
    # Some loops are written for registers of four numbers alone.
    wide = "avx2" in Path("/proc/cpuinfo").read_text()
    options = {
        "CMAKE_CXX_FLAGS": "-mavx2" if wide else "",
        "CMAKE_MAKE_PROGRAM": TOOLS / "ninja",
        "CMAKE_PREFIX_PATH": nanobind.parents[1],
        "nanobind_DIR": nanobind,
        "Python_EXECUTABLE": sys.executable,
        "SKBUILD_SABI_VERSION": "3.11",
    }
    inputs = [f"-D{name}={value}" for name, value in options.items()]
    where = ["-S", BUILD / "tree", "-B", BUILD / "core"]
    subprocess.run([TOOLS / "cmake", "-G", "Ninja", *inputs, *where], check=True, stdout=subprocess.DEVNULL)


def _write(path: Path, text: str) -> None:
    """Only where it changes anything, so that nothing is compiled for nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
