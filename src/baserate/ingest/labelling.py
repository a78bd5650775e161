"""Why rows have no label: how rows were sampled for labelling, or what else is known of them."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from baserate import checks
from baserate.curves.sampling import Clause, parse
from baserate.errors import InputError

# Why rows have no label: whatever their class and score, or because their labels come later.
Missing = Literal["random", "later"]


class Labelling(NamedTuple):
    """How rows were sampled for labelling, said in one of three ways, or why others have no label."""

    clauses: tuple[Clause, ...] = ()
    stratum: str | None = None
    inclusion: str | None = None
    missing: Missing | None = None

    @classmethod
    def said(
        cls, sampled: str | None, stratum: str | None, inclusion: str | None, missing: Missing | None
    ) -> "Labelling":
        """Check that at most one of them is given."""
        said = {"sampled": sampled, "stratum": stratum, "inclusion": inclusion, "missing": missing}
        given = [f"{name}=" for name, value in said.items() if value is not None]
        if len(given) > 1:
            raise InputError(
                f"why rows have no label must be said once, got {' and '.join(given)}; pass one of sampled=, stratum=, "
                f"inclusion= and missing=."
            )
        if missing is not None:
            checks.one_of(missing, ("random", "later"), "missing")
        return cls(() if sampled is None else parse(sampled), stratum, inclusion, missing)

    def check_fits(self, label: str | None, scores: Sequence[str], weight: str | None) -> None:
        """Refuse what goes without labels or weights, or with one score only."""
        if label is None and self != NOTHING_SAID:
            raise InputError("rows were sampled for a label, got label=None; name the column of labels.")
        if self.sampled and weight is not None:
            raise InputError(f"rows are weighted or sampled for labelling, got both, weight={weight!r}; leave out one.")
        if self.clauses and len(scores) > 1:
            raise InputError(
                f"sampled= is a rule for one score, got {len(scores)} scores; name the column of strata with stratum=."
            )

    @property
    def sampled(self) -> bool:
        """Whether rows were sampled for labelling."""
        return bool(self.clauses) or self.column is not None

    @property
    def column(self) -> str | None:
        """The column that says how each row was sampled."""
        return self.stratum if self.inclusion is None else self.inclusion


NOTHING_SAID = Labelling()


def unsaid(unlabelled: int, rows: int) -> InputError:
    """The exception for rows without a label, if the caller has not said why they have none."""
    return InputError(
        f"why rows have no label must be said, got {unlabelled:,} of {rows:,} rows without one; say how rows were "
        f"sampled for labelling with sampled=, stratum= or inclusion=, or pass missing='random' if labels are missing "
        f"whatever the class and the score, or missing='later' (to monitor, matures='60d') if they are still to come."
    )
