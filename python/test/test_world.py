# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Worlds: made from nothing and from scenes, stepped, read, copied, closed."""
import gc
import pickle
import threading

import numpy as np
import pytest

import perp
from conftest import pile
from perp._native import ffi, lib


def test_sliding_block_stops_where_the_law_says():
    w = perp.World(dim=3, h=1e-3, mu=0.4)
    w.add(perp.HalfSpace())
    b = w.add(perp.Box(0.2, 0.2, 0.05), density=500, at=(0, 0, 0.025), velocity=(1, 0, 0))
    total = w.run(1.0)
    assert abs(b.position[0] - 1 / (2 * 0.4 * 9.81)) < 1e-4
    assert total.overlap < 1e-12 and total.substeps == 1000
    assert total.ledger.friction == pytest.approx(-0.5 * b.mass, rel=1e-5)
    assert abs(total.ledger.remainder) < 1e-12
    assert w.energy.kinetic < 1e-12 and w.steps == 1000 and w.time == 1.0


def test_views_are_the_librarys_own_memory():
    w = pile()
    v = ffi.new("perp_world_view *")
    assert lib.perp_world_look(w._w, v) == 0
    p, t = w.poses, w.twists
    assert p.ctypes.data == int(ffi.cast("uintptr_t", v.pose)) and t.ctypes.data == int(ffi.cast("uintptr_t", v.twist))
    assert p.shape == (v.nslot, 7) and t.shape == (v.nslot, 6)
    before = p.copy()
    w.bodies[1].velocity = (0, 0, 1)
    assert t[1, 2] == 1  # a change shows in arrays that somebody holds
    w.run(steps=10)
    assert not np.array_equal(before, p) and w.poses is p and w.twists is t
    X = ffi.new("perp_pose *")
    lib.perp_body_pose(w._w, w.bodies[1]._id, X)
    assert tuple(p[1]) == (X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z)
    out = ffi.new("perp_contact **")
    n = lib.perp_world_contacts(w._w, out)
    w.run(steps=300)
    n = lib.perp_world_contacts(w._w, out)
    a = w.contacts.array
    assert len(a) == n >= 10 and a.ctypes.data == int(ffi.cast("uintptr_t", out[0]))
    for i in range(n):
        assert a["gap"][i] == out[0][i].gap and tuple(a["n_W"][i]) == (out[0][i].n_W.x, out[0][i].n_W.y, out[0][i].n_W.z)
        assert tuple(a["impulse_C"][i]) == tuple(out[0][i].impulse_C) and a["state"][i] == out[0][i].state
        assert tuple(a["a"][i]) == (out[0][i].a.slot, out[0][i].a.gen)


def test_views_cannot_be_written():
    w = pile()
    for a in (w.poses, w.twists, w.bodies[1].pose, w.bodies[1].velocity):
        with pytest.raises(ValueError):
            a[0] = 1
        with pytest.raises(ValueError):
            a.flags.writeable = True


def test_views_outlive_growth_and_world():
    w = pile()
    w.run(steps=5)
    p, t, c = w.poses, w.twists, w.contacts.array
    last = p.copy(), t.copy(), c.copy()
    for i in range(100):
        w.add(perp.Sphere(0.1), at=(0, 0, 10 + i))
    assert np.array_equal(p, last[0]) and np.array_equal(t, last[1])  # old numbers, not freed memory
    assert w.poses.shape[0] == last[0].shape[0] + 100
    w.run(steps=5)
    w.close()
    del w
    gc.collect()
    assert np.array_equal(p, last[0]) and np.array_equal(t, last[1]) and len(c) == len(last[2])


def test_contacts_carry_the_weight():
    w = pile(4)
    w.run(steps=50)
    b = w.body("box0")
    up = sum(c.force for c in w.contacts if c.bodies[1] == b)
    assert np.allclose(up, (0, 0, b.mass * 9.81), atol=1e-9)
    assert {c.state for c in w.contacts} == {"sticking"} and all(c.mu == 0.5 for c in w.contacts)
    assert w.contacts[0].normal_force == pytest.approx(b.mass * 9.81 / 4)


