# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings: written while a world is stepped, read as arrays that load frames when they are asked for."""
from __future__ import annotations

import os
import threading
from typing import Any, Callable, Iterator, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Floats, integer, number, pointer, text as _text
from ._native import ffi, lib
from ._records import Certificate
from .errors import ArgumentError, ClosedError, UnknownName, check
from .model import Model, _string
from .sensors import SENSORS
from .world import World

Path = Union[str, "os.PathLike[str]"]
# HDF5 is not made for threads, and the library is called without Python's lock: one thread at a time, whatever the file.
_one_at_a_time = threading.RLock()

contact_record = np.dtype([("body", "i4", 2), ("shape", "i4", 2), ("feature", "u8"), ("a_W", "f8", 3), ("b_W", "f8", 3), ("n_W", "f8", 3),
                           ("t_W", "f8", 3), ("gap", "f8"), ("gap_end", "f8"), ("mu", "f8"), ("impulse_C", "f8", 3), ("spin_impulse", "f8"),
                           ("roll_impulse", "f8", 2), ("state", "u4"), ("_", "u4")])
assert contact_record.itemsize == ffi.sizeof("perp_recorded_contact")


class Lazy:
    """An array whose first index is the frame. Frames are read when they are asked for: a[10], a[::5, 2], np.asarray(a)."""

    def __init__(self, shape: tuple[int, ...], read: Callable[[int, Floats], None]) -> None:
        self.shape = shape
        self._read = read

    ndim = property(lambda self: len(self.shape), doc="Number of indices.")
    dtype = np.dtype(np.float64)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        first, rest = (key[0], key[1:]) if isinstance(key, tuple) else (key, ())
        if first is Ellipsis or first is None:
            return np.asarray(self)[key]
        frames = np.arange(self.shape[0])[first]  # raises IndexError as an array would
        out = np.empty((int(np.size(frames)), *self.shape[1:]))
        for row, k in zip(out, np.ravel(frames)):
            self._read(int(k), row)
        whole = out.reshape((*np.shape(frames), *self.shape[1:]))
        return whole[(*[slice(None)] * np.ndim(frames), *rest)] if rest else whole

    def __array__(self, dtype: Any = None, copy: Any = None) -> npt.NDArray[Any]:
        a: npt.NDArray[Any] = self[:]
        return a if dtype is None else a.astype(dtype)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return f"<perp.Lazy {' x '.join(map(str, self.shape))}>"


class RecordedBody(NamedTuple):
    """A body of a recording."""

    name: str
    kind: str
    mass: float


class RecordedSensor(NamedTuple):
    """A sensor of a recording."""

    name: str
    kind: str
    unit: str
    size: int


