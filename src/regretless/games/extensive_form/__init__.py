"""Zero-sum games played in turns, in sequence form."""
