# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of the page, drawn by matplotlib as SVG that is the same each time."""

import io
import math
import re

import matplotlib
from matplotlib import pyplot
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from . import patterns

# Okabe and Ito's colours, which those with any colour vision tell apart.
BLUE, ORANGE, GREEN, VERMILION, GREY, BLACK = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#8A8A8A", "#222222"
VERDICTS = {"faster": BLUE, "even": GREY, "slower": VERMILION}
GROUPS = {"Koalesce": (BLUE, "o"), "plain Kokkos": (ORANGE, "s"), "peers": (GREEN, "^")}
WIDTH = 10  # inches
FONTS = ["DejaVu Sans", "Verdana"]  # as wide as each other

matplotlib.use("svg")
matplotlib.rcParams.update({
    "svg.hashsalt": "Koalesce", "svg.fonttype": "none", "figure.facecolor": "white", "font.size": 9,
    "font.sans-serif": FONTS,
    "axes.titlesize": 10, "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.spines.top": False,
    "axes.spines.right": False, "axes.axisbelow": True, "axes.grid": True, "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6, "xtick.major.size": 2.5, "ytick.major.size": 2.5, "legend.frameon": False
})


def save(figure, path):
    """Without what changes from day to day, or only makes the file large."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    pyplot.close(figure)
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text.getvalue(), flags=re.S)
    svg = re.sub(r"(\d\.\d\d)\d+", r"\1", svg)
    svg = re.sub(r' id="(?![mp][0-9a-f]{10}")\w[^"]*"| transform="rotate\(-0[^"]*"', "", svg)
    svg = re.sub(r"font: ([\d.]+px)[^;\"]*", r"font-size: \1", svg).replace(
        "</style>", "text{font-family: " + ", ".join(f"'{name}'" for name in FONTS) + ", sans-serif}</style>", 1)
    svg = svg.replace("<svg", "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->\n<svg", 1)
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(line.strip() for line in svg.splitlines() if line.strip()) + "\n")


def grid(panels, columns, heights, **options):
    """A figure of as many axes as panels, row by row, each row as high as its highest panel (inches)."""
    columns = min(columns, panels)
    rows = math.ceil(panels / columns)
    row_heights = [max(heights[r * columns:(r + 1) * columns]) for r in range(rows)]
    figure, axes = pyplot.subplots(rows, columns, figsize=(WIDTH, sum(row_heights) + 0.4), squeeze=False,
                                   constrained_layout=True, gridspec_kw={"height_ratios": row_heights}, **options)
    axes = list(axes.flat)
    for unused in axes[panels:]:
        unused.set_visible(False)
    return figure, axes[:panels]


def top_legend(figure, handles, columns):
    """A legend above all panels; the empty title keeps its room."""
    figure.suptitle("\n" * ((len(handles) - 1) // columns) + " ", fontsize=13)
    figure.legend(handles.values(), handles.keys(), loc="upper center", ncol=columns)


def ratio_ticks(axis, wide):
    axis.set_major_locator(LogLocator(10, subs=(1, 2, 5) if wide else (1, 1.5, 2, 3, 5, 7)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))


def ratios(pattern, comparisons, path):
    """Bars of ours against the best alternative, case by case."""
    panels = {}
    for comparison in comparisons:
        panels.setdefault(pattern.panel_of(comparison.case), []).append(comparison)
    columns = 1 if len(panels) == 1 else 2
    figure, axes = grid(len(panels), columns, [0.55 + 0.185 * len(c) for c in panels.values()], sharex=True)
    low = min(0.8, *(c.ratio * 0.9 for c in comparisons))
    most = max(1.5, *(c.ratio for c in comparisons))
    for axis, (title, panel) in zip(axes, panels.items()):
        draw_ratios(axis, pattern, panel)
        axis.set_title(title)
        axis.set_xscale("log")
        axis.set_xlim(low, low * (most / low) ** (1.25 if columns == 1 else 1.55))  # room for the text
        ratio_ticks(axis.xaxis, most > 9)
        axis.tick_params(labelbottom=True)
    axes[-1].set_xlabel("times as fast as the best alternative")
    within = f"within {100 * patterns.EVEN:.0f} %"
    handles = {within if v == "even" else v: Patch(color=colour) for v, colour in VERDICTS.items()}
    top_legend(figure, handles, len(handles))
    save(figure, path)


def draw_ratios(axis, pattern, comparisons):
    for row, c in enumerate(comparisons):
        axis.barh(row, c.ratio - 1, left=1, height=0.72, color=VERDICTS[c.verdict])
        axis.annotate(f"{c.ratio:.2f}  {c.rival}", (max(c.ratio, 1), row), xytext=(4, 0), textcoords="offset points",
                      va="center", fontsize=7.5, color=VERMILION if c.verdict == "slower" else BLACK)
    several = len(pattern.ours) > 1
    names = [pattern.row_of(c.case) + (f" ({c.ours})" if several else "") for c in comparisons]
    axis.set_yticks(range(len(names)), names, fontsize=8)
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.axvline(1, color=BLACK, linewidth=0.8)
    axis.grid(axis="y", visible=False)


def copy_shares(panels, path):
    """Dots: which share of the copy's bandwidth each reaches. Panels: title -> [(case, {group: share})]."""
    figure, axes = grid(len(panels), 1, [0.6 + 0.19 * len(p) for p in panels.values()], sharex=True)
    right = 1.04 * max(1, *(share for cases in panels.values() for _, shares in cases for share in shares.values()))
    handles = {}
    for axis, (title, cases) in zip(axes, panels.items()):
        axis.set_title(title)
        for row, (_, shares) in enumerate(cases):
            for group, share in shares.items():
                colour, marker = GROUPS[group]
                handles[group] = axis.plot(share, row, marker, color=colour, markersize=6, alpha=0.9, linestyle="none",
                                           zorder=3 if group == "Koalesce" else 2)[0]
        axis.set_yticks(range(len(cases)), [name for name, _ in cases], fontsize=8)
        axis.set_ylim(len(cases) - 0.4, -0.6)
        axis.axvline(1, color=BLACK, linewidth=0.8)
        axis.set_xlim(0, right)
        axis.tick_params(labelbottom=True)
    axes[-1].set_xlabel("bytes a second / those of the copy")
    top_legend(figure, ordered(handles), 3)
    save(figure, path)


