"""A learner in production: predictions are asked now, labels come late, and nothing acknowledged is lost."""
