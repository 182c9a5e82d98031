"""Two learners that play each other."""
