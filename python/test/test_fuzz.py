# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Wrong shapes, types, names, removed bodies, NaN, use after close, in any order: exceptions of perp, never a crash or another one.
PERP_FUZZ_SECONDS: how long; 5 by default. `make python-fuzz` runs this for ten minutes with the sanitizers."""
import gc
import os
import pickle
import tempfile
import time

import numpy as np
import pytest

import perp
from conftest import ROOT

hypothesis = pytest.importorskip("hypothesis", reason="there is no hypothesis here")
from hypothesis import strategies as st  # noqa: E402

MODELS = [ROOT / "scenes" / "robots" / x for x in ("arm.urdf", "quadruped.xml")]
SENSORS = ["joint-position", "joint-velocity", "joint-force", "force", "torque", "contact-force", "contact-torque", "accelerometer", "gyroscope"]
SECONDS = float(os.environ.get("PERP_FUZZ_SECONDS", "5"))

number = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 1e-300, 1e300, 5e-324, np.nan, np.inf]),
                   st.integers(-(2**70), 2**70), st.sampled_from([np.float32(0.5), np.int8(3), True, 1j, "1", "", None, b"x", [], {}, object()]))
array = st.one_of(number, st.lists(st.sampled_from([0.0, 1.0, -1.0, 0.1, 0.5, np.nan, np.inf, 1e300]), max_size=8),
                  st.sampled_from([np.zeros(3), np.ones(3, np.float32), np.zeros((3, 1)), np.zeros(0), np.zeros(7), np.array([1, 0, 0, 0]), np.zeros(3, complex),
                                   np.array(["a", "b", "c"]), np.zeros((2, 3)), np.arange(12.0)[::4], np.array(0.5), (0, 0, 1), (0.1, 0.2)]))
name = st.sampled_from(["b0", "b1", "", "nobody", "a\0b", "é", 3, None, b"b0", "x" * 5000])
size = st.one_of(st.sampled_from([0.1, 0.2, 1.0]), number)


def shapes(draw):
    kind = draw(st.integers(0, 8))
    a, b, c = draw(size), draw(size), draw(size)
    extra = {k: draw(v) for k, v in {"at": array, "turn": array, "material": number, "group": number, "colour": array}.items() if draw(st.integers(0, 9)) == 0}
    return [perp.Sphere, perp.HalfSpace, perp.Box, perp.Capsule, perp.Particle, perp.Polygon, perp.Polyhedron, perp.Cylinder, perp.Ellipsoid][kind](
        *{0: (a,), 1: (draw(array), a), 2: (a, b, c), 3: (a, b), 4: (), 5: (draw(array),), 6: (draw(array),), 7: (a, b), 8: (a, b, c)}[kind], **extra)


class State:
    """Worlds, bodies and joints that may be alive, removed, or of closed worlds."""

    def __init__(self, dim):
        self.w = perp.World(dim=dim, h=0.01, mu=0.5, work_limit=1e6)
        self.w.add(perp.HalfSpace((0, 1) if dim == 2 else (0, 0, 1)))
        self.bodies = [self.w.add(perp.Sphere(0.1), density=1, at=(0.3 * i, 0.1, 0) if dim == 2 else (0.3 * i, 0, 0.1), name=f"b{i}") for i in range(2)]
        self.joints, self.forces, self.batches, self.views = [], [], [], []
        self.actuators, self.sites, self.spaces, self.sensors = [], [], [], []
        self.joints.append(self.w.add_joint("revolute", self.bodies[0], at=(0, 0.5) if dim == 2 else (0, 0, 0.5), axis=(0, 0, 1) if dim == 2 else (0, 1, 0), name="hinge"))
        self.actuators.append(self.w.add_actuator("position", self.joints[0], kp=10.0, kv=1.0, name="servo"))
        self.sites.append(self.w.add_site("imu", self.bodies[0]))
        self.sensors += [self.w.add_sensor("joint-force", self.joints[0], name="torque"), self.w.add_sensor("accelerometer", self.sites[0], name="acc")]
        self.states = [self.w.state]


def act(s, draw):
    """One random call."""
    w, body = s.w, draw(st.sampled_from(s.bodies))
    joint = draw(st.sampled_from(s.joints)) if s.joints else None
    k = draw(st.integers(0, 56))
    if k == 0:
        s.bodies.append(w.add(shapes(draw), density=draw(size), at=draw(array), velocity=draw(array)))
    elif k == 1:
        s.bodies.append(w.add([shapes(draw), shapes(draw)], mass=draw(size), inertia=draw(array), kind=draw(st.sampled_from(["dynamic", "kinematic", "obstacle", "x", None]))))
    elif k in (2, 3, 4):
        w.step()
    elif k == 5:
        w.run(draw(st.sampled_from([0.02, 0, -1, np.nan, "x", None])))
    elif k in (6, 7):
        setattr(body, draw(st.sampled_from(["pose", "position", "quaternion", "velocity", "spin", "force", "torque"])), draw(array))
    elif k == 8:
        [getattr(body, n) for n in ("pose", "mass", "inertia", "kind", "name", "velocity", "force", "rotation", "angle")]
    elif k == 9:
        body.remove()
    elif k == 10:
        s.joints.append(w.add_joint(draw(st.sampled_from(["revolute", "prismatic", "spherical", "fixed", "hinge", None])), body,
                                    draw(st.sampled_from([None, *s.bodies])), at=draw(array), axis=draw(array)))
    elif k == 11 and joint:
        joint.set(draw(st.integers(-1, 3)), **{draw(st.sampled_from(["limits", "motor_speed", "motor_force", "stiffness", "rest", "damping", "friction", "x"])): draw(array)})
    elif k == 12 and joint:
        [getattr(joint, n) for n in ("position", "rate", "impulse", "error", "name", "kind")]
    elif k == 13 and joint:
        joint.remove()
    elif k == 14:
        w.state = draw(st.one_of(st.binary(max_size=300), st.sampled_from(s.states), number))
    elif k == 15:
        s.states.append(w.state)
    elif k == 16:
        w.law(draw(number), draw(number), mu=draw(number), restitution=draw(number))
    elif k == 17:
        w.law(mu=draw(size), restitution=draw(size))
    elif k == 18:
        s.views += [w.poses, w.twists, w.contacts.array]
    elif k == 19:
        list(w.contacts)
    elif k == 20:
        w.body(draw(name)), w.joint(draw(name))
    elif k == 21:
        w.h = draw(st.sampled_from([0.01, 0.1, 0.0, -1.0, np.nan, np.inf, None, "x", [1], 1e300]))
    elif k == 22:
        w.setting(draw(name), draw(number))
    elif k == 23:
        s.forces.append(w.add_spring(body, draw(st.sampled_from([None, *s.bodies])), stiffness=draw(size), point_a=draw(array), damping=draw(size)))
    elif k == 24 and joint:
        s.forces.append(w.add_pd(joint, coord=draw(st.integers(-1, 4)), kp=draw(size), kd=draw(size), target=draw(number)))
    elif k == 25 and s.forces:
        draw(st.sampled_from(s.forces)).target(draw(number))
    elif k == 26 and s.forces:
        draw(st.sampled_from(s.forces)).remove()
    elif k == 27:
        value = draw(array)
        s.forces.append(w.add_force(body, lambda t: value))
    elif k == 28:
        s.batches.append(perp.Batch(w, draw(st.one_of(st.integers(1, 3), number)), draw(st.integers(0, 3)), inputs=draw(st.lists(st.sampled_from(
            [("b0", "fx"), ("b1", "tz"), ("b0", "x"), (body, "fy"), "b0", ("nobody", "fx"), (3, "fx")]), max_size=2))))
    elif k == 29 and s.batches:
        b = draw(st.sampled_from(s.batches))
        b.inputs[...] = draw(st.sampled_from([0.0, 1.0, np.nan, np.inf]))
        b.step(draw(st.sampled_from([0, 1, 2, -1, 1.5, None])), draw(st.sampled_from([None, np.ones(b.n, bool), [True], "x", np.ones(b.n)])))
    elif k == 30 and s.batches:
        b = draw(st.sampled_from(s.batches))
        b.reset(), b.refresh(), b.world(draw(st.integers(-1, 3))).step()
        if draw(st.booleans()):
            s.views += [b.poses, b.inputs]
            b.close()
    elif k == 31:
        s.w = w.clone()
    elif k == 32:
        perp.World(draw(st.one_of(st.sampled_from([2, 3]), number)), **{draw(st.sampled_from(["h", "stepper", "solver", "form", "gravity", "mu", "tolerance", "x"])): draw(array)})
    elif k == 33 and draw(st.integers(0, 5)) == 0:
        w.close()
    elif k >= 50:
        act_sensor(s, draw, k - 50)
    elif k >= 34:
        act_robot(s, draw, k - 34)


def write(a, draw):
    """Writes something to a view. Wrong shapes and types are exceptions of numpy."""
    try:
        a[draw(st.sampled_from([0, -1, 5, slice(None), Ellipsis, "x", (0, 0), None]))] = draw(array)
    except (ValueError, TypeError, IndexError, OverflowError):
        pass


def act_robot(s, draw, k):
    """One random call about joints, actuators, sites, keyframes, models."""
    w, body = s.w, draw(st.sampled_from(s.bodies))
    joint, actuator = draw(st.sampled_from(s.joints)), draw(st.sampled_from(s.actuators))
    if k == 0:
        w.ctrl = draw(array)
    elif k in (1, 2):
        write(w.ctrl, draw)
        w.step()
    elif k == 3:
        s.views += [w.ctrl, w.q, w.v]
    elif k == 4 and s.views:  # old ones too
        v = draw(st.sampled_from(s.views))
        if v.flags.writeable:
            write(v, draw)
    elif k == 5:
        setattr(w, draw(st.sampled_from(["q", "v"])), draw(st.one_of(array, st.just(w.q + 0.01), st.just(w.v * 0))))
    elif k == 6:
        limits = {x: draw(array) for x in ("ctrl_range", "force_range", "joint_range") if draw(st.integers(0, 4)) == 0}
        s.actuators.append(w.add_actuator(draw(st.sampled_from(["force", "position", "velocity", "motor", None])), joint, coord=draw(st.integers(-1, 3)), kp=draw(size),
                                          kv=draw(size), gear=draw(size), ctrl=draw(size), **limits))
    elif k == 7:
        [getattr(actuator, n) for n in ("name", "kind", "joint", "ctrl", "force")]
        repr(actuator), repr(joint), repr(body)
    elif k == 8:
        actuator.ctrl = draw(number)
    elif k == 9 and draw(st.booleans()):
        actuator.remove()
    elif k == 10:
        w.add_keyframe(draw(name), q=draw(array), ctrl=draw(array))
        w.set_keyframe(draw(name))
    elif k == 11:
        s.sites.append(w.add_site(draw(name), draw(st.sampled_from([None, "b0", *s.bodies])), at=draw(array), turn=draw(array), model=draw(st.booleans())))
        s.sites[-1].pose, s.sites[-1].twist, draw(st.sampled_from(s.sites)).pose
        if draw(st.booleans()):
            draw(st.sampled_from(s.sites)).remove()
    elif k == 12:
        draw(st.sampled_from([w.exclude, w.include]))(body, draw(st.sampled_from([None, *s.bodies])))
    elif k == 13:
        s.spaces.append(w.joint_space)
        space = draw(st.sampled_from(s.spaces))
        space.read(), space.mass_matrix(), space.bias(), space.jacobian(body, draw(array)), space.links
        space.place(draw(array)), space.integrate(draw(array), draw(array), draw(number)), space.project(draw(array), hold=draw(array))
    elif k == 14 and s.batches:
        b = draw(st.sampled_from(s.batches))
        write(b.ctrl, draw)
        s.views += [b.ctrl, b.q]
        if draw(st.integers(0, 3)) == 0:
            setattr(b, draw(st.sampled_from(["ctrl", "inputs"])), draw(array))
        b.step(), b.rollout(draw(array)), b.rollout(ctrl=draw(st.one_of(array, st.just(np.zeros((2, *b.ctrl.shape))))))
    elif k == 15:
        perp.load(draw(st.sampled_from([*MODELS, "nowhere.xml", "a\0b", "", None, 3])), **{draw(st.sampled_from(["key", "corners", "packages", "free_base", "x"])): draw(
            st.one_of(number, st.just("stand")))}).world()


def act_sensor(s, draw, k):
    """One random call about sensors, couplings, tendons, pickles, recordings."""
    w, body, joint = s.w, draw(st.sampled_from(s.bodies)), draw(st.sampled_from(s.joints))
    sensor = draw(st.sampled_from(s.sensors))
    if k == 0:
        kind = draw(st.sampled_from([*SENSORS, *SENSORS, "x", None]))
        right = s.sites if kind in ("accelerometer", "gyroscope") else s.joints if str(kind).startswith("joint") else s.bodies
        of = draw(st.sampled_from([*right, *right, body, joint, s.sites[0], None, "b0"]))
        extra = {x: draw(v) for x, v in {"by": st.sampled_from([None, *s.bodies, 3]), "site": st.sampled_from([None, *s.sites, body]), "coord": number, "joints_only": number,
                                         "name": name}.items() if draw(st.integers(0, 3)) == 0}
        s.sensors.append(w.add_sensor(kind, of, **extra))
        s.sensors[-1].value
    elif k == 1:
        [getattr(sensor, n) for n in ("name", "kind", "size", "of", "coord", "by", "site", "columns", "value")]
        repr(sensor)
    elif k == 2:
        s.views.append(w.sensor_data)
        w.sensor(draw(name)), w.sensors
        if draw(st.booleans()):
            sensor.remove()
    elif k in (3, 4):
        good = st.tuples(st.sampled_from(s.joints), st.sampled_from([1.0, -2.0, [1.0, 0.5], [0, 0, 0, 1e-3]]))
        terms = draw(st.one_of(st.lists(good, min_size=1, max_size=3), st.lists(st.tuples(st.sampled_from([*s.joints, body, None]), array, number), max_size=3), array))
        if k == 3:
            s.joints.append(w.add_coupling(terms, offset=draw(st.one_of(st.just(0.0), number)), name=draw(name)))
        else:
            s.joints.append(w.add_tendon(terms, **{draw(st.sampled_from(["limits", "stiffness", "motor_speed", "damping", "offset", "armature", "x"])): draw(array)}))
        s.joints[-1].terms, s.joints[-1].position, s.joints[-1].error, s.joints[-1].offset
    elif k == 5:
        again = pickle.loads(pickle.dumps(w))
        again.step()
        s.views += [again.sensor_data, again.poses]
        if s.batches:
            b = draw(st.sampled_from(s.batches))
            s.views += [b.sensor_data]
            b.step()
            b.sensor(draw(st.sampled_from(["torque", "acc", "x", None])))
    elif k == 6:
        with tempfile.TemporaryDirectory() as folder:
            with perp.Recorder(w, os.path.join(folder, "a.h5"), every=draw(st.one_of(st.sampled_from([1, 2]), number))) as recorder:
                for _ in range(draw(st.integers(0, 3))):
                    act(s, draw)  # whatever it is, within a recording
                s.w.step()
            recorder.close()
            r = perp.Recording(os.path.join(folder, "a.h5"))
            s.views += [r["time"], np.asarray(r.poses), r.poses[-1]]
            r.sensor(draw(name)), r.contacts(draw(number)), r[draw(name)]


def test_nothing_but_exceptions_of_perp(capsys):
    end = time.monotonic() + SECONDS
    seen = {"calls": 0, "refused": 0}

    @hypothesis.settings(max_examples=50, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(st.data())
    def run(data):
        s = State(data.draw(st.sampled_from([2, 3])))
        for _ in range(data.draw(st.integers(1, 25))):
            seen["calls"] += 1
            try:
                act(s, data.draw)
            except perp.PerpError as e:
                seen["refused"] += 1
                assert str(e)
        del s.w, s.batches
        for v in s.views:  # readable, whatever became of its world
            float(np.sum(v["gap"]) if v.dtype.names else np.sum(v))

    while time.monotonic() < end:
        run()
    with capsys.disabled():
        print(f"  {seen['calls']} random calls, {seen['refused']} refused", end=" ")
    assert seen["calls"] > 0 and seen["refused"] > 0


def test_worlds_in_cycles_end_in_any_order():
    """The collector of cycles clears worlds, scenes, joint spaces, batches and their memory in an order of its own."""
    model = perp.load(ROOT / "scenes" / "demo.yaml", rows=2)
    for k in range(24):
        w = model.world() if k % 2 else perp.World(dim=3, h=0.01)
        if k % 5 == 0:
            w.add_force(w.add(mass=1.0, at=(0, 0, 20)), lambda t, held=w: (held.time, 0, 0))  # the world holds the function, which holds the world
            w.step()
        things = [w, w.clone(), w.joint_space, perp.Batch(w, 2)][: 1 + k % 4]
        view = w.poses if k % 7 == 0 else None
        del w
        if k % 3 == 0:
            things.reverse()
        things.append(things)
        del things
        gc.collect()
        assert view is None or np.isfinite(view).all()


def test_a_body_without_weight_between_others():
    """Its mass is the least of all numbers. The searches of the last resort end at once; the length of their turns must not overflow."""
    w = perp.World(dim=2, h=0.01, mu=0.5, work_limit=1e6)
    w.add(perp.HalfSpace((0, 1)))
    bodies = [w.add(perp.Sphere(0.1), density=1, at=(0.3 * i, 0.1)) for i in range(2)]
    w.add_joint("revolute", bodies[0], at=(0, 0.5))
    w.run(steps=2)
    for density, at in ((5e-324, (0, 1)), (1.0, (1, 0.1))):
        w.add(perp.Sphere(1.0), density=density, at=at)
        try:
            w.step()
        except perp.PerpError as e:
            assert str(e)


def test_problems_of_any_kind():
    end = time.monotonic() + SECONDS / 5

    @hypothesis.settings(max_examples=50, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(st.data())
    def run(data):
        n = data.draw(st.integers(0, 4))
        entries = st.sampled_from([0.0, 1.0, -1.0, 2.5, 1e-9, 1e9, np.nan, np.inf]) if data.draw(st.booleans()) else st.sampled_from([0.0, 1.0, -1.0, 2.0])
        M = np.array(data.draw(st.lists(entries, min_size=n * n, max_size=n * n))).reshape(n, n)
        q = data.draw(st.one_of(st.lists(entries, min_size=n, max_size=n), array))
        kind = data.draw(st.integers(0, 3))
        try:
            if kind == 0:
                s = perp.solve(M, q, time_limit=0.5)
            elif kind == 1:
                s = perp.solve(M, q, lo=data.draw(array), hi=data.draw(array), time_limit=0.5)
            elif kind == 2:
                s = perp.solve(perp.QP(M @ M.T if np.isfinite(M).all() else M, q, lo=data.draw(array)), time_limit=0.5)
            else:
                s = perp.solve(perp.Cone(M, q, data.draw(array), dim=data.draw(st.integers(1, 5))), time_limit=0.5)
            assert np.isfinite(s.z).all()
        except perp.PerpError as e:
            assert str(e)

    while time.monotonic() < end:
        run()
