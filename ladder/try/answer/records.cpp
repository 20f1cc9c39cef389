// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/answer/records.hpp"

#include <algorithm>

namespace onefold::ladder::learner {
namespace {

/// Of a NaN and a number the number is.
bool is_better(reduction op, number a, number b) {
  return (op == reduction::minimum ? a < b : a > b) || (b != b && a == a);
}

/// The element of the extremum, the first of equal ones.
std::size_t best_element(const record_number& r, const record_input& input) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < input.count(); ++i) {
    if (is_better(r.op, input.at(i, r.from), input.at(best, r.from))) best = i;
  }
  return best;
}

number number_of(const record_number& r, const record_input& input) {
  if (r.meaning == number_meaning::count) return static_cast<number>(input.count());
  if (r.meaning == number_meaning::position) return static_cast<number>(best_element(r, input));
  number total = identity(r.op, r.type);
  for (std::size_t i = 0; i < input.count(); ++i) {
    number value = input.at(i, r.from);
    if (r.meaning == number_meaning::squares) {
      value = fold(reduction::product, r.type, value, value);
    }
    total = fold(r.op, r.type, total, value);
  }
  return total;
}

std::optional<std::size_t> element_at(number index, const record_input& input) {
  if (!(index >= 0) || !(index < static_cast<number>(input.count()))) return {};
  return static_cast<std::size_t>(index);
}

number merged_index(const record_number& r, std::size_t which, const std::vector<numbers>& parts,
                    const record_input& input) {
  number best = parts.front()[which];
  for (const numbers& part : parts) {
    const auto own = element_at(part[which], input), known = element_at(best, input);
    if (!own) continue;
    if (!known || is_better(r.op, input.at(*own, r.from), input.at(*known, r.from))) {
      best = part[which];
    }
  }
  return best;
}

}  // namespace

numbers record_of(const record_rule& rule, const record_input& input) {
  numbers answer;
  for (const record_number& r : rule) answer.push_back(number_of(r, input));
  return answer;
}

bool same_record(const record_rule& rule, const numbers& a, const numbers& b,
                 const record_input& input) {
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const auto first = element_at(a[i], input), second = element_at(b[i], input);
    const bool places = rule[i].meaning == number_meaning::position && first && second;
    if (places ? !same(input.at(*first, rule[i].from), input.at(*second, rule[i].from))
               : !same(a[i], b[i]))
      return false;
  }
  return true;
}

bool points_to_nan(const record_rule& rule, const numbers& part, const record_input& input) {
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const auto element = element_at(part[i], input);
    if (rule[i].meaning != number_meaning::position || !element) continue;
    const number value = input.at(*element, rule[i].from);
    if (value != value) return true;
  }
  return false;
}

numbers merged(const record_rule& rule, const std::vector<numbers>& parts,
               const record_input& input) {
  numbers answer = identities(rule);
  for (std::size_t i = 0; i < rule.size(); ++i) {
    if (rule[i].meaning == number_meaning::position) {
      answer[i] = merged_index(rule[i], i, parts, input);
      continue;
    }
    for (const numbers& part : parts) {
      answer[i] = fold(rule[i].op, rule[i].type, answer[i], part[i]);
    }
  }
  return answer;
}

std::optional<std::size_t> disagreement(const record_rule& rule, const numbers& part,
                                        const record_input& input) {
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const auto element = element_at(part[i], input);
    if (rule[i].meaning != number_meaning::position || !element) continue;
    for (std::size_t k = 0; k < rule.size(); ++k) {
      const record_number& r = rule[k];
      const bool goes_with = r.op == rule[i].op && r.from == rule[i].from;
      if (r.meaning != number_meaning::value || !goes_with) continue;
      const number value = fold(reduction::sum, r.type, input.at(*element, r.from), 0);
      bool some_element = false;
      for (std::size_t e = 0; e < input.count() && !some_element; ++e) {
        some_element = !is_better(r.op, input.at(e, r.from), part[k]);
      }
      if (some_element && !same(part[k], value)) return element;
    }
  }
  return {};
}

numbers identities(const record_rule& rule) {
  numbers values;
  for (const record_number& r : rule) {
    const bool index = r.meaning == number_meaning::position;
    values.push_back(index ? number{0} : identity(r.op, r.type));
  }
  return values;
}

}  // namespace onefold::ladder::learner
