// SPDX-License-Identifier: Apache-2.0
#include "ladder/learn/lesson.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/questions.hpp"
#include "ladder/report/report.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

std::string paragraph(const std::string& content) {
  return tag("p", "", content) + "\n";
}

std::string command(std::string_view words) {
  return tag("code", "", escaped(fmt::format("onefold ladder {}", words)));
}

std::string folded(const std::string& title, const std::string& content) {
  return tag("details", "", tag("summary", "", title) + content) + "\n";
}

std::string code(std::string_view name, std::string_view text) {
  return scrolling(name, tag("pre", "", escaped(text))) + "\n";
}

std::string hints(const lesson& l) {
  std::string text;
  for (const hint_branch& branch : l.hints) {
    std::string steps;
    for (const std::string_view step : branch.steps) steps += tag("li", "", escaped(step));
    const std::string symptom = branch.symptom.empty()
                                    ? "Otherwise"
                                    : fmt::format("If the verdict says: {}", branch.symptom);
    text += folded(escaped(symptom), tag("ol", "", steps));
  }
  return text;
}

std::string lesson_body(const lesson& l) {
  return paragraph(tag("strong", "", escaped(fmt::format("Exercise {}: {}.", l.number, l.title))) +
                   " " + escaped(l.question)) +
         paragraph(escaped(l.task)) + folded(escaped(l.file), code(l.file, exercise_text(l))) +
         paragraph("Try it with " + command(try_command(l)) +
                   escaped(fmt::format("; as given, the verdict is: {}.", l.as_given))) +
         hints(l);
}

std::string prediction(const story_question& q) {
  return paragraph(tag("strong", "", "Predict first.") + " " + escaped(q.predict) +
                   " Write your answer down, then look: " + command(q.command) + ".");
}

}  // namespace

std::string exercise_body(const page& p) {
  const rung& r = *p.subject;
  std::string text;
  for (const lesson& l : lessons()) {
    if (l.rung == r.name) text += lesson_body(l);
  }
  if (const story_question* q = question_of(r.name)) text += prediction(*q);
  if (r.published && r.under_executor()) {
    text += paragraph("Copy the kernel, repair it, and compare yours with " + link_to(r.previous) +
                      ": " + command(fmt::format("explain {}", r.previous)) + ".");
  }
  return text.empty() ? "" : tag("h3", "", "Exercise") + "\n" + text;
}

}  // namespace onefold::ladder
