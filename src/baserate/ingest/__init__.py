"""Outside tables to curves: dataframes and engines through narwhals, files through DuckDB.

The data stay where they are. The engine groups the rows by class and by score, or by bucket of the score, and only
the counts come back.
"""
