"""Results to one self-contained page: no network, no rows of data, the same numbers as the library."""
