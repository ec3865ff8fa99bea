#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Draws what a terminal showed, and puts reports into docs/screens.md; screens.sh calls it.

    screens.py CAPTURE WIDTH SVG           text with SGR sequences -> a picture
    screens.py --page PAGE MARKDOWN CSV    the parts of the page between its marks, anew
"""

import html
import pathlib
import re
import sys

# rich's own frame loads a font from the net; this one takes the reader's.
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; white-space: pre; }}
{styles}
</style>
<rect fill="#14171c" width="100%" height="100%" rx="6" />
<g transform="translate(8, 8)">{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


CELL = 12  # rich's width of a character: 20 pixels high, 0.6 of it wide
TEXT = re.compile(r'<text class="([^"]*)" x="([\d.]+)" y="([\d.]+)" textLength="[\d.]+"[^>]*>([^<]*)</text>')


def pieces(match):
    """A text as one element for each word group: viewers differ in what they make of blanks."""
    name, x, y, content = match.groups()
    text = html.unescape(content).replace("\xa0", " ")
    elements = []
    for part in re.finditer(r"\S+(?: \S+)*", text):
        left = float(x) + CELL * part.start()
        words = html.escape(part[0], quote=False)
        elements.append(f'<text class="{name}" x="{left:g}" y="{y}" '
                        f'textLength="{CELL * len(part[0])}">{words}</text>')  # fmt: skip
    return "".join(elements)


def draw(capture, width, svg):
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme
    from rich.text import Text

    theme = TerminalTheme(
        (20, 23, 28), (216, 219, 226),
        [(60, 64, 72), (240, 113, 120), (152, 195, 121), (229, 192, 123),
         (97, 175, 239), (198, 120, 221), (86, 182, 194), (216, 219, 226)],
        [(110, 115, 125), (255, 123, 130), (166, 210, 135), (240, 205, 140),
         (120, 190, 250), (210, 140, 230), (100, 200, 210), (255, 255, 255)],
    )  # fmt: skip
    console = Console(record=True, width=width, file=open("/dev/null", "w"), legacy_windows=False)
    text = pathlib.Path(capture).read_text()
    # At once: what begins on one line may end on another.
    console.print(Text.from_ansi(text.rstrip("\n")), no_wrap=True, overflow="ignore", crop=False)
    picture = console.export_svg(title="", theme=theme, code_format=FRAME, unique_id="t",
                                 font_aspect_ratio=0.6)  # fmt: skip
    # Lines of a font that is wider would be cut.
    picture = re.sub(r' clip-path="url\(#t-line-\d+\)"', "", picture)
    picture = TEXT.sub(pieces, picture)
    picture = "\n".join(line.strip() for line in picture.split("\n") if line.strip())
    pathlib.Path(svg).write_text(picture + "\n")


def put(page, name, text):
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    head, found, rest = page.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"no marks of {name} in the page")
    return head + begin + text + end + tail


def fill(page, markdown, csv):
    path = pathlib.Path(page)
    text = path.read_text()
    report = pathlib.Path(markdown).read_text()
    # Below the headings of the page.
    report = re.sub(r"^(#+) ", r"##\1 ", report, flags=re.M)
    text = put(text, "markdown", report.rstrip("\n") + "\n")
    csv_text = pathlib.Path(csv).read_text().replace("\r\n", "\n")
    text = put(text, "csv", "```\n" + csv_text + "```\n")
    path.write_text(text)


def main():
    if sys.argv[1] == "--page":
        fill(*sys.argv[2:])
    else:
        draw(sys.argv[1], int(sys.argv[2]), sys.argv[3])


if __name__ == "__main__":
    main()
