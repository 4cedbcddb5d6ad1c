# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Models: scene files in memory, from which worlds are made."""
from __future__ import annotations

import os
from typing import Any, Mapping, NamedTuple, Optional, Union

from ._arrays import number
from ._native import ffi, lib
from .errors import ArgumentError, check
from .world import Memory, World, _text

Value = Union[float, int, str]


class Parameter(NamedTuple):
    """A declared parameter of a scene and the value it has."""

    name: str
    value: float
    initial: float
    min: float
    max: float
    unit: str
    about: str


def _string(c: Any) -> str:
    return "" if c == ffi.NULL else str(ffi.string(c).decode(errors="replace"))


def _open(path: str, files: list[tuple[str, bytes]], define: Mapping[str, Value], root: Optional[str]) -> tuple[Any, Memory]:
    """An open scene with memory of its own: from the disk, or, with files, from memory."""
    memory = Memory()
    options = ffi.new("perp_scene_options *")
    keep: list[Any] = []

    def text(x: bytes) -> Any:
        keep.append(ffi.new("char[]", x))
        return keep[-1]

    definitions = ffi.new("perp_definition[]", max(len(define), 1))
    for i, (k, v) in enumerate(define.items()):
        value = v if isinstance(v, str) else repr(number(v, k, infinite=True))
        definitions[i].name, definitions[i].value = text(_text(k, "parameter")), text(_text(value, k))
    options.define, options.ndefine = definitions, len(define)
    sources = ffi.new("perp_source_file[]", max(len(files), 1))
    for i, (name, data) in enumerate(files):
        content = ffi.from_buffer("char[]", data)
        keep.append(content)
        sources[i].path, sources[i].data, sources[i].size = text(_text(name, "file")), content, len(data)
    if files:
        options.file, options.nfile = sources, len(files)
    options.alloc = memory.allocator
    if root is not None:
        options.root = text(_text(root, "root"))
    out, why = ffi.new("perp_scene **"), ffi.new("perp_refusal *")
    check(lib.perp_scene_open(_text(path, "path"), options, out, why), why)

    def close(c: Any, memory: Memory = memory) -> None:
        lib.perp_scene_close(c)

    return ffi.gc(out[0], close), memory


class Model:
    """A scene: its files and the values of its parameters. Made by load(); pickles with all its files.

        m = perp.load("scenes/demo.yaml")
        w = m.world(mu=0.3)
    """

    files: list[tuple[str, bytes]]  # the scene first, then all it names
    define: dict[str, Value]
    _about: Optional[dict[str, Any]]

    def __init__(self) -> None:
        raise TypeError("make models with perp.load(path) or perp.Model.of(world)")

    @classmethod
    def _from_files(cls, files: list[tuple[str, bytes]], define: Mapping[str, Value]) -> "Model":
        self = cls.__new__(cls)
        self.files = files
        self.define = dict(define)
        self._about = None
        return self

    @classmethod
    def of(cls, world: World) -> "Model":
        """The model of a world as it stands: the scene file that perp_world_write_scene() writes of it."""
        model, state = world.__reduce__()[1]
        if state is None:
            return model  # type: ignore[no-any-return]
        fresh = world.clone()
        fresh._source = None
        return fresh.__reduce__()[1][0]  # type: ignore[no-any-return]

    def _ask(self) -> dict[str, Any]:
        if self._about is None:
            s, _ = _open(self.files[0][0], self.files, self.define, None)
            p = [lib.perp_scene_parameter_at(s, i) for i in range(lib.perp_scene_parameter_count(s))]
            self._about = {
                "title": _string(lib.perp_scene_title(s)), "about": _string(lib.perp_scene_about(s)),
                "duration": lib.perp_scene_duration(s), "steps": lib.perp_scene_steps(s),
                "parameters": {_string(x.name): Parameter(_string(x.name), x.value, x.initial, x.min, x.max, _string(x.unit), _string(x.about))
                               for x in p}}
        return self._about

    @property
    def title(self) -> str:
        """Title of the scene."""
        return str(self._ask()["title"])

    @property
    def about(self) -> str:
        """Free text about it."""
        return str(self._ask()["about"])

    @property
    def duration(self) -> float:
        """Time to simulate [T]."""
        return float(self._ask()["duration"])

    @property
    def steps(self) -> int:
        """Number of steps of the duration."""
        return int(self._ask()["steps"])

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Declared parameters by name."""
        return dict(self._ask()["parameters"])

    def set(self, **define: Value) -> "Model":
        """The same model with other values of parameters."""
        return Model._from_files(self.files, {**self.define, **define})

    def world(self, *, h: Optional[float] = None, **define: Value) -> World:
        """A world at its start, with values of parameters changed if given."""
        model = self.set(**define) if define else self
        scene, memory = _open(self.files[0][0], self.files, model.define, None)
        w = World._made(lib.perp_scene_world(scene), memory, scene, model)
        if h is not None:
            w.h = h
        return w

    def __reduce__(self) -> tuple[Any, ...]:
        return Model._from_files, (self.files, self.define)

    def __repr__(self) -> str:
        return f"<perp.Model {self.files[0][0]}>"


def load(path: Union[str, "os.PathLike[str]"], define: Optional[Mapping[str, Value]] = None, *, root: Optional[str] = None,
         **parameters: Value) -> Model:
    """Reads a scene file and all it names. `define` and keywords give parameters other values. root: included files and meshes
    must lie in this folder; default that of the scene; "/": anywhere."""
    values = {**(define or {}), **parameters}
    scene, _ = _open(os.fspath(path) if not isinstance(path, bytes) else "", [], values, root)
    files = []
    for i in range(lib.perp_scene_file_count(scene)):
        f = lib.perp_scene_file_at(scene, i)
        files.append((_string(f.path), bytes(ffi.buffer(f.data, f.size)) if f.size else b""))
    if not files:
        raise ArgumentError(f"{path}: the scene has no files")
    return Model._from_files(files, values)


def _world_again(model: Model, state: Optional[bytes]) -> World:
    w = model.world()
    if state is not None:
        w.state = state
    return w
