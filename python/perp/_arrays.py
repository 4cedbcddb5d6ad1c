# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers in and out: checks of what is given, views of what the library lends."""
from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._native import ffi
from .errors import ArgumentError

Floats = npt.NDArray[np.float64]
Vector = Union[Sequence[float], npt.NDArray[Any]]


def numbers(x: Any, what: str, shape: Optional[tuple[Optional[int], ...]] = None, infinite: bool = False) -> Floats:
    """x as an array of finite doubles in rows, of the given shape (None: any length). Complex numbers, text and objects are refused."""
    try:
        a = np.asarray(x)
    except Exception as e:
        raise ArgumentError(f"{what}: found {type(x).__name__}; allowed: numbers") from e
    if a.dtype.kind not in "fiub" or (a.dtype.kind == "f" and a.dtype.itemsize > 8):
        raise ArgumentError(f"{what}: found numbers of type {a.dtype}; allowed: real numbers that fit into a double")
    if shape is not None and (a.ndim != len(shape) or any(s is not None and s != n for s, n in zip(shape, a.shape))):
        want = " x ".join("n" if s is None else str(s) for s in shape) or "one number"
        raise ArgumentError(f"{what}: found shape {a.shape}; allowed: {want}")
    out = np.ascontiguousarray(a, dtype=np.float64)
    if out.size and not (np.all(np.isfinite(out)) if not infinite else not np.any(np.isnan(out))):
        raise ArgumentError(f"{what}: found {'NaN' if np.isnan(out).any() else 'an infinity'}; allowed: finite numbers")
    return out.reshape(a.shape)


def number(x: Any, what: str, infinite: bool = False) -> float:
    """One finite number."""
    a = numbers(x, what, infinite=infinite)
    if a.size != 1:
        raise ArgumentError(f"{what}: found shape {a.shape}; allowed: one number")
    return float(a.reshape(()))


def integer(x: Any, what: str, low: int, high: int) -> int:
    """A whole number within bounds."""
    try:
        k = int(x)
        whole = k == x and not isinstance(x, (str, bytes))
    except Exception as e:
        raise ArgumentError(f"{what}: found {x!r}; allowed: a whole number from {low} to {high}") from e
    if not whole or not low <= k <= high:
        raise ArgumentError(f"{what}: found {x!r}; allowed: a whole number from {low} to {high}")
    return k


def vector(x: Any, what: str, dim: int = 3) -> tuple[float, float, float]:
    """Three numbers; two in the plane will do."""
    a = numbers(x, what)
    if a.shape == (3,):
        return (float(a[0]), float(a[1]), float(a[2]))
    if a.shape == (2,) and dim == 2:
        return (float(a[0]), float(a[1]), 0.0)
    raise ArgumentError(f"{what}: found shape {a.shape}; allowed: {'2 or ' if dim == 2 else ''}3 numbers")


def text(x: Any, what: str) -> bytes:
    """Text for the library: a str or a path."""
    if isinstance(x, (str, os.PathLike)):
        t = os.fspath(x)
        if isinstance(t, str) and "\0" not in t:
            try:
                return t.encode()
            except UnicodeEncodeError:
                pass  # half of a surrogate pair
    raise ArgumentError(f"{what}: found {x!r}; allowed: text without zero characters")


def view(pointer: Any, shape: tuple[int, ...], keep: Any, writeable: bool = False) -> Floats:
    """An array of doubles over memory of the library, which `keep` keeps."""
    n = 1
    for s in shape:
        n *= s
    if n == 0:
        empty = np.zeros(shape)
        empty.flags.writeable = writeable
        return empty
    held = ffi.gc(ffi.cast("double *", pointer), _Hold(keep))
    memory = memoryview(ffi.buffer(held, 8 * n))
    return np.frombuffer(memory if writeable else memory.toreadonly(), dtype=np.float64).reshape(shape)


class _Hold:
    """Keeps something alive as long as the array it was made for."""

    __slots__ = ("keep",)

    def __init__(self, keep: Any) -> None:
        self.keep = keep

    def __call__(self, _: Any) -> None:
        self.keep = None


def pointer(a: Floats) -> Any:
    """The numbers of an array for the library; borrowed as long as the array lives."""
    return ffi.cast("double *", a.ctypes.data)
