"""A broker over replicas in this process: its answers are one index's, to the bit, whatever fails."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import documents, words, write_jsonl

import warpdex

pytest.importorskip("fsspec")
from clusters import NEVER, PARTS, HostsHere, flip, seed

from warpdex import cluster
from warpdex.cluster import Broker, BrokerSettings, ClusterAnswer
from warpdex.cluster.part_host import PartHost
from warpdex.cluster.replicas import LacksVersion, ReplicaSettings


@pytest.fixture
def built(tmp_path: Path) -> tuple[cluster.Store, Path]:
    """A cluster, and one index of the same documents."""
    docs = documents(8, 600)
    write_jsonl(tmp_path / "docs.jsonl", docs)
    store = cluster.Store(str(tmp_path / "store"))
    cluster.build(str(tmp_path / "docs.jsonl"), store, parts=PARTS)
    warpdex.build(docs, tmp_path / "one")
    return store, tmp_path


def begins(store: cluster.Store, version: int) -> list[int]:
    """The number that each part's first document has in one index."""
    counts = [part.documents for part in cluster.read_version(store, version).parts]
    return [sum(counts[:i]) for i in range(len(counts))]


def check(answers: list[ClusterAnswer], one: warpdex.Searcher, queries: list[str], k: int,
          starts: list[int], **options: Any) -> None:
    """The same documents, order and bits."""
    for query, answer in zip(queries, answers, strict=True):
        hits = one.search(query, k, **options)
        assert answer.ids == hits.ids, query
        assert [np.float32(hit.score) for hit in answer.hits] == [np.float32(h.score) for h in hits]
        assert [starts[hit.part] + hit.doc for hit in answer.hits] == [hit.doc for hit in hits]
        assert answer.is_complete and answer.coverage.searched == answer.coverage.documents


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def within() -> None:
        async with asyncio.timeout(120):
            await work()

    asyncio.run(within())


