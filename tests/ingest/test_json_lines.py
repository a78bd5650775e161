"""JSON lines: what stands in later lines counts as much as what stands in the first."""

import json

import pytest

import baserate as br

FIRST = 30_000  # more lines than DuckDB looks at before it settles what they are


def written(folder, *rows, first=({"y": 0, "p": 1}, 1)):
    row, times = first
    path = folder / "rows.jsonl"
    path.write_text((json.dumps(row) + "\n") * times + "".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_later_numbers_are_not_rounded_to_the_type_of_the_first(tmp_path):
    path = written(tmp_path, {"y": 1, "p": 0.4}, {"y": 1, "p": 1.6}, first=({"y": 0, "p": 1}, FIRST))
    curve = br.curve(path, label="y", score="p")
    assert (curve.score.tolist(), curve.pos.tolist(), curve.neg.tolist()) == ([1.6, 1, 0.4], [1, 0, 1], [0, FIRST, 0])


def test_keys_that_come_late_are_columns(tmp_path):
    path = written(tmp_path, {"y": 1, "p": 0.4, "w": 2}, first=({"y": None, "p": 1}, FIRST))
    with pytest.warns(br.errors.UnlabelledWarning, match="30,000 rows have no label"):
        assert br.curve(path, label="y", score="p", weight="w", missing="later").n_pos == 2
    with pytest.raises(
        br.errors.InputError, match="weight must be a column of the table, got 'v'; its columns are y, p, w"
    ):
        br.curve(path, label="y", score="p", weight="v")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", None, "1"], ["1", "a", None]),
        ([3, 2.5, 3.0], [2.5, 3]),
        ([1, "1", 2], [1, 2, "1"]),
        ([True, False, None], [False, True, None]),
        (["2026-01-02", "x", "é\n"], ["2026-01-02", "x", "é\n"]),
    ],
)
def test_keys_keep_their_type(tmp_path, values, expected):
    path = written(tmp_path, *({"y": k % 2, "p": 0.5, "k": value} for k, value in enumerate(values)), first=({}, 0))
    curves = br.curves_by(path, "k", label="y", score="p")
    assert list(curves) == expected
    assert [type(key) for key in curves] == [type(key) for key in expected]
    assert sum(curve.n_pos + curve.n_neg for curve in curves.values()) == 3


@pytest.mark.parametrize(
    ("labels", "positive", "n_pos"),
    [
        ([0, 1, 1.0], None, 2),
        ([True, False, True], None, 2),
        (["ok", "fraud", "ok"], "fraud", 1),
        ([-1, 1, 1], None, 2),
    ],
)
def test_labels_keep_their_type(tmp_path, labels, positive, n_pos):
    path = written(tmp_path, *({"y": label, "p": 0.5} for label in labels), first=({}, 0))
    assert br.curve(path, label="y", score="p", positive=positive).n_pos == n_pos


@pytest.mark.slow
def test_what_is_no_label_and_no_score(tmp_path):
    for value in ([1], {"a": 1}):
        path = written(tmp_path, {"y": value, "p": 0.5})
        with pytest.raises(br.errors.InputError, match="labels and keys must be numbers, text, true or false"):
            br.curve(path, label="y", score="p")
    path = written(tmp_path, {"y": 1, "p": "high"}, first=({"y": 0, "p": 1}, FIRST))
    with pytest.raises(br.errors.DataFileError, match='scores and weights must be numbers, got "high" in a line of'):
        br.curve(path, label="y", score="p")
    path = written(tmp_path, {"y": "1", "p": 0.5})
    with pytest.raises(br.errors.InputError, match="'y' must"):
        br.curve(path, label="y", score="p")


def test_a_comma_after_the_last_member_does_not_count(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"y": 1, "p": 0.9,}\n{"y": 0, "p": 0.2, "note": "a,",}\n{"y": 0, "p": 0.4}\n')
    curve = br.curve(path, label="y", score="p")
    assert (curve.score.tolist(), curve.pos.tolist(), curve.neg.tolist()) == ([0.9, 0.4, 0.2], [1, 0, 0], [0, 1, 1])
