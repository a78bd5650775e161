"""Before the data: how many labels a question needs, and what a test set can answer."""
