"""Scores as probabilities: how well they agree with what happens, and what another prevalence does to that."""
