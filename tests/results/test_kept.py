"""JSON that somebody changed is read as a result that can be shown, or refused in a sentence and in little memory."""

import json
import pathlib
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.results import Result
from helpers.scripts import script

every = script(pathlib.Path(__file__).parents[2] / "docs" / "every_result.py")

TEXTS = [make().to_json() for makes in every.MADE.values() for make in makes]
CURVE_OF_ARRAYS = br.sweep(br.precision, every.POINT, [0.5, 0.01]).to_json()


def with_array(dtype, content=(1.0,)):
    kept = json.loads(CURVE_OF_ARRAYS)
    kept["fields"]["value"] = {"$array": list(content), "dtype": dtype}
    return json.dumps(kept)


HOSTILE = {
    "brackets": "[" * 200_000,
    "objects": '{"a":' * 200_000,
    "a dtype of nothing": with_array(",f8"),
    "a dtype of many": with_array("200000000f8"),
    "a wide text": with_array("<U200000000", ["a"]),
    "objects in an array": with_array("|O", ["a"]),
    "bytes": with_array("V2000000000"),
    "a number that does not fit": with_array("<i8", [10**30]),
    "a dtype that is none": with_array(["<f8"]),
    "no list": with_array("<f8").replace("[1.0]", '"1.0"'),
    "a name that nobody wrote": CURVE_OF_ARRAYS.replace('"fields"', '"other": 1, "fields"'),
    "a list as a name": json.dumps({"baserate_result": 1, "$result": ["Sweep"], "fields": {}}),
    "text for a number": json.dumps(
        json.loads(every.MADE["Estimate"][0]().to_json()) | {"fields": {"metric": "f1", "value": "x"}}
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_was_never_written_is_refused(name):
    tracemalloc.start()
    try:
        with pytest.raises(br.errors.InputError, match=r"from_json needs the text that|must be complete"):
            Result.from_json(HOSTILE[name])
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


VALUES = st.sampled_from(
    [
        *(None, True, -1, 10**30, 1e308, "", "nan", "\x1b[31m", [], {}, [[]], {"$tuple": "ab"}, {"$float": "x"}),
        *({"$array": [1, "a"], "dtype": "<f8"}, {"$mapping": [[[], 1]]}, {"$result": "Estimate", "fields": {}}),
    ]
)


def places(part, path=()):
    """Every place in parsed JSON."""
    yield path
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in inner:
        yield from places(value, (*path, key))


@st.composite
def changed_texts(draw):
    """A kept result with another value somewhere, or with other characters."""
    text = draw(st.sampled_from(TEXTS))
    if draw(st.booleans()):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(start + 20, len(text))))
        return text[:start] + draw(st.sampled_from(["", '"', "{", "]", ",", "9", "null", "\\ud800"])) + text[end:]
    kept = json.loads(text)
    path = draw(st.sampled_from([path for path in places(kept) if path]))
    inner = kept
    for key in path[:-1]:
        inner = inner[key]
    if draw(st.booleans()):
        inner[path[-1]] = draw(VALUES)
    else:
        del inner[path[-1]]
    return json.dumps(kept)


@settings(deadline=None, max_examples=300)
@given(changed_texts())
@example(json.dumps({"baserate_result": 1, "$result": "Source", "fields": {"tables": 3}}))
def test_changed_texts_are_read_or_refused(text):
    try:
        result = Result.from_json(text)
    except br.errors.InputError:
        return
    assert isinstance(str(result), str)
    Result.from_json(result.to_json())
