"""Typical mistakes: the sentence that each gets, and the right way, which works.

docs/mistakes.md has them in a table; ``make pages`` writes it anew. Read the difference before you
keep it: a sentence must lead to what stands in the last column.
"""

import contextlib
import io
import os
import shlex
import tempfile
import warnings
from pathlib import Path

import pytest

import baserate as br
from baserate.cli.app import run

PAGE = Path(__file__).parents[1] / "docs" / "mistakes.md"

# --- on the command line: what was typed, and the right way -----------------------------------------

QUICK = "--metric roc_auc --no-intervals"
AT = "--at recall=0.5 --no-intervals"
COMMANDS = {
    # names of metrics and rules
    f"evaluate rows.csv {AT} --metric ppv": f"evaluate rows.csv {AT} --metric precision",
    f"evaluate rows.csv {AT} --metric sensitivity": f"evaluate rows.csv {AT} --metric recall",
    f"evaluate rows.csv {AT} --metric tnr": f"evaluate rows.csv {AT} --metric specificity",
    f"evaluate rows.csv {AT} --metric fallout": f"evaluate rows.csv {AT} --metric specificity",
    f"evaluate rows.csv {AT} --metric f-score": f"evaluate rows.csv {AT} --metric f1",
    f"evaluate rows.csv {AT} --metric f2": f"evaluate rows.csv {AT} --metric f_beta:beta=2",
    "evaluate rows.csv --metric auroc": f"evaluate rows.csv {QUICK}",
    "evaluate rows.csv --metric ap": "evaluate rows.csv --metric average_precision --no-intervals",
    "evaluate rows.csv --metric pr_auc": "evaluate rows.csv --metric auc_pr --no-intervals",
    "evaluate rows.csv --metric precison": f"evaluate rows.csv {AT} --metric precision",
    "evaluate rows.csv --metric precision": f"evaluate rows.csv {AT} --metric precision",
    f"evaluate rows.csv {AT} --metric f_beta": f"evaluate rows.csv {AT} --metric f_beta:beta=2",
    "evaluate rows.csv --at sensitivity=0.5": f"evaluate rows.csv {AT}",
    "evaluate rows.csv --at tpr=0.5": f"evaluate rows.csv {AT}",
    "evaluate rows.csv --at specificity=0.9": "evaluate rows.csv --at fpr=0.1 --no-intervals",
    "evaluate rows.csv --at recall=50": f"evaluate rows.csv {AT}",
    "evaluate rows.csv --at recall=0,5": f"evaluate rows.csv {AT}",
    "evaluate rows.csv --at recall": f"evaluate rows.csv {AT}",
    "evaluate rows.csv --at 0.5": "evaluate rows.csv --at threshold=0.5 --no-intervals",
    "evaluate rows.csv --at best": "evaluate rows.csv --at best=f1 --no-intervals",
    "evaluate rows.csv --at recall=0.5 --metric roc_auc": f"evaluate rows.csv {QUICK}",
    # options and commands
    "evaluate rows.csv --prior 0.01": f"evaluate rows.csv --prevalence 0.01 {QUICK}",
    "evaluate rows.csv --base-rate 0.01": f"evaluate rows.csv --prevalence 0.01 {QUICK}",
    "evaluate rows.csv --threshold 0.5": "evaluate rows.csv --at threshold=0.5 --no-intervals",
    "evaluate rows.csv --recall 0.5": f"evaluate rows.csv {AT}",
    "evaluate rows.csv --auc": f"evaluate rows.csv {QUICK}",
    "evaluate rows.csv --pos-label 1": f"evaluate rows.csv --positive 1 {QUICK}",
    "evaluate rows.csv --sample-weight w": f"evaluate weighted.csv --label y --score p --weight w {QUICK}",
    "evaluate rows.csv --y-true y": f"evaluate rows.csv --label y {QUICK}",
    "evaluate rows.csv --alpha 0.1": "evaluate rows.csv --confidence-level 0.9 --metric roc_auc",
    "evaluate rows.csv --group g": f"evaluate rows.csv --by g {QUICK}",
    "evaluate rows.csv --format json": f"evaluate rows.csv --json {QUICK}",
    "report rows.csv --n-boot 200": "report rows.csv --resamples 100",
    "compare two_scores.csv --span 1e-4:1e-2": "compare two_scores.csv --range 1e-4:1e-2 --no-intervals",
    "eval rows.csv": f"evaluate rows.csv {QUICK}",
    "estimate rows.csv": f"evaluate rows.csv {QUICK}",
    "crossings two_scores.csv": "compare two_scores.csv --no-intervals",
    "difference two_scores.csv": "compare two_scores.csv --no-intervals",
    "ranking two_scores.csv": "compare two_scores.csv --no-intervals",
    "html rows.csv": "report rows.csv --resamples 100",
    # prevalences
    "evaluate rows.csv --prevalence 5": f"evaluate rows.csv --prevalence 5% {QUICK}",
    "evaluate rows.csv --prevalence 200": f"evaluate rows.csv --prevalence '1 in 200' {QUICK}",
    "evaluate rows.csv --prevalence 0,01": f"evaluate rows.csv --prevalence 0.01 {QUICK}",
    "evaluate rows.csv --prevalence rare": f"evaluate rows.csv --prevalence 1:999 {QUICK}",
    "evaluate rows.csv --prevalence 1e-4:1e-2": "sweep rows.csv --prevalence 1e-4:1e-2 --no-intervals",
    "evaluate rows.csv --confidence-level 95": "evaluate rows.csv --confidence-level 0.95 --metric roc_auc",
    # files and columns
    "evaluate row.csv": f"evaluate rows.csv {QUICK}",
    "evaluate notes.txt": f"evaluate rows.csv {QUICK}",
    "evaluate empty.csv": f"evaluate rows.csv {QUICK}",
    "evaluate no_header.csv": f"evaluate rows.csv {QUICK}",
    "evaluate two_scores.csv": f"evaluate two_scores.csv --score old {QUICK}",
    "evaluate rows.csv --score pp": f"evaluate rows.csv --score p {QUICK}",
    "evaluate rows.csv --label p --score y": f"evaluate rows.csv --label y --score p {QUICK}",
    "evaluate yes_no.csv": f"evaluate yes_no.csv --positive yes {QUICK}",
    "evaluate fraud_legit.csv": f"evaluate fraud_legit.csv --positive fraud {QUICK}",
    "evaluate fraud_legit.csv --positive fruad": f"evaluate fraud_legit.csv --positive fraud {QUICK}",
    "evaluate one_two.csv": f"evaluate one_two.csv --positive 2 {QUICK}",
    "evaluate comma.csv": f"evaluate comma.csv --decimal , {QUICK}",
    "evaluate missing.csv": f"evaluate rows.csv {QUICK}",
    f"evaluate other_way.csv {QUICK}": f"evaluate other_way.csv --positive 0 {QUICK}",
    "compare rows.csv --score p": "compare two_scores.csv --no-intervals",
    "calibration margins.csv": "calibration rows.csv",
    "evaluate rows.csv --by groups": f"evaluate rows.csv --by g {QUICK}",
    "evaluate rows.csv --period month": f"evaluate dated.csv --period day:month {QUICK}",
    "evaluate dated.csv --period day:monthly": f"evaluate dated.csv --period day:month {QUICK}",
    "evaluate rows.csv --tz UTC": f"evaluate rows.csv {QUICK}",
    "monitor dated.csv --store past.db": "monitor dated.csv --store past.db --period day:month",
    "report rows.csv -o rows.csv": "report rows.csv --resamples 100",
    "report rows.csv -o pages/rows.html": "report rows.csv --resamples 100",
    "monitor dated.csv --store past.db --period day:month --tz Prague": "monitor dated.csv --store past.db --period "
    "day:month",
    "report rows.csv --store kept.db": "report --store kept.db --quick",
    "report kept.db": "report --store kept.db --quick",
    "report rows.curve": "report rows.csv --resamples 100",
    "store prune kept.db": "store prune kept.db --versions 2",
    "store versions kept.db": "store show kept.db",
    # published numbers
    "audit precision": "audit precision=0.9",
    "audit precision=90": "audit precision=90%",
    "audit precision=0,90": "audit precision=0.90",
    "audit precision=.9+-.05": "audit precision=.85:.95",
    "audit tp=10 fp=3": "audit precision=0.77 n_pos=12 n_neg=300",
    "audit mcc=0.4": "audit f1=0.4",
    "audit precision=0.9 n_pos=20": "audit precision=0.9 n_pos=20 n_neg=80",
    "audit precision=0.9 --prevalence 0.001": "audit precision=0.9 --at 0.001",
    "audit precision=0.9 --at 0.001:0.1": "audit precision=0.9 --at 0.001 --at 0.1",
    "plan --tpr 0.6 --fpr 0.01": "plan --tpr 0.6 --fpr 0.01 --delta 0.3",
    "plan --sensitivity 0.6 --fpr 0.01": "plan --tpr 0.6 --fpr 0.01 --delta 0.3",
}

