"""
A linear programme as a game
============================

The programme: buy foods as cheaply as possible so that no nutrient is short. With all numbers positive it is a game
between a player who picks a nutrient and one who picks a food; if v is the value, the least cost is 1/v. Two learners
that play find it without any matrix being factored, and every round has a certificate of how near they are.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linprog

from regretless.games import MatrixGame

rng = np.random.default_rng(21)
foods, nutrients = 40, 12
per_food = rng.gamma(2.0, 1.0, (nutrients, foods))  # of each nutrient in a portion, where 1 is the need of a day
price = rng.uniform(1, 4, foods)
exact = linprog(price, A_ub=-per_food, b_ub=-np.ones(nutrients)).fun
print(f"by linear programming the least cost is {exact:.6f}")

# %%
# What one unit of money buys of each nutrient is the payoff of the food's player, who is the row player here.

game = MatrixGame((per_food / price).T)
gaps, rounds = {}, [10, 30, 100, 300, 1000, 3000, 10_000]
for method in ("hedge", "rm+"):
    played = [game.solve(method, rounds=count) for count in rounds]
    gaps[method] = [(1 / one.lower, 1 / one.upper) for one in played]
    cost = 1 / played[-1].lower
    print(f"{method}: a diet that costs {cost:.6f}, and surely none below {1 / played[-1].upper:.6f}")
    print("   ", played[-1].certificates[-1])
money = played[-1].row / played[-1].lower  # on each food; nothing is short
print("least supply of a nutrient:", (per_food @ (money / price)).min().round(9))

# %%
# Between the two lines of a method lies the least cost: above, what its diet costs; below, what no diet can beat.

figure, axes = plt.subplots()
for k, (method, ends) in enumerate(gaps.items()):
    axes.fill_between(rounds, *np.transpose(ends), alpha=0.3, color=f"C{k}", linewidth=0, label=f"by {method}")
axes.axhline(exact, color="C2", linestyle="--", label="least cost")
axes.set(xlabel="rounds", ylabel="cost", xscale="log", ylim=(exact * 0.9, exact * 1.25))
axes.legend()
plt.show()
