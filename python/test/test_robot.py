# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Robots: q, v and ctrl as views, actuators, sites, keyframes, and models in MJCF and URDF."""
import gc
import pickle

import numpy as np
import pytest

import perp
from conftest import ROOT
from perp._native import ffi, lib

MODELS = ROOT / "scenes" / "robots"


def wheels(n=2, kind="force", **options):
    """Wheels of inertia 1 on hinges of their own, each with an actuator."""
    w = perp.World(dim=3, h=0.01, gravity=(0, 0, 0))
    for i in range(n):
        b = w.add(mass=1.0, inertia=1.0, at=(i, 0, 0), name=f"wheel{i}")
        j = w.add_joint("revolute", b, name=f"hinge{i}")
        w.add_actuator(kind, j, name=f"motor{i}", **options)
    return w


def address(p):
    return int(ffi.cast("uintptr_t", p))


def test_views_are_the_librarys_own_arrays():
    w = wheels()
    look = ffi.new("perp_world_view *")
    assert lib.perp_world_look(w._w, look) == 0
    p = ffi.new("double *[2]")
    q, v, ctrl = w.q, w.v, w.ctrl
    lib.perp_joint_space_look(w._shown, ffi.cast("const double **", p), ffi.cast("const double **", p + 1))
    assert (q.ctypes.data, v.ctypes.data, ctrl.ctypes.data) == (address(p[0]), address(p[1]), address(look.ctrl))
    assert w.q is q and w.v is v and w.ctrl is ctrl and ctrl.flags.writeable and not q.flags.writeable and not v.flags.writeable
    ctrl[:] = (1.0, -2.0)
    w.run(steps=10)  # the arrays follow, nobody asks again
    assert np.allclose(v, (0.1, -0.2)) and np.allclose(q, [w.joint(f"hinge{i}").position[0] for i in range(2)]) and q[0] > 0
    w.joint_space.place(q=[1.0, 2.0])  # a configuration of its own, not the world's
    assert np.allclose(v, (0.1, -0.2)) and q[0] < 0.1
    w.q = (0.5, 0.25)
    assert np.allclose(q, (0.5, 0.25))
    w.body("wheel0").spin = (0, 0, 3)
    assert v[0] == pytest.approx(3.0)


def test_ctrl_written_is_ctrl_set():
    for start in ("plain", "staggered"):
        a, b = (perp.World(dim=3, h=0.01, gravity=(0, 0, 0), start=start) for _ in range(2))
        for w in (a, b):
            w.add_actuator("position", w.add_joint("revolute", w.add(mass=1.0, inertia=1.0)), kp=50.0, kv=3.0, force_range=(-2, 2))
        for k in range(30):
            a.ctrl[0] = np.sin(0.3 * k)
            b.actuators[0].ctrl = np.sin(0.3 * k)
            a.step()
            b.step()
            assert a.hash == b.hash
    assert abs(a.actuators[0].force) <= 2 and a.q[0] != 0


def test_actuators():
    w = wheels(3)
    m = w.actuator("motor1")
    assert [x.name for x in w.actuators] == ["motor0", "motor1", "motor2"] and m.kind == "force" and m.joint.name == "hinge1" and m.ctrl == 0
    w.ctrl = [1, 2, 3]
    w.step()
    assert m.force == pytest.approx(2.0) and np.allclose(w.v, 0.01 * np.array([1, 2, 3]))
    held = w.ctrl
    m.remove()
    assert w.ctrl.tolist() == [1, 3] and len(held) == 3
    held[2] = 9.0  # an old view: does no harm
    w.step()
    with pytest.raises(perp.ArgumentError, match="actuator was removed"):
        m.ctrl = 1.0
    w.joint("hinge2").remove()
    assert w.ctrl.tolist() == [1] and len(w.actuators) == 1
    with pytest.raises(perp.UnknownName, match="motor0"):
        w.actuator("motor9")
    again = perp.Model.of(w).world()
    assert [x.name for x in again.actuators] == ["motor0"] and again.ctrl.tolist() == [1]


