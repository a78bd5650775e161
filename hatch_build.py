"""Build the compiled kernel into the wheel, where there is a compiler; else the wheel is pure Python.

``BASERATE_NATIVE=0`` asks for the pure one. The compiler works in a process of its own, which is this file as a script:
whatever goes wrong there, the package can be installed, and ``baserate.native.status()`` tells.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent / "src" / "baserate" / "native"
OPTIONS = ["/O2", "/std:c11"] if os.name == "nt" else ["-O3", "-std=c11"]


def build(folder: str) -> None:
    """Compile into a folder; for the limited API, so that one file serves every Python from 3.11 on."""
    from setuptools import Extension, setup

    limited = [("Py_LIMITED_API", "0x030b0000")]
    source = str(HERE / "_kernel.c")
    kernel = Extension("_kernel", [source], define_macros=limited, py_limited_api=True, extra_compile_args=OPTIONS)
    setup(name="kernel", ext_modules=[kernel], script_args=["build_ext", "--build-lib", folder, "--build-temp", folder])


def built() -> Path | None:
    """The kernel beside its source, or None."""
    for old in (*HERE.glob("_kernel*.so"), *HERE.glob("_kernel*.pyd")):
        old.unlink()
    if os.environ.get("BASERATE_NATIVE") == "0":
        return None
    with tempfile.TemporaryDirectory() as folder:
        asked = [sys.executable, str(Path(__file__).resolve()), folder]
        if subprocess.run(asked, cwd=folder, capture_output=True, check=False).returncode:
            return None
        made = next(path for path in Path(folder).iterdir() if path.suffix in (".so", ".pyd"))
        return Path(shutil.copy(made, HERE / made.name))


def tag() -> str:
    """Any Python from 3.11 on, on this kind of machine."""
    return f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


if __name__ == "__main__":
    build(sys.argv[1])
else:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface

    class KernelHook(BuildHookInterface):
        """What hatchling calls before it packs a wheel, editable or not."""

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Add the kernel and say what machine it is for."""
            made = built()
            if made is not None:
                build_data["artifacts"].append(made.relative_to(self.root).as_posix())
                build_data["pure_python"] = False
                build_data["tag"] = tag()
