"""Games of two matrices: Nash equilibria, and correlated ones."""
