"""The Curve."""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from baserate import checks, notebook
from baserate.arrays import ArrayLike, Counts, FloatArray, Prevalence
from baserate.checks import Label
from baserate.curves import rows, saving
from baserate.curves.bins import check_probabilities
from baserate.curves.counting import Counted, count_weighted_rows, merge_counts
from baserate.curves.rows import ScoredRows
from baserate.curves.sampling import strata_of
from baserate.curves.strata import SampledTable, Stratum, columns_of, joined, merged, no_rows, strata_from
from baserate.curves.table import CountTable, RateTable, RowTable, ThresholdTable
from baserate.curves.thresholds import Thresholds
from baserate.errors import CurveFileError, InputError, MissingInformationError
from baserate.formulas import pointwise
from baserate.formulas.prior_shift import shifted
from baserate.results.sources import Source
from baserate.results.sources import pooled as pooled_source
from baserate.written import one_in


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Thresholds):
    """A table of positives and negatives by score, read at a prevalence.

    Build one with `from_scores`, `from_counts` or `from_rates`; it never changes. Rows are sorted when their order is
    first needed. A score at or above a threshold is predicted positive. Rows with equal scores share a threshold, so
    the order of rows never matters. ``a + b`` and ``sum(curves)`` pool the rows behind the curves.

    A curve is read at the prevalence of its data until ``at_prevalence`` sets another one. Metrics use the prevalence
    of the curve, so none of them has an argument for it.

    Attributes
    ----------
    score, pos, neg : array
        Positives and negatives at each distinct score, highest first.
    prevalence : float
        The prevalence that metrics use.
    unlabelled : int
        Number of rows of the table that had no label; they are not in the curve.
    strata : tuple of Stratum
        If only some rows were sampled for labelling (`from_sampled`), what is known of each stratum; else empty.
    source : Source or None
        The files that it was read from, if any. It does not matter for ``==``.
    bucketed : bool
        Whether some entries are buckets of several scores; then `bounds` gives the error of a metric.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2])
    >>> curve
    Curve(3 pos, 3 neg, prevalence 1 in 2)
    >>> round(br.average_precision(curve), 4)
    0.9167
    >>> rare = curve.at_prevalence("1 in 1,000")
    >>> rare
    Curve(3 pos, 3 neg, read at prevalence 1 in 1,000, own 1 in 2)
    >>> round(br.average_precision(rare), 4)
    0.6677
    """

    table: ThresholdTable
    _n: tuple[float | None, float | None]
    _given: float | None = None
    unlabelled: int = 0
    source: Source | None = None
    _noun: ClassVar[str] = "curve"

    def __post_init__(self) -> None:
        if not isinstance(self.table, ThresholdTable):
            raise InputError(
                f"a Curve must be built by a function, got Curve({type(self.table).__name__}, …); use "
                f"Curve.from_scores(y_true, y_score)."
            )

    # --- making one -------------------------------------------------------------------------------

    @classmethod
    @checks.declared
    def from_scores(
        cls, y_true: ArrayLike, y_score: ArrayLike, *, weight: ArrayLike | None = None, positive: Label | None = None
    ) -> "Curve":
        """Count labelled, scored rows.

        Parameters
        ----------
        y_true : column
            Labels: bool, 0/1, -1/1, or any two values with `positive`. Lists, arrays and Series of pandas, polars or
            pyarrow are accepted, nullable or not; a missing label is refused.
        y_score : column
            Scores, higher for more positive. Any real numbers, infinities included; nan is refused.
        weight : column, optional
            A weight per row. A weighted curve also keeps the sums of squared weights, because for intervals a row of
            weight 2 is not two cases.
        positive : label, optional
            Which label is the positive one.

        Examples
        --------
        >>> import baserate as br
        >>> br.Curve.from_scores(["ok", "fraud", "ok"], [-2.0, 0.7, 0.1], positive="fraud")
        Curve(1 pos, 2 neg, prevalence 1 in 3)
        """
        if weight is None and positive is None and (read := rows.read(y_true, y_score)) is not None:
            return cls._of(read)
        scores = checks.numbers(y_score, "y_score")
        is_positive = checks.labels(y_true, positive)
        checks.same_length(is_positive, "y_true", scores, "y_score")
        if weight is None:
            return cls._of(rows.counted_or_split(scores, is_positive))
        return cls._of(count_weighted_rows(scores, is_positive, checks.weights(weight, len(scores))))

    @classmethod
    @checks.declared
    def from_counts(
        cls,
        score: ArrayLike,
        pos: ArrayLike,
        neg: ArrayLike,
        *,
        top: ArrayLike | None = None,
        pos_squares: ArrayLike | None = None,
        neg_squares: ArrayLike | None = None,
    ) -> "Curve":
        """Make a curve of counts by score, such as ``GROUP BY score`` returns them, in any order.

        Parameters
        ----------
        score : column
            Scores; counts of repeated scores are added.
        pos, neg : column
            Numbers of positives and negatives at each score.
        top : column, optional
            For buckets, the highest score in each; `score` is the lowest. Both must occur in the data. Overlapping
            buckets become one.
        pos_squares, neg_squares : column, optional
            Sums of squared weights. With both, `pos` and `neg` are sums of weights and may be fractions.

        Examples
        --------
        >>> import baserate as br
        >>> br.Curve.from_counts(score=[0.2, 0.9], pos=[10, 40], neg=[900, 50])
        Curve(50 pos, 950 neg, prevalence 1 in 20)
        """
        if (pos_squares is None) != (neg_squares is None):
            raise InputError("pos_squares and neg_squares must come together, got one of them; pass both or neither.")
        read: Callable[[object, str], Counts] = checks.counts if pos_squares is None else checks.amounts
        scores = checks.numbers(score, "score")
        columns = {"pos": read(pos, "pos"), "neg": read(neg, "neg")}
        if pos_squares is not None:
            columns["pos_squares"] = checks.amounts(pos_squares, "pos_squares", largest=1e200)
            columns["neg_squares"] = checks.amounts(neg_squares, "neg_squares", largest=1e200)
        if top is not None:
            columns["top"] = checks.not_below(checks.numbers(top, "top"), "top", scores, "score")
        for name, column in columns.items():
            checks.same_length(scores, "score", column, name)
        return cls._of(merge_counts(Counted(scores, **columns)))

    @classmethod
    @checks.declared
    def from_rates(
        cls,
        tpr: ArrayLike,
        fpr: ArrayLike,
        *,
        prevalence: Prevalence | None = None,
        n_pos: float | None = None,
        n_neg: float | None = None,
    ) -> "Curve":
        """Make a curve of the points of a ROC curve, for example from a paper.

        Such a curve has no scores, so it has no thresholds and cannot be added to another.

        Parameters
        ----------
        tpr, fpr : column
            The points, from the highest threshold to the lowest. The ends (0, 0) and (1, 1) are added if they are
            missing.
        prevalence : float or odds, optional
            The prevalence to read it at. Without it and without class sizes, only metrics that do not depend on the
            prevalence are available.
        n_pos, n_neg : float, optional
            Numbers of positives and negatives behind the rates, for the few metrics that count cases.

        Examples
        --------
        >>> import baserate as br
        >>> curve = br.Curve.from_rates(tpr=[0.6, 0.9], fpr=[0.01, 0.2])
        >>> round(br.roc_auc(curve), 4)
        0.9055
        >>> round(br.auc_pr(curve.at_prevalence(0.001)), 4)
        0.0374
        """
        tpr_column, fpr_column = checks.rates(tpr, "tpr"), checks.rates(fpr, "fpr")
        checks.same_length(tpr_column, "tpr", fpr_column, "fpr")
        given = None if prevalence is None else checks.prevalence(prevalence)
        return cls(RateTable(tpr_column, fpr_column), checks.class_sizes(n_pos, n_neg), given)

    @classmethod
    @checks.declared
    def from_sampled(
        cls,
        label: ArrayLike,
        score: ArrayLike,
        *,
        rule: str | None = None,
        stratum: ArrayLike | None = None,
        inclusion: ArrayLike | None = None,
        positive: Label | None = None,
    ) -> "Curve":
        """Count scored rows of which only some were sampled for labelling.

        Within a stratum the labelled rows must be a random sample of all its rows. Each of them stands for as many rows
        as its stratum has for each label. Metrics are estimates, and `estimate` knows how sure they are.

        Parameters
        ----------
        label, score : column
            Of all scored rows. A label is missing (None or nan) where it is unknown.
        rule, stratum, inclusion : str, column or column
            How rows were sampled, said in one of three ways: as a rule for scores such as "all >= 0.9, else 0.5 %"
            ("else none" if nothing else was labelled), as the stratum of each row, or as the probability of each row
            to be labelled, of few different values. A share that the counts contradict is refused.
        positive : label, optional
            Which label is the positive one.

        Examples
        --------
        >>> import baserate as br
        >>> label = [1, 0, None, None, 0, 1, None, None, None, 0]
        >>> score = [0.95, 0.91, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
        >>> curve = br.Curve.from_sampled(label, score, rule="all >= 0.9, else 40 %")
        >>> curve
        Curve(3.66667 pos, 6.33333 neg, prevalence 1 in 2.727, 5 of 10 rows labelled in 2 strata)
        >>> round(br.recall(curve.at_threshold(0.9)), 4)
        0.2727
        """
        return cls._of_strata(strata_of(label, score, positive, rule=rule, stratum=stratum, inclusion=inclusion))

    @classmethod
    def _of_strata(cls, strata: Iterable[Stratum], given: float | None = None) -> "Curve":
        """A curve of strata; if all their rows are labelled, strata do not matter."""
        kept = merged(strata)
        if not any(one.n_unlabelled for one in kept):
            whole = [one.labelled for one in kept]
            return cls._of(merge_counts(joined(whole)) if whole else no_rows(), given)
        table = SampledTable(kept)
        return cls(table, (table.total_pos, table.total_neg), given)

    @classmethod
    def _of(
        cls, data: Counted | ScoredRows, given: float | None = None, unlabelled: int = 0, source: Source | None = None
    ) -> "Curve":
        table = RowTable(data) if isinstance(data, ScoredRows) else CountTable(data)
        return cls(table, (table.total_pos, table.total_neg), given, unlabelled, source)

    # --- reading it -------------------------------------------------------------------------------

    def at_prevalence(self, prevalence: Prevalence) -> "Curve":
        """Read the curve at another prevalence: a share, or a text such as "1 in 1,000" or "1:999".

        The result is exact if the scores within each class stay as they are and only the mix of the classes changes.

        Examples
        --------
        >>> import baserate as br
        >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
        >>> curve.at_prevalence(0.001).prevalence
        0.001
        >>> curve.at_prevalence("1:999").prevalence
        0.001
        """
        return replace(self, _given=checks.prevalence(prevalence))

    def shift_scores(self, prevalence: Prevalence, *, from_prevalence: Prevalence | None = None) -> "Curve":
        """Adjust the scores, which must be probabilities, to another prevalence, as `adjust` does.

        Only scores change. The prevalence of the curve stays, so a model with adjusted scores at a prevalence is
        ``curve.at_prevalence(eta).shift_scores(eta)``. Ranks stay, and with them all metrics that depend on ranks
        alone; scores that become equal are tied.

        Parameters
        ----------
        prevalence : float or str
            The prevalence to adjust to.
        from_prevalence : float or str, optional
            The prevalence at which the scores are calibrated; by default the share of positives in the curve's rows.

        Examples
        --------
        >>> import baserate as br
        >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[20, 90], neg=[80, 10])
        >>> rare = curve.at_prevalence(0.01).shift_scores(0.01)
        >>> rare.score.round(4)
        array([0.0692, 0.0021])
        >>> br.roc_auc(rare) == br.roc_auc(curve)
        True
        """
        self._check_not_sampled("shift_scores")
        counted = self._counted("scores")
        check_probabilities(self, "shift_scores")
        before, after = self._where_right(from_prevalence), checks.prevalence(prevalence)

        def moved(scores: FloatArray) -> FloatArray:
            return shifted(scores, 1 - scores, before, after).share

        top = None if counted.top is None else moved(counted.top)
        merged = merge_counts(counted._replace(score=moved(counted.score), top=top))
        return Curve._of(merged, self._given, self.unlabelled, self.source)

    def _where_right(self, from_prevalence: Prevalence | None) -> float:
        """The prevalence at which the scores are calibrated."""
        if from_prevalence is not None:
            return checks.prevalence(from_prevalence, "from_prevalence")
        if self.missing_class:
            raise MissingInformationError(
                f"the prevalence at which the scores are calibrated is unknown, because {self.missing_class.sentence}; "
                f"pass from_prevalence=."
            )
        return checks.prevalence(self.own_prevalence)

    # --- adding -----------------------------------------------------------------------------------

    @classmethod
    @checks.declared
    def pool(cls, curves: "Iterable[Curve]") -> "Curve":
        """Pool curves of different rows, as ``sum(curves)`` does, in one step.

        Either all curves are read at their own prevalence, and the result is, too, or all at the same given one.
        Overlapping buckets of different curves become one.

        Examples
        --------
        >>> import baserate as br
        >>> may = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
        >>> june = br.Curve.from_counts([0.2, 0.8], pos=[5, 25], neg=[400, 20])
        >>> br.Curve.pool([may, june])
        Curve(80 pos, 1,370 neg, prevalence 1 in 18.12)
        """
        pooled = list(curves)
        checks.all_are(pooled, Curve, "curves")
        if not pooled:
            return cls.from_counts([], [], [])
        for other in pooled[1:]:
            if other._given != pooled[0]._given:
                raise InputError(
                    f"curves can be added if all are read at their own prevalence or all at the same given one, got "
                    f"{pooled[0]!r} and {other!r}; add them first and call at_prevalence on the sum."
                )
        source = pooled_source(curve.source for curve in pooled)
        if any(curve.sampled for curve in pooled):
            added = cls._of_strata((one for curve in pooled for one in curve.strata), pooled[0]._given)
            return replace(added, source=source)
        wanted = ["score", "pos", "neg"]
        wanted += ["pos_squares", "neg_squares"] * any(curve.weighted for curve in pooled)
        wanted += ["top"] * any(curve.bucketed for curve in pooled)
        columns = {name: np.concatenate([getattr(curve, name) for curve in pooled]) for name in wanted}
        unlabelled = sum(curve.unlabelled for curve in pooled)
        return cls._of(merge_counts(Counted(**columns)), pooled[0]._given, unlabelled, source)

    def __add__(self, other: "Curve") -> "Curve":
        return Curve.pool([self, other]) if isinstance(other, Curve) else NotImplemented

    def __radd__(self, other: int) -> "Curve":
        """Let ``sum`` start from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Curve):
            return NotImplemented
        if (self._n, self._given, self.unlabelled) != (other._n, other._given, other.unlabelled):
            return False
        mine, theirs = self._saved().columns, other._saved().columns
        return mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]  # arrays have no cheap hash

    # --- keeping ----------------------------------------------------------------------------------

    @checks.declared
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the curve to a file that `load` reads back: plain arrays in a zip, no pickle.

        Examples
        --------
        >>> import baserate as br, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "may.curve"
        >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
        >>> curve.save(path)
        >>> br.Curve.load(path) == curve
        True
        """
        saving.write(path, self._saved())

    @classmethod
    @checks.declared
    def load(cls, path: str | os.PathLike[str]) -> "Curve":
        """Read a saved curve; a damaged or foreign file is refused."""
        columns, facts = saving.read(path)
        try:
            if "tpr" in columns:
                return cls.from_rates(**columns, **facts)  # type: ignore[arg-type]  # it checks them
            source = saving.source_from(facts.get("source"))
            if "stratum" in columns:
                curve = replace(cls._of_strata(strata_from(columns, facts)), source=source)
            else:
                unlabelled = int(checks.counts([facts.get("unlabelled", 0)], "unlabelled")[0])
                curve = replace(cls.from_counts(**columns), unlabelled=unlabelled, source=source)
            given = facts["prevalence"]
            return curve if given is None else curve.at_prevalence(given)
        except (InputError, TypeError, KeyError) as error:
            raise CurveFileError(
                f"a saved curve must have the columns of a curve, got {os.fspath(path)!r} with others ({error}); "
                f"save it again."
            ) from None

    def _saved(self) -> saving.Saved:
        table = self.table
        if isinstance(table, RateTable):
            columns: dict[str, Counts] = {"tpr": table.tpr, "fpr": table.fpr}
            return saving.Saved(columns, {"prevalence": self._given, "n_pos": self._n[0], "n_neg": self._n[1]})
        facts: dict[str, saving.Fact] = {"prevalence": self._given}
        if isinstance(table, SampledTable):
            columns, facts["strata"] = columns_of(table.strata), json.dumps([one.name for one in table.strata])
        else:
            counted, facts["unlabelled"] = self._counted("counts"), self.unlabelled
            columns = {name: column for name, column in counted._asdict().items() if column is not None}
        if self.source is not None:
            facts["source"] = json.dumps(self.source.to_dict())
        return saving.Saved(columns, facts)

    # --- showing ----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        kind = "" if self.has_scores else f"{len(self):,} points of a ROC curve, "
        if isinstance(self.table, SampledTable):
            sizes = "prevalence unknown" if self.not_labelled and self._given is None else self._sizes()
            return f"Curve({sizes}, {self.table.said})"
        remarks = ", weighted" * self.weighted + f", {len(self):,} buckets" * self.bucketed
        remarks += f", {self.unlabelled:,} row{'s' * (self.unlabelled > 1)} unlabelled" if self.unlabelled else ""
        return f"Curve({kind}{self._sizes()}{remarks})"

    def _repr_html_(self) -> str:
        if self.missing_class:
            return notebook.card(repr(self), [("undefined", self.missing_class.sentence)], [])
        rates = self.rates
        pictures = [("ROC", np.append(0.0, rates.fpr), np.append(0.0, rates.tpr))]
        facts = [("thresholds", f"{len(self):,}")]
        if self.has_scores:
            facts.append(("scores", f"{self.score[-1]:.4g} to {self.top[0]:.4g}"))
        if self._given is not None or self.own_prevalence is not None:
            precision = pointwise.precision(self.confusion_as_read)
            pictures.append((f"precision–recall at {one_in(self.prevalence)}", rates.tpr, precision))
        return notebook.card(repr(self), facts, pictures)
