# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Studies: many trials of a function of Python or of a study file, on threads or on a cluster; design and estimation of functions."""
from __future__ import annotations

import itertools
import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _callbacks
from ._arrays import Floats, integer, number, numbers, pointer
from ._native import ffi, lib
from ._records import FitReport, SearchReport
from .errors import ArgumentError, FileError, check, failure
from .model import Model
from .notebook import program
from .world import World

Values = Union[Mapping[str, Any], Sequence[Mapping[str, float]]]


class Trial(NamedTuple):
    """A trial of a sweep: its number, the values of its parameters, what the function gave, or the error."""

    number: int
    values: dict[str, float]
    result: Any
    error: Optional[BaseException]


def grid(**values: Any) -> list[dict[str, float]]:
    """All combinations of values, the last parameter fastest."""
    lists = [[float(x) for x in np.atleast_1d(numbers(v, k))] for k, v in values.items()]
    return [dict(zip(values, c)) for c in itertools.product(*lists)]


def function(f: Any, what: str) -> Any:
    """f, if it can be called."""
    if not callable(f):
        raise ArgumentError(f"{what}: found {type(f).__name__}; allowed: a function")
    return f


def _result(x: Any, what: str, n: Optional[int] = None) -> Any:
    """What a function gave: one number, or n of them. NaN and infinities are allowed: the point could not be evaluated."""
    try:
        a = np.asarray(x, dtype=np.float64).ravel()
    except (TypeError, ValueError) as e:
        raise ArgumentError(f"{what} gave {type(x).__name__}; allowed: numbers") from e
    if a.size != (1 if n is None else n):
        raise ArgumentError(f"{what} gave {a.size} numbers; allowed: {1 if n is None else n}")
    return float(a[0]) if n is None else a


def _trial(model: Model, values: dict[str, float], run: Callable[..., Any], seed: Optional[int], index: int) -> Trial:
    try:
        w = model.world(**values)
        with w:
            if seed is None:
                return Trial(index, values, run(w), None)
            return Trial(index, values, run(w, np.random.default_rng(int(lib.perp_random_split(seed, index)))), None)
    except Exception as e:
        return Trial(index, values, None, e)


def sweep(model: Model, run: Callable[..., Any], values: Values, *, seed: Optional[int] = None, workers: int = 0, client: Any = None) -> list[Trial]:
    """Runs run(world) for every set of values of parameters, each in a world of its own; results in the order of the values.

    values: a list of dictionaries, or one dictionary of lists (all combinations). seed: run(world, rng) then gets random numbers that
    depend on seed and trial alone. workers: threads; the library runs without Python's lock. client: a client of Dask, whose workers
    run the trials instead. A trial that raises is kept with its error.
    """
    if not isinstance(model, Model):
        raise ArgumentError(f"sweep: found {type(model).__name__}; allowed: a Model")
    function(run, "run")
    sets = grid(**values) if isinstance(values, Mapping) else [dict(v) for v in values]
    s = None if seed is None else integer(seed, "seed", 0, 2**64 - 1)
    n = integer(workers, "workers", 0, 1024) or os.cpu_count() or 1
    jobs = [(model, v, run, s, i) for i, v in enumerate(sets)]
    if client is not None:
        return list(client.gather([client.submit(_trial, *j, pure=False) for j in jobs]))
    with ThreadPoolExecutor(n) as pool:
        return [f.result() for f in [pool.submit(_trial, *j) for j in jobs]]


