# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors, couplings and tendons: readings against values by hand, in worlds, batches, pickles and recordings."""
import pickle

import numpy as np
import pytest

import perp
from conftest import ROOT

G = 9.81
KINDS = ("joint-position", "joint-velocity", "joint-force", "force", "torque", "contact-force", "contact-torque", "accelerometer", "gyroscope")


def bench():
    """A box on the floor that carries an IMU, turned by 1 rad about x, and an arm of 2 kg, 0.5 m from its hinge, that a motor holds: one sensor of each kind."""
    w = perp.World(dim=3, h=1e-3, mu=0.5)
    floor = w.add(perp.HalfSpace(), name="floor")
    box = w.add(perp.Box(1, 1, 1), density=2, at=(0, 0, 0.5), name="box")
    arm = w.add(mass=2.0, inertia=0.1, at=(3.5, 0, 2), name="arm")
    hinge = w.add_joint("revolute", arm, at=(3, 0, 2), axis=(0, 1, 0), name="hinge", motor_speed=0)
    imu = w.add_site("imu", box, at=(0.1, 0, 0.2), turn=(np.cos(0.5), np.sin(0.5), 0, 0))
    w.add_sensor("accelerometer", imu, name="a")
    w.add_sensor("gyroscope", imu, name="w")
    for kind in KINDS[:3]:
        w.add_sensor(kind, hinge, name=kind)
    w.add_sensor("force", box, by=floor, name="push")
    w.add_sensor("torque", arm, joints_only=True, name="held")
    w.add_sensor("contact-force", box, by=floor, name="feel", site=imu)
    w.add_sensor("contact-torque", box, name="twist")
    return w


def test_at_rest_the_accelerometer_reads_g_upwards():
    w = bench()
    assert (w.sensor("a").value == 0).all()  # before the first step
    w.run(steps=20)
    assert np.allclose(w.sensor("a").value, (0, G * np.sin(1), G * np.cos(1)), atol=1e-9) and np.allclose(w.sensor("w").value, 0, atol=1e-9)
    fall = perp.World(dim=3)
    s = fall.add_site("imu", fall.add(mass=1.0))
    a = fall.add_sensor("accelerometer", s)
    fall.step()
    assert np.allclose(a.value, 0, atol=1e-9)  # it falls freely


def test_the_gyroscope_reads_the_rate_of_a_body_that_turns():
    w = perp.World(dim=3, h=1e-3, gravity=(0, 0, 0))
    b = w.add(mass=1.0, inertia=1.0, spin=(0, 0, 3.0))
    s = w.add_site("imu", b, at=(0.5, 0, 0), turn=(np.cos(np.pi / 4), 0, np.sin(np.pi / 4), 0))  # x of the site is -z of the body
    gyro, acc = w.add_sensor("gyroscope", s), w.add_sensor("accelerometer", s)
    w.run(steps=10)
    assert np.allclose(gyro.value, (-3.0, 0, 0), atol=1e-12)
    assert acc.value[2] == pytest.approx(-9.0 * 0.5, rel=1e-4) and abs(acc.value[0]) < 1e-9  # towards the axis: -x of the body is -z of the site
    plane = perp.World(dim=2, gravity=(0, 0))
    g = plane.add_sensor("gyroscope", plane.add_site("s", plane.add(mass=1.0, inertia=1.0, spin=-2.0)))
    assert g.value.tolist() == [0, 0, -2]


def test_the_torque_of_a_held_arm():
    w = bench()
    w.run(steps=20)
    torque = 2.0 * G * 0.5  # its weight would turn it by +y; the motor holds against that
    assert w.sensor("joint-force").value[0] == pytest.approx(-torque, rel=1e-9)
    assert w.sensor("joint-position").value[0] == pytest.approx(0, abs=1e-12) and w.sensor("joint-velocity").value[0] == pytest.approx(0, abs=1e-12)
    assert np.allclose(w.sensor("held").value, 0, atol=1e-9)  # about the centre of mass: hinge force times lever less the torque
    w.sensor("held").remove()
    foot = w.add_site("foot", at=(3, 0, 2))
    about, force = w.add_sensor("torque", w.body("arm"), site=foot), w.add_sensor("force", w.body("arm"))
    w.step()
    assert np.allclose(about.value, (0, -torque, 0), atol=1e-9) and np.allclose(force.value, (0, 0, 2.0 * G), atol=1e-9)


