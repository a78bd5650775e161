"""Metrics: functions from a Curve to a number, each with a row in the registry.

rates               metrics that do not depend on the prevalence
predictive          precision, NPV, F-beta and others at a prevalence
gains               precision and recall relative to chance
costs               expected cost and net benefit
areas               metrics of the whole curve
baselines           the floor, the chance level, and areas measured from the floor
probabilities       Brier score and log loss
calibration_errors  distances between scores and event rates

over_odds           areas and baselines for many prevalences at once
over_prevalence     sweeps, crossings and means
natural             an operating point in numbers of cases
bounds              bounds on a bucketed curve (boxes, calibration_bounds)
definition          makes a function a metric
"""

# All families, so that the registry is whole and in one order whatever is imported first.
from baserate.metrics import areas, baselines, costs, gains, predictive, rates  # noqa: F401, I001
from baserate.metrics import probabilities, calibration_errors  # noqa: F401
from baserate.registry import METRICS as METRICS
