# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""The world: bodies, joints and forces, the step, and what can be read after it."""
from __future__ import annotations

import os
import tempfile
from threading import get_ident
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _callbacks
from ._arrays import Floats, Vector, integer, number, numbers, text as _text, vector, view
from ._native import ffi, lib
from ._records import Certificate
from .errors import ArgumentError, ClosedError, PerpError, SolveError, UnknownName, check, failure
from .parts import Body, Contacts, Force, Joint, KINDS, axis_definition, contact_type, part_id
from .robot import Robot
from .sensors import Sensing
from .shapes import Particle, HalfSpace, Shape, pose, quaternion

_ENUMS = {
    "start": ("plain", "staggered", "auto"),
    "form": ("lcp", "mlcp", "cone", "auto"),
    "geometry": ("iterated", "once", "end"),
    "friction_frame": ("slip", "fixed"),
    "driven": ("mean", "end"),
    "impacts": ("sequence", "newton", "poisson", "stronge", "plain"),
}
_NAMES = ("detector", "contact_model", "stepper", "solver")
_NUMBERS = ("press", "h", "tolerance", "work_limit", "time_limit", "error_tolerance", "correction_position", "correction_velocity")
_FLAGS = ("no_fallback", "warm_start", "joint_correction")
_COUNTS = ("friction_directions", "max_halvings")
_JOINTS = ("fixed", "revolute", "prismatic", "cylindrical", "spherical", "universal", "planar", "coupling", "tendon")
_BODILY = _JOINTS[:-2]  # the last two are without bodies
_step = lib.py_step
_new = ffi.new
_certificate = ffi.typeof("perp_certificate *")


class Energy(NamedTuple):
    """Energies of a world [M L^2/T^2]; gravity is zero at the origin."""

    kinetic: float
    gravity: float
    spring: float

    @property
    def total(self) -> float:
        """Their sum."""
        return self.kinetic + self.gravity + self.spring


class Momentum(NamedTuple):
    """Momentum of the dynamic bodies; the angular one about the origin."""

    linear: Floats
    angular: Floats


class Memory:
    """Where a family of worlds takes its memory from, and what must live as long as any of them: functions of Python, a scene."""

    __slots__ = ("c", "allocator", "kept", "error", "__weakref__")

    def __init__(self) -> None:
        raw = lib.py_memory_new()
        if raw == ffi.NULL:
            raise failure(-2)
        self.c = ffi.gc(raw, lib.py_memory_free)
        self.allocator = lib.py_memory_allocator(self.c)
        self.kept: list[Any] = []
        self.error: Optional[BaseException] = None

    def pin(self, p: Any) -> None:
        """The block at p is kept as long as this memory."""
        if p != ffi.NULL and not lib.py_memory_pin(self.c, p):
            raise failure(-2)


class _Keep:
    """Destroys a world, and lets go of what it needed only after that."""

    __slots__ = ("keep",)

    def __init__(self, *keep: Any) -> None:
        self.keep: Any = keep

    def __call__(self, c: Any) -> None:
        lib.perp_world_destroy(c)
        self.keep = None