def test_contact_sums_are_the_weight():
    w = bench()
    w.run(steps=20)
    weight = w.body("box").mass * G
    assert np.allclose(w.sensor("push").value, (0, 0, weight), atol=1e-9)
    assert np.allclose(w.sensor("feel").value, (0, weight * np.sin(1), weight * np.cos(1)), atol=1e-9)  # in axes of the site
    assert np.allclose(w.sensor("twist").value, 0, atol=1e-9)


def test_sensors_tell_what_they_are():
    w = bench()
    assert [s.name for s in w.sensors] == ["a", "w", *KINDS[:3], "push", "held", "feel", "twist"]
    a, push, q = w.sensor("a"), w.sensor("push"), w.sensor("joint-position")
    assert a.kind == "accelerometer" and a.size == 3 and a.of == a.site == w.site("imu") and a.by is None and repr(a) == "<perp.Sensor a>"
    assert push.of == w.body("box") and push.by == w.body("floor") and push.site is None and w.sensor("feel").site == w.site("imu")
    assert q.of == w.joint("hinge") and q.coord == 0 and q.size == 1
    w.step()
    data = w.sensor_data
    assert data.shape == (6 + 3 + 12,)
    for s in w.sensors:
        assert np.array_equal(data[s.columns], s.value)
    h = w.hash
    w.add_sensor("gyroscope", w.site("imu"), name="second")
    assert w.hash == h  # no part of the motion
    w.sensor("w").remove()
    assert w.sensor("second").columns == slice(18, 21) and q.columns == slice(3, 4)
    held = w.sensors
    w.body("arm").remove()
    w.site("imu").remove()
    assert [s.name for s in w.sensors] == ["push", "twist"]
    for s in held:
        if s not in w.sensors:
            with pytest.raises(perp.ArgumentError, match="sensor was removed"):
                s.value
            assert repr(s) == "<perp.Sensor, removed>"
    w.close()
    for f in (lambda: held[0].value, lambda: w.sensor_data, lambda: w.sensors, lambda: w.sensor("push")):
        with pytest.raises(perp.ClosedError):
            f()
    assert perp.World().sensor_data.shape == (0,)


def test_wrong_sensors_are_refused():
    w, other = bench(), bench()
    box, hinge, imu, n = w.body("box"), w.joint("hinge"), w.site("imu"), len(w.sensors)
    ball = w.add_joint("spherical", w.add(mass=1.0, at=(9, 0, 0)))
    gone = w.add_site("gone")
    gone.remove()
    h = w.hash
    for f, word in [(lambda: w.add_sensor("thermometer", imu), "thermometer"), (lambda: w.add_sensor(None, imu), "None"), (lambda: w.add_sensor("gyroscope", box), "Site"),
                    (lambda: w.add_sensor("force", imu), "Body"), (lambda: w.add_sensor("joint-force", "hinge"), "Joint"), (lambda: w.add_sensor("joint-force", hinge, coord=1), "1"),
                    (lambda: w.add_sensor("joint-force", ball), "0"), (lambda: w.add_sensor("gyroscope", gone), "stale"), (lambda: w.add_sensor("force", box, by=box), "same"),
                    (lambda: w.add_sensor("gyroscope", imu, by=box), "by"), (lambda: w.add_sensor("gyroscope", other.site("imu")), "another world"),
                    (lambda: w.add_sensor("force", other.body("box")), "another world"), (lambda: w.add_sensor("force", box, site="imu"), "Site"),
                    (lambda: w.add_sensor("gyroscope", imu, name="a\0b"), "name"), (lambda: w.sensor("nothing"), "push"), (lambda: w.sensor(3), "3")]:
        with pytest.raises(perp.PerpError) as e:
            f()
        assert word in str(e.value), str(e.value)
    assert len(w.sensors) == n and w.hash == h


