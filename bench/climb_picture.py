#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The picture of the climb: from one atomic update an element to the exact sum.

    bench/climb_picture.py [RESULT.json] [--out FOLDER] [--check]

RESULT is what `onefold ladder climb --json` wrote on a GPU (default: that of the H200). Writes
climb-light.svg and climb-dark.svg to docs/pictures, and the lines of README.md and docs/ladder.md
that show them; with --out the pictures alone, to FOLDER. The height of a bar is its bandwidth, the
dashed line plain reading in the same run; the colour is the largest error over the shuffles, in
ulps of the exact sum rounded once, and its figure is under the bar. A bar links its page. --check
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
RESULT = ROOT / "bench/results/h200/ladder_climb.json"
FOLDER = ROOT / "docs/pictures"
SHOWN_ON = (ROOT / "README.md", ROOT / "docs/ladder.md")
PAGES = "../ladder.md"  # from the folder of the pictures

WIDTH, MARGIN = 800, 56      # of the drawing, and of its left side
TOP, HEIGHT = 64, 260        # where the bars' axis begins, and its length
LABELS = 150                 # below the axis: names at a slant, errors
GROUND = {"light": "#ffffff", "dark": "#0d1117"}
TEXT = {"light": "#1f2328", "dark": "#f0f6fc"}
FAINT = {"light": "#59636e", "dark": "#9198a1"}
# (largest error in ulps, what it is called, colour on light, on dark)
ERRORS = ((0, "none", "#0969da", "#4493f8"),
          (2, "up to 2 ulps", "#1a7f37", "#3fb950"),
          (100, "up to 100", "#9a6700", "#d29922"),
          (math.inf, "more", "#cf222e", "#f85149"))


def grade(ulps):
    """The row of ERRORS that an error belongs to."""
    return next(row for row in ERRORS if ulps <= row[0])


def bandwidth(result, step):
    """In GB/s."""
    return result["n"] * 4 / step["median_us"] * 1e-3


def reading(result):
    return result["n"] * 4 / result["reading_us"] * 1e-3


def in_words(ulps):
    """0, 0.5, 42, 1.3e6"""
    if ulps < 1e5:
        return f"{float(f'{ulps:.3g}'):g}"
    mantissa, exponent = f"{ulps:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def section(name):
    """The section of the ladder that explains a step."""
    rung = {"onefold exact": "reduce/exact", "CUB reproducible": "reduce/vendor"}.get(name, name)
    titles = (ROOT / "docs/ladder.md").read_text(encoding="utf-8").splitlines()
    title = next((t[4:] for t in titles if t.startswith(f"### `{rung}`")), "")
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -")
    return f"{PAGES}#{kept.replace(' ', '-')}" if title else PAGES


def described(result):
    steps = ", ".join(f"{s['name']} {bandwidth(result, s):.0f} GB/s, at most "
                      f"{in_words(s['largest_ulps'])} ulps off" for s in result["steps"])
    return f"{steps}; plain reading {reading(result):.0f} GB/s"


def title(result):
    return f"The sum of {result['n'] * 4 / 2**30:g} GiB of floats, {result['gpu']}"


def text(x, y, words, color, size=13, anchor="start", more=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" font-size="{size}" '
            f'text-anchor="{anchor}"{more}>{html.escape(words)}</text>')


def bar(result, step, at, width, ceiling, theme):
    """One step: its bar, its figures, its name at a slant."""
    height = HEIGHT * bandwidth(result, step) / ceiling
    top, middle = TOP + HEIGHT - height, at + width / 2
    color = grade(step["largest_ulps"])[2 if theme == "light" else 3]
    name = step["name"].removeprefix("reduce/").replace("vendor", "CUB")
    below = TOP + HEIGHT
    return "\n".join((
        f'<a href="{section(step["name"])}">',
        f'<rect x="{at:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="{color}"/>',
        text(middle, top - 5, f"{bandwidth(result, step):.0f}", TEXT[theme], 12, "middle",
             f' paint-order="stroke" stroke="{GROUND[theme]}" stroke-width="5"'),
        text(middle, below + 16, in_words(step["largest_ulps"]), TEXT[theme], 12, "middle"),
        text(middle, below + 34, name, TEXT[theme], 13, "end",
             f' transform="rotate(-40 {middle:.1f} {below + 34:.1f})"'),
        "</a>"))


