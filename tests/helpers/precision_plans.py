"""Questions about precision that plans are tested with."""

# TPR, FPR, the prevalence or None for all of them at once, the wanted width from end to end, the price of a negative.
GRID = [
    (0.6, 0.001, 0.001, 0.1, 0.01),
    (0.6, 0.001, 0.01, 0.2, 1.0),
    (0.6, 0.001, None, 0.1, 0.01),
    (0.5, 0.001, None, 0.6, 1.0),
    (0.95, 0.3, None, 0.3, 1.0),
    (0.99, 0.01, 0.1, 0.1, 0.01),
    (0.3, 0.0001, 0.5, 0.05, 1.0),
    (0.3, 0.0001, 0.0001, 0.4, 0.01),
    (0.9, 0.1, 0.5, 0.04, 1.0),
    (0.95, 0.3, 0.01, 0.02, 1.0),
]