def test_failed_step_raises_and_leaves_the_world(root):
    w = perp.World(dim=3, h=1e-2, max_halvings=0, solver="pgs", no_fallback=True, form="lcp", mu=0.5)
    w.setting("pgs.max_sweeps", 1)
    w.add(perp.HalfSpace())
    for i in range(8):
        w.add(perp.Box(0.1, 0.1, 0.1), density=500, at=(0, 0, 0.05 + 0.1 * i))
    before, t = w.hash, w.time
    with pytest.raises(perp.SolveError) as e:
        w.step()
    assert w.hash == before and w.time == t and str(e.value) and e.value.certificate is not None
    assert isinstance(e.value, perp.PerpError)


def test_pickle_and_clone_go_on_to_the_bit(root):
    w = pile()
    w.body("box0").velocity = (1, 0, 0)
    w.run(steps=10)
    copies = [pickle.loads(pickle.dumps(w)), w.clone()]
    s = perp.load(root / "scenes" / "demo.yaml").world(rows=2)
    s.run(steps=10)
    scenes = [pickle.loads(pickle.dumps(s)), s.clone(), s.clone().clone()]
    s2 = pickle.loads(pickle.dumps(scenes[1]))
    for x in (w, *copies, s, *scenes, s2):
        x.run(steps=20)
    assert {x.hash for x in copies} == {w.hash} and {x.hash for x in (*scenes, s2)} == {s.hash}
    s.close()
    gc.collect()
    scenes[2].run(steps=3)  # its scene is still there


def test_model_pickles_with_its_files(root, tmp_path):
    m = perp.load(root / "scenes" / "demo.yaml", rows=3)
    again = pickle.loads(pickle.dumps(m))
    assert again.parameters["rows"].value == 3 and again.title == m.title and again.steps == m.steps
    a, b = m.world(), again.world()
    a.run(steps=10), b.run(steps=10)
    assert a.hash == b.hash
    made = perp.Model.of(pile()).world()
    assert [x.name for x in made.bodies] == [x.name for x in pile().bodies]


def test_state_is_bytes():
    w = pile()
    w.run(steps=3)
    s = w.state
    h = w.hash
    w.run(steps=3)
    w.state = s
    assert w.hash == h
    for bad in (s[:-1], b"", b"x" * len(s), s[:100] + b"\xff" + s[101:]):
        with pytest.raises(perp.ArgumentError):
            w.state = bad
    assert w.hash == h


def test_joint_pendulum():
    w = perp.World(dim=2, h=1e-3)
    b = w.add(perp.Sphere(0.01), density=1000, at=(1, 0))
    j = w.add_joint("revolute", b, at=(0, 0), name="hinge")
    total = w.run(1.0)
    assert total.joint_error < 1e-9 and abs(np.hypot(*b.position[:2]) - 1) < 1e-9
    assert w.joint("hinge") == j and j.kind == "revolute" and j.coords == 1
    assert abs(w.energy.total - 0) < 1e-3 * b.mass * 9.81
    j.set(motor_speed=2.0)
    w.run(steps=10)
    assert j.rate[0] == pytest.approx(2.0)
    assert j.impulse.shape == (6,)
    slide = perp.World(dim=3, gravity=(0, 0, 0))
    c = slide.add(perp.Box(1, 1, 1), density=1, at=(1, 2, 3), turn=(np.cos(0.3), 0, np.sin(0.3), 0))
    p = slide.add_joint("prismatic", c, axis=(1, 1, 0), motor_speed=0.5)
    slide.run(1.0)
    assert np.allclose(c.position, np.array([1, 2, 3]) + 0.5 * np.array([1, 1, 0]) / np.sqrt(2), atol=1e-9)
    assert p.position[0] == pytest.approx(0.5)


def test_forces_of_python():
    w = perp.World(dim=3, h=1e-3, gravity=(0, 0, 0))
    b = w.add(perp.Sphere(0.1), mass=2.0)
    seen = []
    f = w.add_force(b, lambda t: (seen.append(t), (2.0, 0, 0))[1])
    w.run(steps=10)
    assert b.velocity[0] == pytest.approx(0.01) and len(seen) == 10
    f.remove()
    with pytest.raises(perp.ArgumentError):
        f.remove()

    def bad(t):
        raise RuntimeError("my own mistake")

    w.add_force(b, bad)
    h = w.hash
    with pytest.raises(RuntimeError, match="my own mistake"):
        w.step()
    assert w.hash == h
    with pytest.raises(perp.PerpError):
        pickle.dumps(w)  # a function of the program cannot be written