def test_parts_of_another_world_are_refused():
    """Their ids may stand for something else here."""
    w, other = bench(), bench()
    extra = w.add(mass=1.0, at=(7, 7, 7), name="extra")
    box, hinge = other.body("box"), other.joint("hinge")
    for f in (lambda: w.add_joint("fixed", box), lambda: w.add_joint("fixed", extra, box), lambda: w.add_spring(box), lambda: w.add_spring(extra, box),
              lambda: w.add_pd(hinge, kp=1, kd=1), lambda: w.add_force(box, lambda t: (0, 0, 0)), lambda: w.add_actuator("force", hinge), lambda: w.exclude(extra, box),
              lambda: w.include(box, extra), lambda: w.add_site("s", box), lambda: w.joint_space.jacobian(box), lambda: perp.Batch(w, 2, inputs=[(box, "fx")]),
              lambda: perp.Batch(w, 2, inputs=[(hinge, "speed")]), lambda: w.add_coupling([(hinge, 1.0)])):
        with pytest.raises(perp.ArgumentError, match="another world"):
            f()
    for f in (lambda: w.add_joint("fixed", "box"), lambda: w.add_spring(None), lambda: w.add_pd("hinge", kp=1, kd=1), lambda: w.add_force(3, lambda t: 0), lambda: w.exclude(extra, 3)):
        with pytest.raises(perp.ArgumentError, match="of this world"):
            f()
    one = perp.Batch(w, 2).world(0)
    one.exclude(one.body("extra"), one.body("box"))


def gears(ratio=2.0, **options):
    """Two wheels of inertia 1 and 3 on hinges of their own, q1 = ratio q0; a motor of torque 1 on the first."""
    w = perp.World(dim=3, h=1e-2, gravity=(0, 0, 0), **options)
    for i, inertia in enumerate((1.0, 3.0)):
        w.add_joint("revolute", w.add(mass=1.0, inertia=inertia, at=(i, 0, 0), name=f"wheel{i}"), name=f"hinge{i}")
    w.add_coupling([(w.joint("hinge1"), 1.0), (w.joint("hinge0"), -ratio)], name="gear")
    w.add_actuator("force", w.joint("hinge0"), ctrl=1.0, name="motor")
    w.add_sensor("joint-position", w.joint("hinge1"), name="q1")
    return w


def test_a_coupling_keeps_its_ratio():
    for ratio in (2.0, -0.3):
        w = gears(ratio)
        for _ in range(100):
            w.step()
            assert abs(w.q[1] - ratio * w.q[0]) < 1e-9 and abs(w.v[1] - ratio * w.v[0]) < 1e-9
        # inertia felt at the first wheel: 1 + 3 ratio^2
        assert w.v[0] == pytest.approx(1.0 / (1 + 3 * ratio**2), rel=1e-9) and w.sensor("q1").value[0] == w.q[1] and abs(w.q[1]) > 0.05
        g = w.joint("gear")
        assert g.kind == "coupling" and g.coords == 0 and g.position.shape == (0,) and g.offset == 0 and max(g.error) < 1e-9
        # what it gives the second wheel: 3 times its acceleration
        assert g.impulse[0] / w.h == pytest.approx(3 * ratio / (1 + 3 * ratio**2), rel=1e-9) and (g.impulse[1:] == 0).all()
        assert [(t.joint.name, t.coord, t.c.tolist()) for t in g.terms] == [("hinge1", 0, [1, 0, 0, 0]), ("hinge0", 0, [-ratio, 0, 0, 0])]
        assert w.joint("hinge0").terms == []
        g.remove()
        w.run(steps=10)
        assert abs(w.v[1] - ratio * w.v[0]) > 0.01


def test_a_coupling_of_powers():
    w = gears()
    w.joint("gear").remove()
    w.q = [0.5, 0.1 + 0.5 - 0.5 * 0.25]
    g = w.add_coupling([(w.joint("hinge1"), -1.0, 0), (w.joint("hinge0"), [1.0, -0.5])], offset=0.1)  # q1 = 0.1 + q0 - q0^2 / 2
    again = w.add_coupling(g.terms, offset=g.offset)
    assert [t.c.tolist() for t in again.terms] == [[-1, 0, 0, 0], [1, -0.5, 0, 0]]
    again.remove()
    for _ in range(50):
        w.step()
        assert abs(w.q[1] - (0.1 + w.q[0] - 0.5 * w.q[0] ** 2)) < 1e-9
    assert w.q[0] > 0.55


