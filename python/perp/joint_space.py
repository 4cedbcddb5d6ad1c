# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Joint space: coordinates q and velocities v of a world's joints, and the dynamics in them."""
from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._arrays import Floats, number, numbers, pointer, vector
from ._native import ffi, lib
from .errors import ArgumentError, ClosedError, UnknownName, failure
from .parts import Body, part_id

if TYPE_CHECKING:
    from .world import World

#: Loops that miss by more than this [L or rad] are refused by setting q and v; project() closes them first. A step holds joints to about 1e-10.
LOOP_TOLERANCE = 1e-6


class Link(NamedTuple):
    """A link of the forest: a dynamic body and the joint it hangs by. Its coordinates are q[q], its velocities v[v]."""

    name: str
    body: Body
    q: slice
    v: slice


class JointSpace:
    """The joint space of a world as it is made now. Functions without arguments speak about the configuration (q, v) of the last read()
    or place(); read() is that of the world. After bodies or joints were added or removed take World.joint_space again."""

    def __init__(self, world: "World") -> None:
        out = ffi.new("perp_joint_space **")
        world._do(lib.perp_world_joint_space(world._c, ffi.NULL, out))
        memory = world._memory

        def free(s: Any, keep: Any = memory) -> None:
            lib.perp_joint_space_free(s)

        self._world = weakref.ref(world)  # the world keeps this: no circle
        self._s = ffi.gc(out[0], free)
        self.nq, self.nv = int(lib.perp_joint_space_nq(self._s)), int(lib.perp_joint_space_nv(self._s))

    @property
    def world(self) -> "World":
        """The world."""
        w = self._world()
        if w is None:
            raise ClosedError("the world of this joint space is gone")
        return w

    def _do(self, status: int) -> None:
        if status:
            why = ffi.string(lib.perp_world_why(self.world._c)).decode(errors="replace")
            raise failure(status, why)

    @property
    def links(self) -> list[Link]:
        """All links; parents come before their children."""
        out, c = [], ffi.new("perp_joint_link *")
        for i in range(lib.perp_joint_space_nlink(self._s)):
            self._do(lib.perp_joint_space_link(self._s, i, c))
            name = "" if c.name == ffi.NULL else ffi.string(c.name).decode()
            body = ffi.new("perp_body_id *", c.body)[0]
            out.append(Link(name, Body(self.world, body), slice(c.q, c.q + c.nq), slice(c.v, c.v + c.nv)))
        return out

    def link(self, name: str) -> Link:
        """The link of a joint, or of a free body, by name."""
        for x in self.links:
            if x.name == name:
                return x
        raise UnknownName(f"there is no link {name!r}; links: {', '.join(x.name for x in self.links)}")

    def read(self) -> tuple[Floats, Floats]:
        """q and v of the world now."""
        q, v = np.zeros(self.nq), np.zeros(self.nv)
        self._do(lib.perp_joint_space_get(self._s, self.world._c, pointer(q), pointer(v)))
        return q, v

    def place(self, q: Any = None, v: Any = None) -> None:
        """The configuration becomes (q, v), the world stays; None: as in the world."""
        a = None if q is None else numbers(q, "q", (self.nq,))
        b = None if v is None else numbers(v, "v", (self.nv,))
        self._do(lib.perp_joint_space_place(self._s, self.world._c, ffi.NULL if a is None else pointer(a), ffi.NULL if b is None else pointer(b)))

    def set(self, q: Any = None, v: Any = None) -> None:
        """Places the bodies of the world at (q, v); None: as they are. Loops must close."""
        a = None if q is None else numbers(q, "q", (self.nq,))
        b = None if v is None else numbers(v, "v", (self.nv,))
        self._do(lib.perp_joint_space_set(self._s, self.world._change(), ffi.NULL if a is None else pointer(a), ffi.NULL if b is None else pointer(b),
                                          LOOP_TOLERANCE))
        self.world._refresh()

    def project(self, q: Any, v: Any = None, hold: Any = None) -> tuple[Floats, Floats]:
        """q and v changed as little as possible so that loops close. hold: booleans of velocities that must stay."""
        a = numbers(q, "q", (self.nq,)).copy()
        b = np.zeros(self.nv) if v is None else numbers(v, "v", (self.nv,)).copy()
        flags = None
        if hold is not None:
            flags = np.ascontiguousarray(hold)
            if flags.dtype != np.bool_ or flags.shape != (self.nv,):
                raise ArgumentError(f"hold: found {flags.dtype} of shape {flags.shape}; allowed: {self.nv} booleans")
        self._do(lib.perp_joint_space_project(self._s, self.world._c, pointer(a), pointer(b), ffi.NULL if flags is None else ffi.cast("bool *", flags.ctypes.data)))
        return a, b

    def integrate(self, q: Any, v: Any, dt: float) -> Floats:
        """q + v dt, quaternions by the exponential map."""
        a, b, out = numbers(q, "q", (self.nq,)), numbers(v, "v", (self.nv,)), np.zeros(self.nq)
        lib.perp_joint_space_integrate(self._s, pointer(a), pointer(b), number(dt, "dt"), pointer(out))
        return out

    def difference(self, q_a: Any, q_b: Any, dt: float = 1.0) -> Floats:
        """The constant v that takes q_a to q_b in a time dt."""
        a, b, out = numbers(q_a, "q_a", (self.nq,)), numbers(q_b, "q_b", (self.nq,)), np.zeros(self.nv)
        lib.perp_joint_space_difference(self._s, pointer(a), pointer(b), number(dt, "dt"), pointer(out))
        return out

    def mass_matrix(self) -> Floats:
        """M of the configuration (nv x nv)."""
        M = np.zeros((self.nv, self.nv))
        lib.perp_joint_space_mass_matrix(self._s, pointer(M))
        return M

    def bias(self) -> Floats:
        """Velocity products and gravity: M a + bias = tau."""
        b = np.zeros(self.nv)
        lib.perp_joint_space_bias(self._s, pointer(b))
        return b

    def inverse_dynamics(self, a: Any) -> Floats:
        """tau = M a + bias."""
        acc, tau = numbers(a, "a", (self.nv,)), np.zeros(self.nv)
        lib.perp_joint_space_inverse_dynamics(self._s, pointer(acc), pointer(tau))
        return tau

    def forward_dynamics(self, tau: Any) -> Floats:
        """a with M a + bias = tau, without loops and contacts."""
        t, a, work = numbers(tau, "tau", (self.nv,)), np.zeros(self.nv), np.zeros(self.nv * self.nv)
        self._do(lib.perp_joint_space_forward_dynamics(self._s, pointer(t), pointer(a), pointer(work)))
        return a

    def jacobian(self, body: Body, point: Any = (0.0, 0.0, 0.0)) -> Floats:
        """6 x nv: velocity of a point of a body, given in the body frame, and angular velocity, in the world frame, are J v."""
        i = part_id(self.world, body, Body, "body")
        body._w
        J, p = np.zeros((6, self.nv)), ffi.new("double[3]", list(vector(point, "point", self.world.dim)))
        self._do(lib.perp_joint_space_jacobian(self._s, i, p, pointer(J)))
        return J