def test_kinematic_motion():
    w = perp.World(dim=2, h=1e-2, mu=0.5)
    plate = w.add(perp.Box(1, 0.1), kind="kinematic", at=(0, 0))
    plate.drive(lambda t: (0.1 * np.sin(t), 0, 0))
    b = w.add(perp.Box(0.1, 0.1), density=1, at=(0, 0.1))
    w.run(1.0)
    assert plate.position[0] == pytest.approx(0.1 * np.sin(1.0)) and b.position[0] == pytest.approx(
        0.1 * np.sin(1.0) - 0.1**2 / (2 * 0.5 * 9.81), abs=1e-4)  # it slips until friction has brought it to the speed of the plate


def test_centre_of_mass_is_found():
    w = perp.World(dim=3, gravity=(0, 0, 0))
    b = w.add([perp.Box(1, 1, 1, at=(1, 0, 0)), perp.Box(1, 1, 1, at=(2, 0, 0))], density=2.0, at=(0, 0, 5))
    assert np.allclose(b.position, (1.5, 0, 5)) and b.mass == pytest.approx(4.0)
    assert np.allclose(b.inertia, np.diag([4 / 6, 4 * (4 + 1) / 12, 4 * (4 + 1) / 12]))


def test_closed_and_stale():
    w = pile()
    b = w.body("box0")
    b.remove()
    assert not b.alive
    for f in (lambda: b.pose, lambda: b.mass, lambda: b.name, b.remove, lambda: setattr(b, "velocity", (0, 0, 0))):
        with pytest.raises(perp.ArgumentError, match="removed"):
            f()
    c = w.body("box1")
    w.close()
    w.close()
    for f in (w.step, lambda: w.poses, lambda: w.time, lambda: c.pose, lambda: w.add(perp.Sphere(1)), lambda: w.run(1.0), lambda: w.state,
              w.clone, lambda: w.contacts, lambda: pickle.dumps(w)):
        with pytest.raises(perp.ClosedError):
            f()


def test_bad_arguments_are_refused_with_a_sentence(tmp_path):
    w = pile()
    h = w.hash
    n = len(w.bodies)
    b = w.body("box0")
    cases = [
        (lambda: perp.World(dim=4), "dim"), (lambda: perp.World(step=1), "step"), (lambda: perp.World(form="nice"), "form"),
        (lambda: perp.World(h=float("nan")), "h"), (lambda: perp.World(h=-1), "h"),
        (lambda: w.add(perp.Sphere(-1), density=1), ""), (lambda: w.add("box"), "shapes"), (lambda: w.add(perp.Box(1, 1, 1), density=-2), ""),
        (lambda: w.add(perp.Sphere(1), at=(0, 0)), "3 numbers"), (lambda: w.add(perp.Sphere(1), at=(0, 0, np.nan)), "NaN"),
        (lambda: w.add(perp.Sphere(1), kind="ghost"), "kind"), (lambda: w.add(perp.Sphere(1), turn=(1, 2, 3)), "quaternion"),
        (lambda: w.add(perp.Sphere("big")), "radius"), (lambda: w.add(perp.Sphere(1j)), "radius"),
        (lambda: setattr(b, "velocity", (1, 2, np.inf)), "infinity"), (lambda: setattr(b, "pose", np.zeros(7)), "norm"),
        (lambda: setattr(b, "pose", np.zeros((7, 1))), "shape"), (lambda: w.body("nobody"), "nobody"), (lambda: w.joint("x"), "x"),
        (lambda: w.add_joint("hinge", b), "hinge"), (lambda: w.add_joint("revolute", b, color=1), "color"),
        (lambda: w.law(0, 7, mu=1), ""), (lambda: w.law(mu=-1), "mu"), (lambda: w.law(friction=1), "friction"),
        (lambda: w.setting("lemke.nothing"), "lemke.nothing"), (lambda: w.run(), "duration"), (lambda: w.run(steps=-1), "steps"),
        (lambda: perp.load(tmp_path / "no.yaml"), "no.yaml"), (lambda: w.write(tmp_path), ""), (lambda: w.add_force(b, 3), "function"),
    ]
    for f, word in cases:
        with pytest.raises((perp.PerpError, TypeError)) as e:
            f()
        assert isinstance(e.value, perp.PerpError), f"{e.value!r}"
        assert word in str(e.value), str(e.value)
    assert w.hash == h and len(w.bodies) == n


