# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Sweeps, design and estimation on functions of Python and on scenes; Dask."""
import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import perp
from conftest import whole

SCENE = """perp: 1
title: A block slides
dim: 2
parameters:
  mu: {default: 0.3, min: 0, max: 2}
  v: {default: 1, min: 0}
h: 0.005
duration: 0.5
law: {mu: mu}
bodies:
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}
  - {name: block, mass: 1, inertia: 1, at: [0, 0.1], velocity: [v, 0], shape: {type: box, size: [0.4, 0.2]}}
"""
STUDY = """perp-study: 1
title: How far does it slide?
scene: slide.yaml
vary:
  v: {from: 0.5, to: 2, count: 4}
sample: {count: 12, seed: 5, mu: "uniform(0.1, 0.8)"}
measure:
  x: last("block.x")
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "slide.yaml").write_text(SCENE)
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path


def slide(w):
    w.run(0.5)
    return float(w.body("block").position[0])


def slide_random(w, rng):
    w.body("block").velocity = (rng.uniform(0.5, 1), 0)
    return slide(w)


def test_sweep_of_a_function(folder):
    m = perp.load(folder / "slide.yaml")
    runs = [perp.sweep(m, slide, {"mu": [0.2, 0.5, 0.9], "v": [0.5, 1.0]}, workers=k) for k in (1, 3)]
    assert [t.result for t in runs[0]] == [t.result for t in runs[1]] and len(runs[0]) == 6
    for t in runs[0]:
        assert t.result == pytest.approx(t.values["v"] ** 2 / (2 * t.values["mu"] * 9.81), rel=0.02)
    seeded = [perp.sweep(m, slide_random, [{"mu": 0.5}] * 4, seed=7, workers=k) for k in (1, 4)]
    assert [t.result for t in seeded[0]] == [t.result for t in seeded[1]] and len({t.result for t in seeded[0]}) == 4
    bad = perp.sweep(m, slide, {"mu": [0.2, 99.0]})
    assert bad[0].error is None and isinstance(bad[1].error, perp.ArgumentError) and bad[1].result is None


def test_design():
    def f(x):
        return (x[0] - 0.3) ** 2 + 10 * (x[1] + 0.2) ** 2

    for method in ("nelder-mead", "cma-es"):
        s = perp.minimise(f, [-1, -1], [1, 1], method=method, seed=1)
        assert np.allclose(s.x, (0.3, -0.2), atol=1e-3) and s.reason == "converged" and s.f == f(s.x)
    a, b = (perp.minimise(f, [-1, -1], [1, 1], method="cma-es", seed=1, workers=k).x for k in (1, 3))
    assert np.array_equal(a, b)
    c = perp.minimise(lambda x: (x @ x, [0.5 - x[0]]), [-1, -1], [1, 1], constraints=1, method="nelder-mead", restarts=4, evaluations=4000)
    assert c.feasible and c.x[0] == pytest.approx(0.5, abs=1e-2)
    assert "nelder-mead" in perp.search_methods()
    with pytest.raises(ZeroDivisionError):
        perp.minimise(lambda x: 1 / 0, [0], [1])
    for bad in (lambda: perp.minimise(f, [0, 0], [1]), lambda: perp.minimise(f, [1, 1], [0, 0]), lambda: perp.minimise(f, [0, 0], [1, 1], method="magic")):
        with pytest.raises(perp.PerpError):
            bad()


def test_design_of_a_scene(folder):
    m = perp.load(folder / "slide.yaml")
    s = perp.minimise(lambda x: (slide(m.world(mu=0.5, v=x[0])) - 0.2) ** 2, [0.1], [3.0], f_tolerance=1e-12, evaluations=60)
    assert s.x[0] == pytest.approx(np.sqrt(2 * 0.5 * 9.81 * 0.2), rel=0.02)


def test_design_by_the_names_of_parameters(folder):
    m = perp.load(folder / "slide.yaml", mu=0.5)
    s = perp.design(m, lambda w: (slide(w) - 0.2) ** 2, {"v": (0.1, 3.0)}, f_tolerance=1e-12, evaluations=60)
    assert s.values["v"] == s.x[0] == pytest.approx(np.sqrt(2 * 0.5 * 9.81 * 0.2), rel=0.02)
    far = perp.design(m, lambda w: (-slide(w), [w.body("block").velocity[0] - 1e-9]), {"v": (0.1, 3.0)}, constraints=1, method="nelder-mead", evaluations=200)
    assert far.feasible and far.values["v"] == pytest.approx(0.5 * 9.81 * 0.5, rel=0.05)  # the fastest one that has stopped after half a second

    def sometimes(w):
        if w.body("block").velocity[0] > 2:
            raise perp.SolveError("no solution")
        return -slide(w)

    assert perp.design(m, sometimes, {"v": (0.1, 3.0)}, evaluations=60).values["v"] <= 2  # points without a solution are passed over
    for bad in (lambda: perp.design(m, slide, {"w": (0, 1)}), lambda: perp.design(m, slide, {}), lambda: perp.design(m, slide, {"v": 1.0}),
                lambda: perp.design(slide, slide, {"v": (0, 1)})):
        with pytest.raises(perp.PerpError):
            bad()


def test_estimation_by_the_names_of_parameters(folder):
    m = perp.load(folder / "slide.yaml")

    def path(w):
        out = []
        for _ in range(5):
            w.run(steps=20)
            out.append(float(w.body("block").position[0]))
        return np.array(out)

    data = path(m.world(mu=0.37, v=1.2)) + 1e-4 * np.random.default_rng(2).normal(size=5)
    f = perp.estimate(m, lambda w: (path(w) - data) / 1e-4, {"mu": (0.5, 0.0, 2.0), "v": 1.0})
    assert list(f.values) == ["mu", "v"] and abs(f.values["mu"] - 0.37) < 4 * f.sd[0] < 0.02 and abs(f.values["v"] - 1.2) < 4 * f.sd[1]
    for bad in (lambda: perp.estimate(m, path, {"nu": 1.0}), lambda: perp.estimate(m, path, {"mu": (0, 1)}), lambda: perp.estimate(m, lambda w: [[1.0]], {"mu": 0.5})):
        with pytest.raises(perp.PerpError):
            bad()


DESIGN = """perp-study: 1
scene: slide.yaml
set: {mu: 0.5}
measure: {miss: '(last("block.x") - 0.2)^2'}
design:
  over: {v: [0.1, 3]}
  minimise: mean("miss")
  method: {name: nelder-mead, evaluations: 40}
