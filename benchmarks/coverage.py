"""How often intervals hold what is true, and tests are wrong: simulated where the truth is known.

``python benchmarks/coverage.py`` runs the part of the study that stands for the whole and prints the page, ``--whole``
runs all of it, ``--write docs/coverage.md`` puts the page into the documentation, and ``--quick`` simulates a handful
of settings. What came out is kept, setting by setting, so that a run that was stopped goes on where it was.
"""

import argparse
import time
from pathlib import Path

from coverage_lines import Scope, Setting
from coverage_page import page
from coverage_running import Kept, Run, made_by, settings, study

KEPT = Path(__file__).parent / ".coverage"
QUICK = [
    Setting("areas", "weak", 5, 100),
    Setting("chosen", "strong", 5, 100),
    Setting("given", "weak", 5, 100),
    Setting("differences", "equal", 20, 1_000, "correlation 0.5"),
    Setting("clusters", "shared effect", 300, 1_700, "20 clusters"),
    Setting("blame", "continuous", 100, 900),
]
QUICKLY = 50  # test sets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a handful of settings")
    parser.add_argument("--whole", action="store_true", help="all settings, not a part that stands for them (hours)")
    parser.add_argument("--parts", nargs="*", help="only these parts, such as areas and differences")
    parser.add_argument("--defaults", action="store_true", help="without the methods that nobody gets unasked")
    parser.add_argument("--simulations", type=int, help="test sets for each setting (150; whole: 1,000; quick: 50)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop then, with the page as far as it is")
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="FOLDER", help="where results are kept")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page there, too")
    options = parser.parse_args()
    wanted = QUICK if options.quick else settings(whole=options.whole)
    if options.parts:
        wanted = [setting for setting in wanted if setting.part in options.parts]
    n = options.simulations or (QUICKLY if options.quick else 1_000 if options.whole else 150)
    run = Run(Kept(options.keep / made_by()), options.processes, time.monotonic() + 60 * options.minutes)
    text = page(study(wanted, n, run, Scope(rivals=not options.defaults)), whole=options.whole)
    print(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
