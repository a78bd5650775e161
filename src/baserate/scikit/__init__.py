"""For scikit-learn: a scorer at a prevalence, and a classifier adjusted to another prevalence."""