def test_wrong_ctrl_is_refused():
    w = wheels()
    h = w.hash
    for bad in ([1.0], [1.0, 2.0, 3.0], np.zeros((2, 1)), [np.nan, 0], [0, np.inf], "ab", None, [1j, 0]):
        with pytest.raises(perp.ArgumentError):
            w.ctrl = bad
    for bad in (np.nan, -np.inf):
        w.ctrl[1] = bad
        with pytest.raises(perp.ArgumentError, match=r"ctrl\[1\]"):
            w.step()
        assert w.hash == h and w.time == 0
        with pytest.raises(perp.ArgumentError):
            pickle.dumps(w)
    with pytest.raises((ValueError, TypeError)):
        w.ctrl[0] = "much"
    with pytest.raises(IndexError):
        w.ctrl[2] = 1.0
    w.ctrl[1] = 0.0
    w.step()
    held = w.ctrl
    w.close()
    held[0] = 5.0  # the memory is still there
    assert held[0] == 5.0
    with pytest.raises(perp.ClosedError):
        w.ctrl
    with pytest.raises(perp.ClosedError):
        w.ctrl = [0, 0]
    for f in (lambda x: x.add_actuator("servo", x.joints[0]), lambda x: x.add_actuator("force", None), lambda x: x.add_actuator("force", x.joints[0]),
              lambda x: x.add_actuator("position", x.joints[0], coord=3), lambda x: x.add_actuator("position", x.joints[0], force_range=(1, -1))):
        with pytest.raises(perp.PerpError) as e:
            f(wheels())
        assert str(e.value)


def test_a_world_without_actuators_has_an_empty_ctrl():
    w = perp.World()
    assert w.ctrl.shape == (0,) and w.q.shape == (0,) and w.actuators == []
    w.ctrl = []
    w.step()


def test_views_outlive_their_world():
    w = wheels()
    held = (w.q, w.v, w.ctrl)
    for i in range(40):  # arrays move
        w.add_actuator("force", w.add_joint("revolute", w.add(mass=1.0, inertia=1.0, at=(0, i + 1, 0))))
    w.step()
    w.close()
    del w
    gc.collect()
    held[2][:] = 1.0
    assert all(np.isfinite(x).all() for x in held)


def test_ctrl_survives_pickling_and_states():
    w = perp.Model.of(wheels(kind="velocity", kv=2.0)).world()
    for go in (lambda: None, w.step):  # as loaded, and later
        go()
        w.ctrl[:] = (0.5, w.time + 1.0)
        twins = [w.clone(), pickle.loads(pickle.dumps(w)), perp.Model.of(w).world()]
        saved, ctrl = w.state, w.ctrl.copy()
        w.run(steps=5)
        for t in twins:
            assert t.ctrl.tolist() == ctrl.tolist()
            t.run(steps=5)
            assert t.hash == w.hash
        after = w.hash
        w.state = saved
        w.run(steps=5)
        assert w.hash == after


def test_sites_and_keyframes():
    w = wheels()
    tip = w.add_site("tip", w.body("wheel0"), at=(0.5, 0, 0))
    w.add_keyframe("home", q=[np.pi / 2, 0.0], ctrl=[0.0, 1.0])
    assert np.allclose(perp.Model.of(w).key("home").q, (np.pi / 2, 0))
    w.add_keyframe("short", q=[1.0])
    w.set_keyframe("home")
    assert np.allclose(w.q, (np.pi / 2, 0)) and np.allclose(w.v, 0) and w.ctrl.tolist() == [0, 1]
    assert np.allclose(w.site("tip").pose[:3], (0, 0.5, 0)) and tip.body == w.body("wheel0")
    w.v = [2.0, 0.0]
    assert np.allclose(tip.twist, (-1.0, 0, 0, 0, 0, 2.0))
    k = w.keyframe("home")
    assert np.allclose(k.q, (np.pi / 2, 0)) and k.v is None and k.ctrl.tolist() == [0, 1] and list(w.keyframes) == ["home", "short"]
    for f in (lambda: w.set_keyframe("short"), lambda: w.set_keyframe("away"), lambda: w.site("heel"), lambda: w.add_keyframe("x", q=[np.nan]),
              lambda: w.add_keyframe(""), lambda: w.add_site("x", "wheel0"), lambda: w.keyframe(3)):
        with pytest.raises(perp.PerpError) as e:
            f()
        assert str(e.value)
    tip.remove()
    with pytest.raises(perp.ArgumentError, match="site was removed"):
        tip.pose


def test_pairs_that_never_touch():
    for excluded in (False, True):
        w = perp.World(dim=3, h=0.005)
        a = w.add(perp.Box(1, 1, 1), kind="obstacle")
        b = w.add(perp.Sphere(0.1), density=1, at=(0, 0, 0.7))
        if excluded:
            w.exclude(a, b)
        w.run(0.5)
        assert (b.position[2] < 0.3) == excluded
    with pytest.raises(perp.ArgumentError):
        w.exclude(a, a)
    with pytest.raises(perp.ArgumentError):
        w.exclude(a, None)
    w.include(a, b)
    with pytest.raises(perp.ArgumentError):
        w.include(a, b)


