# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""What a world is made of: bodies, joints, force elements; and its contacts."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from . import _callbacks
from ._arrays import Floats, number, numbers, vector
from ._native import ffi, lib
from .errors import ArgumentError, PerpError, UnknownName
from .shapes import pose

if TYPE_CHECKING:
    from .world import World

KINDS = ("obstacle", "kinematic", "dynamic")
STATES = ("separating", "sticking", "sliding")


def _contact_type() -> np.dtype[Any]:
    """The struct perp_contact as numpy sees it; layout from the compiler."""
    names, formats, offsets = [], [], []
    for name, f in ffi.typeof("perp_contact").fields:
        t = f.type.cname.replace("struct ", "")
        kind: Any = {"double": "f8", "uint64_t": "u8", "perp_vec3": ("f8", 3), "perp_shape_id": ("u4", 2)}.get(t)
        if kind is None:
            kind = ("f8", 3) if t == "double[3]" else "u4"
        names.append(name)
        formats.append(kind)
        offsets.append(f.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof("perp_contact")})


contact_type = _contact_type()


def axis_definition(axis: Any, extras: dict[str, Any]) -> Any:
    """Extras of a joint coordinate, added to those it has."""
    a = ffi.new("perp_joint_axis *", axis)
    for k, v in extras.items():
        if k == "limits":
            if v is None:
                a.limited = False
                continue
            lo, hi = numbers(v, "limits", (2,), infinite=True)
            a.limited, a.lo, a.hi = True, float(lo), float(hi)
        elif k == "motor_speed":
            a.motor, a.motor_speed = True, number(v, k)
            if "motor_force" not in extras and not axis.motor:
                a.motor_force = float("inf")
        elif k == "motor_force":
            a.motor, a.motor_force = True, number(v, k, infinite=True)
        elif k in ("stiffness", "rest", "damping", "friction", "armature"):
            setattr(a, k, number(v, k))
        else:
            raise UnknownName(f"a joint coordinate has no {k!r}; allowed: limits, motor_speed, motor_force, stiffness, rest, damping, friction, armature")
    return a[0]


def part_id(world: "World", x: Any, kind: "type[_Part]", what: str) -> Any:
    """The id of a body, joint or site that must be one of this world. An id of another world may stand for something else here."""
    if not isinstance(x, kind):
        raise ArgumentError(f"{what}: found {type(x).__name__}; allowed: a {kind.__name__} of this world")
    if x.world is not world and x.world._c != world._c:
        raise ArgumentError(f"{what}: the {kind._what} is of another world; take world.{kind._what}(name) of this one")
    return x._id


class _Part:
    """Something in a world, by its id."""

    __slots__ = ("world", "_id", "index")
    _what = "part"

    def __init__(self, world: "World", i: Any) -> None:
        self.world = world
        self._id = i
        self.index = int(i.slot)

    def _stale(self) -> ArgumentError:
        return ArgumentError(f"the {self._what} was removed from its world")

    def _get(self) -> Any:
        """Its definition, as the library has it."""
        d = ffi.new(f"perp_{self._what}_def *")
        if getattr(lib, f"perp_{self._what}_get")(self.world._c, self._id, d):
            raise self._stale()
        return d

    def _shown(self) -> str:
        """Text for people, also of what is gone."""
        kind = f"perp.{type(self).__name__}"
        try:
            return f"<{kind} {getattr(self, 'name') or self.index}>"
        except PerpError:
            return f"<{kind}, removed>"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.world is self.world and (other._id.slot, other._id.gen) == (self._id.slot, self._id.gen)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((id(self.world), self._id.slot, self._id.gen))

    def __reduce__(self) -> Any:
        raise TypeError(f"a {self._what} cannot be pickled alone; pickle its world and take world.{self._what}(name) again")


class _Named(_Part):
    """A part whose definition has a name."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Its name, "" for none."""
        n = self._get().name
        return "" if n == ffi.NULL else str(ffi.string(n).decode())


