# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""What robots need of a world: q and v of its joints, actuators and their ctrl, sites, keyframes, pairs of bodies that never touch."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np

from ._arrays import Floats, Vector, integer, number, numbers, pointer, text, vector, view
from ._native import ffi, lib
from .errors import ArgumentError, UnknownName
from .joint_space import JointSpace
from .parts import Body, Joint, _Named, part_id
from .shapes import pose

if TYPE_CHECKING:
    from .world import Memory, World

ACTUATORS = ("force", "position", "velocity")


class Actuator(_Named):
    """A force, position or velocity servo on a joint coordinate, driven by one number, its ctrl."""

    __slots__ = ()
    _what = "actuator"

    @property
    def kind(self) -> str:
        """force: ctrl is the force. position: ctrl is the target of the length. velocity: ctrl is the target of its rate."""
        return ACTUATORS[int(self._get().kind)]

    @property
    def joint(self) -> Joint:
        """The joint that it drives."""
        d = self._get()  # a field that is a struct does not keep the definition it lies in
        return Joint(self.world, ffi.new("perp_joint_id *", d.joint)[0])

    @property
    def ctrl(self) -> float:
        """The number that drives it, from the next step on. A value beyond its range is kept and clipped."""
        return float(self._get().ctrl)

    @ctrl.setter
    def ctrl(self, value: float) -> None:
        self._get()
        source = self.world._source
        self.world._do(lib.perp_actuator_set_ctrl(self.world._change(), self._id, number(value, "ctrl")))
        self.world._source = source  # pickling keeps ctrl beside the state

    @property
    def force(self) -> float:
        """What the joint felt from the actuator in the last step, on average [force or torque]; 0 before the first step."""
        out = ffi.new("double *")
        if lib.perp_actuator_force(self.world._c, self._id, out):
            raise self._stale()
        return float(out[0])

    def remove(self) -> None:
        """Removes the actuator. Rows of World.ctrl behind it move up: take World.ctrl again."""
        self._get()
        self.world._do(lib.perp_actuator_remove(self.world._change(True), self._id))

    def __repr__(self) -> str:
        return self._shown()


class Site(_Named):
    """A named frame fixed in a body or in the world: a tool point, a foot, the frame of a model's link."""

    __slots__ = ()
    _what = "site"

    @property
    def body(self) -> Optional[Body]:
        """The body it is fixed in; None: the world."""
        d = self._get()
        b = ffi.new("perp_body_id *", d.body)[0]
        return None if b.gen == 0 else Body(self.world, b)

    @property
    def pose(self) -> Floats:
        """Position in the world frame and quaternion w, x, y, z: 7 numbers."""
        X = ffi.new("perp_pose *")
        if lib.perp_site_read(self.world._c, self._id, X, ffi.NULL, ffi.NULL):
            raise self._stale()
        return np.array([X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z])

    @property
    def twist(self) -> Floats:
        """Velocity of its origin and angular velocity, in the world frame: 6 numbers."""
        v = ffi.new("perp_vec3[2]")
        if lib.perp_site_read(self.world._c, self._id, ffi.NULL, v, v + 1):
            raise self._stale()
        return np.array([c for x in v for c in (x.x, x.y, x.z)])

    def remove(self) -> None:
        """Removes the site."""
        self._get()
        self.world._do(lib.perp_site_remove(self.world._change(True), self._id))


class Keyframe(NamedTuple):
    """A named state of the joints, in the order of World.q, World.v and World.ctrl. None: not given."""

    name: str
    q: Optional[Floats]
    v: Optional[Floats]
    ctrl: Optional[Floats]


