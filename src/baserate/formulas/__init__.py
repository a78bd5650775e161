"""Arithmetic on numbers and arrays, without curves, checks or warnings.

``x = (1 - prevalence) / prevalence`` is the number of negatives per positive. Unlike a prevalence near 1, it has full
relative precision at both ends.
"""
