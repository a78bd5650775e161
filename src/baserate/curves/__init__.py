"""A Curve is a table of positives and negatives by score, read at a prevalence."""
