// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/strips.hpp"

#include "ladder/page/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace onefold::ladder {
namespace {

constexpr std::size_t most_lines_shown = 12;
constexpr unsigned bytes_a_character = 4;

char character_of(const touched_line& line, unsigned first_byte) {
  const auto begin = line.wanted.begin() + first_byte;
  const auto wanted = std::count(begin, begin + bytes_a_character, true);
  if (wanted != 0) return wanted == bytes_a_character ? '#' : '+';
  return line.sector_touched(first_byte / simt::sector_bytes) ? '.' : ' ';
}

}  // namespace

std::string lane_strip(const std::vector<bool>& working, unsigned warp,
                       unsigned lanes_a_character) {
  std::string strip;
  for (std::size_t lane = 0; lane < working.size(); lane += lanes_a_character) {
    if (lane != 0 && lane % warp == 0) strip += '|';
    const auto begin = working.begin() + static_cast<std::ptrdiff_t>(lane);
    const auto end = begin + static_cast<std::ptrdiff_t>(
                                 std::min<std::size_t>(lanes_a_character, working.size() - lane));
    const auto busy = std::count(begin, end, true);
    strip += busy == 0 ? '.' : busy == end - begin ? '#' : '+';
  }
  return strip;
}

std::vector<bank_column> words_by_bank(const simt::lane_addresses& request) {
  std::vector<bank_column> columns(simt::banks);
  for (unsigned lane = 0; lane < simt::max_warp_lanes; ++lane) {
    if ((request.lanes >> lane & 1) == 0) continue;
    const std::size_t first = request.offset[lane] / simt::bank_bytes;
    const std::size_t last = (request.offset[lane] + request.size_bytes - 1) / simt::bank_bytes;
    for (std::size_t word = first; word <= last; ++word) {
      bank_column& column = columns[word % simt::banks];
      const bool known =
          std::ranges::any_of(column, [word](const auto& entry) { return entry.first == word; });
      if (!known) column.emplace_back(word, lane);
    }
  }
  return columns;
}

std::string bank_map(const simt::lane_addresses& request, const std::string& indent) {
  const std::vector<bank_column> columns = words_by_bank(request);
  std::size_t rows = 0;
  for (const bank_column& column : columns) rows = std::max(rows, column.size());
  std::string text = indent + "bank  ";
  for (unsigned bank = 0; bank < simt::banks; ++bank) text += fmt::format("{:>3}", bank);
  text += "\n";
  for (std::size_t row = 0; row < rows; ++row) {
    text += indent + (row == 0 ? "lane  " : "      ");
    for (const bank_column& column : columns) {
      text += row < column.size() ? fmt::format("{:>3}", column[row].second) : "  .";
    }
    text += "\n";
  }
  return text;
}

bool touched_line::sector_touched(unsigned sector) const {
  const auto begin = wanted.begin() + sector * simt::sector_bytes;
  return std::find(begin, begin + simt::sector_bytes, true) != begin + simt::sector_bytes;
}

unsigned touched_line::wanted_bytes() const {
  return static_cast<unsigned>(std::ranges::count(wanted, true));
}

std::string bytes_text(unsigned count) {
  return fmt::format("{} byte{}", count, count == 1 ? "" : "s");
}

std::vector<touched_line> lines_of(const simt::lane_addresses& request) {
  std::map<std::size_t, touched_line> lines;
  for (unsigned lane = 0; lane < simt::max_warp_lanes; ++lane) {
    if ((request.lanes >> lane & 1) == 0) continue;
    for (unsigned byte = 0; byte < request.size_bytes; ++byte) {
      const std::size_t at = request.offset[lane] + byte;
      const std::size_t number = at / simt::line_bytes;
      lines.try_emplace(number, touched_line{number}).first->second.wanted[at % simt::line_bytes] =
          true;
    }
  }
  std::vector<touched_line> list;
  for (const auto& [number, line] : lines) list.push_back(line);
  return list;
}

std::string sector_strip(const simt::lane_addresses& request, const std::string& indent) {
  const std::vector<touched_line> lines = lines_of(request);
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines_shown); ++i) {
    text += fmt::format("{}line {:<5} |", indent, lines[i].number);
    unsigned sectors = 0;
    for (unsigned byte = 0; byte < simt::line_bytes; byte += bytes_a_character) {
      text += character_of(lines[i], byte);
      if ((byte + bytes_a_character) % simt::sector_bytes == 0) {
        text += '|';
        sectors += lines[i].sector_touched(byte / simt::sector_bytes);
      }
    }
    text += fmt::format("  {} of 4 sectors for {}\n", sectors, bytes_text(lines[i].wanted_bytes()));
  }
  if (lines.size() > most_lines_shown) {
    text += fmt::format("{}and {} lines more\n", indent, lines.size() - most_lines_shown);
  }
  return text;
}

std::vector<cell> columns_of(const fold_tree& tree) {
  std::vector<cell> cells;
  for (const fold& f : tree.folds) {
    if (std::ranges::find(cells, f.to) == cells.end()) cells.push_back(f.to);
  }
  std::ranges::stable_sort(cells, [](const cell& a, const cell& b) {
    const auto rank = [](const cell& c) { return std::pair(c.memory != "shared", c.index); };
    return a.memory == b.memory || (a.memory == "shared") != (b.memory == "shared")
               ? rank(a) < rank(b)
               : a.memory < b.memory;
  });
  return cells;
}

std::string fold_table(const fold_tree& tree, const std::string& indent) {
  const std::vector<cell> cells = columns_of(tree);
  std::vector<text_table::column> titles = {{"step", align::right}};
  for (const cell& c : cells) {
    titles.push_back({c.memory == "shared" ? fmt::format("[{}]", c.index)
                                           : fmt::format("{}[{}]", c.memory, c.index),
                      align::left});
  }
  text_table table(titles, indent);
  const unsigned steps = tree.folds.back().step + 1;
  for (unsigned step = 0; step < steps; ++step) {
    std::vector<std::string> row(cells.size() + 1, ".");
    row[0] = fmt::format("{}", step);
    for (const fold& f : tree.folds) {
      if (f.step != step) continue;
      const auto column = std::ranges::find(cells, f.to) - cells.begin();
      row[static_cast<std::size_t>(column) + 1] = letters(f.holds);
    }
    table.add(std::move(row));
  }
  return table.text();
}

}  // namespace onefold::ladder
