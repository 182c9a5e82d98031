"""Linear learners side by side, whose probabilities are mixed on the log loss."""
