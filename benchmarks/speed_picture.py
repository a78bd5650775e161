"""Time over rows, both on logarithmic scales, as an SVG without any plotting library."""

import math
from collections.abc import Collection, Mapping

WIDTH, HEIGHT, LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT = 760, 380, 64, 24, 480, 296
GREY = "#777"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
_UNITS = {-6: "1 µs", -5: "10 µs", -4: "0.1 ms", -3: "1 ms", -2: "10 ms", -1: "0.1 s", 0: "1 s", 1: "10 s", 2: "100 s"}

Lines = Mapping[str, Mapping[int, float]]  # by program: seconds by number of rows


def picture(lines: Lines, limits: Collection[str], title: str) -> str:
    """One line per program, named at its right end; limits are grey and dashed."""
    rows = sorted({n for line in lines.values() for n in line})
    seconds = [t for line in lines.values() for t in line.values()]
    bottom, top = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))

    def across(n: float) -> float:
        return LEFT + PLOT_WIDTH * math.log(n / rows[0]) / max(math.log(rows[-1] / rows[0]), 1e-9)

    def up(t: float) -> float:
        return TOP + PLOT_HEIGHT * (top - math.log10(t)) / (top - bottom)

    parts = [f"<rect x='{LEFT}' y='{TOP}' width='{PLOT_WIDTH}' height='{PLOT_HEIGHT}' fill='none' stroke='{GREY}'/>"]
    for power in range(bottom, top + 1):
        y = up(10.0**power)
        ends = f"x1='{LEFT}' x2='{LEFT + PLOT_WIDTH}' y1='{y:.1f}' y2='{y:.1f}'"
        parts.append(f"<line {ends} stroke='{GREY}' stroke-opacity='.25'/>")
        parts.append(_text(LEFT - 8, y + 4, _UNITS.get(power, f"1e{power} s"), "end"))
    parts += [_text(across(n), TOP + PLOT_HEIGHT + 22, f"{n:,}") for n in rows]
    parts.append(_text(LEFT + PLOT_WIDTH / 2, HEIGHT - 14, "rows"))
    places = _apart({name: up(line[max(line)]) for name, line in lines.items()})
    colours = dict(zip((name for name in lines if name not in limits), COLOURS, strict=False))
    for name, line in lines.items():
        colour = colours.get(name, GREY)
        points = " ".join(f"{across(n):.1f},{up(t):.1f}" for n, t in sorted(line.items()))
        dashed = " stroke-dasharray='5 4'" if name in limits else ""
        parts.append(f"<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='2.5'{dashed}/>")
        parts += [f"<circle cx='{across(n):.1f}' cy='{up(t):.1f}' r='3' fill='{colour}'/>" for n, t in line.items()]
        parts.append(_text(LEFT + PLOT_WIDTH + 10, places[name] + 4, name, "start", colour))
    style = "font-family='system-ui, sans-serif' font-size='13'"
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' role='img' {style}>"
    return "\n".join([head, f"<title>{title}</title>", *parts, "</svg>", ""])


def _text(x: float, y: float, words: str, anchor: str = "middle", colour: str = GREY) -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='{colour}'>{words}</text>"


def _apart(heights: Mapping[str, float], gap: float = 16.0) -> dict[str, float]:
    """Heights of labels near these, in the same order, none closer to another than the gap."""
    placed: dict[str, float] = {}
    lowest = -math.inf
    for name, height in sorted(heights.items(), key=lambda item: item[1]):
        lowest = max(height, lowest + gap)
        placed[name] = lowest
    return placed
