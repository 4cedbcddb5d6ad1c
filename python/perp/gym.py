# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Environments of Gymnasium on a Batch. Without the package gymnasium the classes have the same methods and a stand-in for Box."""
from __future__ import annotations

import importlib
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Floats, integer, number, numbers
from .batch import Batch, Input
from .errors import ArgumentError
from .model import Model
from .world import World

class _Box:
    """Stand-in for gymnasium.spaces.Box: bounds of an array."""

    def __init__(self, low: Any, high: Any, shape: Optional[tuple[int, ...]] = None, dtype: Any = np.float64) -> None:
        self.shape = shape if shape is not None else np.shape(low)
        self.low, self.high = np.broadcast_to(low, self.shape), np.broadcast_to(high, self.shape)
        self.dtype = np.dtype(dtype)
        self._random = np.random.default_rng(0)

    def seed(self, seed: Optional[int] = None) -> None:
        """Begins the random numbers anew."""
        self._random = np.random.default_rng(seed)

    def contains(self, x: Any) -> bool:
        """Is x an array of this shape within the bounds?"""
        a = np.asarray(x)
        return bool(a.shape == self.shape and np.all(a >= self.low) and np.all(a <= self.high))

    def sample(self) -> Any:
        """A random array within the bounds, of at most 1000 where there are none."""
        return self._random.uniform(np.maximum(self.low, -1e3), np.minimum(self.high, 1e3)).astype(self.dtype)


_gymnasium: Any = None
_Env: Any = object
_VectorEnv: Any = object
Box: Any = _Box
try:
    _gymnasium = importlib.import_module("gymnasium")
    _Env, Box = _gymnasium.Env, importlib.import_module("gymnasium.spaces").Box
    _VectorEnv = importlib.import_module("gymnasium.vector").VectorEnv
except ImportError:
    pass


Measure = Callable[[Batch], Any]


def default_observation(b: Batch) -> Floats:
    """Poses and velocities of all bodies, one row for each world."""
    return np.concatenate([b.poses.reshape(b.n, -1), b.twists.reshape(b.n, -1)], axis=1)


