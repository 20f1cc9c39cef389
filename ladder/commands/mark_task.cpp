// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/mark_task.hpp"

#include "ladder/try/answer/expectation.hpp"
#include "ladder/try/answer/number.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <stdexcept>

namespace onefold::ladder {
namespace {

/// A key of the task, and the option of `try` that it becomes.
struct task_key {
  std::string_view key, option;
  bool required;
};
constexpr std::array keys = {
    task_key{"kernel", "--kernel", true},  task_key{"arguments", "--args", true},
    task_key{"expect", "--expect", true},  task_key{"type", "--type", true},
    task_key{"answer", "--verify", false}, task_key{"op", "--op", false},
    task_key{"n", "--n", false},           task_key{"shape", "--shape", false},
    task_key{"block", "--block", false},   task_key{"grid", "--grid", false},
    task_key{"shared", "--shared", false}, task_key{"seconds", "--limit", false},
};
constexpr std::array units = {"launch", "block", "element"};
constexpr const char* usual_seconds = "2";
constexpr std::size_t longest_message = 200;

/// "barriers" is one number; "global sectors" is that of loads, stores and atomics together.
std::optional<double> counter_in(const json& counts, std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  if (counts.contains(name) && counts.at(name).is_number()) return counts.at(name).get<double>();
  const std::size_t last = name.rfind('_');
  if (last == std::string::npos) return {};
  const std::string group = name.substr(0, last), member = name.substr(last + 1);
  std::optional<double> total;
  for (const auto& [key, value] : counts.items()) {
    const bool belongs = key == group || key.starts_with(group + '_');
    if (!belongs || !value.is_object() || !value.contains(member)) continue;
    total = total.value_or(0) + value.at(member).get<double>();
  }
  return total;
}

class reader {
 public:
  explicit reader(const std::string& file) : file_(file) {}

  mark_task read() {
    toml::table table;
    try {
      table = toml::parse_file(file_);
    } catch (const toml::parse_error& error) {
      refuse(error.source(), std::string(error.description()));
    }
    mark_task task{{"try", "--json", "--compare", "none"}, {}};
    for (const auto& [key, node] : table) {
      if (key == "goal") {
        add_goals(task, node);
      } else if (std::none_of(keys.begin(), keys.end(),
                              [&k = key](const task_key& known) { return known.key == k; })) {
        refuse(node.source(), fmt::format("'{}' is no key of a task", key.str()));
      }
    }
    for (const task_key& k : keys) {
      std::string value = value_of(table[k.key].node(), k.key);
      if (value.empty() && k.required)
        refuse(table.source(), fmt::format("'{}' is missing", k.key));
      check_word(table[k.key].node(), k.key, value);
      if (value.empty() && k.key == "answer") value = answer_type(table);
      if (value.empty() && k.key == "seconds") value = usual_seconds;
      if (value.empty()) continue;
      task.words.insert(task.words.end(), {std::string(k.option), value});
    }
    return task;
  }

 private:
  [[noreturn]] void refuse(const toml::source_region& place, const std::string& why) const {
    throw std::invalid_argument(fmt::format("{}:{}: {}", file_, place.begin.line, why));
  }

  /// What every file would be refused for.
  void check_word(const toml::node* node, std::string_view key, const std::string& word) const {
    try {
      if (node != nullptr && key == "expect") {
        const learner::expectation named = learner::expectation_named(word).expectation;
        if (named == learner::expectation::file || named == learner::expectation::fields)
          throw std::invalid_argument("a task expects no file and no fields");
      }
      if (node != nullptr && (key == "type" || key == "answer")) learner::scalar_named(word);
    } catch (const std::invalid_argument& error) {
      refuse(node->source(), error.what());
    }
  }

  /// A word, a number, or a list of them with commas between.
  std::string value_of(const toml::node* node, std::string_view key) const {
    if (node == nullptr) return "";
    if (const auto word = node->value<std::string>()) return *word;
    if (const auto number = node->value<double>()) return fmt::format("{}", *number);
    const toml::array* const list = node->as_array();
    if (list == nullptr) refuse(node->source(), fmt::format("'{}' is no word or number", key));
    std::string joined;
    for (const toml::node& item : *list) {
      joined += (joined.empty() ? "" : ",") + value_of(&item, key);
    }
    return joined;
  }

  static std::string answer_type(const toml::table& table) {
    const std::string expect = table["expect"].value_or("");
    return expect.starts_with("arg") ? "int" : table["type"].value_or("");
  }