def picture(result, theme):
    steps, ceiling = result["steps"], reading(result)
    for step in steps:  # no bar may leave its axis
        ceiling = max(ceiling, bandwidth(result, step))
    pitch = (WIDTH - MARGIN - 16) / len(steps)
    line = TOP + HEIGHT * (1 - reading(result) / ceiling)
    lines = [text(16, 26, title(result), TEXT[theme], 20, more=' font-weight="bold"'),
             text(16, 46, "height: GB/s; dashed: plain reading; below a bar: largest error over "
                          f"{result['shuffles']} shuffles, ulps", FAINT[theme])]
    lines.append(f'<path d="M{MARGIN} {line:.1f}H{WIDTH - 16}" stroke="{FAINT[theme]}" '
                 'stroke-dasharray="5 5" stroke-width="1.5"/>')
    lines += [bar(result, s, MARGIN + i * pitch + 4, pitch - 8, ceiling, theme)
              for i, s in enumerate(steps)]
    x, bottom = 16, TOP + HEIGHT + LABELS
    lines.append(text(x, bottom, "error:", FAINT[theme]))
    x += 44
    for _, words, *colors in ERRORS:
        lines.append(f'<rect x="{x}" y="{bottom - 11}" width="12" height="12" '
                     f'fill="{colors[theme == "dark"]}"/>')
        lines.append(text(x + 17, bottom, words, TEXT[theme]))
        x += 36 + 8 * len(words)
    lines.append(text(WIDTH - 16, bottom, f"{result['date']}, CUDA {result['runtime']}",
                      FAINT[theme], 12, "end"))
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 14}" '
            'role="img" font-family="system-ui, sans-serif">\n'
            f"<title>{html.escape(title(result))}</title>\n"
            f"<desc>{html.escape(described(result))}</desc>\n"
            f'<rect width="{WIDTH}" height="{bottom + 14}" fill="{GROUND[theme]}"/>\n')
    return head + "\n".join(lines) + "\n</svg>\n"


def shown(result, page):
    """A page's lines: the picture of the reader's theme, and its figures in words."""
    words = html.escape(f"{title(result)}: {described(result)}")
    folder = FOLDER.relative_to(page.parent)
    lines = ('<picture>\n<source media="(prefers-color-scheme: dark)" '
             f'srcset="{folder}/climb-dark.svg">\n<img src="{folder}/climb-light.svg" '
             f'width="{WIDTH}" alt="{words}">\n</picture>')
    return (f'<a href="docs/ladder.md">{lines}</a>' if page == SHOWN_ON[0] else lines) + "\n"


def main():
    plain = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("result", nargs="?", type=pathlib.Path, default=RESULT)
    parser.add_argument("--out", type=pathlib.Path, help="a folder for the pictures alone")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    result = json.loads(options.result.read_text(encoding="utf-8"))
    if result.get("schema") != 1 or not result.get("steps"):
        sys.exit(f"climb_picture: {options.result} is no run of the climb; write one by "
                 "onefold ladder climb --json")
    folder = options.out or FOLDER
    pages = SHOWN_ON if options.out is None else ()
    pictures = {folder / f"climb-{theme}.svg": picture(result, theme) for theme in GROUND}
    stale = [path for path, svg in pictures.items()
             if not path.exists() or path.read_text(encoding="utf-8") != svg]
    stale += [page for page in pages
              if shown(result, page) not in page.read_text(encoding="utf-8")]
    if options.check:
        for path in stale:
            print(f"climb_picture: {path.name} is not what {options.result.name} gives")
        return 1 if stale else 0
    folder.mkdir(parents=True, exist_ok=True)
    for path, svg in pictures.items():
        path.write_text(svg, encoding="utf-8")
    for page in pages:
        write_between(page, "climb", shown(result, page))
    return 0


if __name__ == "__main__":
    sys.exit(main())