class Body(_Part):
    """A body of a world. `index` is its row in World.poses and World.twists."""

    __slots__ = ()
    _what = "body"

    @property
    def _w(self) -> Any:
        w = self.world._c
        if lib.perp_body_name(w, self._id) == ffi.NULL:
            raise self._stale()
        return w

    @property
    def alive(self) -> bool:
        """False after it was removed."""
        return bool(lib.perp_body_name(self.world._c, self._id) != ffi.NULL)

    @property
    def name(self) -> str:
        """Its name, "" for none."""
        return str(ffi.string(lib.perp_body_name(self._w, self._id)).decode())

    @property
    def kind(self) -> str:
        """obstacle, kinematic or dynamic."""
        return KINDS[int(self._get().kind)]

    @property
    def mass(self) -> float:
        """Mass [M]."""
        return float(self._get().mass)

    @property
    def inertia(self) -> Floats:
        """Inertia about the centre of mass, in the body frame (3 x 3) [M L^2]."""
        d = self._get()  # a field that is a struct does not keep the definition it lies in
        columns: Floats = np.array([[c.x, c.y, c.z] for c in d.I_B.c])
        return columns.T

    @property
    def pose(self) -> Floats:
        """Position and quaternion (7 numbers): a read-only row of World.poses. Setting it places the body."""
        self._w
        row: Floats = self.world.poses[self.index]
        return row

    @pose.setter
    def pose(self, value: Any) -> None:
        x = numbers(value, "pose", (7,))
        self._place(pose(x[:3], x[3:], "pose", 3))

    def _place(self, X: Any) -> None:
        self._w
        self.world._do(lib.perp_body_set_pose(self.world._change(), self._id, X))
        self.world._refresh()

    @property
    def position(self) -> Floats:
        """Position of the centre of mass: a read-only view. Setting it keeps the orientation."""
        return self.pose[:3]

    @position.setter
    def position(self, value: Any) -> None:
        x = vector(value, "position", self.world.dim)
        self._place(pose(x, np.array(self.pose[3:]), "position", 3))

    @property
    def quaternion(self) -> Floats:
        """Orientation w, x, y, z, body to world: a read-only view. Setting it keeps the position."""
        return self.pose[3:]

    @quaternion.setter
    def quaternion(self, value: Any) -> None:
        self._place(pose(np.array(self.pose[:3]), numbers(value, "quaternion", (4,)), "quaternion", 3))

    @property
    def rotation(self) -> Floats:
        """Rotation matrix, body to world (3 x 3)."""
        w, x, y, z = self.quaternion
        return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])

    @property
    def angle(self) -> float:
        """2D: angle, counted without wrapping [rad]."""
        out = ffi.new("double *")
        if lib.perp_body_angle(self._w, self._id, out):
            raise ArgumentError("a body of a 3D world has no angle; see quaternion")
        return float(out[0])

    @property
    def velocity(self) -> Floats:
        """Velocity of the centre of mass, world frame: a read-only view. Setting it keeps the spin."""
        self._w
        return self.world.twists[self.index, :3]

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._w
        s = self.world.twists[self.index, 3:]
        w = self.world
        w._do(lib.perp_body_set_velocity(w._change(), self._id, vector(value, "velocity", w.dim), tuple(float(x) for x in s)))
        w._refresh()

    @property
    def spin(self) -> Floats:
        """Angular velocity, world frame [rad/T]: a read-only view. Setting it keeps the velocity; in 2D one number will do."""
        self._w
        return self.world.twists[self.index, 3:]

    @spin.setter
    def spin(self, value: Any) -> None:
        self._w
        w = self.world
        v = w.twists[self.index, :3]
        w._do(lib.perp_body_set_velocity(w._change(), self._id, tuple(float(x) for x in v), w._spin(value)))
        w._refresh()

    @property
    def force(self) -> Floats:
        """Force that acts at the centre of mass until changed, world frame. Setting it keeps the torque."""
        f = ffi.new("perp_vec3 *")
        if lib.perp_body_get_force(self._w, self._id, f, ffi.NULL):
            raise self._stale()
        return np.array([f.x, f.y, f.z])

    @force.setter
    def force(self, value: Any) -> None:
        self.push(value, self.torque)

    @property
    def torque(self) -> Floats:
        """Torque that acts until changed, world frame. Setting it keeps the force; in 2D one number will do."""
        t = ffi.new("perp_vec3 *")
        if lib.perp_body_get_force(self._w, self._id, ffi.NULL, t):
            raise self._stale()
        return np.array([t.x, t.y, t.z])

    @torque.setter
    def torque(self, value: Any) -> None:
        self.push(self.force, value)

    def push(self, force: Any, torque: Any = (0.0, 0.0, 0.0)) -> None:
        """Sets force and torque that act until changed."""
        w = self.world
        self._w
        w._do(lib.perp_body_set_force(w._change(), self._id, vector(force, "force", w.dim), w._spin(torque)))

    def drive(self, motion: Callable[[float], Any]) -> None:
        """Gives a kinematic body its motion: motion(t) gives position (3), position and quaternion (7), or in 2D x, y, angle. It
        must depend on t alone."""
        if not callable(motion):
            raise ArgumentError(f"drive: found {type(motion).__name__}; allowed: a function of time")
        self._w
        w = self.world
        d = ffi.new("perp_motion_def *", lib.perp_motion_def_default(lib.PERP_MOTION_USER))
        d.pose, d.ctx = lib.py_motion, _callbacks.handle(w._memory, motion, w.dim)
        w._do(lib.perp_body_set_motion(w._change(), self._id, d))
        w._refresh()

    def remove(self) -> None:
        """Removes the body with its shapes, joints and force elements."""
        self._w
        self.world._do(lib.perp_body_remove(self.world._change(True), self._id))

    def __repr__(self) -> str:
        return f"<perp.Body {getattr(self, 'name') or self.index}>" if self.world._w is not None and self.alive else "<perp.Body, removed>"


class Term(NamedTuple):
    """A coordinate q of a joint in the sum of a coupling or tendon: c[0] q + c[1] q^2 + c[2] q^3 + c[3] q^4."""

    joint: "Joint"
    c: Floats
    coord: int


