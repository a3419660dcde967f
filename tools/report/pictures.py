# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of the page, drawn by matplotlib as SVG that is the same each time."""

import math

import matplotlib
from matplotlib import pyplot
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from . import patterns

# Okabe and Ito's colours, which those with any colour vision tell apart.
BLUE, ORANGE, GREEN, VERMILION, GREY, BLACK = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#8A8A8A", "#222222"
VERDICTS = {"faster": BLUE, "even": GREY, "slower": VERMILION}
GROUPS = {"Koalesce": (BLUE, "o"), "plain Kokkos": (ORANGE, "s"), "peers": (GREEN, "^")}
WIDTH = 10  # inches

matplotlib.use("svg")
matplotlib.rcParams.update({
    "svg.hashsalt": "Koalesce", "svg.fonttype": "none", "figure.facecolor": "white", "font.size": 9,
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "axes.titlesize": 10, "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.spines.top": False,
    "axes.spines.right": False, "axes.axisbelow": True, "axes.grid": True, "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6, "xtick.major.size": 2.5, "ytick.major.size": 2.5, "legend.frameon": False
})


def save(figure, path):
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def grid(panels, columns, heights, **options):
    """A figure of as many axes as panels, row by row, each row as high as its highest panel (inches)."""
    columns = min(columns, panels)
    rows = math.ceil(panels / columns)
    row_heights = [max(heights[r * columns:(r + 1) * columns]) for r in range(rows)]
    figure, axes = pyplot.subplots(rows, columns, figsize=(WIDTH, sum(row_heights)), squeeze=False,
                                   constrained_layout=True, gridspec_kw={"height_ratios": row_heights}, **options)
    axes = list(axes.flat)
    for unused in axes[panels:]:
        unused.set_visible(False)
    return figure, axes[:panels]


def ratio_ticks(axis):
    axis.set_major_locator(matplotlib.ticker.LogLocator(10, subs=(1, 2, 5)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))


def ratios(pattern, comparisons, path):
    """Bars of ours against the best alternative, case by case."""
    panels = {}
    for comparison in comparisons:
        panels.setdefault(pattern.panel_of(comparison.case), []).append(comparison)
    columns = 1 if len(panels) == 1 else 2
    figure, axes = grid(len(panels), columns, [0.55 + 0.185 * len(c) for c in panels.values()], sharex=True)
    least = min(c.ratio for c in comparisons)
    most = max(c.ratio for c in comparisons)
    for axis, (title, panel) in zip(axes, panels.items()):
        draw_ratios(axis, pattern, panel)
        axis.set_title(title)
        axis.set_xscale("log")
        axis.set_xlim(min(0.8, least * 0.85), max(2, most) ** (1.35 if columns == 1 else 1.75))
        ratio_ticks(axis.xaxis)
        axis.tick_params(labelbottom=True)
    axes[-1].set_xlabel("times as fast as the best alternative")
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
        axis.set_xlim(left=0)
        axis.tick_params(labelbottom=True)
    axes[-1].set_xlabel("bytes a second / those of the copy")
    axes[0].legend(handles.values(), handles.keys(), loc="lower right", bbox_to_anchor=(1, 1), ncol=3)
    save(figure, path)


def roofline(panels, path):
    """Flops a second over flops a byte. Panels: title -> (copy, [(label, group, intensity, flops a second)])."""
    figure, axes = grid(len(panels), 2, [3.4] * len(panels))
    handles = {}
    for axis, (title, (copy, points)) in zip(axes, panels.items()):
        for group in reversed(GROUPS):
            colour, marker = GROUPS[group]
            of_group = [(x, y) for _, g, x, y in points if g == group]
            if of_group:
                handles[group] = axis.plot(*zip(*of_group), marker, color=colour, markersize=4.5, alpha=0.75,
                                           markeredgewidth=0)[0]
        draw_roof(axis, copy, points, handles)
        label_intensities(axis, points)
        axis.set_title(title, pad=6)
        axis.set_ylabel("Gflop/s")
        axis.set_xlabel("flops a byte that must move")
    order = [g for g in (*GROUPS, "copy") if g in handles]
    figure.legend([handles[g] for g in order], order, loc="upper right", ncol=len(order), fontsize=9)
    figure.get_layout_engine() if hasattr(figure, "get_layout_engine") else None
    save(figure, path)


def draw_roof(axis, copy, points, handles):
    low, high = min(p[2] for p in points) / 2.5, max(p[2] for p in points) * 2.5
    bottom, top = min(p[3] for p in points) / 2, max(p[3] for p in points)
    top *= 8  # room for the labels
    if copy:
        end = min(high, top / (copy * 1e-9))
        handles["copy"] = axis.plot([low, end], [low * copy * 1e-9, end * copy * 1e-9], color=BLACK, linewidth=1.2,
                                    zorder=1)[0]
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlim(low, high)
    axis.set_ylim(bottom, top)
    for side in (axis.xaxis, axis.yaxis):
        side.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        side.set_minor_formatter(NullFormatter())


def label_intensities(axis, points):
    """What stands in each column of points, above the highest."""
    columns = []
    for label, _, x, y in sorted(points, key=lambda p: p[2]):
        if columns and x < columns[-1]["x"] * 1.2:
            columns[-1]["labels"] += [label] if label not in columns[-1]["labels"] else []
            columns[-1]["y"] = max(columns[-1]["y"], y)
        else:
            columns.append({"x": x, "y": y, "labels": [label]})
    for column in columns:
        axis.annotate(",\n".join(column["labels"]), (column["x"], column["y"]), xytext=(0, 6), ha="center",
                      textcoords="offset points", fontsize=7.5, color=BLACK)


def scaling(panels, path):
    """Lines over sizes. Panels: title -> (what rises, {implementation: (group, [(size, rate)])})."""
    columns = 3 if len(panels) > 2 else len(panels)
    figure, axes = grid(len(panels), columns, [2.5] * len(panels))
    styles = ("-", "--", ":")
    for axis, (title, (unit, lines)) in zip(axes, panels.items()):
        used = {}
        for name, (group, points) in lines.items():
            colour, marker = GROUPS.get(group, (BLACK, "."))
            used[group] = used.get(group, -1) + 1
            axis.plot(*zip(*sorted(points)), marker=marker, color=colour, linestyle=styles[used[group] % 3],
                      markersize=4, linewidth=1.2, label=name)
        axis.set_title(title)
        axis.set_xscale("log")
        axis.set_ylim(bottom=0)
        axis.set_ylabel(unit)
        axis.set_xlabel("elements")
        axis.legend(fontsize=7)
    save(figure, path)
