#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`onefold-ladder report` in a real browser: every figure is there, nothing overflows, nothing is
fetched, words have contrast; and the same checks catch a page with planted faults.

    report_test.py PROGRAM PAGES

PAGES: what `PROGRAM report --json` wrote.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import browser

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else ""
PAGES = sys.argv.pop(1) if len(sys.argv) > 1 else ""
NO_BROWSER = 77
LARGEST_BYTES = 6_000_000
WIDE = 1280  # pixels at which every figure is seen without scrolling

# What the page looks like to its reader; every list is empty on a good page.
LOOK = """(() => {
  const width = document.documentElement.clientWidth, slack = 1;
  const name = e => e.tagName + '#' + e.id + '.' + e.getAttribute('class');
  const visible = e => e.getClientRects().length > 0;
  const outside = [], small = [], silent = [], dead = [];
  for (const e of document.body.querySelectorAll('*:not(svg *)')) {
    if (!visible(e)) continue;
    const box = e.getBoundingClientRect(), home = e.parentElement.closest('.scroll');
    const right = home ? home.getBoundingClientRect().left + home.scrollWidth : width;
    if (box.left < -slack || box.right > right + slack) outside.push(name(e));
  }
  for (const svg of document.querySelectorAll('svg')) {
    const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal, inner = svg.getBBox();
    if (box.width < 1 || box.height < 1) small.push(name(svg));
    if (!svg.getAttribute('aria-label') || !svg.querySelector('title')) silent.push(name(svg));
    if (inner.x < -slack || inner.y < -slack || inner.x + inner.width > view.width + slack ||
        inner.y + inner.height > view.height + slack) outside.push('ink of ' + svg.ariaLabel);
  }
  const cut = [...document.querySelectorAll('figure > .scroll')]
    .filter(e => e.scrollWidth > e.clientWidth + slack).map(e => e.parentElement.id);
  for (const a of document.querySelectorAll('a[href^="#"]')) {
    if (!document.getElementById(a.getAttribute('href').slice(1))) dead.push(a.outerHTML);
  }
  const figures = {};
  for (const f of document.querySelectorAll('figure')) {
    const svg = f.querySelector('svg');
    const box = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
    figures[f.id] = box.width > 0 && box.height > 0;
  }
  return {outside, small, silent, dead, figures, cut,
          overflow: Math.max(0, document.documentElement.scrollWidth - width)};
})()"""

# The least contrast (WCAG 2.1) of words with what is behind them, page and drawings.
CONTRAST = """(() => {
  const parts = c => c.match(/[0-9.]+/g).map(Number);
  const light = c => { const [r, g, b] = parts(c).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ratio = (a, b) => { const x = light(a), y = light(b);
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
  const filled = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (!/, 0\\)$/.test(c) && c !== 'transparent') return c; } return 'rgb(255, 255, 255)'; };
  let least = 21, where = '';
  const note = (value, e) => {
    if (value < least) { least = value; where = e.outerHTML.slice(0, 90); } };
  const words = 'p, li, a, td, th, caption, figcaption, summary, pre span';
  for (const e of document.querySelectorAll(words))
    note(ratio(getComputedStyle(e).color, filled(e)), e);
  for (const t of document.querySelectorAll('svg text')) {
    const before = t.previousElementSibling, on = /on-(first|extra)/.test(t.getAttribute('class'));
    note(ratio(getComputedStyle(t).fill, on ? getComputedStyle(before).fill : filled(t)), t);
  }
  return [least, where];
})()"""


def expected_figures(pages):
    """The ids of the figures that these pages have something to draw for."""
    ids = {f"climb-{page['rung'].split('/')[0]}" for page in pages if not page["published"]}
    for page in pages:
        if page["trial"] is None:
            continue
        block = page["block_0"]
        has = {"lanes": block["steps"], "tree": page["tree"]["folds"],
               "banks": block["worst_shared_request"], "sectors": block["worst_global_request"],
               "scatter": block["first_global_loads"] or block["first_global_stores"]}
        ids |= {page["rung"].replace("/", "-") + "-" + kind for kind, data in has.items() if data}
    return ids


