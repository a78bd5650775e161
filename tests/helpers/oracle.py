"""The definitions once more, slowly and to fifty digits, written from the papers and not from the library.

A table is a list of ``(positives, negatives)`` by score, highest score first. A metric of a point gets the
counts ``tp, fp, fn, tn`` with the negatives already weighted to the wanted prevalence; a metric of the whole
curve gets the list of these counts.
"""

from fractions import Fraction
from itertools import pairwise

import mpmath

mpmath.mp.dps = 50
mpf = mpmath.mpf


def exact(value):
    """A float as the rational number it is."""
    fraction = Fraction(value)
    return mpf(fraction.numerator) / mpf(fraction.denominator)


def weighted_table(table, prevalence):
    """Give negatives the weight that turns the sample's prevalence into the wanted one."""
    n_pos, n_neg = (mpmath.fsum(exact(row[k]) for row in table) for k in (0, 1))
    eta = exact(prevalence)
    weight = n_pos * (1 - eta) / (eta * n_neg)
    return [(exact(pos), exact(neg) * weight) for pos, neg in table]


def confusion(weighted):
    """Counts tp, fp, fn, tn at each threshold."""

    def add(rows):
        return [mpmath.fsum(row[k] for row in rows) for k in (0, 1)]

    return [(*add(weighted[: k + 1]), *add(weighted[k + 1 :])) for k in range(len(weighted))]


def _prevalence(tp, fp, fn, tn):
    return (tp + fn) / (tp + fp + fn + tn)


def precision(tp, fp, fn, tn):
    return tp / (tp + fp)


def recall(tp, fp, fn, tn):
    return tp / (tp + fn)


def specificity(tp, fp, fn, tn):
    return tn / (tn + fp)


def balanced_accuracy(*c):
    return (recall(*c) + specificity(*c)) / 2


def youden_j(*c):
    return recall(*c) + specificity(*c) - 1


def lr_positive(*c):
    false_positive_rate = 1 - specificity(*c)
    return recall(*c) / false_positive_rate if false_positive_rate else mpmath.inf


def lr_negative(*c):
    tnr, fnr = specificity(*c), 1 - recall(*c)
    return fnr / tnr if tnr or not fnr else mpmath.inf


def npv(tp, fp, fn, tn):
    return tn / (tn + fn)


def f_beta(tp, fp, fn, tn, *, beta):
    b2 = exact(beta) ** 2
    return (1 + b2) * tp / ((1 + b2) * tp + b2 * fn + fp)


def f1(*c):
    return f_beta(*c, beta=1)


def accuracy(tp, fp, fn, tn):
    return (tp + tn) / (tp + fp + fn + tn)


def mcc(tp, fp, fn, tn):
    return (tp * tn - fp * fn) / mpmath.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def kappa(tp, fp, fn, tn):
    n = tp + fp + fn + tn
    expected = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    return (accuracy(tp, fp, fn, tn) - expected) / (1 - expected)


def alert_rate(tp, fp, fn, tn):
    return (tp + fp) / (tp + fp + fn + tn)


def lift(*c):
    return precision(*c) / _prevalence(*c)


def precision_gain(*c):
    eta, p = _prevalence(*c), precision(*c)
    return (p - eta) / ((1 - eta) * p) if p else -mpmath.inf


def recall_gain(*c):
    eta, r = _prevalence(*c), recall(*c)
    return (r - eta) / ((1 - eta) * r) if r else -mpmath.inf


def modified_f_beta(*c, beta):
    eta, p, r, b2 = _prevalence(*c), precision(*c), recall(*c), exact(beta) ** 2
    if p <= eta:
        return mpf(0)
    excess = (p - eta) / (1 - eta)
    return (1 + b2) * excess * r / (b2 * excess + r)


def modified_f1(*c):
    return modified_f_beta(*c, beta=1)


def min_precision(*c):
    eta, r = _prevalence(*c), recall(*c)
    return eta * r / (1 - eta + eta * r)


def chance_precision(*c):
    return _prevalence(*c)


def expected_cost(tp, fp, fn, tn, *, cost_fn, cost_fp):
    return (exact(cost_fn) * fn + exact(cost_fp) * fp) / (tp + fp + fn + tn)


def net_benefit(tp, fp, fn, tn, *, threshold_probability):
    p = exact(threshold_probability)
    return (tp - fp * p / (1 - p)) / (tp + fp + fn + tn)


# --- the whole curve ------------------------------------------------------------------------------


