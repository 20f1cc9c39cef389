// SPDX-License-Identifier: Apache-2.0
// Colours carry nothing that words or shapes do not say too. Neighbours in one drawing differ in
// lightness, so that they do in grey as well; words have a contrast of 4.5 and more.
#include "ladder/report/report.hpp"

namespace onefold::ladder {

std::string_view report_style() {
  return R"css(
:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --quiet: #505a66; --rule: #ccd3da; --link: #064f9e;
  --works: #00507f; --idle: #e9edf1; --brought: #93bfe4; --first: #d3e6f7; --extra: #b5420a;
  --on-extra: #ffffff; --gone: #fbe4da; --new: #dcecf9; --panel: #f4f6f8; --now: #b5420a;
  --tone-0: #cfe4f7; --tone-1: #f3c98b; --tone-2: #9cc79a; --tone-3: #e3d3f2; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14181d; --ink: #e6edf3; --quiet: #a4b0bd; --rule: #3a434e; --link: #86c8ff;
  --works: #86c8ff; --idle: #2a313a; --brought: #33638f; --first: #1d3b57; --extra: #ffb066;
  --on-extra: #14181d; --gone: #4a2615; --new: #17364f; --panel: #1c2229; --now: #ffb066;
  --tone-0: #1d3b57; --tone-1: #6b4612; --tone-2: #2c5a33; --tone-3: #4a3566; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 66rem; padding: 1rem; }
article { max-width: 62rem; margin: 0 auto 4rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--extra); outline-offset: 2px; }
.skip { position: absolute; left: .5rem; top: .5rem; padding: .5rem; background: var(--paper);
  opacity: 0; pointer-events: none; z-index: 3; }
.skip:focus { opacity: 1; }
.bar { display: none; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2.2rem 0 .6rem; }
article > .chapter { margin: 1rem 0 0; color: var(--quiet); font-size: .9rem; }
article > .chapter + * { margin-top: 0; font-size: 2rem; }
.question { font-size: 1.3rem; line-height: 1.4; margin: .4rem 0 1.2rem;
  border-left: 4px solid var(--link); padding-left: .9rem; }
article p, article li { max-width: 46rem; }
.idea { font-size: 1.1rem; }
.quiet, figcaption, caption { color: var(--quiet); font-size: .9rem; }
code { font: .9em ui-monospace, monospace; background: var(--panel); padding: 0 .2em; }
.contents { padding: 1rem; font-size: .9rem; }
.contents .course { font-weight: 600; margin: 0 0 .6rem; }
.contents ol { list-style: none; margin: .2rem 0 .6rem; padding-left: .8rem; }
.contents a { display: inline-block; padding: .1rem 0; text-decoration: none; }
.contents a:hover, .contents a[aria-current] { text-decoration: underline; }
.contents a[aria-current] { font-weight: 600; }
.contents summary { margin: .2rem 0; }
.turn { display: flex; flex-wrap: wrap; gap: .8rem; margin-top: 2.5rem;
  border-top: 2px solid var(--rule); padding-top: 1rem; }
.turn a { flex: 1 1 14rem; padding: .7rem .9rem; border: 1px solid var(--rule);
  border-radius: .4rem; background: var(--panel); text-decoration: none; }
.turn a:hover { border-color: var(--link); }
.turn span { display: block; }
.turn .asks { color: var(--ink); }
.turn .next { text-align: right; }
.figures { display: grid; gap: 0 1.6rem; align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); }
figure { margin: 1rem 0; min-width: 0; }
figcaption { margin-top: .3rem; }
.example { min-width: 0; }
.stepper { display: flex; gap: .5rem; align-items: center; margin-bottom: .4rem; }
.stepper input { flex: 1 1 4rem; min-width: 4rem; accent-color: var(--works); }
.stepper button { font: inherit; font-size: .9rem; padding: .1rem .7rem; color: var(--ink);
  background: var(--panel); border: 1px solid var(--quiet); border-radius: .3rem; }
.stepper output { min-width: 4.5rem; text-align: right; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; max-width: 100%; overflow-wrap: normal; }
.scroll:has(> table) { background:
  linear-gradient(to right, var(--paper) 30%, transparent) left / 2.5rem 100% local no-repeat,
  linear-gradient(to left, var(--paper) 30%, transparent) right / 2.5rem 100% local no-repeat,
  linear-gradient(to right, var(--rule), transparent) left / .7rem 100% no-repeat,
  linear-gradient(to left, var(--rule), transparent) right / .7rem 100% no-repeat; }
