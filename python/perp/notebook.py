# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""How worlds and recordings show themselves in a notebook."""
from __future__ import annotations

import html
from typing import Any


def world_html(w: Any) -> str:
    """A table of the bodies of a world."""
    if w._w is None:
        return "<p>perp.World, closed</p>"
    rows = "".join(f"<tr><td>{html.escape(b.name or str(b.index))}</td><td>{b.kind}</td><td>{', '.join(f'{x:.4g}' for x in b.position)}</td></tr>"
                   for b in w.bodies[:50])
    return f"<p>perp.World {w.dim}D, t = {w.time:g}</p><table><tr><th>body</th><th>kind</th><th>position</th></tr>{rows}</table>"
