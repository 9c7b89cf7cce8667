"""Rows of figures: what a command wrote, beside its target and two times that know nothing of
skipping."""
import statistics

COPY_BYTES_A_SECOND = 3.0e12  # where warpdex_bench_decode did not measure it
# Microseconds a query by (collection, case), of the whole preset.
TARGETS = {("bitpack impacts", "or 10"): 5, ("bitpack impacts", "or 10 exhaustive"): 12,
           ("bitpack impacts", "or 1000"): 10, ("bitpack impacts", "or 1000 exhaustive"): 24,
           ("bitpack impacts", "and 10"): 8,
           ("bitpack", "or 10"): 10, ("bitpack", "or 10 exhaustive"): 28,
           ("bitpack", "or 1000"): 20, ("bitpack", "or 1000 exhaustive"): 56,
           ("bitpack", "and 10"): 8,
           ("plain impacts", "or 10 exhaustive"): 12, ("plain", "or 10 exhaustive"): 28}


def decode_rates(decode):
    """docIDs and frequencies a second by codec, from warpdex_bench_decode's JSON."""
    rates = {}
    for result in decode.get("results", []):
        if result["lists"] in ("random", "frequencies") and result["decoded"] != "gaps only":
            codec = result["codec"].split("/")[0]
            if codec == "pfor" and result["codec"] != "pfor/1":
                continue
            rates.setdefault(codec, {})[result["decoded"]] = result["postings"] / result["seconds"]
    return rates


def floors(queries, codec, decode):
    """Microseconds to read a query's lists once, and to decode their postings (None where no rate
    is known). `queries` is what the bench says of its log."""
    copy = decode.get("copy_gigabytes_per_second", COPY_BYTES_A_SECOND / 1e9) * 1e9
    rates = decode_rates(decode).get(codec)
    decoding = None
    if rates and len(rates) == 2:
        decoding = sum(queries["postings_per_query"] / rate for rate in rates.values()) * 1e6
    return queries["list_bytes_per_query"] / copy * 1e6, decoding


def figure_of(collection, case, command, document, decode, is_whole):
    """A row from what `warpdex bench --json` wrote."""
    times = document["microseconds"]
    read, decoding = floors(document["queries"], document["index"]["codec"], decode)
    row = {"collection": collection, "case": case, "command": command,
           "microseconds_a_query": 1e6 / document["queries_per_second"],
           "target": TARGETS.get((collection, case)) if is_whole else None,
           "read_once": read, "decode_once": decoding, "document": document}
    if document["batch_size"] == 1:
        row["p50"], row["p99"] = times["p50"], times["p99"]
    by_cpu = document["queries_by_processor"]["cpu"]
    if document["device"] != "cpu" and by_cpu > 0:
        row["by_cpu"] = by_cpu
    lists = document.get("gpu_lists", {})
    uses = lists.get("cache_hits", 0) + lists.get("cache_misses", 0)
    if uses and not lists["resident"]:
        row["hit_rate"] = lists["cache_hits"] / uses
    return row


def of_runs(rows):
    """One row for runs of the same case: that of the median time, and between which times they
    were; of percentiles, the medians; of queries that the CPU answered, the most."""
    rows = sorted(rows, key=lambda row: row["microseconds_a_query"])
    row = dict(rows[(len(rows) - 1) // 2])
    if len(rows) == 1:
        return row
    row["runs"] = [each["microseconds_a_query"] for each in rows]
    by_cpu = max(each.get("by_cpu", 0) for each in rows)
    if by_cpu > 0:
        row["by_cpu"] = by_cpu
    for percentile in ("p50", "p99"):
        if percentile in row:
            row[f"{percentile}_of_runs"] = sorted(each[percentile] for each in rows)
            row[percentile] = statistics.median_low(row[f"{percentile}_of_runs"])
    return row
