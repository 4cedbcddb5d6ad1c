# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Complementarity problems from arrays: LCP, mixed LCP, NCP, QP and friction problems with true cones, solved and judged."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional

import numpy as np
import numpy.typing as npt

from . import _callbacks
from ._arrays import Floats, integer, number, numbers, pointer
from ._native import ffi, lib
from ._records import Measures, Verdict
from .errors import ArgumentError, failure


def _is_sparse(M: Any) -> bool:
    return hasattr(M, "tocsc")


def _dense(M: Any, what: str, rows: Optional[int] = None, cols: Optional[int] = None) -> Floats:
    """A matrix by columns."""
    a = numbers(M, what, (rows, cols))
    return np.asfortranarray(a)


class _Sparse:
    """A perp_sparse of a matrix, dense or of scipy.sparse; keeps its arrays."""

    def __init__(self, M: Any, what: str, rows: Optional[int] = None, cols: Optional[int] = None) -> None:
        if _is_sparse(M):
            if M.dtype.kind not in "fiub":
                raise ArgumentError(f"{what}: found numbers of type {M.dtype}; allowed: real numbers")
            c = M.tocsc().astype(np.float64)
            c.sum_duplicates()
            c.sort_indices()
            shape = tuple(int(k) for k in c.shape)
            start, index, value = c.indptr, c.indices, c.data
        else:
            a = _dense(M, what)
            shape = tuple(int(k) for k in a.shape)
            mask = a != 0
            start = np.concatenate([[0], np.cumsum(mask.sum(axis=0))])
            index = np.concatenate([np.flatnonzero(mask[:, j]) for j in range(shape[1])]) if shape[1] else np.zeros(0)
            value = a.T[mask.T]
        if len(shape) != 2 or (rows is not None and shape[0] != rows) or (cols is not None and shape[1] != cols):
            raise ArgumentError(f"{what}: found shape {shape}; allowed: {rows if rows is not None else 'n'} x {cols if cols is not None else 'n'}")
        self.shape = shape
        self.start = np.ascontiguousarray(start, dtype=np.int32)
        self.index = np.ascontiguousarray(index, dtype=np.int32)
        self.value = numbers(value, what)

    def put(self, c: Any) -> None:
        """Fills a perp_sparse."""
        c.rows, c.cols = self.shape
        c.start = ffi.cast("int *", self.start.ctypes.data)
        c.index = ffi.cast("int *", self.index.ctypes.data)
        c.value = pointer(self.value)

    def times(self, x: Floats, transpose: bool = False) -> Floats:
        """M x, or M' x."""
        column = np.repeat(np.arange(self.shape[1]), np.diff(self.start))
        out = np.zeros(self.shape[1] if transpose else self.shape[0])
        if transpose:
            np.add.at(out, column, self.value * x[self.index])
        else:
            np.add.at(out, self.index, self.value * x[column])
        return out


def _bounds(x: Any, what: str, n: int, default: float) -> Floats:
    if x is None:
        return np.full(n, default)
    a = numbers(x, what, infinite=True)
    return np.full(n, float(a)) if a.shape == () else numbers(a, what, (n,), infinite=True).copy()


class Problem:
    """A complementarity problem. Its arrays are copied when it is made."""

    def __init__(self, cls: int) -> None:
        self._p = ffi.new("perp_problem *")
        self._p.cls = cls
        self._keep: list[Any] = []

    @property
    def size(self) -> int:
        """Number of variables."""
        return int(lib.perp_problem_size(self._p))

    @property
    def kind(self) -> str:
        """Name of its class: lcp, mlcp, sparse-mlcp, ncp, qp, cone, cone-qp."""
        return str(ffi.string(lib.perp_class_name(self._p.cls)).decode())

    def _hold(self, a: Floats) -> Any:
        self._keep.append(a)
        return pointer(a)

    def _check(self) -> None:
        why = ffi.new("char[400]")
        status = lib.perp_problem_check(self._p, why, 400)
        if status:
            raise failure(status, ffi.string(why).decode(errors="replace"))

    def w(self, z: Any) -> Floats:
        """The other side of the complementarity at z."""
        raise NotImplementedError

    def __reduce__(self) -> Any:
        raise TypeError("a problem cannot be pickled; pickle the arrays it is made of. Solutions can be")

    def measure(self, z: Any) -> Measures:
        """What the judge measures of an answer, from the data of the problem alone."""
        x, out = numbers(z, "z", (self.size,)), ffi.new("perp_measures *")
        status = lib.perp_problem_measure(self._p, pointer(x), out)
        if status:
            raise failure(status)
        return Measures(out)

    def judge(self, z: Any, tol: float = 1e-9) -> Verdict:
        """The verdict on an answer: does every law hold to tol?"""
        x, out = numbers(z, "z", (self.size,)), ffi.new("perp_verdict *")
        status = lib.perp_problem_judge(self._p, pointer(x), number(tol, "tol"), out, ffi.NULL)
        if status:
            raise failure(status)
        return Verdict(out)

    def existence(self) -> tuple[str, Floats]:
        """What can be proven about answers: "infeasible" with multipliers that prove it, "has an answer", "unknown", ..."""
        y, out = np.zeros(self.size), ffi.new("perp_contradiction *")
        status = lib.perp_problem_contradict(self._p, ffi.NULL, pointer(y), out)
        if status:
            raise failure(status)
        return str(ffi.string(lib.perp_existence_text(out.existence)).decode()), y


