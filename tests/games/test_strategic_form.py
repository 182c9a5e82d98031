"""The reduced strategic form of game trees: its plans, its payoffs, and equilibria that are those of the tree."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import RegretlessError
from regretless.games import read_efg
from regretless.games.extensive_form import extensive
from regretless.games.extensive_form.extensive import ExtensiveGame

HEADER = 'EFG 2 R "" { "one" "two" } '
# Player one moves, then the two by what they saw; after "in" player one moves again.
CENTIPEDE = (
    'p "" 1 1 "first" { "take" "pass" } 0 t "" 1 "" { 1 0 } p "" 2 1 "second" { "take" "pass" } 0 t "" 2 "" { 0 2 } '
    'p "" 1 2 "third" { "take" "pass" } 0 t "" 3 "" { 3 1 } t "" 4 "" { 2 4 }'
)


def tree(rng: Random, depth: int, zero_sum: bool = False) -> str:
    """A random tree of perfect information: every node has an information set of its own."""
    number = iter(range(1, 10_000))

    def below(level: int) -> str:
        if level == 0 or rng.random() < 0.15:
            won = rng.randint(-3, 3)
            return f't "" {next(number)} "" {{ {won} {-won if zero_sum else rng.randint(-3, 3)} }}'
        player, place = rng.choice((0, 1, 2)), next(number)
        after = " ".join(below(level - 1) for _ in range(2))
        if player == 0:
            return f'c "" {place} "" {{ "a" 1/3 "b" 2/3 }} 0 {after}'
        return f'p "" {player} {place} "" {{ "a" "b" }} 0 {after}'

    return HEADER + below(depth)


def played(game: ExtensiveGame, choices: dict[tuple[int, int], int]) -> tuple[Fraction, Fraction]:
    """The expected payoffs when each player takes these actions, straight from the nodes."""
    nodes = game.tree.nodes

    def at(place: int) -> tuple[Any, ...]:
        node = nodes[place]
        own = (0, 0) if node.outcome is None else tuple(node.outcome.payoffs)
        moves = node.moves
        if moves is None:
            return own
        if moves.player == 0:
            chances = zip(moves.chances, map(at, node.children), strict=True)
            sums = [(chance * one, chance * two) for chance, (one, two) in chances]
            later = sum(one for one, _ in sums), sum(two for _, two in sums)
        else:
            later = at(node.children[choices[moves.player, moves.number]])
        return own[0] + later[0], own[1] + later[1]

    one, two = at(0)
    return Fraction(one), Fraction(two)


def test_plans_name_what_they_can_reach() -> None:
    """Who takes at once has no plan for later: the centipede of three moves has three plans of one and two of two."""
    form = read_efg(HEADER + CENTIPEDE).strategic_form()
    assert form.rows == ["first: take", "first: pass, third: take", "first: pass, third: pass"]
    assert form.cols == ["second: take", "second: pass"]
    assert form.row_payoffs.fractions() == [[1, 1], [0, 3], [0, 2]]
    assert form.column_payoffs.fractions() == [[0, 0], [2, 1], [2, 4]]
    assert form.pure_equilibria() == [("first: take", "second: take")]


@given(st.integers(0, 10**6), st.integers(0, 4))
def test_payoffs_are_those_of_play(seed: int, depth: int) -> None:
    """Each pair of plans pays what play by the tree pays, whatever is chosen where the plans do not lead."""
    rng = Random(seed)
    game = read_efg(tree(rng, depth))
    form = game.strategic_form()
    sets = sorted({(node.moves.player, node.moves.number) for node in game.tree.nodes if node.moves})
    sets = [one for one in sets if one[0]]
    named = {(node.moves.player, node.moves.number): node.moves.name for node in game.tree.nodes if node.moves}
    rows, columns = form.row_payoffs.fractions(), form.column_payoffs.fractions()
    for i, j in product(range(len(form.rows)), range(len(form.cols))):
        expected = {1: form.rows[i].split(", "), 2: form.cols[j].split(", ")}
        choices = {}
        for player, number in sets:
            label = named[player, number] or str(number)
            choices[player, number] = 1 if f"{label}: b" in expected[player] else 0
            if not any(part.startswith(f"{label}: ") for part in expected[player]):
                choices[player, number] = rng.randint(0, 1)
        assert (rows[i][j], columns[i][j]) == played(game, choices)


@given(st.integers(0, 10**6))
def test_zero_sum_trees_have_the_value_of_their_sequence_form(seed: int) -> None:
    """Of a zero-sum tree both forms have one value, exactly."""
    game = read_efg(tree(Random(seed), 3, zero_sum=True))
    assert game.is_constant_sum
    whole = game.strategic_form().constant_sum
    assert whole is not None
    solved, other = whole.solve(exact=True).exact, game.sequence_form().solve(exact=True).exact
    assert solved is not None
    assert other is not None
    assert solved.value == other.value


@given(st.integers(0, 10**6))
def test_behaviour_plays_as_the_mixture(seed: int) -> None:
    """At an equilibrium the behaviour of both mixtures pays what the mixtures pay (Kuhn 1953)."""
    game = read_efg(tree(Random(seed), 3))
    form = game.strategic_form()
    one = form.equilibria(limit=1)[0].exact
    assert one is not None
    chances = {1: game.behaviour("row", one.row), 2: game.behaviour("column", one.column)}
    total = [Fraction(0), Fraction(0)]

    def at(place: int, weight: Fraction, won: tuple[Any, Any]) -> None:
        node = game.tree.nodes[place]
        if node.outcome is not None:
            won = won[0] + node.outcome.payoffs[0], won[1] + node.outcome.payoffs[1]
        moves = node.moves
        if moves is None:
            total[0] += weight * won[0]
            total[1] += weight * won[1]
            return
        for child, action, place_ in zip(node.children, moves.actions, range(len(node.children)), strict=True):
            if moves.player == 0:
                chance = Fraction(moves.chances[place_])
            else:
                chance = Fraction(chances[moves.player][moves.name or str(moves.number)][action])
            if chance:
                at(child, weight * chance, won)

    at(0, Fraction(1), (0, 0))
    assert total == [one.row_payoff, one.column_payoff]


def test_what_has_no_form_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of other counts of players, without recall, and of too many plans are refused by name and number."""
    with pytest.raises(RegretlessError, match="3 players; games of two players are solved"):
        _ = read_efg('EFG 2 R "" { "1" "2" "3" } t "" 0').is_constant_sum
    below = 'p "" 1 2 "dark" { "l" "r" } 0 t "" 1 "" { 1 1 } t "" 0'
    with pytest.raises(RegretlessError, match="lacks perfect recall"):
        read_efg(HEADER + f'p "" 1 1 "" {{ "up" "down" }} 0 {below} {below}').strategic_form()
    monkeypatch.setattr(extensive, "MOST_CELLS", 5)
    with pytest.raises(RegretlessError, match=r"3 x 2 plans, or more; at most 5 pairs of plans are expected"):
        read_efg(HEADER + CENTIPEDE).strategic_form()
    monkeypatch.undo()
    again, ends = 'c "" {} "" {{ "a" 1/2 "b" 1/2 }} 0 p "" 1 {} "" {{ "a" "b" }} 0 {} ', 't "" 1 "" { 1 1 } ' * 2
    deep = "".join(again.format(place, place, ends) for place in range(1, 200)) + 't "" 2 "" { 0 1 }'
    with pytest.raises(RegretlessError, match=r"1,000,000,000 x 1 plans, or more"):
        read_efg(HEADER + deep).strategic_form()
    game = read_efg(HEADER + 't "" 1 "" { 1 1 }')
    with pytest.raises(RegretlessError, match=r"mixture: 2 probabilities; one for each of 1 plans"):
        game.behaviour("row", [0.5, 0.5])
    with pytest.raises(RegretlessError, match="player"):
        game.behaviour("first", [1.0])  # type: ignore[arg-type]
