"""A report as one self-contained HTML page, without network or rows, with the numbers of the library."""
