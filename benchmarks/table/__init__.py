"""The table of speed: one row for each thing that is timed, beside peers and beside merely reading the data."""
