"""Runs and mean average precision of every scorer, against a search of its own: all documents of a
judged collection, by formulas typed from the papers. Skips where the collection is missing.
Run as: scorers_test.py SOURCE_FOLDER WARPDEX [COLLECTION...]"""

import collections
import json
import lzma
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DEPTH = 1000


class Collection:
    """Documents and queries of lower-cased letters and digits, and the judgements."""

    def __init__(self, folder):
        self.lengths = {}
        self.postings = collections.defaultdict(dict)  # term: {document: frequency}
        with lzma.open(folder / "docs.jsonl.xz", "rt") as lines:
            for line in lines:
                document = json.loads(line)
                words = re.findall("[a-z0-9]+", document["contents"].lower())
                self.lengths[document["id"]] = len(words)
                for word in words:
                    of_term = self.postings[word]
                    of_term[document["id"]] = of_term.get(document["id"], 0) + 1
        self.relevant = collections.defaultdict(set)
        for line in (folder / "qrels.txt").read_text().splitlines():
            query, _, document, grade = line.split()
            if int(grade) > 0:
                self.relevant[query].add(document)
        self.queries = {}
        for line in (folder / "queries.tsv").read_text().splitlines():
            query, text = line.split("\t", 1)
            if query in self.relevant:
                self.queries[query] = re.findall("[a-z0-9]+", text.lower())
        self.documents = len(self.lengths)
        self.tokens = sum(self.lengths.values())
        self.average = self.tokens / self.documents
        self.occurrences = {term: sum(of.values()) for term, of in self.postings.items()}

    def write(self, folder):
        texts = collections.defaultdict(list)
        for term, of_term in self.postings.items():
            for document, frequency in of_term.items():
                texts[document] += [term] * frequency
        with open(folder / "docs.tsv", "w") as out:
            for document in self.lengths:
                out.write(f"{document}\t{' '.join(texts[document])}\n")
        with open(folder / "queries.tsv", "w") as out:
            for query, words in self.queries.items():
                out.write(f"{query}\t{' '.join(words)}\n")
        with open(folder / "qrels.txt", "w") as out:
            for query, documents in self.relevant.items():
                for document in documents:
                    out.write(f"{query} 0 {document} 1\n")


def bm25(of, term, tf, length, k1=0.9, b=0.4):
    n = len(of.postings[term])
    idf = math.log(1 + (of.documents - n + 0.5) / (n + 0.5))
    return idf * tf / (tf + k1 * (1 - b + b * length / of.average))


def bm25_lucene(of, term, tf, length):
    """Lucene keeps of a length from 24 on the highest four binary digits of what is above 24."""
    digits = max(0, (length - 24).bit_length() - 4) if length >= 24 else 0
    return bm25(of, term, tf, length - (length - 24) % 2**digits)


def bm25_plus(of, term, tf, length, k1=0.9, b=0.4, delta=1.0):
    idf = math.log((of.documents + 1) / len(of.postings[term]))
    return idf * ((k1 + 1) * tf / (k1 * (1 - b + b * length / of.average) + tf) + delta)


def dirichlet(of, term, tf, length, mu=1000):
    share = of.occurrences[term] / of.tokens
    return max(0.0, math.log(1 + tf / (mu * share)) + math.log(mu / (length + mu)))


def jelinek_mercer(of, term, tf, length, lam=0.1):
    share = of.occurrences[term] / of.tokens
    return math.log(((1 - lam) * tf / length + lam * share) / (lam * share))


def pl2(of, term, tf, length, c=1.0):
    """As Terrier's PL2: its Poisson model, Laplace's after-effect, normalisation 2."""
    tfn = tf * math.log2(1 + c * of.average / length)
    expected = of.occurrences[term] / of.documents
    information = (
        tfn * math.log2(1 / expected)
        + expected * math.log2(math.e)
        + 0.5 * math.log2(2 * math.pi * tfn)
        + tfn * (math.log2(tfn) - math.log2(math.e))
    )
    return max(0.0, information / (tfn + 1))