class LCP(Problem):
    """0 <= z  _|_  w = M z + q >= 0. M: n x n, an array or a sparse matrix."""

    def __init__(self, M: Any, q: Any) -> None:
        v = numbers(q, "q", (None,)).copy()
        if _is_sparse(M):
            super().__init__(lib.PERP_SPARSE_MLCP)
            self._fill(M, v, np.zeros(len(v)), np.full(len(v), np.inf))
        else:
            super().__init__(lib.PERP_LCP)
            self._M: Any = _dense(M, "M", len(v), len(v)).copy(order="F")
            c = getattr(self._p, "as").lcp
            c.n, c.M, c.q = len(v), self._hold(self._M), self._hold(v)
            self._q = v
            self._check()

    def _fill(self, M: Any, q: Floats, lo: Floats, hi: Floats) -> None:
        self._M, self._q = _Sparse(M, "M", len(q), len(q)), q
        self._keep.append(self._M)
        c = getattr(self._p, "as").sparse_mlcp
        c.n, c.q, c.lo, c.hi = len(q), self._hold(q), self._hold(lo), self._hold(hi)
        self._M.put(c.M)
        self._check()

    def w(self, z: Any) -> Floats:
        """M z + q."""
        x = numbers(z, "z", (len(self._q),))
        out: Floats = (self._M.times(x) if isinstance(self._M, _Sparse) else self._M @ x) + self._q
        return out


class MLCP(LCP):
    """lo <= z <= hi and w = M z + q: w_i >= 0 at lo_i, <= 0 at hi_i, 0 between. Default bounds: 0 and infinity."""

    def __init__(self, M: Any, q: Any, lo: Any = None, hi: Any = None) -> None:
        v = numbers(q, "q", (None,)).copy()
        low, high = _bounds(lo, "lo", len(v), 0.0), _bounds(hi, "hi", len(v), np.inf)
        if _is_sparse(M):
            Problem.__init__(self, lib.PERP_SPARSE_MLCP)
            self._fill(M, v, low, high)
            return
        Problem.__init__(self, lib.PERP_MLCP)
        self._M, self._q = _dense(M, "M", len(v), len(v)).copy(order="F"), v
        c = getattr(self._p, "as").mlcp
        c.n, c.M, c.q, c.lo, c.hi = len(v), self._hold(self._M), self._hold(v), self._hold(low), self._hold(high)
        self._check()


class NCP(Problem):
    """lo <= z <= hi complementary to w = F(z). F and J, its n x n derivative (None: differences), are functions of an array."""

    def __init__(self, F: Callable[[Floats], Any], n: int, J: Optional[Callable[[Floats], Any]] = None, lo: Any = None, hi: Any = None) -> None:
        super().__init__(lib.PERP_NCP)
        size = integer(n, "n", 1, 2**31 - 1)
        low, high = _bounds(lo, "lo", size, 0.0), _bounds(hi, "hi", size, np.inf)
        self._calls = _callbacks.Problem()
        self._F = F
        c = getattr(self._p, "as").ncp
        c.n, c.lo, c.hi = size, self._hold(low), self._hold(high)
        c.F, c.J = lib.py_ncp_value, lib.py_ncp_slope if J is not None else ffi.NULL
        c.ctx = _callbacks.handle(self._calls, (F, J), size)

    def w(self, z: Any) -> Floats:
        """F(z)."""
        return np.asarray(self._F(numbers(z, "z", (self.size,))), dtype=float)


