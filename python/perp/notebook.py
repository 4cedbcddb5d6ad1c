# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""How worlds and recordings show themselves in a notebook: the viewer in a frame, without a network; a table where it is missing."""
from __future__ import annotations

import html
import os
import shutil
import subprocess
import tempfile
from typing import Any, Optional

from .errors import PerpError


def program() -> Optional[str]:
    """The program perp: $PERP_PROGRAM, or the one on the path, or that of the build that this package came from."""
    here = os.path.dirname(os.path.abspath(__file__))
    near = os.path.join(here, "..", "..", "release", "cli", "perp")
    for p in (os.environ.get("PERP_PROGRAM"), shutil.which("perp"), near):
        if p and os.access(p, os.X_OK):
            return os.path.abspath(p)
    return None


def _frame(page: str, title: str, height: int) -> str:
    return f'<iframe srcdoc="{html.escape(page, quote=True)}" width="100%" height="{height}" style="border:0" title="{title}"></iframe>'


def _still(w: Any) -> Optional[str]:
    """The viewer with a recording of one frame: the world as it stands. None: without the viewer, or if the world cannot be written."""
    from .recording import Recorder

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "world.h5")
        try:
            with w.clone() as copy:
                Recorder(copy, path).close()
        except PerpError:
            return None
        return viewer_page(path)


def world_html(w: Any, height: int = 360) -> str:
    """The viewer in a frame, with the world as it stands, and a table of its bodies."""
    if w._w is None:
        return "<p>perp.World, closed</p>"
    page = _still(w)
    frame = "" if page is None else _frame(page, "perp.World", height)
    rows = "".join(f"<tr><td>{html.escape(b.name or str(b.index))}</td><td>{b.kind}</td><td>{', '.join(f'{x:.4g}' for x in b.position)}</td></tr>"
                   for b in w.bodies[:50])
    return f"<p>perp.World {w.dim}D, t = {w.time:g}</p>{frame}<table><tr><th>body</th><th>kind</th><th>position</th></tr>{rows}</table>"


def viewer_page(path: str) -> Optional[str]:
    """One HTML page with the viewer and a recording in it; None if the program or its page is missing."""
    perp = program()
    if perp is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "view.html")
        done = subprocess.run([perp, "view", "--export", page, path], capture_output=True, text=True)
        if done.returncode != 0 or not os.path.exists(page):
            return None
        with open(page, encoding="utf-8") as f:
            return f.read()


def recording_html(r: Any, height: int = 480) -> str:
    """The viewer in a frame, with the recording in it."""
    page = viewer_page(r.path)
    head = f"perp.Recording {html.escape(r.path)}, {r.frames} frames, {len(r.bodies)} bodies, t = {r.t0:g} to {r.t1:g}"
    if page is None:
        return f"<p>{head}</p><p>The viewer is not shown: the program perp, or its page, was not built.</p>"
    return _frame(page, head, height)
