# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""perp: rigid bodies with frictional contact, solved as complementarity problems.

    import perp
    w = perp.load("scene.yaml").world()      # or perp.World(dim=3) and w.add(...)
    while w.time < 1:
        c = w.step()                         # raises perp.SolveError, the world unchanged
    print(w.poses, c.overlap)

docs/python.md describes the package; docs/python-mujoco.md is for users of MuJoCo.
"""
from ._native import ffi as _ffi
from ._native import lib as _lib
from ._records import Certificate, Extent, Law, Ledger, Measures, Verdict
from . import gym
from .batch import Batch
from .errors import (ArgumentError, ClosedError, FileError, FitError, GeometryError, OutOfMemory, PerpError, SolveError, Stopped,
                     UnknownName)
from .joint_space import JointSpace, Link
from .model import Model, Note, Parameter, load
from .parts import Body, Contact, Contacts, Force, Joint, Term
from .robot import Actuator, Keyframe, Site
from .recording import Lazy, Recorder, Recording
from .shapes import Box, Capsule, Cylinder, Ellipsoid, HalfSpace, Particle, Polygon, Polyhedron, Shape, Sphere
from .sensors import Sensor
from .solving import LCP, MLCP, NCP, QP, Cone, Problem, Solution, solve, solvers
from .studies import (Fit, Minimum, Sample, Trial, fit, grid, minimise, profile, sample, search_methods, sweep, sweep_file)
from .scene_studies import design, design_file, estimate, estimate_file
from .world import Energy, Momentum, World

__version__: str = _ffi.string(_lib.perp_version()).decode()
