# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Base of the records that show structs of the library."""
from __future__ import annotations

from typing import Any, ClassVar

from ._native import ffi


class Record:
    """A struct of the library. Its numbers do not change after it was made. A record within another keeps that one."""

    _type: ClassVar[str] = ""
    _fields: ClassVar[tuple[str, ...]] = ()
    __slots__ = ("_c", "_keep")

    def __init__(self, c: Any, keep: Any = None) -> None:
        self._c = c
        self._keep = keep

    @staticmethod
    def _text(c: Any) -> str:
        return "" if c == ffi.NULL else str(ffi.string(c).decode(errors="replace"))

    def as_dict(self) -> dict[str, Any]:
        """All fields, records within it as dictionaries too."""
        out: dict[str, Any] = {}
        for name in self._fields:
            value = getattr(self, name)
            out[name] = value.as_dict() if isinstance(value, Record) else value
        return out

    def __repr__(self) -> str:
        body = ", ".join(f"{k}={getattr(self, k)!r}" for k in self._fields if not isinstance(getattr(self, k), Record))
        return f"{type(self).__name__}({body})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _Plain, (type(self).__name__, self.as_dict())


class _Plain:
    """A record that was unpickled: the same fields, without the library's memory behind it."""

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self._name = name
        for k, v in fields.items():
            setattr(self, k, _Plain(k, v) if isinstance(v, dict) else v)

    def __repr__(self) -> str:
        return f"{self._name}({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items() if k != '_name')})"
