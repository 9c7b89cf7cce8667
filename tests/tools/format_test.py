"""Compares what format_reader.py reads with the documents. It knows docs/format.md and
docs/codecs.md alone, so these pages hold all that a reader of the format needs.
Run as: format_test.py WARPDEX"""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
from format_reader import Segment, bound_of  # noqa: E402 (after the line above)

DOCUMENTS = 4300
FREQUENT = max(128, -(-DOCUMENTS // 16))
# Lists of these lengths: around the borders of the three forms, of blocks, of groups of 32 blocks
# and of frequent lists.
LENGTHS = [1, 2, 3, 126, 127, 128, 129, 255, 256, 257, FREQUENT - 1, FREQUENT, 999, 1000, 4096,
           4097, DOCUMENTS]
# Documents of a range bound and of a static bound.
RANGE, STATIC_RANGE = 16384, 4096


def make_documents(rng):
    """The terms of each document, with their frequencies. Lists are spread evenly, clustered, or
    one run; few frequencies are large."""
    documents = [Counter({f"own{i}": 1}) for i in range(DOCUMENTS)]
    for length in LENGTHS:
        for kind in ("even", "clustered", "run"):
            if kind == "even":
                chosen = rng.sample(range(DOCUMENTS), length)
            elif kind == "run":
                first = rng.randrange(DOCUMENTS - length + 1)
                chosen = range(first, first + length)
            else:
                weights = sorted(range(DOCUMENTS), key=lambda i: (i // 97 * 31 % 45, rng.random()))
                chosen = weights[:length]
            largest = rng.choice([1, 2, 64, 600])
            for i in chosen:
                documents[i][f"{kind}{length}"] = rng.choice([1, 1, 1, 2, rng.randint(1, largest)])
    return documents


def make_ranges(rng):
    """Documents of three ranges, the last one partial. Frequent lists are in all ranges, in two of
    them or in one."""
    count = 2 * RANGE + rng.choice([1, 100, STATIC_RANGE, STATIC_RANGE + 1])
    documents = [Counter() for _ in range(count)]
    places = {"all": [(0, count)], "first": [(0, RANGE)], "middle": [(RANGE, 2 * RANGE)],
              "ends": [(RANGE - 1500, RANGE), (2 * RANGE, count), (0, 3000)]}
    for name, spans in places.items():
        some = sorted({i for first, end in spans for i in range(first, end)})
        for i in rng.sample(some, min(len(some), 4000)):
            documents[i][name] = rng.choice([1, 1, 1, 2, rng.randint(1, 600)])
    for i in rng.sample(range(count), 200):
        documents[i]["seldom"] = 1
    for terms in documents:
        terms["filler"] = rng.choice([1, 1, 3, rng.randint(1, 200)])
    return documents


class Collection:
    """Documents, and the file that they are indexed from."""

    def __init__(self, documents, folder, rng):
        self.documents = documents
        self.positions = {}
        self.lengths = [sum(terms.values()) for terms in documents]
        self.postings = {}
        for document, terms in enumerate(documents):
            for term, frequency in terms.items():
                self.postings.setdefault(term, []).append((document, frequency))
        self.folder = folder
        lines = []
        for i, terms in enumerate(documents):
            words = list(terms.elements())
            rng.shuffle(words)
            for position, word in enumerate(words):
                self.positions.setdefault(word, {}).setdefault(i, []).append(position)
            lines.append(f"d{i}\t{' '.join(words)}\n")
        (folder / "documents.tsv").write_text("".join(lines), encoding="utf-8")

    def build(self, *options):
        output = self.folder / "index"
        subprocess.run([PROGRAM, "index", "--quiet", "--input", self.folder / "documents.tsv",
                        "--format", "tsv", "--analyzer", "whitespace", "--output", output,
                        *options], check=True)
        return Segment(output)


BOUNDS = [bound_of(code) for code in range(256)]


def as_float(number):
    """The nearest number of 32 bits."""
    return struct.unpack("f", struct.pack("f", number))[0]


class Format(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        seed = int(os.environ.get("WARPDEX_TEST_SEED", "0")) or random.randrange(1, 1 << 31)
        print(f"WARPDEX_TEST_SEED={seed}")
        cls.random = random.Random(seed)
        cls.collection = Collection(make_documents(cls.random), cls.new_folder(), cls.random)

    @classmethod
    def new_folder(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        return Path(folder.name)

    def check(self, *options):
        self.check_index(self.collection, self.collection.build(*options))

    def check_index(self, collection, segment):
        count = len(collection.documents)
        self.assertEqual(count, segment.counts["documents"])
        self.assertEqual(collection.lengths, list(segment.array("document_lengths", "I")))
        names = segment.sections["document_names"]
        ends = segment.array("document_name_offsets", "Q")
        self.assertEqual([f"d{i}" for i in range(count)],
                         [names[a:b].decode() for a, b in zip(ends, ends[1:])])
        terms, frequent = [], 0
        for term, postings, bounds in segment.terms():
            self.assertEqual(collection.postings[term], postings, term)
            if segment.has_positions:
                self.assertEqual(list(collection.positions[term].values()),
                                 segment.positions_of_last, term)
            if bounds:
                self.check_bounds(collection, segment, postings, bounds)
                frequent += bounds["is_frequent"]
            terms.append(term)
        self.assertEqual(sorted(collection.postings), terms)
        self.assertEqual(8 * frequent * -(-count // RANGE), len(segment.sections["range_bounds"]))
        numbers = {term: i for i, term in enumerate(terms)}
        for document, postings in zip(collection.documents, segment.forward(), strict=True):
            self.assertEqual(sorted((numbers[t], f) for t, f in document.items()), postings)

    def check_bounds(self, collection, segment, postings, bounds):
        for first in range(0, len(postings), 128):
            pairs = segment.bound("block_bounds", bounds["block"] + first // 128)
            self.check_pairs(collection, pairs, postings[first : first + 128])
        if bounds["is_frequent"]:
            ranges = -(-len(collection.documents) // RANGE)
            for number in range(ranges):
                pairs = segment.bound("range_bounds", bounds["frequent"] * ranges + number)
                self.check_pairs(collection, pairs,
                                 [one for one in postings if one[0] // RANGE == number])
        for i, rank in enumerate((10, 100, 1000)[: 2 if len(postings) < 1000 else 3]):
            frequency, length = segment.seed(bounds["seed"] + i)
            reach = sum(f >= frequency and collection.lengths[d] <= length for d, f in postings)
            self.assertGreaterEqual(reach, rank)
            self.assertGreaterEqual(frequency, 1)

    def check_pairs(self, collection, pairs, postings):
        """Each posting has a pair that bounds it, and no pair has more than the rounded extremes."""
        if not postings:
            self.assertEqual([(0, 0)] * 4, pairs)
            return
        lengths = collection.lengths
        for d, f in postings:
            self.assertTrue(any(f <= bound and lengths[d] >= length for bound, length in pairs))
        highest, shortest = max(f for _, f in postings), min(lengths[d] for d, _ in postings)
        self.assertEqual(min(bound for bound in BOUNDS if bound >= highest),
                         max(f for f, _ in pairs))
        self.assertEqual(max(bound for bound in BOUNDS if bound <= shortest),
                         min(length for _, length in pairs))

    def check_static(self, segment, expected, rounding=0.0):
        scores = segment.array("static_scores", "f")
        for score, exact in zip(scores, expected, strict=True):
            self.assertLessEqual(abs(score - exact), rounding)
            self.assertTrue(rounding == 0 or score == int(score))
        self.assertEqual([max(scores[i : i + STATIC_RANGE])
                          for i in range(0, len(scores), STATIC_RANGE)],
                         list(segment.array("static_bounds", "f")))

    def test_bitpack(self):
        self.check("--codec", "bitpack")
        self.check("--codec", "bitpack", "--no-bit-sets")

    def test_pfor(self):
        for levels in range(5):
            with self.subTest(levels=levels):
                self.check("--codec", "pfor", "--pfor-levels", str(levels), "--no-bit-sets")

    def test_pfor_block(self):
        self.check("--codec", "pfor-block")

    def test_rice(self):
        self.check("--codec", "rice")
        self.check("--codec", "rice", "--no-bit-sets")

    def test_positions(self):
        self.check("--positions")
        self.check("--positions", "--codec", "pfor")

    def test_positions_by_field(self):
        """The words of each document in the first text field, in the second one backwards, in the
        third one as they are."""
        folder, expected = self.new_folder(), {}
        with open(folder / "documents.jsonl", "w", encoding="utf-8") as file:
            for i, terms in enumerate(self.collection.documents):
                words = [word for word in terms.elements() if not word.startswith("own")]
                self.random.shuffle(words)
                texts = [words, words[::-1], words]
                for field, text in enumerate(texts):
                    mark = bytes([255, field]).decode(errors="surrogateescape") if field else ""
                    for position, word in enumerate(text):
                        expected.setdefault(mark + word, {}).setdefault(i, []).append(position)
                values = {name: " ".join(text) for name, text in zip("abc", texts)}
                file.write(json.dumps({"id": f"d{i}", **values}) + "\n")
        for fields, mixed in (("b", True), ("ac", True), ("abc", False)):
            schema = {name: {"type": "text", "positions": name in fields} for name in "abc"}
            (folder / "schema.json").write_text(json.dumps({"fields": schema}), encoding="utf-8")
            subprocess.run([PROGRAM, "index", "--quiet", "--input", folder / "documents.jsonl",
                            "--format", "jsonl", "--analyzer", "whitespace", "--schema",
                            folder / "schema.json", "--output", folder / "index"], check=True)
            segment, terms = Segment(folder / "index"), []
            self.assertEqual(mixed, segment.by_field)
            self.assertEqual(7 if mixed else 6, segment.manifest["version"])
            for term, postings, _ in segment.terms():
                places = expected[term]
                self.assertEqual([(i, len(own)) for i, own in places.items()], postings, term)
                name = "abc"[ord(term[1])] if term[0] == "\udcff" else "a"
                self.assertEqual(list(places.values()) if name in fields else None,
                                 segment.positions_of_last, term)
                terms.append(term)
            self.assertEqual(sorted(expected, key=lambda term: term.encode(
                errors="surrogateescape")), terms)

    def test_ranges(self):
        collection = Collection(make_ranges(self.random), self.new_folder(), self.random)
        self.check_index(collection, collection.build())

    def test_static_scores(self):
        plain = self.collection.build()
        self.assertEqual((), plain.array("static_scores", "f"))
        self.assertEqual((), plain.array("static_bounds", "f"))
        # The highest of each range is anywhere; documents without a line have 0.
        scores = [as_float(self.random.uniform(0, 3)) for _ in range(DOCUMENTS)]
        for i in self.random.sample(range(DOCUMENTS), DOCUMENTS // 3):
            scores[i] = 0.0
        file = self.collection.folder / "static.tsv"
        file.write_text("".join(f"d{i}\t{score!r}\n" for i, score in enumerate(scores) if score),
                        encoding="utf-8")
        segment = self.collection.build("--static", file)
        self.check_index(self.collection, segment)
        self.check_static(segment, scores)
        segment = self.collection.build("--static", file, "--impacts")
        unit = 255 / segment.manifest["impacts"]["largest"]
        self.check_static(segment, [score * unit for score in scores], 0.501)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    if not Path(PROGRAM).is_file():
        sys.exit(f"there is no program at {PROGRAM}; build the target warpdex first")
    unittest.main()