table { border-collapse: collapse; min-width: min(100%, 36rem); margin: .6rem 0;
  font-variant-numeric: tabular-nums; font-size: .95rem; }
caption { text-align: left; padding-bottom: .2rem; }
th, td { text-align: left; padding: .2rem .7rem .2rem 0; vertical-align: top;
  border-bottom: 1px solid var(--rule); }
th { font-weight: 600; }
tbody th:has(a), tbody th:has(code) { white-space: nowrap; }
@media (max-width: 40rem) { table { min-width: 0; font-size: .875rem; } }
@media (max-width: 40rem) { tbody th:has(a), tbody th:has(code) { white-space: normal; } }
.number { text-align: right; }
td.number { white-space: nowrap; }
td:not(.number) { min-width: 4rem; }
.climb td:nth-child(2), .lines td:nth-child(2) { min-width: 10rem; }
.climb th, .climb td { padding-right: .5rem; }
.claims th { white-space: normal; min-width: 9rem; }
@media (min-width: 40.01rem) { .claims th { min-width: 16rem; } }
pre { margin: 0; padding: .6rem; background: var(--panel);
  font: 13px/1.4 ui-monospace, monospace; width: max-content; min-width: 100%; }
pre span { display: block; min-height: 1.4em; }
pre.kernel { counter-reset: line var(--first, 0); }
pre.kernel span::before { counter-increment: line; content: counter(line); color: var(--quiet);
  display: inline-block; width: 2.2em; margin-right: 1em; text-align: right; }
pre .left-out { color: var(--quiet); }
pre .gone { background: var(--gone); }
pre .new { background: var(--new); }
.answer { border: 1px solid var(--rule); border-radius: .4rem; padding: 0 .9rem;
  margin: .8rem 0; }
.answer[open] { padding-bottom: .6rem; }
article:has(.answer[open]) pre .at, pre.kernel span:target {
  outline: 2px solid var(--extra); outline-offset: -2px; }
summary { cursor: pointer; margin: .6rem 0 .3rem; font-weight: 600; }
.defect { border-left: 4px solid var(--extra); padding-left: .8rem; margin: 1rem 0; }
svg { display: block; width: 100%; max-width: 33rem; height: auto;
  font: 11px ui-monospace, monospace; }
svg text { fill: var(--ink); }
svg .small { font-size: 9px; }
svg .middle { text-anchor: middle; }
svg .end { text-anchor: end; }
svg .works { fill: var(--works); }
svg .idle { fill: var(--idle); }
svg .brought { fill: var(--brought); }
svg .first { fill: var(--first); }
svg .extra { fill: var(--extra); }
svg .tone-0 { fill: var(--tone-0); }
svg .tone-1 { fill: var(--tone-1); }
svg .tone-2 { fill: var(--tone-2); }
svg .tone-3 { fill: var(--tone-3); }
svg text.on-extra { fill: var(--on-extra); }
svg .edge { stroke: var(--quiet); stroke-width: 1; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .branch { stroke: var(--quiet); stroke-width: 1; }
svg .link { stroke: var(--quiet); stroke-width: .5; }
svg .barrier { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 6 3; }
svg .end-of-buffer { stroke: var(--extra); stroke-width: 3; }
svg .frame { fill: none; stroke: var(--rule); }
svg .later { visibility: hidden; }
svg .now rect { stroke: var(--now); stroke-width: 1; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
  .contents { position: sticky; top: 0; max-height: 100vh; overflow-y: auto;
    border-right: 1px solid var(--rule); align-self: start; min-height: 100vh; }
  main { padding: 1rem 2rem; }
}
@media (max-width: 63.99rem) {
  html { scroll-padding-top: 3rem; }
  body { display: flex; flex-direction: column; }
  main { min-width: 0; }
  .bar { display: block; position: sticky; top: 0; margin: 0; padding: .4rem 1rem; z-index: 2;
    background: var(--paper); border-bottom: 1px solid var(--rule); }
  .contents { order: 2; border-top: 1px solid var(--rule); }
}
@media print {
  body { display: block; font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .contents, .turn, .stepper, .skip, .bar { display: none; }
  svg .later { visibility: visible; }
  .scroll { overflow: visible; }
  pre { width: auto; white-space: pre-wrap; font-size: 8pt; }
  table { font-size: 8pt; }
  figure, tr, h3 { break-inside: avoid; }
  h2, h3, summary { break-after: avoid; }
}
)css";
}

}  // namespace onefold::ladder