def ordered(handles):
    return {group: handles[group] for group in (*GROUPS, *handles) if group in handles}


def roofline(panels, path):
    """Flops a second over flops a byte. Panels: title -> (copy, peak or None, [(label, group, flops a byte, flops)])."""
    figure, axes = grid(len(panels), 2, [3.4] * len(panels))
    handles, labels = {}, []
    for axis, (title, (copy, peak, points)) in zip(axes, panels.items()):
        scale, unit = (1e-12, "Tflop/s") if max(p[3] for p in points) > 5e12 else (1e-9, "Gflop/s")
        points = [(label, group, x, y * scale) for label, group, x, y in points]
        for group in reversed(GROUPS):
            colour, marker = GROUPS[group]
            of_group = [(x, y) for _, g, x, y in points if g == group]
            if of_group:
                handles[group] = axis.plot(*zip(*of_group), marker, color=colour, markersize=4.5, alpha=0.75,
                                           markeredgewidth=0)[0]
        roof = draw_roof(axis, *(limit * scale if limit else math.inf for limit in (copy, peak)), points)
        handles.update({"roof": roof} if roof else {})
        labels.append(label_columns(axis, points))
        axis.set_title(title)
        axis.set_ylabel(unit)
        axis.set_xlabel("flops a byte that must move")
    top_legend(figure, ordered(handles), 4)
    for of_panel in labels:
        part_labels(figure, of_panel)
    save(figure, path)


def draw_roof(axis, copy, peak, points):
    """The limits of a panel, and the roof if there is one: bytes a second and flops a second, or infinite."""
    low, high = min(p[2] for p in points) / 2.5, max(p[2] for p in points) * 2.5
    highest = max(p[3] for p in points)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlim(low, high)
    axis.set_ylim(min(p[3] for p in points) / 30, 4 * highest if math.isinf(peak) else 1.6 * max(highest, peak))
    for side in (axis.xaxis, axis.yaxis):
        side.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        side.set_minor_formatter(NullFormatter())
    if math.isinf(copy) and math.isinf(peak):
        return None
    xs = [low, min(max(peak / copy, low), high), high]
    return axis.plot(xs, [min(x * copy, peak) for x in xs], color=BLACK, linewidth=1.2, zorder=1)[0]


def label_columns(axis, points):
    """What stands in each column of points, below the lowest."""
    columns = []
    for label, _, x, y in sorted(points, key=lambda p: p[2]):
        if columns and x < columns[-1]["x"] * 1.2:
            columns[-1]["labels"] += [label] if label not in columns[-1]["labels"] else []
            columns[-1]["y"] = min(columns[-1]["y"], y)
        else:
            columns.append({"x": x, "y": y, "labels": [label]})
    return [axis.annotate(",\n".join(column["labels"]), (column["x"], column["y"]), xytext=(0, -6), ha="center", va="top",
                          textcoords="offset points", fontsize=7.5, color=BLACK) for column in columns]


def part_labels(figure, labels):
    """Moves labels down, from left to right, until none touches one before it."""
    figure.draw_without_rendering()
    placed = []
    for label in labels:
        while any(label.get_window_extent().padded(2).overlaps(other) for other in placed):
            x, y = label.xyann
            label.xyann = x, y - 2
        placed.append(label.get_window_extent())


def short_count(count):
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= unit:
            return f"{count / unit:.3g}{name}"
    return f"{count:g}"


def scaling(panels, path):
    """Lines over sizes. Panels: title -> (what rises, {implementation: (group, [(size, rate)])})."""
    figure, axes = grid(len(panels), 3, [2.3] * len(panels))
    styles, handles = {}, {}
    for axis, (title, (unit, lines)) in zip(axes, panels.items()):
        for name, (group, points) in lines.items():
            colour, marker = GROUPS.get(group, (BLACK, "."))
            of_group = styles.setdefault(group, {})
            style = of_group.setdefault(name, ("-", "--", ":", "-.")[len(of_group) % 4])
            handles[name] = axis.plot(*zip(*sorted(points)), marker=marker, color=colour, linestyle=style, markersize=4,
                                      linewidth=1.2)[0]
        axis.set_title(title, fontsize=8.5)  # a case's whole name
        axis.set_xscale("log")
        axis.set_ylim(bottom=0)
        axis.set_ylabel(unit)
        axis.set_xlabel("elements")
        sizes = sorted({size for _, points in lines.values() for size, _ in points})
        axis.xaxis.set_minor_locator(NullLocator())
        ticks = sizes[::-2][::-1] if len(sizes) > 6 else sizes  # more labels would touch each other
        axis.set_xticks(ticks, [short_count(size) for size in ticks], fontsize=7.5)
    top_legend(figure, handles, 6)
    save(figure, path)
