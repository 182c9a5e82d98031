"""Two commits compared by the rows of the table: ``make perf BASE=COMMIT``."""
