"""Synonyms: names from other libraries, and the names used here.

All hints use this table: for metrics, options, keywords, names of the package and columns of files. A synonym is never
accepted, but the error names the right one.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

# What it is called here, the best first: the first that is known in its place is meant. What follows a comma explains
# it. The names that lead there stand beside it.
_CALLED: dict[tuple[str, ...], str] = {
    # metrics and rates
    ("precision",): "PPV, positive predictive value, precision_score",
    ("npv",): "negative predictive value",
    ("recall", "tpr"): "recall, sensitivity, TPR, true positive rate, hit rate, detection rate, recall_score",
    ("specificity", "fpr, which is 1 - specificity"): "specificity, TNR, true negative rate, selectivity",
    ("fpr", "specificity, which is 1 - FPR"): "FPR, false positive rate, fall-out, false alarm rate",
    ("recall, which is 1 - FNR", "tpr, which is 1 - FNR"): "FNR, false negative rate, miss rate",
    ("precision, which is 1 - FDR",): "FDR, false discovery rate",
    ("npv, which is 1 - FOR",): "FOR, false omission rate",
    ("roc_auc",): "AUC, AUROC, ROC, AUC-ROC, roc_auc_score, c-statistic, c-index, concordance",
    ("roc_auc, which is (1 + Gini) / 2",): "Gini, Gini coefficient",
    ("average_precision",): "AP, mAP, average_precision_score",
    ("auc_pr",): "PR-AUC, AUPRC, AUPR, PRC",
    ("f1",): "F, F-score, F-measure, f1_score, Dice",
    ("f_beta",): "fbeta, fbeta_score",
    ("f_beta, with beta=2",): "F2, F2-score",
    ("f_beta, with beta=0.5",): "F0.5, F0.5-score",
    ("accuracy",): "ACC, accuracy_score",
    ("accuracy, which is 1 - the error rate",): "error rate, misclassification rate",
    ("balanced_accuracy",): "BAC, BAcc, balanced_acc, balanced_accuracy_score",
    ("youden_j",): "Youden, informedness, KS, Kolmogorov-Smirnov",
    ("mcc",): "phi, Matthews, matthews_corrcoef",
    ("kappa",): "Cohen's kappa, cohen_kappa, cohen_kappa_score",
    ("lr_positive",): "PLR, LR plus, likelihood ratio, positive likelihood ratio",
    ("lr_negative",): "NLR, LR minus, negative likelihood ratio",
    ("alert_rate",): "PPR, predicted positive rate, selection rate, flag rate, workload",
    ("lift",): "enrichment",
    ("brier_score",): "Brier, brier_score_loss",
    ("log_loss",): "cross-entropy, NLL",
    ("ece",): "expected calibration error, calibration error",
    ("mce",): "maximum calibration error",
    ("net_benefit",): "decision curve, DCA",
    # parameters and options
    (
        "prevalence",
        "prevalences",
        "Curve, as in curve.at_prevalence(0.001)",
    ): "prevalence, prevalences, base rate, prior, class prior, positive rate, target prevalence, pi, eta",
    ("positive",): "pos_label, positive label, positive class, pos_class",
    ("y_true", "label", "labels"): "y_true, y, label, labels, target, targets, truth, ground truth, label_col",
    (
        "y_score",
        "score",
        "scores",
    ): "y_score, y_prob, y_proba, proba, probs, probability, probabilities, score, scores, score_col",
    ("y_score, which takes scores", "score, which takes scores"): "y_pred, y_hat, pred, preds, prediction, predictions",
    ("weight", "weights"): "sample_weight, sample_weights, weight, weights, w",
    ("n_resamples", "resamples"): "n_boot, n_bootstrap, n_bootstraps, bootstraps, n_sim, n_iter, resamples",
    ("percentile", "n_resamples", "resamples"): "bootstrap, percentile bootstrap",
    ("confidence_level, which is 1 - alpha",): "alpha, significance, significance level",
    ("confidence_level",): "CI, level, confidence, conf_level, ci_level",
    ("rng",): "seed, random_state, random_seed",
    ("threshold", "at, as in at='threshold=0.5'"): "threshold, cutoff, cut-off, cut point",
    ("bins",): "n_bins, num_bins",
    ("by", "groups"): "by, keys, group, groups, groupby, group_col, segment, segments, subgroup, slices",
    ("span", "range"): "span, range, prevalence range, between",
    ("delimiter",): "sep, separator, delim",
    ("tz",): "timezone",
    ("period",): "freq, frequency, time_column",
    ("json",): "format",
    ("output",): "out, outfile",
    ("memory_limit",): "memory",
    # functions and commands
    ("Curve",): "roc_curve, precision_recall_curve, det_curve, from_scores, from_counts",
    ("Point",): "confusion_matrix, operating point",
    ("estimate", "evaluate"): "estimate, confidence interval, interval, bootstrap_ci",
    ("difference", "compare"): "difference, diff, DeLong, delong_test, McNemar, paired bootstrap",
    ("reliability", "calibration"): "calibration_curve, reliability diagram, reliability curve, calibrate",
    (
        "calibration, as in br.calibration.recalibrate(curve)",
    ): "Platt scaling, temperature scaling, isotonic regression, histogram binning, CalibratedClassifierCV",
    ("crossings", "compare"): "crossings, crossing, break-even point",
    ("ranking", "compare"): "ranking, rank, leaderboard",
    ("report",): "classification_report, html, page",
    ("evaluate",): "eval, metrics",
    ("curve",): "read_csv, read_parquet, read, load, from_file",
    ("curves_by",): "by_group, curves_by_group",
    ("design", "plan"): "sample size, test set",
    ("explain_change", "monitor"): "drift",
    ("plots",): "plot, plotting",
}


def plain(name: str) -> str:
    """A name without case, spaces and signs: "PR-AUC" and "pr_auc" are one."""
    return "".join(sign for sign in name.lower() if sign.isalnum())


def _split(called: str) -> tuple[str, str]:
    name, comma, remark = called.partition(",")
    return name, comma + remark


_SYNONYMS = {plain(word): called for called, words in _CALLED.items() for word in words.split(", ")}
_TERMS = _SYNONYMS.keys() | {plain(_split(one)[0]) for called in _CALLED for one in called}


def synonyms() -> list[tuple[str, list[str]]]:
    """The names used here, best first, with their synonyms; for the glossary."""
    rows = []
    for called, words in _CALLED.items():
        names, remark = [f"`{_split(one)[0]}`" for one in called], _split(called[0])[1]
        others = [word for word in words.split(", ") if word not in {_split(one)[0] for one in called}]
        rows.append((" or ".join(names) + remark, others))
    return rows


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint at the known name that a word probably means; empty if there is none."""
    right, remark = meant(name, list(known))
    return f"did you mean {right!r}{remark}" if right else ""


