# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Batches and environments."""
import gc
import os
import time

import numpy as np
import pytest

import perp
from conftest import measured, pile
from perp._native import ffi, lib


def cart():
    """A pole on a driven cart, in the plane."""
    w = perp.World(dim=2, h=0.01)
    c = w.add(perp.Box(0.4, 0.2), density=10, at=(0, 0), name="cart")
    p = w.add(perp.Box(0.05, 1.0), density=10, at=(0, 0.5), name="pole")
    w.add_joint("prismatic", c, axis=(1, 0, 0), name="rail")
    w.add_joint("revolute", p, c, at=(0, 0), name="hinge", damping=0.01)
    return w


def test_same_bits_for_1_2_7_threads():
    runs = []
    for threads in (1, 2, 7):
        b = perp.Batch(pile(), 23, threads, inputs=[("box0", "fx"), ("box1", "tz")])
        assert b.threads == threads and b.inputs.shape == (23, 2)
        b.inputs[:, 0] = np.linspace(0, 4, 23)
        b.inputs[:, 1] = np.linspace(0, 0.1, 23)
        for _ in range(10):
            assert not b.step(3).any()
        runs.append((b.hashes, b.poses.copy(), b.twists.copy(), b.times.copy()))
    for other in runs[1:]:
        assert all(np.array_equal(x, y) for x, y in zip(runs[0], other))
    assert len(set(runs[0][0])) == 23


def test_a_world_of_a_batch_goes_as_alone():
    w = pile()
    b = perp.Batch(w, 3, 2, inputs=[("box0", "fx")])
    b.inputs[1] = 3.0
    b.step(20)
    w.body("box0").push((3.0, 0, 0))
    w.run(steps=20)
    assert b.world(1).hash == w.hash and np.array_equal(b.poses[1], w.poses) and b.world(0).hash != w.hash


def test_views_masks_and_resets():
    b = perp.Batch(pile(), 4, 2, inputs=[("box0", "fz")])
    v = lib.perp_batch_look(b._b)
    assert b.poses.ctypes.data == int(ffi.cast("uintptr_t", v.pose)) and b.inputs.ctypes.data == int(ffi.cast("uintptr_t", v.input))
    with pytest.raises(ValueError):
        b.poses[0] = 1
    start = b.poses.copy()
    assert b.q.shape == (4, 21) and b.v.shape == (4, 18) and np.array_equal(b.q[2], b.world(2).q)
    b.inputs[:] = 20.0
    b.step(10, np.array([True, False, True, False]))
    assert (b.times > 0).tolist() == [True, False, True, False]
    assert np.array_equal(b.q[0], b.world(0).q) and np.array_equal(b.v[2], b.world(2).v) and b.v[0].any()
    b.reset(b.times > 0)
    assert np.array_equal(b.poses, start) and b.inputs[:, 0].tolist() == [0, 20, 0, 20]
    poses, twists, status = b.rollout(np.full((5, 4, 1), 20.0), steps=2)
    assert poses.shape == (5, 4, 4, 7) and twists.shape == (5, 4, 4, 6) and not status.any()
    assert poses[-1, 0, 1, 2] > start[0, 1, 2]
    p = b.poses
    b.close()
    del b
    gc.collect()
    assert np.isfinite(p).all()


def test_status_of_each_world():
    w = perp.World(dim=3, h=1e-2, max_halvings=0, solver="pgs", no_fallback=True, form="lcp", mu=0.5)
    w.setting("pgs.max_sweeps", 1)
    w.add(perp.HalfSpace())
    for i in range(4):
        w.add(perp.Box(0.1, 0.1, 0.1), density=500, at=(0, 0, 0.06 + 0.12 * i), name=f"b{i}")
    b = perp.Batch(w, 2, 2)
    b.world(1).body("b0").position = (0, 0, 0.05)  # this one touches: one sweep does not solve it
    for i in range(1, 4):
        b.world(1).body(f"b{i}").position = (0, 0, 0.05 + 0.1 * i)
    b.refresh()
    before = b.hashes
    status = b.step()
    assert status[0] == 0 and status[1] == -5 and b.hashes[1] == before[1] and b.hashes[0] != before[0]
    assert b.why(1) and not b.why(0)