_ROWS = [(k % 2, (k * 37 % 100) / 200 + k % 2 / 2) for k in range(60)]


def _files(folder):
    def write(name, head, lines):
        (folder / name).write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")

    write("rows.csv", "y,p,g", [f"{y},{p},{'ab'[k % 3 > 0]}" for k, (y, p) in enumerate(_ROWS)])
    write("weighted.csv", "y,p,w", [f"{y},{p},{1 + y}" for y, p in _ROWS])
    write("two_scores.csv", "y,old,new", [f"{y},{p},{p / 2}" for y, p in _ROWS])
    write("yes_no.csv", "y,p", [f"{['no', 'yes'][y]},{p}" for y, p in _ROWS])
    write("fraud_legit.csv", "y,p", [f"{['legit', 'fraud'][y]},{p}" for y, p in _ROWS])
    write("one_two.csv", "y,p", [f"{1 + y},{p}" for y, p in _ROWS])
    write("comma.csv", "y;p", [f"{y};{str(p).replace('.', ',')}" for y, p in _ROWS])
    write("missing.csv", "y,p", [f"{y},{p if k else ''}" for k, (y, p) in enumerate(_ROWS)])
    write("other_way.csv", "y,p", [f"{1 - y},{p}" for y, p in _ROWS])
    write("margins.csv", "y,p", [f"{y},{10 * p - 5}" for y, p in _ROWS])
    write("dated.csv", "y,p,day", [f"{y},{p},2026-0{1 + k % 3}-15" for k, (y, p) in enumerate(_ROWS)])
    write("no_header.csv", "1,0.9", ["0,0.1"])
    curve = br.Curve.from_scores(*zip(*_ROWS, strict=True))
    curve.save(folder / "rows.curve")
    with br.monitoring.CurveStore(folder / "kept.db") as store:
        store.append(curve, model="p", period="2026-01")
    (folder / "empty.csv").touch()
    (folder / "notes.txt").write_text("y,p\n1,0.5\n", encoding="utf-8")


