"""A fraud detector over eighteen months while frauds get rarer: has the model become worse, or only its task harder?

Siblini, Fréry, He-Guelton, Oblé & Wang, Master Your Metrics with Calibration, IDA 2020, figure 1
(doi:10.1007/978-3-030-44584-3_36), and figure 11 of its long version (arXiv:1909.02827).
"""

from typing import NamedTuple

import drawing
import gaussians
import numpy as np
from experiment import Experiment, Setup, Shape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import baserate as br
from baserate.results.changes import ChangePart

# The long version reads everything at 0.0031, the mean share of frauds in its history.
REFERENCE = 0.0031
# Frauds get rarer, with ups and downs; on average there are 0.0031.
SHARES = np.array([57, 49, 52, 41, 46, 36, 39, 32, 34, 27, 30, 24, 20, 23, 17, 14, 10, 7]) / 10_000
MONTHS = [f"{k + 1}" for k in range(len(SHARES))]
DECAY_FROM = 9
FOUR_ERRORS = "the part of the model is to be within four standard errors of the truth"
STEADY = np.full(len(SHARES), -1.2)
# Where the negatives are: they come nearer to the positives for five months, so that the second model gets worse.
DECAYING = STEADY + 0.16 * np.clip(np.arange(len(SHARES)) - DECAY_FROM + 1, 0, 5)


class Story(NamedTuple):
    """A stream of months, what is seen of it, and what is true."""

    name: str
    table: br.results.GroupTable
    change: br.results.Change
    alarms: br.results.Alarms
    truth: dict[str, gaussians.Floats]
    true_model_part: float


def watch(name: str, means: gaussians.Floats, setup: Setup, seed: int) -> Story:
    rows, draws = (40_000, 200) if setup.quick else (100_000, 1000)
    rng = np.random.default_rng(seed)
    months = {
        month: gaussians.sample(rows, share, mean, rng)
        for month, share, mean in zip(MONTHS, SHARES, means, strict=True)
    }
    metric = br.average_precision
    table = br.by_period(metric, months, prevalence=REFERENCE, min_pos=5, n_resamples=draws, rng=1)
    first, last = (br.Curve.pool(months[month] for month in some) for some in (MONTHS[:3], MONTHS[-3:]))
    change = br.explain_change(metric, first, last, n_resamples=draws, rng=2)
    alarms = br.monitoring.model_alarms(metric, months, reference=3, prevalence=REFERENCE, false_alarm=0.01, rng=3)
    populations = [gaussians.population(mean, 20_000) for mean in means]
    truth = {
        "own": np.array([br.auc_pr(one.at_prevalence(share)) for one, share in zip(populations, SHARES, strict=True)]),
        "common": np.array([br.auc_pr(one.at_prevalence(REFERENCE)) for one in populations]),
    }
    ends = [
        br.auc_pr(populations[k].at_prevalence(share))
        for share in (SHARES[:3].mean(), SHARES[-3:].mean())
        for k in (0, -1)
    ]
    return Story(name, table, change, alarms, truth, (ends[1] - ends[0] + ends[3] - ends[2]) / 2)


def run(setup: Setup) -> Experiment:
    steady = watch("The model stays as it is", STEADY, setup, 1)
    decaying = watch("The model gets worse from month 10", DECAYING, setup, 2)
    return Experiment(
        title="Frauds get rarer: is it the model?",
        source="Siblini et al. 2020, Fig. 1; long version, Fig. 11",
        story=(
            "The authors' data is private, so two streams are simulated in which the truth is known. In both the share "
            "of frauds falls from 0.0057 to 0.0007, and AUC-PR falls with it (orange). Read at 0.0031 (blue, 95 % "
            "intervals; thin lines are the truth) the first model turns out to be as good as ever, and the second one "
            "to get worse, as they were made. `explain_change` splits the fall from the first "
            "to the last three months into the part of the prevalence and that of the model, `model_alarms` says when "
            "one should have noticed (of histories without a change, one in a hundred may have an alarm). At the "
            "bottom right, what reading at one prevalence changes, month by month: it takes away where frauds were "
            "frequent and adds where they were rare."
        ),
        findings=(*shapes_of_steady(steady), *shapes_of_decaying(decaying), *shapes_of_both(steady, decaying)),
        figure=picture(steady, decaying),
    )


def columns(story: Story, which: str) -> tuple[gaussians.Floats, gaussians.Floats, gaussians.Floats]:
    """Values, low and high ends by month."""
    found = [getattr(row, which) for row in story.table.groups]
    value, low, high = (np.array([getattr(one, part) for one in found]) for part in ("value", "low", "high"))
    return value, low, high


def is_near(part: ChangePart, truth: float) -> bool:
    """Whether a part of a change is within the length of its 95 % interval, some four standard errors, of the truth."""
    return abs(part.value - truth) < part.high - part.low


def shapes_of_steady(story: Story) -> list[Shape]:
    change = story.change
    return [
        Shape(
            "steady model: AUC-PR falls with the share of frauds",
            f"from {change.before:.3f} to {change.after:.3f}",
            change.after < change.before,
        ),
        Shape(
            "steady model: the fall is the prevalence's, not the model's",
            f"prevalence {change.prior}, model {change.model}",
            change.prior.high < 0 and is_near(change.model, 0),
            FOUR_ERRORS,
        ),
        Shape("steady model: no alarm", f"first alarm: {story.alarms.first or 'none'}", story.alarms.first is None),
    ]


