# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of Python that the library calls. What they raise is kept, the library is told to stop, and the call that began it raises
it again."""
from __future__ import annotations

import weakref
from typing import Any, Callable

import numpy as np

from ._arrays import numbers
from ._native import ffi
from .errors import ArgumentError

_NAN = float("nan")


class Call:
    """A function and where its exception goes."""

    __slots__ = ("_owner", "f", "dim", "__weakref__")

    def __init__(self, owner: Any, f: Any, dim: Any) -> None:
        self._owner, self.f, self.dim = weakref.ref(owner), f, dim  # the owner keeps this: no circle

    @property
    def owner(self) -> Any:
        """Where `error` is."""
        return self._owner()


def handle(owner: Any, f: Any, dim: Any = 3) -> Any:
    """A handle for the library; lives as long as owner.kept."""
    h = ffi.new_handle(Call(owner, f, dim))
    owner.kept.append(h)
    return h


def _wrench(x: Any, dim: int) -> list[float]:
    a = numbers(x, "force").ravel()
    if a.size == 6:
        return [float(v) for v in a]
    if dim == 2 and a.size in (2, 3):  # force; torque about z
        return [float(a[0]), float(a[1]), 0.0, 0.0, 0.0, float(a[2]) if a.size == 3 else 0.0]
    if a.size == 3:
        return [*(float(v) for v in a), 0.0, 0.0, 0.0]
    raise ArgumentError(f"the force function gave {a.size} numbers; allowed: 3 (2D: 2 or 3) or 6")


@ffi.def_extern()  # type: ignore[misc]
def py_force(w: Any, t: float, out: Any, ctx: Any) -> None:
    call = ffi.from_handle(ctx)
    try:
        x = _wrench(call.f(t), call.dim)
    except BaseException as e:
        call.owner.error = call.owner.error or e
        x = [_NAN] * 6
    out.force, out.torque = tuple(x[:3]), tuple(x[3:])


@ffi.def_extern()  # type: ignore[misc]
def py_motion(t: float, X: Any, ctx: Any) -> None:
    call = ffi.from_handle(ctx)
    try:
        a = numbers(call.f(t), "motion").ravel()
        if call.dim == 2 and a.size == 3:
            a = np.array([a[0], a[1], 0.0, np.cos(a[2] / 2), 0.0, 0.0, np.sin(a[2] / 2)])
        if a.size == 3:
            a = np.array([*a, 1.0, 0.0, 0.0, 0.0])
        if a.size != 7:
            raise ArgumentError(f"the motion gave {a.size} numbers; allowed: position (3), or position and quaternion (7); 2D: x, y, angle")
    except BaseException as e:
        call.owner.error = call.owner.error or e
        a = np.full(7, _NAN)
    X.p, X.q = tuple(a[:3]), tuple(a[3:])


def rows(p: Any, count: int, n: int) -> Any:
    """count rows of n numbers of the library, for the time of a call."""
    return np.frombuffer(ffi.buffer(p, 8 * count * n), dtype=np.float64).reshape(count, n) if count * n else np.zeros((count, n))


class Problem:
    """Owner of the functions of one call of a search or fit."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.error: Any = None

    def finish(self) -> None:
        """Raises what a function raised."""
        if self.error is not None:
            error, self.error = self.error, None
            raise error


def _guarded(ctx: Any, run: Callable[[Any], None]) -> bool:
    call = ffi.from_handle(ctx)
    try:
        run(call)
        return True
    except BaseException as e:
        call.owner.error = call.owner.error or e
        return False


@ffi.def_extern()  # type: ignore[misc]
def py_ncp_value(z: Any, w: Any, ctx: Any) -> bool:
    def run(call: Any) -> None:
        rows(w, 1, call.dim)[0] = call.f[0](rows(z, 1, call.dim)[0].copy())

    return _guarded(ctx, run)


@ffi.def_extern()  # type: ignore[misc]
def py_ncp_slope(z: Any, value: Any, ctx: Any) -> bool:
    def run(call: Any) -> None:
        n = call.dim
        rows(value, n, n)[:] = np.asarray(call.f[1](rows(z, 1, n)[0].copy()), dtype=float).reshape(n, n).T  # by columns

    return _guarded(ctx, run)


@ffi.def_extern()  # type: ignore[misc]
def py_search_values(ctx: Any, count: int, x: Any, f: Any, g: Any) -> bool:
    def run(call: Any) -> None:
        n, m = call.dim
        call.f(rows(x, count, n).copy(), rows(f, 1, count)[0], rows(g, count, m) if m else None)

    return _guarded(ctx, run)


@ffi.def_extern()  # type: ignore[misc]
def py_fit_residuals(ctx: Any, count: int, x: Any, r: Any) -> bool:
    def run(call: Any) -> None:
        n, m = call.dim
        call.f(rows(x, count, n).copy(), rows(r, count, m))

    return _guarded(ctx, run)


@ffi.def_extern()  # type: ignore[misc]
def py_log_density(ctx: Any, count: int, x: Any, out: Any) -> bool:
    def run(call: Any) -> None:
        call.f(rows(x, count, call.dim).copy(), rows(out, 1, count)[0])

    return _guarded(ctx, run)