def test_a_tendon():
    """Two sliders hang on a rope over a pulley: x = q0 + q1 has an upper limit. Atwood's machine."""
    w = perp.World(dim=3, h=1e-3)
    for i, m in enumerate((1.0, 3.0)):
        w.add_joint("prismatic", w.add(mass=m, inertia=1.0, at=(i, 0, 0), name=f"weight{i}"), axis=(0, 0, -1), name=f"drop{i}")
    rope = w.add_tendon([(w.joint("drop0"), 1.0), (w.joint("drop1"), 1.0)], limits=(-np.inf, 0.0), name="rope")
    pull, length = w.add_sensor("joint-force", rope, name="pull"), w.add_sensor("joint-position", rope, name="length")
    w.run(steps=100)
    a = G * (3 - 1) / (3 + 1)
    assert np.allclose(w.v, (-0.1 * a, 0.1 * a), rtol=1e-9) and abs(rope.position[0]) < 1e-9 and abs(rope.rate[0]) < 1e-9 and length.value[0] == rope.position[0]
    assert pull.value[0] == pytest.approx(-2 * 1.0 * 3.0 * G / (1 + 3), rel=1e-9)
    assert rope.impulse[0] / w.h == pytest.approx(pull.value[0], rel=1e-12)
    assert rope.kind == "tendon" and rope.coords == 1 and [t.joint.name for t in rope.terms] == ["drop0", "drop1"]
    rope.set(limits=None)
    w.step()
    assert np.allclose(w.v, np.array((-0.1 * a, 0.1 * a)) + G * 1e-3) and pull.value[0] == 0
    winch = w.add_actuator("velocity", rope, kv=1e4, ctrl=0.5)
    w.run(steps=100)
    assert rope.rate[0] == pytest.approx(0.5, abs=1e-2) and winch.joint == rope
    w.joint("drop0").remove()
    for f in (lambda: rope.position, lambda: pull.value, lambda: winch.force, lambda: rope.terms):
        with pytest.raises(perp.ArgumentError, match="removed"):
            f()


def test_armature_is_inertia_of_the_coordinate():
    w = perp.World(dim=3, h=1e-2, gravity=(0, 0, 0))
    j = w.add_joint("revolute", w.add(mass=1.0, inertia=1.0), armature=3.0)
    w.add_actuator("force", j, ctrl=1.0)
    w.run(steps=10)
    assert j.rate[0] == pytest.approx(0.1 / 4)
    j.set(armature=0.0)
    w.run(steps=10)
    assert j.rate[0] == pytest.approx(0.1 / 4 + 0.1)


def test_wrong_couplings_are_refused():
    w = gears()
    j, n, h = w.joint("hinge0"), len(w.joints), w.hash
    for f, word in [(lambda: w.add_coupling([]), "term"), (lambda: w.add_coupling(3), "terms"), (lambda: w.add_coupling([j]), "terms"), (lambda: w.add_coupling([(j,)]), "1 entries"),
                    (lambda: w.add_coupling([(j, 0.0)]), "zero"), (lambda: w.add_coupling([(j, np.nan)]), "NaN"), (lambda: w.add_coupling([(j, [1, 2, 3, 4, 5])]), "5 numbers"),
                    (lambda: w.add_coupling([(j, 1.0, 1)]), "1 coordinates"), (lambda: w.add_coupling([("hinge0", 1.0)]), "Joint"), (lambda: w.add_coupling([(w.joint("gear"), 1.0)]), "coupling"),
                    (lambda: w.add_coupling([(j, 1.0)], offset="x"), "offset"), (lambda: w.add_tendon([(j, 1.0)], armature=1.0), "armature"), (lambda: w.add_tendon([(j, 1.0)], width=1.0), "width"),
                    (lambda: w.add_tendon([(j, 1.0)], limits=(1, 0)), "lo"), (lambda: w.add_joint("coupling", w.body("wheel0")), "add_coupling"),
                    (lambda: w.joint("gear").set(stiffness=1.0), "0 coordinates"), (lambda: gears(stepper="moreau"), "stepper")]:
        with pytest.raises(perp.PerpError) as e:
            f()
        assert word in str(e.value), str(e.value)
    assert len(w.joints) == n and w.hash == h


