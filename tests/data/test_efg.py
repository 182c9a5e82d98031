"""Gambit's files of extensive games: what is read, what becomes a sequence form, and why others are refused."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.data.gambit_efg import GameTree, read_efg_file, read_efg_text
from regretless.errors import DataError, RegretlessError
from regretless.games.extensive_form.extensive import EMPTY, ExtensiveGame, read_efg
from regretless.games.payoffs import distinct

from ..finite_classes.trees import Draw, kuhn, written

SEEDS = st.integers(0, 2**32 - 1)
HEADER = 'EFG 2 R "a title" { "one" "two" } "a comment"\n'
# Every way in which the format lets a number, a name or a repetition be written.
LOOSE = (
    'EFG 2 D "say \\"hello\\"" { "one" "two" }\n'
    'c "deal" 1 "" { "rich" .25 "poor" 75e-2 } 0 p "" 1 1 "here" { "" "" } 1 "bonus" { +1, -1 }\n'
    't "" 2 "" { 1/3 -1/3 }\nt "" 3 { 0.5, -.5, }\n'
    'p "again" 1 1 1\nt 2 t "" 0'
)


def refusal(text: str) -> str:
    """What is said against the sequence form of a file."""
    with pytest.raises(RegretlessError) as caught:
        read_efg(text).sequence_form()
    return str(caught.value)


def complaint(text: str) -> tuple[int | None, int | None, str]:
    """Where a file is wrong, and what stands there."""
    with pytest.raises(DataError) as caught:
        read_efg_text(text)
    error = caught.value
    return error.line, error.column, f"{error.fault}; {error.advice}"


def test_open_files(tmp_path: Path) -> None:
    """An open file is read whether it gives text or bytes; what names nothing is refused."""
    path = tmp_path / "game.efg"
    path.write_text(kuhn(), encoding="utf-8")
    with path.open(encoding="utf-8") as text, path.open("rb") as raw:
        games = [read_efg(text), read_efg(raw), read_efg(path)]
    assert len({repr(game) for game in games}) == 1
    assert games[0].tree.source == str(path)
    assert games[0].tree.nodes == games[1].tree.nodes
    path.write_bytes(b"\xff\xfe")
    with path.open("rb") as raw, pytest.raises(DataError, match="not UTF-8"):
        read_efg(raw)
    for nothing in ("", "  ", None, 3):
        with pytest.raises(RegretlessError, match="source="):
            read_efg(nothing)  # type: ignore[arg-type]


@given(SEEDS, st.booleans())
def test_written_and_read(seed: int, again: bool) -> None:
    """A tree that is written and read again is the same, also if sets and outcomes are described but once."""
    tree = Draw(seed).tree
    read = read_efg_text(written(tree, again), tree.source)
    assert isinstance(read, GameTree)
    assert read == tree


def test_loose_writing() -> None:
    """Numbers may be whole, decimal, fractions or powers of ten, commas and names left out, and quotes escaped."""
    tree = read_efg_text(LOOSE)
    assert tree.title == 'say "hello"'
    assert tree.comment == ""
    assert tree.nodes[0].moves is not None
    assert tree.nodes[0].moves.chances == (Fraction(1, 4), Fraction(3, 4))
    payoffs = [None if node.outcome is None else node.outcome.payoffs for node in tree.nodes]
    third, half = Fraction(1, 3), Fraction(1, 2)
    assert payoffs == [None, (1, -1), (third, -third), (half, -half), (1, -1), (third, -third), None]
    game = read_efg(LOOSE).sequence_form()
    assert game.rows == [EMPTY, "here: 1", "here: 2"]
    assert game.value == pytest.approx(float(1 + third))


def test_rounded_chances() -> None:
    """Probabilities that were rounded are scaled to sum to 1; others that do not sum to it are refused."""
    node = 'c "" 1 "" {{ "a" {0} "b" {0} "c" {0} }} 0 t "" 0 t "" 0 t "" 0'
    moves = read_efg_text(HEADER + node.format(".3333")).nodes[0].moves
    assert moves is not None
    assert moves.chances == (Fraction(1, 3),) * 3
    assert complaint(HEADER + node.format(".3")) == (2, 11, "the probabilities sum to 0.9; 1 is expected")


def test_kuhn() -> None:
    """Kuhn's poker is worth -1/18 to its first player, exactly, and names say who does what where."""
    solution = read_efg(kuhn()).sequence_form().solve(exact=True)
    assert solution.exact is not None
    assert solution.exact.value == Fraction(-1, 18)
    assert solution.lower <= Fraction(-1, 18) <= solution.upper
    assert solution.gap <= 1e-12
    assert solution.behaviour("row")["Q"]["check"] == pytest.approx(1.0)
    assert solution.behaviour("column")["K?"]["call"] == pytest.approx(1.0)
    assert "J?: call" in solution.rows
    assert solution.behaviour("column", exact=True)["Q?"] == {"fold": Fraction(2, 3), "call": Fraction(1, 3)}
    assert solution.describe()["exact"]["column_strategy"]["Q?"] == {"fold": "2/3", "call": "1/3"}


