"""Write example data as CSV, for the command line: ``python -m baserate.examples payments > payments.csv``."""

import gzip
import sys
from importlib.resources import files

NAMES = ("payments", "year")


def main() -> None:
    """Print the rows of the example that is named."""
    match sys.argv[1:]:
        case [name] if name in NAMES:
            with gzip.open(str(files("baserate.examples") / f"{name}.csv.gz"), "rt", newline="") as file:
                sys.stdout.write(file.read())
        case _:
            sys.exit("usage: python -m baserate.examples payments|year > FILE")


if __name__ == "__main__":
    main()
