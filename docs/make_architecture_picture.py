"""Draws docs/architecture.svg, the rooms and what they import: ``python docs/make_architecture_picture.py``.

Rooms stand in the order of the contract in pyproject.toml, several in a row where none of them imports another. Arrows
are the imports that the code has; one that follows from others (a to b, b to c, so a to c) is left out.
"""

import ast
import tomllib
from collections.abc import Iterator
from functools import partial
from itertools import permutations
from pathlib import Path

DOCS = Path(__file__).resolve().parent
TARGET = DOCS / "architecture.svg"
PACKAGE = DOCS.parent / "src" / "baserate"
NOT_ROOMS = ("__init__", "__main__")  # the door of the package, and of its command

Imports = set[tuple[str, str]]

WIDTH, ROW, BOX, HIGH, WIDEST = 760, 76, 112, 34, 6
GREY, BLUE = "#777", "#0072b2"


def rooms() -> list[str]:
    """The rooms from top to bottom, as the contract has them."""
    settings = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))
    (layers,) = (each["layers"] for each in settings["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    return [room for room in layers if room not in NOT_ROOMS]


def imported(path: Path) -> Iterator[str]:
    """The modules of the package that a file imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "baserate":
            yield from (f"baserate.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def imports() -> Imports:
    """Which room imports which."""
    known, found = set(rooms()), set()
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        others = {name.split(".")[1] for name in imported(path) if name.startswith("baserate.")}
        found |= {(room, other) for other in others - {room}}
    return {(room, other) for room, other in found if {room, other} <= known}


def reached(room: str, arrows: Imports) -> set[str]:
    """The rooms that can be reached from one."""
    found: set[str] = set()
    ahead = [room]
    while ahead:
        here = ahead.pop()
        new = {other for start, other in arrows if start == here} - found
        found |= new
        ahead += sorted(new)
    return found


def telling(arrows: Imports) -> Imports:
    """The arrows that do not follow from others."""
    return {(room, other) for room, other in arrows if other not in reached(room, arrows - {(room, other)})}


def rows(arrows: Imports) -> list[list[str]]:
    """The rooms in their order, cut into rows within which there is no arrow."""
    cut: list[list[str]] = []
    for room in rooms():
        if not cut or len(cut[-1]) == WIDEST or any((above, room) in arrows for above in cut[-1]):
            cut.append([])
        cut[-1].append(room)
    return cut


def across(row: list[str]) -> dict[str, float]:
    """Where the middles of a row's boxes are."""
    gap = WIDTH / len(row)
    return {room: gap * (k + 0.5) for k, room in enumerate(row)}


def placed(cut: list[list[str]], arrows: Imports) -> dict[str, tuple[float, float]]:
    """Middles of boxes; each row in the order that makes its arrows from the rows above shortest."""
    places: dict[str, tuple[float, float]] = {}
    for k, row in enumerate(cut):
        starts = [(room, places[above][0]) for above, room in sorted(arrows) if above in places and room in row]
        best = min((across(list(order)) for order in permutations(row)), key=partial(length, starts))
        places |= {room: (x, ROW * (k + 0.5)) for room, x in best.items()}
    return places


def length(starts: list[tuple[str, float]], middles: dict[str, float]) -> float:
    """How far arrows lead sideways."""
    return sum(abs(start - middles[room]) for room, start in starts)


def arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    """From the lower edge of one box to the upper edge of another."""
    (x1, y1), (x2, y2) = (start[0], start[1] + HIGH / 2), (end[0], end[1] - HIGH / 2 - 3)
    bend = (y2 - y1) / 2
    return f"<path d='M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}'/>"


def box(room: str, place: tuple[float, float]) -> str:
    """A room with its name; a room of one file has a thin wall."""
    x, y = place
    wall = 1 if (PACKAGE / f"{room}.py").exists() else 2.5
    corner = f"x='{x - BOX / 2:.0f}' y='{y - HIGH / 2:.0f}' width='{BOX}' height='{HIGH}' rx='6'"
    name = f"<text x='{x:.0f}' y='{y + 5:.0f}' text-anchor='middle' fill='#1b1f24'>{room}</text>"
    return f"<rect {corner} fill='#f2f4f6' stroke='{BLUE}' stroke-width='{wall}'/>{name}"


def picture() -> str:
    """The whole SVG."""
    arrows = imports()
    shown = telling(arrows)
    cut = rows(arrows)
    places = placed(cut, shown)
    lines = "\n".join(arrow(places[room], places[other]) for room, other in sorted(shown))
    boxes = "\n".join(box(room, places[room]) for room in rooms())
    height = ROW * len(cut)
    return f"""<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' \
font-family='sans-serif' font-size='15'>
<title>The rooms of baserate: upper ones import lower ones</title>
<defs><marker id='tip' viewBox='0 0 8 8' refX='6' refY='4' markerWidth='7' markerHeight='7' orient='auto'>\
<path d='M0 0L8 4L0 8z' fill='{GREY}'/></marker></defs>
<g fill='none' stroke='{GREY}' stroke-width='1.2' marker-end='url(#tip)'>
{lines}
</g>
{boxes}
</svg>
"""


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
