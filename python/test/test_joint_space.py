# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Joint space: q and v of a world, and the dynamics in them, against closed forms and against the bodies."""
import numpy as np
import pytest

import perp


def arm(dim=2):
    """Two bars of length 1 and mass 1 on hinges, in the x-y plane."""
    w = perp.World(dim=2, h=1e-3)
    a = w.add(perp.Box(1, 0.1), mass=1.0, inertia=1 / 12, at=(0.5, 0), name="a")
    b = w.add(perp.Box(1, 0.1), mass=1.0, inertia=1 / 12, at=(1.5, 0), name="b")
    w.add_joint("revolute", a, at=(0, 0), name="shoulder")
    w.add_joint("revolute", b, a, at=(1, 0), name="elbow")
    return w


def test_q_and_v_follow_the_world_and_place_it():
    w = arm()
    assert w.q.shape == w.v.shape == (2,) and np.allclose(w.q, 0)
    w.q = [0.3, -0.5]
    w.v = [1.0, 2.0]
    assert np.allclose(w.q, (0.3, -0.5), atol=1e-14) and np.allclose(w.v, (1, 2), atol=1e-13)
    tip = np.array([np.cos(0.3) + 0.5 * np.cos(-0.2), np.sin(0.3) + 0.5 * np.sin(-0.2)])
    assert np.allclose(w.body("b").position[:2], tip, atol=1e-14) and w.joint("elbow").rate[0] == pytest.approx(2.0)
    w.run(steps=10)
    assert np.allclose(w.q, [w.joint("shoulder").position[0], w.joint("elbow").position[0]])
    assert w.joint_space.link("elbow").q == slice(1, 2) and [x.name for x in w.joint_space.links] == ["shoulder", "elbow"]


def test_dynamics():
    w = arm()
    w.q, w.v = [0.4, 0.7], [0.5, -0.3]
    s = w.joint_space
    s.read()
    c = np.cos(0.7)
    M = np.array([[1 / 3 + 4 / 3 + c, 1 / 3 + c / 2], [1 / 3 + c / 2, 1 / 3]])
    assert np.allclose(s.mass_matrix(), M, atol=1e-13)
    a = np.array([0.2, -1.0])
    assert np.allclose(s.inverse_dynamics(a), M @ a + s.bias(), atol=1e-12) and np.allclose(s.forward_dynamics(s.inverse_dynamics(a)), a, atol=1e-10)
    b = w.body("b")
    assert np.allclose(s.jacobian(b) @ w.v, np.concatenate([b.velocity, b.spin]), atol=1e-13)
    moved = s.integrate(w.q, w.v, 0.1)
    assert np.allclose(s.difference(w.q, moved, 0.1), w.v, atol=1e-12)


def test_free_body_has_seven_coordinates():
    w = perp.World(dim=3)
    b = w.add(perp.Box(1, 1, 1), density=1, at=(1, 2, 3), velocity=(4, 5, 6))
    assert w.q.shape == (7,) and w.v.shape == (6,) and np.allclose(w.q[:3], (1, 2, 3)) and np.allclose(w.v[:3], (4, 5, 6))
    w.q = [0, 0, 1, np.cos(0.2), np.sin(0.2), 0, 0]
    assert np.allclose(b.pose, w.q)
    w.add(perp.Sphere(1), at=(0, 0, 9))
    assert w.q.shape == (14,)


def test_refusals():
    w = arm()
    h = w.hash
    for f in (lambda: setattr(w, "q", [1.0]), lambda: setattr(w, "q", [np.nan, 0]), lambda: setattr(w, "v", np.zeros((2, 1))), lambda: w.joint_space.link("knee"),
              lambda: w.joint_space.jacobian(w.body("a"), (1, np.inf)), lambda: w.joint_space.project(w.q, hold=[1, 2])):
        with pytest.raises(perp.PerpError):
            f()
    with pytest.raises(ValueError):
        w.q[0] = 1.0  # read-only: joints may close loops
    s = w.joint_space
    w.add(perp.Sphere(0.1), at=(0, 5))
    with pytest.raises(perp.PerpError):
        s.read()
    w.close()
    with pytest.raises(perp.ClosedError):
        w.q