def shapes_of_decaying(story: Story) -> list[Shape]:
    change, first = story.change, story.alarms.first
    return [
        Shape(
            "decaying model: part of the fall is the model's",
            f"prevalence {change.prior}, model {change.model}; in truth {story.true_model_part:+.3f}",
            change.model.high < 0 and is_near(change.model, story.true_model_part),
            FOUR_ERRORS,
        ),
        Shape(
            "decaying model: read at 0.0031, it has become worse whatever the share",
            f"{columns(story, 'common')[0][:6].mean():.3f} in the first six months, "
            f"{columns(story, 'common')[0][-6:].mean():.3f} in the last six",
            bool(columns(story, "common")[0][-6:].mean() < columns(story, "common")[0][:6].mean() - 0.05),
        ),
        Shape(
            "decaying model: an alarm, and not before it has begun",
            f"decays from month {DECAY_FROM + 1}, alarm in month {first}",
            first is not None and int(str(first)) > DECAY_FROM,
        ),
    ]


def shapes_of_both(*stories: Story) -> list[Shape]:
    values = [(story, which, *columns(story, which)) for story in stories for which in ("own", "common")]
    held = np.concatenate([(low <= story.truth[which]) & (story.truth[which] <= high)
                           for story, which, _, low, high in values])  # fmt: skip
    signs = [
        np.sign(columns(story, "own")[0] - columns(story, "common")[0]) == np.sign(SHARES - REFERENCE)
        for story in stories
    ]
    off = {
        which: np.concatenate([columns(story, which)[0] - story.truth[which] for story in stories])
        for which in ("own", "common")
    }
    errors = {which: values.mean() / (values.std(ddof=1) / np.sqrt(values.size)) for which, values in off.items()}
    return [
        Shape(
            "intervals hold the truth",
            f"{held.sum()} of {held.size}, where 95 % are promised",
            bool(held.mean() > 0.84),
            "limit 84 %, three standard errors below 95 % with 36 independent months",
        ),
        Shape(
            "on average over the months AUC-PR is the truth",
            f"at the month's share {off['own'].mean():+.4f}, {errors['own']:+.1f} standard errors; read at 0.0031 "
            f"{off['common'].mean():+.4f}, {errors['common']:+.1f} standard errors",
            max(abs(error) for error in errors.values()) < 4,
            "limit 4 standard errors of a mean of 36 months",
        ),
        Shape(
            "calibration lowers AUC-PR where frauds are more frequent than the reference, and raises it where rarer",
            f"in {sum(int(one.sum()) for one in signs)} of {sum(one.size for one in signs)} months",
            all(bool(np.all(one)) for one in signs),
        ),
    ]


def picture(steady: Story, decaying: Story) -> Figure:
    figure, axes = drawing.panels(2, 2, width=5.6, height=3.5)
    for ax, story in zip(axes, (steady, decaying), strict=False):
        over_time(ax, story)
    parts(axes[2], steady, decaying)
    for story, colour, words in ((steady, drawing.GREEN, "steady model"), (decaying, drawing.PINK, "decaying model")):
        own, common = columns(story, "own")[0], columns(story, "common")[0]
        axes[3].plot(SHARES * 1000, (own - common) / common, "o", color=colour, label=words)
    axes[3].axhline(0, color=drawing.GREY, linewidth=1)
    axes[3].axvline(REFERENCE * 1000, color=drawing.GREY, linewidth=1)
    drawing.describe(
        axes[3], "Own share against 0.0031", "frauds per thousand in the month", "relative difference of AUC-PR"
    )
    drawing.legend(axes[3], "lower right")
    return figure


def over_time(ax: Axes, story: Story) -> None:
    months = np.arange(1, len(MONTHS) + 1)
    ax.bar(months, SHARES * 100, color="#dddddd", width=0.7, zorder=0)
    for which, colour, words in (
        ("own", drawing.ORANGE, "AUC-PR at the month's share"),
        ("common", drawing.BLUE, "AUC-PR read at 0.0031"),
    ):
        value, low, high = columns(story, which)
        ax.fill_between(months, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.plot(months, value, "o-", color=colour, linewidth=2, markersize=4, label=words)
        ax.plot(months, story.truth[which], color=drawing.INK, linewidth=0.8)
    if story.alarms.first is not None:
        when = int(str(story.alarms.first))
        ax.plot([when], [0.75], "v", color=drawing.INK)
        drawing.label(ax, when, 0.75, "alarm", drawing.INK)
    ax.set_ylim(0, 1)
    ax.set_xticks(months[::2])
    drawing.describe(ax, story.name, "month (bars: share of frauds in percent)")
    drawing.legend(ax, "upper right")


def parts(ax: Axes, *stories: Story) -> None:
    for k, story in enumerate(stories):
        for place, (name, colour) in enumerate(
            (("total", drawing.GREY), ("prior", drawing.ORANGE), ("model", drawing.BLUE))
        ):
            part = getattr(story.change, name)
            x = 4 * k + place
            ax.bar(x, part.value, color=colour, width=0.8)
            ax.plot([x, x], [part.low, part.high], color=drawing.INK, linewidth=1.2)
    ax.axhline(0, color=drawing.GREY, linewidth=1)
    ax.set_xticks(
        [0, 1, 2, 4, 5, 6], ["whole\nchange", "preva-\nlence", "steady\nmodel", "whole\nchange", "preva-\nlence",
                             "decaying\nmodel"],
    )  # fmt: skip
    drawing.describe(ax, "From the first three months to the last three", y="change of AUC-PR")