def test_worlds_with_sensors_and_couplings_pickle():
    for make in (bench, gears):
        loaded = perp.Model.of(make()).world()
        for w in (make(), loaded):
            w.run(steps=5)
            twins = [w.clone(), pickle.loads(pickle.dumps(w)), perp.Model.of(w).world()]
            assert np.array_equal(twins[0].sensor_data, w.sensor_data)
            w.step()
            for t in twins:
                t.step()
                assert t.hash == w.hash and np.array_equal(t.sensor_data, w.sensor_data)  # forces and accelerations belong to a step
                assert [(s.name, s.kind) for s in t.sensors] == [(s.name, s.kind) for s in w.sensors]
                assert [(j.name, j.kind, [(x.joint.name, x.c.tolist()) for x in j.terms]) for j in t.joints] == [
                    (j.name, j.kind, [(x.joint.name, x.c.tolist()) for x in j.terms]) for j in w.joints]


def test_a_coupling_in_the_place_of_a_joint_that_was_removed():
    """It then stands before its joints; a scene that is written of it must read back."""
    w = perp.World(dim=3, h=1e-2, gravity=(0, 0, 0))
    hinges = [w.add_joint("revolute", w.add(mass=1.0, inertia=1.0, at=(i, 0, 0)), name=f"hinge{i}") for i in range(3)]
    hinges[0].remove()
    w.add_coupling([(hinges[2], 1.0), (hinges[1], -2.0)], name="gear")
    w.add_actuator("force", hinges[1], ctrl=1.0)
    w.add_sensor("joint-velocity", hinges[2])
    w.add_sensor("joint-velocity", hinges[1])
    again = pickle.loads(pickle.dumps(w))
    w.run(steps=10)
    again.run(steps=10)
    a, b = w.sensor_data, again.sensor_data
    assert np.allclose(a, b, rtol=1e-12) and a[0] == pytest.approx(2 * a[1]) and a[1] > 0.01


def test_names_that_a_scene_cannot_have_do_not_hinder_pickling():
    """Equal names and ones with other characters: names change, the world does not."""
    w = perp.World(dim=3, h=1e-2)
    for _ in range(2):
        b = w.add(mass=1.0, inertia=1.0, name="b ox")
        j = w.add_joint("revolute", b, axis=(0, 1, 0), name="hinge")
        s = w.add_site("imu", b, at=(0.5, 0, 0))
        w.add_sensor("gyroscope", s, name="gyro é")
        w.add_sensor("accelerometer", s)
        w.add_actuator("force", j, name="motor", ctrl=float(len(w.bodies)))
    w.add_site("site-1")
    w.add_sensor("joint-velocity", j, name="sensor-1")
    again = pickle.loads(pickle.dumps(w))
    for x in (w, again):
        x.run(steps=5)
    assert again.hash == w.hash and np.array_equal(again.sensor_data, w.sensor_data) and w.sensor_data[7] > 0.05
    for kind in ("bodies", "joints", "sites", "sensors", "actuators"):
        names = [x.name for x in getattr(again, kind)]
        assert len(set(names)) == len(names) == len(getattr(w, kind))


