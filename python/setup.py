# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Wheel of the package: compiles a static libperp with CMake, unless PERP_LIBRARY names a build folder that has one, and the binding."""
import os
import re
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
import build_native  # noqa: E402

try:
    from wheel.bdist_wheel import bdist_wheel
except ImportError:  # newer setuptools has it
    from setuptools.command.bdist_wheel import bdist_wheel


def version() -> str:
    text = open(os.path.join(ROOT, "include", "perp", "base.h")).read()
    return ".".join(re.findall(r"#define PERP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


class Build(build_py):
    """The package with the compiled binding and the records in it."""

    def run(self) -> None:
        super().run()
        library = os.environ.get("PERP_LIBRARY", "")
        if not library:
            library = os.path.join(ROOT, "build", "wheel")
            subprocess.run(["cmake", "-S", ROOT, "-B", library, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPERP_BUILD_TESTS=OFF",
                            "-DPERP_BUILD_PROGRAM=OFF", "-DPERP_BUILD_EXAMPLES=OFF", "-DPERP_BUILD_BENCH=OFF"], check=True)
            subprocess.run(["cmake", "--build", library, "--target", "perp"], check=True)
        build_native.build(library, self.build_lib, os.environ.get("CC", "cc"))
        source = os.path.join(self.build_lib, "_native.c")
        if os.path.exists(source):
            os.remove(source)


class Compiled(Distribution):
    """Not for every platform: it has compiled code."""

    def has_ext_modules(self) -> bool:
        return True


class Wheel(bdist_wheel):  # type: ignore[misc]
    """One wheel for every Python from 3.10 on: the binding uses the limited interface only."""

    def get_tag(self) -> tuple[str, str, str]:
        _, _, platform = super().get_tag()
        return "cp310", "abi3", platform


setup(name="perp", version=version(), packages=["perp"], package_data={"perp": ["py.typed", "*.pyi"]},
      cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Compiled)