  void add_goals(mark_task& task, const toml::node& node) const {
    const toml::array* const list = node.as_array();
    if (list == nullptr) refuse(node.source(), "write a goal as [[goal]]");
    for (const toml::node& item : *list) {
      const auto goal = toml::node_view(item);
      const auto at_most = goal["at_most"].value<double>();
      mark_goal read{goal["counter"].value_or(""), goal["per"].value_or("launch"),
                     at_most.value_or(0)};
      if (read.counter.empty() || !at_most) {
        refuse(item.source(), "a goal has a counter and at_most, as counter = \"barriers\"");
      }
      if (std::find(units.begin(), units.end(), read.per) == units.end()) {
        refuse(item.source(), fmt::format("per is launch, block or element, not '{}'", read.per));
      }
      if (!counter_in(to_json(simt::counts{}), read.counter)) {
        refuse(item.source(), fmt::format("'{}' is no counter; `try --json` names them, as in "
                                          "\"shared load conflicts\" or \"barriers\"",
                                          read.counter));
      }
      task.goals.push_back(std::move(read));
    }
  }

  std::string file_;
};

double extent_of(const json& shape) {
  if (shape.is_number()) return shape.get<double>();
  double volume = 1;
  for (const json& side : shape) volume *= side.get<double>();
  return volume;
}

json goal_in(const json& page, const mark_goal& goal) {
  const json& launch = page.at("launch");
  double value = counter_in(page.at("counts"), goal.counter).value_or(0);
  if (goal.per == "block") value /= extent_of(launch.at("grid"));
  if (goal.per == "element") value /= launch.at("n").get<double>();
  return {
      {"counter", goal.counter}, {"per", goal.per}, {"at_most", goal.at_most}, {"value", value}};
}

/// Of the first launch with one.
std::string wrong_answer(const json& page) {
  for (const json& run : page.value("runs", json::array())) {
    if (run.at("answer_right")) continue;
    return fmt::format("n {}: the answer is {}, not {}", run.at("n").dump(),
                       run.at("answer").get<std::string>(), run.at("expected").get<std::string>());
  }
  return "";
}

std::string first_message(const json& page) {
  std::string text = page.at("message");
  if (const json defects = page.value("defects", json::array()); !defects.empty()) {
    const json& first = defects.front();
    text = first.at("defect").get<std::string>() + ": ";
    if (first.contains("place")) text += fmt::format("line {}: ", first["place"]["line"].dump());
    text += first.at("detail").get<std::string>();
  }
  if (text.empty()) text = page.value("lost", "");
  if (text.empty()) text = wrong_answer(page);
  return printable(text.substr(0, longest_message));
}

/// Quoted; a spreadsheet takes none of it for a formula.
std::string cell(const std::string& text) {
  std::string quoted = std::string("=+-@").find(text[0]) != std::string::npos ? "\"'" : "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return text;
}

mark_task read_mark_task(const std::string& file) {
  return reader(file).read();
}

json mark_of(const std::string& report, const mark_task& task) {
  const json page = json::parse(report);
  json goals = json::array();
  bool met =
      page.at("verdict") == "right" && page.at("exit_code") == 0 && page.contains("verified");
  for (const mark_goal& goal : task.goals) {
    if (!page.contains("counts")) break;
    goals.push_back(goal_in(page, goal));
    met = met && goals.back().at("value") <= goal.at_most;
  }
  return {{"verdict", page.at("verdict")},
          {"goal_met", met},
          {"goals", goals},
          {"message", first_message(page)}};
}

std::string marks_csv(const json& marks, const mark_task& task) {
  std::string text = "file,verdict,goal_met";
  for (const mark_goal& g : task.goals) text += ',' + cell(g.counter + " per " + g.per);
  text += ",message,seconds\n";
  for (const json& mark : marks) {
    text += fmt::format("{},{},{}", cell(mark.at("file")), cell(mark.at("verdict")),
                        mark.at("goal_met").dump());
    for (std::size_t i = 0; i < task.goals.size(); ++i) {
      const json& goals = mark.at("goals");
      text += ',' + (i < goals.size() ? goals[i].at("value").dump() : "");
    }
    text += fmt::format(",{},{}\n", cell(mark.at("message")), mark.at("seconds").dump());
  }
  return text;
}

}  // namespace onefold::ladder
