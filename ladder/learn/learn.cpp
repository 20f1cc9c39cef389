// SPDX-License-Identifier: Apache-2.0
#include "ladder/learn/learn.hpp"

#include "ladder/learn/screens.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace onefold::ladder {
namespace {

using nlohmann::json;

struct screen {
  std::string text;
  std::vector<next_command> next;
  int exit_code = 0;
  json data = json::object();
};

std::string quoted(const std::string& word) {
  const std::string plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:=@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

const lesson& lesson_numbered(unsigned number) {
  if (number == 0 || number > lessons().size()) {
    throw std::invalid_argument(
        fmt::format("learn: there is no exercise {}; they are 1 to {}", number, lessons().size()));
  }
  return lessons()[number - 1];
}

json json_of(const course& c, const lesson& l) {
  const exercise_progress& p = c.progress(l);
  return {{"number", l.number},
          {"title", l.title},
          {"file", c.file_of(l).lexically_normal().string()},
          {"rung", l.rung},
          {"question", l.question},
          {"task", l.task},
          {"done", p.done},
          {"checks", p.checks},
          {"verdict", p.verdict},
          {"line", c.has_file(l) ? marked_line(c, l) : 0}};
}

/// The actions on one course.
class session {
 public:
  explicit session(const learn_request& request)
      : request_(request), folder_(request.folder.empty() ? course::usual_folder()
                                                          : std::filesystem::path(request.folder)) {
  }

  screen run();

 private:
  screen welcome() const;
  screen start();
  screen where() const;
  screen check();
  screen hint();
  screen answer();
  screen next();
  screen list() const;
  screen go_to();
  screen reset();

  const lesson& chosen() const {
    return request_.number == 0 ? course_->current() : lesson_numbered(request_.number);
  }
  bool is_current(const lesson& l) const { return l.number == course_->current().number; }

  /// "onefold ladder learn check", with the folder where it is not the usual one.
  std::string command(std::string_view words) const;
  next_command to_check(const lesson& l) const;
  std::vector<next_command> to_work_on(const lesson& l) const;
  std::vector<next_command> after(const lesson& l) const;
  screen exercise(const lesson& l, std::string before = "") const;

  const learn_request& request_;
  std::filesystem::path folder_;
  std::optional<course> course_;
};

std::string session::command(std::string_view words) const {
  std::string text = request_.program + " learn";
  if (!words.empty()) text += fmt::format(" {}", words);
  if (!request_.folder.empty()) text += " --folder " + quoted(request_.folder);
  return text;
}

next_command session::to_check(const lesson& l) const {
  return {is_current(l) ? command("check") : command(fmt::format("check {}", l.number)),
          fmt::format("when you have changed {}", course_->file_of(l).lexically_normal().string())};
}

std::vector<next_command> session::to_work_on(const lesson& l) const {
  if (!course_->has_file(l)) {
    return {{command(fmt::format("reset {}", l.number)), "puts the file back"}};
  }
  if (course_->progress(l).done) return after(l);
  std::vector<next_command> next = {to_check(l)};
  if (course_->progress(l).checks != 0 && is_current(l)) {
    next.push_back({command("hint"), "if you are stuck"});
  }
  return next;
}

std::vector<next_command> session::after(const lesson& l) const {
  std::vector<next_command> next;
  if (course_->all_done()) {
    next.push_back({request_.program + " run", "every rung, counted"});
    next.push_back({request_.program + " report", "the whole ladder as a page"});
  } else {
    next.push_back({command("next"), "the next exercise"});
  }
  next.push_back({fmt::format("{} explain {}", request_.program, l.rung), "the rung it is about"});
  return next;
}

screen session::exercise(const lesson& l, std::string before) const {
  if (!before.empty()) before += "\n";
  return {before + exercise_screen(*course_, l),
          to_work_on(l),
          0,
          {{"exercise", json_of(*course_, l)}}};
}

screen session::welcome() const {
  const std::string text = wrapped(fmt::format(
      "{} exercises, from a first kernel to one launch. Each is a CUDA kernel with one hole; a C++ "
      "compiler is all it takes. There is no course in {} yet.",
      lessons().size(), folder_.lexically_normal().string()));
  return {text,
          {{command("start"), "copies the exercises there"}},
          request_.action.empty() ? 0 : 1,
          {{"started", false}}};
}

screen session::start() {
  std::string before;
  if (course::is_there(folder_)) {
    course_ = course::open(folder_);
    before = wrapped(fmt::format("There is a course in {} already; nothing was changed.",
                                 folder_.lexically_normal().string()));
  } else {
    std::string kept;
    std::error_code ignored;
    for (const lesson& l : lessons()) {
      if (std::filesystem::exists(folder_ / l.file, ignored)) kept += fmt::format(" {}", l.file);
    }
    course_ = course::start(folder_);
    before =
        wrapped(fmt::format("The exercises are in {}.{}{}", folder_.lexically_normal().string(),
                            kept.empty() ? "" : " Files that were there were kept:", kept));
  }
  return exercise(course_->current(), before);
}

screen session::where() const {
  const auto done = std::count_if(lessons().begin(), lessons().end(),
                                  [this](const lesson& l) { return course_->progress(l).done; });
  return exercise(course_->current(),
                  fmt::format("{} of {} exercises are done.\n", done, lessons().size()));
}

screen session::check() {
  const lesson& l = chosen();
  if (!course_->has_file(l)) {
    return {wrapped(fmt::format("{} is not there.", course_->file_of(l).string())),
            to_work_on(l),
            1,
            {{"exercise", json_of(*course_, l)}}};
  }
  const check_result result = check_exercise(*course_, l);
  exercise_progress& p = course_->progress(l);
  p.done = result.done();
  p.verdict = result.report.verdict();
  ++p.checks;
  course_->save();
  screen shown{check_screen(*course_, l, result), to_work_on(l), p.done ? 0 : 1, {}};
  shown.data = {{"exercise", json_of(*course_, l)},
                {"goal_met", result.goal_met},
                {"try", json::parse(json_of(result.report))}};
  return shown;
}

screen session::hint() {
  const lesson& l = course_->current();
  exercise_progress& p = course_->progress(l);
  if (p.checks == 0) {
    return {wrapped("The report of a check is the first hint: give it the file as it is."),
            {{command("check"), "says what is wrong"}},
            1,
            {{"exercise", json_of(*course_, l)}}};
  }
  if (p.done) return {wrapped("This exercise is done."), after(l), 0, {}};
  const hint_branch& branch = hints_for(l, p.verdict);
  unsigned& shown = p.hints[std::string(branch.symptom)];
  shown = std::min(shown + 1, static_cast<unsigned>(branch.steps.size()));
  course_->save();
  const bool last = shown == branch.steps.size();
  return {
      hint_screen(branch, shown),
      {to_check(l), last ? next_command{command("answer"), "shows the line"}
                         : next_command{command("hint"), "one more"}},
      0,
      {{"exercise", json_of(*course_, l)},
       {"symptom", branch.symptom},
       {"hints", std::vector<std::string_view>(branch.steps.begin(), branch.steps.begin() + shown)},
       {"more", branch.steps.size() - shown}}};
}

screen session::answer() {
  const lesson& l = chosen();
  const std::string lines = answer_to(l);
  const unsigned line = course_->has_file(l) ? marked_line(*course_, l) : 0;
  const std::string file = course_->file_of(l).lexically_normal().string();
  const std::string place = line == 0 ? fmt::format("In {}, in place of the hole:", file)
                                      : fmt::format("In {}, in place of line {}:", file, line);
  return {place + "\n\n" + lines,
          to_work_on(l),
          0,
          {{"exercise", json_of(*course_, l)}, {"answer", lines}}};
}

screen session::next() {
  const lesson& l = course_->current();
  if (!course_->progress(l).done) {
    screen shown = exercise(l, wrapped(fmt::format("Exercise {} is not done yet.", l.number)));
    const lesson& later = course_->next_open();
    if (!is_current(later)) {
      shown.next.push_back({command(fmt::format("goto {}", later.number)), "leaves it for later"});
    }
    shown.exit_code = 1;
    return shown;
  }
  if (course_->all_done()) {
    return {wrapped("All exercises are done. From here: the rungs above them, and kernels of your "
                    "own."),
            after(l),
            0,
            {{"all_done", true}}};
  }
  course_->go_to(course_->next_open());
  course_->save();
  return exercise(course_->current());
}

screen session::list() const {
  const lesson& other = course_->next_open();
  screen shown{list_screen(*course_),
               {{command(""), fmt::format("exercise {}", course_->current().number)}},
               0,
               {}};
  if (!is_current(other)) {
    shown.next.push_back({command(fmt::format("goto {}", other.number)), "or any other number"});
  }
  shown.data["exercises"] = json::array();
  for (const lesson& l : lessons()) shown.data["exercises"].push_back(json_of(*course_, l));
  return shown;
}

screen session::go_to() {
  course_->go_to(lesson_numbered(request_.number));
  course_->save();
  return exercise(course_->current());
}

screen session::reset() {
  const lesson& l = chosen();
  const std::string file = course_->file_of(l).lexically_normal().string();
  std::string text = fmt::format("{} is as given again.", file);
  if (course_->is_as_given(l)) {
    text = fmt::format("{} is as given.", file);
  } else {
    const auto kept = course_->restore(l);
    if (!kept.empty()) {
      text += fmt::format(" Your version is now {}.", kept.lexically_normal().string());
    }
  }
  course_->progress(l) = {};
  course_->save();
  return {wrapped(text), to_work_on(l), 0, {{"exercise", json_of(*course_, l)}}};
}

screen session::run() {
  const std::string& action = request_.action;
  if (request_.number != 0) lesson_numbered(request_.number);
  if (action == "start") return start();
  if (!course::is_there(folder_)) return welcome();
  course_ = course::open(folder_);
  if (action == "check") return check();
  if (action == "hint") return hint();
  if (action == "answer") return answer();
  if (action == "next") return next();
  if (action == "list") return list();
  if (action == "goto") return go_to();
  if (action == "reset") return reset();
  return where();
}

}  // namespace

learn_answer answer_learn(const learn_request& request) {
  screen shown = session(request).run();
  if (!request.json) return {shown.text + next_text(shown.next), shown.exit_code};
  json page = {{"schema", 1}, {"action", request.action}, {"exit_code", shown.exit_code}};
  if (shown.data.is_object()) page.update(shown.data);
  page["next"] = json::array();
  for (const next_command& c : shown.next) page["next"].push_back(c.command);
  return {page.dump(2, ' ', false, json::error_handler_t::replace) + "\n", shown.exit_code};
}

}  // namespace onefold::ladder
