# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one for each status of the library, with the library's sentence."""
from __future__ import annotations

from typing import Any, Optional

from ._native import ffi, lib


class PerpError(Exception):
    """Something was refused or failed; the sentence says what. The world or object it was asked of is unchanged."""

    status: int = -1


class ArgumentError(PerpError, ValueError):
    """An argument is not finite, out of range, of a wrong shape, or stands for something that was removed."""

    status = -1


class OutOfMemory(PerpError, MemoryError):
    """Memory was refused."""

    status = -2


class UnknownName(PerpError, KeyError):
    """A stage, setting, body or series of this name does not exist, or the name is taken."""

    status = -3

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class FitError(PerpError, ValueError):
    """Stages do not fit together."""

    status = -4


class SolveError(PerpError):
    """A step has no acceptable solution; the world is unchanged. `certificate` holds the best that was found."""

    status = -5
    certificate: Any = None


class FileError(PerpError, OSError):
    """A file could not be read or written."""

    status = -6

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class GeometryError(PerpError, ValueError):
    """A shape is degenerate or not supported."""

    status = -7


class Stopped(PerpError):
    """It was told to stop."""

    status = -8


class ClosedError(PerpError, ValueError):
    """The object was closed."""


_kinds = {k.status: k for k in (ArgumentError, OutOfMemory, UnknownName, FitError, SolveError, FileError, GeometryError, Stopped)}


def failure(status: int, sentence: str = "") -> PerpError:
    """The exception of a status with its sentence."""
    kind = _kinds.get(int(status), PerpError)
    return kind(sentence or ffi.string(lib.perp_status_text(status)).decode())


def check(status: int, why: Optional[Any] = None) -> None:
    """Raises if the status is an error; `why` is a perp_refusal or an array of characters."""
    if status:
        sentence = ""
        if why is not None:
            text = why.text if ffi.typeof(why) is ffi.typeof("perp_refusal *") else why
            sentence = ffi.string(text).decode(errors="replace")
        raise failure(status, sentence)
