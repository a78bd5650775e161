"""The same table in every kind of frame that `curve` and `curves_by` read."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

MISLEADING_ZONE = "Pacific/Apia"


def _pandas_nullable(table):
    return table.to_pandas().convert_dtypes()


def _pandas_arrow(table):
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def _dask(table):
    import dask.dataframe as dd

    # Dask makes text of columns of Python objects.
    typed = {pa.bool_(): pd.BooleanDtype(), pa.decimal128(5, 2): pd.ArrowDtype(pa.decimal128(5, 2))}
    return dd.from_pandas(table.to_pandas(types_mapper=typed.get), npartitions=3)


_OPEN = []  # a relation of DuckDB 1.4 does not keep its connection


def _duckdb_connection(table):
    connection = duckdb.connect(config={"threads": 2})
    _OPEN.append(connection)
    connection.execute(f"SET TimeZone = '{MISLEADING_ZONE}'")
    connection.register("given", table)
    connection.execute("CREATE TABLE kept AS SELECT * FROM given")
    return connection


def _duckdb(table):
    return _duckdb_connection(table).table("kept")


def _ibis_duckdb(table):
    import ibis

    return ibis.duckdb.from_connection(_duckdb_connection(table)).table("kept")


def _ibis_polars(table):
    import ibis

    return ibis.polars.connect().create_table("kept", pl.from_arrow(table))


IN_PROCESS = {
    "pandas": pa.Table.to_pandas,
    "pandas nullable": _pandas_nullable,
    "pandas arrow": _pandas_arrow,
    "polars": pl.from_arrow,
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),
    "pyarrow": lambda table: table,
    "duckdb": _duckdb,
    "dask": _dask,
    "ibis duckdb": _ibis_duckdb,
    "ibis polars": _ibis_polars,
}
SPARK = ("spark classic", "spark connect")

# Kinds that take long to plan whatever they are asked.
SLOW = {"dask", *SPARK}

# Kinds that make check asks, too; the rest waits for make test.
QUICK = {"pandas", "polars lazy", "pyarrow", "duckdb"}


def marks(kind):
    """The marks of a test that takes such a frame."""
    return pytest.mark.spark if kind in SPARK else [] if kind in QUICK else pytest.mark.slow


# Kinds whose columns of plain Python objects are not known to be dates.
WITHOUT_DATES = {"pandas", "pandas nullable", "dask"}

_SPARK_TYPES = {
    pa.bool_(): "boolean",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.string(): "string",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp_ntz",
    pa.timestamp("us", "UTC"): "timestamp",
    pa.decimal128(5, 2): "decimal(5,2)",
}


def spark_frame(session, table):
    plain = pa.table({name: _undictionaried(table[name]) for name in table.column_names})
    schema = ", ".join(f"{field.name} {_SPARK_TYPES[field.type]}" for field in plain.schema)
    return session.createDataFrame(plain, schema)


def _undictionaried(column):
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
