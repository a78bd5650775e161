"""The published experiments agree with what was printed, in their small versions."""

from pathlib import Path

import pytest
from scripts import script

PAPERS = Path(__file__).parents[1] / "papers"
gallery = script(PAPERS / "gallery.py")


@pytest.mark.slow
@pytest.mark.parametrize("name", gallery.names())
def test_every_row_is_within_its_tolerance(name):
    try:
        done = gallery.run(name, gallery.Setup(quick=True))
    except gallery.MissingDataError as missing:
        pytest.skip(str(missing))
    assert done.findings
    assert [finding for finding in done.findings if not finding.holds] == []
    assert done.figure.axes
