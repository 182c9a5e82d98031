"""Learners that keep dual coordinates: Winnow and the p-norm perceptron."""
