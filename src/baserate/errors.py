"""The exceptions that baserate raises, and the reasons why a number does not exist.

An error is one sentence: the rule, what was passed, what to do. An undefined number is ``nan``, with a `Reason` that
programs can read.
"""

from enum import StrEnum
from unicodedata import category

__all__ = [
    "BaserateError",
    "CurveFileError",
    "DataFileError",
    "FewerBinsWarning",
    "InputError",
    "MissingInformationError",
    "NoSuchPointError",
    "PrecisionWarning",
    "Reason",
    "UndefinedMetricWarning",
    "UnlabelledWarning",
]

# Characters that a terminal obeys instead of showing them: controls, overrides of direction, halves of a pair, ends of
# a line. Joiners are letters to some scripts, and isolates keep names of either direction apart.
_OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_HARMLESS = "\u200c\u200d\u2068\u2069"

_LONGEST = 1000  # characters of a message


def printable(text: str) -> str:
    """Text that is safe to print: control characters are written as escapes, as Python writes them."""
    if text.isprintable():
        return text
    return "".join(_escaped(c) if category(c) in _OBEYED and c not in _HARMLESS else c for c in text)


def cut(text: str, most: int = 60) -> str:
    """The beginning of a text, if it is longer than fits in a sentence."""
    return text if len(text) <= most else f"{text[:most]}…"


def shown(value: object, most: int = 60) -> str:
    """A value as Python writes it, on one line, and only its beginning if that is long."""
    try:
        return cut(" ".join(repr(value).split()), most)
    except ValueError:  # Python does not write whole numbers of more than 4,300 digits
        return f"{type(value).__name__} of too many digits to be shown"


def _of_bearable_length(message: str) -> str:
    """Cut the middle out of a long message: its beginning has the rule, its end says what to do."""
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 3 :]}"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


class BaserateError(Exception):
    """The base class of all errors of baserate.

    Its message is always one line.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(printable(_of_bearable_length(message)))


class InputError(BaserateError, ValueError):
    """The input breaks a rule.

    Examples
    --------
    >>> import baserate as br
    >>> br.Curve.from_scores([0, 1, 2], [0.1, 0.2, 0.3])
    Traceback (most recent call last):
    ...
    baserate.errors.InputError: y_true must hold two classes, 0/1 or -1/1, got 3 different labels: \
0, 1, 2; use one_vs_rest for more than two classes.
    """


class CallError(InputError, TypeError):
    """A call has a parameter that the function does not have, too many arguments, or too few.

    Examples
    --------
    >>> import baserate as br
    >>> br.Curve.from_scores([0, 1], [0.1, 0.9], sample_weight=[1, 2])
    Traceback (most recent call last):
    ...
    baserate.errors.CallError: from_scores has no parameter 'sample_weight'; did you mean 'weight'.
    """


class MissingInformationError(BaserateError):
    """The curve or point does not have the information that is needed.

    Examples
    --------
    >>> import baserate as br
    >>> br.precision(br.Point.from_rates(tpr=0.6, fpr=0.001))
    Traceback (most recent call last):
    ...
    baserate.errors.MissingInformationError: this point was made from rates and has no prevalence; \
read it at one with .at_prevalence(0.01).
    """


class NoSuchPointError(BaserateError, ValueError):
    """No threshold of this curve satisfies the rule.

    Examples
    --------
    >>> import baserate as br
    >>> br.Curve.from_scores([0, 1, 0, 1], [0.9, 0.8, 0.3, 0.2]).at_precision(0.9)
    Traceback (most recent call last):
    ...
    baserate.errors.NoSuchPointError: no threshold has precision >= 0.9 at prevalence 1 in 2; the \
highest is 0.5, at threshold 0.8.
    """


class CurveFileError(BaserateError, ValueError):
    """The file is damaged, or not a saved curve, or from a later version."""


class DataFileError(BaserateError, ValueError):
    """A file of labels and scores is missing, empty, damaged, or of a kind that is not read.

    Examples
    --------
    >>> import baserate as br
    >>> br.curve("scores.parquet", label="y", score="p")
    Traceback (most recent call last):
    ...
    baserate.errors.DataFileError: file not found: 'scores.parquet'; check the path.
    """


class UndefinedMetricWarning(UserWarning):
    """A metric is ``nan``; `reason` says why, for programs.

    Examples
    --------
    >>> import warnings, baserate as br
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     br.average_precision(br.Curve.from_scores([0, 0], [0.1, 0.2]))
    nan
    >>> caught[0].message.reason
    <Reason.NO_POSITIVES: 'no_positives'>
    """

    def __init__(self, metric: str, reason: "Reason") -> None:
        self.metric = metric
        self.reason = reason
        super().__init__(f"{metric} is undefined: {reason.sentence}")


class UnlabelledWarning(UserWarning):
    """Rows whose label comes later were left out of a curve; `rows` is their number.

    Examples
    --------
    >>> import warnings, baserate as br, polars as pl
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     table = pl.DataFrame({"y": [0, 1, None], "p": [0.1, 0.4, 0.5]})
    ...     br.curve(table, label="y", score="p", missing="later")
    Curve(1 pos, 1 neg, prevalence 1 in 2, 1 row unlabelled)
    >>> caught[0].message.rows
    1
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        super().__init__(f"{rows:,} row{'s have' if rows > 1 else ' has'} no label yet and will be ignored")


