"""The arithmetic: numbers in, numbers out. No Curve, no checks, no warnings.

One letter is used throughout: ``x = (1 - prevalence) / prevalence``, the negatives per positive. It keeps
full relative precision at both ends, where a prevalence next to 1 would not.
"""