def test_refusals():
    b = perp.Batch(pile(), 3, 2, inputs=[("box0", "fx")])
    h = b.hashes
    for f in (lambda: b.step(mask=[1, 0, 1]), lambda: b.step(mask=np.ones(4, bool)), lambda: b.step(-1), lambda: b.step(1.5), lambda: b.world(3),
              lambda: b.reset(np.ones((3, 1), bool)), lambda: b.rollout(np.zeros((2, 3))), lambda: b.world(0).add(perp.Sphere(1)),
              lambda: b.world(0).body("box0").remove(), lambda: perp.Batch(pile(), 0), lambda: perp.Batch("x", 2),
              lambda: perp.Batch(pile(), 2, -1), lambda: perp.Batch(pile(), 2, inputs=[("box0", "up")]),
              lambda: perp.Batch(pile(), 2, inputs=["box0"]), lambda: perp.Batch(pile(), 2, inputs=[("floor", "fx")]),
              lambda: perp.Batch(pile(), 2, inputs=[("nobody", "fx")]), lambda: b.index("nobody")):
        with pytest.raises(perp.PerpError) as e:
            f()
        assert str(e.value)
    b.inputs[1] = np.nan
    with pytest.raises(perp.ArgumentError, match=r"inputs\[1, 0\]: found nan"):
        b.step()
    assert np.array_equal(b.hashes, h)
    b.close()
    with pytest.raises(perp.ClosedError):
        b.step()


def test_functions_of_python_run_in_the_threads():
    w = perp.World(dim=3, gravity=(0, 0, 0), h=0.01)
    ball = w.add(perp.Sphere(0.1), mass=1.0, name="ball")
    w.add_force(ball, lambda t: (1.0, 0, 0))
    b = perp.Batch(w, 8, 3)
    b.step(10)
    assert np.allclose(b.twists[:, 0, 0], 0.1)


def swing():
    """A pole on a cart with a servo on the rail and a motor in the hinge."""
    w = cart()
    w.add_actuator("position", w.joint("rail"), kp=200.0, kv=20.0, ctrl=0.1, name="drive")
    w.add_actuator("force", w.joint("hinge"), ctrl_range=(-1, 1), name="wrist")
    return w


def test_ctrl_of_a_batch():
    w = swing()
    runs = []
    for threads in (1, 2, 7):
        b = perp.Batch(w, 12, threads)
        v = lib.perp_batch_look(b._b)
        assert b.ctrl.shape == (12, 2) and b.ctrl.ctypes.data == int(ffi.cast("uintptr_t", v.ctrl)) and b.inputs.shape == (12, 0)
        assert b.ctrl.tolist() == [[0.1, 0.0]] * 12
        b.ctrl[:] = np.stack([np.linspace(-1, 1, 12), np.linspace(0, 0.5, 12)], 1)
        assert not b.step(20).any()
        runs.append(b.hashes)
    assert all(np.array_equal(runs[0], r) for r in runs[1:]) and len(set(runs[0])) == 12
    alone = w.clone()
    alone.ctrl[:] = b.ctrl[5]
    alone.run(steps=20)
    assert alone.hash == runs[0][5]
    b.reset(np.arange(12) == 5)
    assert b.ctrl[5].tolist() == [0.1, 0.0] and b.ctrl[6, 0] != 0.1
    u = np.zeros((4, 12, 2))
    u[:, :, 0] = 0.3
    poses, _, status = b.rollout(ctrl=u, steps=5)
    assert not status.any() and poses[-1, 0, b.index("cart"), 0] > 0.05
    h = b.hashes
    for bad in (np.nan, np.inf):
        b.ctrl[3, 1] = bad
        with pytest.raises(perp.ArgumentError, match=r"ctrl\[3, 1\]"):
            b.step()
        assert np.array_equal(b.hashes, h)
        assert not b.step(1, np.zeros(12, bool)).any()  # a row that is not stepped does not matter
    b.reset()
    for f in (lambda: b.rollout(), lambda: b.rollout(ctrl=np.zeros((3, 12, 1))), lambda: b.rollout(np.zeros((2, 12, 0)), ctrl=np.zeros((3, 12, 2)))):
        with pytest.raises(perp.ArgumentError):
            f()


def test_an_environment_whose_actions_are_ctrl():
    e = perp.gym.VectorEnv(swing(), 3, "ctrl", reward=lambda b: -b.q[:, 1] ** 2, obs=lambda b: np.concatenate([b.q, b.v], 1), low=-1, high=1, frame_skip=5)
    obs, _ = e.reset(seed=1)
    assert obs.shape == (3, 4) and e.single_action_space.shape == (2,)
    obs, reward, terminated, truncated, info = e.step(np.tile([5.0, 0.0], (3, 1)))
    assert (e.batch.ctrl[:, 0] == 1.0).all() and (obs[:, 0] > 0).all() and not info["status"].any() and reward.shape == (3,)


@measured
def test_two_threads_are_faster(capsys):
    """256 worlds with 12 contacts each. Beside the wall time, which others on the machine disturb: the processor time of both threads."""
    if (os.cpu_count() or 1) < 2:
        pytest.skip("one processor")
    m, wall, cpu = pile(12), {}, {}
    batches = {k: perp.Batch(m, 256, k) for k in (1, 2)}
    for b in batches.values():
        b.step(5)
    for k in (1, 2):
        wall[k] = cpu[k] = float("inf")
    for _ in range(7):  # in turns: what else the machine does meets both
        for k, b in batches.items():
            t, c = time.perf_counter(), time.process_time()
            b.step(5)
            wall[k], cpu[k] = min(wall[k], time.perf_counter() - t), min(cpu[k], time.process_time() - c)
    assert np.array_equal(batches[1].hashes, batches[2].hashes)
    with capsys.disabled():
        print(f"  256 worlds, two threads: {wall[1] / wall[2]:.2f} times one by the wall ({1e3 * wall[1]:.0f} and {1e3 * wall[2]:.0f} ms); "
              f"processor time in all {cpu[2] / cpu[1]:.3f} times that of one", end=" ")
    assert wall[1] / wall[2] >= 1.8


