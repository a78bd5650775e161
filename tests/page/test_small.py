"""What a page reveals about single rows, and how small groups become one."""

import base64
import hashlib
import re

import numpy as np
import pytest

import baserate as br
from baserate.page.small import folded


def curve(n_pos, n_neg, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_pos + n_neg) < n_pos
    return br.Curve.from_scores(y, rng.random(len(y)))


MODEL = curve(300, 1000)
GROUPS = {"large": curve(100, 500, 1), "medium": curve(60, 200, 2), "one case": curve(1, 30, 3), "none": curve(0, 4, 4)}


def page(tmp_path, groups, **options):
    path = tmp_path / "page.html"
    br.write_report(path, {"m": MODEL}, groups={"customer": {"m": groups}}, n_resamples=100, **options)
    return path.read_text("utf-8")


def test_groups_with_few_cases_become_one_that_has_enough():
    found = folded({"m": GROUPS}, 10)["m"]
    assert list(found) == ["large", "other"]
    assert (found["other"].n_pos, found["other"].n_neg) == (61, 234)
    assert all(min(one.n_pos, one.n_neg) >= 10 for one in found.values())


def test_no_row_is_lost_and_large_groups_stay():
    assert list(folded({"m": GROUPS}, 1)["m"]) == ["large", "medium", "other"]  # which none joins one case
    for least in (1, 2, 10, 61, 1000):
        found = folded({"m": GROUPS}, least)["m"]
        assert sum(one.n_pos for one in found.values()) == 161
        assert sum(one.n_neg for one in found.values()) == 734
    assert folded({"m": {"large": GROUPS["large"]}}, 10)["m"] == {"large": GROUPS["large"]}


def test_a_group_that_is_called_other_stays_itself():
    found = folded({"m": GROUPS | {"other": curve(500, 900, 5)}}, 10)["m"]
    assert list(found) == ["large", "other", "(other)"]
    assert found["other"].n_pos == 500


def test_all_models_have_the_same_groups():
    fewer = {**GROUPS, "medium": curve(9, 200, 2)}
    found = folded({"a": GROUPS, "b": fewer}, 10)
    assert found["a"].keys() == found["b"].keys() == {"large", "other"}


@pytest.mark.slow
def test_the_page_says_that_groups_are_small(tmp_path):
    said = "2 groups by customer have fewer than 10 positives or fewer than 10 negatives; the scores of single rows"
    assert said in page(tmp_path, GROUPS)
    folded_page = page(tmp_path, GROUPS, min_cases=10)
    assert said not in folded_page
    assert "one case" not in folded_page
    assert "thresholds are scores of rows" in folded_page


@pytest.mark.slow
def test_the_page_says_that_its_curves_are_small(tmp_path):
    path = tmp_path / "page.html"
    br.write_report(path, {"m": curve(5, 20)}, n_resamples=100)
    assert "the scores of single rows can be inferred from the curves" in path.read_text("utf-8")
    br.write_report(path, {"m": MODEL}, n_resamples=100)
    assert "the scores of single rows" not in path.read_text("utf-8")


@pytest.mark.parametrize("least", [0, -1, 2.5, "ten"])
def test_a_least_number_of_cases_is_a_whole_number(tmp_path, least):
    with pytest.raises(br.errors.InputError, match="min_cases must be"):
        page(tmp_path, GROUPS, min_cases=least)


@pytest.mark.slow
def test_style_and_script_are_known_by_their_hashes(tmp_path):
    text = page(tmp_path, GROUPS)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert "unsafe-inline" not in policy
    for tag, opening in (("style", "<style>"), ("script", '<script type="module">')):
        (inline,) = re.findall(f"{opening}(.*?)</{tag}>", text, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    rest = re.sub(r"<script.*?</script>|<style>.*?</style>", "", text, flags=re.DOTALL)
    assert not re.search(r"\sstyle=|\son[a-z]+=", rest)  # a policy without unsafe-inline would not run these
