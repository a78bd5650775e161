"""Pages made from the code are what the code says now."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_the_index_of_metrics_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_metrics", DOCS / "make_metrics.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (DOCS / "metrics.md").read_text(encoding="utf-8") == module.index(), "run python docs/make_metrics.py"
