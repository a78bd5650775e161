"""Draws docs/precision-over-prevalence.svg, the picture in the README: ``python docs/make_picture.py``."""

import math
from pathlib import Path

import numpy as np

import baserate as br

TARGET = Path(__file__).with_name("precision-over-prevalence.svg")

# A logistic regression on the ULB credit card test set, at the threshold that finds 80 % of the frauds.
POINT = br.Point.from_counts(tp=118, fp=28, fn=29, tn=85_268)
# Prevalences, what they stand for, where the label begins or ends, and how far that is from the dot.
MARKED = (
    ("1 in 2", "balanced test set", "start", (10, 44)),
    ("1 in 581", "this test set", "start", (12, -4)),
    ("1 in 10,000", "little fraud", "end", (-12, 16)),
    ("1 in 100,000", "hardly any fraud", "start", (-58, -38)),
)

WIDTH, HEIGHT, LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT = 760, 320, 60, 20, 680, 236
RAREST, COMMONEST = 4e-7, 0.5
GREY, BLUE, ORANGE = "#777", "#0072b2", "#d55e00"


def across(prevalence: float) -> float:
    """From the commonest on the left to the rarest on the right, by log-odds."""
    span = [math.log(p / (1 - p)) for p in (COMMONEST, prevalence, RAREST)]
    return LEFT + PLOT_WIDTH * (span[0] - span[1]) / (span[0] - span[2])


def up(share: float) -> float:
    """A share of 1 on top."""
    return TOP + PLOT_HEIGHT * (1 - share)


def text(x: float, y: float, words: str, anchor: str = "middle", colour: str = GREY) -> str:
    """A label."""
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='{colour}'>{words}</text>"


def line(metric: br.results.Sweep, colour: str) -> str:
    """A metric over prevalence."""
    points = " ".join(f"{across(p):.1f},{up(v):.1f}" for p, v in zip(metric.prevalence, metric.value, strict=True))
    return f"<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='2.5'/>"


def picture() -> str:
    """The whole SVG."""
    grid = 1 / (1 + np.exp(np.linspace(0, math.log(1 / RAREST - 1), 200)))
    parts = [f"<rect x='{LEFT}' y='{TOP}' width='{PLOT_WIDTH}' height='{PLOT_HEIGHT}' fill='none' stroke='{GREY}'/>"]
    for share in (0, 0.25, 0.5, 0.75, 1):
        ends = f"x1='{LEFT}' x2='{LEFT + PLOT_WIDTH}' y1='{up(share)}' y2='{up(share)}'"
        parts.append(f"<line {ends} stroke='{GREY}' stroke-opacity='.25'/>")
        parts.append(text(LEFT - 8, up(share) + 6, f"{share:.0%}", "end"))
    below = TOP + PLOT_HEIGHT + 22
    parts += [text(across(10.0**-power), below, f"1 in {10**power:,}") for power in range(1, 7)]
    parts.append(text(LEFT + PLOT_WIDTH / 2, HEIGHT - 10, "prevalence"))
    parts += [line(br.sweep(br.f1, POINT, grid), ORANGE), line(br.sweep(br.precision, POINT, grid), BLUE)]
    for prevalence, name, anchor, (right, lower) in MARKED:
        read = POINT.at_prevalence(prevalence)
        x, y = across(read.prevalence), up(br.precision(read))
        parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='5' fill='{BLUE}'/>")
        parts.append(text(x + right, y + lower, f"{name} {br.precision(read):.2%}", anchor))
    parts.append(text(across(8e-4), up(0.55), "precision", "end", BLUE))
    parts.append(text(across(1.7e-4), up(0.55), "F1", "start", ORANGE))
    style = "font-family='system-ui, sans-serif' font-size='16'"
    title = "<title>Precision and F1 of one model at one threshold fall as positives get rarer</title>"
    body = "\n".join(parts)
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' role='img' {style}>"
    return f"{head}\n{title}\n{body}\n</svg>\n"


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