"""
ESTIMATE = """perp-study: 1
scene: slide.yaml
estimate:
  data: {file: rows.csv, time: t, columns: {x: {is: block.x, sd: 1e-4}}}
  unknown: {mu: {start: 0.6, min: 0, max: 2}}
"""


def test_files_of_design_and_estimation(folder, program):
    (folder / "design.yaml").write_text(DESIGN)
    d = perp.design_file(folder / "design.yaml", folder / "d.h5")
    assert d["parameters"]["v"] == pytest.approx(np.sqrt(2 * 0.5 * 9.81 * 0.2), rel=0.02) and d["best"] < 1e-8
    w = perp.load(folder / "slide.yaml").world(mu=0.37)
    rows = ["t,x", "0,0"]
    for _ in range(5):
        w.run(steps=20)
        rows.append(f"{w.time!r},{float(w.body('block').position[0])!r}")
    (folder / "rows.csv").write_text("\n".join(rows) + "\n")
    (folder / "estimate.yaml").write_text(ESTIMATE)
    e = perp.estimate_file(folder / "estimate.yaml")
    assert e["methods"][0]["unknowns"]["mu"]["value"] == pytest.approx(0.37, abs=1e-6)
    with pytest.raises(perp.FileError):
        perp.estimate_file(folder / "none.yaml")
    with pytest.raises(perp.FileError):
        perp.design_file(folder / "design.yaml", folder / "d.h5")  # never written over


def test_estimation_of_a_line():
    r = np.random.default_rng(0)
    t = np.linspace(0, 1, 50)
    y = 2 * t + 1 + 0.1 * r.normal(size=50)
    fit = perp.fit(lambda x: (x[0] * t + x[1] - y) / 0.1, [0, 0])
    A = np.stack([t, np.ones(50)], 1) / 0.1
    want, C = np.linalg.lstsq(A, y / 0.1, rcond=None)[0], np.linalg.inv(A.T @ A)
    assert fit.converged and np.allclose(fit.x, want, atol=1e-6) and np.allclose(fit.covariance, C, rtol=1e-5)
    assert np.allclose(fit.sd, np.sqrt(np.diag(C)), rtol=1e-5) and fit.correlation[0, 1] < 0 and len(fit.residual) == 50
    lo, hi, value, cost = perp.profile(lambda x: (x[0] * t + x[1] - y) / 0.1, fit.x, 0, count=5)
    assert hi - fit.x[0] == pytest.approx(1.96 * fit.sd[0], rel=1e-3) and len(value) == 5
    s = perp.sample(lambda x: -0.5 * float(np.sum(((x[0] * t + x[1] - y) / 0.1) ** 2)), fit.x, fit.covariance, steps=300, seed=3)
    assert np.allclose(s.mean, fit.x, atol=0.2 * fit.sd.max()) and s.points.shape[1] == 2
    assert np.allclose(np.sqrt(np.diag(s.covariance)), fit.sd, rtol=0.15)
    one = perp.fit(lambda x: np.array([x[0] + x[1] - 1, 2 * (x[0] + x[1]) - 2]), [0, 0])
    assert len(one.directions) == 1 and np.isinf(one.sd).all()
    with pytest.raises(RuntimeError, match="mine"):
        perp.fit(lambda x: (_ for _ in ()).throw(RuntimeError("mine")), [0.0], m=3)
    with pytest.raises(perp.ArgumentError, match="color"):
        perp.fit(lambda x: x, [0.0], color=1)


def test_estimation_of_friction(folder):
    m = perp.load(folder / "slide.yaml")

    def path(mu):
        w = m.world(mu=mu)
        out = []
        for _ in range(5):
            w.run(steps=20)
            out.append(float(w.body("block").position[0]))
        return np.array(out)

    data = path(0.37) + 1e-4 * np.random.default_rng(2).normal(size=5)
    fit = perp.fit(lambda x: (path(x[0]) - data) / 1e-4, [0.5], lower=[0.0], upper=[2.0])
    assert abs(fit.x[0] - 0.37) < 4 * fit.sd[0] < 0.01


def test_a_study_file_in_parts(folder, program):
    alone = json.loads(subprocess.run([program, "sweep", "study.yaml", "-o", "one.h5", "--json"], cwd=folder, check=True, capture_output=True, text=True).stdout)
    parts = perp.sweep_file(folder / "study.yaml", folder / "joined.h5", parts=3)
    assert parts["digest"] == alone["digest"] and parts["done"] == 48
    with pytest.raises(perp.FileError):
        perp.sweep_file(folder / "none.yaml", folder / "x.h5", parts=1)


@whole
def test_dask_with_a_worker_that_is_killed(folder, program, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="there is no dask.distributed here")
    if not hasattr(distributed, "LocalCluster"):
        pytest.skip("dask.distributed has no LocalCluster here")
    monkeypatch.setenv("PERP_PROGRAM", program)
    alone = json.loads(subprocess.run([program, "sweep", "study.yaml", "-o", "one.h5", "--json"], cwd=folder, check=True, capture_output=True, text=True).stdout)
    m = perp.load(folder / "slide.yaml")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(folder)) as cluster:
        with distributed.Client(cluster) as client:
            address, victim = list(client.run(os.getpid).items())[0]
            busy = []  # parts that the worker had when it was killed

            def kill():
                end = time.monotonic() + 120
                while not busy and time.monotonic() < end:
                    busy.extend(client.processing(workers=[address]).get(address, ()))
                    time.sleep(0.01)
                os.kill(victim, signal.SIGKILL)

            t = threading.Thread(target=kill)
            t.start()
            got = perp.sweep_file(folder / "study.yaml", folder / "joined.h5", parts=24, client=client)
            t.join()
            assert busy, "the worker had nothing to do when it was killed"
            with pytest.raises(ProcessLookupError):
                os.kill(victim, 0)
            assert got["digest"] == alone["digest"] and got["done"] == 48
            here, there = (perp.sweep(m, np_slide, {"mu": [0.2, 0.5]}, client=c) for c in (None, client))
            assert [x.result for x in here] == [x.result for x in there]


def np_slide(w):
    w.run(0.5)
    return w.hash


def test_functions_that_are_none_or_give_something_else(folder):
    m = perp.load(folder / "slide.yaml")
    for f in (lambda: perp.sweep(m, 3, {"mu": [0.2]}), lambda: perp.sweep(None, slide, {"mu": [0.2]}), lambda: perp.minimise(3, [0], [1]), lambda: perp.fit(3, [0.0]),
              lambda: perp.design(m, None, {"v": (0, 1)}), lambda: perp.estimate(m, "x", {"v": 1.0}), lambda: perp.sample(3, [0.0], [[1.0]]),
              lambda: perp.minimise(lambda x: "a", [0], [1]), lambda: perp.minimise(lambda x: x, [0, 0], [1, 1]), lambda: perp.minimise(lambda x: 1.0, [0], [1], constraints=1),
              lambda: perp.minimise(lambda x: (1.0, [1, 2]), [0], [1], constraints=1), lambda: perp.fit(lambda x: [x[0]] * (1 if x[0] == 0 else 2), [0.0]),
              lambda: perp.sample(lambda x: [1, 2], [0.0], [[1.0]])):
        with pytest.raises(perp.ArgumentError):
            f()