def typed(line):
    """The exit code of a command, and the last line that it says on stderr about what was wrong."""
    said, out = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(out):
        code = run(shlex.split(line))
    about = [one for one in said.getvalue().splitlines() if one.startswith(("Error: ", "Note: ROC"))]
    return code, about[-1].partition(": ")[2] if about else ""


# --- in Python --------------------------------------------------------------------------------------

CALLS = {
    "br.Curve.from_scores(y, p, sample_weight=w)": "br.Curve.from_scores(y, p, weight=w)",
    "br.Curve.from_scores(y, p, pos_label=1)": "br.Curve.from_scores(y, p, positive=1)",
    "br.Curve.from_scores(p, y)": "br.Curve.from_scores(y, p)",
    "br.Curve.from_scores(y, p[:3])": "br.Curve.from_scores(y, p)",
    "br.Curve.from_scores(words, p)": "br.Curve.from_scores(words, p, positive='yes')",
    "br.Curve.from_scores(words, p, positive='Yes')": "br.Curve.from_scores(words, p, positive='yes')",
    "br.Curve.from_scores([0, 1, 2], [0.1, 0.2, 0.3])": "br.one_vs_rest([0, 1, 2], [[0.8, 0.1, 0.1]] * 3)",
    "br.Curve.from_scores(y, [[1 - one, one] for one in p])": "br.Curve.from_scores(y, p)",
    "br.Curve.from_scores(y, [*p[:-1], None])": "br.Curve.from_scores(y[:-1], p[:-1])",
    "br.Curve.from_scores(y, list(map(str, p)))": "br.Curve.from_scores(y, p)",
    "br.Curve(y, p)": "br.Curve.from_scores(y, p)",
    "br.ppv": "br.precision",
    "br.auroc": "br.roc_auc",
    "br.sensitivity": "br.recall",
    "br.fallout": "br.specificity",
    "br.roc_curve": "br.Curve",
    "br.base_rate": "curve.at_prevalence('1 in 1,000')",
    "br.roc_auc(y, p)": "br.roc_auc(br.Curve.from_scores(y, p))",
    "br.roc_auc(curve, sample_weight=w)": "br.roc_auc(br.Curve.from_scores(y, p, weight=w))",
    "br.precision(point, prior=0.01)": "br.precision(point.at_prevalence(0.01))",
    "br.average_precision(point)": "br.average_precision(curve)",
    "br.f_beta(point)": "br.f_beta(point, beta=2)",
    "br.brier_score(margins)": "br.brier_score(curve)",
    "br.estimate(br.roc_auc, curve, n_boot=1000)": "br.estimate(br.roc_auc, curve, n_resamples=1000)",
    "br.estimate(br.roc_auc, curve, alpha=0.05)": "br.estimate(br.roc_auc, curve, confidence_level=0.95)",
    "br.estimate(br.roc_auc, curve, seed=0)": "br.estimate(br.roc_auc, curve, rng=0)",
    "br.estimate('auc', curve)": "br.estimate(br.roc_auc, curve)",
    "br.estimate(br.f1, curve)": "br.estimate(br.f1, curve.at_recall(0.5))",
    "br.estimate(br.f1, curve, at='recall=0.5')": "br.estimate(br.f1, curve.at_recall(0.5))",
    "br.estimate(br.f1, curve, threshold=0.5)": "br.estimate(br.f1, curve.at_threshold(0.5))",
    "br.crossings(br.f1, curve, curve, at=0.5)": "br.crossings(br.f1, curve.at_threshold(0.5), curve.at_recall(0.5))",
    "br.f1(curve, at='recall=0.5')": "br.f1(curve.at_recall(0.5))",
    "br.estimate(br.roc_auc, curve, 'delong')": "br.estimate(br.roc_auc, curve, method='delong')",
    "br.estimate(br.roc_auc, curve, confidence_level=95)": "br.estimate(br.roc_auc, curve, confidence_level=0.95)",
    "br.estimate(br.roc_auc, curve, method='bootstrap')": "br.estimate(br.roc_auc, curve, method='percentile', rng=0)",
    "curve.at_prevalence(5)": "curve.at_prevalence('5 %')",
    "curve.at_prevalence('0,5 %')": "curve.at_prevalence('0.5 %')",
    "curve.at_prevalence(0)": "curve.at_prevalence('1 in 1,000,000')",
    "curve.at_recall(60)": "curve.at_recall(0.6)",
    "curve.at_threshold('0.5')": "curve.at_threshold(0.5)",
    "br.difference(br.roc_auc, curve, curve)": "br.difference(br.roc_auc, br.Pair.from_scores(y, p, w))",
    "br.evaluate(y, p)": "br.evaluate(br.Curve.from_scores(y, p))",
    "br.evaluate(curve, prevalences=[0.1, 0.01])": "br.evaluate(curve, prevalence=[0.1, 0.01])",
    "br.compare(y, p, w)": "br.compare({'old': br.Curve.from_scores(y, p), 'new': br.Curve.from_scores(y, w)})",
    "br.compare({'a': curve, 'b': curve}, range=(0.1, 0.5))": "br.compare({'a': curve, 'b': curve}, span=(0.1, 0.5))",
    "br.curve(y, p)": "br.Curve.from_scores(y, p)",
    "br.curve(table)": "br.curve(table, label='y', score='p')",
    "br.curve(table, label='label', score='p')": "br.curve(table, label='y', score='p')",
    "br.curve(table, label='y', score='y_score')": "br.curve(table, label='y', score='p')",
    "br.curve('row.csv', label='y', score='p')": "br.curve('rows.csv', label='y', score='p')",
    "br.curve(p, label='y', score='p')": "br.Curve.from_scores(y, p)",
    "br.audit([('precision', '0.9')])": "br.audit({'precision': '0.9'})",
    "br.audit(precision='0.9')": "br.audit({'precision': '0.9'})",
    "br.audit(table)": "br.audit({'precision': '0.9'})",
    "br.audit({'precision': 90})": "br.audit({'precision': '90 %'})",
    "br.audit({'precision': '0.' + 40 * '9'})": "br.audit({'precision': '0.9999'})",
    "br.audit({'tp': 10, 'fp': 3})": "br.audit({'precision': '0.77', 'n_pos': 12, 'n_neg': 300})",
    "br.audit({'precision': '0.9'}, metrics=[br.npv])": "br.audit({'precision': '0.9'}, metrics=['npv'])",
    "br.audit({'precision': '0.9'}, at=5)": "br.audit({'precision': '0.9'}, at='5 %')",
    "br.Curve.from_sampled(some, p)": "br.Curve.from_sampled(some, p, rule='else 50 %')",
    "br.Curve.from_sampled(p, some, rule='else 50 %')": "br.Curve.from_sampled(some, p, rule='else 50 %')",
    "br.Curve.from_sampled(coded, p, rule='else 50 %')": "br.Curve.from_sampled(some, p, rule='else 50 %')",
    "br.Curve.from_sampled(some, p, rule='random 50 %')": "br.Curve.from_sampled(some, p, rule='else 50 %')",
    "br.Curve.from_sampled(some, p, rule='all >= 0.9')": "br.Curve.from_sampled(some, p, rule='else 50 %')",
    "br.Curve.from_sampled(some, p, rule='else 5 %')": "br.Curve.from_sampled(some, p, rule='else 50 %')",
    "br.Curve.from_sampled(some, p, inclusion=[2.0] * 60)": "br.Curve.from_sampled(some, p, inclusion=[0.5] * 60)",
    "br.Curve.from_sampled(some, p, stratum=range(60))": "br.Curve.from_sampled(some, p, stratum=['all'] * 60)",
    "br.Curve.from_sampled(table, label='y', score='p')": "br.Curve.from_sampled(some, p, rule='else 50 %')",
    "br.Pair.from_sampled(some, p, w)": "br.Pair.from_sampled(some, p, w, stratum=['all'] * 60)",
    "br.Pair.from_sampled(some, p, w, rule='else 50 %')": "br.Pair.from_sampled(some, p, w, inclusion=[0.5] * 60)",
    "br.report(y, p)": "br.report(br.Curve.from_scores(y, p), quick=True)",
    "br.report([curve, curve])": "br.report({'old': curve, 'new': curve}, quick=True)",
    "br.report(point)": "br.report(curve, quick=True)",
    "br.report(table)": "br.report(table, label='y', score='p', quick=True)",
    "br.report(curve, label='y', score='p')": "br.report(curve, quick=True)",
    "br.report('kept.db')": "br.report(br.monitoring.CurveStore('kept.db'), quick=True)",
    "br.report('rows.curve')": "br.report(br.Curve.load('rows.curve'), quick=True)",
    "br.report(table, label='y', score='p', period='month')": "br.report(table, label='y', score='p', quick=True)",
    "br.write_report(curve, 'page.html')": "br.write_report('page.html', curve, quick=True)",
    "br.monitoring.CurveStore('kept.db').prune_versions(keep='all')": "br.monitoring.CurveStore('kept.db')."
    "prune_versions(keep=3)",
    "br.one_vs_rest([0, 1, 2], [[0.8, 0.1, 0.1]] * 3, prevalences=[0.1, 0.2, 0.7])": "br.one_vs_rest([0, 1, 2], "
    "[[0.8, 0.1, 0.1]] * 3, prevalences={0: 0.1, 1: 0.2, 2: 0.7})",
    "br.curves_by(table, label='y', score='p')": "br.curves_by(table, 'g', label='y', score='p')",
}


