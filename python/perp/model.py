# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Models: scene files in memory, from which worlds are made. Robot models of other programs become scenes."""
from __future__ import annotations

import os
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from ._arrays import Floats, integer, number, text as _text
from ._native import ffi, lib
from .errors import ArgumentError, UnknownName, check
from .robot import Keyframe
from .world import Memory, World

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


class Note(NamedTuple):
    """A line of the report of an import. kind: ignored, approximated, repaired or assumed; file and line: of the first place; places: how many."""

    kind: str
    text: str
    file: str
    line: int
    places: int


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
    report: list[Note]  # of an imported MJCF, URDF or SDF model: what was ignored, approximated, repaired, assumed
    counts: dict[str, Any]  # likewise: bodies, joints, actuators, ... as its file describes it
    _about: Optional[dict[str, Any]]

    def __init__(self) -> None:
        raise TypeError("make models with perp.load(path) or perp.Model.of(world)")

    @classmethod
    def _from_files(cls, files: list[tuple[str, bytes]], define: Mapping[str, Value], report: Sequence[Note] = (),
                    counts: Optional[Mapping[str, Any]] = None) -> "Model":
        self = cls.__new__(cls)
        self.report, self.counts = list(report), dict(counts or {})
        self.files = files
        self.define = dict(define)
        self._about = None
        return self

    @classmethod
    def of(cls, world: World) -> "Model":
        """The model of a world as it stands: the scene file that perp_world_write_scene() writes of it."""
        if not isinstance(world, World):
            raise ArgumentError(f"Model.of: found {type(world).__name__}; allowed: a World")
        model, state = world.__reduce__()[1][:2]
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
        return Model._from_files(self.files, {**self.define, **define}, self.report, self.counts)

    def world(self, *, h: Optional[float] = None, **define: Value) -> World:
        """A world at its start, with values of parameters changed if given."""
        model = self.set(**define) if define else self
        scene, memory = _open(self.files[0][0], self.files, model.define, None)
        w = World._made(lib.perp_scene_world(scene), memory, scene, model)
        if h is not None:
            w.h = h
        return w

    def key(self, name: str) -> Keyframe:
        """A keyframe of the scene: named q, v and ctrl."""
        with self.world() as w:
            return w.keyframe(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Model._from_files, (self.files, self.define, self.report, self.counts)

    def __repr__(self) -> str:
        return f"<perp.Model {self.files[0][0]}>"


_COUNTS = ("bodies", "joints", "hinges", "slides", "balls", "frees", "geoms", "meshes", "sites", "actuators", "equalities", "tendons", "excludes",
           "pairs", "keyframes", "moving", "mass")
_FIRST_BYTES = 65536  # enough for the first element of a model behind a long comment


def _is_model(path: Any) -> bool:
    """Is this file a model of a robot, as far as its first element tells?"""
    try:
        with open(_text(path, "path"), "rb") as f:
            start = f.read(_FIRST_BYTES)
    except OSError:
        return False  # perp_scene_open() says what is wrong with it
    return bool(lib.perp_import_is_model(start, len(start)))


def _import(path: Any, given: Mapping[str, Any]) -> Model:
    """The model of an MJCF, URDF or SDF file."""
    allowed = ("free_base", "key", "repair", "corners", "packages")
    for k in given:
        if k not in allowed:
            raise UnknownName(f"{os.fspath(path)} is a model of a robot, and has no parameter {k!r}; allowed: {', '.join(allowed)}")
    options, keep = ffi.new("perp_import_options *"), []

    def text(x: Any, what: str) -> Any:
        keep.append(ffi.new("char[]", _text(x, what)))
        return keep[-1]

    options.repair, options.free_base = bool(given.get("repair", False)), bool(given.get("free_base", False))
    options.corners = integer(given["corners"], "corners", 8, 10000) if "corners" in given else 0
    if given.get("key") is not None:
        options.key = text(given["key"], "key")
    packages = given.get("packages") or {}
    if not isinstance(packages, Mapping):
        raise ArgumentError(f"packages: found {type(packages).__name__}; allowed: a dictionary of names and folders")
    every = ffi.new("perp_import_package[]", max(len(packages), 1))
    for i, (name, folder) in enumerate(packages.items()):
        every[i].name, every[i].folder = text(name, "package"), text(folder, "folder of a package")
    options.package, options.npackage = every, len(packages)
    out, why = ffi.new("perp_import **"), ffi.new("perp_refusal *")
    check(lib.perp_import_open(_text(path, "path"), options, out, why), why)
    m = ffi.gc(out[0], lib.perp_import_close)
    notes = [lib.perp_import_note_at(m, i) for i in range(lib.perp_import_note_count(m))]
    report = [Note(_string(lib.perp_import_kind_name(n.kind)), _string(n.text), _string(n.file), int(n.line), int(n.count)) for n in notes]
    c = lib.perp_import_count(m)
    counts = {"format": _string(c.format), **{k: getattr(c, k) for k in _COUNTS}}
    name = os.path.splitext(os.path.basename(os.fspath(path)))[0] + ".yaml"
    return Model._from_files([(name, bytes(ffi.string(lib.perp_import_scene(m))))], {}, report, counts)


def load(path: Union[str, "os.PathLike[str]"], define: Optional[Mapping[str, Value]] = None, *, root: Optional[str] = None,
         **parameters: Any) -> Model:
    """Reads a scene file and all it names, or a robot model: MJCF, URDF or SDF.

    Scene: `define` and keywords give parameters other values. root: included files and meshes must lie in this folder; default that of
    the scene; "/": anywhere.

    MJCF, URDF, SDF: Model.report tells what of the model was ignored, approximated, repaired or assumed. Keywords: free_base=True: the root
    link of a URDF moves freely; key="home": the keyframe of an MJCF file to start from; repair=True: takes the nearest inertia that a
    body can have; corners: most corners of the hull of a mesh; packages={"name": folder}: where packages of ROS lie.
    """
    values = {**(define or {}), **parameters}
    if _is_model(path):
        if root is not None:
            raise ArgumentError("root: a model may name files anywhere; root is for scenes")
        return _import(path, values)
    scene, _ = _open(os.fspath(path) if not isinstance(path, bytes) else "", [], values, root)
    files = []
    for i in range(lib.perp_scene_file_count(scene)):
        f = lib.perp_scene_file_at(scene, i)
        files.append((_string(f.path), bytes(ffi.buffer(f.data, f.size)) if f.size else b""))
    if not files:
        raise ArgumentError(f"{path}: the scene has no files")
    return Model._from_files(files, values)


def _world_again(model: Model, state: Optional[bytes], ctrl: Optional[Floats] = None) -> World:
    w = model.world()
    if ctrl is not None:
        w.ctrl = ctrl  # first: it marks forces that jump, and the state knows which did
    if state is not None:
        w.state = state
    return w
