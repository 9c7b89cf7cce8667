"""The collections and models that can be reproduced, and the files that each takes."""
import json
from dataclasses import dataclass, field
from pathlib import Path

PUBLISHED = json.loads((Path(__file__).parent / "published.json").read_text("utf-8"))
# Terms as Anserini makes them: Lucene's English analysis, with Porter's stemmer.
ANALYZER = {"tokenizer": "standard",
            "filters": ["english_possessive", "lowercase", {"type": "stop", "words": "_english_"},
                        {"type": "stem", "language": "porter"}]}
BEIR = "https://github.com/beir-cellar/beir"


@dataclass(frozen=True)
class Model:
    """How documents are ranked."""
    kind: str  # words, sparse or dense
    options: dict = field(default_factory=dict)  # of the search by words


# Of lengths as Lucene rounds them, as Anserini has them.
MODELS = {"bm25": Model("words", {"scorer": "bm25-lucene", "k1": 0.9, "b": 0.4}),
          "bm25-tuned": Model("words", {"scorer": "bm25-lucene", "k1": 0.82, "b": 0.68}),
          "splade-v3": Model("sparse"), "bge-base-en-v1.5": Model("dense"), "minilm": Model("dense")}


@dataclass(frozen=True)
class Collection:
    """A judged collection. Paths lie below the folder of data."""
    name: str
    corpus: str
    form: str  # of warpdex.build()
    fields: tuple[str, ...]
    queries: str
    qrels: str
    vectors: dict[str, tuple[str, str]]  # model: file or folder of documents, file of queries
    measures: tuple[str, ...]
    archives: dict[str, str] = field(default_factory=dict)  # path: the published file it is from
    least_grade: int = 1  # that is relevant to MAP, Recall and P
    unasked: int = 0  # judged queries that the file of queries does not have, and that do not count
    without_own: bool = False  # a query's answer leaves out the document of its own id
    passages: str = ""  # collections of the same passages share indexes of this name

    @property
    def published(self):
        return PUBLISHED["collections"].get(self.name, {})

    @property
    def models(self):
        return [name for name, model in MODELS.items()
                if (model.kind == "words" and (name == "bm25" or name in self.figures))
                or name in self.vectors]

    @property
    def figures(self):
        return self.published.get("figures", {})

    def published_file(self, path):
        """The name of the published file that a path is or comes from, or None."""
        return path if path in PUBLISHED["files"] else self.archives.get(path)

    def files(self, model):
        """The paths that a run of the model reads."""
        vectors = self.vectors.get(model, ())
        if MODELS[model].kind == "words":
            return [self.corpus, self.queries, self.qrels]
        if MODELS[model].kind == "sparse":
            return [vectors[0], vectors[1], self.qrels]
        return [vectors[0], self.corpus, vectors[1], self.queries, self.qrels]


def passages(name, queries, qrels, topics, least, measures):
    texts, learned = "collectionandqueries.tar.gz", "msmarco-passage-splade-v3.tar"
    dense = "msmarco-passage-bge-base-en-v1.5.parquet.tar"
    topic = f"topics.{topics}.{{}}".format
    return Collection(
        name, "collection.tsv", "tsv", (), queries, qrels,
        {"splade-v3": ("msmarco-passage-splade-v3", topic("splade-v3.tsv.gz")),
         "bge-base-en-v1.5": ("bge-base-en-v1.5.npy", topic("bge-base-en-v1.5.jsonl.gz"))},
        measures, {queries: texts, qrels: texts, "collection.tsv": texts,
                   "msmarco-passage-splade-v3": learned, "bge-base-en-v1.5.npy": dense},
        least_grade=least, passages="msmarco-passage")


def beir(name):
    folder = name.removeprefix("beir-").replace("cqadupstack-", "cqadupstack/")
    texts = [f"{folder}/{each}" for each in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")]
    archive = folder.partition("/")[0] + ".zip"
    return Collection(
        name, texts[0], "jsonl", ("title", "text"), texts[1], texts[2],
        {"splade-v3": (f"{folder}/splade-v3", f"{folder}/splade-v3.queries.jsonl"),
         "bge-base-en-v1.5": (f"{folder}/bge-base-en-v1.5.npy",
                              f"{folder}/bge-base-en-v1.5.queries.npy")},
        ("nDCG@10", "Recall@100", "Recall@1000"),
        dict.fromkeys(texts, archive) if archive in PUBLISHED["files"] else {}, without_own=True)


def judged(name, measures=("MAP@1000", "nDCG@10", "Recall@1000"), fields=("title", "contents"),
           unasked=0):
    folder = f"ir/{name}"
    return Collection(
        name, f"{folder}/docs.jsonl.xz", "jsonl", fields, f"{folder}/queries.tsv",
        f"{folder}/qrels.txt",
        {"minilm": (f"{folder}/docs.minilm384.f16.npy", f"{folder}/queries.minilm384.f16.npy")},
        measures, unasked=unasked)


def articles(name):
    """Those queries of a BEIR collection that are judged over 25,000 Wikipedia articles."""
    return Collection(f"wiki25k-{name}", "text/wiki25k.jsonl.xz", "jsonl", ("title", "contents"),
                      f"queries/wiki25k.{name}.queries.tsv", f"queries/wiki25k.{name}.qrels.txt", {},
                      ("nDCG@10", "Recall@100"), passages="wiki25k")


_DEEP = ("nDCG@10", "MAP@1000", "Recall@100", "Recall@1000")
_ALL = [
    passages("msmarco", "queries.dev.small.tsv", "qrels.dev.small.tsv", "msmarco-passage.dev-subset",
             1, ("MRR@10", "MAP@1000", "Recall@100", "Recall@1000")),
    passages("dl19", "msmarco-test2019-queries.tsv.gz", "2019qrels-pass.txt", "dl19-passage", 2, _DEEP),
    passages("dl20", "msmarco-test2020-queries.tsv.gz", "2020qrels-pass.txt", "dl20", 2, _DEEP),
    *(beir(name) for name in PUBLISHED["collections"] if name.startswith("beir-")),
    judged("cacm", ("MAP@1000", "P@30", "nDCG@10"), ("contents",)),
    judged("cisi"), judged("cran", ("MAP@1000", "Recall@1000")), judged("medquad", unasked=26), judged("npl"),
    *(articles(name) for name in ("dbpedia-entity", "fever", "hotpotqa")),
]
COLLECTIONS = {each.name: each for each in _ALL}
