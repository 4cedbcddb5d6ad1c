# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Plots of recordings by matplotlib, in the colours of `perp plot`."""
from __future__ import annotations

import importlib
from typing import Any, Optional, Sequence

import numpy as np

from .recording import Recording

#: Colours of lines, in their order: those of `perp plot` on a light page.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#808080")
#: Colours of contact states: those of the viewer.
STATES = {"separating": "#8a949f", "sticking": "#0072b2", "sliding": "#d55e00"}


def style() -> dict[str, Any]:
    """Settings of matplotlib (rcParams) in perp's style."""
    matplotlib = importlib.import_module("matplotlib")
    return {"axes.prop_cycle": matplotlib.cycler(color=COLOURS), "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6,
            "axes.spines.top": False, "axes.spines.right": False, "font.family": ["Liberation Sans", "DejaVu Sans", "sans-serif"], "lines.linewidth": 1.4,
            "legend.frameon": False, "figure.figsize": (6.4, 3.2), "figure.constrained_layout.use": True}


def _axes(ax: Optional[Any]) -> Any:
    if ax is not None:
        return ax
    plt = importlib.import_module("matplotlib.pyplot")
    with plt.rc_context(style()):
        return plt.subplots()[1]


def series(r: Recording, *names: str, ax: Optional[Any] = None) -> Any:
    """Series of a recording over time. Returns the axes."""
    a = _axes(ax)
    for i, name in enumerate(names):
        a.plot(r.times, r[name], label=name, color=COLOURS[i % len(COLOURS)])
    units = {r.unit(n) for n in names}
    a.set_xlabel("time [T]")
    a.set_ylabel(f"[{units.pop()}]" if len(units) == 1 else "")
    a.legend()
    return a


def energy(r: Recording, ax: Optional[Any] = None) -> Any:
    """Kinetic, gravitational and total energy over time."""
    known: Sequence[str] = [n for n in r.names if n.startswith("energy.")]
    return series(r, *known, ax=ax)


def certificate(r: Recording, ax: Optional[Any] = None) -> Any:
    """Overlap and residuals of the laws over time, on a logarithmic scale."""
    a = _axes(ax)
    for i, name in enumerate(n for n in ("certificate.overlap", "certificate.normal", "certificate.cone", "certificate.dissipation") if n in r.names):
        a.semilogy(r.times, np.maximum(np.abs(r[name]), 1e-20), label=name, color=COLOURS[i])
    a.set_xlabel("time [T]")
    a.legend()
    return a
