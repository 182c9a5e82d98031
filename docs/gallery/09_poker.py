"""
What a small poker game is worth
================================

In Kuhn's poker each of two players puts in one chip and gets one of three cards. They may bet one more, or check. The
game is written down below as a tree in Gambit's format; then its value is computed, and how to play it.
"""

from itertools import permutations

import matplotlib.pyplot as plt

from regretless.games import read_efg

CARDS = "JQK"


def tree():
    """The game as Gambit's text: chance deals, then up to three moves."""
    yield 'EFG 2 R "Kuhn poker" { "first" "second" }'
    deals = list(permutations(range(3), 2))
    yield 'c "" 1 "deal" { ' + " ".join(f'"{CARDS[a]}{CARDS[b]}" 1/6' for a, b in deals) + " } 0"
    for a, b in deals:
        sign = 1 if a > b else -1

        def move(player, number, observed, card):
            return f'p "" {player} {number} "{CARDS[card]} {observed}" {{ "pass" "bet" }} 0'

        def end(outcome, chips):
            return f't "" {outcome} "" {{ {chips} {-chips} }}'

        yield move(1, 1 + a, "opens", a)
        yield move(2, 1 + b, "after a pass", b)
        yield end(1 if sign > 0 else 2, sign)  # pass, pass
        yield move(1, 4 + a, "after pass and bet", a)
        yield end(3, -1)  # pass, bet, pass
        yield end(4 if sign > 0 else 5, 2 * sign)  # pass, bet, bet
        yield move(2, 4 + b, "after a bet", b)
        yield end(6, 1)  # bet, pass
        yield end(4 if sign > 0 else 5, 2 * sign)  # bet, bet


game = read_efg("\n".join(tree()) + "\n").sequence_form()

# %%
# The value is -1/18 of a chip for the player who begins, and the numbers around it are computed with all rounding
# errors in.

solution = game.solve()
print(f"value {solution.value:.9f}, between {solution.lower:.12f} and {solution.upper:.12f}; -1/18 = {-1 / 18:.9f}")
for line in solution.certificates:
    print(line)

# %%
# The picture says how often each card bets where it may: a bet in answer to a bet is a call. Bluffing is part of it:
# after a pass the second player now and then bets a jack, the worst card.

figure, both = plt.subplots(2, 1, figsize=(5.2, 5))
for axes, player, name in zip(both, ("row", "column"), ("first", "second"), strict=True):
    chances = {places: moves["bet"] for places, moves in solution.behaviour(player).items()}
    places = sorted(chances, key=lambda place: (place[1:], CARDS.index(place[0])), reverse=True)
    axes.barh(places, [chances[place] for place in places], color="C0")
    axes.set(xlim=(0, 1), title=f"the {name} player", xlabel="probability of a bet")
plt.show()