def run_program(arguments: Sequence[str]) -> Any:
    """What a command of the program perp says as JSON."""
    perp = program()
    if perp is None:
        raise FileError("the program perp was not found: install it, or set PERP_PROGRAM")
    clean = {k: v for k, v in os.environ.items() if k not in ("SLURM_ARRAY_TASK_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "JOB_COMPLETION_INDEX")}
    done = subprocess.run([perp, *arguments, "--json"], capture_output=True, text=True, env=clean)
    try:
        out = json.loads(done.stdout)
    except ValueError:
        out = {"error": done.stderr.strip() or f"perp ended with code {done.returncode}"}
    if done.returncode not in (0, 1) or "error" in out:
        e = out.get("error", "")
        raise FileError(str(e.get("text", e) if isinstance(e, dict) else e))
    return out


def _part(study: str, part: int, parts: int, extra: Sequence[str]) -> bytes:
    """The results of a part of a study, as the bytes of its file."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "part.h5")
        run_program(["sweep", study, "--part", f"{part}/{parts}", "--workers", "1", "--output", out, *extra])
        with open(out, "rb") as f:
            return f.read()


def sweep_file(study: Union[str, "os.PathLike[str]"], output: Union[str, "os.PathLike[str]"], *, parts: int = 0, client: Any = None,
               define: Optional[Mapping[str, float]] = None) -> dict[str, Any]:
    """Runs a study file, as `perp sweep` does, in parts, and joins them into `output`. client: a client of Dask, whose workers run the
    parts; a part whose worker dies is run again by another. Returns what `perp study --json` says: `digest` is the same for any number of
    parts and workers. The study must be readable where the workers run."""
    path = os.path.abspath(os.fspath(study))
    extra = [x for k, v in (define or {}).items() for x in ("-D", f"{k}={v!r}")]
    n = integer(parts, "parts", 0, 10**6) or (2 * sum(client.nthreads().values()) if client is not None else os.cpu_count() or 1)
    jobs = [(path, i + 1, n, extra) for i in range(n)]
    if client is not None:
        results = client.gather([client.submit(_part, *j, pure=False, retries=3) for j in jobs])
    else:
        with ThreadPoolExecutor(n if n < 64 else 64) as pool:
            results = [f.result() for f in [pool.submit(_part, *j) for j in jobs]]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, data in enumerate(results):
            files.append(os.path.join(folder, f"part-{i}.h5"))
            with open(files[-1], "wb") as f:
                f.write(data)
        out: dict[str, Any] = run_program(["study", *files, "--output", os.fspath(output)])
    return out


# Design


@dataclass
class Minimum:
    """What a search found."""

    x: Floats
    f: float
    report: SearchReport = field(repr=False)
    values: dict[str, float] = field(default_factory=dict)  # of design(): the parameters by name

    @property
    def feasible(self) -> bool:
        """All constraints hold."""
        return self.report.feasible

    @property
    def reason(self) -> str:
        """Why the search ended: converged, evaluations, ..."""
        return self.report.reason


def search_methods() -> list[str]:
    """Methods of minimise() that this build has."""
    out, names = [], lib.perp_search_methods()
    i = 0
    while names[i] != ffi.NULL:
        if lib.perp_search_available(names[i], ffi.NULL):
            out.append(str(ffi.string(names[i]).decode()))
        i += 1
    return out


def _array(a: Floats, keep: list[Any]) -> Any:
    keep.append(a)
    return pointer(a)


def minimise(f: Callable[[Floats], Any], lower: Any, upper: Any, *, start: Any = None, step: Any = None, constraints: int = 0,
             method: Optional[str] = None, evaluations: int = 1000, restarts: int = 0, x_tolerance: float = 0.0, f_tolerance: float = 0.0,
             seed: int = 0, population: int = 0, workers: int = 1) -> Minimum:
    """Smallest f(x) within bounds; f may run a simulation. With constraints, f gives (value, g), and g <= 0 is asked for. A value that
    is NaN: the point could not be evaluated. workers: threads that evaluate the points of a population. The points depend on the
    arguments alone."""
    function(f, "f")
    lo = numbers(lower, "lower", (None,))
    n = len(lo)
    hi = numbers(upper, "upper", (n,))
    m = integer(constraints, "constraints", 0, 1000)
    keep: list[Any] = []
    p, o, calls = ffi.new("perp_search_problem *"), ffi.new("perp_search_options *"), _callbacks.Problem()
    p.n, p.lower, p.upper, p.nconstraint = n, _array(lo, keep), _array(hi, keep), m
    if start is not None:
        p.start = _array(numbers(start, "start", (n,)), keep)
    if step is not None:
        p.step = _array(numbers(step, "step", (n,)), keep)
    pool = ThreadPoolExecutor(integer(workers, "workers", 1, 1024)) if workers != 1 else None

    def values(x: Floats, out: Floats, g: Optional[Floats]) -> None:
        got = list(pool.map(f, x)) if pool is not None else [f(row) for row in x]
        for i, v in enumerate(got):
            if g is None:
                out[i] = _result(v, "f")
                continue
            try:
                value, limits = v
            except (TypeError, ValueError) as e:
                raise ArgumentError(f"f gave {type(v).__name__}; allowed, with constraints: (value, g)") from e
            out[i], g[i] = _result(value, "f"), _result(limits, "g of f", m)

    p.values, p.ctx = lib.py_search_values, _callbacks.handle(calls, values, (n, m))
    if method is not None:
        keep.append(ffi.new("char[]", str(method).encode()))
        o.method = keep[-1]
    o.evaluations, o.restarts = integer(evaluations, "evaluations", 1, 2**31 - 1), integer(restarts, "restarts", 0, 2**31 - 1)
    o.x_tolerance, o.f_tolerance = number(x_tolerance, "x_tolerance"), number(f_tolerance, "f_tolerance")
    o.seed, o.population = integer(seed, "seed", 0, 2**64 - 1), integer(population, "population", 0, 2**31 - 1)
    x, r, why = np.zeros(n), ffi.new("perp_search_result *"), ffi.new("perp_refusal *")
    try:
        status = lib.perp_search(p, o, pointer(x), r, why)
    finally:
        if pool is not None:
            pool.shutdown()
    calls.finish()
    check(status, why)
    return Minimum(x, float(r.f), SearchReport(r))


# Estimation


@dataclass
class Fit:
    """A fit: the optimum, its covariance and what is known about it."""

    x: Floats
    covariance: Floats
    sd: Floats  # standard errors; inf: not identified by these data; 0: fixed or at a bound
    correlation: Floats
    bound: npt.NDArray[np.int32]  # -1, 1: at its lower, upper bound; 2: fixed; 0: free
    directions: Floats  # rows: directions in which the data say nothing
    residual: Floats
    weight: Floats
    report: FitReport = field(repr=False)
    values: dict[str, float] = field(default_factory=dict)  # of estimate(): the parameters by name

    @property
    def converged(self) -> bool:
        """The search met its tolerance."""
        return self.report.converged

    @property
    def chi2(self) -> float:
        """Sum of squares of the residuals."""
        return self.report.chi2


class _FitCall:
    """A perp_fit_problem with its options, and what they point to."""

    def __init__(self, residuals: Callable[[Floats], Any], start: Any, arguments: Mapping[str, Any]) -> None:
        known = {"m", "lower", "upper", "scale", "prior_mean", "prior_sd", "workers", "iterations", "tolerance", "difference", "loss", "loss_scale",
                 "starts", "seed", "noise_known"}
        for k in arguments:
            if k not in known:
                raise ArgumentError(f"fit has no argument {k!r}; allowed: {', '.join(sorted(known))}")
        function(residuals, "residuals")
        x = numbers(start, "start", (None,)).copy()
        self.n, self.keep, self.calls = len(x), [x], _callbacks.Problem()
        self.m = integer(arguments["m"], "m", 1, 2**31 - 1) if "m" in arguments else len(np.atleast_1d(residuals(x.copy())))
        p = self.p = ffi.new("perp_fit_problem *")
        p.n, p.m, p.start = self.n, self.m, pointer(x)
        for k in ("lower", "upper", "scale", "prior_mean", "prior_sd"):
            if arguments.get(k) is not None:
                setattr(p, k, _array(numbers(arguments[k], k, (self.n,), infinite=True), self.keep))
        workers = integer(arguments.get("workers", 1), "workers", 1, 1024)

        def all_residuals(points: Floats, r: Floats) -> None:
            if workers == 1:
                got = [residuals(row) for row in points]
            else:
                with ThreadPoolExecutor(workers) as pool:
                    got = list(pool.map(residuals, points))
            for i, v in enumerate(got):
                r[i] = _result(v, "residuals", self.m)

        p.residuals, p.ctx = lib.py_fit_residuals, _callbacks.handle(self.calls, all_residuals, (self.n, self.m))
        o = self.o = ffi.new("perp_fit_options *", lib.perp_fit_options_default())
        for k in ("iterations", "starts"):
            if k in arguments:
                setattr(o, k, integer(arguments[k], k, 0, 2**31 - 1))
        for k in ("tolerance", "difference", "loss_scale"):
            if k in arguments:
                setattr(o, k, number(arguments[k], k))
        if "loss" in arguments:
            self.keep.append(ffi.new("char[]", str(arguments["loss"]).encode()))
            o.loss = self.keep[-1]
        o.seed = integer(arguments.get("seed", 0), "seed", 0, 2**64 - 1)
        o.noise_known = bool(arguments.get("noise_known", True))


def fit(residuals: Callable[[Floats], Any], start: Any, **arguments: Any) -> Fit:
    """Least squares with bounds and error bars. residuals(x): deviations from the data divided by their standard deviations; a NaN: this
    point could not be evaluated. Arguments: lower, upper, scale, prior_mean, prior_sd, loss ("square", "huber", "cauchy", "tukey"), starts,
    seed, noise_known, tolerance, iterations, difference, workers (threads that evaluate points). A search that ended early is no error: see
    converged."""
    c = _FitCall(residuals, start, arguments)
    n, m = c.n, c.m
    x, cov, sd, cor = np.zeros(n), np.zeros((n, n)), np.zeros(n), np.zeros((n, n))
    directions, residual, weight, bound = np.zeros((n, n)), np.zeros(m), np.zeros(m), np.zeros(n, dtype=np.int32)
    d = ffi.new("perp_fit_details *")
    d.sd, d.correlation, d.direction, d.residual, d.weight = pointer(sd), pointer(cor), pointer(directions), pointer(residual), pointer(weight)
    d.bound = ffi.cast("int *", bound.ctypes.data)
    c.o.details = d
    r, why = ffi.new("perp_fit_result *"), ffi.new("perp_refusal *")
    status = lib.perp_fit(c.p, c.o, pointer(x), pointer(cov), r, why)
    c.calls.finish()
    check(status, why)
    return Fit(x, cov.T.copy(), sd, cor.T.copy(), bound, directions[: int(d.ndirection)].copy(), residual, weight, FitReport(r))


def profile(residuals: Callable[[Floats], Any], optimum: Any, which: int, *, count: int = 0, **arguments: Any) -> tuple[float, float, Floats, Floats]:
    """Interval of a parameter by the rise of the least cost (95 %): lower end, upper end, and `count` values with their costs."""
    c = _FitCall(residuals, optimum, arguments)
    x = numbers(optimum, "optimum", (c.n,))
    k = integer(count, "count", 0, 10**6)
    value, cost = np.zeros(k), np.zeros(k)
    r, why = ffi.new("perp_fit_profile_result *"), ffi.new("perp_refusal *")
    r.count, r.value, r.cost = k, pointer(value), pointer(cost)
    status = lib.perp_fit_profile(c.p, c.o, pointer(x), integer(which, "which", 0, c.n - 1), r, why)
    c.calls.finish()
    check(status, why)
    return float(r.lo), float(r.hi), value, cost


@dataclass
class Sample:
    """Draws from a density."""

    points: Floats  # draws x parameters
    mean: Floats
    covariance: Floats
    effective: Floats  # effective sample size of each parameter
    r_hat: Floats  # above 1.01 to 1.05 it has not converged
    acceptance: float


def sample(log_density: Callable[[Floats], float], start: Any, covariance: Any, *, lower: Any = None, upper: Any = None, steps: int = 1000,
           burn_in: int = 0, walkers: int = 0, thin: int = 1, seed: int = 0) -> Sample:
    """Samples a density, given by its logarithm, by an ensemble of walkers that begin about `start` with a covariance, such as those of a fit."""
    function(log_density, "log_density")
    x = numbers(start, "start", (None,)).copy()
    n, keep, calls = len(x), [x], _callbacks.Problem()
    p, o = ffi.new("perp_sample_problem *"), ffi.new("perp_sample_options *")
    p.n = n
    for k, v in (("lower", lower), ("upper", upper)):
        if v is not None:
            setattr(p, k, _array(numbers(v, k, (n,), infinite=True), keep))

    def density(points: Floats, out: Floats) -> None:
        for i, row in enumerate(points):
            out[i] = _result(log_density(row), "log_density")

    p.log_density, p.ctx = lib.py_log_density, _callbacks.handle(calls, density, n)
    o.walkers, o.burn_in, o.steps = integer(walkers, "walkers", 0, 10**6), integer(burn_in, "burn_in", 0, 10**9), integer(steps, "steps", 8, 10**9)
    o.thin, o.seed = integer(thin, "thin", 1, 10**9), integer(seed, "seed", 0, 2**64 - 1)
    o.start, o.covariance = pointer(x), _array(np.ascontiguousarray(numbers(covariance, "covariance", (n, n)).T), keep)
    count = int(lib.perp_sample_count(p, o))
    points, mean, cov, eff, rhat = np.zeros((count, n)), np.zeros(n), np.zeros((n, n)), np.zeros(n), np.zeros(n)
    r, why = ffi.new("perp_sample_result *"), ffi.new("perp_refusal *")
    r.mean, r.covariance, r.effective, r.r_hat = pointer(mean), pointer(cov), pointer(eff), pointer(rhat)
    status = lib.perp_sample_posterior(p, o, pointer(points), r, why)
    calls.finish()
    check(status, why)
    return Sample(points, mean, cov.T.copy(), eff, rhat, float(r.acceptance))
