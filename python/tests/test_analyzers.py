"""Analyzers by name and by description, and stems beside those of the package snowballstemmer."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import warpdex

WORDS = Path("/usr/share/dict/american-english")  # Debian's package wamerican
DOCS: list[dict[str, str]] = [{"id": "1", "contents": "Die Häuser am Café"}]


def searcher_of(folder: Path, analyzer: str | dict[str, Any]) -> warpdex.Searcher:
    warpdex.build(DOCS, folder, analyzer=analyzer, progress=False)
    return warpdex.Searcher(folder)


def test_an_analyzer_is_a_name_or_a_description(tmp_path: Path) -> None:
    searcher = searcher_of(tmp_path / "named", "german")
    assert searcher.analyzer == "german"
    assert searcher.analyze("die Häuser") == ["haus"]
    assert searcher.search("haus").ids == ["1"]
    description = {"tokenizer": "standard", "filters": ["lowercase", {"type": "asciifolding"}]}
    searcher = searcher_of(tmp_path / "described", description)
    assert searcher.analyzer == '{"tokenizer":"standard","filters":["lowercase","asciifolding"]}'
    assert searcher.search("cafe").ids == ["1"]
    with warpdex.Writer(tmp_path / "written", analyzer=description) as writer:
        writer.add(DOCS[0])
    assert warpdex.Searcher(tmp_path / "written").analyze("Été") == ["ete"]


def test_what_is_unknown_is_named(tmp_path: Path) -> None:
    with pytest.raises(warpdex.UsageError, match=r"filters\[0\] is the unknown 'stm'"):
        searcher_of(tmp_path, {"tokenizer": "standard", "filters": ["stm"]})


def test_stems_are_those_of_snowball(tmp_path: Path) -> None:
    snowballstemmer = pytest.importorskip("snowballstemmer")
    if not WORDS.exists():
        pytest.skip(f"{WORDS} is missing")
    words = sorted({word.lower() for word in WORDS.read_text("utf-8").split()})
    seed = random.randrange(1 << 32)
    print("seed", seed)
    words = random.Random(seed).sample(words, 3000)
    languages = set(snowballstemmer.algorithms())
    assert len(languages) >= 25
    # The stems of English are those of Snowball 3, and those of Porter of all releases.
    for language in sorted(languages - {"english"}):
        stem = {"type": "stem", "language": language}
        description = {"tokenizer": "whitespace", "filters": [stem]}
        stems = searcher_of(tmp_path / language, description).analyze(" ".join(words))
        expected = [stem for stem in snowballstemmer.stemmer(language).stemWords(words) if stem]
        assert stems == expected, language
