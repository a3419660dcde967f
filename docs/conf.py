# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sphinx' settings for the guide; tools/docs runs it."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent

project = "Koalesce"
author = "Koalesce contributors"
project_copyright = author
version = release = ".".join(
    re.findall(r"#define KOALESCE_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)",
               (ROOT / "core/include/Koalesce/Version.hpp").read_text(encoding="utf-8")))

extensions = ["breathe", "myst_parser"]
exclude_patterns = ["_build"]
nitpicky = False

# The pages are read on code hosting sites, too: headings are link targets there.
myst_heading_anchors = 4

breathe_projects = {"Koalesce": str(ROOT / "build/docs/doxygen/xml")}
breathe_default_project = "Koalesce"
breathe_default_members = ("members",)
breathe_show_include = False

highlight_language = "cpp"  # of the headers' comments; the pages name theirs
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["guide.css"]  # examples are wider than the theme's column
html_title = f"Koalesce {release}"
html_show_sphinx = False
html_copy_source = False
