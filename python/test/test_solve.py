# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Complementarity problems from arrays, against answers that are known or checked here."""
import pickle

import numpy as np
import pytest

import perp

sparse = pytest.importorskip("scipy.sparse", reason="there is no scipy here")


def test_lcp():
    s = perp.solve([[2, 1], [1, 2]], [-5, -6])
    assert s.solved and np.allclose(s.z, (4 / 3, 7 / 3)) and np.allclose(s.w, 0, atol=1e-12)
    assert s.verdict.solved and s.verdict.laws == 2 and s.measures.natural < 1e-9 and s.solver


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, sparse.coo_matrix])
def test_lcp_dense_and_sparse_and_asymmetric(make):
    r = np.random.default_rng(3)
    A, S = r.normal(size=(30, 30)), r.normal(size=(30, 30))
    M = A @ A.T + np.eye(30) + 3 * (S - S.T)  # positive definite, far from symmetric: a transposed index shows
    q = r.normal(size=30)
    s = perp.solve(make(M), q)
    w = M @ s.z + q
    assert s.solved and s.z.min() >= -1e-9 and w.min() > -1e-7 and abs(s.z @ w) < 1e-6 and np.allclose(w, s.w)


def test_mlcp_bounds():
    M, q = np.diag([1.0, 2.0, 3.0, 1.0]), np.array([-5.0, -1.0, 6.0, 1.0])
    s = perp.solve(M, q, lo=[0, -np.inf, -1, 0], hi=[2, np.inf, 1, 1])
    assert s.solved and np.allclose(s.z, (2, 0.5, -1, 0)) and s.w[0] < 0 < s.w[2]
    t = perp.solve(sparse.csc_matrix(M), q, lo=[0, -np.inf, -1, 0], hi=[2, np.inf, 1, 1])
    assert t.problem.kind == "sparse-mlcp" and np.allclose(t.z, s.z)


def test_qp():
    p = perp.QP(np.diag([2.0, 2.0]), [-2.0, -5.0], A=[[1.0, 2.0], [1.0, -1.0]], row_lo=[-np.inf, 0.5], row_hi=[3.0, np.inf], lo=0)
    s = perp.solve(p)
    assert s.solved and len(s.x) == 2 and len(s.y) == 2
    rows = np.array([[1, 2], [1, -1]]) @ s.x
    assert rows[0] <= 3 + 1e-7 and rows[1] >= 0.5 - 1e-7 and np.allclose(s.w[2:], rows)
    best = min(x * x + y * y - 2 * x - 5 * y for x in np.linspace(0, 3, 301) for y in np.linspace(0, 3, 301)
               if x + 2 * y <= 3 + 1e-9 and x - y >= 0.5 - 1e-9)
    assert s.x @ s.x - 2 * s.x[0] - 5 * s.x[1] <= best + 1e-6


def test_cone_local_and_global():
    # a mass pushed along the floor: sticks below the cone's edge, slides beyond it
    for push, sliding in ((0.3, False), (0.8, True)):
        W, q = np.eye(3) / 2.0, np.array([-1.0, push, 0.0])
        s = perp.solve(perp.Cone(W, q, [0.5]))
        g = perp.solve(perp.Cone.bodies(2 * np.eye(3), np.eye(3), 2 * q, np.zeros(3), [0.5]))
        assert s.solved and g.solved and np.allclose(s.z, g.z, atol=1e-7)
        assert abs(s.w[0]) < 1e-8 and s.z[0] == pytest.approx(2)
        assert (np.hypot(*s.w[1:]) > 1e-3) == sliding and np.hypot(*s.z[1:]) <= 0.5 * s.z[0] + 1e-8


def test_ncp_of_python():
    calls = []

    def F(z):
        calls.append(1)
        return np.array([z[0] ** 3 - 8, np.exp(z[1])])

    s = perp.solve(perp.NCP(F, 2, J=lambda z: np.diag([3 * z[0] ** 2, np.exp(z[1])])), start=[1.0, 1.0])
    assert s.solved and np.allclose(s.z, (2, 0), atol=1e-7) and calls

    def bad(z):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        perp.solve(perp.NCP(bad, 2))


def test_not_solved_is_no_exception_and_is_proven():
    s = perp.solve([[0.0, 0.0], [0.0, 1.0]], [-1.0, 0.0])
    assert not s.solved and s.verdict.violated > 0 and np.all(np.isfinite(s.z))
    text, y = s.problem.existence()
    assert text == "infeasible" and y[0] > 0


def test_malformed():
    for f, word in [(lambda: perp.solve([[1.0]], [1.0, 2.0]), "M"), (lambda: perp.solve([[np.nan]], [1.0]), "NaN"),
                    (lambda: perp.solve([[1.0]], [1.0], lo=[2], hi=[1]), ""), (lambda: perp.solve([[1.0]], [1.0], solver="magic"), "magic"),
                    (lambda: perp.solve([[1j]], [1.0]), "complex"), (lambda: perp.solve("M"), "solve"), (lambda: perp.solve([[1.0]], [[1.0]]), "q"),
                    (lambda: perp.Cone(np.eye(3), np.zeros(3), [-1.0]), "mu"), (lambda: perp.Cone(np.eye(3), np.zeros(3), [1.0, 1.0]), "mu"),
                    (lambda: perp.QP(np.eye(2), [1, 2, 3]), "Q"), (lambda: perp.solve([[1.0]], [1.0], tol=-1), "")]:
        with pytest.raises(perp.PerpError) as e:
            f()
        assert word in str(e.value), str(e.value)


def test_all_solvers_have_names_and_settings():
    assert {"auto", "lemke", "pgs"} <= set(perp.solvers())
    s = perp.solve([[2, 1], [1, 2]], [-5, -6], solver="pgs,lemke", settings={"relaxation": 1.0}, tol=1e-8)
    assert s.solved and s.solver in ("pgs", "lemke")


def test_problems_keep_their_numbers():
    """Arrays that were given may be changed afterwards."""
    lo, hi, q = np.zeros(2), np.full(2, 5.0), np.array([-1.0, -2.0])
    p = perp.MLCP(np.eye(2), q, lo, hi)
    first = perp.solve(p).z
    lo[:], hi[:], q[:] = 3.0, 4.0, 9.0
    assert np.array_equal(perp.solve(p).z, first) and np.allclose(first, (1, 2))
    axes = np.ones((1, 2))
    c = perp.Cone(np.eye(3), [-1.0, 0.8, 0.0], mu=[0.5], axes=axes)
    first = perp.solve(c).z
    axes[:] = 0.1
    assert np.array_equal(perp.solve(c).z, first)


def test_solutions_pickle():
    s = perp.solve(perp.QP([[2.0, 0.0], [0.0, 2.0]], [-2.0, -5.0], A=[[1.0, 2.0]], row_hi=[3.0]))
    t = pickle.loads(pickle.dumps(s))
    assert np.array_equal(t.x, s.x) and np.array_equal(t.y, s.y) and t.solved and t.residual == s.residual and t.verdict.figure == s.verdict.figure and t.problem is None
    with pytest.raises(TypeError, match="arrays"):
        pickle.dumps(s.problem)
