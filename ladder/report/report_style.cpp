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
  --on-extra: #ffffff; --gone: #fbe4da; --new: #dcecf9; --panel: #f4f6f8; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14181d; --ink: #e6edf3; --quiet: #a4b0bd; --rule: #3a434e; --link: #86c8ff;
  --works: #86c8ff; --idle: #2a313a; --brought: #33638f; --first: #1d3b57; --extra: #ffb066;
  --on-extra: #14181d; --gone: #4a2615; --new: #17364f; --panel: #1c2229; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 76rem; margin: 0 auto; padding: 1rem; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.25; }
h2 { border-bottom: 2px solid var(--rule); margin-top: 3rem; }
h3 { margin-top: 2.5rem; }
nav ul { columns: 16rem; padding-left: 1.2rem; margin: .3rem 0 1rem; }
.idea { font-size: 1.1rem; }
.quiet, figcaption, caption { color: var(--quiet); font-size: .9rem; }
figure { margin: 1.2rem 0; }
figcaption { margin-top: .3rem; }
.scroll { overflow-x: auto; max-width: 100%; overflow-wrap: normal; }
table { border-collapse: collapse; min-width: min(100%, 36rem); margin: .6rem 0;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .2rem; }
th, td { text-align: left; padding: .2rem .7rem .2rem 0; vertical-align: top;
  border-bottom: 1px solid var(--rule); }
th { font-weight: 600; }
tbody th { white-space: nowrap; }
.number { text-align: right; }
td.number { white-space: nowrap; }
td:nth-child(2):not(.number) { min-width: 11rem; }
.claims td:nth-child(2) { min-width: 0; }
.claims th { white-space: normal; min-width: 14rem; }
pre { margin: 0; padding: .6rem; background: var(--panel);
  font: 13px/1.4 ui-monospace, monospace; width: max-content; min-width: 100%; }
pre span { display: block; min-height: 1.4em; }
pre.kernel { counter-reset: line; }
pre.kernel span::before { counter-increment: line; content: counter(line); color: var(--quiet);
  display: inline-block; width: 2.2em; margin-right: 1em; text-align: right; }
pre .gone { background: var(--gone); }
pre .new { background: var(--new); }
pre .at, pre.kernel span:target { outline: 2px solid var(--extra); outline-offset: -2px; }
summary { cursor: pointer; margin: .6rem 0 .3rem; font-weight: 600; }
.defect { border-left: 4px solid var(--extra); padding-left: .8rem; }
svg { display: block; font: 13px ui-monospace, monospace; }
svg text { fill: var(--ink); }
svg .middle { text-anchor: middle; }
svg .end { text-anchor: end; }
svg .works { fill: var(--works); }
svg .idle { fill: var(--idle); }
svg .brought { fill: var(--brought); }
svg .first { fill: var(--first); }
svg .extra { fill: var(--extra); }
svg text.on-extra { fill: var(--on-extra); }
svg .edge { stroke: var(--quiet); stroke-width: 1; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .branch { stroke: var(--quiet); stroke-width: 1.5; }
svg .frame { fill: none; stroke: var(--rule); }
svg polyline.share, svg line.share { fill: none; stroke: var(--ink); stroke-width: 2; }
svg .halo { fill: none; stroke: var(--paper); stroke-width: 6; }
svg circle.share { fill: var(--paper); stroke: var(--ink); stroke-width: 2; }
@media (min-width: 76rem) { svg { max-width: 100%; height: auto; } }
@media print {
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .scroll { overflow: visible; }
  svg { max-width: 100%; height: auto; }
  pre { width: auto; white-space: pre-wrap; font-size: 8pt; }
  table { font-size: 8pt; }
  figure, tr, h3 { break-inside: avoid; }
  h2, h3, summary { break-after: avoid; }
}
)css";
}

}  // namespace onefold::ladder
