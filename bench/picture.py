#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README's picture of rows on a GPU: the share of the ceiling that each library reaches, and
the largest error of its answers in ulps.

    bench/picture.py [RESULT.json] [--check]

RESULT is a file of bench/gpu_peers.py (default: bench/results/h200/gpu_peers_torch.json). Writes
docs/pictures/gpu-rows-light.svg and -dark.svg, and the README's lines that show them. --check:
writes nothing; the exit code is 1 where what is there is not what would be written.
"""

import argparse
import html
import json
import math
import pathlib
import sys

from report import write_between

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench/results/h200/gpu_peers_torch.json"
FOLDER = ROOT / "docs/pictures"
NAME = "gpu-rows"

OURS = "onefold"
PEERS = ("PyTorch", "torch.compile", "Triton")
# Rows of the result, and what the picture calls them; peers are ahead in some of each kind.
ROWS = {
    "rows of 1024: sum f32": "sum, rows of 1024 float32",
    "rows of 1024: sum f32, cancelling": "sum, rows of 1024 that cancel to zero",
    "rows of 1024: var f32": "var, rows of 1024 float32",
    "rows of 1024: var f32, far from zero": "var, rows of 1024 far from zero",
    "rows of 8: var f32": "var, rows of 8 float32",
    "rows of 1024: logsumexp f32": "logsumexp, rows of 1024 float32",
    "rows of 8: logsumexp f32": "logsumexp, rows of 8 float32",
}

# Drawn 800 wide, so that its letters are still legible at half of that.
WIDTH, MARGIN = 800, 16
BARS = (170, 250)    # where the axis of shares begins, and its length
ERRORS = (500, 215)  # the axis of errors, likewise
DECADES = (-1, 11)   # of its ends, in ulps
HEAD, ROW, STEP, GROUP = 84, 24, 25, 34

THEMES = {
    "light": {"ground": "#ffffff", "text": "#1f2328", "faint": "#59636e", "line": "#d1d9e0",
              "ours": "#0969da", "peer": "#8c959f"},
    "dark": {"ground": "#0d1117", "text": "#f0f6fc", "faint": "#9198a1", "line": "#3d444d",
             "ours": "#4493f8", "peer": "#7d8590"},
}


class Drawing:
    """Elements of an SVG, in the colours of a theme."""

    def __init__(self, theme):
        self.theme, self.lines = theme, []

    def text(self, x, y, words, color="text", size=18, anchor="start", weight="normal"):
        self.lines.append(
            f'<text x="{x:g}" y="{y:g}" fill="{self.theme[color]}" font-size="{size}" '
            f'font-weight="{weight}" text-anchor="{anchor}">{html.escape(words)}</text>')

    def bar(self, x, y, width, color):
        self.lines.append(f'<rect x="{x:g}" y="{y:g}" width="{width:.1f}" height="{ROW - 6}" '
                          f'fill="{self.theme[color]}"/>')

    def dot(self, x, y, color):
        self.lines.append(f'<circle cx="{x:.1f}" cy="{y:g}" r="7" fill="{self.theme[color]}"/>')

    def upright(self, x, top, bottom, dashed=False):
        dash = ' stroke-dasharray="4 4"' if dashed else ""
        self.lines.append(f'<path d="M{x:.1f} {top:g}V{bottom:g}" '
                          f'stroke="{self.theme["line"]}" stroke-width="2"{dash}/>')

    def svg(self, height, title, description):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
            f'font-family="system-ui, sans-serif">\n<title>{html.escape(title)}</title>\n'
            f"<desc>{html.escape(description)}</desc>\n"
            f'<rect width="{WIDTH}" height="{height:g}" fill="{self.theme["ground"]}"/>\n'
            + "\n".join(self.lines) + "\n</svg>\n")


def measured(result):
    """[(words, [(library, share of the ceiling, largest error)])] in the order of ROWS."""
    entries = {entry["row"]: entry for entry in result["rows"]}
    found = []
    for row, words in ROWS.items():
        if row not in entries:
            sys.exit(f"picture: the result has no row named {row}")
        by_name = {peer["peer"]: peer for peer in (entries[row][OURS], *entries[row]["peers"])}
        found.append((words, [(name, by_name[name]["of ceiling"], by_name[name]["ulps"]["max"])
                              for name in (OURS, *PEERS) if name in by_name]))
    return found


def in_words(ulps):
    """0.5, 39.6, 4900, 1.4e6"""
    if ulps >= 1e5:
        mantissa, exponent = f"{ulps:.1e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{float(f'{ulps:.3g}'):g}"


def error_at(ulps):
    """Where an error lies on its axis; what is below the axis lies at its beginning."""
    first, last = DECADES
    place = (math.log10(max(ulps, 10.0**first)) - first) / (last - first)
    return ERRORS[0] + ERRORS[1] * min(place, 1)


def title(result):
    return f"Rows of 1 GiB reduced on an {result['gpu']}"


def description(groups):
    return ". ".join(
        f"{words}: " + ", ".join(f"{name} {share:.2f} of the ceiling, at most {in_words(ulps)} ulps"
                                 for name, share, ulps in bars)
        for words, bars in groups)


def picture(result, theme):
    groups, drawing = measured(result), Drawing(THEMES[theme])
    drawing.text(MARGIN, 30, title(result), size=22, weight="bold")
    drawing.text(BARS[0], 60, "share of the ceiling", "faint")
    drawing.text(ERRORS[0], 60, "largest error, ulps (log scale)", "faint")
    y = HEAD
    bottom = HEAD + sum(GROUP + STEP * len(bars) for _, bars in groups)
    for words, bars in groups:
        drawing.text(MARGIN, y + 20, words, weight="bold")
        y += GROUP - 6
        for share in (0, 0.5, 1):
            drawing.upright(BARS[0] + share * BARS[1], y, y + STEP * len(bars))
        drawing.upright(error_at(0.5), y, y + STEP * len(bars), dashed=True)
        for name, share, ulps in bars:
            color = "ours" if name == OURS else "peer"
            drawing.text(BARS[0] - 10, y + 16, name, size=17, anchor="end")
            drawing.bar(BARS[0], y + 2, BARS[1] * min(share, 1), color)
            drawing.text(BARS[0] + BARS[1] + 10, y + 16, f"{share:.2f}", size=17)
            drawing.dot(error_at(ulps), y + 11, color)
            drawing.text(error_at(ulps) + 13, y + 17, in_words(ulps), size=17)
            y += STEP
        y += 6
    drawing.text(MARGIN, bottom + 24, "Dashed: 0.5 ulp, the error of a correctly rounded answer. "
                 "Bound of logsumexp: 2^-29.8.", "faint", 16)
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    drawing.text(MARGIN, bottom + 46, f"{result['runs'][-1]['date']}; {versions}", "faint", 13)
    return drawing.svg(bottom + 60, title(result), description(groups))


def shown(result):
    """The README's lines: the picture of the reader's theme, and its figures in words."""
    folder = FOLDER.relative_to(ROOT)
    return (
        f'<picture>\n<source media="(prefers-color-scheme: dark)" '
        f'srcset="{folder}/{NAME}-dark.svg">\n<img src="{folder}/{NAME}-light.svg" width="800" '
        f'alt="{html.escape(title(result))}. {html.escape(description(measured(result)))}.">\n'
        "</picture>\n")


def main():
    plain = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("result", nargs="?", type=pathlib.Path, default=RESULT)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    asked = parser.parse_args()
    result = json.loads(asked.result.read_text(encoding="utf-8"))
    pictures = {FOLDER / f"{NAME}-{theme}.svg": picture(result, theme) for theme in THEMES}
    if asked.check:
        stale = [path for path, text in pictures.items()
                 if not path.exists() or path.read_text(encoding="utf-8") != text]
        if shown(result) not in (ROOT / "README.md").read_text(encoding="utf-8"):
            stale.append(ROOT / "README.md")
        for path in stale:
            print(f"picture: {path.relative_to(ROOT)} is not what {asked.result.name} gives; "
                  "run bench/picture.py")
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, text in pictures.items():
        path.write_text(text, encoding="utf-8")
    write_between(ROOT / "README.md", "picture", shown(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
