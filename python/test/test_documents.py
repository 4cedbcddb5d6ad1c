# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""The lines of the documents run as they are printed; the notebooks run; plots are drawn."""
import pathlib
import re

import numpy as np
import pytest

import perp
from conftest import ROOT, pile, whole


def pieces(page):
    """Python of a page in its order: blocks, and the code in the last column of numbered rows."""
    out = []
    for block, row in re.findall(r"^```python\n(.*?)^```|^\| \d+ \|([^\n]*)\|$", (ROOT / "docs" / page).read_text(), re.S | re.M):
        if block:
            out.append((block, block.split("\n")[0]))
        else:
            cell = row.split("|")[-1]
            code = re.findall(r"`([^`]+)`", cell)[0]
            out.append((code, code))
    return out


@pytest.mark.parametrize("page, least", [("python-mujoco.md", 53), ("python.md", 7), ("robots.md", 1)])
def test_lines_of_the_documents(page, least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("scenes", "experiments"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    space = {}
    found = pieces(page)
    assert len(found) >= least
    for code, name in found:
        try:
            exec(compile(code, f"docs/{page}: {name}", "exec"), space)
        except Exception as e:
            raise AssertionError(f"docs/{page}: {name}: {type(e).__name__}: {e}") from e


def test_plots(tmp_path):
    matplotlib = pytest.importorskip("matplotlib", reason="there is no matplotlib here")
    matplotlib.use("Agg")
    from perp import plot

    w = pile(4)
    w.body("box0").velocity = (1, 0, 0)
    with perp.Recorder(w, tmp_path / "a.h5"):
        w.run(steps=20)
    r = perp.Recording(tmp_path / "a.h5")
    a = plot.series(r, "box0.x", "box0.z")
    assert len(a.lines) == 2 and np.array_equal(a.lines[0].get_ydata(), r["box0.x"]) and a.get_ylabel() == "[L]"
    assert a.lines[0].get_color() == plot.COLOURS[0]
    assert len(plot.energy(r).lines) >= 3 and len(plot.certificate(r).lines) >= 2
    a.figure.savefig(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 5000


NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))


def test_there_are_four_notebooks():
    assert [p.stem for p in NOTEBOOKS] == ["1-first-steps", "2-friction-in-a-gripper", "3-estimating-friction", "4-a-sweep"]


# each starts a kernel of its own; the others run in `make nightly`
@pytest.mark.parametrize("path", [p if p == NOTEBOOKS[0] else pytest.param(p, marks=whole) for p in NOTEBOOKS], ids=lambda p: p.stem)
def test_notebook(path, tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="there is no nbformat here")
    preprocessors = pytest.importorskip("nbconvert.preprocessors", reason="there is no nbconvert here")
    pytest.importorskip("ipykernel", reason="there is no ipykernel here")
    book = nbformat.read(path, as_version=4)
    assert not any(c.get("outputs") for c in book.cells), "notebooks are kept without outputs"
    book.metadata.pop("kernelspec", None)
    preprocessors.ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(book, {"metadata": {"path": str(tmp_path)}})
    assert all(o.output_type != "error" for c in book.cells for o in c.get("outputs", []))