def random_options(generator: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {"mode": generator.choice(["or", "and", "and-or"])}
    options["scorer"] = generator.choice(["bm25", "qld", "bm25+"])
    if generator.random() < 0.3:
        options["count"] = True
    return options


def test_answers_are_those_of_one_index(built: tuple[cluster.Store, Path]) -> None:
    store, folder = built
    one = warpdex.Searcher(folder / "one", "cpu", threads=1)
    generator = random.Random(seed())

    async def work() -> None:
        broker = Broker(HostsHere(store, folder).view)
        await broker.start()
        starts = begins(store, 1)
        for k in (1, 10, 1000):
            for count in (0, 1, 33):
                options = random_options(generator)
                queries = [words(generator, 6) for _ in range(count)]
                answers = await broker.search_batch(queries, k, deadline=60, **options)
                check(answers, one, queries, k, starts, **options)
                if options.get("count") and queries:
                    expected = [one.search(query, k, **options).matches for query in queries]
                    assert [answer.matches for answer in answers] == expected
        await broker.stop()

    run(work)


TREES = ["{0} AND {1}", "({0} OR {1}) AND NOT {2}", '"{0} {1}"', "{0}* AND {1}", "title:{3} {0}",
         '"{0} {1}"~3 OR {2}', "+{0} -{1} {2}^2.5", "title:[{3} TO 5]"]


def test_trees_and_text_fields(tmp_path: Path) -> None:
    docs = documents(8, 500, 12)
    schema = {"title": {"type": "text", "weight": 2}, "contents": {"type": "text"}}
    write_jsonl(tmp_path / "docs.jsonl", docs)
    store = cluster.Store(str(tmp_path / "store"))
    cluster.build(str(tmp_path / "docs.jsonl"), store, parts=PARTS, schema=schema, positions=True,
                  analyzer="standard")
    warpdex.build(docs, tmp_path / "one", schema=schema, positions=True, analyzer="standard")
    one = warpdex.Searcher(tmp_path / "one", "cpu", threads=1)
    generator = random.Random(seed())

    async def work() -> None:
        broker = Broker(HostsHere(store, tmp_path).view)
        await broker.start()
        queries = [
            generator.choice(TREES).format(*words(generator, 1).split(), *(
                f"w{generator.randrange(30)}" for _ in range(2)), generator.randrange(10))
            for _ in range(60)
        ]
        starts = begins(store, 1)
        kinds: list[dict[str, Any]] = [{"syntax": "lucene"}, {"syntax": "lucene", "mode": "and"}]
        for options in kinds:
            answers = await broker.search_batch(queries, 10, deadline=60, **options)
            check(answers, one, queries, 10, starts, **options)
        plain = [words(generator, 4) for _ in range(30)]
        for fields in ("title^3,contents", "contents"):
            answers = await broker.search_batch(plain, 10, deadline=60, query_fields=fields)
            check(answers, one, plain, 10, starts, query_fields=fields)
        near = ["w1~1", "w12~2 title:w3", "w1* w2~1"]
        answers = await broker.search_batch(near, 10, deadline=60, syntax="lucene")
        check(answers, one, near, 10, starts, syntax="lucene")
        answers = await broker.search_batch(plain, 10, deadline=60, fields_type="combined_fields")
        check(answers, one, plain, 10, starts, fields_type="combined_fields")
        await broker.stop()

    run(work)


def test_columns_fields_and_vectors(tmp_path: Path) -> None:
    generator = random.Random(seed())
    docs: list[dict[str, Any]] = [
        {**document, "year": 1990 + generator.randrange(9),
         "vector": [generator.randrange(4) - 1.5 for _ in range(3)]}
        for document in documents(9, 300)
    ]
    options: dict[str, Any] = {
        "schema": {"year": {"type": "int"}}, "fields": ["title", "contents"], "vectors": "vector",
    }
    write_jsonl(tmp_path / "docs.jsonl", docs)
    store = cluster.Store(str(tmp_path / "store"))
    cluster.build(str(tmp_path / "docs.jsonl"), store, parts=PARTS, store_fields=["title"],
                  **options)
    warpdex.build(docs, tmp_path / "one", store=["title"], **options)
    one = warpdex.Searcher(tmp_path / "one", "cpu", threads=1)

    async def work() -> None:
        broker = Broker(HostsHere(store, tmp_path).view)
        await broker.start()
        starts = begins(store, 1)
        for _ in range(20):
            query = words(generator, 3)
            asked: dict[str, Any] = {
                "facets": ["year:..1994.."], "fields": ["title", "year"], "snippets": True,
            }
            if generator.random() < 0.5:
                asked["sort"] = "year:desc"
            answer = await broker.search(query, 10, deadline=60, **asked)
            hits = one.search(query, 10, **asked)
            check([answer], one, [query], 10, starts, **asked)
            assert answer.facets == hits.facets and answer.matches == hits.matches
            assert [hit.fields for hit in answer.hits] == [hit.fields for hit in hits]
            assert [hit.snippets for hit in answer.hits] == [hit.snippets for hit in hits]
            if "sort" in asked and len(answer.hits) == 10:
                second = await broker.search(
                    query, 10, deadline=60, search_after=answer.hits[-1].cursor, **asked
                )
                assert second.ids == one.search(query, 20, **asked).ids[10:]
            vector = np.array([generator.random() for _ in range(3)], dtype=np.float32)
            both = await broker.search(query, 10, vector=vector, deadline=60)
            check([both], one, [query], 10, starts, vector=vector)
            near = await broker.search(None, 10, vector=vector, deadline=60)
            alone = one.search(None, 10, vector=vector)
            assert near.ids == alone.ids and near.scores_are_distances == alone.scores_are_distances
        with pytest.raises(warpdex.UsageError):
            await broker.search("w1", deadline=60, fields=["nothing"])
        await broker.stop()

    run(work)


def test_single_queries_go_together(built: tuple[cluster.Store, Path]) -> None:
    store, folder = built
    one = warpdex.Searcher(folder / "one", "cpu", threads=1)
    generator = random.Random(seed())

    async def work() -> None:
        broker = Broker(HostsHere(store, folder).view, BrokerSettings(batch_time=0.05))
        await broker.start()
        queries = [words(generator, 4) for _ in range(300)]
        before = broker.counters.messages
        answers = await asyncio.gather(*(broker.search(each, deadline=30) for each in queries))
        assert broker.counters.messages - before <= 5 * PARTS  # statistics, short answers, 2 batches
        check(list(answers), one, queries, 10, begins(store, 1))
        # A query that is none fails alone.
        mixed = ["w1", "\udfff", "w2"]
        found = await asyncio.gather(*(broker.search(each, deadline=30) for each in mixed),
                                     return_exceptions=True)
        assert isinstance(found[1], warpdex.InputError)
        check([found[0], found[2]], one, ["w1", "w2"], 10, begins(store, 1))  # type: ignore[list-item]
        for wrong in ({"k": 0}, {"mode": "x"}, {"on_missing": "x"}, {"sort": "year"}):
            with pytest.raises(warpdex.UsageError):
                await broker.search("w1", **wrong)
        await broker.stop()

    run(work)


def test_one_replica_of_each_part_is_dead_or_slow(built: tuple[cluster.Store, Path]) -> None:
    store, folder = built
    one = warpdex.Searcher(folder / "one", "cpu", threads=1)
    generator = random.Random(seed())

    async def work() -> None:
        served = HostsHere(store, folder)
        broker = Broker(served.view)
        await broker.start()
        for _ in range(20):
            served.dead = {(part, generator.randrange(2)) for part in range(PARTS)}
            served.delays = {(part, generator.randrange(2)): NEVER for part in range(PARTS)
                             if all((part, i) not in served.dead for i in range(2))}
            if generator.random() < 0.5:
                served.delays = {(part, 0): NEVER for part in range(PARTS)}
                served.dead = set()
            queries = [words(generator, 5) for _ in range(20)]
            answers = await broker.search_batch(queries, 10, deadline=20)
            check(answers, one, queries, 10, begins(store, 1))
        await broker.stop()

    run(work)


def test_a_part_without_replicas(built: tuple[cluster.Store, Path]) -> None:
    store, folder = built
    one = warpdex.Searcher(folder / "one", "cpu", threads=1)

    async def work() -> None:
        served = HostsHere(store, folder)
        broker = Broker(served.view, BrokerSettings(replicas=ReplicaSettings(retry_pause=0.01)))
        await broker.start()
        whole = await broker.search("w0 w1", deadline=20)
        served.dead = {(1, 0), (1, 1)}
        loop = asyncio.get_running_loop()
        begin = loop.time()
        with pytest.raises(warpdex.IoError, match="part 1"):
            await broker.search("w0 w1", deadline=0.3)
        assert loop.time() - begin < 2  # of a machine that does other things as well
        answer = await broker.search("w0 w1", deadline=0.5, on_missing="partial")
        counts = [part.documents for part in cluster.read_version(store).parts]
        assert answer.coverage.searched == 600 - counts[1] and answer.coverage.documents == 600
        assert [part for part, _ in answer.coverage.missing] == [1]
        assert {hit.part for hit in answer.hits} == {0, 2} and not answer.is_complete
        # What is there has the scores of the whole, and what is missing is not above the bound.
        scores = {hit.id: hit.score for hit in one.search("w0 w1", 600)}
        assert all(np.float32(scores[hit.id]) == np.float32(hit.score) for hit in answer.hits)
        lost = [hit.score for hit in whole.hits if hit.part == 1]
        assert all(score <= answer.max_missing_score for score in lost)
        # Statistics that are asked for first leave time to search.
        answer = await broker.search("w2 w3", deadline=2, on_missing="partial")
        assert answer.coverage.searched == 600 - counts[1] and len(answer.hits) == 10
        assert not answer.coverage.has_whole_statistics
        served.dead = set()
        again = await broker.search("w0 w1", deadline=20)
        assert again.hits == whole.hits
        await broker.stop()

    run(work)


def test_versions_change_under_load(built: tuple[cluster.Store, Path]) -> None:
    """Ten versions: each batch is answered by one of them, wholly."""
    store, folder = built
    generator = random.Random(seed())
    one = {1: warpdex.Searcher(folder / "one", "cpu", threads=1)}
    starts = {1: begins(store, 1)}

    async def work() -> None:
        served = HostsHere(store, folder)
        broker = Broker(served.view, BrokerSettings(poll=0.01))
        await broker.start()
        seen = set()
        is_over = False

        async def search() -> None:
            while not is_over:
                queries = [words(generator, 4) for _ in range(5)]
                answers = await broker.search_batch(queries, 10, deadline=30)
                [version] = {answer.coverage.version for answer in answers}
                seen.add(version)
                await asyncio.to_thread(
                    check, answers, one[version], queries, 10, starts[version])

        def publish(version: int) -> None:
            new = [{"id": f"new{version}-{i}", "contents": words(generator, 9)} for i in range(7)]
            write_jsonl(folder / "more.jsonl", new)
            cluster.add(str(folder / "more.jsonl"), store, work=folder / "work")
            docs = []
            for part in range(PARTS):
                replica = cluster.Replica(store, folder / "check")
                index = replica.pull(cluster.read_version(store, version), part).folder
                reader = warpdex.Searcher(index, "cpu", threads=1)
                docs += [reader.id(doc) for doc in range(len(reader))]
            known.update({doc["id"]: doc for doc in new})
            path = folder / f"one-{version}"
            warpdex.build([known[each] for each in docs], path)
            one[version] = warpdex.Searcher(path, "cpu", threads=1)
            starts[version] = begins(store, version)

        known: dict[str, dict[str, str]] = {doc["id"]: doc for doc in documents(8, 600)}
        searches = [asyncio.ensure_future(search()) for _ in range(3)]
        for version in range(2, 12):
            await asyncio.to_thread(publish, version)
            await asyncio.to_thread(served.move, version)
            for host in served.hosts.values():
                await asyncio.to_thread(host.keep, {version})
            await asyncio.sleep(0.05)
        is_over = True
        await asyncio.gather(*searches)
        assert len(seen) > 3 and broker.version == 11
        await broker.stop()

    run(work)


def test_a_damaged_replica_answers_nothing(built: tuple[cluster.Store, Path]) -> None:
    store, folder = built
    host = PartHost(store, 0, folder / "host", threads=1)
    with pytest.raises(LacksVersion, match="version 1"):
        host.answer(1, b"")
    file = max(cluster.read_version(store).parts[0].files, key=lambda each: each.bytes)
    path = Path(store.root) / "objects" / file.sha256
    kept = path.read_bytes()
    flip(path, 99)
    with pytest.raises(warpdex.FormatError, match=file.path):
        host.load(1)
    assert host.state()[0] == [] and file.path in host.state()[2]
    with pytest.raises(LacksVersion):
        host.answer(1, b"")
    path.write_bytes(kept)
    host.load(1)
    assert host.state() == ([1], 0, "")
    assert PartHost(store, 0, folder / "host").remembered() == [1]


def test_document_blocks_are_of_impacts(built: tuple[cluster.Store, Path]) -> None:
    store, folder = built
    host = PartHost(store, 0, folder / "host", threads=1, document_blocks=True)
    with pytest.raises(warpdex.UsageError, match="blocks of documents are for indexes of impacts"):
        host.load(1)
    assert "impacts" in host.state()[2]
