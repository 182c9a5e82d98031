"""
Halving and the standard optimal algorithm
==========================================

One of finitely many hypotheses is right. *Consistent* follows the first that has made no mistake, *Halving* the
majority of those, and the *standard optimal algorithm* asks which answer leaves the smaller Littlestone dimension.
For each we compute the most mistakes that any adversary can cause, exactly.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.finite_classes import (
    Consistent,
    FiniteClass,
    Halving,
    StandardOptimal,
    littlestone_dimension,
    worst_case,
)

kinds, sizes = (Consistent, Halving, StandardOptimal), [1, 2, 3, 4, 5, 7, 9, 12, 15]
most = {
    kind.__name__: [worst_case(kind(FiniteClass.named(f"thresholds:{n}"))).mistakes for n in sizes] for kind in kinds
}
print("thresholds with so many points:", sizes)
for name, counts in most.items():
    print(f"{name:16}", counts)

# %%
# On thresholds halving is optimal already. That is not so of every class: of the nine hypotheses on five points below
# the majority can be made to err once more than is needed, however ties are broken.

rows = ["00000", "10000", "01000", "11000", "00100", "10100", "11100", "00010", "00001"]
nine = FiniteClass([[int(digit) for digit in row] for row in rows])
print("Littlestone dimension", littlestone_dimension(nine))
print("halving, ties to 0 and to 1:", [worst_case(Halving(nine, tie=tie)).mistakes for tie in (0, 1)])
print("standard optimal:", worst_case(StandardOptimal(nine)).mistakes)

# %%
# The dotted line is log2 of the number of hypotheses, which the mistakes of halving never exceed; *Consistent* may
# err at all points.

figure, axes = plt.subplots()
for (name, counts), style in zip(most.items(), ("o-", "s-", "x--"), strict=True):
    axes.plot(sizes, counts, style, label=name)
axes.plot(sizes, np.log2(np.array(sizes) + 1), ":", color="C7", label="log2 |H|")
axes.set(xlabel="points", ylabel="most mistakes of any adversary")
axes.legend()
plt.show()
