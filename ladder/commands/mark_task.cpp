// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/mark_task.hpp"

#include "ladder/json/simt.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
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
constexpr const char* usual_seconds = "3";
constexpr std::size_t longest_message = 200;

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
      const json nothing = to_json(simt::counts{});
      if (!counter_in(nothing, read.counter)) {
        refuse(item.source(), fmt::format("'{}' is no counter; use one of {}, or of shared load, "
                                          "shared store, global load, global store and global "
                                          "atomic requests, wavefronts, conflicts, sectors, lines",
                                          read.counter, single_counters(nothing)));
      }
      task.goals.push_back(std::move(read));
    }
  }

  static std::string single_counters(const json& counts) {
    std::string list;
    for (const auto& [name, value] : counts.items()) {
      if (value.is_number()) list += (list.empty() ? "" : ", ") + name;
    }
    std::replace(list.begin(), list.end(), '_', ' ');
    return list;
  }

 public:
  /// "barriers" is one number; "global sectors" is that of loads, stores and atomics together.
  static std::optional<double> counter_in(const json& counts, std::string name) {
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

 private:
  std::string file_;
};

double extent_of(const json& shape) {
  if (shape.is_number()) return shape.get<double>();
  double volume = 1;
  for (const json& side : shape) volume *= side.get<double>();
  return volume;
}

/// One line of what strangers wrote.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text.substr(0, longest_message)) {
    line += std::iscntrl(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
  }
  return line;
}

std::string first_message(const json& page) {
  const std::string why = page.at("message");
  const json defects = page.value("defects", json::array());
  if (!why.empty() || defects.empty()) return one_line(why);
  const json& first = defects.front();
  std::string text = first.at("defect").get<std::string>() + ": ";
  if (first.contains("place")) text += fmt::format("line {}: ", first["place"]["line"].get<int>());
  return one_line(text + first.at("detail").get<std::string>());
}

/// Quoted; a spreadsheet takes none of it for a formula.
std::string csv_cell(const std::string& text) {
  std::string cell = "\"";
  if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) {
    cell += '\'';
  }
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

std::string goal_name(const mark_goal& goal) {
  return fmt::format("{} per {}", goal.counter, goal.per);
}

}  // namespace

mark_task read_mark_task(const std::string& file) {
  return reader(file).read();
}

void read_report(mark_row& row, const std::string& report, const mark_task& task) {
  const json page = json::parse(report);
  row.verdict = page.at("verdict");
  row.message = first_message(page);
  row.goal_met = page.at("exit_code") == 0 && page.contains("verified") && row.verdict == "right";
  if (!page.contains("counts")) return;
  const json& launch = page.at("launch");
  for (const mark_goal& goal : task.goals) {
    double value = reader::counter_in(page.at("counts"), goal.counter).value_or(0);
    if (goal.per == "block") value /= extent_of(launch.at("grid"));
    if (goal.per == "element") value /= launch.at("n").get<double>();
    row.values.push_back(value);
    row.goal_met = row.goal_met && value <= goal.at_most;
  }
}

std::string marks_csv(const std::vector<mark_row>& rows, const mark_task& task) {
  std::string text = "file,verdict,goal_met";
  for (const mark_goal& goal : task.goals) text += ',' + csv_cell(goal_name(goal));
  text += ",message,seconds\n";
  for (const mark_row& row : rows) {
    text += fmt::format("{},{},{}", csv_cell(row.file), csv_cell(row.verdict), row.goal_met);
    for (std::size_t i = 0; i < task.goals.size(); ++i) {
      text += i < row.values.size() ? fmt::format(",{}", row.values[i]) : ",";
    }
    text += fmt::format(",{},{:.2f}\n", csv_cell(row.message), row.seconds);
  }
  return text;
}

std::string marks_json(const std::vector<mark_row>& rows, const mark_task& task) {
  json list = json::array();
  for (const mark_row& row : rows) {
    json goals = json::array();
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const mark_goal& goal = task.goals[i];
      goals.push_back({{"counter", goal.counter},
                       {"per", goal.per},
                       {"at_most", goal.at_most},
                       {"value", row.values[i]}});
    }
    list.push_back({{"file", row.file},
                    {"key", row.key},
                    {"verdict", row.verdict},
                    {"goal_met", row.goal_met},
                    {"goals", goals},
                    {"message", row.message},
                    {"seconds", row.seconds}});
  }
  const json page = {{"schema", 1}, {"marks", list}};
  return page.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::vector<mark_row> marks_from(const std::string& text) try {
  std::vector<mark_row> rows;
  for (const json& j : json::parse(text).at("marks")) {
    mark_row row{j.at("file"), j.at("key"),     j.at("verdict"), j.at("goal_met"),
                 {},           j.at("message"), j.at("seconds")};
    for (const json& goal : j.at("goals")) row.values.push_back(goal.at("value"));
    rows.push_back(std::move(row));
  }
  return rows;
} catch (const json::exception&) {
  return {};
}

}  // namespace onefold::ladder
