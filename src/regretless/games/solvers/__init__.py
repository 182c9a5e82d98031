"""Methods that end at an equilibrium of a zero-sum game, in floats and in fractions."""
