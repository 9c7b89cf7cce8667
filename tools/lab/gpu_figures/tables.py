"""Tables in Markdown."""

DECODE_TARGETS = {"bitpack": 500, "pfor/1": 400, "rice": 300}  # G docIDs/s
SELECT_TARGETS = {10: 0.75, 100: 0.75, 1000: 0.45}             # of the copy's speed


def table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def number(value, digits=2):
    return "–" if value is None else f"{value:.{digits}f}"


def percentile(row, name):
    runs = row.get(f"{name}_of_runs")
    between = f" ({runs[0]:.1f} to {runs[-1]:.1f})" if runs else ""
    return f"{name} {row[name]:.1f}{between}"


def remark(row):
    if "failed" in row:
        return "**failed:** " + row["failed"].replace("|", "/")
    remarks = []
    if row["target"] is not None and row["microseconds_a_query"] > row["target"]:
        remarks.append("**misses its target**")
    if "runs" in row:
        runs = row["runs"]
        remarks.append(f"the median of {len(runs)} runs, {runs[0]:.2f} to {runs[-1]:.2f}")
    if "p50" in row:
        remarks.append(", ".join(percentile(row, name) for name in ("p50", "p99")))
    if "by_cpu" in row:
        remarks.append(f"{row['by_cpu']} answered by the CPU")
    if "hit_rate" in row:
        remarks.append(f"{row['hit_rate']:.0%} of the uses of lists in GPU memory")
    stages = row["document"].get("stage_microseconds")
    if stages:
        remarks.append(", ".join(f"{name} {time:.2f}" for name, time in stages.items()))
    for stage, member in (("match", "match_phases"), ("tiles", "tile_phases")):
        phases = row["document"].get(member, {})
        if any(phases.values()):
            shares = ", ".join(f"{name} {share:.0%}" for name, share in phases.items())
            remarks.append(f"warps of {stage}: {shares}")
    return "; ".join(remarks)


def engine_table(rows):
    return table(
        ["collection", "search", "µs a query", "target", "lists read once", "all decoded", ""],
        [[row["collection"], row["case"], number(row.get("microseconds_a_query")),
          number(row.get("target"), 0), number(row.get("read_once")),
          number(row.get("decode_once")), remark(row)] for row in rows])


def checks_table(checks):
    return table(["owed of", "figure", "limit", ""],
                 [[check["what"], number(check["figure"]), check["limit"],
                   "" if check["is_met"] else "**misses**"] for check in checks])


def decode_table(document):
    rows = []
    for result in document["results"]:
        target = None
        if result["decoded"] == "docIDs" and result["lists"] in ("random", "clustered"):
            target = DECODE_TARGETS.get(result["codec"])
        rate = result["postings"] / result["seconds"] / 1e9
        rows.append([result["codec"], result["decoded"], result["lists"],
                     f"{rate:.0f}" + (" **misses**" if target and rate < target else "")
                     + ("" if result["right"] else " **wrong values**"), number(target, 0),
                     f"{result['postings'] / result['floor_seconds'] / 1e9:.0f}",
                     f"{result['seconds'] / result['floor_seconds']:.1f}"])
    return table(["codec", "decoded", "lists", "G/s", "target", "at the floor", "time / floor"],
                 rows)


def by_length(document):
    """(codec, decoded) to [(length, seconds of one list alone, G values a second of many)]."""
    found = {}
    for entry in document.get("by_length", []):
        alone, many = entry["alone"], entry["many"]
        found.setdefault((alone["codec"], alone["decoded"]), []).append(
            (entry["length"], alone["seconds"], many["postings"] / many["seconds"] / 1e9))
    return found


def length_table(document):
    """Of one list a launch, and of many: as in Figure 4 of Ding et al."""
    found = by_length(document)
    lengths = sorted({length for points in found.values() for length, _, _ in points})
    rows = []
    for (codec, decoded), points in found.items():
        cells = {length: f"{seconds * 1e6:.1f}, {rate:.0f}" for length, seconds, rate in points}
        rows.append([codec, decoded] + [cells.get(length, "–") for length in lengths])
    return table(["codec", "decoded"] + [f"{length:,}" for length in lengths], rows)


def rows_table(document):
    """Of the benchmarks that write rows: their titles, and a target where selection has one."""
    titles = list(document["rows"][0])
    selects = document.get("benchmark") == "select"
    rows = []
    for row in document["rows"]:
        cells = [f"{value:g}" if isinstance(value, float) else str(value) for value in row.values()]
        if selects:
            is_wanted = (row["type"], row["keys"], row["method"]) == ("float", "random", "chosen")
            target = SELECT_TARGETS.get(row["k"]) if is_wanted and row["rows"] == 10000 else None
            misses = target is not None and row["of copy"] < target
            cells.append(number(target) + (" **misses**" if misses else ""))
        rows.append(cells)
    return table(titles + (["target"] if selects else []), rows)


def kernel_tables(kernels):
    parts = []
    if "decode" in kernels:
        parts.append("Decoding\n\n" + decode_table(kernels["decode"]))
        if kernels["decode"].get("by_length"):
            parts.append("Decoding by the length of lists: µs of a launch with one list, and G "
                         "values a second of many in one launch\n\n"
                         + length_table(kernels["decode"]))
    for name, title in (("select", "Selection"), ("merge_find", "Parallel Merge Find")):
        if name in kernels:
            parts.append(title + "\n\n" + rows_table(kernels[name]))
    if "torch" in kernels:
        parts.append("torch.topk, on the same kinds of rows\n\n```\n" + kernels["torch"]["said"]
                     + "\n```")
    return parts
