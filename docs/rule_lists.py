"""Writes the lists of the rules in the kernels, of each family all types that say `facts`.

``python docs/rule_lists.py`` prints what differs; ``--write`` puts it in its place. It needs Python alone, and no core:
where a header has a new name, the core cannot be compiled before its list is written.
"""

from __future__ import annotations

import re
import sys
from difflib import unified_diff
from pathlib import Path

KERNELS = Path(__file__).resolve().parent.parent / "cpp" / "regretless"
# The list of each family of rules, its headers, and the type of their facts.
FAMILIES = {
    "expert_rules.hpp": ("expert_*.hpp", "CombinerRule"),
    "pull_rules.hpp": ("pull_*.hpp", "PullRule"),
}
FACTS = re.compile(r"\bstatic\b[^;{}=]*\bfacts\b")


def of_rules(name: str) -> str:
    """The header of a family: the tuple of its rules, in the order in which they stood, a new one last."""
    pattern, facts = FAMILIES[name]
    text = (KERNELS / name).read_text(encoding="utf-8")
    homes = rules_of({path.name: path.read_text(encoding="utf-8") for path in sorted(KERNELS.glob(pattern))}, facts)
    stood = re.findall(r"\w+", re.search(r"std::tuple<([^>]*)>", text)[1])  # type: ignore[index]
    rules = sorted(homes, key=lambda rule: (stood.index(rule) if rule in stood else len(stood), rule))
    includes = "".join(f'#include "{header}"\n' for header in sorted(set(homes.values())))
    text = re.sub(r'(?:#include "[^\n]*\n)+', includes, text)
    return re.sub(r"std::tuple<[^>]*>", f"std::tuple<{', '.join(rules)}>", text)


def rules_of(headers: dict[str, str], facts: str) -> dict[str, str]:
    """The types that say facts, and the header of each; of a template what is made of it, in whichever header."""
    plain = {header: re.sub(r"//[^\n]*", "", text) for header, text in headers.items()}
    homes: dict[str, str] = {}
    for header, text in plain.items():
        types = _types(text, facts)
        if len(types) != len(FACTS.findall(text)):
            raise SystemExit(
                f"{header}: facts of no rule; a rule is a struct or a class that begins its line and has "
                f"`static constexpr {facts} facts`; here are {[name for _, name in types]}"
            )
        for template, name in types:
            made = _made_of(name, plain) if template else {name: header}
            if not made:
                raise SystemExit(
                    f"{header}: {name} says facts, but no rule is made of it, as by `using Rule = {name}<...>`"
                )
            homes |= made
    return homes


def _types(text: str, facts: str) -> list[tuple[str, str]]:
    """What stands before each type of a header that says facts, if it is a template, and its name."""
    begin, other = r"^(template <[^{};]*\n)?(?:struct|class) (\w+)", r"(?:(?!^(?:}|struct |class |template )).)*?"
    declaration = rf"\bstatic\b[^;{{}}=]*(?:\b{facts} facts\b|\bauto facts = (?:\w+::)*{facts}\b)"
    return re.findall(f"(?ms){begin}{other}{declaration}", text)


def _made_of(template: str, headers: dict[str, str]) -> dict[str, str]:
    """The names of what is made of a template, and the header of each."""
    made = rf"(?m)^(?:using (\w+) =\s*|(?:struct|class) (\w+)[^{{;]*\b){template}<"
    return {one or other: header for header, text in headers.items() for one, other in re.findall(made, text)}


def lists() -> dict[Path, str]:
    """All lists of rules, as they should be."""
    return {KERNELS / name: of_rules(name) for name in FAMILIES}


if __name__ == "__main__":
    for path, text in lists().items():
        stands = path.read_text(encoding="utf-8")
        if stands.split() == text.split():
            continue  # lines are broken by clang-format; what is not written is not compiled again
        if "--write" in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        else:
            print(*unified_diff(stands.splitlines(), text.splitlines(), str(path), str(path), lineterm=""), sep="\n")
