"""AUC-PRG begun as in the code published with Siblini et al., to show where its numbers come from."""

import numpy as np

import baserate as br


def auc_prg_as_published(curve: br.Curve, prevalence: float) -> float:
    """The area at `prevalence`, begun where the published code begins; its crossings of the axis are left out.

    The area should begin where recall equals the prevalence that is read at. That code puts the first point there, but
    takes its precision gain from where recall equals the share of positives in the sample, on a line that is drawn on
    through the two thresholds around the right place. With few positives this can be far outside of [0, 1].
    """
    share = curve.n_pos / (curve.n_pos + curve.n_neg)
    tpr, fpr = np.append(0.0, curve.tpr), np.append(0.0, curve.fpr)
    odds = prevalence / (1 - prevalence)
    found = tpr > 0
    recall_gain = np.full(len(tpr), -np.inf)
    recall_gain[found] = 1 - odds * (1 - tpr[found]) / tpr[found]
    first = int(np.argmax(recall_gain >= 0))
    gains = recall_gain[first:], 1 - fpr[first:] / tpr[first:]
    area = float(np.trapezoid(gains[1], gains[0]))
    if gains[0][0] > 0:
        step = tpr[first] - tpr[first - 1]
        along = (share - tpr[first - 1]) / step if step > 0 else 0.5
        start = tpr[first - 1] + along * step, fpr[first - 1] + along * (fpr[first] - fpr[first - 1])
        area += gains[0][0] * (gains[1][0] + 1 - start[1] / start[0]) / 2
    return area
