"""Mutants: small faults put into the sources one at a time, each of which some test must notice."""