class Joint(_Named):
    """A joint of a world: between bodies, or a coupling or tendon, which is about a sum over coordinates of such joints."""

    __slots__ = ()
    _what = "joint"

    @property
    def kind(self) -> str:
        """fixed, revolute, prismatic, ..., coupling, tendon"""
        from .world import _JOINTS

        return _JOINTS[int(self._get().kind)]

    @property
    def coords(self) -> int:
        """Number of its coordinates."""
        return max(int(lib.perp_joint_ncoord(self._get().kind, self.world.dim)), 0)

    def _read(self) -> tuple[Floats, Floats]:
        n = self.coords
        x, v = ffi.new("double[3]"), ffi.new("double[3]")
        if lib.perp_joint_read(self.world._c, self._id, x, v):
            raise self._stale()
        return np.array(list(x)[:n]), np.array(list(v)[:n])

    @property
    def position(self) -> Floats:
        """Coordinates [L or rad]; angles count turns."""
        return self._read()[0]

    @property
    def rate(self) -> Floats:
        """Rates of the coordinates."""
        return self._read()[1]

    @property
    def terms(self) -> list[Term]:
        """Coupling, tendon: what is summed up. Other joints have none."""
        d = self._get()
        return [Term(Joint(self.world, ffi.new("perp_joint_id *", t.joint)[0]), np.array(list(t.c)), int(t.coord)) for t in (d.term[i] for i in range(d.nterm))]

    @property
    def offset(self) -> float:
        """Coupling, tendon: constant part of the sum."""
        return float(self._get().offset)

    @property
    def impulse(self) -> Floats:
        """Impulse of the last step on body b: linear (3) and angular (3), world frame. Over h it is force and torque. A coupling or
        tendon has no body of its own: the first number is the impulse along its sum, the others are 0."""
        out = ffi.new("perp_wrench *")
        if lib.perp_joint_impulse(self.world._c, self._id, out):
            raise self._stale()
        f, t = out.force, out.torque
        return np.array([f.x, f.y, f.z, t.x, t.y, t.z])

    @property
    def error(self) -> tuple[float, float]:
        """Distance [L] and angle [rad] by which its frames miss. Of a coupling the first or second is the sum that should be 0."""
        a, b = ffi.new("double *"), ffi.new("double *")
        if lib.perp_joint_error(self.world._c, self._id, a, b):
            raise self._stale()
        return float(a[0]), float(b[0])

    def set(self, coord: int = 0, **extras: Any) -> None:
        """Changes extras of a coordinate: limits, motor_speed, motor_force, stiffness, rest, damping, friction, armature."""
        d = self._get()
        if coord not in range(self.coords):
            raise ArgumentError(f"coord: found {coord!r}; this joint has {self.coords} coordinates")
        a = ffi.new("perp_joint_axis *", axis_definition(d.axis[coord], extras))
        self.world._do(lib.perp_joint_set_axis(self.world._change(), self._id, coord, a))

    def remove(self) -> None:
        """Removes the joint."""
        self._get()
        self.world._do(lib.perp_joint_remove(self.world._change(True), self._id))

    def __repr__(self) -> str:
        return self._shown()


class Force(_Part):
    """A force element of a world."""

    __slots__ = ()
    _what = "force"

    def target(self, target: float, rate: float = 0.0) -> None:
        """PD controller: sets its target and the rate of it."""
        w = self.world
        w._do(lib.perp_force_set_target(w._change(), self._id, number(target, "target"), number(rate, "rate")))

    def remove(self) -> None:
        """Removes the force element."""
        self.world._do(lib.perp_force_remove(self.world._change(True), self._id))


class Contact(NamedTuple):
    """A contact of the last step. Force is on the second body, in the world frame."""

    bodies: tuple[Body, Body]
    point: Floats
    normal: Floats
    force: Floats
    normal_force: float
    gap: float
    state: str
    mu: float
    feature: int


class Contacts(Sequence[Contact]):
    """Contacts of the last step. `array` is the library's own array of structs, read-only, valid until the next step; items and
    iteration give Contact objects with numbers of their own."""

    def __init__(self, world: "World", array: npt.NDArray[Any]) -> None:
        self.world = world
        self.array = array
        self._h = world.h

    def __len__(self) -> int:
        return len(self.array)

    def _body(self, shape: Any) -> Body:
        s = ffi.new("perp_shape_id *", (int(shape[0]), int(shape[1])))
        return Body(self.world, lib.perp_shape_body(self.world._c, s[0]))

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        c = self.array[i]
        p = c["impulse_C"]
        force = (p[0] * c["n_W"] + p[1] * c["t_W"] + p[2] * c["o_W"]) / self._h
        return Contact((self._body(c["a"]), self._body(c["b"])), np.array(c["a_W"]), np.array(c["n_W"]), force, float(p[0] / self._h),
                       float(c["gap"]), STATES[int(c["state"])], float(c["mu"]), int(c["feature"]))

    def __iter__(self) -> Iterator[Contact]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return f"<perp.Contacts, {len(self)}>"
