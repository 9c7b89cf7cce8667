"""Threads, signals, forks, pickles."""

from __future__ import annotations

import io
import itertools
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import warpdex

ENDLESS = """
import itertools, sys, numpy as np, warpdex
path = sys.argv[1]
def say(): print("begun", flush=True)
{work}
print("went on")
"""

WORK = {
    "commit": """
import tempfile
folder = tempfile.mkdtemp()
writer = warpdex.Writer(folder, memory="4G", threads=1)
text = " ".join(f"w{i % 97}x{i % 89}" for i in range(20_000))
for i in range(1500): writer.add({"id": str(i), "contents": text})
say()
try: writer.commit()
except KeyboardInterrupt: print("ended")
writer.rollback()
writer.add({"id": "1", "contents": "fish"})
writer.commit()
assert len(warpdex.Searcher(folder)) == 1
""",
    "build": """
def docs():
    for i in itertools.count():
        if i == 1000: say()
        yield {"id": str(i), "contents": f"w{i % 97} w{i % 89}"}
try: warpdex.build(docs(), path + ".new")
except KeyboardInterrupt: print("ended")
""",
    "search_batch": """
searcher = warpdex.Searcher(path, device="cpu", threads=2)
queries = ["w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12"] * 200_000
say()
try: searcher.search_batch(queries, k=100)
except KeyboardInterrupt: print("ended")
""",
    "vectors": """
rows = np.random.default_rng(1).standard_normal((20000, 256), dtype=np.float32)
index = warpdex.vectors.Index.build(rows, device="cpu", threads=2)
queries = np.tile(rows, (5, 1))
say()
try: index.search(queries, 10)
except KeyboardInterrupt: print("ended")
""",
    "vector build": """
rows = np.random.default_rng(1).standard_normal((100000, 128), dtype=np.float32)
say()
try: warpdex.vectors.Index.build(rows, lists=4000, device="cpu", threads=2)
except KeyboardInterrupt: print("ended")
""",
}


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_ends_long_calls(many: Path, tmp_path: Path, name: str) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", ENDLESS.replace("{work}", WORK[name]), str(many)],
        stdout=subprocess.PIPE, text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    start = time.monotonic()
    output, _ = child.communicate(timeout=60)
    took = time.monotonic() - start
    assert output == "ended\nwent on\n" and child.returncode == 0
    assert took < 5  # a second, and more on a machine that does other things as well
    assert sorted(path.name for path in many.parent.iterdir()) == [many.name]


def test_fork(books: Path) -> None:
    searcher = warpdex.Searcher(books)
    searcher.search_batch(["sea"] * 1000)
    index = warpdex.vectors.Index.build(np.eye(3, dtype=np.float32))
    child = os.fork()
    if child == 0:
        status = 0
        for call in (lambda: searcher.search("sea"), lambda: searcher.search_batch(["sea"]),
                     searcher.terms, searcher.refresh,
                     lambda: index.search(np.eye(3, dtype=np.float32), 1)):
            try:
                call()
                status = 1
            except warpdex.UsageError as error:
                status = status if "fork" in str(error) else 2
        del searcher, index
        if len(warpdex.Searcher(books).search("sea")) != 1:
            status = 3
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert searcher.search("sea").ids == ["7"]
    assert len(index.search(np.eye(3, dtype=np.float32), 1)[0]) == 3


def test_pickles(books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(books.parent)
    searcher = warpdex.Searcher(books.name, device="cpu", threads=1)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert pickle.loads(pickle.dumps(searcher)).search("sea").ids == ["7"]
    rows = np.eye(3, dtype=np.float32)
    index = warpdex.vectors.Index.build(rows, tmp_path / "v", lists=2, probes=2)
    again = pickle.loads(pickle.dumps(index))
    assert (again.rows, again.lists) == (3, 2)


def test_the_gil_is_let_go(many: Path) -> None:
    searcher = warpdex.Searcher(many, threads=1)
    queries = ["w0 w1 w2 w3 w4 w5 w6 w7 w8"] * 3000
    counted = 0
    ended = threading.Event()

    def count() -> None:
        nonlocal counted
        while not ended.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.monotonic()
    searcher.search_batch(queries, k=100)
    took = time.monotonic() - start
    ended.set()
    thread.join()
    assert counted > took * 50


def test_memory_stays_flat(books: Path) -> None:
    searcher = warpdex.Searcher(books)

    def resident() -> int:
        pages = Path("/proc/self/statm").read_text("ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGESIZE")

    def search(times: int) -> None:
        for _ in itertools.repeat(None, times):
            searcher.search("sea sail", fields=["title"], snippets=True)[0].explain().terms
            searcher.search_batch(["sea", "sail"]).ids

    search(2000)
    before = resident()
    search(8000)
    assert resident() - before < 4 << 20


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_bars(many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    rows = np.random.default_rng(1).standard_normal((3000, 8), dtype=np.float32)
    for wanted in (True, False):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        docs = ({"id": str(i), "contents": "fish"} for i in range(20000))
        warpdex.build(docs, tmp_path / "index", progress=wanted)
        warpdex.Searcher(many).search_batch(["w0"] * 500, progress=wanted)
        warpdex.vectors.Index.build(rows, lists=20, progress=wanted)
        warpdex.vectors.knn_graph(rows, 3, progress=wanted)
        warpdex.vectors.kmeans(rows, 5, progress=wanted)
        shown = terminal.getvalue()
        for unit in ("docs", "500/500", "rows", "iterations"):
            assert (unit in shown) == wanted, shown


def test_importing_is_quick() -> None:
    def seconds(module: str) -> float:
        start = time.monotonic()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        return time.monotonic() - start

    assert min(seconds("warpdex") for _ in range(3)) < min(seconds("numpy") for _ in range(3)) + 0.3