def _pieces(rows, recall_range=(0, 1)):
    """ROC pieces (tp0, fp0, tp1, fp1) along which tp rises, cut to the recall range."""
    n_pos = rows[-1][0]
    low, high = (exact(end) * n_pos for end in recall_range)
    tp0 = fp0 = mpf(0)
    for tp1, fp1, _, _ in rows:
        if tp1 > tp0 and tp1 > low and tp0 < high:
            slope = (fp1 - fp0) / (tp1 - tp0)
            start, end = max(tp0, low), min(tp1, high)
            yield start, fp0 + slope * (start - tp0), end, fp0 + slope * (end - tp0)
        tp0, fp0 = tp1, fp1


def roc_auc(rows, *, max_fpr=1):
    n_pos, n_neg = rows[-1][0], rows[-1][1]
    limit = exact(max_fpr) * n_neg
    area = tp0 = fp0 = mpf(0)
    for tp1, fp1, _, _ in rows:
        if fp0 < limit:
            end = min(fp1, limit)
            height = tp1 if fp1 == fp0 else tp0 + (tp1 - tp0) * (end - fp0) / (fp1 - fp0)
            area += (end - fp0) * (tp0 + height) / 2
        tp0, fp0 = tp1, fp1
    return area / (n_pos * n_neg)


def average_precision(rows, *, recall_range=(0, 1)):
    n_pos = rows[-1][0]
    low, high = (exact(end) for end in recall_range)
    area = before = mpf(0)
    for tp, fp, _, _ in rows:
        r = tp / n_pos
        area += max(min(r, high) - max(before, low), 0) * tp / (tp + fp)
        before = r
    return area


def auc_pr(rows, *, recall_range=(0, 1)):
    """The textbook integral T/c - d/c² log(cT + d) on each piece."""
    n_pos = rows[-1][0]
    area = mpf(0)
    for tp0, fp0, tp1, fp1 in _pieces(rows, recall_range):
        slope = (fp1 - fp0) / (tp1 - tp0)
        c, d = 1 + slope, fp0 - slope * tp0
        area += (tp1 - tp0) / c
        if d:
            area -= d / c**2 * mpmath.log((c * tp1 + d) / (c * tp0 + d))
    return area / n_pos


def auc_prg(rows, *, recall_range=(0, 1)):
    """Trapezoids in the gain plane, cut at recall gain 0."""
    n_pos = rows[-1][0]
    eta = _prevalence(*rows[-1])
    low = max(exact(recall_range[0]), eta)
    if low >= exact(recall_range[1]):
        return mpf(0)
    area = mpf(0)
    for start_tp, start_fp, tp1, fp1 in _pieces(rows, (0.0, recall_range[1])):
        if tp1 / n_pos <= low:
            continue
        tp0 = max(start_tp, low * n_pos)
        fp0 = start_fp + (fp1 - start_fp) * (tp0 - start_tp) / (tp1 - start_tp)
        ends = [(tp, fp, n_pos - tp, rows[-1][1] - fp) for tp, fp in ((tp0, fp0), (tp1, fp1))]
        width = recall_gain(*ends[1]) - recall_gain(*ends[0])
        area += width * (precision_gain(*ends[0]) + precision_gain(*ends[1])) / 2
    return area


def best_f_beta(rows, *, beta, recall_range=(0, 1)):
    low, high = recall_range
    values = [f_beta(*row, beta=beta) for row in rows if low <= float(recall(*row)) <= high]
    return max(values) if values else mpmath.nan


def best_f1(rows, *, recall_range=(0, 1)):
    return best_f_beta(rows, beta=1, recall_range=recall_range)


def min_auc_pr(rows, *, recall_range=(0, 1)):
    eta = _prevalence(*rows[-1])
    a, b = (exact(end) for end in recall_range)
    return b - a + (1 - eta) / eta * mpmath.log((eta * (a - 1) + 1) / (eta * (b - 1) + 1))


def min_average_precision(rows):
    n_pos, n_neg = rows[-1][0], rows[-1][1]
    if n_pos <= 1000:
        return mpmath.fsum(i / (i + n_neg) for i in range(1, int(n_pos) + 1)) / n_pos
    return 1 - n_neg / n_pos * (mpmath.digamma(n_pos + n_neg + 1) - mpmath.digamma(n_neg + 1))


def normalized_auc_pr(rows, *, recall_range=(0, 1)):
    floor = min_auc_pr(rows, recall_range=recall_range)
    width = exact(recall_range[1]) - exact(recall_range[0])
    return (auc_pr(rows, recall_range=recall_range) - floor) / (width - floor)


