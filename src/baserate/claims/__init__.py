"""Claims about a model, and whether the data support them."""