class World(Robot, Sensing):
    """A world of rigid bodies.

    dim: 2 or 3. h: time step. gravity: default (0, 0, -9.81), in 2D (0, -9.81). mu, restitution: law of every pair of materials.
    Other keywords are fields of perp_world_def: stepper, solver, contact_model, form, start, geometry, impacts, tolerance, ...

        w = perp.World(dim=3, mu=0.4)
        w.add(perp.HalfSpace())
        b = w.add(perp.Box(.1, .1, .1), density=500, at=(0, 0, 1))
        w.run(1.0)

    A world is used by one thread at a time; a second one gets an exception. Arrays that it shows stay readable after the world
    was closed; after bodies were added take them again.
    """

    def __init__(self, dim: int = 3, *, h: Optional[float] = None, gravity: Optional[Vector] = None, mu: float = 0.0,
                 restitution: float = 0.0, fallback: Optional[Sequence[str]] = None, **options: Any) -> None:
        d = ffi.new("perp_world_def *", lib.perp_world_def_default(integer(dim, "dim", 2, 3)))
        keep: list[Any] = []
        if gravity is not None:
            d.gravity_W = vector(gravity, "gravity", dim)
        if h is not None:
            options["h"] = h
        for name, value in options.items():
            self._option(d, name, value, keep)
        if isinstance(fallback, str):
            raise ArgumentError(f"fallback: found {fallback!r}; allowed: a list of names of solvers")
        for i, name in enumerate(fallback or ()):
            if i >= len(d.fallback):
                raise ArgumentError(f"fallback: found {len(fallback or ())} solvers; allowed: at most {len(d.fallback)}")
            keep.append(ffi.new("char[]", _text(name, "fallback")))
            d.fallback[i] = keep[-1]
        memory = Memory()
        d.alloc = memory.allocator
        out, why = ffi.new("perp_world **"), ffi.new("char[400]")
        check(lib.perp_world_create_why(d, out, why, 400), why)
        self._take(ffi.gc(out[0], _Keep(memory)), memory)
        friction, bounce = number(mu, "mu"), number(restitution, "restitution")
        if friction != 0 or bounce != 0:
            self.law(mu=friction, restitution=bounce)

    @staticmethod
    def _option(d: Any, name: str, value: Any, keep: list[Any]) -> None:
        if name in _ENUMS:
            if not isinstance(value, str) or value not in _ENUMS[name]:
                raise UnknownName(f"{name}: found {value!r}; allowed: {', '.join(_ENUMS[name])}")
            setattr(d, name, _ENUMS[name].index(value))
        elif name in _NAMES:
            keep.append(ffi.new("char[]", _text(value, name)))
            setattr(d, name, keep[-1])
        elif name in _NUMBERS:
            setattr(d, name, number(value, name))
        elif name in _FLAGS:
            setattr(d, name, bool(value))
        elif name in _COUNTS:
            setattr(d, name, integer(value, name, 0, 2**31 - 1))
        else:
            known = sorted([*_ENUMS, *_NAMES, *_NUMBERS, *_FLAGS, *_COUNTS, "dim", "gravity", "mu", "restitution", "fallback"])
            raise UnknownName(f"World has no option {name!r}; allowed: {', '.join(known)}")

    # A name that does not exist cannot be assigned to: w.gravity = 0 would change nothing.
    __slots__ = ("_w", "_memory", "_scene", "_hold", "_source", "_busy", "_recorder", "_poses", "_twists", "_look", "_fixed", "_undo", "__weakref__")

    # Life

    def _take(self, w: Any, memory: Memory, scene: Any = None, source: Any = None, hold: Any = None) -> None:
        """Begins to be the world w; `scene`: the open scene it belongs to; `source`: the model it came from; `hold`: what it needs
        while it lives."""
        self._w: Any = w
        self._memory = memory
        self._scene = scene
        self._hold = scene if hold is None else hold
        self._source = source  # a Model, as long as the world can be made again from it and its state
        self._busy = ffi.new("uintptr_t *")  # the thread that steps it; 0: none
        self._recorder: Any = None
        self._fixed = False  # a world of a batch: nothing may be added or removed
        self._undo: Optional[tuple[Any, Any]] = None  # source and joint space before the change that is being asked for
        self._robot()
        self._poses: tuple[Any, int, Optional[Floats]] = (None, 0, None)
        self._twists: tuple[Any, int, Optional[Floats]] = (None, 0, None)
        self._look = ffi.new("perp_world_view *")

    @classmethod
    def _made(cls, w: Any, memory: Memory, scene: Any = None, source: Any = None, hold: Any = None) -> "World":
        self = cls.__new__(cls)
        self._take(w, memory, scene, source, hold)
        return self

    @property
    def _c(self) -> Any:
        w = self._w
        if w is None:
            raise ClosedError("the world is closed")
        stepper = self._busy[0]
        if stepper and stepper != get_ident():  # functions of Python within a step may read
            raise PerpError("the world is being stepped by another thread")
        return w

    def _change(self, parts: bool = False) -> Any:
        """The world for a call that changes it; parts: that adds or removes something."""
        w = self._c
        if parts and self._fixed:
            raise ArgumentError("nothing can be added to a world of a batch, or removed from it; change the model and make a new batch")
        if parts and self._recorder is not None:
            raise ArgumentError("the world is being recorded: nothing can be added or removed before the recorder is closed")
        if self._busy[0]:
            raise PerpError("the world is being stepped; change it between steps")
        self._undo = (self._source, self._space)
        self._source = None
        if parts:
            self._space = None
        return w

    def _fail(self, status: int, cert: Any = None) -> None:
        """Raises what the library said, or what a function of Python raised on the way."""
        if status > 0:
            raise PerpError("the world is being stepped, by another thread or by the step that called this function")
        error, self._memory.error = self._memory.error, None
        if error is not None:
            raise error
        e = failure(status, ffi.string(lib.perp_world_why(self._w)).decode(errors="replace"))
        if isinstance(e, SolveError) and cert is not None:
            e.certificate = Certificate(cert)
        raise e

    def _do(self, status: int) -> None:
        undo, self._undo = self._undo, None
        if status:
            if undo is not None:  # nothing was changed
                self._source, self._space = undo
            self._fail(status)

    def close(self) -> None:
        """Frees the world. Whatever is asked of it afterwards raises ClosedError; arrays keep their last numbers."""
        if self._w is not None and self._busy[0]:
            raise PerpError("the world is being stepped by another thread")
        self._w = self._scene = self._hold = self._source = self._recorder = self._space = None
        self._shown = ffi.NULL

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def clone(self) -> "World":
        """A copy that behaves the same to the bit. Functions of Python are shared."""
        out = ffi.new("perp_world **")
        self._do(lib.perp_world_clone(self._c, out))
        return World._made(ffi.gc(out[0], _Keep(self._memory, self._hold)), self._memory, None, self._source, self._hold)

    # Step

    def step(self) -> Certificate:
        """One step. Raises SolveError, with the world unchanged, if the laws cannot be met."""
        w = self._w
        if w is None:
            raise ClosedError("the world is closed")
        cert = _new(_certificate)
        status = _step(w, cert, self._busy, self._shown)
        if status:
            self._fail(status, cert)
        if self._recorder is not None:
            self._recorder._step(cert)
        return Certificate(cert)

    def run(self, duration: Optional[float] = None, *, steps: Optional[int] = None) -> Certificate:
        """Steps for a duration [T], or a number of steps. Returns the worst figures and the sums of all of them."""
        if (duration is None) == (steps is None):
            raise ArgumentError("run: give a duration or a number of steps")
        wanted = steps if steps is not None else lib.perp_steps_of(number(duration, "duration"), self.h)
        n = integer(wanted, "steps", 0, 2**62)
        total = _new(_certificate)
        for _ in range(n):
            lib.perp_certificate_add(total, self.step()._c)
        return Certificate(total)

    # Reading

    @property
    def time(self) -> float:
        """Time [T]."""
        return float(lib.perp_world_time(self._c))

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return int(lib.perp_world_steps(self._c))

    @property
    def dim(self) -> int:
        """2 or 3."""
        return int(lib.perp_world_dim(self._c))

    @property
    def h(self) -> float:
        """Time step [T]."""
        return float(lib.perp_world_h(self._c))

    @h.setter
    def h(self, value: float) -> None:
        self._do(lib.perp_world_set_h(self._change(), number(value, "h")))

    def _looked(self) -> Any:
        v = self._look
        self._do(lib.perp_world_look(self._c, v))
        return v

    @property
    def poses(self) -> Floats:
        """Poses of all bodies, one row for each Body.index: x, y, z, and the quaternion w, x, y, z. A read-only view of the
        library's own array, which follows every step; take it again after a body was added."""
        v = self._looked()
        p, n, a = self._poses
        if a is None or p != v.pose or n != v.nslot:
            self._memory.pin(v.pose)
            a = view(v.pose, (v.nslot, 7), self._memory)
            self._poses = (v.pose, v.nslot, a)
        return a

    @property
    def twists(self) -> Floats:
        """Velocity of the centre of mass and angular velocity of all bodies, in the world frame, one row for each Body.index. A
        read-only view that follows every step."""
        v = self._looked()
        p, n, a = self._twists
        if a is None or p != v.twist or n != v.nslot:
            self._memory.pin(v.twist)
            a = view(v.twist, (v.nslot, 6), self._memory)
            self._twists = (v.twist, v.nslot, a)
        return a

    def _refresh(self) -> None:
        """Brings views that somebody holds up to date after a change that was no step."""
        if self._twists[2] is not None:
            self._looked()
        self._follow()

    @property
    def contacts(self) -> Contacts:
        """Contacts of the last step; valid until the next one."""
        out = ffi.new("perp_contact **")
        n = lib.perp_world_contacts(self._c, out)
        if n <= 0:
            return Contacts(self, np.zeros(0, dtype=contact_type))
        self._memory.pin(out[0])
        bytes_ = view(ffi.cast("double *", out[0]), (n * contact_type.itemsize // 8,), self._memory)
        return Contacts(self, bytes_.view(contact_type))

    @property
    def energy(self) -> Energy:
        """Kinetic, gravitational and spring energy now."""
        e = ffi.new("double[3]")
        lib.perp_world_energy(self._c, e, e + 1, e + 2)
        return Energy(e[0], e[1], e[2])

    @property
    def momentum(self) -> Momentum:
        """Linear momentum, and angular momentum about the origin."""
        p = ffi.new("perp_vec3[2]")
        lib.perp_world_momentum(self._c, p, p + 1)
        return Momentum(np.array([p[0].x, p[0].y, p[0].z]), np.array([p[1].x, p[1].y, p[1].z]))

    @property
    def overlap(self) -> float:
        """Deepest true overlap of any two bodies now [L]."""
        return float(lib.perp_world_overlap(self._c))

    @property
    def joint_error(self) -> float:
        """Largest joint position error now [L or rad]."""
        return float(lib.perp_world_joint_error(self._c))

    @property
    def hash(self) -> int:
        """Hash of time, poses, velocities and joint windings: equal for runs that are the same to the bit."""
        return int(lib.perp_world_hash(self._c))

    @property
    def state(self) -> bytes:
        """Everything that changes in a step; ctrl is not in it. Setting it restores it; continuing with the same ctrl gives the same bits."""
        if not self._busy[0]:
            try:
                self._take_ctrl()
            except ArgumentError:
                pass  # not finite: the next step refuses it
        n = lib.perp_world_state_size(self._c)
        buf = ffi.new("char[]", n)
        self._do(lib.perp_world_get_state(self._c, buf, n))
        return bytes(ffi.buffer(buf, n))

    @state.setter
    def state(self, value: bytes) -> None:
        source = self._source
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise ArgumentError(f"state: found {type(value).__name__}; allowed: bytes of World.state")
        self._do(lib.perp_world_set_state(self._change(), ffi.from_buffer(value), len(value)))
        self._source = source  # a state is no change of what the world is made of
        self._refresh()

    @property
    def definition(self) -> dict[str, Any]:
        """Stages and numbers the world was made with."""
        d = lib.perp_world_get_def(self._c)
        out: dict[str, Any] = {"dim": d.dim, "gravity": (d.gravity_W.x, d.gravity_W.y, d.gravity_W.z)}
        out.update({k: getattr(d, k) for k in (*_NUMBERS, *_COUNTS)})
        out.update({k: bool(getattr(d, k)) for k in _FLAGS})
        out.update({k: v[int(getattr(d, k))] for k, v in _ENUMS.items()})
        out.update({k: "" if getattr(d, k) == ffi.NULL else ffi.string(getattr(d, k)).decode() for k in _NAMES})
        return out

    def setting(self, name: str, value: Optional[float] = None) -> float:
        """Reads, or sets, a setting of a solver or stepper, such as "lemke.max_pivots"."""
        if value is not None:
            status = lib.perp_world_set(self._change(), _text(name, "setting"), number(value, name))
            if status:
                raise failure(status, f"setting {name} = {value}: {ffi.string(lib.perp_status_text(status)).decode()}")
        out = ffi.new("double *")
        status = lib.perp_world_get(self._c, _text(name, "setting"), out)
        if status:
            raise failure(status, f"setting {name}: {ffi.string(lib.perp_status_text(status)).decode()}")
        return float(out[0])

    @property
    def timing(self) -> dict[str, float]:
        """Seconds of wall time in each stage since the world was made."""
        n = int(lib.PERP_STAGE_COUNT)
        t = ffi.new("double[]", n)
        lib.perp_world_timing(self._c, t)
        return {ffi.string(lib.perp_stage_name(i)).decode(): t[i] for i in range(n)}

    # Bodies and joints

    def _ids(self, ask: Any, kind: str) -> Any:
        n = ask(self._c, ffi.NULL, 0)
        ids = ffi.new(kind + "[]", max(n, 1))
        ask(self._c, ids, n)
        return [ffi.new(kind + " *", ids[i])[0] for i in range(n)]  # copies: ids[i] would not keep the array

    @property
    def bodies(self) -> list[Body]:
        """All bodies, in the order of their index."""
        return [Body(self, i) for i in self._ids(lib.perp_world_bodies, "perp_body_id")]

    @property
    def joints(self) -> list[Joint]:
        """All joints, in the order of their index."""
        return [Joint(self, i) for i in self._ids(lib.perp_world_joints, "perp_joint_id")]

    def body(self, name: str) -> Body:
        """The body of that name. In this order: also w.bodies[i]."""
        i = lib.perp_body_find(self._c, _text(name, "body"))
        if i.gen == 0:
            raise UnknownName(f"there is no body {name!r}; bodies: {', '.join(b.name for b in self.bodies if b.name)}")
        return Body(self, i)

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        i = lib.perp_joint_find(self._c, _text(name, "joint"))
        if i.gen == 0:
            raise UnknownName(f"there is no joint {name!r}; joints: {', '.join(j.name for j in self.joints if j.name)}")
        return Joint(self, i)

    def add(self, shapes: Union[Shape, Sequence[Shape], None] = None, *, kind: Optional[str] = None, density: Optional[float] = None,
            mass: Optional[float] = None, inertia: Any = None, at: Vector = (0.0, 0.0, 0.0), turn: Any = None,
            velocity: Vector = (0.0, 0.0, 0.0), spin: Any = (0.0, 0.0, 0.0), particle: bool = False, no_gravity: bool = False,
            name: str = "", label: str = "") -> Body:
        """Adds a body with its shapes.

        kind: "dynamic" (default), "obstacle" (default with a HalfSpace), "kinematic". With a density, mass and inertia are those of
        the shapes, and the body frame lies at their centre of mass: `at` and `turn` then place the frame in which shapes are given.
        Without one, mass (default 1) and inertia (default: of the shapes, scaled to the mass) count. velocity: of the centre of
        mass; spin: angular velocity [rad/T], one number in 2D.
        """
        dim = self.dim
        given: list[Any] = [] if shapes is None else [shapes] if isinstance(shapes, Shape) else list(shapes) if isinstance(shapes, Iterable) else [shapes]
        for s in given:
            if not isinstance(s, Shape):
                raise ArgumentError(f"add: found {type(s).__name__}; allowed: shapes such as perp.Box")
        if kind is None:
            kind = "obstacle" if any(isinstance(s, HalfSpace) for s in given) else "dynamic"
        if not isinstance(kind, str) or kind not in KINDS:
            raise UnknownName(f"kind: found {kind!r}; allowed: {', '.join(KINDS)}")
        defs = [s.definition(dim) for s in given]
        d = ffi.new("perp_body_def *", lib.perp_body_def_default(KINDS.index(kind)))
        d.X_WB = pose(at, turn, "at", dim)
        d.v_W = vector(velocity, "velocity", dim)
        d.w_W = self._spin(spin)
        d.particle = bool(particle) or (kind == "dynamic" and len(given) > 0 and all(isinstance(s, Particle) for s in given))
        d.no_gravity = bool(no_gravity)
        keep = [ffi.new("char[]", _text(t, "name")) if t else ffi.NULL for t in (name, label)]
        d.name, d.label = keep
        if kind == "dynamic":
            self._weigh(d, defs, density, mass, inertia)
        w = self._change(True)
        for s, _ in defs:  # first: a body that is removed again would not leave the world as it was
            status = lib.perp_shape_check(w, d.kind, ffi.new("perp_shape_def *", s))
            if status:
                self._do(status)
        body = ffi.new("perp_body_id *")
        self._do(lib.perp_body_add(w, d, body))
        made = Body(self, body[0])
        for s, _ in defs:
            status = lib.perp_shape_add(w, body[0], ffi.new("perp_shape_def *", s), ffi.NULL)
            if status:
                why = ffi.string(lib.perp_world_why(w)).decode(errors="replace")
                lib.perp_body_remove(w, body[0])
                raise failure(status, why)
        self._refresh()
        return made

    def _spin(self, spin: Any) -> tuple[float, float, float]:
        a = numbers(spin, "spin")
        return (0.0, 0.0, float(a.reshape(()))) if a.size == 1 and self.dim == 2 else vector(a, "spin", 3)

    def _weigh(self, d: Any, defs: list[Any], density: Optional[float], mass: Optional[float], inertia: Any) -> None:
        """Mass, inertia and centre of mass of a definition; shapes are moved so that the origin is the centre of mass."""
        if density is not None and mass is not None:
            raise ArgumentError("give a density or a mass, not both")
        solid = [s for s, _ in defs if not s.visual]
        wanted = number(mass, "mass") if mass is not None else 1.0
        if inertia is not None:
            I = numbers(inertia, "inertia")
            I = np.eye(3) * I if I.shape == () else np.diag(I) if I.shape == (3,) else I
            if I.shape != (3, 3):
                raise ArgumentError(f"inertia: found shape {I.shape}; allowed: one number, 3 or 3 x 3")
            d.mass = wanted
            d.I_B.c = [tuple(I[:, j]) for j in range(3)]
            return
        if not solid:
            d.mass = wanted if density is None else number(density, "density")
            return
        total, why = ffi.new("perp_mass *"), ffi.new("char[400]")
        for k, s in enumerate(solid):
            one = ffi.new("perp_mass *")
            check(lib.perp_shape_mass(ffi.new("perp_shape_def *", s), self.dim, number(density if density is not None else 1.0, "density"),
                                      one, why, 400), why)
            total = one if k == 0 else ffi.new("perp_mass *", lib.perp_mass_add(total[0], one[0]))
        scale = 1.0 if density is not None else wanted / total.mass
        if not total.mass * scale > 0:
            raise ArgumentError(f"mass: found {total.mass * scale:g}; allowed: a number > 0")
        d.mass = total.mass * scale
        if not d.particle:
            d.I_B.c = [(c.x * scale, c.y * scale, c.z * scale) for c in total.I_B.c]
        com = np.array([total.com_B.x, total.com_B.y, total.com_B.z])
        size = np.sqrt(max(sum(c for c in (total.I_B.c[0].x, total.I_B.c[1].y, total.I_B.c[2].z)), 0.0) / total.mass)
        if np.linalg.norm(com) <= 1e-9 * size:
            return
        q = np.array([d.X_WB.q.w, d.X_WB.q.x, d.X_WB.q.y, d.X_WB.q.z])
        t = 2 * np.cross(q[1:], com)
        moved = np.array([d.X_WB.p.x, d.X_WB.p.y, d.X_WB.p.z]) + com + q[0] * t + np.cross(q[1:], t)
        d.X_WB.p = tuple(moved)
        for s, _ in defs:
            p = s.X_BS.p
            s.X_BS.p = (p.x - com[0], p.y - com[1], p.z - com[2])

    def add_joint(self, kind: str, b: Body, a: Optional[Body] = None, *, at: Optional[Vector] = None, axis: Vector = (0.0, 0.0, 1.0),
                  axes: Sequence[dict[str, float]] = (), name: str = "", collide: bool = False, **extras: float) -> Joint:
        """Joins body b to body a (None: the world) as they stand.

        kind: fixed, revolute, prismatic, cylindrical, spherical, universal, planar. at: a point of the joint in the world frame;
        default: the centre of mass of b. axis: its direction in the world frame (z of the joint frames; in 2D the direction of a
        prismatic joint). Extras of the first coordinate: limits=(lo, hi), motor_speed, motor_force, stiffness, rest, damping,
        friction, armature; of several coordinates: axes=[{...}, {...}].
        """
        if not isinstance(kind, str) or kind not in _BODILY:
            raise UnknownName(f"joint: found {kind!r}; allowed: {', '.join(_BODILY)}; without bodies: add_coupling(), add_tendon()")
        dim = self.dim
        ids = part_id(self, b, Body, "b"), None if a is None else part_id(self, a, Body, "a")
        d = ffi.new("perp_joint_def *", lib.perp_joint_def_default(_JOINTS.index(kind)))
        p = vector(at, "at", dim) if at is not None else tuple(float(x) for x in b.position)
        d.X_AJ, d.X_BJ = (self._in_body(x, p, self._frame(axis)) for x in (a, b))
        d.b = ids[0]
        if ids[1] is not None:
            d.a = ids[1]
        if axes and extras:
            raise ArgumentError(f"add_joint: found axes and {', '.join(extras)}; allowed: extras of the first coordinate, or axes for each of them")
        if isinstance(axes, Mapping) or not all(isinstance(x, Mapping) for x in axes):
            raise ArgumentError("axes: allowed: a list of dictionaries, one for each coordinate")
        every = [dict(x) for x in axes] or ([dict(extras)] if extras else [])
        count = lib.perp_joint_ncoord(_JOINTS.index(kind), dim)
        if len(every) > max(count, 0):
            raise ArgumentError(f"axes: found {len(every)}; a {kind} joint has {max(count, 0)} coordinates in {dim}D")
        for i, x in enumerate(every):
            d.axis[i] = axis_definition(d.axis[i], x)
        d.collide = bool(collide)
        return self._add_joint(d, name)

    def _add_joint(self, d: Any, name: str) -> Joint:
        keep = ffi.new("char[]", _text(name, "name")) if name else ffi.NULL
        d.name = keep
        out = ffi.new("perp_joint_id *")
        self._do(lib.perp_joint_add(self._change(True), d, out))
        return Joint(self, out[0])

    def _sum(self, kind: str, terms: Any, offset: float) -> tuple[Any, Any]:
        """Definition of a coupling or tendon, and its terms, which it points to."""
        try:
            given = [tuple(t) for t in terms]
        except TypeError as e:
            raise ArgumentError(f"terms: found {type(terms).__name__}; allowed: a list of (joint, c) or (joint, c, coord)") from e
        d = ffi.new("perp_joint_def *", lib.perp_joint_def_default(_JOINTS.index(kind)))
        c = ffi.new("perp_joint_term[]", max(len(given), 1))
        for i, t in enumerate(given):
            if not 2 <= len(t) <= 3:
                raise ArgumentError(f"terms[{i}]: found {len(t)} entries; allowed: (joint, c) or (joint, c, coord)")
            powers = numbers(t[1], f"terms[{i}]: c").ravel()
            if not 1 <= powers.size <= len(c[i].c):
                raise ArgumentError(f"terms[{i}]: c: found {powers.size} numbers; allowed: 1 to {len(c[i].c)}, of q, q^2, q^3, q^4")
            c[i].joint = part_id(self, t[0], Joint, f"terms[{i}]")
            c[i].coord = integer(t[2], f"terms[{i}]: coord", 0, 2) if len(t) == 3 else 0
            for k, x in enumerate(powers):
                c[i].c[k] = float(x)
        d.term, d.nterm, d.offset = c, len(given), number(offset, "offset")
        return d, c

    def add_coupling(self, terms: Sequence[Sequence[Any]], *, offset: float = 0.0, name: str = "") -> Joint:
        """Keeps offset + sum c q at 0 over coordinates q of joints: gears, mimic joints. terms: (joint, c) or (joint, c, coord); c is one
        number, or up to four: c[0] q + c[1] q^2 + c[2] q^3 + c[3] q^4. A gear of ratio r, q_b = r q_a: [(b, 1), (a, -r)]. It goes when one
        of its joints is removed."""
        d, keep = self._sum("coupling", terms, offset)
        return self._add_joint(d, name)

    def add_tendon(self, terms: Sequence[Sequence[Any]], *, offset: float = 0.0, name: str = "", **extras: Any) -> Joint:
        """A joint whose one coordinate is offset + sum c q over coordinates q of joints; terms as in add_coupling(). Extras: limits=(lo, hi),
        motor_speed, motor_force, stiffness, rest, damping, friction. It may have an actuator and sensors."""
        d, keep = self._sum("tendon", terms, offset)
        if extras:
            d.axis[0] = axis_definition(d.axis[0], extras)
        return self._add_joint(d, name)

    def _frame(self, axis: Vector) -> Any:
        """A frame with its z along an axis; in 2D its x."""
        n = np.array(vector(axis, "axis", 2), dtype=float)
        size = float(np.linalg.norm(n))
        if not size > 0:
            raise ArgumentError("axis: found a vector of length 0")
        n /= size
        if self.dim == 2:
            angle = 0.0 if abs(n[2]) > 0.5 else float(np.arctan2(n[1], n[0]))
            return lib.perp_q_axis_angle((0.0, 0.0, 1.0), angle)
        z = np.array([0.0, 0.0, 1.0])
        c = np.cross(z, n)
        s, cos = float(np.linalg.norm(c)), float(n[2])
        turn_about = tuple(c) if s > 1e-12 else (1.0, 0.0, 0.0)
        return lib.perp_q_axis_angle(turn_about, float(np.arctan2(s, cos)))

    @staticmethod
    def _in_body(b: Optional[Body], p: Any, q: Any) -> Any:
        """A frame given in the world, in the frame of a body."""
        X = ffi.new("perp_pose *")
        if b is None:
            X.p, X.q = p, q
            return X[0]
        at = b.pose
        w, v = float(at[3]), -np.asarray(at[4:7])  # the rotation back
        r = np.array(p) - at[:3]
        t = 2 * np.cross(v, r)
        X.p = tuple(r + w * t + np.cross(v, t))
        qv = np.array([q.x, q.y, q.z])
        X.q = (w * q.w - float(v @ qv), *(w * qv + q.w * v + np.cross(v, qv)))
        return X[0]

    # Forces

    def _add_force(self, d: Any) -> Force:
        out = ffi.new("perp_force_id *")
        self._do(lib.perp_force_add(self._change(True), d, out))
        return Force(self, out[0])

    def add_spring(self, b: Body, a: Optional[Body] = None, *, point_b: Vector = (0.0, 0.0, 0.0), point_a: Vector = (0.0, 0.0, 0.0),
                   stiffness: float = 0.0, rest_length: float = 0.0, damping: float = 0.0, drag: float = 0.0) -> Force:
        """A spring and damper between a point of a (None: the world) and a point of b, in the frames of the bodies."""
        d = ffi.new("perp_force_def *", lib.perp_force_def_default(lib.PERP_FORCE_SPRING))
        d.b = part_id(self, b, Body, "b")
        if a is not None:
            d.a = part_id(self, a, Body, "a")
        d.point_A, d.point_B = vector(point_a, "point_a", self.dim), vector(point_b, "point_b", self.dim)
        d.stiffness, d.rest_length = number(stiffness, "stiffness"), number(rest_length, "rest_length")
        d.damping, d.drag = number(damping, "damping"), number(drag, "drag")
        return self._add_force(d)

    def add_pd(self, joint: Joint, *, coord: int = 0, kp: float, kd: float, target: float = 0.0, target_rate: float = 0.0,
               max_force: float = float("inf")) -> Force:
        """PD control of a joint coordinate: force = kp (target - x) + kd (target_rate - x'), clipped to max_force."""
        d = ffi.new("perp_force_def *", lib.perp_force_def_default(lib.PERP_FORCE_PD))
        d.joint, d.coord = part_id(self, joint, Joint, "joint"), integer(coord, "coord", 0, 2)
        d.kp, d.kd, d.target = number(kp, "kp"), number(kd, "kd"), number(target, "target")
        d.target_rate, d.max_force = number(target_rate, "target_rate"), number(max_force, "max_force", infinite=True)
        return self._add_force(d)

    def add_force(self, b: Body, f: Callable[[float], Any]) -> Force:
        """A function of Python that pushes a body: f(t) gives a force, or force and torque (6 numbers), about the centre of mass
        in the world frame. It is called once per step, with the world as at the start of it. What it raises, the step raises,
        and the world is unchanged."""
        if not callable(f):
            raise ArgumentError(f"add_force: found {type(f).__name__}; allowed: a function of time")
        d = ffi.new("perp_force_def *", lib.perp_force_def_default(lib.PERP_FORCE_USER))
        d.b, d.user, d.ctx = part_id(self, b, Body, "b"), lib.py_force, _callbacks.handle(self._memory, f, self.dim)
        return self._add_force(d)

    # Materials

    def material(self) -> int:
        """A new material; 0 exists."""
        out = ffi.new("int *")
        self._do(lib.perp_material_add(self._change(True), out))
        return int(out[0])

    def law(self, a: Optional[int] = None, b: Optional[int] = None, **law: Any) -> None:
        """Sets the law between materials a and b, or, without them, of every pair: mu, restitution, restitution_t, e_t, e_o, e_r, e_roll,
        compliance ("rigid", "linear", "hertz", "foundation"), stiffness, damping, stiffness_t, damping_t, layer."""
        c = ffi.new("perp_pair_law *")
        kinds = ("rigid", "linear", "hertz", "foundation")
        for k, v in law.items():
            if k == "compliance":
                if not isinstance(v, str) or v not in kinds:
                    raise UnknownName(f"compliance: found {v!r}; allowed: {', '.join(kinds)}")
                c.compliance = kinds.index(v)
            elif k in ("mu", "restitution", "restitution_t", "e_t", "e_o", "e_r", "e_roll", "stiffness", "damping", "stiffness_t", "damping_t", "layer"):
                setattr(c, k, number(v, k))
            else:
                raise UnknownName(f"a law has no {k!r}")
        if (a is None) != (b is None):
            raise ArgumentError("law: give two materials or none")
        w = self._change()
        if a is None:
            self._do(lib.perp_pair_set_all(w, c[0]))
        else:
            self._do(lib.perp_pair_set(w, integer(a, "a", 0, 4096), integer(b, "b", 0, 4096), c[0]))

    # Files

    def write(self, path: Union[str, "os.PathLike[str]"], *, title: str = "", duration: float = 10.0) -> None:
        """Writes the world as a scene file, which reads back to the same world. An existing file is never written over."""
        words = ffi.new("perp_scene_words *", lib.perp_scene_words_default())
        keep = ffi.new("char[]", _text(title, "title"))
        words.title, words.duration = keep, number(duration, "duration")
        why = ffi.new("perp_refusal *")
        check(lib.perp_world_write_scene(self._c, _text(path, "path"), words, why), why)

    def _repr_html_(self) -> str:
        from .notebook import world_html

        return world_html(self)

    def __repr__(self) -> str:
        if self._w is None:
            return "<perp.World, closed>"
        return f"<perp.World {self.dim}D, {lib.perp_world_body_count(self._w)} bodies, t = {self.time:g}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from .model import Model, _world_again

        if self._source is not None:
            return _world_again, (self._source, self.state, self._take_ctrl())
        self._take_ctrl()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "world.yaml")
            self.write(path)
            with open(path, "rb") as f:
                data = f.read()
        return _world_again, (Model._from_files([("world.yaml", data)], {}), None)