def normalized_average_precision(rows):
    floor = min_average_precision(rows)
    return (average_precision(rows) - floor) / (1 - floor)


def chance_average_precision(n_pos, n_neg, prevalence):
    """Every place of every positive, with its probability."""
    eta = exact(prevalence)
    weight = n_pos * (1 - eta) / (eta * n_neg)
    orders = mpmath.binomial(n_pos + n_neg, n_neg)
    return (
        mpmath.fsum(
            mpmath.binomial(i - 1 + m, m)
            * mpmath.binomial(n_pos - i + n_neg - m, n_neg - m)
            / orders
            * i
            / (i + weight * m)
            for i in range(1, n_pos + 1)
            for m in range(n_neg + 1)
        )
        / n_pos
    )


# --- scores as probabilities: a list of (score, positives, negatives as counted), and the weight of a negative -----


def negative_weight(table, prevalence):
    """What a negative counts as at a prevalence, against a positive."""
    n_pos, n_neg = (mpmath.fsum(exact(row[k]) for row in table) for k in (0, 1))
    eta = exact(prevalence)
    return n_pos * (1 - eta) / (eta * n_neg)


def brier_score(cells, weight):
    total = mpmath.fsum(pos + weight * neg for _, pos, neg in cells)
    return mpmath.fsum(pos * (1 - p) ** 2 + weight * neg * p**2 for p, pos, neg in cells) / total


def log_loss(cells, weight, *, clip=0):
    total = mpmath.fsum(pos + weight * neg for _, pos, neg in cells)
    loss = mpf(0)
    for p, pos, neg in cells:
        q = min(max(p, exact(clip)), 1 - exact(clip))
        loss -= pos * mpmath.log(q) if pos else 0
        loss -= weight * neg * mpmath.log(1 - q) if neg else 0
    return loss / total


def _bins(cells, weight, bins):
    """Mass, gap and sampling variance of each bin; the variance is None where there is one row."""
    edges = [exact(edge) for edge in ([k / bins for k in range(bins + 1)] if isinstance(bins, int) else bins)]
    for low, high in pairwise(edges):
        here = [(p, pos, neg) for p, pos, neg in cells if low < p <= high or p == low == 0]
        pos, neg = (mpmath.fsum(cell[k] for cell in here) for k in (1, 2))
        if pos + neg == 0:
            continue
        mass = pos + weight * neg
        rate = pos / mass
        score = mpmath.fsum(p * (a + weight * b) for p, a, b in here) / mass
        rows = mass**2 / (pos + weight**2 * neg)
        variance = (rate * (1 - rate)) ** 2 * (1 / pos + 1 / neg) * rows / (rows - 1) if pos and neg else mpf(0)
        yield mass, rate - score, None if pos + neg == 1 else variance


def ece(cells, weight, *, bins=10):
    found = list(_bins(cells, weight, bins))
    return mpmath.fsum(mass * abs(gap) for mass, gap, _ in found) / mpmath.fsum(mass for mass, _, _ in found)


def mce(cells, weight, *, bins=10):
    return max(abs(gap) for _, gap, _ in _bins(cells, weight, bins))


def rms_calibration_error(cells, weight, *, bins=10):
    found = list(_bins(cells, weight, bins))
    return mpmath.sqrt(mpmath.fsum(mass * gap**2 for mass, gap, _ in found) / mpmath.fsum(mass for mass, _, _ in found))


def debiased_rms_calibration_error(cells, weight, *, bins=10):
    found = list(_bins(cells, weight, bins))
    squares = mpmath.fsum(mass * (gap**2 - noise) for mass, gap, noise in found if noise is not None)
    return mpmath.sqrt(max(squares / mpmath.fsum(mass for mass, _, _ in found), mpf(0)))


def debiased_ece(cells, weight, *, bins=10):
    found = list(_bins(cells, weight, bins))
    error = mpf(0)
    for mass, gap, noise in found:
        if noise is not None:
            error += mass * (2 * abs(gap) - _mean_distance(gap, noise))
    return max(error / mpmath.fsum(mass for mass, _, _ in found), mpf(0))


def _mean_distance(mean, variance):
    """E|X| of a normal X, by its definition."""
    if variance == 0:
        return abs(mean)
    spread = mpmath.sqrt(variance)
    z = mean / spread
    above = spread * (z * mpmath.ncdf(z) + mpmath.npdf(z))  # E max(X, 0)
    return above + spread * (-z * mpmath.ncdf(-z) + mpmath.npdf(z))