def test_sensors_in_a_batch():
    w = bench()
    w.add_actuator("force", w.add_joint("prismatic", w.add(mass=1.0, inertia=1.0, at=(5, 0, 9), no_gravity=True), axis=(1, 0, 0), name="slide"), name="u")
    w.add_sensor("joint-force", w.joint("slide"), name="thrust")
    runs = []
    for threads in (1, 2, 7):
        b = perp.Batch(w, 9, threads)
        assert b.sensor_data.shape == (9, 22) and (b.sensor("a") == 0).all()
        b.ctrl[:, 0] = range(9)
        assert not b.step(4).any()
        for i in (0, 5):
            assert np.array_equal(b.sensor_data[i], b.world(i).sensor_data)
            alone = w.clone()
            alone.ctrl[0] = i
            alone.run(steps=4)
            assert np.array_equal(alone.sensor_data, b.sensor_data[i])
        assert np.allclose(b.sensor("thrust"), np.arange(9)[:, None]) and np.allclose(b.sensor("a")[:, 2], G * np.cos(1), atol=1e-9)
        runs.append(b.sensor_data.copy())
        held = b.sensor_data
        with pytest.raises(ValueError):
            held[0, 0] = 1.0
        b.reset(np.arange(9) == 3)
        assert (b.sensor("thrust")[3] == 0).all() and b.sensor("thrust")[4] == pytest.approx(4.0)
        for bad in ("nothing", 3, "", None):
            with pytest.raises(perp.UnknownName):
                b.sensor(bad)
        with pytest.raises(perp.ArgumentError, match="batch"):
            b.world(0).add_sensor("gyroscope", b.world(0).site("imu"))
        with pytest.raises(perp.ArgumentError, match="batch"):
            b.world(0).sensor("a").remove()
        b.close()
        assert np.isfinite(held).all()
    assert all(np.array_equal(r, runs[0]) for r in runs)
    gear = perp.Batch(gears(), 3)
    gear.ctrl[:, 0] = (0.0, 1.0, 2.0)
    gear.step(50)
    assert np.allclose(gear.q[:, 1], 2 * gear.q[:, 0], atol=1e-9) and np.array_equal(gear.sensor("q1")[:, 0], gear.q[:, 1]) and gear.q[2, 0] > 0.01
    e = perp.gym.VectorEnv(gears(), 2, "ctrl", reward=lambda b: b.sensor("q1")[:, 0], obs=lambda b: b.sensor_data)
    e.reset(seed=0)
    obs, reward, *_ = e.step(np.ones((2, 1)))
    assert obs.shape == (2, 1) and np.array_equal(reward, obs[:, 0]) and reward[0] > 0


def test_sensors_in_a_recording(tmp_path):
    w, seen = bench(), []
    with perp.Recorder(w, tmp_path / "a.h5"):
        seen.append(w.sensor_data)
        for _ in range(5):
            w.step()
            seen.append(w.sensor_data)
    r = perp.Recording(tmp_path / "a.h5")
    assert [(s.name, s.kind) for s in r.sensors] == [(s.name, s.kind) for s in w.sensors] and r.sensors[0].unit == "L/T^2"
    assert np.array_equal(np.concatenate([r.sensor(s.name) for s in r.sensors], axis=1), seen)
    with pytest.raises(perp.UnknownName, match="held"):
        r.sensor("nothing")


def test_sensors_and_couplings_of_models(tmp_path):
    (tmp_path / "m.xml").write_text("""<mujoco><option timestep="0.01"/><worldbody><body name="a"><joint name="ja" axis="0 1 0"/><inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/>
      <site name="imu"/></body><body name="b" pos="1 0 0"><joint name="jb" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
      <equality><joint joint1="jb" joint2="ja" polycoef="0 3 0 0 0"/></equality>
      <sensor><gyro name="g" site="imu"/><jointpos name="p" joint="jb"/></sensor></mujoco>""")
    w = perp.load(tmp_path / "m.xml").world()
    w.run(steps=20)
    assert [s.name for s in w.sensors] == ["g", "p"] and [j.kind for j in w.joints if j.terms] == ["coupling"]
    assert w.sensor("p").value[0] == pytest.approx(3 * w.joint("ja").position[0], abs=1e-9) and w.sensor("g").value[1] == pytest.approx(w.joint("ja").rate[0])
    assert abs(w.joint("ja").rate[0]) > 0.01
    arm = perp.load(ROOT / "scenes" / "robots" / "arm.urdf").world()
    assert any(j.kind == "coupling" for j in arm.joints)  # one finger follows the other
