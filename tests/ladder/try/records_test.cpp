// SPDX-License-Identifier: Apache-2.0
// Answers of several numbers, those of blocks merged, and structures in files of numpy.

#include "ladder/try/answer/npy.hpp"
#include "ladder/try/answer/records.hpp"
#include "tests/ladder/try/own_folder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

namespace onefold::ladder::test {
namespace {

using namespace learner;

const record_rule value_and_index = {
    {number_meaning::value, reduction::maximum, scalar::float32, 0},
    {number_meaning::position, reduction::maximum, scalar::int32, 0}};

TEST(records, have_the_first_index_of_the_extremum) {
  const numbers values = {3, 7, -1, 7};
  EXPECT_EQ(record_of(value_and_index, {values, 1}), (numbers{7, 1}));
}

TEST(records, count_and_square_the_elements) {
  const record_rule rule = {{number_meaning::count, reduction::sum, scalar::uint32, 0},
                            {number_meaning::squares, reduction::sum, scalar::float64, 0},
                            {number_meaning::value, reduction::minimum, scalar::int32, 0}};
  EXPECT_EQ(record_of(rule, {{3, -2, 1}, 1}), (numbers{3, 14, -2}));
}

TEST(records, are_of_one_number_of_each_element) {
  const record_rule second = {{number_meaning::position, reduction::minimum, scalar::int32, 1}};
  EXPECT_EQ(record_of(second, {{0, 5, 1, 2, 2, 9}, 2}), (numbers{1}));
}

TEST(merged_records, keep_the_index_whose_element_is_the_extremum) {
  const numbers values = {3, 7, -1, 6};
  EXPECT_EQ(merged(value_and_index, {{6, 3}, {7, 1}}, {values, 1}), (numbers{7, 1}));
  // An empty block's identity, with an index that is none.
  EXPECT_EQ(merged(value_and_index, {{-1e30L, -1}, {7, 1}}, {values, 1}), (numbers{7, 1}));
}

TEST(merged_records, add_up_counts) {
  const record_rule rule = {{number_meaning::count, reduction::sum, scalar::uint32, 0}};
  EXPECT_EQ(merged(rule, {{3}, {4}}, {{1, 2}, 1}), (numbers{7}));
}

TEST(an_index, that_is_not_of_its_value_is_found) {
  const numbers values = {3, 7, -1, 6};
  EXPECT_FALSE(disagreement(value_and_index, {6, 3}, {values, 1}));
  EXPECT_EQ(disagreement(value_and_index, {6, 2}, {values, 1}), 2u);
  EXPECT_FALSE(disagreement(value_and_index, {-1e30L, 0}, {values, 1})) << "of an empty block";
}

std::string npy_text(const std::string& descr, const std::string& data) {
  std::string header = "{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }\n";
  const char length[2] = {static_cast<char>(header.size()), 0};
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(length, 2) + header + data;
}

numbers numbers_of(const std::string& descr, const std::string& data) {
  const own_folder folder;
  const std::string file = (folder.path() / "answer.npy").string();
  std::ofstream(file, std::ios::binary) << npy_text(descr, data);
  return read_npy(file);
}

TEST(structured_arrays, are_read_field_by_field) {
  const std::string bytes("\x01\x00\xFF\xFF\x05\x00\x00\x00\x07\x08\x09", 11);
  EXPECT_EQ(numbers_of("[('a', '<i2'), ('', '|V2'), ('b', '<i4'), ('c', '|u1', (3,))]", bytes),
            (numbers{1, 5, 7, 8, 9}));
}

TEST(structured_arrays, of_what_is_no_number_are_refused) {
  EXPECT_THROW(numbers_of("[('a', '<U4')]", std::string(16, ' ')), std::invalid_argument);
  EXPECT_THROW(numbers_of("[('a', '>i4')]", std::string(4, ' ')), std::invalid_argument);
}

}  // namespace
}  // namespace onefold::ladder::test
