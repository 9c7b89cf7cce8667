"""Results equal the command line's to the bit."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
from conftest import Program, contents, documents, words, write_jsonl

import warpdex


def read_run(text: str) -> dict[str, list[tuple[str, np.float32]]]:
    run: dict[str, list[tuple[str, np.float32]]] = {}
    for line in text.splitlines():
        qid, _, docno, _, score, _ = line.split()
        run.setdefault(qid, []).append((docno, np.float32(score)))
    return run


def settings(generator: random.Random) -> tuple[dict[str, object], list[object]]:
    """Options of Searcher, and the same on the command line."""
    options: dict[str, object] = {
        "mode": generator.choice(["or", "and", "and-or"]),
        "scorer": generator.choice(["bm25", "bm25+", "bm25-lucene", "qld", "qljm", "pl2"]),
        "syntax": generator.choice(["plain", "signed"]),
    }
    if options["scorer"] == "qld":
        options["mu"] = round(generator.uniform(1, 3000), 2)
    elif options["scorer"] == "qljm":
        options["jm_lambda"] = round(generator.uniform(0.01, 1), 3)
    elif options["scorer"] == "pl2":
        options["pl2_c"] = round(generator.uniform(0.1, 10), 2)
    else:
        options["k1"] = round(generator.uniform(0, 3), 3)
        options["b"] = round(generator.uniform(0, 1), 3)
        if options["scorer"] == "bm25":
            options["bm25_form"] = generator.choice(["lucene", "pisa"])
        elif options["scorer"] == "bm25+":
            options["delta"] = round(generator.uniform(0, 2), 3)
    line: list[object] = []
    for name, value in options.items():
        line += ["--query-syntax" if name == "syntax" else "--" + name.replace("_", "-"), value]
    return options, line


def test_the_same_bytes_are_built(program: Program, tmp_path: Path) -> None:
    docs = documents(5, 800)
    file = write_jsonl(tmp_path / "docs.jsonl", docs)
    program("index", "--input", file, "--format", "jsonl", "--fields", "title,contents",
            "--store", "title", "--codec", "pfor", "--output", tmp_path / "line", "--quiet")
    options = {"fields": ["title", "contents"], "store": ["title"], "codec": "pfor"}
    warpdex.build(iter(docs), tmp_path / "dicts", **options)
    warpdex.build(str(file), tmp_path / "files", **options)
    for made in ("dicts", "files"):
        assert contents(tmp_path / made) == contents(tmp_path / "line")


def test_runs_are_equal(program: Program, many: Path, tmp_path: Path) -> None:
    generator = random.Random(53)
    signs = ["", "", "", "+", "-"]
    queries = {
        f"q{i}": " ".join(generator.choice(signs) + word for word in words(generator, 6).split())
        for i in range(60)
    }
    lines = "".join(f"{qid}\t{text}\n" for qid, text in queries.items())
    (tmp_path / "queries.tsv").write_text(lines, "utf-8")
    searcher = warpdex.Searcher(many)
    for _ in range(25):
        options, line = settings(generator)
        k = generator.choice([1, 10, 100, 1000])
        program("search", many, "--queries", tmp_path / "queries.tsv", "-k", k,
                "--output", tmp_path / "line.run", *line)
        result = searcher.search_batch(queries, k=k, threads=generator.randrange(3), **options)
        result.save_trec(tmp_path / "own.run")
        text = (tmp_path / "line.run").read_text("utf-8")
        assert (tmp_path / "own.run").read_text("utf-8") == text, options
        run = read_run(text)
        for row, qid in enumerate(queries):
            count = result.counts[row]
            assert list(zip(result.ids[row], result.scores[row, :count])) == run.get(qid, [])
            hits = searcher.search(queries[qid], k, **options)
            assert [(hit.id, np.float32(hit.score)) for hit in hits] == run.get(qid, [])


def test_hybrid_runs_are_equal(program: Program, tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    docs = documents(6, 500)
    vectors = generator.standard_normal((500, 16), dtype=np.float32)
    queries = generator.standard_normal((20, 16), dtype=np.float32)
    texts = {f"q{i}": words(random.Random(i), 5) for i in range(20)}
    np.save(tmp_path / "queries.npy", queries)
    (tmp_path / "queries.tsv").write_text(
        "".join(f"{qid}\t{text}\n" for qid, text in texts.items()), "utf-8"
    )
    warpdex.build(docs, tmp_path / "index", analyzer="whitespace", vectors=vectors, metric="cosine")
    searcher = warpdex.Searcher(tmp_path / "index")
    for fusion in ("rrf", "convex", "rerank", "filter", "neighbors"):
        extra = {"weight": 0.3} if fusion in ("rrf", "convex") else {}
        program("search", tmp_path / "index", "--queries", tmp_path / "queries.tsv",
                "--vector-queries", tmp_path / "queries.npy", "--fusion", fusion, "-k", 20,
                "--output", tmp_path / "line.run",
                *(["--fusion-weight", 0.3] if extra else []))
        result = searcher.search_batch(
            texts, k=20, vectors=queries, fusion=fusion, syntax="plain", **extra
        )
        result.save_trec(tmp_path / "own.run")
        expected = (tmp_path / "line.run").read_text("utf-8")
        assert (tmp_path / "own.run").read_text("utf-8") == expected, fusion
