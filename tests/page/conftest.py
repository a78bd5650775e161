"""Pages that several files of tests look at, opened from disk with the network off."""

import os

import numpy as np
import pytest

import baserate as br
from helpers.browsing import CHROMIUM, FLAGS, HOSTILE, quietly


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        if os.environ.get("BASERATE_BROWSER") == "required":
            pytest.fail("no Chromium on this machine, and the page has to be tested; install the package chromium")
        pytest.skip("no Chromium on this machine; install the package chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def models():
    data = br.examples.payments()
    return {
        "old_model": br.Curve.from_scores(data["fraud"], data["old_model"]),
        HOSTILE: br.Curve.from_scores(data["fraud"], data["new_model"]),
    }


@pytest.fixture(scope="session")
def path(models, tmp_path_factory):
    data = br.examples.payments()
    by_month = {
        month: br.Curve.from_scores(data["fraud"][here], data["old_model"][here])
        for month in np.unique(data["month"]).tolist()
        if (here := data["month"] == month).any()
    }
    path = tmp_path_factory.mktemp("page") / "page.html"
    groups = {HOSTILE: {"old_model": by_month}}
    br.write_report(path, models, prevalence=["1:1000"], groups=groups, title=HOSTILE, n_resamples=200)
    return path


@pytest.fixture(scope="session")
def hard(tmp_path_factory):
    """A page of eight models that are hard to show, and of slices that some of them lack."""
    rng = np.random.default_rng(0)
    y = rng.random(3_000) < 0.1
    score = rng.normal(size=3_000) + 2 * y
    models = {
        "__proto__": br.Curve.from_scores(y, y + rng.random(3_000) / 2),
        "reversed": br.Curve.from_scores(y, -1e-9 * score),
        "constant\n\"'`": br.Curve.from_scores(y, np.ones(3_000)),
        "מודל \u202e": br.Curve.from_scores(y, score, weight=rng.exponential(size=3_000)),
        "🦊" * 30: br.Curve.from_scores(y, np.where(score > 3, np.inf, np.where(score < -1, -np.inf, score))),
        "a" * 80: br.Curve.from_counts([0.1, 0.5, 0.9], [1, 10, 40], [900, 50, 3], top=[0.4, 0.8, 0.95]),
        "one positive": br.Curve.from_scores(np.arange(1_000) == 100, rng.random(1_000)),
        "three cases": br.Curve.from_scores([1, 0, 0], [0.5, 0.9, 0.1]),
    }
    slices = {f"slice {k}": br.Curve.from_scores(y[k::60], score[k::60]) for k in range(60)}
    slices |= {None: models["reversed"], "none": br.Curve.from_scores([0, 0], [0.1, 0.2])}
    groups = {"slices": {"__proto__": slices, "reversed": {None: models["reversed"], "other": models["reversed"]}}}
    path = tmp_path_factory.mktemp("page") / "page.html"
    br.write_report(path, models, groups=groups | {"empty": {"reversed": {}}}, n_resamples=100)
    return path, models, slices


@pytest.fixture
def opened(browser, path):
    yield from quietly(browser, path)


@pytest.fixture
def opened_hard(browser, hard):
    yield from quietly(browser, hard[0])
