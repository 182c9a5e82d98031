"""Small extensive games for tests: drawn at random, written as files, and solved by trying everything."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np

from regretless.data.gambit_efg import GameTree, InformationSet, Node, Outcome

Array = np.ndarray[Any, Any]

KUHN = """EFG 2 R "Kuhn's poker" { "first" "second" }
""
c "" 1 "" { "JQ" 1/6 "JK" 1/6 "QJ" 1/6 "QK" 1/6 "KJ" 1/6 "KQ" 1/6 } 0
{deals}
"""
CARDS = "JQK"


def kuhn() -> str:
    """Kuhn's poker as a file."""
    deals = []
    for mine, other in ((a, b) for a in range(3) for b in range(3) if a != b):
        sign = 1 if mine > other else -1
        first, second = (f'p "" 1 {{}} "{CARDS[mine]}{{}}"', f'p "" 2 {{}} "{CARDS[other]}{{}}"')
        deals += [
            first.format(mine + 1, "") + ' { "check" "bet" } 0',
            second.format(other + 1, "") + ' { "check" "bet" } 0',
            _end(sign),
            first.format(mine + 4, "?") + ' { "fold" "call" } 0',
            _end(-1),
            _end(2 * sign),
            second.format(other + 4, "?") + ' { "fold" "call" } 0',
            _end(1),
            _end(2 * sign),
        ]
    return KUHN.replace("{deals}", "\n".join(deals))


def _end(won: int) -> str:
    return f't "" {won + 3} "" {{ {won} {-won} }}'


class Draw:
    """A random tree of two players who remember everything.

    Parameters
    ----------
    seed : int
    depth : int
        Of the tree at most.
    total : Fraction
        What both players win together.
    inner : bool
        Whether nodes before the end have outcomes too.
    """

    def __init__(self, seed: int, depth: int = 4, total: Fraction = Fraction(0), inner: bool = True) -> None:
        self._random = Random(seed)
        self._depth, self._total, self._inner = depth, total, inner
        self._nodes: list[Node] = []
        self._sets: dict[tuple[Any, ...], list[InformationSet]] = {}
        self._counts = [0, 0, 0]
        self._outcomes = 0
        self._grow(0, ((), ()))
        self.tree = GameTree("<drawn>", 'drawn "at" random', "", ["one", "two"], self._nodes)

    def _grow(self, depth: int, done: tuple[tuple[Any, ...], tuple[Any, ...]]) -> int:
        place, draw = len(self._nodes), self._random
        ends = depth == self._depth or (depth > 1 and draw.random() < 0.25)
        moves = None if ends else self._moves(done)
        node = Node(f"node {place}", moves, self._outcome(ends))
        self._nodes.append(node)
        for action in range(len(moves.actions) if moves else 0):
            after = list(done)
            if moves and moves.player:
                after[moves.player - 1] = (*done[moves.player - 1], (moves.number, action))
            node.children.append(self._grow(depth + 1, (after[0], after[1])))
        return place

    def _moves(self, done: tuple[Any, ...]) -> InformationSet:
        draw = self._random
        player, count = draw.choice((0, 1, 1, 2, 2)), draw.choice((1, 2, 2, 3))
        if player:
            known = self._sets.setdefault((player, done[player - 1], count), [])
            if known and draw.random() < 0.6:
                return draw.choice(known)
        self._counts[player] += 1
        names = tuple(f"a{action}" for action in range(count))
        weights = [draw.randint(1, 4) for _ in names] if player == 0 else []
        chances = tuple(Fraction(weight, sum(weights)) for weight in weights)
        result = InformationSet(player, self._counts[player], f"set {self._counts[player]}", names, chances)
        if player:
            known.append(result)
        return result

    def _outcome(self, ends: bool) -> Outcome | None:
        draw = self._random
        if not ends and not (self._inner and draw.random() < 0.2):
            return None
        self._outcomes += 1
        won = Fraction(draw.randint(-20, 20), draw.choice((1, 1, 2, 3, 10)))
        return Outcome(self._outcomes, "", (won, (self._total if ends else 0) - won))