class FewerBinsWarning(UserWarning):
    """There are fewer bins than requested, because ties are longer than a bin.

    Examples
    --------
    >>> import warnings, baserate as br
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     error = br.ece(br.Curve.from_scores([0, 1, 0, 1], [0.2, 0.2, 0.2, 0.9]), bins="equal_frequency(4)")
    >>> caught[0].message.bins
    2
    """

    def __init__(self, asked: int, bins: int) -> None:
        self.asked, self.bins = asked, bins
        super().__init__(f"only {bins} of {asked} bins: equal scores are never split")


class PrecisionWarning(UserWarning):
    """A numerical result is less accurate than promised; the message says by how much."""


class Reason(StrEnum):
    """Why a number does not exist.

    Examples
    --------
    >>> from baserate import Reason
    >>> Reason.NO_ALERTS == "no_alerts"
    True
    >>> Reason.NO_ALERTS.sentence
    'nothing is predicted positive'
    """

    sentence: str

    def __new__(cls, code: str, sentence: str) -> "Reason":
        """A string that also has a sentence."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member

    NO_ROWS = "no_rows", "there are no rows"
    NO_POSITIVES = "no_positives", "there are no positives"
    NO_NEGATIVES = "no_negatives", "there are no negatives"
    NOT_LABELLED = "not_labelled", "some rows could not be labelled, because their stratum has no labels"
    LABELS_CONTRADICTED = "labels_contradicted", "labels with such error rates could not be as they are"
    NOTHING_LEFT = "nothing_left", "once wrong labels are taken away, no rows are left that it is a share of"
    ERRORS_MAY_FOLLOW_SCORE = "errors_may_follow_score", "errors may follow the score, so there are only bounds"
    NO_ALERTS = "no_alerts", "nothing is predicted positive"
    NO_REJECTIONS = "no_rejections", "nothing is predicted negative"
    ONE_PREDICTION = "one_prediction", "every case gets the same prediction"
    FRACTIONAL_COUNTS = "fractional_counts", "it needs whole cases, and the weights add up to fractions"
    EMPTY_RANGE = "empty_range", "no threshold has its recall in the range"
    NOT_A_NUMBER = "not_a_number", "the metric returned nan"
    NO_VARIATION = "no_variation", "the data have no variation, which this method needs; use the default method"
    UNDEFINED_IN_DRAWS = "undefined_in_draws", "it is undefined in many resamples"
    NO_INTERVAL = "no_interval", "no interval with known coverage exists for it"
    INFINITE_LOG_ODDS = "infinite_log_odds", "some scores are exactly 0 or 1, and their log-odds are infinite"
    SEPARATED = "separated", "a threshold separates the classes perfectly: the fitted slope is infinite"
    ONE_SCORE = "one_score", "every case has the same score"
    ONE_CASE = "one_case", "there is only one positive, or only one negative"
    TOO_FEW_BINS = "too_few_bins", "there are too few bins to have a degree of freedom left"
    NOTHING_TO_TEST = "nothing_to_test", "every score is 0, 0.5 or 1, where the test has no variance"
    NOT_TOLD_APART = "not_told_apart", "the scores do not separate the labelled classes"
    TOO_FEW_CLUSTERS = "too_few_clusters", "fewer than five clusters have positives, or negatives"
    TOO_FEW_CASES = "too_few_cases", "there are fewer cases than were asked for"
    TOO_FEW_PERIODS = "too_few_periods", "fewer than three mature periods were looked at as early as this one"
    NO_SUCH_POINT = "no_such_point", "no threshold satisfies the rule"
    TOO_COARSE = "too_coarse", "the stored curve gives only a range for it; watch the threshold to store it exactly"
    ROWS_UNKNOWN = "rows_unknown", "it needs the scores of all models for each row; br.Models keeps them"