def test_a_second_thread_is_refused():
    w = pile()
    inside, go = threading.Event(), threading.Event()
    b = w.add(perp.Sphere(0.1), at=(5, 5, 5))

    def force(t):
        inside.set()
        go.wait(10)
        return (0, 0, 0)

    w.add_force(b, force)
    thread = threading.Thread(target=w.step)
    thread.start()
    assert inside.wait(10)
    for f in (w.step, w.close, b.remove, lambda: w.add(perp.Sphere(1)), lambda: w.state, lambda: w.poses, w.clone, lambda: w.time):
        with pytest.raises(perp.PerpError, match="another thread"):
            f()
    go.set()
    thread.join()
    w.step()


def test_functions_within_a_step_may_read_and_not_change():
    w = perp.World(dim=3, gravity=(0, 0, 0), h=0.01)
    b = w.add(perp.Sphere(0.1), mass=1.0, velocity=(1, 0, 0))
    seen = []
    f = w.add_force(b, lambda t: (seen.append((w.time, *b.velocity)), -2 * b.velocity)[1])
    w.run(steps=3)
    assert [s[0] for s in seen] == [0.0, 0.01, 0.02] and seen[1][1] == pytest.approx(0.98, abs=0.011)
    f.remove()
    for change in (lambda: b.push((1, 0, 0)), w.step, lambda: w.add(perp.Sphere(1)), b.remove, w.close):
        f = w.add_force(b, lambda t: change())
        h = w.hash
        with pytest.raises(perp.PerpError, match="being stepped"):
            w.step()
        assert w.hash == h
        f.remove()


def test_scene_parameters_and_messages(root, tmp_path):
    m = perp.load(root / "scenes" / "demo.yaml")
    assert m.world(rows=2).poses.shape[0] < m.world(rows=4).poses.shape[0]
    with pytest.raises(perp.ArgumentError, match="rows"):
        m.world(rows=99)
    bad = tmp_path / "bad.yaml"
    bad.write_text("dimension: 7\n")
    with pytest.raises(perp.PerpError) as e:
        perp.load(bad)
    assert "bad.yaml:1" in str(e.value)


def test_docstrings_come_from_the_headers():
    assert "Deepest true overlap" in perp.Certificate.overlap.__doc__
    assert perp.Certificate.__doc__.startswith("Certificate of a step")
    for name in dir(perp.World):
        if not name.startswith("_"):
            assert getattr(perp.World, name).__doc__, name


def test_lists_of_parts_keep_their_ids():
    w = pile(40)
    bodies = w.bodies
    junk = [np.full(64, 7.0) for _ in range(200)]  # memory that was given back is used again
    assert [b.name for b in bodies] == ["floor", *(f"box{i}" for i in range(10))] and len(junk) == 200
    b, other = w.body("box3"), w.body("box4")
    j = w.add_joint("fixed", b, other, name="weld")
    assert repr(j) == "<perp.Joint weld>"
    j.remove()
    assert repr(j) == "<perp.Joint, removed>" and repr(w.bodies[1]) == "<perp.Body box0>"


def test_names_that_do_not_exist_cannot_be_assigned():
    """w.gravity = 0 would change nothing."""
    w = pile(4)
    b = perp.Batch(w, 2)
    for f in (lambda: setattr(w, "gravity", (0, 0, 0)), lambda: setattr(w.body("box0"), "pos", (0, 0, 0)), lambda: setattr(b, "poses", 0)):
        with pytest.raises(AttributeError):
            f()