@pytest.mark.parametrize("name, kind, moving, nq", [("hand.xml", "MJCF", 8, 15), ("arm.urdf", "URDF", 7, 7), ("quadruped.xml", "MJCF", 13, 19)])
def test_models_of_robots(name, kind, moving, nq):
    m = perp.load(MODELS / name)
    assert m.counts["format"] == kind and m.counts["moving"] == moving and m.report
    assert all(n.kind in ("ignored", "approximated", "repaired", "assumed") and n.text and n.places >= 1 for n in m.report)
    w, again = m.world(), pickle.loads(pickle.dumps(m)).world()
    assert w.q.shape == (nq,) and sum(b.mass for b in w.bodies if b.kind == "dynamic") == pytest.approx(m.counts["mass"])
    for _ in range(5):
        w.step()
        again.step()
    assert w.hash == again.hash
    b = perp.Batch(m, 3, 2)
    b.step(5)
    assert (b.hashes == w.hash).all() and np.array_equal(b.q[1], w.q)


def test_the_witness_of_forward_kinematics():
    """A chain of the URDF arm: the pose of its last link by hand, from the origins and axes in the file."""
    import xml.etree.ElementTree as xml

    w = perp.load(MODELS / "arm.urdf").world()
    links = w.joint_space.links
    rng = np.random.default_rng(4)
    w.q = w.joint_space.project(w.q + rng.uniform(0.05, 0.1, w.q.shape))[0]  # one finger follows the other

    def turn(axis, angle):
        x, y, z = np.array(axis) / np.linalg.norm(axis)
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K

    def origin(e):
        o = e.find("origin")
        xyz, rpy = (([float(x) for x in o.get(k, "0 0 0").split()] if o is not None else [0.0] * 3) for k in ("xyz", "rpy"))
        T = np.eye(4)
        T[:3, :3] = turn((0, 0, 1), rpy[2]) @ turn((0, 1, 0), rpy[1]) @ turn((1, 0, 0), rpy[0])
        T[:3, 3] = xyz
        return T

    tree = xml.parse(MODELS / "arm.urdf").getroot()
    parent = {j.find("child").get("link"): j for j in tree.findall("joint")}
    q = {x.name: float(w.q[x.q][0]) for x in links}

    def pose(link):
        if link not in parent:
            return np.eye(4)
        j = parent[link]
        T = pose(j.find("parent").get("link")) @ origin(j)
        if j.get("type") != "fixed":
            axis = [float(x) for x in j.find("axis").get("xyz").split()]
            M = np.eye(4)
            if j.get("type") == "prismatic":
                M[:3, 3] = q[j.get("name")] * np.array(axis)
            else:
                M[:3, :3] = turn(axis, q[j.get("name")])
            T = T @ M
        return T

    checked = 0
    for link in tree.findall("link"):
        name, inertial = link.get("name"), link.find("inertial")
        if name in parent and parent[name].get("type") != "fixed" and inertial is not None and name in [b.name for b in w.bodies]:
            fixed = any(j.get("type") == "fixed" and j.find("parent").get("link") == name for j in tree.findall("joint"))
            if not fixed:  # what is fixed to it moves its centre of mass
                assert np.allclose(w.body(name).position, (pose(name) @ origin(inertial))[:3, 3], atol=1e-12)
                checked += 1
    assert checked >= 3


def test_options_of_models(tmp_path):
    mass = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    two = tmp_path / "two.urdf"
    two.write_text(f"<robot name='r'><link name='a'>{mass}</link><link name='b'>{mass}</link><joint name='j' type='continuous'>"
                   "<parent link='a'/><child link='b'/><axis xyz='0 0 1'/></joint></robot>")
    assert perp.load(two).world().q.shape == (1,) and perp.load(two, free_base=True).world().q.shape == (8,)
    k = perp.load(MODELS / "quadruped.xml", key="stand")
    assert not np.allclose(k.world().q, perp.load(MODELS / "quadruped.xml").world().q)
    bad = tmp_path / "bad.urdf"
    bad.write_text("<robot name='r'><link name='a'><inertial><mass value='-1'/></inertial></link></robot>")
    half = tmp_path / "half.xml"
    half.write_text("<mujoco><worldbody>")
    for f in (lambda: perp.load(MODELS / "arm.urdf", mu=0.3), lambda: perp.load(MODELS / "arm.urdf", root="/"), lambda: perp.load(MODELS / "arm.urdf", corners=3),
              lambda: perp.load(MODELS / "quadruped.xml", key="nowhere"), lambda: perp.load(bad), lambda: perp.load(half), lambda: perp.load(tmp_path / "none.xml"),
              lambda: perp.load(MODELS / "arm.urdf", packages=["x"]), lambda: perp.load("a\0b"), lambda: perp.load(tmp_path)):
        with pytest.raises(perp.PerpError) as e:
            f()
        assert str(e.value)
