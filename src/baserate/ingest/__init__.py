"""Makes curves of tables: of dataframes and engines through narwhals, of files through DuckDB.

The data stay where they are. The engine groups the rows by class and by score, or by bucket of the score, and only
the counts come back.
"""