def test_what_is_added_is_checked():
    w = pile(4)
    b, n = w.body("box0"), len(w.bodies)
    for f, word in [(lambda: w.add(3), "int"), (lambda: w.add([3]), "int"), (lambda: w.add_joint("revolute", b, axes=[{}], damping=1.0), "damping"),
                    (lambda: w.add_joint("revolute", b, axes=[3]), "axes"), (lambda: w.add_joint("revolute", b, axes={"damping": 1}), "axes"), (lambda: perp.World(fallback="lemke"), "list"),
                    (lambda: perp.Model.of(3), "World")]:
        with pytest.raises(perp.ArgumentError, match=word):
            f()
    assert len(w.bodies) == n and not w.joints


def moving():
    """A pile that slides, with a hinge."""
    w = perp.World(dim=3, h=0.002, mu=0.5)
    w.add(perp.HalfSpace())
    for i in range(6):
        w.add(perp.Box(0.1, 0.1, 0.1), density=500, at=(0.003 * i, 0, 0.05 + 0.1 * i), velocity=(0.1 * i, 0, 0))
    w.add_joint("revolute", w.add(mass=1.0, inertia=1.0, at=(5, 0, 5)), at=(5, 0, 4), axis=(0, 1, 0), name="hinge")
    w.run(steps=5)
    return w


def test_what_is_refused_leaves_the_world_as_it_was(tmp_path):
    """To the bit: also what the solver remembers, saved states, and arrays that somebody holds."""
    calls = [lambda w: w.add(perp.Sphere(-1), kind="obstacle"), lambda w: w.add(perp.Sphere(-1), mass=1.0, inertia=1.0), lambda w: w.add(perp.Box(0, 1, 1), density=1),
             lambda w: w.add([perp.Sphere(0.1), perp.Sphere(0.1, material=9)], density=1, at=(0, 0, 9)), lambda w: w.add(perp.HalfSpace(), kind="dynamic", mass=1.0, inertia=1.0),
             lambda w: w.add(perp.Sphere(0.1), mass=-1.0, inertia=1.0), lambda w: w.add_joint("revolute", w.bodies[1], limits=(1, 0)), lambda w: w.law(0, 9, mu=1), lambda w: setattr(w, "h", -1),
             lambda w: setattr(w.bodies[1], "pose", np.zeros(7)), lambda w: setattr(w.bodies[1], "velocity", (0, np.nan, 0)), lambda w: setattr(w, "state", b"x"),
             lambda w: setattr(w, "q", np.full(43, np.inf)), lambda w: w.setting("lemke.x", 3), lambda w: w.set_keyframe("x"), lambda w: w.exclude(w.bodies[1], w.bodies[1]),
             lambda w: w.write(tmp_path), lambda w: perp.Recorder(w, tmp_path), lambda w: w.add_sensor("force", w.bodies[1], by=w.bodies[1]), lambda w: w.bodies[1].drive(lambda t: (0, 0, 0)),
             lambda w: perp.Batch(w, 0), lambda w: w.add_force(w.bodies[0], lambda t: (0, 0, 0)), lambda w: w.add_spring(w.bodies[1], stiffness=-1), lambda w: w.add_coupling([(w.joint("hinge"), 0.0)]),
             lambda w: w.add_actuator("position", w.joint("hinge"), kp=-1.0), lambda w: w.add_keyframe("", q=[1.0]), lambda w: w.add_site("x", w.bodies[1], turn=(0, 0, 0, 0))]
    witness = moving()
    saved = witness.state
    witness.run(steps=10)
    for k, call in enumerate(calls):
        w = moving()
        n, held, model = len(w.contacts), (w.q, w.v, w.poses, w.twists), w.joint_space
        with pytest.raises(perp.PerpError) as e:
            call(w)
        assert str(e.value) and len(w.contacts) == n and w.joint_space is model, k
        w.run(steps=5)
        w.state = saved
        w.run(steps=10)
        assert w.hash == witness.hash, (k, str(e.value))
        for a, b in zip(held, (witness.q, witness.v, witness.poses, witness.twists)):
            assert np.array_equal(a, b), k


def test_held_arrays_follow_after_sensors_and_actuators_were_added():
    w = moving()
    q, v = w.q, w.v
    j = w.joint("hinge")
    w.add_sensor("joint-position", j)
    w.add_actuator("force", j, ctrl=1.0)
    w.add_site("s", w.bodies[1])
    w.run(steps=5)
    assert q[-1] == j.position[0] != 0 and v[-1] == pytest.approx(j.rate[0]) and w.q is q
