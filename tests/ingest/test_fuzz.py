"""A few of the files that something happened to; `make fuzz` reads thousands."""

import pytest

from helpers.fuzzing_files import (
    FORMATS,
    KEPT,
    OTHERWISE,
    PARSED,
    READ,
    REFUSED,
    complaint,
    complaint_of_kept,
    complaint_of_parsed,
)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_a_file_is_read_rightly_or_refused(tmp_path, form):
    outcomes = [complaint(form, seed, tmp_path) for seed in range(30, 55)]
    assert [said for said, _ in outcomes if said is not None] == []
    assert {outcome for _, outcome in outcomes} - {OTHERWISE} == {READ, REFUSED}  # both happen, or nothing was tried


@pytest.mark.parametrize("form", PARSED)
def test_a_text_is_read_as_it_stands_or_refused(tmp_path, form):
    outcomes = [complaint_of_parsed(form, seed, tmp_path) for seed in range(60)]
    assert [said for said, _ in outcomes if said is not None] == []
    assert {outcome for _, outcome in outcomes} == {READ, REFUSED}


@pytest.mark.parametrize("form", KEPT)
def test_a_file_of_ours_is_read_rightly_or_refused(tmp_path, form):
    outcomes = [complaint_of_kept(form, seed, tmp_path) for seed in range(60)]
    assert [said for said, _ in outcomes if said is not None] == []
    assert REFUSED in {outcome for _, outcome in outcomes}
