// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/report.hpp"

namespace onefold::ladder {

// A drawing of steps gets a slider and two buttons that show its steps up to one. Without the
// script all steps are there.
std::string_view report_script() {
  return R"js(
for (const figure of document.querySelectorAll('figure')) {
  const steps = [...figure.querySelectorAll('g.step')];
  if (steps.length < 2) continue;
  const last = steps.length - 1, bar = document.createElement('div');
  const make = (name, props) => bar.appendChild(Object.assign(document.createElement(name), props));
  bar.className = 'stepper';
  const title = figure.querySelector('svg').getAttribute('aria-label');
  const back = make('button', {type: 'button', textContent: 'Back'});
  const range = make('input', {type: 'range', min: 0, max: last, step: 1, value: last});
  const on = make('button', {type: 'button', textContent: 'Step'});
  const place = make('output', {});
  range.setAttribute('aria-label', 'Step of: ' + title);
  back.setAttribute('aria-label', 'One step back: ' + title);
  on.setAttribute('aria-label', 'One step on: ' + title);
  const show = at => {
    range.value = at;
    steps.forEach((g, i) => {
      g.classList.toggle('later', i > at);
      g.classList.toggle('now', i === at && at !== last);
    });
    place.textContent = (Number(at) + 1) + ' of ' + (last + 1);
    range.setAttribute('aria-valuetext', place.textContent);
  };
  range.addEventListener('input', () => show(Number(range.value)));
  back.addEventListener('click', () => show(Math.max(0, Number(range.value) - 1)));
  on.addEventListener('click', () =>
    show(Number(range.value) === last ? 0 : Number(range.value) + 1));
  show(last);
  figure.prepend(bar);
}
)js";
}

}  // namespace onefold::ladder