def faults(shown, path, width, expected):
    """What is wrong with the page at this width, in words."""
    shown.open(path, width)
    look = shown.value(LOOK)
    missing = sorted(i for i in expected if not look["figures"].get(i))
    found = [f"{kind}: {look[kind]}" for kind in ("outside", "small", "silent", "dead", "overflow")
             if look[kind]]
    found += [f"cut: {look['cut']}"] if width >= WIDE and look["cut"] else []
    found += [f"missing: {missing}"] if missing else []
    found += [f"fetched: {url}" for url in shown.requests()
              if url != path.as_uri() and not url.startswith("data:")]
    return found + [f"console: {message}" for message in shown.messages()]


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = pathlib.Path(cls.folder.name) / "report.html"
        subprocess.run([PROGRAM, "report", "-o", cls.file], check=True, stdout=subprocess.DEVNULL)
        cls.pages = json.loads(pathlib.Path(PAGES).read_text(encoding="utf-8"))["pages"]
        cls.expected = expected_figures(cls.pages)
        cls.browser = browser.Browser(browser.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def test_shows_every_rung_and_twin(self):
        listed = json.loads(subprocess.run([PROGRAM, "list", "--json"], check=True,
                                           stdout=subprocess.PIPE).stdout)["rungs"]
        self.assertEqual([p["rung"] for p in self.pages], [r["rung"] for r in listed])
        self.browser.open(self.file, 1280)
        sections = self.browser.value("[...document.querySelectorAll('section')].map(s => s.id)")
        self.assertEqual(sorted(sections), sorted(r["rung"].replace("/", "-") for r in listed))

    def test_is_whole_on_a_wide_screen(self):
        self.assertGreater(len(self.expected), 100)
        self.assertEqual(faults(self.browser, self.file, WIDE, self.expected), [])

    def test_is_whole_on_a_narrow_screen(self):
        self.assertEqual(faults(self.browser, self.file, 400, self.expected), [])

    def test_has_contrast_in_light_and_dark(self):
        for dark in (False, True):
            self.browser.open(self.file, 1280, dark)
            least, where = self.browser.value(CONTRAST)
            self.assertGreaterEqual(least, 4.5, f"dark {dark}: {where}")

    def test_is_small(self):
        self.assertLess(self.file.stat().st_size, LARGEST_BYTES)

    def plant(self, markup):
        bad = self.file.with_name("planted.html")
        bad.write_text(self.file.read_text().replace("</main>", markup + "</main>"))
        return " ".join(faults(self.browser, bad, 400, self.expected))

    def test_would_catch_an_image_from_elsewhere(self):
        self.assertIn("fetched: http://127.0.0.1:9/x.png",
                      self.plant('<img src="http://127.0.0.1:9/x.png" alt="">'))

    def test_would_catch_a_wide_element(self):
        found = self.plant('<div id="wide" style="width:2000px">wide</div>')
        self.assertIn("overflow: ", found)
        self.assertIn("DIV#wide", found)

    def test_would_catch_a_drawing_that_is_cut(self):
        bad = self.file.with_name("planted.html")
        bad.write_text(self.file.read_text().replace("</style>", "svg {max-width: none !important}"
                                                     "</style>"))
        self.assertIn("climb-reduce", " ".join(
            fault for fault in faults(self.browser, bad, WIDE, self.expected)
            if fault.startswith("cut: ")))

    def test_would_catch_a_script_that_complains(self):
        self.assertIn("console: ", self.plant("<script>console.log('here')</script>"))

    def test_would_catch_a_figure_that_is_lost(self):
        bad = self.file.with_name("planted.html")
        bad.write_text(self.file.read_text().replace('id="reduce-modulo-banks"', 'id="lost"'))
        self.assertIn("missing: ['reduce-modulo-banks']",
                      " ".join(faults(self.browser, bad, 1280, self.expected)))


class Interrupt(unittest.TestCase):
    def test_leaves_quietly_and_without_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "report.html"
            command = subprocess.Popen([PROGRAM, "report", "-o", file], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            time.sleep(0.3)
            command.send_signal(signal.SIGINT)
            out, error = command.communicate(timeout=60)
            self.assertEqual((command.returncode, out, error, os.listdir(folder)),
                             (-signal.SIGINT, b"", b"", []))


if __name__ == "__main__":
    if browser.find() is None:
        print("skipped: no Chromium is installed: apt install chromium")
        sys.exit(NO_BROWSER)
    unittest.main()