class Recording:
    """A recording, open for reading; another process may still write it.

        r = perp.Recording("out/demo.h5")
        r["ball.x"], r.times                 # series over all frames
        r.poses[-1], r.poses[::10, 3]        # frames are read when they are asked for
    """

    def __init__(self, path: Path) -> None:
        self.path = _text(path, "path").decode()
        out, why = ffi.new("perp_recording **"), ffi.new("perp_refusal *")
        with _one_at_a_time:
            check(lib.perp_recording_open(_text(self.path, "path"), out, why), why)

        def close(c: Any) -> None:
            with _one_at_a_time:
                lib.perp_recording_close(c)

        self._r: Any = ffi.gc(out[0], close)
        a = lib.perp_recording_about(self._r)
        self.frames, self.dim, self.h, self.finished = int(a.frames), int(a.dim), float(a.h), bool(a.finished)
        self.title, self.program, self.version = _string(a.title), _string(a.program), int(a.version)
        self.t0, self.t1, self.duration = float(a.t0), float(a.t1), float(a.duration)
        kinds = ("obstacle", "kinematic", "dynamic")
        b = [lib.perp_recording_body(self._r, i) for i in range(a.nbody)]
        self.bodies = [RecordedBody(_string(x.name) or f"body-{i}", kinds[int(x.kind)], float(x.mass)) for i, x in enumerate(b)]

        kept = [lib.perp_recording_sensor(self._r, i) for i in range(a.nsensor)]
        self.sensors = [RecordedSensor(_string(x.name), SENSORS[int(x.kind)], _string(x.unit), int(x.size)) for x in kept]

    @property
    def _c(self) -> Any:
        if self._r is None:
            raise ClosedError("the recording is closed")
        return self._r

    def close(self) -> None:
        """Closes the file."""
        self._r = None

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _ask(self, f: Any, *arguments: Any) -> None:
        why = ffi.new("perp_refusal *")
        with _one_at_a_time:
            check(f(self._c, *arguments, why), why)

    def index(self, body: str) -> int:
        """Number of a body in `bodies` and in the arrays."""
        i = int(lib.perp_recording_find_body(self._c, _text(body, "body")))
        if i < 0:
            raise ArgumentError(f"the recording has no body {body!r}; bodies: {', '.join(b.name for b in self.bodies)}")
        return i

    @property
    def poses(self) -> Lazy:
        """Poses: frames x bodies x 7."""
        return Lazy((self.frames, len(self.bodies), 7), lambda k, row: self._ask(lib.perp_recording_poses, k, ffi.cast("perp_pose *", pointer(row))))

    @property
    def twists(self) -> Lazy:
        """Velocities and angular velocities: frames x bodies x 6."""

        def read(k: int, row: Floats) -> None:
            v = np.empty((2, len(self.bodies), 3))
            self._ask(lib.perp_recording_twists, k, ffi.cast("perp_vec3 *", pointer(v[0])), ffi.cast("perp_vec3 *", pointer(v[1])))
            row[:, :3], row[:, 3:] = v[0], v[1]

        return Lazy((self.frames, len(self.bodies), 6), read)

    @property
    def times(self) -> Floats:
        """Time of each frame [T]."""
        return self["time"]

    @property
    def names(self) -> list[str]:
        """All series: "ball.x", "energy.total", "certificate.overlap", ..."""
        out: list[str] = []
        while (c := lib.perp_recording_series_name(self._c, len(out))) != ffi.NULL:
            out.append(_string(c))
        return out

    def __getitem__(self, name: str) -> Floats:
        if not isinstance(name, str):
            raise ArgumentError(f"a recording is asked by the name of a series, found {name!r}; see names")
        out = np.empty(self.frames)
        self._ask(lib.perp_recording_series, _text(name, "series"), pointer(out))
        return out

    def sensor(self, name: str) -> Floats:
        """Readings of a sensor: frames x 1 or frames x 3."""
        for s in self.sensors:
            if s.name == name:
                return np.stack([self[f"sensor({name}).{x}"] for x in (("value",) if s.size == 1 else ("x", "y", "z"))], axis=1)
        raise UnknownName(f"the recording has no sensor {name!r}; sensors: {', '.join(s.name for s in self.sensors)}")

    def unit(self, name: str) -> str:
        """Unit of a series in words of L, M, T."""
        return _string(lib.perp_recording_unit(self._c, _text(name, "series")))

    def contacts(self, frame: int) -> npt.NDArray[Any]:
        """Contacts of the last step of a frame, as an array of structs."""
        out, n, why = ffi.new("perp_recorded_contact **"), ffi.new("int *"), ffi.new("perp_refusal *")
        with _one_at_a_time:
            check(lib.perp_recording_contacts(self._c, self._frame(frame), out, n, why), why)
            data = bytes(ffi.buffer(out[0], n[0] * contact_record.itemsize)) if n[0] else b""
        return np.frombuffer(data, dtype=contact_record)

    def _frame(self, k: int) -> int:
        i = integer(k, "frame", -self.frames, self.frames - 1)
        return i if i >= 0 else i + self.frames

    def certificate(self, frame: int) -> Certificate:
        """Certificate of the steps since the frame before."""
        c = ffi.new("perp_certificate *")
        self._ask(lib.perp_recording_certificate, self._frame(frame), c)
        return Certificate(c, self._r)

    @property
    def total(self) -> Certificate:
        """The certificates of all frames together."""
        w = ffi.new("perp_recording_worst *")
        self._ask(lib.perp_recording_total, w)
        return Certificate(ffi.new("perp_certificate *", w.total), self._r)

    @property
    def digest(self) -> int:
        """A hash of all that the frames hold: two runs with the same digest are the same to the bit."""
        out = ffi.new("uint64_t *")
        self._ask(lib.perp_recording_digest, out)
        return int(out[0])

    @property
    def model(self) -> Model:
        """The scene that was run, with its parameters."""
        out = ffi.new("perp_scene **")
        self._ask(lib.perp_recording_scene, out)
        scene = ffi.gc(out[0], lib.perp_scene_close)
        files = []
        for i in range(lib.perp_scene_file_count(scene)):
            f = lib.perp_scene_file_at(scene, i)
            files.append((_string(f.path), bytes(ffi.buffer(f.data, f.size)) if f.size else b""))
        d = [lib.perp_scene_definition_at(scene, i) for i in range(lib.perp_scene_definition_count(scene))]
        return Model._from_files(files, {_string(x.name): _string(x.value) for x in d})

    def __len__(self) -> int:
        return self.frames

    def __reduce__(self) -> tuple[Any, ...]:
        return Recording, (os.path.abspath(self.path),)

    def _repr_html_(self) -> str:
        from .notebook import recording_html

        return recording_html(self)

    def __repr__(self) -> str:
        return f"<perp.Recording {self.path}, {self.frames} frames, {len(self.bodies)} bodies>"


