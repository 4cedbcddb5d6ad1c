# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""What several tests use."""
import os
import pathlib

import pytest

import perp

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def root():
    """The folder of the project."""
    return ROOT


@pytest.fixture
def program():
    """The program perp, of the build whose library is tested."""
    path = os.environ.get("PERP_PROGRAM", "")
    if not path or not os.path.exists(path):
        pytest.skip("the program perp was not built")
    return path


def pile(n=10, **options):
    """Boxes on a floor, n contacts or more."""
    w = perp.World(dim=3, h=0.002, mu=0.5, **options)
    w.add(perp.HalfSpace(), name="floor")
    for i in range((n + 3) // 4):
        w.add(perp.Box(0.1, 0.1, 0.1), density=500, at=(0.3 * i, 0, 0.05), name=f"box{i}")
    return w


# What takes seconds and repeats what other tests show.
whole = pytest.mark.skipif(not os.environ.get("PERP_TEST_WHOLE"), reason="takes seconds: `make nightly` does")
# Times are measured only when asked for: a test must not depend on who else uses the machine.
measured = pytest.mark.skipif(not os.environ.get("PERP_MEASURE"), reason="a measurement: PERP_MEASURE=1 makes it")