class QP(Problem):
    """Smallest x'Qx/2 + c'x with lo <= x <= hi and row_lo <= A x <= row_hi; Q symmetric, positive semidefinite. The variables of an
    answer are z = (x, y), y the multipliers of the rows."""

    def __init__(self, Q: Any, c: Any, A: Any = None, row_lo: Any = None, row_hi: Any = None, lo: Any = None, hi: Any = None) -> None:
        super().__init__(lib.PERP_QP)
        v = numbers(c, "c", (None,)).copy()
        n = len(v)
        self._Q, self._c_, self._A = _Sparse(Q, "Q", n, n), v, None if A is None else _Sparse(A, "A", None, n)
        self.n, self.m = n, 0 if self._A is None else self._A.shape[0]
        p = getattr(self._p, "as").qp
        p.n, p.m, p.c = n, self.m, self._hold(v)
        self._Q.put(p.Q)
        p.lo, p.hi = self._hold(_bounds(lo, "lo", n, -np.inf)), self._hold(_bounds(hi, "hi", n, np.inf))
        if self._A is not None:
            self._A.put(p.A)
            p.row_lo, p.row_hi = self._hold(_bounds(row_lo, "row_lo", self.m, -np.inf)), self._hold(_bounds(row_hi, "row_hi", self.m, np.inf))
        self._check()

    def w(self, z: Any) -> Floats:
        """Gradient Q x + c - A'y, and the rows A x."""
        a = numbers(z, "z", (self.size,))
        x, y = a[: self.n], a[self.n :]
        g = self._Q.times(x) + self._c_
        return g if self._A is None else np.concatenate([g - self._A.times(y, True), self._A.times(x)])


class Cone(Problem):
    """A friction problem with true cones, u = W r + q: bounded rows (lo, hi; default bilateral) first, then contacts with `dim` rows
    each, the normal first. mu: friction of each contact. associated=True: without De Saxce's term, a QP over cones."""

    def __init__(self, W: Any, q: Any, mu: Any, *, dim: int = 3, lo: Any = None, hi: Any = None, axes: Any = None, associated: bool = False) -> None:
        super().__init__(lib.PERP_CONE_QP if associated else lib.PERP_CONE)
        v = numbers(q, "q", (None,)).copy()
        c = self._contacts(len(v), mu, dim, lo, hi, axes)
        matrix = _Sparse(W, "W", len(v), len(v))
        self._keep.append(matrix)
        matrix.put(c.W)
        c.q = self._hold(v)
        self._check()

    def _contacts(self, m: int, mu: Any, dim: int, lo: Any, hi: Any, axes: Any) -> Any:
        c = getattr(self._p, "as").cone
        d = integer(dim, "dim", 2, 4)
        f = numbers(mu, "mu", (None,)).copy()
        rows = m - d * len(f)
        if rows < 0:
            raise ArgumentError(f"mu: found {len(f)} contacts; {m} rows have at most {m // d} of {d} rows each")
        c.dim, c.ncontact, c.nrow, c.mu = d, len(f), rows, self._hold(f)
        c.lo, c.hi = self._hold(_bounds(lo, "lo", rows, -np.inf)), self._hold(_bounds(hi, "hi", rows, np.inf))
        if axes is not None:
            c.axes = self._hold(numbers(axes, "axes", (len(f), d - 1)).copy())
        return c

    @classmethod
    def bodies(cls, M: Any, H: Any, f: Any, b: Any, mu: Any, *, dim: int = 3, lo: Any = None, hi: Any = None, axes: Any = None,
               compliance: Any = None, associated: bool = False) -> "Cone":
        """The global form: M v = f + H r, u = H'v + b + compliance r."""
        self = cls.__new__(cls)
        Problem.__init__(self, lib.PERP_CONE_QP if associated else lib.PERP_CONE)
        force, bias = numbers(f, "f", (None,)).copy(), numbers(b, "b", (None,)).copy()
        n, m = len(force), len(bias)
        c = self._contacts(m, mu, dim, lo, hi, axes)
        mass, levers = _Sparse(M, "M", n, n), _Sparse(H, "H", n, m)
        self._keep += [mass, levers]
        setattr(c, "global", True)
        mass.put(c.M)
        levers.put(c.H)
        c.f, c.b = self._hold(force), self._hold(bias)
        if compliance is not None:
            c.compliance = self._hold(numbers(compliance, "compliance", (m,)).copy())
        self._check()
        return self

    def w(self, z: Any) -> Floats:
        """Velocities u of the rows."""
        r, u = numbers(z, "z", (self.size,)), np.zeros(self.size)
        status = lib.perp_cone_velocity(ffi.addressof(getattr(self._p, "as").cone), pointer(r), pointer(u), ffi.NULL)
        if status:
            raise failure(status)
        return u


