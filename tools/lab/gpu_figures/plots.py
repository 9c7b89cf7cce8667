"""Plots as SVG, without a library: bars, lines over logarithmic axes, parts of a whole."""
import html
import math

from gpu_figures import tables

COLOURS = ("#3a7", "#c63", "#36c", "#939", "#a92", "#577", "#d39", "#555", "#7b2", "#28a", "#bbb")
FONT = 'font-family="sans-serif" font-size="11"'
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg"/>\n'


def svg(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" {FONT}>'
            f'<rect width="{width}" height="{height}" fill="white"/>\n'
            + "\n".join(parts) + "\n</svg>\n")


def text(x, y, words, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(str(words))}</text>'


def line(x1, y1, x2, y2, colour="#ccc", width=1):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"/>')


class LogAxis:
    """Values from `values` to places from `begin` to `end`; whole powers of ten are marked."""

    def __init__(self, values, begin, end):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values)) - 1e-9), self.low + 1)
        self.begin, self.end = begin, end

    def place(self, value):
        share = (math.log10(max(value, 10.0 ** self.low)) - self.low) / (self.high - self.low)
        return self.begin + (self.end - self.begin) * share

    def marks(self):
        return [10.0 ** power for power in range(self.low, self.high + 1)]


def engine(rows):
    """Microseconds a query as bars on a logarithmic scale; ticks where all lists are read once."""
    rows = [row for row in rows if row.get("microseconds_a_query")]
    if not rows:
        return EMPTY
    values = [row["microseconds_a_query"] for row in rows]
    values += [row["read_once"] for row in rows if row["read_once"] > 0]
    axis = LogAxis(values, 360, 780)
    height = 18 * len(rows) + 50
    parts = [text(10, 15, "µs a query (bars); all of its lists read once (ticks)")]
    for mark in axis.marks():
        parts += [line(axis.place(mark), 22, axis.place(mark), height - 24),
                  text(axis.place(mark), height - 8, f"{mark:g}", "middle")]
    for i, row in enumerate(rows):
        y, x = 26 + 18 * i, axis.place(row["microseconds_a_query"])
        colour = "#999" if row["case"].endswith(("CPU", "one core")) else COLOURS[0]
        floor = axis.place(row["read_once"])
        parts += [text(352, y + 11, f"{row['collection']}: {row['case']}", "end"),
                  f'<rect x="360" y="{y}" width="{x - 360:.1f}" height="13" fill="{colour}"/>',
                  line(floor, y, floor, y + 13, "black", 2),
                  text(x + 4, y + 11, f"{row['microseconds_a_query']:.2f}")]
    return svg(860, height, parts)


def curves(title, x_title, y_title, series):
    """`series`: by name, points (x, y), all above 0. Both axes are logarithmic."""
    series = {name: sorted(points) for name, points in series.items() if points}
    if not series:
        return EMPTY
    every = [point for points in series.values() for point in points]
    across, up = LogAxis([x for x, _ in every], 60, 560), LogAxis([y for _, y in every], 330, 30)
    parts = [text(10, 15, title), text(310, 372, x_title, "middle"), text(10, 358, y_title)]
    for mark in across.marks():
        parts += [line(across.place(mark), 30, across.place(mark), 330),
                  text(across.place(mark), 345, f"{mark:,.10g}", "middle")]
    for mark in up.marks():
        parts += [line(60, up.place(mark), 560, up.place(mark)),
                  text(54, up.place(mark) + 4, f"{mark:g}", "end")]
    for i, (name, points) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{across.place(x):.1f},{up.place(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{across.place(x):.1f}" cy="{up.place(y):.1f}" r="2.5" '
                  f'fill="{colour}"/>' for x, y in points]
        parts += [line(575, 40 + 16 * i, 595, 40 + 16 * i, colour, 2),
                  text(600, 44 + 16 * i, name)]
    return svg(800, 385, parts)


def decoding(document):
    series = {f"{codec}, {decoded}": [(length, rate) for length, _, rate in points]
              for (codec, decoded), points in tables.by_length(document).items()}
    return curves("Decoding, many lists a launch", "postings of a list", "G values a second",
                  series)


def merge_find(document, is_of_like_length):
    """By levels of recursion: lists of like length, or 200,000 against longer ones."""
    series = {}
    for row in document.get("rows", []):
        if row["found"] != "elements":
            continue
        if (row["shorter"] == row["longer"] and row["shorter"] != 200_000) == is_of_like_length:
            series.setdefault(f"{row['levels']:g} levels", []).append(
                (row["longer"], row["microseconds"]))
    what = "lists of like length" if is_of_like_length else "200,000 against a longer list"
    return curves("Parallel Merge Find: " + what, "elements of the longer", "µs", series)


def selection(document):
    series = {}
    for row in document.get("rows", []):
        if row["rows"] == 10000 and row["method"] == "chosen":
            series.setdefault(f"{row['type']}, {row['keys']}", []).append(
                (row["k"], 100 * row["of copy"]))
    return curves("Selection, 10,000 rows of 131,072", "k", "% of the copy's speed", series)


def stages(rows):
    """What the time of each row with stages goes into: parts of a bar."""
    rows = [row for row in rows if row.get("document", {}).get("stage_microseconds")]
    if not rows:
        return EMPTY
    names = list(rows[0]["document"]["stage_microseconds"])
    most = max(sum(row["document"]["stage_microseconds"].values()) for row in rows) or 1
    parts = [text(10, 15, "µs a query, by stage")]
    for i, row in enumerate(rows):
        y, x = 46 + 24 * i, 230.0
        times = row["document"]["stage_microseconds"]
        parts.append(text(222, y + 13, f"{row['collection']}: {row['case']}", "end"))
        for j, name in enumerate(names):
            width = 500 * times[name] / most
            parts.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="18" '
                         f'fill="{COLOURS[j % len(COLOURS)]}"/>')
            x += width
        parts.append(text(x + 4, y + 13, f"{sum(times.values()):.2f}"))
    for j, name in enumerate(names):
        x = 10 + 73 * j
        parts += [f'<rect x="{x}" y="24" width="10" height="10" '
                  f'fill="{COLOURS[j % len(COLOURS)]}"/>', text(x + 14, 33, name)]
    return svg(820, 60 + 24 * len(rows), parts)


def every(rows, kernels):
    """Plots by their files' names."""
    decode, select = kernels.get("decode", {}), kernels.get("select", {})
    find = kernels.get("merge_find", {})
    return {"figures": engine(rows), "stages": stages(rows), "decode": decoding(decode),
            "select": selection(select), "merge_find": merge_find(find, True),
            "merge_find_200000": merge_find(find, False)}
