"""For those who use scikit-learn: a scorer, and a classifier moved to another prevalence."""
