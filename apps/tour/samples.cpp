// SPDX-License-Identifier: Apache-2.0
// Writes the tour's sample files.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>

#include "apps/tour/tour.hpp"

namespace onefold::tour {
namespace {

namespace fs = std::filesystem;

// NumPy's format, version 1: magic, version, length of the header, the header padded to 64 bytes.
template <class T>
void write_npy(const fs::path& path, const std::string& type, const std::string& shape,
               const std::vector<T>& data) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ').push_back('\n');
  std::ofstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(char(header.size() & 0xFF)).put(char(header.size() >> 8));
  file << header;
  file.write(reinterpret_cast<const char*>(data.data()), std::streamsize(data.size() * sizeof(T)));
}

std::vector<double> write_prices(const fs::path& path, std::mt19937_64& random) {
  std::ofstream file(path);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  std::vector<double> values;
  for (int i = 0; i < 200'000; ++i) {
    const int cents = int(random() % 99'999) + 1;
    char text[16];
    std::snprintf(text, sizeof text, "%d.%02d", cents / 100, cents % 100);
    file << text << '\n';
    values.push_back(std::stod(text));
  }
  return values;
}

// Pairs that cancel except for a small remainder, in random places: the sum of the magnitudes is
// about 1e16 times the sum.
std::vector<double> make_column(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> column;
  for (int i = 0; i < 100'000; ++i) {
    const double large = normal(random) * std::exp2(double(random() % 50));
    column.push_back(large);
    column.push_back(-large);
    column.push_back(std::ldexp(normal(random), -20));
  }
  for (std::size_t i = column.size() - 1; i > 0; --i)
    std::swap(column[i], column[random() % (i + 1)]);
  return column;
}

}  // namespace

samples write_samples(const fs::path& folder) {
  fs::create_directories(folder);
  samples files;
  files.folder = folder;
  files.prices = folder / "prices.txt";
  files.picture = folder / "picture.npy";
  files.table = folder / "table.npy";
  files.column = folder / "column.npy";
  std::mt19937_64 random(42);
  files.price_values = write_prices(files.prices, random);
  std::vector<std::uint8_t> pixels(std::size_t(480) * 640 * 3);
  for (auto& pixel : pixels) pixel = std::uint8_t(random());
  write_npy(files.picture, "|u1", "480, 640, 3", pixels);
  std::uniform_real_distribution<float> uniform;
  files.table_values.resize(1'000'000);
  for (auto& value : files.table_values) value = uniform(random);
  write_npy(files.table, "<f4", "200000, 5", files.table_values);
  files.column_values = make_column(random);
  write_npy(files.column, "<f8", std::to_string(files.column_values.size()) + ",",
            files.column_values);
  return files;
}

}  // namespace onefold::tour