SCORERS = (
    (["--scorer", "bm25"], bm25, {}),
    (["--scorer", "bm25+"], bm25_plus, {}),
    (["--scorer", "bm25+", "--k1", "1.2", "--b", "0.75", "--delta", "0.5"],
     bm25_plus, {"k1": 1.2, "b": 0.75, "delta": 0.5}),
    (["--scorer", "bm25-lucene"], bm25_lucene, {}),
    (["--scorer", "qld"], dirichlet, {}),
    (["--scorer", "qljm"], jelinek_mercer, {}),
    (["--scorer", "qljm", "--jm-lambda", "0.7"], jelinek_mercer, {"lam": 0.7}),
    (["--scorer", "pl2"], pl2, {}),
    (["--scorer", "pl2", "--pl2-c", "7"], pl2, {"c": 7}),
)


def score_all(of, words, formula, settings):
    scores = collections.defaultdict(float)
    for word in words:  # a repeated word counts again
        for document, tf in of.postings.get(word, {}).items():
            scores[document] += formula(of, word, tf, of.lengths[document], **settings)
    return scores


def average_precision(documents, relevant):
    found = total = 0
    for rank, document in enumerate(documents, 1):
        if document in relevant:
            found += 1
            total += found / rank
    return total / len(relevant)


class ScorersTest(unittest.TestCase):
    def run_program(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def check_run(self, run, scores):
        """The run holds the best documents with their scores; equals may change places."""
        best = sorted(scores.values(), reverse=True)[:DEPTH]
        self.assertEqual(len(run), len(best))
        for (document, score), right in zip(run, best):
            self.assertAlmostEqual(score, right, delta=1e-5 * right + 2e-5)
            self.assertAlmostEqual(score, scores[document], delta=1e-5 * right + 2e-5)

    def check_collection(self, name):
        if not (DATA / name).is_dir():
            self.skipTest(f"{DATA / name} is missing")
        of = Collection(DATA / name)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            of.write(folder)
            self.run_program("index", "--input", folder / "docs.tsv", "--format", "tsv",
                             "--analyzer", "whitespace", "--quiet", "--output", folder / "index")
            for options, formula, settings in SCORERS:
                with self.subTest(collection=name, options=options):
                    self.check_scorer(of, folder, options, formula, settings)

    def check_scorer(self, of, folder, options, formula, settings):
        run_file = folder / "run"
        self.run_program("search", folder / "index", "--queries", folder / "queries.tsv", "-k", DEPTH,
                         *options, "--output", run_file)
        runs = collections.defaultdict(list)
        for line in run_file.read_text().splitlines():
            query, _, document, _, score, _ = line.split()
            runs[query].append((document, float(score)))
        mean = 0
        for query, words in of.queries.items():
            scores = score_all(of, words, formula, settings)
            self.check_run(runs[query], scores)
            ranked = sorted(scores, key=lambda document: -scores[document])[:DEPTH]
            mean += average_precision(ranked, of.relevant[query]) / len(of.queries)
        text = self.run_program("evaluate", "--qrels", folder / "qrels.txt", "--run", run_file,
                                "--measures", "map")
        value = float(re.search(r"^map\s+all\s+(\S+)$", text, re.MULTILINE)[1])
        print(f"{of.documents} documents, {' '.join(options[1:])}: MAP {value}, by hand {mean:.4f}")
        self.assertAlmostEqual(value, mean, delta=0.002)  # equal scores are ranked by name


    def test_collections(self):
        for name in NAMES:
            self.check_collection(name)


if __name__ == "__main__":
    source, ScorersTest.program = sys.argv[1:3]
    NAMES = sys.argv[3:] or ["cran"]
    DATA = Path(os.environ.get("WARPDEX_DATA", Path(source) / ".." / "shared" / "data")) / "ir"
    unittest.main(argv=sys.argv[:1])
