"""The table of what has a target, and the plot of the times of one GPU against GPUs."""
import math

from vectors_gpu.report import COLOURS as _COLOURS
from vectors_gpu.report import DASHES

LEAST_SHARE = {"replicas": 0.9, "parts": 0.85}
KMEANS_ON_FOUR = 3.16  # Johnson et al., 8.1 M x 784, 4,096 clusters
RAY = 0.8              # of the speed in one process
COLUMNS, PANEL, GAP, MARGIN, TOP, LEGEND = 3, (260, 200), (80, 56), 50, 50, 16
COLOURS = [*_COLOURS.values(), "#a3c", "#d80"]


def line(points, style):
    return f"<polyline points='{' '.join(f'{x:.1f},{y:.1f}' for x, y in points)}' {style}/>"


def goal(figure):
    """(what is compared, its target) of a figure with several GPUs, or none."""
    what, form = figure.row.what, figure.row.form
    if figure.times is None or figure.gpus == 1:
        return None
    if form == "replicas" and what.endswith("queries a GPU"):
        return figure.share, LEAST_SHARE["replicas"]
    if form == "shards" and "documents a GPU" in what and what.endswith("queries"):
        return figure.share, LEAST_SHARE["parts"]
    if what.startswith("k-means") and what.endswith(" 4096 clusters") and figure.gpus == 4:
        return figure.times, KMEANS_ON_FOUR
    return None


def verdict(value, target):
    return "met" if value >= target else f"**misses** ({value:.2f})"


def ray_rows(figures):
    """Of each set, the speed through Ray beside that in one process."""
    times = {(one.devices, one.row.what): one.row.milliseconds for one in figures}
    for (devices, what), taken in times.items():
        alone = times.get((devices, what.replace(", Ray", ", one process")))
        if what.endswith(", Ray") and alone:
            yield f"{what} over one process", devices, alone / taken


def target_rows(figures):
    """Of what has a target, a row for all sets of GPUs."""
    found = {}
    for one in figures:
        if goal(one):
            found.setdefault((one.row.what, one.row.form), []).append(one)
    for (what, form), some in found.items():
        value, target = goal(some[0])
        yield [f"{what}, {form}", "; ".join(one.devices for one in some),
               "; ".join(f"{one.row.milliseconds:.4g}" for one in some),
               "; ".join(f"{one.times:.2f}" for one in some),
               "; ".join(f"{one.share:.2f}" for one in some),
               f"{target} of linear" if value == some[0].share else f"{target} times",
               "; ".join(verdict(*goal(one)) for one in some)]


def answer_rows(answers):
    """One for all that is the same, and one for each that differs."""
    compared = {what: sums for what, sums in answers.items() if len(sums) > 1}
    differ = [what for what, sums in compared.items() if len(set(sums)) > 1]
    same = [sums for what, sums in compared.items() if what not in differ]
    if same:
        yield [f"answers: {len(same)} kinds, {sum(map(len, same))} runs", "", "", "", "",
               "the same bits", "met"]
    for what in differ:
        yield [f"answers: {what}", "", "", "", "", "the same bits", "**misses**"]


def table(results):
    """Markdown: of what has a target, milliseconds and times one GPU on each set; and answers."""
    figures = results.figures()
    rows = [["what", "GPUs", "ms", "times one GPU", "of linear", "target", "verdict"], ["---"] * 7]
    rows += target_rows(figures)
    rows += [[what, devices, "", f"{value:.2f}", "", f"{RAY} times", verdict(value, RAY)]
             for what, devices, value in ray_rows(figures)]
    rows += answer_rows(results.answers())
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def panels(figures):
    """Titles, to the lines of their panels, to points (GPUs, times of one)."""
    found = {}
    for one in figures:
        if one.row.is_drawn and one.times is not None and one.gpus > 1:
            collection, _, rest = one.row.what.partition(", ")
            found.setdefault(f"{collection}, {one.row.form}", {}).setdefault(
                rest or collection, {})[one.gpus] = one.times
    return found


def plot(results):
    """SVG; both axes are logarithmic, and the grey line is as fast as GPUs are many."""
    drawn = panels(results.figures())
    most = max([2] + [gpus for lines in drawn.values() for points in lines.values()
                      for gpus in points])
    legend = LEGEND * max([1] + [len(lines) for lines in drawn.values()])
    step = PANEL[0] + GAP[0], PANEL[1] + GAP[1] + legend
    width = MARGIN + COLUMNS * step[0]
    height = TOP + max(1, -(-len(drawn) // COLUMNS)) * step[1]
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
           f"viewBox='0 0 {width} {height}' font-family='sans-serif' font-size='11' fill='#222'>",
           "<rect width='100%' height='100%' fill='white'/>",
           f"<text x='{MARGIN}' y='16'>Upwards: times as fast as one GPU; to the right: GPUs; grey: "
           "as many times as GPUs</text>"]
    for i, (title, lines) in enumerate(drawn.items()):
        out += panel(title, lines, most, MARGIN + i % COLUMNS * step[0], TOP + i // COLUMNS * step[1])
    return "\n".join(out) + "\n</svg>\n"


def panel(title, lines, most, left, top):
    """A grid with its numbers, the lines, and their names below."""
    low = min([1] + [times for points in lines.values() for times in points.values()])
    high = max([most] + [times for points in lines.values() for times in points.values()])
    bottom = math.floor(math.log2(low))
    height = max(1, math.ceil(math.log2(high))) - bottom

    def place(gpus, times):
        return (left + PANEL[0] * math.log2(gpus) / math.log2(most),
                top + PANEL[1] * (1 - (math.log2(times) - bottom) / height))

    out = [f"<text x='{left}' y='{top - 8}' font-weight='bold'>{title}</text>"]
    for power in range(bottom, bottom + height + 1):
        y = place(1, 2.0 ** power)[1]
        out.append(f"<line x1='{left}' y1='{y:.1f}' x2='{left + PANEL[0]}' y2='{y:.1f}' stroke='#ddd'/>")
        out.append(f"<text x='{left - 6}' y='{y + 4:.1f}' text-anchor='end'>{2.0 ** power:g}</text>")
    for gpus in sorted({1, most} | {gpus for points in lines.values() for gpus in points}):
        out.append(f"<text x='{place(gpus, 1)[0]:.1f}' y='{top + PANEL[1] + 14}' "
                   f"text-anchor='middle'>{gpus}</text>")
    out.append(line([place(1, 1), place(most, most)], "stroke='#bbb' fill='none'"))
    for i, (name, points) in enumerate(lines.items()):
        colour, dash = COLOURS[i % len(COLOURS)], DASHES[i // len(COLOURS) % len(DASHES)]
        style = f"stroke='{colour}' stroke-dasharray='{dash}' fill='none' stroke-width='1.6'"
        placed = [place(*point) for point in sorted({1: 1.0, **points}.items())]
        y = top + PANEL[1] + 32 + LEGEND * i
        out += [line(placed, style), line([(left, y - 4), (left + 24, y - 4)], style),
                f"<text x='{left + 30}' y='{y}'>{name}</text>"]
        out += [f"<circle cx='{x:.1f}' cy='{at:.1f}' r='2.5' fill='{colour}'/>" for x, at in placed]
    return out
