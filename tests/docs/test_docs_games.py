"""The document on games says what the code does."""

from __future__ import annotations

import re

from regretless.games import solving
from regretless.games.extensive_form import sequence
from regretless.games.methods import IN_TURNS, METHODS, SELF_PLAY

from .documents import examples, page, script


def test_the_examples_of_the_document_give_what_stands_below_them():
    """Every line of Python in docs/games.md gives the answer that stands below it."""
    doctests = examples("games")
    assert doctests.attempted > 30
    assert doctests.failed == 0


def test_the_tables_of_public_data_are_what_the_script_prints(data):
    """The tables of public games in docs/games.md are what docs/solves.py computes from them."""
    assert script("solves").filled(data) == page("games")


def test_every_method_has_a_row_and_every_self_play_a_column():
    """The table of methods names each of them once, and the tables of rounds each self-play."""
    (table,) = re.findall(r"^## Which method when\n(.*?)<!--", page("games"), re.MULTILINE | re.DOTALL)
    rows = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    assert sorted(name for row in rows for name in re.findall(r"`([a-z+-]+)`", row)) == sorted(METHODS)
    heads = [line for line in page("games").splitlines() if line.startswith("| game |")]
    assert "| game | " + " | ".join(sorted(SELF_PLAY, key=script("solves").SELF_PLAY.index)) + " |" in heads
    assert [line for line in heads if line.endswith(" | ".join(sorted(IN_TURNS)) + " |")]


def test_the_rule_of_auto_is_reported_with_its_numbers():
    """The document has the sizes, shares and gaps by which a method is chosen."""
    side = int(solving.SIMPLEX_WORK ** (1 / 3))
    text = " ".join(page("games").split())
    for words in (
        f"is at most {solving.SIMPLEX_WORK:,}: up to {side} by {side}.",
        f"a gap of {100 * solving.COARSE:g}% of",
        f"at most {100 * solving.SPARSE:g}% of the payoffs",
        f"more than {solving.LARGEST_SIDE:,} strategies",
        f"a gap of {100 * sequence.COARSE:g}% of the range of expected payoffs",
        f"beyond {sequence.LARGEST_PROGRAM:,} payoffs",
    ):
        assert words in text


def test_the_values_are_those_that_are_known():
    """In the tables Kuhn's poker is worth -1/18, both ways to deal Leduc's the same, and symmetric games nothing."""
    cells = {row.split("`")[1]: row for row in page("games").splitlines() if row.startswith("| `")}
    assert " −0.055556 " in cells["seqform_kuhn_poker"]
    assert " −0.085606 " in cells["seqform_leduc_poker"]
    assert " −0.085606 " in cells["seqform_leduc_suit_isomorphic"]


def test_links_lead_somewhere():
    """Every relative link of the document is to a file, and every anchor to a title in it."""
    for name in ("games", "games-general-sum"):
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", page(name)):
            other = page(target.removesuffix(".md") or name)
            titles = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
                      for title in re.findall(r"^#+ (.+)$", other, re.MULTILINE)}  # fmt: skip
            assert not anchor or anchor in titles, (target, anchor)
