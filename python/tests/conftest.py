"""What the tests share: generated documents, and the command line to compare with."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import warpdex


def words(generator: random.Random, longest: int, kinds: int = 60) -> str:
    """Rarer words less often."""
    return " ".join(
        f"w{generator.randrange(1 + generator.randrange(kinds))}"
        for _ in range(1 + generator.randrange(longest))
    )


def documents(seed: int, count: int, longest: int = 40) -> list[dict[str, str]]:
    generator = random.Random(seed)
    return [
        {
            "id": f"d{number}",
            "title": f"number {number}",
            "contents": words(generator, longest),
        }
        for number in range(count)
    ]


def write_jsonl(path: Path, docs: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(doc) + "\n" for doc in docs), "utf-8")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    """All files below it."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


class Program:
    """The command line."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, *arguments: object) -> str:
        done = subprocess.run(
            [self.path, *map(str, arguments)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="session")
def program() -> Program:
    path = os.environ.get("WARPDEX_PROGRAM") or shutil.which("warpdex")
    if not path:
        pytest.skip("the program warpdex is not here; name it in WARPDEX_PROGRAM")
    return Program(path)


@pytest.fixture(scope="session")
def data() -> Path:
    repository = Path(__file__).resolve().parents[2]
    folder = Path(os.environ.get("WARPDEX_DATA") or repository.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"there are no real data in {folder}; name them in WARPDEX_DATA")
    return folder


@pytest.fixture(scope="session")
def books(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of three documents with their titles stored."""
    folder = tmp_path_factory.mktemp("books") / "index"
    report = warpdex.build(
        [
            {"id": "moby", "title": "Moby-Dick", "contents": "I thought I would sail about"},
            {"id": "alice", "title": "Alice", "contents": "sitting by her sister"},
            {"id": 7, "title": "Treasure & Island", "contents": "the old captain sailed the sea"},
        ],
        folder,
        fields=["title", "contents"],
        store=["title", "contents"],
    )
    assert (report.documents, report.skipped) == (3, 0)
    return folder


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of 5,000 generated documents."""
    folder = tmp_path_factory.mktemp("many") / "index"
    warpdex.build(documents(1, 5000), folder, analyzer="whitespace", store=["title"])
    return folder
