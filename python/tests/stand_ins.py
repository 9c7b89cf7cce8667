"""Stand-ins of other projects' harnesses, for adapters to be loaded in."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

HARNESSES = Path(__file__).resolve().parents[2] / "tools" / "lab" / "harnesses"
ROWS = np.random.default_rng(1).standard_normal((900, 12)).astype(np.float32)
QUERIES = np.random.default_rng(2).standard_normal((33, 12)).astype(np.float32)
K = 10


def nearest(rows: npt.NDArray[Any], queries: npt.NDArray[Any], metric: str) -> npt.NDArray[Any]:
    """The numbers of the nearest rows, exactly."""
    rows, queries = rows.astype(np.float64), queries.astype(np.float64)
    away = -queries @ rows.T
    if metric == "cosine":
        away /= np.linalg.norm(rows, axis=1)
    elif metric == "l2":
        away = 2 * away + (rows ** 2).sum(axis=1)
    return np.argsort(away, axis=1, kind="stable")


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., ModuleType]:
    """Loads an adapter, with stand-ins of the modules that it imports, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def loaded(path: str, name: str, stand_ins: dict[str, dict[str, Any]]) -> ModuleType:
        names = {name, *stand_ins}
        for each in list(names):
            names |= {".".join(each.split(".")[:i]) for i in range(1, each.count(".") + 1)}
        for each in sorted(names - {name}):
            module = ModuleType(each)
            module.__path__ = []
            for member, value in stand_ins.get(each, {}).items():
                setattr(module, member, value)
            monkeypatch.setitem(sys.modules, each, module)
            parent, _, last = each.rpartition(".")
            if parent:
                setattr(sys.modules[parent], last, module)
        spec = importlib.util.spec_from_file_location(name, HARNESSES / path)
        assert spec is not None and spec.loader is not None
        adapter = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(adapter)
        return adapter

    return loaded
