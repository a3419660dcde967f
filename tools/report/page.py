# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page of headings, text, tables and pictures, as Markdown and as HTML."""

import dataclasses
import html
import os
import re

STYLE = """
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: #222;
       background: #fff; }
table { border-collapse: collapse; font-size: 0.85rem; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ddd; padding: 0.2rem 0.6rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
td strong { color: #B34E00; }
svg { width: 100%; height: auto; }
code { background: #f3f3f3; padding: 0 0.2em; }
"""


@dataclasses.dataclass
class Heading:
    level: int
    text: str

    def markdown(self):
        return "#" * self.level + " " + self.text

    def html(self, _):
        return f"<h{self.level}>{inline(self.text)}</h{self.level}>"


@dataclasses.dataclass
class Text:
    text: str

    def markdown(self):
        return self.text

    def html(self, _):
        return f"<p>{inline(self.text)}</p>"


@dataclasses.dataclass
class Listing:
    lines: list

    def markdown(self):
        return "\n".join("- " + line for line in self.lines)

    def html(self, _):
        return "<ul>" + "".join(f"<li>{inline(line)}</li>" for line in self.lines) + "</ul>"


@dataclasses.dataclass
class Table:
    header: list
    rows: list
    folded: str = ""  # what to click on, if the table is shown only then

    def markdown(self):
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"<details><summary>{self.folded}</summary>\n\n{table}\n\n</details>" if self.folded else table

    def html(self, _):
        head = "".join(f"<th>{inline(cell)}</th>" for cell in self.header)
        rows = "".join("<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in row) + "</tr>\n" for row in self.rows)
        table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
        return f"<details><summary>{inline(self.folded)}</summary>{table}</details>" if self.folded else table


@dataclasses.dataclass
class Picture:
    file: str
    about: str
    draw: object  # draw(path) makes the file
    introduced_by: int = 0  # how many blocks before it are of no use without it

    def markdown(self):
        return f"![{self.about}]({self.file})"

    def html(self, folder):
        with open(os.path.join(folder, self.file), encoding="utf-8") as f:
            svg = f.read()
        label = html.escape(self.about, quote=True)
        return svg[svg.index("<svg"):].replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def inline(text):
    """Markdown's code, bold and links as HTML."""
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\[([^]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text)


def without_missing(blocks, folder):
    """The blocks without pictures that the folder does not have; folder None: without any."""
    kept = []
    for block in blocks:
        if not isinstance(block, Picture) or folder and os.path.exists(os.path.join(folder, block.file)):
            kept.append(block)
        elif block.introduced_by:
            del kept[-block.introduced_by:]
    return kept


def as_markdown(blocks):
    spdx = "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->"
    return "\n\n".join([spdx, *(block.markdown() for block in blocks)]) + "\n"


def as_html(blocks, folder):
    title = html.escape(blocks[0].text)
    body = "\n".join(block.html(folder) for block in blocks)
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            f"<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n")
