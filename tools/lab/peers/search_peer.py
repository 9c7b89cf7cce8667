"""One search library under measurement, in its own environment: see tools/lab/measure-peers.

    python search_peer.py PEER index DOCS INDEX THREADS
    python search_peer.py PEER search INDEX QUERIES K THREADS ROUNDS [RUN]

DOCS is JSONL of id and contents, QUERIES has a line qid<TAB>words for each query, of which any may
match. RUN takes the last round's answers as a TREC run. Prints a line of JSON: seconds (of each
round), and the peak of resident memory.
"""
import json
import os
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock


def read_documents(path):
    with open(path, encoding="utf-8") as file:
        yield from map(json.loads, file)


class Warpdex:
    """By its defaults: English with stop words, BM25 with k1 0.9 and b 0.4."""

    options = {}

    def index(self, docs, folder, threads):
        import warpdex
        warpdex.build(read_documents(docs), folder, threads=threads, progress=False)

    def open(self, folder, threads):
        import warpdex
        self.searcher = warpdex.Searcher(folder, device="cpu", threads=threads)

    def search(self, queries, k):
        found = self.searcher.search_batch(queries, k=k, syntax="plain", progress=False,
                                           **self.options)
        return [zip(ids, scores) for ids, scores in zip(found.ids, found.scores)]


class WarpdexAsBm25s(Warpdex):
    """With the parameters of bm25s."""
    options = {"k1": 1.5, "b": 0.75}


class Bm25s:
    """By its defaults, with its fastest backend: English stop words, k1 1.5 and b 0.75."""
    stemmer = None

    def __init__(self):
        import bm25s
        self.bm25s = bm25s

    def tokens(self, texts, **options):
        return self.bm25s.tokenize(texts, stopwords="en", stemmer=self.stemmer,
                                   show_progress=False, **options)

    def index(self, docs, folder, threads):
        ids, texts = [], []
        for document in read_documents(docs):
            ids.append(document["id"])
            texts.append(document["contents"])
        index = self.bm25s.BM25(backend="numba")
        index.index(self.tokens(texts), show_progress=False)
        index.save(folder)
        Path(folder, "ids.json").write_text(json.dumps(ids), "utf-8")

    def open(self, folder, threads):
        import numpy as np
        self.retriever = self.bm25s.BM25.load(folder, load_corpus=False)
        self.retriever.backend = "numba"
        self.retriever.activate_numba_scorer()
        self.ids = np.array(json.loads(Path(folder, "ids.json").read_text("utf-8")))
        self.threads = threads

    def search(self, queries, k):
        tokens = self.tokens(list(queries.values()), return_ids=False)
        asked = [place for place, each in enumerate(tokens) if each]  # it refuses others
        found = self.retriever.retrieve(
            [tokens[place] for place in asked], k=min(k, len(self.ids)), corpus=self.ids,
            n_threads=self.threads, show_progress=False)
        answers = [[] for _ in tokens]
        for place, ids, scores in zip(asked, found.documents.tolist(), found.scores.tolist()):
            answers[place] = [(each, score) for each, score in zip(ids, scores) if score > 0]
        return answers


class Bm25sEnglish(Bm25s):
    """Likewise, with the stemmer that its guide shows."""

    def __init__(self):
        import Stemmer
        super().__init__()
        self.stemmer = Stemmer.Stemmer("english")


class Tantivy:
    """By its defaults: words in small letters, k1 1.2 and b 0.75. Threads are Python's."""
    tokenizer = "default"

    def __init__(self):
        import tantivy
        self.tantivy = tantivy

    def index(self, docs, folder, threads):
        os.makedirs(folder, exist_ok=True)
        schema = self.tantivy.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        schema.add_text_field("contents", tokenizer_name=self.tokenizer, index_option="freq")
        index = self.tantivy.Index(schema.build(), path=folder)
        writer = index.writer(heap_size=1 << 30, num_threads=threads)
        for document in read_documents(docs):
            writer.add_document(self.tantivy.Document(**document))
        writer.commit()
        writer.wait_merging_threads()

    def open(self, folder, threads):
        self.opened = self.tantivy.Index.open(folder)
        self.searcher = self.opened.searcher()
        self.pool = ThreadPoolExecutor(threads)
        self.threads = threads

    def search_one(self, text, k):
        query, _ = self.opened.parse_query_lenient(text, ["contents"])
        return [(self.searcher.doc(place)["id"][0], score)
                for score, place in self.searcher.search(query, k, count=False).hits]

    def search(self, queries, k):
        texts = list(queries.values())
        if self.threads == 1:
            return [self.search_one(text, k) for text in texts]
        return list(self.pool.map(lambda text: self.search_one(text, k), texts))


class TantivyEnglish(Tantivy):
    """Likewise, with its English stemmer."""
    tokenizer = "en_stem"


class Pyserini:
    """By its defaults: English with stop words (Porter's stemmer), k1 0.9 and b 0.4. Its lists of
    ready-made indexes, which it takes from the network when it is imported, are left out."""

    def __init__(self):
        sys.modules["pyserini.prebuilt_index_info"] = mock.MagicMock()

    def index(self, docs, folder, threads):
        from pyserini.pyclass import autoclass
        autoclass("io.anserini.index.IndexCollection").main(
            ["-collection", "JsonCollection", "-input", os.path.dirname(docs), "-index", folder,
             "-generator", "DefaultLuceneDocumentGenerator", "-threads", str(threads)])

    def open(self, folder, threads):
        from pyserini.search.lucene import LuceneSearcher
        self.searcher = LuceneSearcher(folder)
        self.threads = threads

    def search(self, queries, k):
        found = self.searcher.batch_search(list(queries.values()), list(queries), k=k,
                                           threads=self.threads)
        return [[(hit.docid, hit.score) for hit in found.get(qid, ())] for qid in queries]


PEERS = {"warpdex": Warpdex, "warpdex-1.5-0.75": WarpdexAsBm25s, "bm25s": Bm25s,
         "bm25s-english": Bm25sEnglish, "tantivy": Tantivy, "tantivy-english": TantivyEnglish,
         "pyserini": Pyserini}


def write_run(path, queries, answers):
    with open(path, "w", encoding="utf-8") as file:
        for qid, answer in zip(queries, answers):
            for rank, (docno, score) in enumerate(answer, 1):
                file.write(f"{qid} Q0 {docno} {rank} {score:.6f} peer\n")


def search(peer, index, path, k, threads, rounds, run=None):
    lines = Path(path).read_text("utf-8").splitlines()
    queries = dict(line.split("\t", 1) for line in lines)
    peer.open(index, int(threads))
    seconds = []
    for _ in range(int(rounds)):
        start = time.perf_counter()
        answers = peer.search(queries, int(k))
        seconds.append(time.perf_counter() - start)
    if run:
        write_run(run, queries, answers)
    return seconds


def main():
    peer = PEERS[sys.argv[1]]()
    if sys.argv[2] == "index":
        docs, folder, threads = sys.argv[3:]
        start = time.perf_counter()
        peer.index(docs, folder, int(threads))
        seconds = [time.perf_counter() - start]
    else:
        seconds = search(peer, *sys.argv[3:])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": seconds, "megabytes": peak / 1000}), flush=True)
    os._exit(0)  # a JVM's threads may go on


if __name__ == "__main__":
    main()
