# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Batches: many copies of one world, stepped by several threads in one call of the library."""
from __future__ import annotations

import threading
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Floats, integer, numbers, view
from ._native import ffi, lib
from .errors import ArgumentError, ClosedError, PerpError, UnknownName, check, failure
from .model import Model
from .parts import Body, Force, Joint, part_id
from .world import World

_PARTS = ("fx", "fy", "fz", "tx", "ty", "tz")
Input = Sequence[Any]


def _input(w: World, spec: Input) -> tuple[int, Any]:
    """A perp_input: ("body", "fx"), ("joint", "speed", coord), ("joint", "rest", coord), (pd, "target"); names or objects."""
    if not isinstance(spec, (tuple, list)) or not 2 <= len(spec) <= 3:
        raise ArgumentError(f"input: found {spec!r}; allowed: (body, {'|'.join(_PARTS)}), (joint, speed|rest, coordinate), (controller, target)")
    what, part, c = spec[0], spec[1], ffi.new("perp_input *")
    if part in _PARTS:
        c.kind, c.part = lib.PERP_INPUT_FORCE, _PARTS.index(part)
        c.body = part_id(w, what, Body, "input") if isinstance(what, Body) else w.body(what)._id
    elif part in ("speed", "rest"):
        c.kind = lib.PERP_INPUT_MOTOR_SPEED if part == "speed" else lib.PERP_INPUT_REST
        c.part = integer(spec[2], "coordinate", 0, 2) if len(spec) == 3 else 0
        c.joint = part_id(w, what, Joint, "input") if isinstance(what, Joint) else w.joint(what)._id
    elif part == "target" and isinstance(what, Force):
        c.kind, c.force = lib.PERP_INPUT_TARGET, part_id(w, what, Force, "input")
    else:
        raise UnknownName(f"input: found {part!r}; allowed: {', '.join(_PARTS)}, speed, rest, target")
    return c[0]  # type: ignore[no-any-return]