def _names():
    import polars as pl

    y, p = [y for y, _ in _ROWS], [p for _, p in _ROWS]
    curve = br.Curve.from_scores(y, p)
    table = pl.DataFrame({"y": y, "p": p, "g": ["ab"[k % 3 > 0] for k in range(60)]})
    some = [one if k % 4 < 2 else None for k, one in enumerate(y)]
    names = {
        "some": some,
        "coded": [-1 if one is None else one for one in some],
        "y": y,
        "p": p,
        "w": [1.0 + one for one in p],
        "words": [["no", "yes"][one] for one in y],
        "table": table,
    }
    margins = br.Curve.from_scores(y, [10 * one - 5 for one in p])
    return names | {"br": br, "curve": curve, "point": curve.at_recall(0.5), "margins": margins}


def called(code):
    """What is wrong with a call; nothing if it works."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            eval(code, _names())
        except (br.BaserateError, AttributeError) as error:
            return str(error)
    return ""


# --- the page ---------------------------------------------------------------------------------------

ABOUT = """\
# Typical mistakes

What was written, what `baserate` answers, and what was meant. The table is compared with the answers by
`tests/test_mistakes.py`, which also runs what is right.
"""


@contextlib.contextmanager
def in_a_folder():
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _files(Path(folder))
        yield


def page():
    """The page as it should be now."""
    with in_a_folder():
        lines = [_row(f"baserate {wrong}", typed(wrong)[1], f"baserate {right}") for wrong, right in COMMANDS.items()]
        calls = [_row(wrong, called(wrong), right) for wrong, right in CALLS.items()]
    head = "| written | answer | right |\n|---|---|---|"
    return "\n".join([ABOUT, "## On the command line\n", head, *lines, "\n## In Python\n", head, *calls, ""])


def _row(wrong, sentence, right):
    plain = sentence.replace("|", "\\|").replace("<", "&lt;").replace("_", "\\_").replace("*", "\\*")
    return f"| `{wrong}` | {plain} | `{right}` |"


def test_the_page_has_every_mistake_with_its_sentence():
    assert PAGE.read_text(encoding="utf-8") == page(), "run make pages"


def test_there_are_many():
    assert len(COMMANDS) + len(CALLS) >= 100


@pytest.mark.slow
@pytest.mark.parametrize("wrong", COMMANDS)
def test_commands(wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _files(tmp_path)
    code, sentence = typed(wrong)
    assert sentence
    assert code == 0 if "ROC AUC" in sentence else code in (1, 2)
    code, said = typed(COMMANDS[wrong])
    assert (code, said) == (0, "")


@pytest.mark.parametrize("wrong", CALLS)
def test_calls(wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _files(tmp_path)
    assert called(wrong)
    assert called(CALLS[wrong]) == ""


if __name__ == "__main__":
    os.environ["COLUMNS"] = "200"
    PAGE.write_text(page(), encoding="utf-8")
