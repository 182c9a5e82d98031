"""Methods that end at an equilibrium of a zero-sum game, and what makes their answers exact."""
