"""
A mistake tree, played by hand
==============================

A class of hypotheses is known, and one of them is right. Points come one after the other. A mistake tree is the
adversary's plan: at each point it calls the guess wrong, and some hypothesis still agrees with all its answers. Its
depth is the Littlestone dimension; no learner can promise fewer mistakes.
"""

import matplotlib.pyplot as plt

from regretless.finite_classes import FiniteClass, Halving, StandardOptimal, littlestone_dimension

thresholds = FiniteClass.named("thresholds:7")
dimension = littlestone_dimension(thresholds)
dimension.witness.check(thresholds)  # each path has its hypothesis
print(thresholds.matrix.astype(int))
print(dimension.witness)

# %%
# By hand: we walk down the tree against a learner, and answer each guess with its opposite.


def walk(learner, tree):
    """The points, guesses and answers of one game."""
    while tree.depth:
        guess = learner.predict(tree.point())
        yield tree.point(), int(guess), 1 - int(guess)
        learner.update(1 - int(guess))
        tree = tree.subtree(1 - int(guess))


for learner in (Halving(thresholds), StandardOptimal(thresholds)):
    moves = list(walk(learner, dimension.witness))
    print(type(learner).__name__, "errs", learner.mistakes_, "times:", moves)
    print("   ", learner.certify()[0])

# %%
# The tree: a point in each circle, an answer on each line, and at the ends the hypotheses that agree with the whole
# path. The heavy line is the game against the standard optimal algorithm.

figure, axes = plt.subplots(figsize=(5.2, 3.8), layout="none")


def draw(tree, x, y, width, path):
    """One node and what is below it; heavy where the game went."""
    if not tree.depth:
        return axes.text(x, y - 0.2, f"h{tree.hypothesis(())}", ha="center", va="center")
    for answer, to in ((0, x - width), (1, x + width)):
        played = bool(path) and path[0][2] == answer
        axes.plot([x, to], [y, y - 1], color="C1" if played else "C7", linewidth=2.5 if played else 0.8, zorder=1)
        axes.text((x + to) / 2 + (0.1 if answer else -0.1), y - 0.45, answer, fontsize=8)
        draw(tree.subtree(answer), to, y - 1, width / 2, path[1:] if played else [])
    axes.plot(x, y, "o", markersize=22, color="C0", zorder=2)
    return axes.text(x, y, tree.point(), ha="center", va="center", color="white", zorder=3)


draw(dimension.witness, 0, 0, 4, moves)
axes.set_axis_off()
plt.show()
