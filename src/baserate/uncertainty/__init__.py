"""Intervals, tests and bands: the room that draws populations."""