class VectorEnv(_VectorEnv):  # type: ignore[misc]
    """n environments in one Batch; finished ones are reset in the next step (autoreset mode NEXT_STEP).

    obs(batch) -> [n, k], reward(batch) -> [n], done(batch) -> [n] booleans are functions of the whole batch. An action is one row of
    inputs, or, with inputs="ctrl", ctrl of all actuators, within `low` and `high`. frame_skip: steps of an action. limit: actions until an episode is truncated. randomise(world, rng):
    called for each world that is reset; rng depends on seed, environment and episode alone. A world whose step was refused is truncated,
    and info["status"] tells.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, model: Union[Model, World], n: int, inputs: Union[Sequence[Input], str], *, reward: Measure, obs: Measure = default_observation,
                 done: Optional[Measure] = None, low: Any = -1.0, high: Any = 1.0, frame_skip: int = 1, limit: int = 1000, threads: int = 0,
                 randomise: Optional[Callable[[World, np.random.Generator], None]] = None) -> None:
        self.batch = Batch(model, n, threads, () if inputs == "ctrl" else inputs)
        self._given = self.batch.ctrl if inputs == "ctrl" else self.batch.inputs
        self.num_envs = n = self.batch.n
        self._reward, self._obs, self._done, self._randomise = reward, obs, done, randomise
        self._skip, self._limit = integer(frame_skip, "frame_skip", 1, 10**6), integer(limit, "limit", 1, 2**31 - 1)
        width = self._given.shape[1]
        lo, hi = (np.full(width, a) if a.shape == () else numbers(a, w, (width,)) for a, w in ((numbers(x, w), w) for x, w in ((low, "low"), (high, "high"))))
        if np.any(lo > hi):
            raise ArgumentError(f"low: found {lo.tolist()}, above high {hi.tolist()}")
        k = self._observe().shape[1]
        self.single_action_space, self.action_space = Box(lo, hi, dtype=np.float64), Box(np.tile(lo, (n, 1)), np.tile(hi, (n, 1)), dtype=np.float64)
        self.single_observation_space = Box(-np.inf, np.inf, (k,), np.float64)
        self.observation_space = Box(-np.inf, np.inf, (n, k), np.float64)
        if _gymnasium is not None and hasattr(_gymnasium.vector, "AutoresetMode"):
            self.metadata = {**self.metadata, "autoreset_mode": _gymnasium.vector.AutoresetMode.NEXT_STEP}
        self._low, self._high = lo, hi
        self._seed = 0
        self._episode, self._age = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self._over = np.zeros(n, dtype=bool)

    def _observe(self) -> Floats:
        a = np.array(self._obs(self.batch), dtype=np.float64)  # a copy: the batch goes on
        if a.ndim != 2 or a.shape[0] != self.num_envs:
            raise ArgumentError(f"obs: found shape {a.shape}; allowed: {self.num_envs} x k")
        return a

    def _each(self, x: Any, what: str, kind: Any) -> Any:
        """One number or boolean for each environment, as a function of the program gave them."""
        a = np.asarray(x)
        if a.shape != (self.num_envs,) or a.dtype.kind not in "fiub":
            raise ArgumentError(f"{what}: found {a.dtype} of shape {a.shape}; allowed: {self.num_envs} numbers, one for each world")
        return a.astype(kind)

    def _begin(self, mask: npt.NDArray[np.bool_]) -> None:
        """Resets the environments of the mask and gives them new episodes."""
        self.batch.reset(mask)
        if self._randomise is not None:
            for i in np.flatnonzero(mask):
                self._randomise(self.batch.world(int(i)), np.random.default_rng([self._seed, int(i), int(self._episode[i])]))
            self.batch.refresh()
        self._episode[mask] += 1
        self._age[mask] = 0
        self._over[mask] = False

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Floats, dict[str, Any]]:
        """Begins all episodes; options={"reset_mask": booleans}: those only."""
        if seed is not None:
            self._seed = integer(seed, "seed", 0, 2**63 - 1)
            self._episode[:] = 0
        mask = np.ones(self.num_envs, dtype=bool) if not options or "reset_mask" not in options else np.asarray(options["reset_mask"])
        self._begin(self.batch._mask(mask))
        return self._observe(), {}

    def step(self, actions: Any) -> tuple[Floats, Floats, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """One action of each environment: observations, rewards, terminated, truncated, info."""
        a = numbers(actions, "actions", self._given.shape)
        again = self._over.copy()
        if again.any():
            self._begin(again)
        go = ~again
        self._given[go] = np.clip(a, self._low, self._high)[go]
        status = self.batch.step(self._skip, go)
        self._age[go] += 1
        reward = np.where(go, self._each(self._reward(self.batch), "reward", np.float64), 0.0)
        over = np.zeros(self.num_envs, dtype=bool) if self._done is None else self._each(self._done(self.batch), "done", bool)
        terminated = over & go
        truncated = ((self._age >= self._limit) | (status != 0)) & go & ~terminated
        self._over = terminated | truncated
        return self._observe(), reward, terminated, truncated, {"status": status}

    def close(self, **_: Any) -> None:
        """Frees the worlds."""
        self.batch.close()


class Env(_Env):  # type: ignore[misc]
    """One environment; the arguments are those of VectorEnv without n, and its functions see a batch of one world."""

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode: Optional[str] = None

    def __init__(self, model: Union[Model, World], inputs: Union[Sequence[Input], str], **arguments: Any) -> None:
        given: dict[str, Any] = {"threads": 1, **arguments}
        self._v = VectorEnv(model, 1, inputs, **given)
        self.action_space, self.observation_space = self._v.single_action_space, self._v.single_observation_space

    @property
    def world(self) -> World:
        """The world."""
        return self._v.batch.world(0)

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Floats, dict[str, Any]]:
        """Begins an episode."""
        if _gymnasium is not None:
            super().reset(seed=seed)
        self._v._over[:] = False
        obs, info = self._v.reset(seed=seed)
        return obs[0], info

    def step(self, action: Any) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """One action. After the end of an episode reset() is needed."""
        if self._v._over[0]:
            raise ArgumentError("step: the episode is over; call reset()")
        obs, reward, terminated, truncated, info = self._v.step(numbers(action, "action", self.action_space.shape)[None])
        return obs[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), {"status": int(info["status"][0])}

    def close(self) -> None:
        """Frees the world."""
        self._v.close()
