"""Where the oracle and the real data live."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

# Real data that is not part of the project: beside the checkout, or wherever the variable says.
REFERENCE_DATA = Path(os.environ.get("BASERATE_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def reference_data() -> Path:
    if not REFERENCE_DATA.is_dir():
        pytest.skip(f"no reference data at {REFERENCE_DATA}; set BASERATE_DATA to the folder that has it")
    return REFERENCE_DATA
