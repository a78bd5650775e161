"""Many curves: slices, periods and folds compared, changes explained, claims checked, the past kept."""
