"""Faults planted in the metrics turn rows of the published experiments red: no row there is green whatever happens."""

import contextlib
import sys
from pathlib import Path

import pytest

import baserate as br
from baserate.registry import row_of
from helpers.scripts import script

gallery = script(Path(__file__).parents[1] / "papers" / "gallery.py")
experiment = sys.modules["experiment"]

# A fault of 0.2 % in a metric, by experiment: some of the rows that turn red, by the beginnings of their names.
FAULTS = {
    "boyd_fig_1": {
        "precision": ("Table 1 (a): precision", "the last recall"),
        "recall": ("Table 1 (a): recall",),
        "min_average_precision": ("lowest average precision",),
        "average_precision": ("that ranking has the lowest",),
        "normalized_auc_pr": ("normalized area of the opposite",),
    },
    "boyd_fig_2": {"min_auc_pr": ("lowest AUC-PR at skew 0.01", "theorem 2"), "auc_pr": ("theorem 2",)},
    "boyd_fig_3": {"min_auc_pr": ("recalls 0 to 1", "recalls 0.5 to 1", "recalls 0.8 to 1")},
    "boyd_table_2": {
        "auc_pr": ("the mean AUCPR is",),
        "min_auc_pr": ("AUCNPR of gender",),
        "normalized_auc_pr": ("AUCNPR of actor", "AUCNPR of director", "AUCNPR of workedUnder"),
    },
    "boyd_table_3": {
        "auc_pr": ("AUCNPR at 1:1",),
        "min_auc_pr": ("lowest AUCPR at 1:24",),
        "normalized_auc_pr": ("AUCNPR at 1:1", "AUCNPR at 1:24 of AUCPR 0.363"),
    },
    "boyd_fig_4": {
        "f1": ("F1 of B", "F1 of C"),
        "modified_f1": ("modified F1 of B", "modified F1 of C"),
        "precision": ("precision of B", "precision of C"),
        "lift": ("lift of B", "lift of C"),
    },
    "brabec_fig_1": {"precision": ("precision at TPR 0.5, FPR 0.01, prevalence 0.01", "at the prevalence of the data")},
    "brabec_fig_2": {
        "roc_auc": ("AUC-ROC",),
        "auc_pr": ("AUC-PR at 1:10", "AUC-PR at 1:100"),
        "precision": ("at recall 1 both end",),
    },
    "brabec_fig_3": {
        "f1": ("F1 of the eager", "F1 of the careful"),
        "precision": ("precision of the eager", "precision of the careful"),
    },
    "brabec_fig_4": {
        "auc_pr": ("AUC-PR of classifier 1 at 0.1", "AUC-PR of classifier 2 at 0.001"),
        "precision": ("the same to four digits, of classifier 1",),
        "roc_auc": ("AUC-ROC of classifier 1", "AUC-ROC of classifier 2"),
    },
    "lecture_2_discrimination": {
        "accuracy": ("accuracy of f1",),
        "ece": ("in the small it shows",),
        "roc_auc": ("f1 separates the classes", "both models of the second table"),
    },
    "lecture_3_groups": {"mce": ("MCE of eight groups",)},
    "lecture_4_roc": {"roc_auc": ("AUC-ROC",), "brier_score": ("Brier score",)},
    "lecture_7_weather": {"mce": ("MCE",)},
}
SIZE = 1.002


@contextlib.contextmanager
def planted(name):
    """A metric whose formula is off by a factor."""
    row = row_of(getattr(br, name))
    right = row.compute
    object.__setattr__(row, "compute", lambda at, /, **parameters: right(at, **parameters) * SIZE)
    try:
        yield
    finally:
        object.__setattr__(row, "compute", right)


@pytest.mark.filterwarnings("ignore:invalid value encountered in log:RuntimeWarning")  # a share above 1
@pytest.mark.parametrize(("name", "metric"), [(name, metric) for name, metrics in FAULTS.items() for metric in metrics])
def test_a_fault_of_two_in_a_thousand_turns_rows_red(name, metric):
    with planted(metric):
        red = [finding.what for finding in gallery.run(name, gallery.Setup(quick=True)).failing]
    for beginning in FAULTS[name][metric]:
        assert any(what.startswith(beginning) for what in red), (beginning, red)


def test_without_a_fault_they_are_green():
    for name in FAULTS:
        assert gallery.run(name, gallery.Setup(quick=True)).failing == []


def test_rows_by_construction_are_marked_and_not_counted():
    given = experiment.Given("made so", "1", True, "by hand")
    assert gallery.row(given) == ["made so", "", "1", "", "", "given", "by hand"]
    done = experiment.Experiment("A", "B", "C", (given, experiment.Shape("it rises", "by 2", True)), None)
    assert (done.n_agree, len(done.compared), done.n_differ) == (1, 1, 0)
    assert gallery.row(experiment.Given("made so", "2", False))[5] == "**no**"
