"""What the numbers of a page rest on: facts about the data of each model, and what was done with them."""

from baserate.curves.curve import Curve
from baserate.metrics.areas import average_precision
from baserate.metrics.bounds import bounds
from baserate.page.content import Content, PageModel
from baserate.page.sampled import where_labels_are
from baserate.page.words import counted, isolated, listed
from baserate.written import one_in, percent


def own_prevalence(curve: Curve) -> float:
    """The prevalence of the rows of a curve, which those of a page have."""
    return curve.n_pos / (curve.n_pos + curve.n_neg)


def facts(made: Content) -> list[tuple[str, str]]:
    """Facts about the data: those of all models, then those of each, then how they were compared."""
    said = {model.name: _of_model(model, made.prevalence) for model in made.models}
    first, *others = said.values()
    shared = [one for one in first if others and all(one in other for other in others)]
    error = max(*(model.error for model in made.models), 1e-9)
    found = [("All models", shared)] if shared else []
    found += [(name, [one for one in its if one not in shared]) for name, its in said.items()]
    found[0][1].append(f"areas on this page have an error of at most {error:.1g}")
    rows = [(name, f"{'; '.join(its)}.") for name, its in found]
    rows += [("Where labels are missing", " ".join(made.unlabelled))] * bool(made.unlabelled)
    rows += [("How the models were compared", _how_compared(made))] * (len(made.models) > 1)
    return [*rows, ("What this page reveals", _revealed(made))]


def _of_model(model: PageModel, prevalence: float) -> list[str]:
    curve = model.curve
    said = [
        f"{counted(curve.n_pos, 'positive')}, {counted(curve.n_neg, 'negative')}, prevalence "
        f"{one_in(own_prevalence(curve))}",
        f"{counted(curve.unlabelled, 'row')} without a label, not counted",
    ]
    said += [f"read from {isolated(str(curve.source))}"] * (curve.source is not None)
    said.append(f"{counted(len(curve), 'threshold')}, scores from {curve.score[-1]:.4g} to {curve.top[0]:.4g}")
    said += [where_labels_are(curve)] if curve.sampled else ["rows are weighted"] * curve.weighted
    if curve.bucketed:
        width = bounds(average_precision, curve.at_prevalence(prevalence)).width
        said.append(f"scores are in buckets: average precision is exact to {width:.1g}")
    elif not curve.weighted:
        rows = curve.pos + curve.neg
        tied = float(rows[rows > 1].sum() / rows.sum())
        said += [f"{percent(tied)} of the rows share their score with another"] * (tied > 0)
    return said


def _how_compared(made: Content) -> str:
    """Which models were compared row by row, and what that could not be done for."""
    pairs = made.compared.versus
    names = [isolated(made.models[k].name) for k in pairs.compared]
    if not names:
        return (
            "By the interval of each, because the page was made of their curves: two models may differ although these "
            "overlap. If the scores of each row are known (br.Models, or a file with all scores), they are compared "
            "row by row."
        )
    said = f"{listed(names)}: row by row, from one set of bootstrap samples, as br.lead does."
    rest = "The others are further from the best one, and are compared by the interval of each."
    return said if len(names) == len(made.models) else f"{said} {rest}"


def _revealed(made: Content) -> str:
    """What a reader of the file can infer about single rows."""
    said = "This file has no rows, but its thresholds are scores of rows, and it has counts and a curve of each group"
    return ". ".join([said, *(sentence[0].upper() + sentence[1:] for sentence in made.revealing)]) + "."