class Recorder:
    """Records the steps of a world into a new file, until it is closed. An existing file is never written over. every: steps of a
    frame; compression: 0 to 9; default: what the scene says, or 1 and 1. Nothing can be added to the world or removed from it meanwhile. If
    a frame cannot be written, the step that made it raises FileError; the world has then taken this step.

        with perp.Recorder(w, "fall.h5"):
            w.run(1.0)
    """

    def __init__(self, world: World, path: Path, *, every: Optional[int] = None, compression: Optional[int] = None, title: str = "") -> None:
        if not isinstance(world, World):
            raise ArgumentError(f"Recorder: found {type(world).__name__}; allowed: a World")
        if world._recorder is not None:
            raise ArgumentError("the world is being recorded already")
        self.world, self.path = world, _text(path, "path").decode()
        out, why = ffi.new("perp_recorder **"), ffi.new("perp_refusal *")
        own = lib.perp_scene_record(world._scene) if world._scene is not None else lib.perp_scene_words_default().record
        choice = (own.what, own.every if every is None else integer(every, "every", 1, 2**31 - 1),
                  own.compression if compression is None else integer(compression, "compression", 0, 9))
        with _one_at_a_time:
            if world._scene is not None and world._source is not None:
                c = ffi.new("perp_record_choice *", choice)
                check(lib.perp_recorder_create(_text(self.path, "path"), world._scene, c, out, why), why)
            else:
                words = ffi.new("perp_scene_words *", lib.perp_scene_words_default())
                keep = ffi.new("char[]", _text(title, "title"))
                words.title, words.record = keep, choice
                check(lib.perp_recorder_create_world(_text(self.path, "path"), world._c, words, out, why), why)
        self._r: Any = out[0]
        self._held = (world._w, world._hold)  # the world lives as long as its recording is open
        world._recorder = self

    def _step(self, cert: Any) -> None:
        why = ffi.new("perp_refusal *")
        with _one_at_a_time:
            check(lib.perp_recorder_step(self._r, cert, why), why)

    @property
    def frames(self) -> int:
        """Frames so far."""
        if self._r is None:
            raise ClosedError("the recorder is closed")
        return int(lib.perp_recorder_frames(self._r))

    def close(self, finished: bool = True) -> None:
        """Commits and closes the file."""
        if self._r is None:
            return
        r, self._r = self._r, None
        if self.world._recorder is self:
            self.world._recorder = None
        why = ffi.new("perp_refusal *")
        with _one_at_a_time:
            status = lib.perp_recorder_close(r, bool(finished), why)
        self._held = (None, None)
        check(status, why)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.close(finished=kind is None)

    def __del__(self) -> None:
        try:
            self.close(finished=False)
        except Exception:  # the interpreter is ending, or the disk is full: the last commit is whole
            pass