def reward(b):
    return b.poses[:, b.index("pole"), 1]


def fallen(b):
    return b.poses[:, b.index("pole"), 1] < 0.3


def shake(w, rng):
    w.body("pole").spin = rng.uniform(-0.2, 0.2)


def make(n, **more):
    return perp.gym.VectorEnv(cart(), n, [("cart", "fx")], reward=reward, done=fallen, low=-5, high=5, frame_skip=2, limit=200, randomise=shake, **more)


def test_vector_environment():
    runs = []
    for threads in (1, 2):
        e = make(6, threads=threads)
        obs, info = e.reset(seed=3)
        assert obs.shape == e.observation_space.shape and e.action_space.contains(e.action_space.sample())
        rng = np.random.default_rng(1)
        log, ended = [obs], 0
        for _ in range(150):
            over = e._over.copy()
            obs, rew, term, trunc, info = e.step(rng.uniform(-5, 5, (6, 1)))
            assert not (term & trunc).any() and rew.shape == (6,) and (rew[over] == 0).all() and not (term[over] | trunc[over]).any()
            assert (e.batch.times[over] == 0).all()  # NEXT_STEP: this step only began it anew
            ended += int((term | trunc).sum())
            log.append(obs)
        assert ended > 0
        runs.append(np.array(log))
        with pytest.raises(perp.ArgumentError):
            e.step(np.zeros(6))
        e.close()
    assert np.array_equal(runs[0], runs[1])


def test_environment():
    e = perp.gym.Env(cart(), [("cart", "fx")], reward=reward, done=fallen, low=-5, high=5, limit=30)
    first, _ = e.reset(seed=1)
    assert e.observation_space.contains(first) or first.shape == e.observation_space.shape
    n = 0
    while True:
        obs, r, term, trunc, info = e.step(np.array([1.0]))
        n += 1
        if term or trunc:
            break
    assert n == 30 and trunc and isinstance(r, float) and info["status"] == 0
    with pytest.raises(perp.ArgumentError, match="reset"):
        e.step(np.array([0.0]))
    again, _ = e.reset(seed=1)
    assert np.array_equal(first, again)


def test_with_gymnasium():
    gymnasium = pytest.importorskip("gymnasium", reason="there is no gymnasium here: Debian 12 has no package of it")
    from gymnasium.utils.env_checker import check_env

    check_env(perp.gym.Env(cart(), [("cart", "fx")], reward=reward, done=fallen, low=-5, high=5), skip_render_check=True)
    assert isinstance(make(2), gymnasium.vector.VectorEnv)


def test_arrays_of_a_batch_can_be_assigned():
    """b.ctrl = u writes to the library's array; it does not put another array in its place."""
    b = perp.Batch(swing(), 3)
    held = b.ctrl
    b.ctrl = np.arange(6.0).reshape(3, 2)
    assert b.ctrl is held and held[2].tolist() == [4, 5]
    for bad in (np.zeros(2), np.zeros((3, 3)), np.full((3, 2), np.nan), "x", 1.0):
        with pytest.raises(perp.ArgumentError, match="ctrl"):
            b.ctrl = bad
    with pytest.raises(perp.ArgumentError, match="inputs"):
        b.inputs = np.zeros((3, 1))
    assert held[2].tolist() == [4, 5]
    for bad in ("fx", None, [3], ["cart"], [("cart",)]):
        with pytest.raises(perp.ArgumentError, match="input"):
            perp.Batch(swing(), 2, inputs=bad)


def test_functions_of_an_environment_give_one_number_for_each_world():
    for bad in (lambda b: np.zeros(5), lambda b: None, lambda b: 1.0, lambda b: ["a", "b"], lambda b: np.zeros((2, 1))):
        for key in ("reward", "done"):
            e = perp.gym.VectorEnv(cart(), 2, [("cart", "fx")], **{"reward": reward, key: bad})
            e.reset(seed=0)
            with pytest.raises(perp.ArgumentError, match=key):
                e.step(np.zeros((2, 1)))
    for bad in ({"low": [1, 2, 3]}, {"high": "x"}, {"low": 2, "high": 1}):
        with pytest.raises(perp.ArgumentError, match="low|high"):
            perp.gym.VectorEnv(cart(), 2, [("cart", "fx")], reward=reward, **bad)
    assert perp.gym.VectorEnv(cart(), 2.0, [("cart", "fx")], reward=reward).num_envs == 2
