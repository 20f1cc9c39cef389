// SPDX-License-Identifier: Apache-2.0
// The three acts of `make run`, and their sample files.
#pragma once

#include <filesystem>
#include <vector>

namespace onefold::tour {

/// Data in ordinary formats, written where a user can inspect them.
struct samples {
  std::filesystem::path folder;
  std::filesystem::path prices;   ///< one decimal a line
  std::filesystem::path picture;  ///< u8 [480, 640, 3]
  std::filesystem::path table;    ///< f32 [200000, 5]
  std::filesystem::path column;   ///< f64, sums of large numbers that cancel
  std::vector<double> price_values;
  std::vector<float> table_values;
  std::vector<double> column_values;
};

/// Writes the files into `folder`. Fails: throws std::filesystem::filesystem_error.
samples write_samples(const std::filesystem::path& folder);

/// Act one: the naive loop next to onefold, and the same bits over threads, targets, orders, parts.
/// Returns whether every comparison held.
bool show_answers(const samples& files, const std::filesystem::path& programs);

/// Act two: the ladder's own program. Returns whether it succeeded.
bool show_ladder(const std::filesystem::path& programs);

/// Act three: the read ceiling of this machine, exact and fast sums as fractions of it.
void show_speed();

}  // namespace onefold::tour
