"""What was built is what users need: ``python tests/installing.py dist [python ...]``, for make dist and make wheel.

The wheel goes into a bare environment of each Python. There the lines of the README run on a file, the times to import
and to start are taken, and it says whether the kernel is in it. The unpacked sdist, if there is one, is installed
beside it and runs a part of its own tests.
"""

import email
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

TESTS = ("tests/curves", "tests/metrics")
FOR_TESTS = ("hypothesis", "mpmath", "pandas", "polars", "pyarrow", "pytest", "scikit-learn", "sybil")
QUICK = "not slow and not spark and not browser"
ROWS = "COPY (SELECT fraud, new_model AS p FROM 'payments.csv') TO 'scores.parquet'"
RELATIVE = re.compile(r"\]\((?!https://)[^)]*\)")


def description(wheel):
    """The README as a package index will show it."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(files.read(name)).get_payload(decode=True).decode()


def lines_to_try(readme):
    """The lines that the README has for the reader's own file, after the one that installs."""
    return re.search(r"```sh\n(.*?)```", readme, re.DOTALL)[1].splitlines()[1:]


def environment(python, folder, *packages):
    """A new environment with some packages, and the folder of its programs."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    asked = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    subprocess.run(asked, check=True, stderr=subprocess.DEVNULL)
    return programs


def run(programs, folder, line):
    """What a line prints, with the programs of an environment and nothing else of ours."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    settings["PATH"] = f"{programs}{os.pathsep}{settings['PATH']}"
    done = subprocess.run(line, cwd=folder, env=settings, shell=True, check=True, capture_output=True, text=True)
    return done.stdout


def seconds(programs, folder, line, times=9):
    """The shortest time of a line: what else a machine does makes it longer, never shorter."""

    def once(_):
        begun = time.perf_counter()
        run(programs, folder, line)
        return time.perf_counter() - begun

    return min(map(once, range(times)))


def try_wheel(wheel, python):
    """Install the wheel by itself and do what the README says."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        programs = environment(python, folder / "bare", wheel)
        run(programs, folder, "python -m baserate.examples payments > payments.csv")
        run(programs, folder, f'python -c "import duckdb; duckdb.sql(\\"{ROWS}\\")"')
        for line in lines_to_try(description(wheel)):
            print(f"$ {line}\n{run(programs, folder, line)}", end="")
        assert (folder / "report.html").stat().st_size > 50_000
        says = run(programs, folder, 'python -c "import baserate as br; print(br.native.status())"')
        print(f"counts by: {says}", end="")
        assert (says == "compiled\n") == ("-abi3-" in wheel.name)
        (folder / "tiny.csv").write_text("y,p\n1,.5\n0,.4\n1,.8\n0,.1\n")
        tell_times(programs, folder)


def tell_times(programs, folder):
    """How long it takes until something happens."""
    lines = {
        "python -c 'import numpy'": 'python -c "import numpy"',
        "python -c 'import baserate'": 'python -c "import baserate"',
        "baserate --help": "baserate --help",
        "baserate evaluate tiny.csv": "baserate evaluate tiny.csv --label y --score p -q",
    }
    for name, line in lines.items():
        print(f"{seconds(programs, folder, line):6.2f} s  {name}")


def try_sdist(sdist, python):
    """Unpack the sources, install them with what the tests need, and run a part of the tests."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with tarfile.open(sdist) as files:
            files.extractall(folder, filter="data")
        (sources,) = folder.iterdir()
        programs = environment(python, folder / "tests", sources, *FOR_TESTS)
        print(run(programs, sources, f'python -m pytest -q -m "{QUICK}" {" ".join(TESTS)}').splitlines()[-1])


def main():
    """Try what lies in a folder with each Python that is named, or with this one."""
    folder, *pythons = sys.argv[1:]
    (wheel,), sdists = Path(folder).glob("*.whl"), list(Path(folder).glob("*.tar.gz"))
    assert not RELATIVE.findall(description(wheel)), "the description has links that lead nowhere on an index"
    for path in (wheel, *sdists):
        print(f"{path.name}: {path.stat().st_size:,} bytes")
    for python in pythons or [sys.executable]:
        print(f"\n{subprocess.run([python, '--version'], capture_output=True, text=True, check=True).stdout}", end="")
        try_wheel(wheel.resolve(), python)
        for sdist in sdists:
            try_sdist(sdist.resolve(), python)


if __name__ == "__main__":
    main()
