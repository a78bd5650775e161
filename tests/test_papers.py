"""The published experiments agree with what was printed, in their small versions, and the pages tell what came out."""

import re
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from helpers.scripts import script

ROOT = Path(__file__).parents[1]
PAPERS, PAGES = ROOT / "papers", ROOT / "docs" / "papers"
gallery = script(PAPERS / "gallery.py")
experiment = sys.modules["experiment"]


@pytest.mark.slow
@pytest.mark.parametrize("name", gallery.names())
def test_every_row_is_within_its_tolerance(name):
    try:
        done = gallery.run(name, gallery.Setup(quick=True))
    except gallery.MissingDataError as missing:
        pytest.skip(str(missing))
    assert done.findings
    assert done.failing == []
    assert done.figure.axes


def test_every_module_named_after_a_paper_is_run():
    modules = {path.stem for path in PAPERS.glob("*_*.py")}
    assert {name for name in modules if name.split("_")[0] in gallery.PAPERS} == set(gallery.names())


def made_up(*findings):
    return gallery.Ran(
        "boyd_fig_1", experiment.Experiment("A title – of it", "Boyd, Fig. 0", "A story.", findings, Figure())
    )


FINDINGS = (
    experiment.Number("as printed", 0.25, 0.2512, 0.005),
    experiment.Number("by hand", 0.1234567891, 0.1234567892, 5e-10, "theorem 0", printed=False),
    experiment.Number("too far off", 0.25, 0.26, 0.005),
    experiment.Shape("it rises", "by 2", True),
    experiment.Difference("another area", "0.3", "0.4", True, "other data"),
    experiment.Difference("what we say of it is wrong", "0.3", "0.3", False, "other data"),
)


def test_rows_say_what_was_printed_and_what_is_made_of_it():
    assert list(map(gallery.row, FINDINGS)) == [
        ["as printed", "0.25", "0.2512", "+0.001", "0.005", "agrees", ""],
        ["by hand", "(0.1234567891)", "0.1234567892", "+1e-10", "5e-10", "agrees", "theorem 0"],
        ["too far off", "0.25", "0.26", "+0.01", "0.005", "**no**", ""],
        ["it rises", "", "by 2", "", "", "agrees", ""],
        ["another area", "0.3", "0.4", "", "", "differs", "other data"],
        ["what we say of it is wrong", "0.3", "0.3", "", "", "**no**", "other data"],
    ]


def test_what_differs_is_counted_apart():
    done = made_up(*FINDINGS).experiment
    assert (done.n_agree, len(done.compared), done.n_differ) == (3, 4, 2)
    assert [finding.what for finding in done.failing] == ["too far off", "what we say of it is wrong"]


def test_pages_have_a_section_for_each_experiment_and_the_first_page_leads_there(tmp_path):
    missing = gallery.Ran("brabec_fig_6", None, "the data is not here.")
    gallery.write(tmp_path, [made_up(*FINDINGS), missing])
    assert {path.name for path in tmp_path.iterdir()} == {"boyd_fig_1.png", "index.md"} | {
        f"{paper}.md" for paper in gallery.PAPERS
    }
    page = (tmp_path / "boyd.md").read_text()
    assert "## A title – of it\n\n*Boyd, Fig. 0.* A story.\n\n![A title – of it](boyd_fig_1.png)\n\n| what |" in page
    assert "## brabec_fig_6\n\nNot run: the data is not here." in (tmp_path / "brabec.md").read_text()
    index = (tmp_path / "index.md").read_text()
    assert "| [A title – of it](boyd.md#a-title-of-it) | Boyd, Fig. 0 | 3 of 4 | 2 |" in index
    assert "| [brabec_fig_6](brabec.md#brabec_fig_6) | not run: the data is not here. |" in index


def test_the_pages_that_are_here_have_every_experiment_in_order_and_none_that_fails():
    text = "".join((PAGES / f"{paper}.md").read_text() for paper in gallery.PAPERS)
    assert re.findall(r"\]\((\w+)\.png\)", text) == gallery.names()
    assert "**no**" not in text


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["gallery.py", *arguments])
    with pytest.raises(SystemExit) as left:
        gallery.main()
    return left.value.code


@pytest.mark.parametrize("part", ["--quick", "boyd_fig_1"])
def test_part_of_a_run_does_not_replace_whole_pages(part, tmp_path, monkeypatch, capsys):
    assert call(monkeypatch, part, "--write", str(tmp_path)) == 2
    assert "--write makes whole pages of a full run" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def no_data(name, setup):
    raise gallery.MissingDataError("the data is not here.")


def test_what_cannot_be_run_is_left_as_it_was(tmp_path, monkeypatch):
    gallery.write(tmp_path, [made_up(*FINDINGS), gallery.Ran("boyd_fig_2", None, "not yet.")])
    before = (tmp_path / "boyd.md").read_text()
    monkeypatch.setattr(gallery, "run", no_data)
    assert not call(monkeypatch, "--write", str(tmp_path))
    assert (tmp_path / "boyd.md").read_text().startswith(before.replace("not yet.", "the data is not here."))
    index = (tmp_path / "index.md").read_text()
    assert "| [A title – of it](boyd.md#a-title-of-it) | Boyd, Fig. 0 | 3 of 4 | 2 |" in index
    assert "| [boyd_fig_2](boyd.md#boyd_fig_2) | not run: the data is not here. |" in index


def test_a_file_that_is_not_there_is_named():
    nowhere = Path("/nowhere/payments.csv")
    with pytest.raises(gallery.MissingDataError, match=re.escape(str(nowhere))):
        gallery.run("brabec_fig_6", gallery.Setup(quick=True, creditcard=nowhere))
