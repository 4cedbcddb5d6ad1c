# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings: written from Python, read lazily, the same as the program's."""
import gc
import pickle
import subprocess
import threading

import numpy as np
import pytest

import perp
from conftest import pile


def test_write_and_read(tmp_path):
    w = pile()
    w.body("box0").velocity = (1, 0, 0)
    path = tmp_path / "a.h5"
    seen = [w.poses.copy()]
    speeds = [w.twists.copy()]
    with perp.Recorder(w, path, title="a pile") as rec:
        for _ in range(20):
            c = w.step()
            seen.append(w.poses.copy())
            speeds.append(w.twists.copy())
        assert rec.frames == 21
    w.step()  # no longer recorded
    r = perp.Recording(path)
    assert (r.frames, len(r), r.dim, r.h, r.finished, r.title) == (21, 21, 3, 0.002, True, "a pile")
    assert r.poses.shape == (21, 4, 7) and [b.name for b in r.bodies] == ["floor", "box0", "box1", "box2"]
    assert np.array_equal(np.asarray(r.poses), np.array(seen)) and np.array_equal(r.twists[:], np.array(speeds))
    assert np.array_equal(r.poses[5], seen[5]) and np.array_equal(r.poses[-1, 1], seen[-1][1])
    assert np.array_equal(r.poses[2:9:3, 1, :3], np.array(seen)[2:9:3, 1, :3]) and np.array_equal(r.poses[[1, 4]], np.array(seen)[[1, 4]])
    assert np.allclose(r["box0.x"], r.poses[:, r.index("box0"), 0]) and np.allclose(r.times, 0.002 * np.arange(21))
    assert r.certificate(-1).overlap == c.overlap and r.total.substeps == 20
    k = r.contacts(20)
    assert len(k) >= 10 and k["impulse_C"][:, 0].sum() > 0
    assert "box0.x" in r.names and r.unit("box0.x") == "L"
    again = pickle.loads(pickle.dumps(r))
    assert again.digest == r.digest
    m = r.model.world()
    assert [b.name for b in m.bodies] == ["floor", "box0", "box1", "box2"]


def test_same_digest_as_the_program(tmp_path, root, program):
    scene = root / "scenes" / "demo.yaml"
    by_program, by_python = tmp_path / "p.h5", tmp_path / "q.h5"
    subprocess.run([program, "run", scene, "--output", by_program, "--quiet", "-D", "rows=2", "--duration", "0.05"], check=True)
    w = perp.load(scene, rows=2).world()
    with perp.Recorder(w, by_python):
        w.run(0.05)
    assert perp.Recording(by_program).digest == perp.Recording(by_python).digest


def test_refusals(tmp_path):
    w = pile(4)
    path = tmp_path / "a.h5"
    rec = perp.Recorder(w, path)
    with pytest.raises(perp.ArgumentError, match="already"):
        perp.Recorder(w, tmp_path / "b.h5")
    w.run(steps=3)
    rec.close()
    rec.close()
    with pytest.raises(perp.ClosedError):
        rec.frames
    with pytest.raises(perp.FileError):
        perp.Recorder(w, path)  # never written over
    r = perp.Recording(path)
    for f in (lambda: r.poses[4], lambda: r.poses[-5], lambda: r.poses["x"]):
        with pytest.raises(IndexError):
            f()
    with pytest.raises(perp.UnknownName, match="box0"):
        r["box0.y1"]
    for f in (lambda: r.contacts(99), lambda: r.certificate(1.5), lambda: r.index("nobody"), lambda: r[3]):
        with pytest.raises(perp.ArgumentError):
            f()
    r.close()
    with pytest.raises(perp.ClosedError):
        r.poses[0]
    for f in (lambda: perp.Recorder(3, tmp_path / "c.h5"), lambda: perp.Recorder(w, None), lambda: perp.Recorder(w, b"x")):
        with pytest.raises(perp.ArgumentError):
            f()
    bad = tmp_path / "bad.h5"
    bad.write_bytes(path.read_bytes()[:1000])
    for p in (bad, tmp_path / "none.h5", tmp_path, None, 3, "a\0b"):
        with pytest.raises(perp.PerpError):
            perp.Recording(p)


def test_nothing_is_added_or_removed_while_recording(tmp_path):
    w = pile(4)
    j = w.add_joint("revolute", w.body("box0"))
    with perp.Recorder(w, tmp_path / "a.h5") as rec:
        w.run(steps=3)
        for f in (lambda: w.add(perp.Sphere(0.1), at=(0, 0, 5)), w.body("box0").remove, j.remove, lambda: w.add_joint("fixed", w.body("box0")),
                  lambda: w.add_sensor("joint-force", j), lambda: w.add_coupling([(j, 1.0)]), w.material):
            with pytest.raises(perp.ArgumentError, match="recorded"):
                f()
        w.run(steps=2)
        assert rec.frames == 6 and w.steps == 5
    assert perp.Recording(tmp_path / "a.h5").frames == 6
    j.remove()


def test_a_recorder_that_is_forgotten_leaves_a_whole_file(tmp_path):
    w = pile(4)
    rec = perp.Recorder(w, tmp_path / "a.h5")
    w.run(steps=5)
    w.close()
    del rec, w
    gc.collect()
    r = perp.Recording(tmp_path / "a.h5")
    assert r.frames == 6 and not r.finished


def test_recordings_in_threads(tmp_path):
    for i in range(3):
        w = pile(4)
        with perp.Recorder(w, tmp_path / f"{i}.h5"):
            w.run(steps=30)
    out = []

    def read(i):
        r = perp.Recording(tmp_path / f"{i}.h5")
        out.append(np.asarray(r.poses).sum())

    threads = [threading.Thread(target=read, args=(i % 3,)) for i in range(9)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert len(out) == 9 and len(set(out)) == 1


def test_shows_itself_in_a_notebook(tmp_path):
    w = pile(4)
    now, shown = w.hash, w._repr_html_()
    assert "box0" in shown and w.hash == now and w._recorder is None
    with perp.Recorder(w, tmp_path / "a.h5"):
        w.run(steps=3)
    page = perp.Recording(tmp_path / "a.h5")._repr_html_()
    assert "<iframe srcdoc=" in page or "was not built" in page
    assert ("<iframe srcdoc=" in shown) == ("<iframe srcdoc=" in page)  # a world shows itself in the viewer, too, as it stands
    w.close()
    assert "closed" in w._repr_html_()
