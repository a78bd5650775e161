"""Intervals, tests and bands: the only room that draws random numbers."""