def test_constant_sum() -> None:
    """What both win together need not be 0, only the same at every end that chance allows."""
    ends = 't "" 1 "" { 3 1 } t "" 2 "" { -1 5 }'
    game = read_efg(HEADER + 'p "" 1 1 "" { "up" "down" } 0 ' + ends).sequence_form()
    assert (game.value, game.total) == (3.0, 4.0)
    never = read_efg(HEADER + 'c "" 1 "" { "up" 1 "down" 0 } 0 t "" 1 "" { 3 1 } t "" 2 "" { 7 7 }').sequence_form()
    assert (never.value, never.total) == (3.0, 4.0)


def test_not_constant_sum() -> None:
    """Of a game that is no zero-sum game two ends are reported that show it."""
    ends = 't "" 1 "" { 3 1 } p "" 2 1 "" { "left" "right" } 0 t "" 2 "" { 1 3 } t "" 3 "" { 1/2 1 }'
    message = refusal(HEADER + 'p "" 1 1 "" { "up" "down" } 0 ' + ends)
    assert "win 4 after 'up', but 3/2 after 'down', 'right'" in message


def test_perfect_recall() -> None:
    """A player who forgets what it did is named, with the information set and two ways of coming there."""
    below = 'p "" 1 2 "dark" { "l" "r" } 0 t "" 1 "" { 1 -1 } t "" 0'
    message = refusal(HEADER + f'p "" 1 1 "" {{ "up" "down" }} 0 {below} {below}')
    assert "'one' lacks perfect recall: information set 'dark' comes after 'up', but also after 'down'" in message


def test_absent_minded() -> None:
    """A player who may come to one information set twice in a play is refused too."""
    message = refusal(HEADER + 'p "" 2 1 "" { "on" "off" } 0 p "" 2 1 0 t "" 0 t "" 0 t "" 0')
    assert "'two' lacks perfect recall: information set '1' comes at the start, but also after 'on'" in message


@pytest.mark.parametrize(
    ("players", "count"), [('"one"', "one player"), ('"1" "2" "3"', "3 players"), ("", "0 players")]
)
def test_other_counts(players: str, count: str) -> None:
    """Games of one, of three or of no players are read, and refused as games to be solved."""
    message = refusal(f'EFG 2 R "" {{ {players} }} t "" 0')
    assert count in message


def test_no_moves() -> None:
    """A game in which nobody moves is worth what its only end pays."""
    assert read_efg(HEADER + 't "" 1 "" { 2 -2 }').sequence_form().value == 2.0


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "the end of the file"),
        ('NFG 1 R "a"', 1, 1, "EFG 2 R"),
        ('EFG 1 R "a"', 1, 5, "version"),
        ("EFG 2 R a", 1, 9, "title"),
        (HEADER, 1, 46, "a node is expected"),
        (HEADER + 'x "" 0', 2, 1, "a node is expected"),
        (HEADER + 'p "" 3 1 "" { "a" } 0', 2, 6, "number of a player"),
        (HEADER + 'p "" 1 0 "" { "a" } 0', 2, 8, "number of an information set"),
        (HEADER + 'p "" 1 1 0', 2, 8, "never seen"),
        (HEADER + 'p "" 1 1 "" { } 0', 2, 13, "no action"),
        (HEADER + 'p "" 1 1 "" { "a" 1 } 0', 2, 19, "name of an action"),
        (HEADER + 'c "" 1 "" { "a" } 0', 2, 17, "a probability"),
        (HEADER + 'c "" 1 "" { "a" 2 "b" -1 } 0', 2, 23, "not negative"),
        (HEADER + 'p "" 1 1 "" { "a" } 0', 2, 22, "lacks branches"),
        (HEADER + 'p "" 1 1 "" { "a" } 0\np "" 1 1 "" { "a" "b" } 0', 3, 8, "other actions"),
        (HEADER + 'c "" 1 "" { "a" 1 } 0\nc "" 1 "" { "b" 1 } 0', 3, 6, "other actions"),
        (HEADER + 't "" 1', 2, 6, "never seen"),
        (HEADER + 't "" 0 "" { 1 -1 }', 2, 11, "no outcome"),
        (HEADER + 't "" 1 "" { 1 }', 2, 11, "1 payoffs for 2 players"),
        (HEADER + 't "" 1 "" { 1 x }', 2, 15, "a payoff"),
        (HEADER + 't "" 1 "" { 1/0 1 }', 2, 13, "divides by zero"),
        (HEADER + 'p "" 1 1 "" { "a" "b" } 0 t "" 1 "" { 1 -1 }\nt "" 1 "" { 2 -2 }', 3, 6, "other payoffs"),
        (HEADER + 't "" 0\nt "" 0', 3, 1, "the end of the file is expected"),
        (HEADER + 't "never', 2, 3, "never closed"),
    ],
)
def test_complaints(text: str, line: int, column: int, words: str) -> None:
    """What is wrong with a file is reported with its place."""
    message = complaint(text)
    assert message[:2] == (line, column)
    assert words in message[2]


