# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of bodies. Each is placed on its body by `at` and `turn`, in the frame in which the body is described."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from ._arrays import Vector, integer, number, numbers, vector
from ._native import ffi, lib
from .errors import ArgumentError


def quaternion(turn: Any, what: str, dim: int) -> tuple[float, float, float, float]:
    """A rotation: an angle about z [rad], or a quaternion (w, x, y, z)."""
    if turn is None:
        return (1.0, 0.0, 0.0, 0.0)
    a = numbers(turn, what)
    if a.shape == ():
        half = float(a) / 2
        return (math.cos(half), 0.0, 0.0, math.sin(half))
    if a.shape != (4,):
        raise ArgumentError(f"{what}: found shape {a.shape}; allowed: an angle about z, or a quaternion of 4 numbers w, x, y, z")
    n = float(np.linalg.norm(a))
    if abs(n - 1) > 1e-6:
        raise ArgumentError(f"{what}: found a quaternion of norm {n:g}; allowed: norm 1")
    return (float(a[0]), float(a[1]), float(a[2]), float(a[3]))


def pose(at: Any, turn: Any, what: str, dim: int) -> Any:
    """A perp_pose."""
    return ffi.new("perp_pose *", (vector(at, what, dim), quaternion(turn, what + " turn", dim)))[0]


@dataclass
class Shape:
    """What all shapes have in common."""

    at: Vector = field(default=(0.0, 0.0, 0.0), kw_only=True)
    turn: Any = field(default=None, kw_only=True)
    material: int = field(default=0, kw_only=True)
    visual: bool = field(default=False, kw_only=True)
    colour: Optional[tuple[int, int, int]] = field(default=None, kw_only=True)
    surface_velocity: Vector = field(default=(0.0, 0.0, 0.0), kw_only=True)
    group: int = field(default=1, kw_only=True)
    mask: int = field(default=0xFFFFFFFF, kw_only=True)

    def _base(self) -> tuple[Any, Any]:
        raise NotImplementedError

    def definition(self, dim: int) -> tuple[Any, Any]:
        """A perp_shape_def, and what must be kept while it is used."""
        d, keep = self._base()
        if tuple(numbers(self.at, "shape at").ravel()) != (0.0, 0.0, 0.0) or self.turn is not None:
            d.X_BS = pose(self.at, self.turn, "shape at", dim)
        d.material = integer(self.material, "material", 0, 4096)
        d.visual = bool(self.visual)
        if self.colour is not None:
            r, g, b = (integer(c, "colour", 0, 255) for c in numbers(self.colour, "colour", (3,)))
            d.colour = 0xFF000000 | r << 16 | g << 8 | b
        d.surface_velocity = vector(self.surface_velocity, "surface_velocity", dim)
        d.group = integer(self.group, "group", 0, 0xFFFFFFFF)
        d.mask = integer(self.mask, "mask", 0, 0xFFFFFFFF)
        return d, keep


@dataclass
class Particle(Shape):
    """A point."""

    def _base(self) -> tuple[Any, Any]:
        return lib.perp_shape_particle((0.0, 0.0, 0.0)), None


@dataclass
class Sphere(Shape):
    """A ball; a disc in 2D."""

    radius: float

    def _base(self) -> tuple[Any, Any]:
        return lib.perp_shape_sphere(number(self.radius, "radius")), None


@dataclass
class HalfSpace(Shape):
    """All points with normal . x <= offset: a floor. In 2D give normal=(0, 1)."""

    normal: Vector = (0.0, 0.0, 1.0)
    offset: float = 0.0

    def _base(self) -> tuple[Any, Any]:
        return lib.perp_shape_halfspace(vector(self.normal, "normal", 2), number(self.offset, "offset")), None


@dataclass
class Box(Shape):
    """A box by its full edges; in 2D z is ignored. MuJoCo and the C function perp_shape_box() take half edges."""

    x: float
    y: float
    z: float = 1.0

    def _base(self) -> tuple[Any, Any]:
        return lib.perp_shape_box_edges(number(self.x, "x"), number(self.y, "y"), number(self.z, "z")), None


@dataclass
class Capsule(Shape):
    """All points within `radius` of the segment from -half_length to half_length on the x axis. MuJoCo's lies on z."""

    radius: float
    half_length: float

    def _base(self) -> tuple[Any, Any]:
        return lib.perp_shape_capsule(number(self.radius, "radius"), number(self.half_length, "half_length")), None


@dataclass
class Cylinder(Shape):
    """A cylinder about z, from -half_length to half_length. For the stepper "implicit"; others take Polyhedron.prism()."""

    radius: float
    half_length: float

    def _base(self) -> tuple[Any, Any]:
        return lib.perp_shape_cylinder(number(self.radius, "radius"), number(self.half_length, "half_length")), None


@dataclass
class Ellipsoid(Shape):
    """An ellipsoid by its half axes. For the stepper "implicit"."""

    x: float
    y: float
    z: float = 1.0

    def _base(self) -> tuple[Any, Any]:
        return lib.perp_shape_ellipsoid(number(self.x, "x"), number(self.y, "y"), number(self.z, "z")), None


@dataclass
class _Points(Shape):
    points: Any

    def _points(self) -> tuple[Any, int]:
        p = numbers(self.points, "points")
        if p.ndim != 2 or p.shape[1] not in (2, 3) or p.shape[0] < 1:
            raise ArgumentError(f"points: found shape {p.shape}; allowed: n x 2 or n x 3")
        c = ffi.new("perp_vec3[]", p.shape[0])
        for i, row in enumerate(p):
            c[i] = (row[0], row[1], row[2] if p.shape[1] == 3 else 0.0)
        return c, p.shape[0]


@dataclass
class Polygon(_Points):
    """The convex hull of points in the plane (n x 2), in 2D worlds."""

    def _base(self) -> tuple[Any, Any]:
        c, n = self._points()
        return lib.perp_shape_polygon(c, n), c


@dataclass
class Polyhedron(_Points):
    """The convex hull of points in space (n x 3)."""

    def _base(self) -> tuple[Any, Any]:
        c, n = self._points()
        return lib.perp_shape_polyhedron(c, n), c

    @classmethod
    def prism(cls, sides: int, radius: float, height: float, **extra: Any) -> "Polyhedron":
        """Prism over a regular polygon, axis along z; with many sides a cylinder."""
        n = 2 * integer(sides, "sides", 3, 1000)
        c = ffi.new("perp_vec3[]", n)
        if lib.perp_points_prism(n // 2, number(radius, "radius"), number(height, "height"), c, n) != n:
            raise ArgumentError(f"prism: found radius {radius}, height {height}; allowed: numbers > 0")
        return cls(np.array([(p.x, p.y, p.z) for p in c]), **extra)
