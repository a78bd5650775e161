"""Whether the kernel can be built here."""

import shutil
import sysconfig
from pathlib import Path

COMPILER = shutil.which("cc")
HEADERS = sysconfig.get_paths()["include"]

# A Python without the global lock has no limited API.
POSSIBLE = (
    COMPILER is not None and (Path(HEADERS) / "Python.h").exists() and not sysconfig.get_config_var("Py_GIL_DISABLED")
)
