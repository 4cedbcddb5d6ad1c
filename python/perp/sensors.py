# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors: named quantities of joints, bodies and sites that a robot would measure."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._arrays import Floats, integer, pointer, text
from ._native import ffi, lib
from .errors import ArgumentError, UnknownName
from .parts import Body, Joint, _Named, part_id
from .robot import Site

if TYPE_CHECKING:
    from .world import World

SENSORS: tuple[str, ...] = tuple(ffi.string(lib.perp_sensor_kind_name(k)).decode() for k in range(lib.PERP_SENSOR_KIND_COUNT))
_WRENCH = ("force", "torque", "contact-force", "contact-torque")


class Sensor(_Named):
    """A sensor of a world. perp/sensor.h tells what each kind reads."""

    __slots__ = ()
    _what = "sensor"

    @property
    def kind(self) -> str:
        """joint-position, joint-velocity, joint-force, force, torque, contact-force, contact-torque, accelerometer or gyroscope."""
        return SENSORS[int(self._get().kind)]

    @property
    def size(self) -> int:
        """Numbers of a reading: 1 or 3."""
        return int(lib.perp_sensor_size(self._get().kind))

    @property
    def of(self) -> Union[Joint, Body, Site]:
        """What it is on: a joint, the body that is pushed, or a site."""
        d = self._get()  # a field that is a struct does not keep the definition it lies in
        if d.joint.gen:
            return Joint(self.world, ffi.new("perp_joint_id *", d.joint)[0])
        if d.b.gen:
            return Body(self.world, ffi.new("perp_body_id *", d.b)[0])
        return Site(self.world, ffi.new("perp_site_id *", d.site)[0])

    @property
    def coord(self) -> int:
        """Coordinate of the joint."""
        return int(self._get().coord)

    @property
    def by(self) -> Optional[Body]:
        """Kinds of force and torque: the body that pushes. None: the world, or, of contacts, all bodies."""
        d = self._get()
        return Body(self.world, ffi.new("perp_body_id *", d.a)[0]) if d.a.gen else None

    @property
    def site(self) -> Optional[Site]:
        """The site in whose axes it reads; None: those of the world."""
        d = self._get()
        return Site(self.world, ffi.new("perp_site_id *", d.site)[0]) if d.site.gen else None

    @property
    def columns(self) -> slice:
        """Its numbers in World.sensor_data, until sensors are added or removed."""
        at = 0
        for s in self.world.sensors:
            if s == self:
                return slice(at, at + s.size)
            at += s.size
        raise self._stale()

    @property
    def value(self) -> Floats:
        """Its reading: 1 or 3 numbers. Forces, torques and accelerations are means over the last step, and 0 before the first one."""
        out = np.zeros(self.size)
        if lib.perp_sensor_read(self.world._c, self._id, pointer(out)):
            raise self._stale()
        return out

    def remove(self) -> None:
        """Removes the sensor. Numbers of World.sensor_data behind it move up."""
        self._get()
        self.world._do(lib.perp_sensor_remove(self.world._change(True), self._id))

    def __repr__(self) -> str:
        return self._shown()


class Sensing:
    """The part of World that is about sensors."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def _c(self) -> Any: ...

        def _change(self, parts: bool = False) -> Any: ...

        def _do(self, status: int) -> None: ...

        def _ids(self, ask: Any, kind: str) -> Any: ...

        def _self(self) -> World: ...

    @property
    def sensors(self) -> list[Sensor]:
        """All sensors, in the order of sensor_data."""
        return [Sensor(self._self(), i) for i in self._ids(lib.perp_world_sensors, "perp_sensor_id")]

    def sensor(self, name: str) -> Sensor:
        """The sensor of that name."""
        i = lib.perp_sensor_find(self._c, text(name, "sensor"))
        if i.gen == 0:
            raise UnknownName(f"there is no sensor {name!r}; sensors: {', '.join(s.name for s in self.sensors if s.name)}")
        return Sensor(self._self(), i)

    @property
    def sensor_data(self) -> Floats:
        """Readings of all sensors behind each other, in the order of World.sensors: an array of its own. Sensor.columns tells which are whose."""
        w = self._c
        n = lib.perp_world_sensor_data(w, ffi.NULL, 0)
        out = np.empty(n)
        lib.perp_world_sensor_data(w, pointer(out), n)
        return out

    def add_sensor(self, kind: str, of: Union[Joint, Body, Site], *, coord: int = 0, by: Optional[Body] = None, site: Optional[Site] = None,
                   joints_only: bool = False, name: str = "") -> Sensor:
        """Adds a sensor. It does not change the motion, and is removed with what it is on.

        "joint-position", "joint-velocity", "joint-force": of a Joint and its coordinate coord; a tendon is one, too. "accelerometer",
        "gyroscope": of a Site, in its axes; at rest the accelerometer reads g upwards. "force", "torque": on the Body `of`, by joints and
        contacts with the body `by` (None: by joints to the world); joints_only: contacts do not count. "contact-force", "contact-torque":
        the sum over contacts on the Body `of`, with all bodies or with `by`. These four read in axes of the world, torques about the centre
        of mass; with a site in its axes and about its origin.
        """
        if not isinstance(kind, str) or kind not in SENSORS:
            raise UnknownName(f"sensor: found {kind!r}; allowed: {', '.join(SENSORS)}")
        d = ffi.new("perp_sensor_def *", lib.perp_sensor_def_default(SENSORS.index(kind)))
        w = self._self()
        if kind in _WRENCH:
            d.b = part_id(w, of, Body, f"{kind} sensor")
            if by is not None:
                d.a = part_id(w, by, Body, "by")
            if site is not None:
                d.site = part_id(w, site, Site, "site")
            d.joints_only = bool(joints_only)
        elif by is not None or site is not None or joints_only:
            raise ArgumentError(f"{kind} sensor: it has no by, site or joints_only; those are of {', '.join(_WRENCH)}")
        elif kind in ("accelerometer", "gyroscope"):
            d.site = part_id(w, of, Site, f"{kind} sensor")
        else:
            d.joint, d.coord = part_id(w, of, Joint, f"{kind} sensor"), integer(coord, "coord", 0, 2)
        keep = ffi.new("char[]", text(name, "name")) if name else ffi.NULL
        d.name = keep
        out = ffi.new("perp_sensor_id *")
        self._do(lib.perp_sensor_add(self._change(True), d, out))
        return Sensor(w, out[0])