class Batch:
    """n copies of a world, each stepped by one thread at a time. The bits are the same for any number of threads.

    model: a Model or a World as it stands. threads: default one for each processor. inputs: numbers that each world is given before a
    step, such as [("box", "fx"), ("hinge", "speed")]. ctrl of actuators needs no such list: it is Batch.ctrl.

        b = perp.Batch(m, 256, threads=8)
        b.ctrl[:] = policy(b.q, b.v)                 # arrays [n, ...]: the library's own memory
        status = b.step(5)                           # status[i] != 0: world i refused a step, and stands before it
        b.reset(b.poses[:, 1, 2] < 0.3)
    """

    def __init__(self, model: Union[Model, World], n: int, threads: int = 0, inputs: Sequence[Input] = ()) -> None:
        if not isinstance(model, (Model, World)):
            raise ArgumentError(f"Batch: found {type(model).__name__}; allowed: a Model or a World")
        w = model.world() if isinstance(model, Model) else model
        d = ffi.new("perp_batch_def *", lib.perp_batch_def_default(integer(n, "n", 1, 1000000)))
        d.threads = integer(threads, "threads", 0, 1024)
        if not isinstance(inputs, (tuple, list)):
            raise ArgumentError(f"inputs: found {type(inputs).__name__}; allowed: a list such as [(body, 'fx')]")
        given = [_input(w, s) for s in inputs]
        c = ffi.new("perp_input[]", max(len(given), 1))
        for i, x in enumerate(given):
            c[i] = x
        d.input, d.ninput = c, len(given)
        out, why = ffi.new("perp_batch **"), ffi.new("char[400]")
        check(lib.perp_batch_create(w._c, d, out, why, 400), why)
        memory, hold = w._memory, w._hold

        def destroy(b: Any, keep: Any = (memory, hold)) -> None:
            lib.perp_batch_destroy(b)

        self._b: Any = ffi.gc(out[0], destroy)
        self._memory, self._lock = memory, threading.Lock()
        self._stepper = ffi.new("uintptr_t *")  # the thread that steps it; its worlds share this
        v = lib.perp_batch_look(self._b)
        self.n, self.threads = int(v.n), int(lib.perp_batch_threads(self._b))
        self._poses, self._twists = view(v.pose, (v.n, v.nslot, 7), self._b), view(v.twist, (v.n, v.nslot, 6), self._b)
        self._q, self._v = view(v.q, (v.n, v.nq), self._b), view(v.v, (v.n, v.nv), self._b)
        self._times, self._sensed = view(v.time, (v.n,), self._b), view(v.sensed, (v.n, v.nsensed), self._b)
        self._ctrl = view(v.ctrl, (v.n, v.nctrl), self._b, writeable=True)
        self._inputs = view(v.input, (v.n, v.ninput), self._b, writeable=True)
        self.names = [b.name for b in w.bodies]
        self._index = {b.name: b.index for b in w.bodies if b.name}
        self._sensors: dict[str, slice] = {}
        at = 0
        for s in w.sensors:
            self._sensors.setdefault(s.name, slice(at, at + s.size))  # the first of a name, as World.sensor()
            at += s.size

    # The library's own arrays. They stay readable after close().

    @property
    def poses(self) -> Floats:
        """Poses, n x bodies x 7: a read-only view that follows step(), reset() and refresh()."""
        return self._poses

    @property
    def twists(self) -> Floats:
        """Velocities, n x bodies x 6: read-only, likewise."""
        return self._twists

    @property
    def q(self) -> Floats:
        """Coordinates of joints and free bodies, n x nq (perp/joint_space.h): read-only, likewise."""
        return self._q

    @property
    def v(self) -> Floats:
        """Velocities that go with q, n x nv: read-only, likewise."""
        return self._v

    @property
    def times(self) -> Floats:
        """Times, n: read-only, likewise."""
        return self._times

    @property
    def sensor_data(self) -> Floats:
        """Readings of all sensors, n x numbers, in the order of World.sensors: read-only, likewise."""
        return self._sensed

    @property
    def ctrl(self) -> Floats:
        """ctrl of all actuators, n x actuators, in the order of World.actuators: to be written; taken over at the next step."""
        return self._ctrl

    @ctrl.setter
    def ctrl(self, value: Any) -> None:
        self._ctrl[:] = numbers(value, "ctrl", self._ctrl.shape)

    @property
    def inputs(self) -> Floats:
        """Inputs, n x inputs: to be written; taken over at the next step."""
        return self._inputs

    @inputs.setter
    def inputs(self, value: Any) -> None:
        self._inputs[:] = numbers(value, "inputs", self._inputs.shape)

    @property
    def _c(self) -> Any:
        if self._b is None:
            raise ClosedError("the batch is closed")
        return self._b

    def index(self, body: str) -> int:
        """Row of a body in poses and twists."""
        if body not in self._index:
            raise UnknownName(f"there is no body {body!r}; bodies: {', '.join(self._index)}")
        return self._index[body]

    def sensor(self, name: str) -> Floats:
        """Readings of one sensor, n x 1 or n x 3: columns of sensor_data."""
        if not isinstance(name, str) or not name or name not in self._sensors:
            raise UnknownName(f"there is no sensor {name!r}; sensors: {', '.join(k for k in self._sensors if k)}")
        return self.sensor_data[:, self._sensors[name]]

    def _mask(self, mask: Any) -> Any:
        if mask is None:
            return None
        a = np.asarray(mask)
        if a.dtype != np.bool_ or a.shape != (self.n,):
            raise ArgumentError(f"mask: found {a.dtype} of shape {a.shape}; allowed: {self.n} booleans")
        return np.ascontiguousarray(a)

    def _busy(self) -> None:
        if not self._lock.acquire(False):
            raise PerpError("the batch is being stepped by another thread")
        if self._stepper[0]:
            self._lock.release()
            raise PerpError("a world of the batch is being stepped by another thread")
        self._stepper[0] = threading.get_ident()

    def _idle(self) -> None:
        self._stepper[0] = 0
        self._lock.release()

    def step(self, steps: int = 1, mask: Any = None) -> npt.NDArray[np.int32]:
        """Hands inputs and ctrl over and takes steps of every world, or of those in the mask. Returns a status for each world: 0, or the
        status of the step that was refused; that world stands as before this step, and why(i) tells the reason. Inputs or ctrl that
        are not finite raise, and no world is stepped."""
        b, m = self._c, self._mask(mask)
        k = integer(steps, "steps", 0, 2**31 - 1)
        for what, a in (("inputs", self.inputs), ("ctrl", self.ctrl)):
            bad = ~np.isfinite(a)
            if m is not None:
                bad[~m] = False
            if bad.any():
                i, j = np.argwhere(bad)[0]
                raise ArgumentError(f"{what}[{i}, {j}]: found {a[i, j]}; allowed: finite numbers")
        status = np.zeros(self.n, dtype=np.int32)
        self._busy()
        try:
            lib.perp_batch_step(b, k, ffi.NULL if m is None else ffi.cast("bool *", m.ctypes.data), ffi.cast("perp_status *", status.ctypes.data), ffi.NULL)
        finally:
            self._idle()
        error, self._memory.error = self._memory.error, None
        if error is not None:
            raise error
        return status

    def reset(self, mask: Any = None) -> None:
        """Takes all worlds, or those in the mask, back to where the model stood when the batch was made, inputs and ctrl included."""
        b, m = self._c, self._mask(mask)
        self._busy()
        try:
            status = lib.perp_batch_reset(b, ffi.NULL if m is None else ffi.cast("bool *", m.ctypes.data))
        finally:
            self._idle()
        if status:
            raise failure(status)

    def refresh(self) -> None:
        """Brings the arrays up to date after worlds were changed one by one."""
        status = lib.perp_batch_refresh(self._c)
        if status:
            raise failure(status)

    def world(self, i: int) -> World:
        """World i, to be read, or changed between steps (then call refresh()). Bodies cannot be added to it or removed."""
        k = integer(i, "world", 0, self.n - 1)
        w = World._made(lib.perp_batch_world(self._c, k), self._memory, None, None, self._b)
        w._fixed, w._busy = True, self._stepper
        return w

    def why(self, i: int) -> str:
        """The sentence about the last failure in world i."""
        k = integer(i, "world", 0, self.n - 1)
        return str(ffi.string(lib.perp_world_why(lib.perp_batch_world(self._c, k))).decode(errors="replace"))

    @property
    def hashes(self) -> npt.NDArray[np.uint64]:
        """World.hash of each."""
        return np.array([lib.perp_world_hash(lib.perp_batch_world(self._c, i)) for i in range(self.n)], dtype=np.uint64)

    def rollout(self, inputs: Any = None, steps: int = 1, *, ctrl: Any = None) -> tuple[Floats, Floats, npt.NDArray[np.int32]]:
        """Resets, then applies inputs [times, n, inputs], or ctrl [times, n, actuators], or both, `steps` steps each. Returns poses [times, n, bodies, 7], twists
        [times, n, bodies, 6] and status [n] of the first refusal; a world that refused stands still afterwards."""
        given: list[tuple[Floats, Floats]] = []
        for what, a, rows in (("inputs", inputs, self.inputs), ("ctrl", ctrl, self.ctrl)):
            if a is None:
                continue
            u = numbers(a, what)
            if u.ndim != 3 or u.shape[1:] != rows.shape or (given and len(u) != len(given[0][1])):
                times: Any = len(given[0][1]) if given else "times"
                raise ArgumentError(f"{what}: found shape {u.shape}; allowed: {times} x {self.n} x {rows.shape[1]}")
            given.append((rows, u))
        if not given:
            raise ArgumentError("rollout: give inputs or ctrl")
        count = len(given[0][1])
        poses, twists = np.empty((count, *self.poses.shape)), np.empty((count, *self.twists.shape))
        status = np.zeros(self.n, dtype=np.int32)
        self.reset()
        for k in range(count):
            for rows, u in given:
                rows[:] = u[k]
            now = self.step(steps, status == 0)
            status = np.where(status == 0, now, status).astype(np.int32)
            poses[k], twists[k] = self.poses, self.twists
        return poses, twists, status

    def close(self) -> None:
        """Frees the worlds once no array of them is left."""
        self._b = None

    def __len__(self) -> int:
        return self.n

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a batch cannot be pickled; pickle its model, and World.state of its worlds")

    def __repr__(self) -> str:
        return f"<perp.Batch of {self.n} worlds, {self.threads} threads>" if self._b is not None else "<perp.Batch, closed>"
