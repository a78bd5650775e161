"""Names from elsewhere lead to the right name, and to no other."""

import inspect

import pytest

import baserate as br
from baserate.checks import synonyms
from baserate.checks.synonyms import did_you_mean, meant, plain
from baserate.curves.rules import RULES

CURVE = br.Curve.from_scores([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
TERMS = [word for _, words in synonyms.synonyms() for word in words]

METRICS = {
    "ppv": "precision", "PPV": "precision", "sensitivity": "recall", "tpr": "recall", "hit rate": "recall",
    "tnr": "specificity", "fpr": "specificity", "fallout": "specificity", "fnr": "recall", "auroc": "roc_auc",
    "auc": "roc_auc", "roc": "roc_auc", "AUC-ROC": "roc_auc", "ap": "average_precision", "pr_auc": "auc_pr",
    "aucpr": "auc_pr", "f-score": "f1", "f_score": "f1", "fscore": "f1", "F2": "f_beta", "gini": "roc_auc",
    "brier": "brier_score", "KS": "youden_j", "precison": "precision", "fdr": "precision",
}  # fmt: skip
KEYWORDS = {
    "base rate": "prevalence", "prior": "prevalence", "pos_label": "positive", "y_true": "label", "y_score": "score",
    "y_pred": "score", "sample_weight": "weight", "n_boot": "n_resamples", "n_bootstraps": "n_resamples",
    "alpha": "confidence_level", "threshold": "at", "seed": "rng", "confidnce_level": "confidence_level",
}  # fmt: skip


@pytest.mark.parametrize("word", METRICS)
def test_metrics(word):
    assert meant(word, list(br.METRICS))[0] == METRICS[word]


@pytest.mark.parametrize("word", KEYWORDS)
def test_keywords(word):
    known = ["label", "score", "weight", "positive", "prevalence", "n_resamples", "confidence_level", "rng", "at"]
    assert meant(word, known)[0] == KEYWORDS[word]


@pytest.mark.parametrize("word", TERMS)
def test_a_word_of_the_field_never_leads_to_another_that_is_spelt_like_it(word):
    for known in (br.METRICS, RULES, inspect.signature(br.estimate).parameters, ["npv"], ["fpr"], ["specificity"]):
        right = meant(word, list(known))[0]
        called = {plain(one.partition(",")[0]) for one in synonyms._SYNONYMS[plain(word)]}
        assert not right or plain(right) in called | {plain(word)} or plain(right) not in synonyms._TERMS


def test_every_right_name_is_there():
    """Else a hint could lead nowhere: each is a name of the package, a parameter or an option."""
    import click

    from baserate.cli.app import commands
    from baserate.cli.hints import COMMANDS

    parameters = {p for name in br.__all__ if callable(f := getattr(br, name)) for p in _parameters(f)}
    options = {flag[2:].replace("-", "_") for name in COMMANDS for flag in _flags(commands.get_command(None, name))}
    known = {*br.__all__, *parameters, *options, *RULES, *COMMANDS, *dir(br)}
    assert isinstance(commands, click.Group)
    for called in synonyms._CALLED:
        assert any(one.partition(",")[0] in known for one in called), called


def _parameters(function):
    methods = [getattr(function, name) for name in ("from_scores", "from_counts") if hasattr(function, name)]
    try:
        return [p for one in (function, *methods) for p in inspect.signature(one).parameters]
    except ValueError:
        return []


def _flags(command):
    return [flag for option in command.params for flag in option.opts if flag.startswith("--")]


def test_a_remark_says_how_the_two_are_related():
    assert did_you_mean("fallout", ["specificity"]) == "did you mean 'specificity', which is 1 - FPR"
    assert did_you_mean("ppv", ["npv"]) == ""
    assert did_you_mean("targt", ["target"]) == "did you mean 'target'"


CALLS = {
    "from_scores has no parameter 'sample_weight'; did you mean 'weight'.":
        lambda: br.Curve.from_scores([0, 1], [0, 1], sample_weight=[1, 1]),
    "curves_by takes 'by' by position, got by=; write curves_by(table, 'k', …).": lambda: br.curves_by(
        {}, by="k", label="y", score="p"
    ),
    "curves_by takes 'by' by position, got keys=; write curves_by(table, 'k', 'm', …).": lambda: br.curves_by(
        {}, keys=["k", "m"], label="y", score="p"
    ),
    "from_scores has no parameter 'pos_label'; did you mean 'positive'.":
        lambda: br.Pair.from_scores([0, 1], [0, 1], [1, 0], pos_label=1),
    "estimate has no parameter 'n_boot'; did you mean 'n_resamples'.": lambda: br.estimate(br.f1, CURVE, n_boot=9),
    "estimate has no parameter 'alpha'; did you mean 'confidence_level', which is 1 - alpha.":
        lambda: br.estimate(br.f1, CURVE, alpha=0.05),
    "roc_auc has no parameter 'sample_weight'; weights belong to the curve, as in br.Curve.from_scores(y_true, "
    "y_score, weight=…).": lambda: br.roc_auc(CURVE, sample_weight=[1]),
    "precision has no parameter 'prior'; read the curve at it first, as in curve.at_prevalence(0.001).":
        lambda: br.precision(CURVE, prior=0.1),
    "f_beta has no parameter 'bta'; did you mean 'beta'.": lambda: br.f_beta(CURVE, bta=2),
    "update has no parameter 'sample_weight'; did you mean 'weight'.":
        lambda: br.Accumulator().update([0], [1], sample_weight=[1]),
}  # fmt: skip


@pytest.mark.parametrize("sentence", CALLS)
def test_calls(sentence):
    with pytest.raises(TypeError) as caught:
        CALLS[sentence]()
    assert str(caught.value) == sentence
    assert isinstance(caught.value, br.BaserateError)


def test_names_of_the_package():
    for name, right in {"ppv": "precision", "auroc": "roc_auc", "sensitivity": "recall", "Curv": "Curve"}.items():
        with pytest.raises(AttributeError, match=f"no attribute '{name}'; did you mean '{right}'"):
            getattr(br, name)
    assert not hasattr(br, "__wrapped__")


OPTIONS = {
    "--prior": "--prevalence", "--base-rate": "--prevalence", "--pos-label": "--positive", "--y-true": "--label",
    "--y-score": "--score", "--sample-weight": "--weight", "--alpha": "--confidence-level, which is 1 - alpha",
    "--threshold": "--at threshold=VALUE", "--sensitivity": "--at recall=VALUE", "--auc": "--metric roc_auc",
    "--ppv": "--at precision=VALUE", "--metrics": "--metric", "--group": "--by", "--sep": "--delimiter",
}  # fmt: skip


@pytest.mark.parametrize("option", OPTIONS)
def test_options(option, capsys):
    from baserate.cli.app import run

    assert run(["evaluate", "scores.csv", option, "1"]) == 2
    assert capsys.readouterr().err.endswith(f"No such option '{option}'; did you mean {OPTIONS[option]}.\n")


def test_commands(capsys):
    from baserate.cli.app import run

    for name, right in {"eval": "evaluate", "comapre": "compare", "html": "report", "drift": "monitor"}.items():
        assert run([name, "scores.csv"]) == 2
        assert capsys.readouterr().err.endswith(f"No such command '{name}'; did you mean '{right}'.\n")
