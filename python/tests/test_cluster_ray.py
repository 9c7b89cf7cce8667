"""Building on Ray, with workers that die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Program, documents, write_jsonl

import warpdex

pytest.importorskip("fsspec")
pytest.importorskip("ray", reason="Ray is not installed")
from clusters import LINE, OPTIONS, as_lines, check_lines, ray_here

from warpdex import cluster
from warpdex.cluster.on_ray import OnRay


ray = pytest.fixture(scope="module")(ray_here)


def descendants(title: str) -> Iterator[int]:
    """Processes below this one with that title."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            if (folder / "cmdline").read_bytes().startswith(title.encode()):
                above = int(folder.name)
                while above > 1 and above != os.getpid():
                    above = int(Path(f"/proc/{above}/stat").read_text().rpartition(")")[2].split()[1])
                if above == os.getpid():
                    yield int(folder.name)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended


class Killer(threading.Thread):
    """Kills workers while they build, a few times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times
        self.is_done = threading.Event()

    def run(self) -> None:
        while self.left and not self.is_done.wait(0.02):
            for worker in descendants("ray::build_part"):
                time.sleep(0.02 * self.left)
                if self.left:
                    os.kill(worker, signal.SIGKILL)
                    self.left -= 1


def test_the_same_bytes_also_where_workers_are_killed(
    ray: Any, program: Program, tmp_path: Path
) -> None:
    lines = as_lines(documents(7, 6000))
    (tmp_path / "docs.jsonl").write_text("".join(lines), "utf-8")
    store = cluster.Store(str(tmp_path / "store"))
    killer = Killer(5)
    killer.start()
    made = cluster.build(str(tmp_path / "docs.jsonl"), store, parts=8, runner=OnRay(),
                         work=str(tmp_path / "work"), **OPTIONS)
    killer.is_done.set()
    killer.join()
    assert killer.left == 0 and made.documents == 6000
    assert len(check_lines(program, store, lines, tmp_path, *LINE)) == 8
    assert cluster.verify(store) == []


def test_what_a_task_raises_is_raised_here(ray: Any, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "docs.jsonl", [*documents(7, 60), {"id": "d3", "contents": "x"}])
    store = cluster.Store(str(tmp_path / "store"))
    with pytest.raises(warpdex.BadDocument, match="'d3'|d3"):
        cluster.build(str(tmp_path / "docs.jsonl"), store, parts=1, runner=OnRay())
    with pytest.raises(warpdex.UsageError, match="klingon"):
        cluster.build(str(tmp_path / "docs.jsonl"), store, parts=3, analyzer="klingon",
                      runner=OnRay())
    assert store.versions() == []


def test_nothing_imports_ray_before_it_is_asked_for() -> None:
    code = "import sys, warpdex, warpdex.cluster; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    code = "import sys, warpdex; sys.exit('fsspec' in sys.modules or 'ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
