"""Reads indexes as docs/format.md and docs/codecs.md describe them, and with nothing else, and
compares what is read with the documents. So the pages hold all that a reader of the format needs.
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

    def __init__(self, documents, folder):
        self.documents = documents
        self.lengths = [sum(terms.values()) for terms in documents]
        self.postings = {}
        for document, terms in enumerate(documents):
            for term, frequency in terms.items():
                self.postings.setdefault(term, []).append((document, frequency))
        self.folder = folder
        lines = (f"d{i}\t{' '.join(terms.elements())}\n" for i, terms in enumerate(documents))
        (folder / "documents.tsv").write_text("".join(lines), encoding="utf-8")

    def build(self, *options):
        output = self.folder / "index"
        subprocess.run([PROGRAM, "index", "--quiet", "--input", self.folder / "documents.tsv",
                        "--format", "tsv", "--analyzer", "whitespace", "--output", output,
                        *options], check=True)
        return Segment(output)


def bound_of(code):
    return code if code < 16 else (8 + code % 8) << (code // 8 - 1)


BOUNDS = [bound_of(code) for code in range(256)]


def as_float(number):
    """The nearest number of 32 bits."""
    return struct.unpack("f", struct.pack("f", number))[0]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


class Bits:
    """The bits of some bytes, from the lowest of the first byte on."""

    def __init__(self, data, at, size):
        self.number = int.from_bytes(data[at : at + size], "little")
        self.at = 0

    def take(self, width):
        value = self.number >> self.at & ((1 << width) - 1)
        self.at += width
        return value

    def bytes(self):
        return (self.at + 7) // 8


def packed(data, at, count, width):
    bits = Bits(data, at, (count * width + 7) // 8)
    return [bits.take(width) for _ in range(count)], at + bits.bytes()


def add_highs(values, exceptions, width):
    for position, high in exceptions:
        values[position] |= (high + 1) << width


def rice(data, at, count, width):
    bits = Bits(data, at, 640)
    lows = [bits.take(width) for _ in range(count)]
    quotients = []
    for _ in range(count):
        zeros = 0
        while bits.take(1) == 0:
            zeros += 1
            if zeros > 64:
                raise ValueError("a unary code of more than 64 zeros")
        quotients.append(zeros)
    quotients = [bits.take(32 - width) if q == 64 else q for q in quotients]
    return [q << width | low for q, low in zip(quotients, lows)], at + bits.bytes()


def pfor_block(data, at, count, code):
    width = code % 64
    values, at = packed(data, at, count, width)
    if code >= 64:
        number, high_width = data[at], data[at + 1]
        entries, at = packed(data, at + 2, number, 7 + high_width)
        add_highs(values, [(entry & 127, entry >> 7) for entry in entries], width)
    return values, at


def pfor_tail(data, at, blocks, levels):
    """The exceptions of each block as (position, high)."""
    if blocks == 1:
        counts, at = [data[at]], at + 1
        total = counts[0]
    else:
        groups = (blocks - 1) // 32
        total, *bases = struct.unpack_from(f"<{1 + groups}I", data, at)
        at += 4 * (1 + groups)
        counts, at = list(data[at : at + blocks]), at + blocks
        assert bases == [sum(counts[: 32 * (i + 1)]) for i in range(groups)]
    assert total == sum(counts)
    if levels == 0:
        high_width, at = data[at], at + 1
        assert high_width in (8, 16, 32)
        positions, at = list(data[at : at + total]), at + total
        highs, at = packed(data, at, total, high_width)
    else:
        gap_code, high_code = data[at], data[at + 1]
        gaps, at = packed(data, at + 2, total, gap_code % 64)
        highs, at = packed(data, at, total, high_code % 64)
        inner_blocks = -(-total // 128)
        if gap_code >= 64:
            (size,) = struct.unpack_from("<I", data, at)
            inner, end = pfor_tail(data, at + 4, inner_blocks, levels - 1)
            assert end == at + 4 + size
            at = end
            add_highs(gaps, flat(inner), gap_code % 64)
        if high_code >= 64:
            inner, at = pfor_tail(data, at, inner_blocks, levels - 1)
            add_highs(highs, flat(inner), high_code % 64)
        positions, i = [], 0
        for count in counts:
            position = -1
            for _ in range(count):
                position += gaps[i] + 1
                positions.append(position)
                i += 1
    pairs = iter(zip(positions, highs))
    return [[next(pairs) for _ in range(count)] for count in counts], at


def flat(exceptions):
    return [(128 * block + at, high) for block, some in enumerate(exceptions) for at, high in some]


class Segment:
    """The sections of an index of one segment, each in a file of its own."""

    def __init__(self, folder):
        self.manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        (segment,) = self.manifest["segments"]
        self.counts = segment["counts"]
        self.codec = self.manifest["codec"]
        self.sections = {}
        for section in segment["sections"]:
            data = (folder / segment["folder"] / section["name"]).read_bytes()
            size = section["bytes"]
            header, slack, footer = data[:64], data[64 + size : -32], data[-32:]
            assert header == b"WARPDEX1" + section["name"].encode().ljust(48, b"\0") + bytes(8)
            assert slack == bytes(64)
            checksum = int(section["checksum"], 16)
            assert footer == struct.pack("<QQQ8s", size, checksum, 0, b"WARPDEX1")
            self.sections[section["name"]] = data[64 : 64 + size]

    def array(self, name, kind):
        data = self.sections[name]
        return struct.unpack(f"<{len(data) // struct.calcsize('<' + kind)}{kind}", data)

    def block(self, data, at, count, parameter, code):
        """The values of a block that is not a bit set, without the exceptions of a tail."""
        name = self.codec["name"]
        if name == "rice":
            plain = code > 0
            return packed(data, at, count, code - 1) if plain else rice(data, at, count, parameter)
        if name == "pfor-block":
            return pfor_block(data, at, count, code)
        return packed(data, at, count, parameter % 64 if name == "pfor" else code)

    def short_values(self, data, at, count, code):
        name = self.codec["name"]
        parameter = code if name in ("rice", "pfor") else 0
        values, at = self.block(data, at, count, parameter, 0 if parameter else code)
        if name == "pfor" and code >= 64:
            (exceptions,), at = pfor_tail(data, at, 1, self.codec["pfor_levels"])
            add_highs(values, exceptions, code % 64)
        return values, at

    def terms(self):
        """Yields each term with its postings and what bounds them."""
        lexicon = self.sections["lexicon"]
        number, frequent = 0, 0
        for at in self.array("lexicon_index", "Q"):
            place = {}
            for name in ("short", "docid", "frequency", "block", "base", "seed"):
                place[name], at = varint(lexicon, at)
            term = b""
            for _ in range(min(64, self.counts["terms"] - number)):
                lengths, at = lexicon[at], at + 1
                shared, suffix = lengths & 15, lengths >> 4
                if lengths == 0xFF:
                    shared, at = varint(lexicon, at)
                    suffix, at = varint(lexicon, at)
                term, at = term[:shared] + lexicon[at : at + suffix], at + suffix
                header, at = varint(lexicon, at)
                bounds = None
                if header & 1:
                    frequency = (header >> 1 & 3) + 1
                    if frequency == 4:
                        more, at = varint(lexicon, at)
                        frequency += more
                    postings = [(header >> 3, frequency)]
                elif header >> 1 < 128:
                    size, at = varint(lexicon, at)
                    postings = self.short_list(place["short"], size, header >> 1)
                    place["short"] += size
                else:
                    at, postings, bounds = self.long_list(at, header >> 1, place, frequent)
                    frequent += bounds["is_frequent"]
                yield term.decode(), postings, bounds
                number += 1

    def short_list(self, at, size, count):
        data, end = self.sections["short_lists"], at + size
        docid_code, frequency_code = data[at] & 31, data[at] >> 5
        all_one, at = frequency_code == 6, at + 1
        if docid_code == 31:
            docid_code, at = data[at], at + 1
        if frequency_code == 7:
            frequency_code, at = data[at], at + 1
        gaps, at = self.short_values(data, at, count, docid_code)
        frequencies = [0] * count
        if not all_one:
            frequencies, at = self.short_values(data, at, count, frequency_code)
        assert at == end
        docids, last = [], -1
        for gap in gaps:
            last += gap + 1
            docids.append(last)
        return [(docid, value + 1) for docid, value in zip(docids, frequencies)]

    def long_list(self, at, count, place, frequent):
        lexicon, blocks = self.sections["lexicon"], -(-count // 128)
        extra, at = varint(lexicon, at)
        parameters, at = lexicon[at : at + 2], at + 2
        sizes, tails = [0, 0], [0, 0]
        for i in range(2):
            sizes[i], at = varint(lexicon, at)
        if self.codec["name"] == "pfor":
            for i in range(2):
                tails[i], at = varint(lexicon, at)
        is_frequent = count >= max(128, self.counts["documents"] / 16)
        if is_frequent:
            listed, at = varint(lexicon, at)
            assert listed == frequent
        columns = []
        for i, (stream, name) in enumerate((("docid", "docids"), ("frequency", "frequencies"))):
            data, start = self.sections[name], place[stream]
            offsets = self.array(f"{stream}_offsets", "H")
            bases = self.array(f"{stream}_bases", "I")
            lasts = self.array("block_last_docids", "I")
            exceptions = [[]] * blocks
            if tails[i] > 0:
                end = start + sizes[i]
                levels = self.codec["pfor_levels"]
                exceptions, stop = pfor_tail(data, end - tails[i], blocks, levels)
                assert stop == end
            values, base = [], -1
            for block in range(blocks):
                which = place["block"] + block
                group = bases[place["base"] + block // 32 - 1] if block >= 32 else 0
                code = self.sections[f"{stream}_codes"][which]
                first, size = start + offsets[which] + group, min(128, count - 128 * block)
                if code == 255 and stream == "docid":
                    bits = Bits(data, first, (lasts[which] - base + 7) // 8)
                    some = [base + 1 + d for d in range(lasts[which] - base) if bits.take(1)]
                else:
                    some, _ = self.block(data, first, size, parameters[i], code)
                    add_highs(some, exceptions[block], parameters[i] % 64)
                    if stream == "docid":
                        last = base
                        some = [last := last + gap + 1 for gap in some]
                    else:
                        some = [value + 1 for value in some]
                assert len(some) == size
                if stream == "docid":
                    base = lasts[which]
                    assert some[-1] == base
                values += some
            columns.append(values)
            place[stream] += sizes[i]
        assert extra == sum(columns[1]) - count
        bounds = {"is_frequent": is_frequent, "block": place["block"], "seed": place["seed"],
                  "frequent": frequent}
        place["block"] += blocks
        place["base"] += (blocks - 1) // 32
        place["seed"] += 2 if count < 1000 else 3
        return at, list(zip(*columns)), bounds

    def bound(self, section, which):
        """The four pairs (frequency, length)."""
        data = self.sections[section][8 * which : 8 * which + 8]
        return list(zip((bound_of(c) for c in data[:4]), (bound_of(c) for c in data[4:])))

    def seed(self, which):
        frequency, code = struct.unpack_from("<HH", self.sections["seeds"], 4 * which)
        return frequency, code if code < 2048 else (1024 + code % 1024) << (code // 1024 - 1)

    def forward(self):
        """Yields each document's (term number, frequency)."""
        data, offsets = self.sections["forward"], self.array("forward_offsets", "Q")
        for document in range(self.counts["documents"]):
            if document % 16 == 0:
                at = offsets[document // 16]
            size, at = varint(data, at)
            end, number, postings = at + size, 0, []
            while at < end:
                gap, at = varint(data, at)
                frequency = 1
                if gap & 1 == 0:
                    frequency, at = varint(data, at)
                number += gap >> 1
                postings.append((number, frequency))
            yield postings


class Format(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        seed = int(os.environ.get("WARPDEX_TEST_SEED", "0")) or random.randrange(1, 1 << 31)
        print(f"WARPDEX_TEST_SEED={seed}")
        cls.random = random.Random(seed)
        cls.collection = Collection(make_documents(cls.random), cls.new_folder())

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

    def test_ranges(self):
        collection = Collection(make_ranges(self.random), self.new_folder())
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
    unittest.main()
