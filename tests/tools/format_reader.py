"""Reads an index of one segment as docs/format.md and docs/codecs.md describe it, and with nothing
else."""

import json
import struct


def bound_of(code):
    return code if code < 16 else (8 + code % 8) << (code // 8 - 1)


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
        self.has_positions = self.manifest.get("positions", False)
        self.texts = [field for field in self.manifest.get("schema", {"fields": {}})["fields"]
                      .values() if field["type"] == "text"]
        self.by_field = self.manifest.get("positions_by_field", False)
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
            names = ["short", "docid", "frequency", "block", "base", "seed"]
            if self.has_positions:
                names += ["short_positions", "positions", "position_block", "position_base"]
            if self.by_field:
                names += ["position_start"]
            for name in names:
                place[name], at = varint(lexicon, at)
            place.setdefault("position_start", place["block"])
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
                self.positions_of_last = None
                field = term[1] if term[:1] == b"\xFF" else 0
                if self.has_positions and (not self.by_field or
                                           self.texts[field].get("positions", False)):
                    at = self.read_positions(at, postings, place, bounds)
                yield term.decode(errors="surrogateescape"), postings, bounds
                number += 1

    def read_positions(self, at, postings, place, bounds):
        """Keeps those of each posting; returns where the header ends."""
        lexicon, occurrences = self.sections["lexicon"], sum(f for _, f in postings)
        size, at = varint(lexicon, at)
        if occurrences == 1:
            steps = [size]
        elif size & 1:
            if 1 < len(postings) < 128:
                told, at = varint(lexicon, at)
                assert told == occurrences
            steps = self.position_blocks(occurrences, place)
            place["positions"] += size >> 1
        else:
            data, start = self.sections["short_positions"], place["short_positions"]
            steps, end = pfor_block(data, start + 1, occurrences, data[start])
            place["short_positions"] += size >> 1
            assert end == place["short_positions"]
        starts, done, self.positions_of_last = self.array("position_starts", "I"), 0, []
        for i, (_, frequency) in enumerate(postings):
            if bounds and i % 128 == 0:
                assert starts[place["position_start"] + i // 128] == done
            position, some = 0, []
            for step in steps[done : done + frequency]:
                position += step
                some.append(position)
            self.positions_of_last.append(some)
            done += frequency
        place["position_start"] += -(-len(postings) // 128) if bounds else 0
        return at

    def position_blocks(self, occurrences, place):
        data, steps = self.sections["positions"], []
        offsets, bases = self.array("position_offsets", "H"), self.array("position_bases", "I")
        blocks = -(-occurrences // 128)
        for block in range(blocks):
            which = place["position_block"] + block
            base = bases[place["position_base"] + block // 32 - 1] if block >= 32 else 0
            code, size = self.sections["position_codes"][which], min(128, occurrences - 128 * block)
            steps += pfor_block(data, place["positions"] + base + offsets[which], size, code)[0]
        place["position_block"] += blocks
        place["position_base"] += (blocks - 1) // 32
        return steps

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