class Robot:
    """The part of World that is about joints, actuators, sites and keyframes."""

    __slots__ = ("_space", "_shown", "_lent", "_ctrl")

    if TYPE_CHECKING:
        _memory: Memory
        _space: Optional[JointSpace]
        _source: Any

        @property
        def _c(self) -> Any: ...

        def _change(self, parts: bool = False) -> Any: ...

        def _do(self, status: int) -> None: ...

        def _looked(self) -> Any: ...

        def _ids(self, ask: Any, kind: str) -> Any: ...

        @property
        def dim(self) -> int: ...

    _shown: Any  # a joint space of its own, which holds q and v that are lent; NULL until somebody asks for them
    _lent: tuple[Optional[Floats], Optional[Floats]]
    _ctrl: tuple[Any, int, Optional[Floats]]

    def _robot(self) -> None:
        """Nothing is lent yet."""
        self._space = None
        self._shown, self._lent = ffi.NULL, (None, None)
        self._ctrl = (None, 0, None)

    def _self(self) -> "World":
        return self  # type: ignore[return-value]

    # Joint space

    @property
    def joint_space(self) -> JointSpace:
        """Coordinates of the joints and the dynamics in them: mass matrix, bias, Jacobians, ... Take it again after bodies or joints
        were added or removed."""
        self._c
        if self._space is None:
            self._space = JointSpace(self._self())
        return self._space

    def _lend(self) -> tuple[Floats, Floats]:
        w = self._c
        if self._shown == ffi.NULL or lib.perp_joint_space_get(self._shown, w, ffi.NULL, ffi.NULL):
            out, memory = ffi.new("perp_joint_space **"), self._memory
            self._do(lib.perp_world_joint_space(w, ffi.NULL, out))

            def free(s: Any, keep: Any = memory) -> None:
                lib.perp_joint_space_free(s)

            s = ffi.gc(out[0], free)
            p = ffi.new("double *[2]")
            lib.perp_joint_space_look(s, ffi.cast("const double **", p), ffi.cast("const double **", p + 1))
            self._lent = (view(p[0], (lib.perp_joint_space_nq(s),), s), view(p[1], (lib.perp_joint_space_nv(s),), s))
            self._shown = s
        q, v = self._lent
        assert q is not None and v is not None
        return q, v

    def _follow(self) -> None:
        """Brings q and v that somebody holds up to date after a change that was no step."""
        if self._shown != ffi.NULL:
            lib.perp_joint_space_get(self._shown, self._c, ffi.NULL, ffi.NULL)

    @property
    def q(self) -> Floats:
        """Coordinates of all joints and free bodies (perp/joint_space.h tells their order): a read-only view of the library's own array,
        which follows every step. Assigning to w.q places the bodies; loops must close. Take it again after bodies or joints were added."""
        return self._lend()[0]

    @q.setter
    def q(self, value: Any) -> None:
        self.joint_space.set(q=value)

    @property
    def v(self) -> Floats:
        """Velocities that go with q: a read-only view, likewise. Assigning to w.v sets them."""
        return self._lend()[1]

    @v.setter
    def v(self, value: Any) -> None:
        self.joint_space.set(v=value)

    # Actuators

    @property
    def ctrl(self) -> Floats:
        """ctrl of all actuators in the order of World.actuators: a view of the library's own array that may be written. What is written is
        taken over when the next step begins; a number that is not finite makes this step raise, and the world is unchanged. Take it again
        after actuators were added or removed."""
        v = self._looked()
        p, n, a = self._ctrl
        if a is None or p != v.ctrl or n != v.nctrl:
            self._memory.pin(v.ctrl)
            a = view(v.ctrl, (v.nctrl,), self._memory, writeable=True)
            self._ctrl = (v.ctrl, v.nctrl, a)
        return a

    @ctrl.setter
    def ctrl(self, value: Any) -> None:
        n = lib.perp_world_get_ctrl(self._c, ffi.NULL, 0)
        a, source = numbers(value, "ctrl", (n,)), self._source
        self._do(lib.perp_world_set_ctrl(self._change(), pointer(a), n))
        self._source = source  # pickling keeps ctrl beside the state

    def _take_ctrl(self) -> Optional[Floats]:
        """ctrl, after what was written to the array was taken over: a state that is saved knows of forces that jumped. None: no actuators."""
        w = self._c
        n = lib.perp_world_get_ctrl(w, ffi.NULL, 0)
        if n == 0:
            return None
        c = np.zeros(n)
        lib.perp_world_get_ctrl(w, pointer(c), n)
        self._do(lib.perp_world_set_ctrl(w, pointer(c), n))
        return c

    @property
    def actuators(self) -> list[Actuator]:
        """All actuators, in the order of ctrl."""
        return [Actuator(self._self(), i) for i in self._ids(lib.perp_world_actuators, "perp_actuator_id")]

    def actuator(self, name: str) -> Actuator:
        """The actuator of that name."""
        i = lib.perp_actuator_find(self._c, text(name, "actuator"))
        if i.gen == 0:
            raise UnknownName(f"there is no actuator {name!r}; actuators: {', '.join(a.name for a in self.actuators if a.name)}")
        return Actuator(self._self(), i)

    def add_actuator(self, kind: str, joint: Joint, *, coord: int = 0, gear: float = 1.0, kp: float = 0.0, kv: float = 0.0, ctrl: float = 0.0,
                     ctrl_range: Any = None, force_range: Any = None, joint_range: Any = None, name: str = "") -> Actuator:
        """Adds an actuator on a joint coordinate x, with length l = gear x. kind: "force": f = ctrl; "position": f = kp (ctrl - l) - kv l';
        "velocity": f = kv (ctrl - l'). ctrl is clipped to ctrl_range, f to force_range, and what the joint feels, gear f, to joint_range;
        each is (lowest, highest). Servos are implicit: any kp and kv are stable."""
        if not isinstance(kind, str) or kind not in ACTUATORS:
            raise UnknownName(f"actuator: found {kind!r}; allowed: {', '.join(ACTUATORS)}")
        d = ffi.new("perp_actuator_def *", lib.perp_actuator_def_default(ACTUATORS.index(kind)))
        d.joint, d.coord = part_id(self._self(), joint, Joint, "joint"), integer(coord, "coord", 0, 2)
        d.gear, d.kp, d.kv, d.ctrl = number(gear, "gear"), number(kp, "kp"), number(kv, "kv"), number(ctrl, "ctrl")
        for key, given in (("ctrl", ctrl_range), ("force", force_range), ("joint", joint_range)):
            if given is not None:
                lo, hi = numbers(given, key + "_range", (2,), infinite=True)
                setattr(d, key + "_lo", float(lo))
                setattr(d, key + "_hi", float(hi))
        keep = ffi.new("char[]", text(name, "name")) if name else ffi.NULL
        d.name = keep
        out = ffi.new("perp_actuator_id *")
        self._do(lib.perp_actuator_add(self._change(True), d, out))
        return Actuator(self._self(), out[0])

    # Pairs of bodies that never touch

    def exclude(self, a: Body, b: Body) -> None:
        """Shapes of the two bodies no longer touch each other, as those of two jointed bodies."""
        pair = [part_id(self._self(), x, Body, "exclude") for x in (a, b)]
        self._do(lib.perp_world_exclude(self._change(), *pair))

    def include(self, a: Body, b: Body) -> None:
        """They may touch again."""
        pair = [part_id(self._self(), x, Body, "include") for x in (a, b)]
        self._do(lib.perp_world_include(self._change(), *pair))

    # Sites and keyframes

    @property
    def sites(self) -> list[Site]:
        """All sites, in the order of their index."""
        return [Site(self._self(), i) for i in self._ids(lib.perp_world_sites, "perp_site_id")]

    def site(self, name: str) -> Site:
        """The site of that name."""
        i = lib.perp_site_find(self._c, text(name, "site"))
        if i.gen == 0:
            raise UnknownName(f"there is no site {name!r}; sites: {', '.join(s.name for s in self.sites if s.name)}")
        return Site(self._self(), i)

    def add_site(self, name: str = "", body: Optional[Body] = None, *, at: Vector = (0.0, 0.0, 0.0), turn: Any = None, model: bool = False) -> Site:
        """Adds a named frame, placed in the frame of a body (None: in the world). model: this frame stands for the body in its model; if
        the body is free, q places it."""
        d = ffi.new("perp_site_def *", lib.perp_site_def_default())
        d.X_BS, d.model = pose(vector(at, "at", self.dim), turn, "at", 3), bool(model)
        if body is not None:
            d.body = part_id(self._self(), body, Body, "body")
        keep = ffi.new("char[]", text(name, "name")) if name else ffi.NULL
        d.name = keep
        out = ffi.new("perp_site_id *")
        self._do(lib.perp_site_add(self._change(True), d, out))
        return Site(self._self(), out[0])

    @property
    def keyframes(self) -> dict[str, Keyframe]:
        """All keyframes by name, in the order in which they were added."""
        out, k = {}, ffi.new("perp_keyframe *")
        for i in range(lib.perp_world_keyframe_count(self._c)):
            self._do(lib.perp_keyframe_get(self._c, i, k))
            name = str(ffi.string(k.name).decode())
            parts = [np.array(list(p[0:n])) if n else None for p, n in ((k.q, k.nq), (k.v, k.nv), (k.ctrl, k.nctrl))]
            out[name] = Keyframe(name, *parts)
        return out

    def keyframe(self, name: str) -> Keyframe:
        """The keyframe of that name."""
        every = self.keyframes
        if not isinstance(name, str) or name not in every:
            raise UnknownName(f"there is no keyframe {name!r}; keyframes: {', '.join(every)}")
        return every[name]

    def add_keyframe(self, name: str, q: Any = None, v: Any = None, ctrl: Any = None) -> None:
        """Adds a keyframe, or replaces the one of that name. Lengths are checked where it is used."""
        label = ffi.new("char[]", text(name, "name"))
        k = ffi.new("perp_keyframe *", {"name": label})
        given = [None if x is None else numbers(x, what, (None,)) for x, what in ((q, "q"), (v, "v"), (ctrl, "ctrl"))]
        for key, a in zip(("q", "v", "ctrl"), given):
            if a is not None and a.size:
                setattr(k, key, pointer(a))
                setattr(k, "n" + key, a.size)
        self._do(lib.perp_keyframe_add(self._change(), k))

    def set_keyframe(self, name: str) -> None:
        """Puts the world into a keyframe: q (loops are closed from there), v (zero if not given) and ctrl."""
        i = list(self.keyframes).index(self.keyframe(name).name)
        space = self.joint_space
        self._do(lib.perp_joint_space_set_keyframe(space._s, self._change(), i))
        self._self()._refresh()
