"""Curve to number. Each metric is a plain function with a row in the registry.

rates        what does not depend on the prevalence
predictive   what a prediction is worth: precision, F and their kin
gains        precision and recall measured from chance
costs        money and decisions
areas        the whole curve in one number
baselines    the floor, the chance level, and areas measured from the floor

over_odds        areas and baselines for many prevalences at once
over_prevalence  sweeps, crossings and means
natural          an operating point told in cases
definition       how a function becomes a metric
"""
