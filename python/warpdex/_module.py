"""Which extension module is loaded: that of the package warpdex-cuda where it is installed and
loads, else this package's own. All others import either as warpdex._core."""

from __future__ import annotations

import importlib
import sys

from ._version import version


def _take_that_of_cuda() -> str | None:
    """Why the module of warpdex-cuda cannot be loaded, empty where it is; None where it is not
    installed."""
    try:
        package = importlib.import_module("warpdex_cuda")
    except ModuleNotFoundError:
        return None
    if package.__version__ != version:
        raise ImportError(
            f"warpdex is of version {version}, and warpdex-cuda of {package.__version__}; give "
            f"both one version, by pip install 'warpdex[cuda]=={version}' say"
        )
    try:
        module = importlib.import_module("warpdex_cuda._core")
    except ImportError as error:
        return f"the module of warpdex-cuda cannot be loaded: {error}"
    sys.modules["warpdex._core"] = module
    setattr(sys.modules["warpdex"], "_core", module)
    return ""


_problem = _take_that_of_cuda()

from . import _core  # noqa: E402  (only now is it known which)


def gpu_problem() -> str:
    """Why no GPU can be used, as a sentence; empty where GPU 0 can."""
    if _problem:
        return _problem
    why = _core.gpu_problem()
    if _problem is None and why.startswith("this build"):
        return "this package is without CUDA; add it by pip install 'warpdex[cuda]'"
    return why
