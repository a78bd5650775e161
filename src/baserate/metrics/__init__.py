"""Curve to number. Each metric is a plain function with a row in the registry.

rates               what does not depend on the prevalence
predictive          what a prediction is worth: precision, F and their kin
gains               precision and recall measured from chance
costs               money and decisions
areas               the whole curve in one number
baselines           the floor, the chance level, and areas measured from the floor
probabilities       what scores are worth as probabilities
calibration_errors  how far scores are from the rates at which things happen

over_odds           areas and baselines for many prevalences at once
over_prevalence     sweeps, crossings and means
natural             an operating point told in cases
bounds              what is certain on a bucketed curve (boxes, calibration_bounds)
definition          how a function becomes a metric
"""

# All families, so that the registry is whole and in one order whatever is imported first.
from baserate.metrics import areas, baselines, costs, gains, predictive, rates  # noqa: F401, I001
from baserate.metrics import probabilities, calibration_errors  # noqa: F401
from baserate.registry import METRICS as METRICS
