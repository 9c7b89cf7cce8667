"""The table of the best of each system at three recalls, and the plot."""
import math

LEVELS = (0.9, 0.95, 0.99)
COLOURS = {"warpdex": "#c22", "cuvs": "#26c", "faiss": "#2a2"}
DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "10 4", "4 1")
PANEL, GAP, MARGIN, TOP = (330, 250), (70, 62), 60, 30
LEAST_RECALL = 0.7  # in the plot
# Of a method's points, around (0, 0): so that a lone point tells its method, too.
MARKS = ("m-3,-3h6v6h-6z", "m0,-4l4,7h-8z", "m0,-4l4,4l-4,4l-4,-4z", "m0,4l4,-7h-8z",
         "m-3,-3l6,6m0,-6l-6,6", "m-4,0h8m-4,-4v8", "m-4,0h8")


def numbers(rows):
    """Rows with their numbers as such."""
    return [{**row, "recall": float(row["recall"]), "ms": float(row["ms"]), "k": int(row["k"]),
             "batch": int(row["batch"])} for row in rows]


def best(rows, level):
    """The fastest row of that recall, or none."""
    return min((row for row in rows if row["recall"] >= level), key=lambda row: row["ms"],
               default=None)


def cell(row):
    if row is None:
        return "-"
    return f"{row['ms']:.3g} ({row['method']}, {row['setting']})"


def table(rows):
    """Markdown: data set, k, batch and recall against the systems' best, in milliseconds a batch."""
    rows = numbers(rows)
    systems = sorted({row["system"] for row in rows}, key=lambda one: (one != "warpdex", one))
    lines = ["| data | k | batch | recall | " + " | ".join(f"{one}, ms" for one in systems) + " | peer / own |",
             "|" + "---|" * (5 + len(systems))]
    for name in dict.fromkeys(row["data"] for row in rows):
        of_data = [row for row in rows if row["data"] == name]
        for k, batch in sorted({(row["k"], row["batch"]) for row in of_data},
                               key=lambda one: (-one[1], one[0])):
            some = [row for row in of_data if row["k"] == k and row["batch"] == batch]
            for level in LEVELS:
                found = {one: best([row for row in some if row["system"] == one], level)
                         for one in systems}
                peers = [row["ms"] for one, row in found.items() if row and one != "warpdex"]
                own = found.get("warpdex")
                ratio = f"{min(peers) / own['ms']:.2f}" if own and peers else "-"
                cells = " | ".join(cell(found[one]) for one in systems)
                lines.append(f"| {name} | {k} | {batch:,} | {level} | {cells} | {ratio} |")
    return "\n".join(lines)


def plot(rows, k=10):
    """SVG: a panel a data set, of the largest batch; queries a second against recall. Data sets that
    nobody reached LEAST_RECALL on have none."""
    rows = [row for row in numbers(rows)
            if row["k"] == k and row["batch"] > 1 and row["recall"] >= LEAST_RECALL]
    names = list(dict.fromkeys(row["data"] for row in rows))
    methods = list(dict.fromkeys((row["system"], row["method"]) for row in rows))
    columns = [[one for one in methods if (one[0] == "warpdex") == own] for own in (True, False)]
    legend = TOP + -(-len(names) // 2) * (PANEL[1] + GAP[1])
    width = MARGIN + 2 * (PANEL[0] + GAP[0])
    height = legend + 20 * max(map(len, columns)) + 10
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
           f"viewBox='0 0 {width} {height}' font-family='sans-serif' font-size='12' fill='#222'>",
           "<rect width='100%' height='100%' fill='white'/>"]
    styles = styles_of(methods)
    for i, name in enumerate(names):
        left = MARGIN + (i % 2) * (PANEL[0] + GAP[0])
        top = TOP + (i // 2) * (PANEL[1] + GAP[1])
        out += panel([row for row in rows if row["data"] == name], k, left, top, styles)
    for i, column in enumerate(columns):
        for j, one in enumerate(column):
            x, y = MARGIN + i * (PANEL[0] + GAP[0]), legend + 20 * j
            out += curve([(x, y - 4), (x + 17, y - 4), (x + 34, y - 4)], styles[one], marks=[1])
            out.append(f"<text x='{x + 42}' y='{y}'>{': '.join(one)}</text>")
    return "\n".join(out) + "\n</svg>\n"


def styles_of(methods):
    """(colour, dashes, mark) of each: the colour is the system's."""
    styles = {}
    for system, method in methods:
        number = sum(one[0] == system for one in styles)
        styles[system, method] = (COLOURS.get(system, "#888"), DASHES[number % len(DASHES)],
                                  MARKS[number % len(MARKS)])
    return styles


def curve(points, style, marks=None):
    """A line through the points, with marks at those of these numbers, or at all."""
    colour, dashes, mark = style
    shown = points if marks is None else [points[i] for i in marks]
    dashed = f" stroke-dasharray='{dashes}'" if dashes else ""
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return [f"<polyline points='{line}' stroke='{colour}' fill='none' stroke-width='1.2'{dashed}/>",
            *(f"<path d='M{x:.1f},{y:.1f}{mark}' fill='{colour}' stroke='{colour}'/>"
              for x, y in shown)]


def short(number):
    """100 k for 100,000."""
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if number >= unit:
            return f"{number / unit:g}{name}"
    return f"{number:g}"


def panel(rows, k, left, top, styles):
    """One data set's, with recall from LEAST_RECALL to 1 and a logarithmic scale of speed."""
    speeds = [row["batch"] / row["ms"] * 1e3 for row in rows]
    low = math.floor(math.log10(min(speeds)))
    high = max(low + 1, math.ceil(math.log10(max(speeds))))

    def place(recall, speed):
        x = left + (recall - LEAST_RECALL) / (1 - LEAST_RECALL) * PANEL[0]
        y = top + PANEL[1] * (high - math.log10(speed)) / (high - low)
        return x, y

    one = rows[0]
    out = [f"<text x='{left}' y='{top - 8}' font-weight='bold'>{one['data']}: "
           f"{short(int(one['rows']))} vectors, batches of {one['batch']:,}</text>"]
    for power in range(low, high + 1):
        y = place(1, 10 ** power)[1]
        out.append(f"<line x1='{left}' y1='{y:.1f}' x2='{left + PANEL[0]}' y2='{y:.1f}' stroke='#ddd'/>")
        out.append(f"<text x='{left - 6}' y='{y + 4:.1f}' text-anchor='end'>{short(10 ** power)}</text>")
    for recall in (0.7, 0.8, 0.9, 1.0):
        x = place(recall, 1)[0]
        out.append(f"<line x1='{x:.1f}' y1='{top}' x2='{x:.1f}' y2='{top + PANEL[1]}' stroke='#ddd'/>")
        out.append(f"<text x='{x:.1f}' y='{top + PANEL[1] + 16}' text-anchor='middle'>{recall}</text>")
    out.append(f"<text x='{left + PANEL[0] / 2}' y='{top + PANEL[1] + 32}' text-anchor='middle'>"
               f"share of the {k} nearest found; up: queries a second</text>")
    for (system, method), style in styles.items():
        points = sorted(place(row["recall"], row["batch"] / row["ms"] * 1e3) for row in rows
                        if (row["system"], row["method"]) == (system, method))
        if points:
            out += curve(points, style)
    return out