def written(tree: GameTree, again: bool = True) -> str:
    """A tree as a file; `again`: what was said of a set or an outcome is said wherever it comes."""
    names: set[Any] = set()
    lines = ['EFG 2 R "{}" {{ {} }}'.format(_escaped(tree.title), " ".join(f'"{name}"' for name in tree.players))]
    lines.append(f'"{_escaped(tree.comment)}"')
    for node in tree.nodes:
        line = 't ""' if node.moves is None else ('c ""' if node.moves.player == 0 else f'p "" {node.moves.player}')
        line = line.replace('""', f'"{_escaped(node.name)}"')
        if (moves := node.moves) is not None:
            line += f" {moves.number}"
            if again or (moves.player, moves.number) not in names:
                chances = [f" {chance}" for chance in moves.chances] or [""] * len(moves.actions)
                actions = " ".join(f'"{name}"{chance}' for name, chance in zip(moves.actions, chances, strict=True))
                line += f' "{moves.name}" {{ {actions} }}'
                names.add((moves.player, moves.number))
        if (outcome := node.outcome) is None:
            line += " 0"
        else:
            line += f" {outcome.number}"
            if again or outcome.number not in names:
                line += f' "{outcome.name}" {{ {", ".join(str(payoff) for payoff in outcome.payoffs)} }}'
                names.add(outcome.number)
        lines.append(line)
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def strategies(tree: GameTree, player: int) -> list[dict[int, int]]:
    """Every pure strategy of a player: an action in each information set."""
    sets = {
        node.moves.number: len(node.moves.actions) for node in tree.nodes if node.moves and node.moves.player == player
    }
    return [dict(zip(sets, choice, strict=True)) for choice in product(*(range(count) for count in sets.values()))]


def strategic_form(tree: GameTree) -> list[list[Fraction]]:
    """What the first player wins in expectation with each pure strategy against each of the other's."""
    return [[expected(tree, one, two) for two in strategies(tree, 2)] for one in strategies(tree, 1)]


def expected(tree: GameTree, one: dict[int, int], two: dict[int, int], place: int = 0) -> Fraction:
    """What the first player wins from a node on, if both play pure strategies."""
    node = tree.nodes[place]
    won = Fraction(node.outcome.payoffs[0]) if node.outcome else Fraction()
    if node.moves is None:
        return won
    if node.moves.player == 0:
        branches = zip(node.moves.chances, node.children, strict=True)
        return won + sum((chance * expected(tree, one, two, child) for chance, child in branches), Fraction())
    chosen = (one, two)[node.moves.player - 1][node.moves.number]
    return won + expected(tree, one, two, node.children[chosen])


class Arrays:
    """A random treeplex for each player, and payoffs, as the compiled core has them."""

    def __init__(self, seed: int, sets: int = 6, density: float = 0.4, whole: bool = False) -> None:
        random = np.random.default_rng(seed)
        self.first, self.parent = [], []
        for _ in range(2):
            count = int(random.integers(0, sets + 1))
            first, parent = [1], []
            for _ in range(count):
                parent.append(int(random.integers(0, first[-1])))
                first.append(first[-1] + int(random.integers(1, 4)))
            self.first.append(np.array(first, dtype=np.int32))
            self.parent.append(np.array(parent, dtype=np.int32))
        shape = int(self.first[0][-1]), int(self.first[1][-1])
        values = random.integers(-5, 6, shape) if whole else random.normal(size=shape)
        self.payoffs: Array = np.where(random.random(shape) < density, values, 0.0)

    def arguments(self) -> dict[str, Any]:
        """What the core is made from."""
        result: dict[str, Any] = {}
        for place, (side, matrix) in enumerate((("row", self.payoffs), ("column", self.payoffs.T))):
            result[f"{side}_first"], result[f"{side}_parent"] = self.first[place], self.parent[place]
            result |= {f"{side}_{name}": array for name, array in _compressed(np.ascontiguousarray(matrix)).items()}
        return result

    def plan(self, side: int, random: np.random.Generator) -> Array:
        """A random plan, with sequences that are never played."""
        steps = random.random(int(self.first[side][-1])) * (random.random(int(self.first[side][-1])) < 0.7)
        return self.laid(side, steps)

    def laid(self, side: int, steps: Array) -> Array:
        """The plan of weights in the information sets, equal ones where all are zero."""
        plan = np.ones(len(steps))
        for begin, end, parent in self.sets(side):
            own = steps[begin:end]
            plan[begin:end] = plan[parent] * (
                own / own.sum() if own.sum() > 0 else np.full(end - begin, 1 / (end - begin))
            )
        return plan

    def sets(self, side: int) -> Iterator[tuple[int, int, int]]:
        """The first sequence of each information set, the one after its last, and the one that leads there."""
        first = self.first[side].tolist()
        yield from zip(first[:-1], first[1:], self.parent[side].tolist(), strict=True)

    def best(self, side: int, earned: Array, most: Any = max) -> Any:
        """What the best answer makes of what each sequence earns; of any kind of numbers."""
        earned = list(earned)
        for begin, end, parent in reversed(list(self.sets(side))):
            earned[parent] += most(earned[begin:end])
        return earned[0]


def _compressed(matrix: Array) -> dict[str, Array]:
    rows, columns = np.nonzero(matrix)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(matrix)))])
    return {
        "starts": starts.astype(np.int64),
        "columns": columns.astype(np.int32),
        "values": np.ascontiguousarray(matrix[rows, columns]),
    }
