"""Published numbers: whether they can be true together, and what they imply at another prevalence."""
