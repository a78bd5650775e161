"""Where the real data live, and how cases of property tests are found."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

collect_ignore = ["helpers", "typing/user_code.py"]  # the latter is for type checkers, and nobody runs it

# The same cases each time, so a change is judged by what it changes; `make explore` looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("exploring", deadline=None)
settings.load_profile("repeatable")

ROOT = Path(__file__).resolve().parents[1]

# Real data that is not part of the project: beside the checkout, or wherever the variable says.
REFERENCE_DATA = Path(os.environ.get("BASERATE_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def reference_data() -> Path:
    if not REFERENCE_DATA.is_dir():
        pytest.skip(f"no reference data at {REFERENCE_DATA}; set BASERATE_DATA to the folder that has it")
    return REFERENCE_DATA
