"""What is owed of two figures or more, or of a percentile: each check is a dict with what it is
about, the figure, its limit, and whether it is met."""
import re

P50, P99 = 60, 200  # microseconds, of queries one by one
TIMES_THE_CPU = {"or 10": 6, "or 1000": 15, "or 10 count": 20, "and 10": 5}
TIMES_THE_CPU_OF_TEXT = {"or 10": 2, "or 1000": 6, "and 10": 1}
TIMES_THE_BEST_CODEC = 1.6
TIMES_TEN = 2  # a thousand answers
AND_OR = 1.1   # times AND and OR of those that fell back
HALF_MEMORY = 0.5
TIMES_64_TERMS = 5  # queries of 256
ROW_OF_5_MILLION = 2  # times to read it, and a launch


def at_most(what, figure, limit):
    return {"what": what, "figure": figure, "limit": f"≤ {limit:g}", "is_met": figure <= limit}


def at_least(what, figure, limit):
    return {"what": what, "figure": figure, "limit": f"≥ {limit:g}", "is_met": figure >= limit}


class Times:
    """Microseconds a query by (collection, case); None where there is no figure."""

    def __init__(self, rows):
        self.rows = {(row["collection"], row["case"]): row for row in rows if "failed" not in row}

    def of(self, collection, case):
        row = self.rows.get((collection, case))
        return row and row["microseconds_a_query"]

    def ratio(self, one, other):
        times = self.of(*one), self.of(*other)
        return times[0] / times[1] if all(times) else None


def one_by_one(times):
    for (collection, case), row in times.rows.items():
        if re.fullmatch(r"(or|and) 10 one by one", case):
            yield at_most(f"{collection}, {case}: p50, µs", row["p50"], P50)
            yield at_most(f"{collection}, {case}: p99, µs", row["p99"], P99)


def beside_the_cpu(times):
    cases = [("bitpack", case, "", "", limit) for case, limit in TIMES_THE_CPU.items()]
    by_64 = [" by 64, 1 in flight", " by 32, 2 in flight"]
    parts = ["", *by_64, " by 64, 2 in flight", " by 64, 4 in flight", " by 64, 4 threads"]
    for case, limit in TIMES_THE_CPU_OF_TEXT.items():
        cases += [("text", case, part, "", limit) for part in parts]
        cases += [("text", case, part, " by 64", limit) for part in by_64]
    for collection, case, part, of_cpu, limit in cases:
        ratio = times.ratio((collection, f"{case} CPU{of_cpu}"), (collection, case + part))
        if ratio:
            yield at_least(f"{collection}, {case}{part}: times the CPU's queries a second{of_cpu}",
                           ratio, limit)


def among_codecs(times, codecs):
    for kind in ("", " impacts"):
        for case in ("or 10", "or 10 exhaustive"):
            found = {codec: times.of(codec + kind, case) for codec in codecs}
            found = {codec: time for codec, time in found.items() if time}
            for codec, time in found.items():
                if codec in ("rice", "pfor", "pfor-0"):
                    yield at_most(f"{codec}{kind}, {case}: times the best codec's",
                                  time / min(found.values()), TIMES_THE_BEST_CODEC)


def thousand_answers(times):
    for collection in ("bitpack", "bitpack impacts"):
        ratio = times.ratio((collection, "or 1000"), (collection, "or 10"))
        if ratio:
            yield at_most(f"{collection}, or: a thousand answers over ten", ratio, TIMES_TEN)


def and_or(times):
    """By the whole log's queries: OR's share are those of the log "fallen back"."""
    for collection in ("bitpack", "bitpack impacts"):
        parts = [times.rows.get((collection, case))
                 for case in ("and-or 10", "and 10", "fallen back: or 10")]
        if not all(parts):
            continue
        both, alone, left = (part["microseconds_a_query"] for part in parts)
        share = parts[2]["document"]["queries"]["count"] / parts[0]["document"]["queries"]["count"]
        yield at_most(f"{collection}, and-or 10: times AND and its share of OR",
                      both / (alone + share * left), AND_OR)


def huge_query(times):
    """Added to some others, it may take no longer than by itself: by the medians of batches, as
    the host may hold some up for longer than that."""
    for collection in ("bitpack", "bitpack impacts"):
        for case in ("or 10", "and 10", "or 10 exhaustive"):
            parts = [times.rows.get((collection, name + case))
                     for name in ("others and the huge: ", "others: ", "the huge: ")]
            if not all(parts):
                continue
            both, others, alone = (part["document"]["microseconds"]["p50"] for part in parts)
            yield at_most(f"{collection}, {case}: what the query with most matches adds, µs",
                          both - others, alone)


def long_queries(times):
    for collection in ("bitpack", "bitpack impacts"):
        ratio = times.ratio((collection, "256 terms: or 10"), (collection, "64 terms: or 10"))
        if ratio:
            yield at_most(f"{collection}, or 10 of 256 terms: times 64 terms", ratio,
                          TIMES_64_TERMS)


def half_memory(times):
    for case in ("or 10", "or 1000", "or 10 count", "and 10"):
        ratio = times.ratio(("bitpack", case), ("bitpack", case + " in 1/2 of the memory"))
        if ratio:
            yield at_least(f"bitpack, {case}: share of full speed with half of the memory", ratio,
                           HALF_MEMORY)


def selection(kernels):
    rows = kernels.get("select", {}).get("rows", [])
    one = {(row["k"], row["method"]): row["microseconds"] for row in rows
           if row["rows"] == 1 and (row["type"], row["keys"]) == ("float", "random")}
    if {(10, "chosen"), (0, "read only"), (0, "launch only")} <= one.keys():
        limit = ROW_OF_5_MILLION * one[0, "read only"] + one[0, "launch only"]
        yield at_most("one row of 5 million floats, k 10, µs", one[10, "chosen"], limit)


def checks(rows, kernels, codecs):
    times = Times(rows)
    found = [*one_by_one(times), *beside_the_cpu(times), *among_codecs(times, codecs),
             *thousand_answers(times), *and_or(times), *huge_query(times), *long_queries(times),
             *half_memory(times)]
    return found + list(selection(kernels))
