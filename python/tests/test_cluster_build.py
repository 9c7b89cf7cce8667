"""Building in parts: the bytes of `warpdex index`, whoever builds them and whoever dies meanwhile."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import Program, contents, documents, write_jsonl

import warpdex

pytest.importorskip("fsspec")
from clusters import (
    LINE,
    OPTIONS,
    as_lines,
    check_lines,
    part_folders,
    run_killed_at,
    seed,
    store_bytes,
)

from warpdex import cluster
from warpdex.cluster import cut as cuts
from warpdex.cluster import ids, tasks


def sizes(pieces: list[list[cuts.Piece]]) -> list[list[tuple[str, int, int]]]:
    return [[(piece.source.name, piece.begin, piece.end) for piece in each] for each in pieces]


def test_cuts_are_where_lines_begin(tmp_path: Path) -> None:
    generator = random.Random(seed())
    for round in range(40):
        folder = tmp_path / str(round)
        folder.mkdir()
        whole = b""
        for name in sorted(f"f{generator.randrange(1000)}.jsonl" for _ in range(3)):
            lines = [b"x" * generator.choice([0, 1, 31, 127, 200_000])
                     for _ in range(generator.randrange(6))]
            text = b"\n".join(lines) + b"\n" * generator.randrange(2)
            (folder / name).write_bytes(text)
        sources = cuts.find_sources([str(folder)], "jsonl")
        whole = b"".join((folder / source.name).read_bytes() for source in sources)
        for parts in (1, 2, 3, 8, 50):
            pieces = cuts.cut(sources, "jsonl", parts)
            assert len(pieces) == parts
            texts = []
            for each in pieces:
                for piece in each:
                    data = (folder / piece.source.name).read_bytes()
                    assert piece.begin == 0 or data[piece.begin - 1:piece.begin] == b"\n"
                    texts.append(data[piece.begin:piece.end])
            assert b"".join(texts) == whole
            assert sizes(pieces) == sizes(cuts.cut(sources, "jsonl", parts))


def test_packed_files_and_documents_of_several_lines_stay_whole(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(gzip.compress(b"x\n" * 1000))  # by its first bytes
    (tmp_path / "b.jsonl.gz").write_bytes(b"y" * 100)
    (tmp_path / "c.jsonl").write_bytes(b"z\n" * 50)
    pieces = cuts.cut(cuts.find_sources([str(tmp_path)], "jsonl"), "jsonl", 5)
    for name in ("a.jsonl", "b.jsonl.gz"):
        assert sum(piece.source.name == name for each in pieces for piece in each) == 1
    pieces = cuts.cut(cuts.find_sources([str(tmp_path)], "trec"), "trec", 5)
    assert all(piece.end - piece.begin == piece.source.size for each in pieces for piece in each)


def test_inputs(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", ".hidden.jsonl", "sub/c.jsonl", "sub/.git/d.jsonl", "e.tsv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    def names(*inputs: str) -> list[str]:
        return [source.name for source in cuts.find_sources(inputs, "jsonl")]

    assert names(str(tmp_path)) == ["a.jsonl", "b.jsonl", "e.tsv", "sub/c.jsonl"]
    assert names(f"{tmp_path}/*.jsonl") == ["a.jsonl", "b.jsonl"]
    assert names(f"file://{tmp_path}/**/*.jsonl") == ["a.jsonl", "b.jsonl", "sub/c.jsonl"]
    assert names(f"{tmp_path}/b.jsonl", f"{tmp_path}/a.jsonl") == ["b.jsonl", "a.jsonl"]
    with pytest.raises(warpdex.InputError, match="leads to no file"):
        names(f"{tmp_path}/*.xml")
    with pytest.raises(warpdex.InputError, match="no input"):
        names()
    for format in ("sparse", "pdf"):
        with pytest.raises(warpdex.UsageError, match=format):
            cuts.find_sources([str(tmp_path)], format)


@pytest.mark.parametrize("count", [0, 1, 31, 33, 127, 129, 1000])
@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_parts_are_what_one_build_makes(
    program: Program, tmp_path: Path, count: int, parts: int
) -> None:
    lines = as_lines(documents(count, count))
    (tmp_path / "docs.jsonl").write_text("".join(lines), "utf-8")
    store = cluster.Store(str(tmp_path / "store"))
    made = cluster.build(str(tmp_path / "docs.jsonl"), store, parts=parts, codec="pfor", **OPTIONS)
    assert (made.version, made.documents, made.parts, made.found) == (1, count, parts, 0)
    counts = check_lines(program, store, lines, tmp_path, *LINE, "--codec", "pfor")
    assert count < 100 or max(counts) < 1.5 * count / parts


def test_settings_are_those_of_the_build(program: Program, tmp_path: Path) -> None:
    generator = random.Random(5)
    docs: list[dict[str, Any]] = [
        {**doc, "year": generator.randrange(1800, 2000)} for doc in documents(3, 400)
    ]
    lines = as_lines(docs)
    (tmp_path / "docs.jsonl").write_text("".join(lines), "utf-8")
    schema = '{"fields": {"title": {"type": "text"}, "contents": {"type": "text"}, "year": {"type": "int"}}}'
    (tmp_path / "schema.json").write_text(schema, "utf-8")
    store = cluster.Store(str(tmp_path / "store"))
    cluster.build(str(tmp_path / "docs.jsonl"), store, parts=3, schema=schema, positions=True,
                  analyzer="standard", codec="rice", threads=2)
    check_lines(program, store, lines, tmp_path, "--schema", tmp_path / "schema.json",
                "--positions", "--analyzer", "standard", "--codec", "rice")
    counts = cluster.read_version(store).parts[0].counts
    assert {"documents", "tokens", "documents_1", "tokens_1"} <= set(counts)


def test_files_of_other_formats(program: Program, tmp_path: Path) -> None:
    docs = documents(9, 60)
    forms = {
        "text": lambda doc: doc["contents"],
        "html": lambda doc: f"<p>{doc['contents']}</p>",
        "trec": lambda doc: f"<DOC><DOCNO>{doc['id']}</DOCNO>{doc['contents']}</DOC>\n",
        "csv": lambda doc: f"id,contents\n{doc['id']},\"{doc['contents']}\n\"\n",
        "tsv": lambda doc: f"{doc['id']}\t{doc['contents']}\n",
    }
    for format, form in forms.items():
        folder = tmp_path / format
        for number, doc in enumerate(docs):
            path = folder / f"{number % 7}" / f"{number:03d}.x"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(form(doc) if number else ("" if format == "text" else form(doc)), "utf-8")
        store = cluster.Store(str(tmp_path / f"{format}.store"))
        cluster.build(str(folder), store, parts=4, format=format)
        made = [warpdex.Searcher(each, "cpu")
                for each in part_folders(store, tmp_path / f"{format}.pulled")]
        whole = tmp_path / "whole"
        inputs = [folder] if format in ("text", "html") else sorted(folder.rglob("*.x"))
        program("index", "--input", *inputs, "--format", format, "--output", whole, "--quiet")
        one = warpdex.Searcher(whole, "cpu")
        ids_made = [each.id(doc) for each in made for doc in range(len(each))]
        assert ids_made == [one.id(doc) for doc in range(len(one))] and len(ids_made) == 60
        assert sum(each.document_frequency("w0") for each in made) == one.document_frequency("w0")
        assert all(len(each) for each in made)


def test_bad_documents(tmp_path: Path) -> None:
    lines = [*as_lines(documents(1, 50)), '{"id": "d100"}\n', "{\n"]
    (tmp_path / "docs.jsonl").write_text("".join(lines), "utf-8")
    store = cluster.Store(str(tmp_path / "store"))
    with pytest.raises(warpdex.BadDocument):
        cluster.build(str(tmp_path / "docs.jsonl"), store, parts=3)
    assert store.versions() == []
    made = cluster.build(str(tmp_path / "docs.jsonl"), store, parts=3, skip_bad=True)
    assert (made.documents, made.skipped) == (50, 2)
    with pytest.raises(TypeError, match="colour"):
        cluster.build(str(tmp_path / "docs.jsonl"), store, parts=3, colour="red")
    with pytest.raises(warpdex.UsageError, match="parts"):
        cluster.build(str(tmp_path / "docs.jsonl"), store, parts=0)


def test_an_id_that_two_parts_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = documents(1, 90)
    write_jsonl(tmp_path / "docs.jsonl", [*docs, docs[3]])
    store = cluster.Store(str(tmp_path / "store"))
    with pytest.raises(warpdex.BadDocument, match="parts 0 and 2 .* 'd3'"):
        cluster.build(str(tmp_path / "docs.jsonl"), store, parts=3)
    assert store.versions() == []
    # Equal hashes of different ids are no fault.
    write_jsonl(tmp_path / "docs.jsonl", docs)
    monkeypatch.setattr(ids, "hash_of", lambda name: int(name[1:]) % 45)
    assert cluster.build(str(tmp_path / "docs.jsonl"), store, parts=3).documents == 90


def test_shared_hashes() -> None:
    generator = random.Random(seed())
    for limit in (10, 1000, 2**64):
        parts = [sorted({generator.randrange(limit) for _ in range(n)}) for n in (0, 1, 33, 129, 500)]
        given = [ids.from_bytes(ids.to_bytes(ids.np.array(part, ids.np.uint64))) for part in parts]
        expected = {
            value: where for part in parts for value in part
            if len(where := [i for i, other in enumerate(parts) if value in other]) > 1
        }
        for chunk in (7, 1 << 22):
            ids.CHUNK, kept = chunk, ids.CHUNK
            assert ids.shared_hashes(given) == expected
            ids.CHUNK = kept


BUILD = """
cluster.build("{folder}/docs.jsonl", "{folder}/store", parts=4, work="{folder}/work")
"""


def test_a_build_that_is_killed_goes_on(tmp_path: Path) -> None:
    docs = documents(1, 200)
    write_jsonl(tmp_path / "docs.jsonl", docs)
    whole = cluster.Store(str(tmp_path / "whole"))
    cluster.build(str(tmp_path / "docs.jsonl"), whole, parts=4)
    expected = cluster.read_version(whole)
    generator = random.Random(seed())
    code = BUILD.format(folder=tmp_path)
    kills = 0
    for step in range(generator.randrange(1, 30), 10_000, 31):
        store = cluster.Store(str(tmp_path / "store"))
        if not run_killed_at(step, code):
            break
        kills += 1
        assert store.versions() in ([], [1]) or kills > 1
    assert kills > 2
    made = cluster.read_version(store)
    assert made.parts == expected.parts and made.settings == expected.settings
    assert list((tmp_path / "work").iterdir()) == []  # what the dead left is gone
    assert not [name for name in store_bytes(store) if name.startswith("builds/")]
    assert cluster.verify(store) == []
    for path in (tmp_path / "store" / "incoming").iterdir():
        os.utime(path, (0, 0))
    store.make()
    assert list((tmp_path / "store" / "incoming").iterdir()) == []


def test_finished_parts_are_not_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_jsonl(tmp_path / "docs.jsonl", documents(1, 200))
    store = cluster.Store(str(tmp_path / "store"))
    inputs = str(tmp_path / "docs.jsonl")
    create = cluster.Store.create_version

    def lose(*arguments: object) -> None:
        raise cluster.VersionTaken("another was first")

    monkeypatch.setattr(cluster.Store, "create_version", lose)
    with pytest.raises(cluster.VersionTaken):
        cluster.build(inputs, store, parts=4)
    monkeypatch.setattr(cluster.Store, "create_version", create)
    one = next(iter((tmp_path / "store" / "objects").iterdir()))
    one.unlink()
    made = cluster.build(inputs, store, parts=4)
    assert made.found < 4 and made.documents == 200  # those with the file that went are built anew
    with pytest.raises(cluster.VersionTaken):
        monkeypatch.setattr(cluster.Store, "create_version", lose)
        cluster.build(inputs, store, parts=4, codec="rice")
    monkeypatch.undo()
    assert cluster.build(inputs, store, parts=4, codec="pfor").found == 0
    assert cluster.build(inputs, store, parts=4, codec="rice").found == 4
    assert cluster.verify(store) == []


def test_input_that_changes(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "docs.jsonl", documents(1, 50))
    [source] = cuts.find_sources([str(tmp_path / "docs.jsonl")], "jsonl")
    pieces = cuts.cut([source], "jsonl", 2)
    write_jsonl(tmp_path / "docs.jsonl", documents(2, 50))
    (tmp_path / "stage").mkdir()
    with pytest.raises(warpdex.InputError, match="changed"):
        cuts.stage(pieces[1], tmp_path / "stage", "jsonl")
    (tmp_path / "docs.jsonl").unlink()
    with pytest.raises(warpdex.InputError, match="all hosts"):
        cuts.stage(pieces[1], tmp_path / "stage", "jsonl")


def test_a_host_of_another_version_builds_nothing(tmp_path: Path) -> None:
    store = cluster.Store(str(tmp_path / "store"))
    task = tasks.PartTask(0, [], "jsonl", {}, store, "0.0.1")
    with pytest.raises(warpdex.UsageError, match="one version"):
        tasks.build_part(task)


def test_a_task_twice_gives_the_same_files(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "docs.jsonl", documents(1, 300))
    store = cluster.Store(str(tmp_path / "store"))
    store.make()
    pieces = cuts.cut(cuts.find_sources([str(tmp_path / "docs.jsonl")], "jsonl"), "jsonl", 2)
    task = tasks.PartTask(1, pieces[1], "jsonl", {"memory": 64 << 20}, store, warpdex.__version__)
    first = tasks.build_part(task)
    before = store_bytes(store)
    again = tasks.build_part(task)
    assert again.part == first.part and first.sent > 0 and again.sent == 0
    assert store_bytes(store) == before