@dataclass
class Solution:
    """An answer and what the judge says of it."""

    z: Floats
    w: Floats
    solved: bool  # every law holds to the tolerance, as measured from the data
    residual: float  # largest natural-map residual, in units of the rows
    verdict: Verdict = field(repr=False)
    measures: Measures = field(repr=False)
    outcome: str  # how the solver ended, in its own words
    solver: str
    iterations: int
    seconds: float
    story: str
    x: Floats = field(repr=False)  # QP: the variables; else z
    y: Floats = field(repr=False)  # QP: the multipliers of the rows; else empty
    problem: Optional[Problem] = field(repr=False)  # None: the solution was pickled

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "problem": None}


def solvers() -> list[str]:
    """Names of all solvers."""
    return [str(ffi.string(lib.perp_solver_at(i).name).decode()) for i in range(lib.perp_solver_count())]


def solve(problem: Any, q: Any = None, lo: Any = None, hi: Any = None, *, solver: Optional[str] = None, tol: float = 1e-9,
          time_limit: float = 0.0, start: Any = None, settings: Optional[Mapping[str, float]] = None) -> Solution:
    """Solves a problem and judges the answer.

    problem: LCP, MLCP, NCP, QP or Cone; or a matrix M with q (an LCP), and with lo and hi (a mixed LCP). solver: a name, or several
    with commas between, tried in turn; default "auto". start: a guess. A problem that was not solved gives a Solution with
    solved = False and the best that was found; malformed input raises.

        s = perp.solve([[2, 1], [1, 2]], [-5, -6])
        s.z, s.w, s.solved, s.residual, s.verdict.figure
    """
    if not isinstance(problem, Problem):
        if q is None:
            raise ArgumentError(f"solve: found {type(problem).__name__} alone; allowed: a problem, or a matrix and q")
        problem = LCP(problem, q) if lo is None and hi is None else MLCP(problem, q, lo, hi)
    elif q is not None or lo is not None or hi is not None:
        raise ArgumentError("solve: q, lo and hi go with a matrix, not with a problem")
    p = problem
    z = np.zeros(p.size) if start is None else numbers(start, "start", (p.size,)).copy()
    o = ffi.new("perp_solve_options *")
    keep: list[Any] = []
    if solver is not None:
        keep.append(ffi.new("char[]", str(solver).encode()))
        o.solver = keep[-1]
    o.tol, o.time_limit, o.warm = number(tol, "tol"), number(time_limit, "time_limit"), start is not None
    if settings:
        s = ffi.new("perp_setting[]", len(settings))
        for i, (k, v) in enumerate(settings.items()):
            keep.append(ffi.new("char[]", str(k).encode()))
            s[i].name, s[i].value = keep[-1], number(v, k)
        o.settings, o.nsetting = s, len(settings)
    info = ffi.new("perp_solve_info *")
    status = lib.perp_solve(p._p, o, pointer(z), info)
    if isinstance(p, NCP):
        p._calls.finish()
    if status not in (0, int(lib.PERP_E_SOLVE)):
        texts = {int(lib.PERP_E_NAME): f"solver {solver!r} or one of the settings {list(settings or {})} is not known; solvers: {', '.join(solvers())}",
                 int(lib.PERP_E_FIT): f"no solver named takes a problem of class {p.kind}"}
        raise failure(status, texts.get(int(status), ""))
    verdict = ffi.new("perp_verdict *", info.verdict)
    n = p.n if isinstance(p, QP) else p.size
    return Solution(z, p.w(z), status == 0, float(info.residual), Verdict(verdict), p.measure(z), str(ffi.string(lib.perp_outcome_text(info.outcome)).decode()),
                    "" if info.solver == ffi.NULL else str(ffi.string(info.solver).decode()), int(info.iterations), float(info.seconds),
                    str(ffi.string(info.story).decode(errors="replace")), z[:n], z[n:], p)
