#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`onefold-ladder report` in a real browser, as a folder of pages and as one file: every rung has
its story and its figures, nothing overflows or is cut, nothing is fetched, words have contrast, the
keyboard reaches everything; and the same checks catch a page with planted faults.

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
LARGEST_BYTES = 8_000_000
WIDE, NARROW = 1280, 400  # pixels: every figure is seen whole at both

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
    if (!visible(svg)) continue;
    if (box.width < 1 || box.height < 1) small.push(name(svg));
    if (!svg.getAttribute('aria-label') || !svg.querySelector('title')) silent.push(name(svg));
    if (inner.x < -slack || inner.y < -slack || inner.x + inner.width > view.width + slack ||
        inner.y + inner.height > view.height + slack) outside.push('ink of ' + svg.ariaLabel);
  }
  const cut = [...document.querySelectorAll('figure > .scroll')].filter(visible)
    .filter(e => e.scrollWidth > e.clientWidth + slack).map(e => e.parentElement.id);
  for (const a of document.querySelectorAll('a[href^="#"]')) {
    if (!document.getElementById(a.getAttribute('href').slice(1))) dead.push(a.outerHTML);
  }
  const figures = {};
  for (const f of document.querySelectorAll('figure')) {
    const svg = f.querySelector('svg');
    figures[f.id] = svg !== null && svg.childElementCount > 1;
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
  const words = 'p, li, a, td, th, caption, figcaption, summary, pre, pre span, code, ' +
    'h1, h2, h3, button, output';
  for (const e of document.querySelectorAll(words))
    note(ratio(getComputedStyle(e).color, filled(e)), e);
  for (const t of document.querySelectorAll('svg text')) {
    let box = t.previousElementSibling;
    while (box && box.tagName === 'text') box = box.previousElementSibling;
    const on = /on-(first|extra|tone)/.test(t.getAttribute('class'));
    note(ratio(getComputedStyle(t).fill, on ? getComputedStyle(box).fill : filled(t)), t);
  }
  return [least, where];
})()"""


# What a step of the first figure with a slider looks like, after some keys.
STEPS = """(() => {
  const figure = document.querySelector('.stepper').closest('figure');
  return {shown: [...figure.querySelectorAll('g.step')]
            .filter(g => getComputedStyle(g).visibility === 'visible').length,
          steps: figure.querySelectorAll('g.step').length,
          place: figure.querySelector('output').textContent,
          focus: document.activeElement.tagName};
})()"""

# The drawings of a page without what names it.
DRAWINGS = """[...document.querySelectorAll('figure svg')]
  .filter(svg => !svg.closest('figure').id.match(/-(banks|sectors|scatter)$/))
  .map(svg => { const copy = svg.cloneNode(true); copy.querySelector('title').remove();
                return copy.innerHTML; }).join()"""

LAST_WARPS = ("reduce/last-warp", "reduce/unrolled", "reduce/cascading", "dot/last-warp",
              "published/last-warp-plain", "published/last-warp-volatile")
BY_INTEGERS = ("reduce/integers", "reduce/exact")  # their blocks leave no elements, but limbs
KEYS = {"Tab": 9, "Enter": 13, "ArrowLeft": 37, "ArrowRight": 39}


def file_of(rung):
    return rung.replace("/", "-") + ".html"


def expected_figures(page):
    """The ids of the figures that this page has something to draw for."""
    if page["trial"] is None:
        return set()
    block = page["block_0"]
    has = {"lanes": block["steps"], "tree": page["tree"]["folds"],
           "banks": block["worst_shared_request"], "sectors": block["worst_global_request"],
           "scatter": block["first_global_loads"] or block["first_global_stores"],
           "map": page["rung"].startswith("reduce/"),
           "launches": page["rung"].startswith("reduce/") and page["rung"] not in BY_INTEGERS,
           "last-warp": page["rung"] in LAST_WARPS}
    return {page["rung"].replace("/", "-") + "-" + kind for kind, data in has.items() if data}


def faults(shown, path, width, expected=(), dark=False):
    """What is wrong with the page at this width, in words."""
    shown.open(path, width, dark)
    look = shown.value(LOOK)
    missing = sorted(i for i in expected if not look["figures"].get(i))
    kinds = ("outside", "small", "silent", "dead", "overflow", "cut")
    found = [f"{kind}: {look[kind]}" for kind in kinds if look[kind]]
    found += [f"missing: {missing}"] if missing else []
    least, where = shown.value(CONTRAST)
    found += [f"contrast: {least:.2f} of {where}"] if least < 4.5 else []
    found += [f"fetched: {url}" for url in shown.requests()
              if url != path.as_uri() and not url.startswith("data:")]
    return found + [f"console: {message}" for message in shown.messages()]


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = pathlib.Path(cls.folder.name) / "report.html"
        cls.course = pathlib.Path(cls.folder.name) / "build" / "course"
        for place in (cls.file, cls.course):
            subprocess.run([PROGRAM, "report", "-o", place], check=True,
                           stdout=subprocess.DEVNULL)
        cls.pages = json.loads(pathlib.Path(PAGES).read_text(encoding="utf-8"))["pages"]
        cls.expected = {page["rung"]: expected_figures(page) for page in cls.pages}
        cls.browser = browser.Browser(browser.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def open(self, rung, width=WIDE):
        self.browser.open(self.course / file_of(rung), width)

    def test_has_a_page_for_every_rung_and_defect(self):
        listed = json.loads(subprocess.run([PROGRAM, "list", "--json"], check=True,
                                           stdout=subprocess.PIPE).stdout)["rungs"]
        self.assertEqual([p["rung"] for p in self.pages], [r["rung"] for r in listed])
        for rung in listed:
            self.assertTrue((self.course / file_of(rung["rung"])).is_file(), rung["rung"])

    def test_every_page_is_whole_at_both_widths_and_in_both_themes(self):
        figures = {file_of(rung): ids for rung, ids in self.expected.items()}
        self.assertGreater(sum(map(len, figures.values())), 150)
        for path in sorted(self.course.iterdir()):
            for width, dark in ((WIDE, False), (NARROW, True)):
                with self.subTest(path=path.name, width=width, dark=dark):
                    found = faults(self.browser, path, width, figures.get(path.name, ()), dark)
                    self.assertEqual(found, [])

    def test_one_file_is_whole_at_both_widths_and_in_both_themes(self):
        expected = set().union(*self.expected.values())
        for width, dark in ((WIDE, True), (NARROW, False)):
            self.assertEqual(faults(self.browser, self.file, width, expected, dark), [])
        self.assertLess(self.file.stat().st_size, LARGEST_BYTES)

    def test_next_leads_through_every_page_and_previous_back(self):
        follow = """rel => (a => a ? a.getAttribute('href') : '')(
          document.querySelector('a[rel=' + rel + ']'))"""
        name, visited = "index.html", []
        while name:
            visited.append(name)
            self.browser.open(self.course / name, WIDE)
            self.assertEqual(self.browser.value(f"({follow})('prev')"),
                             visited[-2] if len(visited) > 1 else "")
            name = self.browser.value(f"({follow})('next')")
            self.assertNotIn(name, visited)
        self.assertEqual(sorted(visited), sorted(p.name for p in self.course.iterdir()))

    def test_links_between_pages_lead_to_pages(self):
        for path in self.course.iterdir():
            self.browser.open(path, WIDE)
            for target in self.browser.value(
                    "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"):
                if not target.startswith(("#", "http")):
                    self.assertTrue((self.course / target).is_file(), f"{path.name}: {target}")

    def test_a_link_has_the_words_of_its_own_brackets(self):
        self.open("host")  # "[1] to [5] are the [documents of the ladder](...)"
        words = self.browser.value("[...document.querySelectorAll('a')].map(a => a.textContent)")
        self.assertIn("documents of the ladder", words)

    def test_a_story_has_its_parts_in_order(self):
        self.open("reduce/strided")
        heads = self.browser.value("[...document.querySelectorAll('h2')].map(h => h.textContent)")
        self.assertEqual(heads, ["Idea", "Code", "Pictures", "Counts", "Verdicts", "Exercise"])
        self.assertTrue(self.browser.value("document.querySelector('.question').textContent"))

    def test_the_first_page_begins_with_the_climb(self):
        self.browser.open(self.course / "index.html", WIDE)
        self.assertTrue(self.browser.value("""
          document.querySelector('#start-times').compareDocumentPosition(
            document.querySelector('h2')) === Node.DOCUMENT_POSITION_FOLLOWING"""))
        linked = self.browser.value("[...document.querySelectorAll('main ul a')].map(a => "
                                    "a.getAttribute('href'))")
        for chapter in ("reduce", "dot", "image", "loop", "published"):
            self.assertIn(chapter + ".html", linked)

    def test_a_defect_can_be_looked_for_before_it_is_told(self):
        self.open("published/unguarded")
        shown = """(() => ({code: document.querySelector('pre.kernel').textContent,
          open: document.querySelector('.answer').open,
          outline: getComputedStyle(document.querySelector('pre .at')).outlineStyle}))()"""
        before = self.browser.value(shown)
        self.assertTrue(before["code"].startswith("template"), before["code"])
        self.assertEqual((before["open"], before["outline"]), (False, "none"))
        self.browser.value("document.querySelector('.answer').open = true")
        self.assertEqual(self.browser.value(shown)["outline"], "solid")

    def test_names_of_rungs_in_the_prose_are_links(self):
        self.open("glossary")
        linked = self.browser.value("""[...document.querySelectorAll('td a')].map(
          a => [a.textContent, a.getAttribute('href')])""")
        self.assertIn(["reduce/strided", "reduce-strided.html"], linked)

    def test_the_prose_of_the_documents_is_in_it(self):
        self.open("reduce/strided")
        self.assertIn("Lane t takes over the pair that lane 2st had",
                      self.browser.value("document.body.textContent"))

    def test_both_worked_examples_are_a_click_away(self):
        self.open("reduce/sequential")
        opened = self.browser.value("""[...document.querySelectorAll('details.example')].map(d => {
          d.querySelector('summary').click();
          d.open = true;
          return d.querySelector('svg').getBoundingClientRect().height > 0; })""")
        self.assertEqual(opened, [True, True])

    def test_times_are_given_at_one_length(self):
        for ladder in ("reduce", "dot", "image", "loop"):
            self.browser.open(self.course / (ladder + ".html"), WIDE)
            caption = self.browser.value(
                f"document.querySelector('#times-{ladder} figcaption').textContent")
            self.assertIn("67,108,864", caption)

    def drawings(self, rung):
        self.open(rung)
        return self.browser.value(DRAWINGS)

    def test_pictures_differ_by_rung(self):
        drawn = {}
        for page in self.pages:
            if page["trial"] is not None and page["rung"].startswith("reduce/"):
                looks = self.drawings(page["rung"])
                self.assertFalse(looks in drawn, f"{page['rung']} as {drawn.get(looks)}")
                drawn[looks] = page["rung"]

    def test_a_defect_does_not_look_like_the_repaired_rung(self):
        for page in self.pages:
            if page["trial"] is not None and page["published"] and page["previous"]:
                looks = self.drawings(page["rung"])
                self.assertFalse(looks == self.drawings(page["previous"]), page["rung"])

    def test_the_keyboard_moves_the_slider(self):
        self.open("reduce/strided")
        self.press("Tab")
        self.assertEqual(self.browser.value("document.activeElement.className"), "skip")
        self.browser.value("document.querySelector('.stepper input').focus() || ''")
        whole = self.browser.value(STEPS)
        self.assertEqual((whole["shown"], whole["focus"]), (whole["steps"], "INPUT"))
        self.press("ArrowLeft")
        self.assertEqual(self.browser.value(STEPS)["shown"], whole["steps"] - 1)
        self.press("Tab")  # to the button for one step on
        self.press("Enter")
        after = self.browser.value(STEPS)
        self.assertEqual((after["shown"], after["focus"]), (whole["steps"], "BUTTON"))
        self.assertEqual(after["place"], f"{whole['steps']} of {whole['steps']}")

    def test_everything_is_there_without_script(self):
        self.open("reduce/last-warp")
        whole = self.browser.value("document.querySelector('main').textContent.length")
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.open("reduce/last-warp")
            self.assertEqual(self.browser.value("document.querySelectorAll('.stepper').length"), 0)
            self.assertEqual(self.browser.value(
                "[...document.querySelectorAll('g.step')].filter(g => "
                "getComputedStyle(g).visibility !== 'visible').length"), 0)
            plain = self.browser.value("document.querySelector('main').textContent.length")
            self.assertGreater(plain, whole * 0.9)
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)

    def press(self, key):
        text = {"text": "\r"} if key == "Enter" else {}
        self.browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key,
                          windowsVirtualKeyCode=KEYS[key], **text)
        self.browser.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key,
                          windowsVirtualKeyCode=KEYS[key])

    def planted(self, old, new, width=NARROW):
        """The faults of a page in which something was exchanged."""
        text = (self.course / "reduce-modulo.html").read_text(encoding="utf-8")
        self.assertIn(old, text)
        bad = pathlib.Path(self.folder.name) / "planted.html"
        bad.write_text(text.replace(old, new), encoding="utf-8")
        return " ".join(faults(self.browser, bad, width, self.expected["reduce/modulo"]))

    def test_would_catch_an_image_from_elsewhere(self):
        self.assertIn("fetched: http://127.0.0.1:9/x.png",
                      self.planted("</main>", '<img src="http://127.0.0.1:9/x.png" alt=""></main>'))

    def test_would_catch_a_wide_element(self):
        found = self.planted("</main>", '<div id="wide" style="width:2000px">wide</div></main>')
        self.assertIn("overflow: ", found)
        self.assertIn("DIV#wide", found)

    def test_would_catch_a_drawing_that_is_cut(self):
        self.assertIn("cut: ['reduce-modulo-",
                      self.planted("</style>", "svg {width: 50rem !important; "
                                               "max-width: none !important}</style>", WIDE))

    def test_would_catch_a_script_that_complains(self):
        self.assertIn("console: ",
                      self.planted("</main>", "<script>console.log('here')</script></main>"))

    def test_would_catch_a_figure_that_is_lost(self):
        self.assertIn("missing: ['reduce-modulo-banks']",
                      self.planted('id="reduce-modulo-banks"', 'id="lost"'))

    def test_would_catch_faint_words(self):
        self.assertIn("contrast: ",
                      self.planted("</style>", "figcaption {color: #aab}</style>"))


class Interrupt(unittest.TestCase):
    def test_leaves_quietly_and_without_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "report.html"
            # A test run in the background of a script inherits that SIGINT is ignored.
            command = subprocess.Popen([PROGRAM, "report", "-o", file], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(
                                           signal.SIGINT, signal.SIG_DFL))
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
