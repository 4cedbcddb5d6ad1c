# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Design and estimation on scenes: the unknowns are parameters of a model, or those of a study file."""
from __future__ import annotations

import math
import os
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from ._arrays import Floats, numbers
from .errors import ArgumentError, SolveError, UnknownName
from .model import Model
from .studies import Fit, Minimum, fit, function, minimise, run_program
from .world import World

Path = Union[str, "os.PathLike[str]"]


def _names(model: Model, given: Mapping[str, Any], what: str) -> list[str]:
    """Names of the parameters that are given; each must be one of the scene."""
    if not isinstance(model, Model):
        raise ArgumentError(f"{what}: found {type(model).__name__}; allowed: a Model")
    known = model.parameters
    for name in given:
        if name not in known:
            raise UnknownName(f"{what}: the scene has no parameter {name!r}; parameters: {', '.join(known)}")
    if not given:
        raise ArgumentError(f"{what}: no parameter is given; parameters: {', '.join(known)}")
    return list(given)


def _world(model: Model, names: Sequence[str], x: Floats) -> World:
    return model.world(**{k: float(v) for k, v in zip(names, x)})


def design(model: Model, cost: Callable[[World], Any], over: Mapping[str, Any], *, constraints: int = 0, **options: Any) -> Minimum:
    """Values of parameters of a scene with the smallest cost(world), each in a world of its own.

    over: {"mu": (lowest, highest), ...}. With constraints, cost gives (value, g), and g <= 0 is asked for. A trial whose step has no solution
    (SolveError) counts as one that cannot be evaluated. Options are those of minimise(). `values` of the result has the parameters by name.
    """
    names = _names(model, over, "design")
    function(cost, "cost")
    bounds = [numbers(over[k], k, (2,)) for k in names]

    def f(x: Floats) -> Any:
        with _world(model, names, x) as w:
            try:
                return cost(w)
            except SolveError:
                return (math.nan, [math.nan] * constraints) if constraints else math.nan

    best = minimise(f, [b[0] for b in bounds], [b[1] for b in bounds], constraints=constraints, **options)
    best.values = {k: float(v) for k, v in zip(names, best.x)}
    return best


def estimate(model: Model, residuals: Callable[[World], Any], unknown: Mapping[str, Any], **arguments: Any) -> Fit:
    """Least squares for parameters of a scene: residuals(world) gives deviations from the data divided by their standard deviations.

    unknown: {"mu": start} or {"mu": (start, lowest, highest)}. A trial whose step has no solution (SolveError) counts as one that cannot be
    evaluated. Arguments are those of fit(). `values` of the result has the parameters by name.
    """
    names = _names(model, unknown, "estimate")
    function(residuals, "residuals")
    start, lower, upper = [], [], []
    for k in names:
        a = numbers(unknown[k], k, infinite=True)
        if a.shape not in ((), (3,)):
            raise ArgumentError(f"{k}: found shape {a.shape}; allowed: start, or (start, lowest, highest)")
        s, lo, hi = (float(a), -math.inf, math.inf) if a.shape == () else (float(x) for x in a)
        start.append(s)
        lower.append(lo)
        upper.append(hi)
    count: list[int] = []

    def r(x: Floats) -> Any:
        with _world(model, names, x) as w:
            try:
                out = numbers(residuals(w), "residuals", (None,))
            except SolveError:
                if not count:
                    raise  # at the start: nothing is known about the data
                return [math.nan] * count[0]
        count[:] = [len(out)]
        return out

    found = fit(r, start, lower=lower, upper=upper, **arguments)
    found.values = {k: float(v) for k, v in zip(names, found.x)}
    return found


def _options(define: Optional[Mapping[str, float]], workers: int) -> list[str]:
    return [x for k, v in (define or {}).items() for x in ("-D", f"{k}={v!r}")] + (["--workers", str(int(workers))] if workers else [])


def design_file(study: Path, output: Path, *, define: Optional[Mapping[str, float]] = None, workers: int = 0) -> dict[str, Any]:
    """Runs the search of a study file, as `perp design` does, and returns what it says as JSON. The trials are written to `output`."""
    out: dict[str, Any] = run_program(["design", os.fspath(study), "--output", os.fspath(output), *_options(define, workers)])
    return out


def estimate_file(study: Path, *, methods: Sequence[str] = (), profile: bool = False, define: Optional[Mapping[str, float]] = None,
                  workers: int = 0) -> dict[str, Any]:
    """Estimates the unknowns of a study file from its data, as `perp estimate` does, and returns what it says as JSON. methods: instead
    of those of the study."""
    extra = [x for m in methods for x in ("--method", str(m))] + (["--profile"] if profile else [])
    out: dict[str, Any] = run_program(["estimate", os.fspath(study), *extra, *_options(define, workers)])
    return out
