"""Scripts of the project that are not part of the package, as modules."""

import importlib.util
import sys


def script(path):
    """Load a script as if it had been started: with its neighbours at hand, and known to processes it starts."""
    name = f"script_{path.stem}"
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
