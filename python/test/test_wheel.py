# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""A wheel is built from the sources and a compiled library, installed into an environment of its own, and used there."""
import os
import subprocess
import sys

import pytest

from conftest import ROOT


def test_wheel(tmp_path):
    if not os.environ.get("PERP_TEST_WHOLE"):
        pytest.skip("compiles the binding once more: `make nightly` does")
    for name in ("setuptools", "pip", "wheel", "venv", "ensurepip"):
        pytest.importorskip(name, reason=f"there is no {name} here")
    if not os.environ.get("PERP_LIBRARY"):
        pytest.skip("PERP_LIBRARY does not name a build folder; tools/python --test sets it")
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    clean["PERP_PYTHON_CFLAGS"] = "-O0"  # the binding is large, and tools/python has compiled it with optimisation
    # the sources as a checkout has them; setup.py writes beside itself
    for name in ("include", "python"):
        subprocess.run(["cp", "-r", ROOT / name, tmp_path / name], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "-q", "wheel", "--no-build-isolation", "--no-deps", "--no-index", tmp_path / "python", "-w", tmp_path], check=True, env=clean)
    wheels = list(tmp_path.glob("perp-*-cp310-abi3-*.whl"))
    assert len(wheels) == 1 and wheels[0].stat().st_size < 4e6
    subprocess.run([python, "-m", "pip", "-q", "install", "--no-deps", "--no-index", wheels[0]], check=True, env=clean)
    code = "import perp; w = perp.World(); w.add(perp.Sphere(1)); assert w.step().t == 0.001; print(perp.__file__)"
    out = subprocess.run([python, "-c", code], check=True, env=clean, cwd=tmp_path, capture_output=True, text=True).stdout
    assert out.startswith(str(tmp_path / "venv"))
