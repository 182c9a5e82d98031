"""The most mistakes that labels of a hypothesis can force on a learner, and rounds that do."""