def meant(name: str, known: Sequence[str]) -> tuple[str, str]:
    """The known name that a word probably means, and a note about it; both empty if there is none."""
    synonym = called_here(name, known)
    if synonym[0]:
        return synonym
    close = (one for one in get_close_matches(name, known) if not _mean_different_things(name, one))
    return next(close, ""), ""


def called_here(name: str, known: Sequence[str]) -> tuple[str, str]:
    """The known name of a synonym, and a note about it; similar spelling is not considered."""
    by_plain = {plain(one): one for one in reversed(known)}
    for called, remark in ((name, ""), *map(_split, _SYNONYMS.get(plain(name), ()))):
        if plain(called) in by_plain:
            return by_plain[plain(called)], remark
    group = _SYNONYMS.get(plain(name), ())
    return next((one for one in known if group and _SYNONYMS.get(plain(one)) == group), ""), ""


def name_here(name: str) -> str:
    """The name used here for a synonym; any other word is returned unchanged."""
    return _split(_SYNONYMS.get(plain(name), (name,))[0])[0]


def no_attribute(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error for a name that a module does not have."""
    hint = "" if name.startswith("_") else did_you_mean(name, [one for one in known if not one.startswith("_")])
    return AttributeError(f"module {module!r} has no attribute {name!r}{'; ' + hint if hint else ''}")


def _mean_different_things(name: str, other: str) -> bool:
    """Whether both are known terms, such as PPV and NPV: then one is not a misspelling of the other."""
    a, b = plain(name), plain(other)
    return a in _TERMS and b in _TERMS and _SYNONYMS.get(a, a) != _SYNONYMS.get(b, b)