def test_files(tmp_path: Path) -> None:
    """Files are read as texts are, also compressed, and errors name them."""
    plain, packed = tmp_path / "kuhn.efg", tmp_path / "kuhn.efg.gz"
    plain.write_text(kuhn())
    packed.write_bytes(gzip.compress(kuhn().encode()))
    assert read_efg_file(plain).nodes == read_efg_text(kuhn()).nodes == read_efg(str(packed)).tree.nodes
    plain.write_text('EFG 2 R "" { "one" } t "" 0')
    with pytest.raises(RegretlessError, match=r"kuhn\.efg: one player"):
        read_efg(plain).sequence_form()
    with pytest.raises(DataError, match="no such file"):
        read_efg(tmp_path / "EFG.efg")


@given(st.lists(st.sampled_from(("", "a", "a (1)", "a (2)", "b")), max_size=8))
def test_distinct(names: list[str]) -> None:
    """Names become different ones, and those that occur but once stay."""
    others = distinct(names)
    assert len(set(others)) == len(names)
    assert all(new == name for name, new in zip(names, others, strict=True) if names.count(name) == 1)


def test_long_path() -> None:
    """A tree of a thousand moves in a row is read and refused without a word too much."""
    moves = "".join(f'p "" 1 {number} "" {{ "go" }} 0\n' for number in range(1, 1001))
    game = read_efg(HEADER + moves + 't "" 1 "" { 1 -1 }').sequence_form()
    assert game.value == pytest.approx(1.0, abs=1e-12)
    message = refusal(HEADER + 'p "" 1 2000 "" { "a" "b" } 0 t "" 1 "" { 1 1 }\n' + moves + 't "" 2 "" { 1 -1 }')
    assert "after 'b', 'go', 'go', 'go', ..., 'go', 'go', 'go', 'go'" in message


def gambits(path: Path) -> Iterator[GameTree]:
    """The games in an archive."""
    with tarfile.open(path) as archive:
        for member in archive:
            if member.name.endswith(".efg") and (file := archive.extractfile(member)) is not None:
                yield read_efg_text(file.read().decode(), member.name)


def test_gambits_own(data: Path) -> None:
    """Every extensive game of Gambit's collection is read; those of two players and a constant sum are solved."""
    games = list(gambits(data / "games" / "gambit_efg_dev.tar.xz"))
    solved: dict[str, float] = {}
    refused = []
    for tree in games:
        try:
            game = ExtensiveGame(tree).sequence_form()
        except RegretlessError as error:
            refused.append((tree.source, str(error)))
            continue
        solution = game.solve()
        assert not any(certificate.violated for certificate in solution.certificates)
        solved[Path(tree.source).stem] = solution.value
    assert all(message.startswith(f"{name}: ") for name, message in refused)
    assert (len(solved), len(refused)) == (17, 94)
    assert solved["4cards"] == pytest.approx(23 / 24)
    assert solved["nim"] == pytest.approx(-1)
    assert solved["zerosum_efg_from_sequence_form_STOC94_paper"] == pytest.approx(13)
