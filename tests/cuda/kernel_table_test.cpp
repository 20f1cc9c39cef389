// SPDX-License-Identifier: Apache-2.0
// The table of kernels has no row twice and none in vain, and the kernels that it names exist.
#include "cuda/plan/kernel_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuda/kernels/whole/products/ordered.hpp"
#include "cuda/kernels/whole/whole.hpp"

namespace onefold::cuda::test {
namespace {

constexpr layout_form every_form[] = {layout_form::full, layout_form::rows, layout_form::columns,
                                      layout_form::across, layout_form::strided};
constexpr exclusion every_exclusion[] = {exclusion::nothing, exclusion::nans, exclusion::masked};

template <class Function>
void for_each_query(const Function& check) {
  for (const op op : all_ops)
    for (const accuracy how : {accuracy::exact, accuracy::fast})
      for (const dtype input : all_dtypes)
        for (const dtype output : all_dtypes)
          for (const layout_form form : every_form)
            for (const exclusion excluded : every_exclusion)
              check(kernel_query{op, how, input, output, form, excluded});
}

std::string text_of(const kernel_query& query) {
  return std::string(name(query.op)) +
         (query.accuracy == accuracy::fast ? ", fast, " : ", exact, ") +
         std::string(name(query.input)) + " to " + std::string(name(query.output)) + ", form " +
         std::to_string(int(query.form)) + ", excluded " + std::to_string(int(query.excluded));
}

TEST(kernel_table, rows_of_a_family_are_disjoint_and_each_serves_a_query) {
  std::vector<std::int64_t> served(std::size(kernels::table));
  for_each_query([&](const kernel_query& query) {
    const kernel_row* found[std::size(kernels::table)] = {};
    for (const kernel_row& row : kernels::table) {
      if (!row.serves(query)) continue;
      ++served[std::size_t(&row - kernels::table)];
      const kernel_row*& first = found[std::size_t(row.family)];
      ASSERT_EQ(first, nullptr) << text_of(query) << ": rows " << first - kernels::table << " and "
                                << &row - kernels::table;
      first = &row;
    }
  });
  for (std::size_t k = 0; k < served.size(); ++k) EXPECT_GT(served[k], 0) << "row " << k;
}

// Two families serve one query only where extents decide: the others are disjoint.
TEST(kernel_table, families_that_share_queries_are_told_apart_by_extents) {
  using enum kernel_family;
  for_each_query([](const kernel_query& query) {
    const auto has = [&](kernel_family family) { return has_kernel(family, query); };
    ASSERT_FALSE(has(full) && has(ordered)) << text_of(query);
    const bool selected = has(column_folds) || has(row_folds);
    const bool variance = has(moment_columns) || has(strided_answers);
    ASSERT_LE(int(has(batched)) + int(selected) + int(has(moment_columns)), 1) << text_of(query);
    ASSERT_FALSE(selected && variance) << text_of(query);
    ASSERT_FALSE(has(batched) && has(segment_rows)) << text_of(query);
    if (query.form == layout_form::full) {  // of scattered elements those of columns
      ASSERT_FALSE(has(batched) || has(row_folds) || has(strided_answers) || has(segment_rows))
          << text_of(query);
    }
  });
}

TEST(kernel_table, rows_of_states_name_all_operators_of_an_accumulator) {
  for (const kernel_family family :
       {kernel_family::full, kernel_family::ordered, kernel_family::strided})
    for_each_query([&](kernel_query query) {
      const bool one = has_kernel(family, query);
      query.op = op_of(accumulator_of(query.op));
      ASSERT_EQ(has_kernel(family, query), one) << text_of(query);
    });
}

TEST(kernel_table, states_have_kernels) {
  for (const op op : all_ops)
    for (const dtype input : all_dtypes) {
      const accumulator kind = accumulator_of(op);
      SCOPED_TRACE(std::string(name(op)) + " of " + std::string(name(input)));
      EXPECT_EQ(has_kernel(kernel_family::full, kind, accuracy::exact, input),
                workspace_bytes(kind, input) > 0);
      const bool chunks = kind == accumulator::product;
      EXPECT_EQ(is_ordered(kind, accuracy::exact, input), chunks);
      if (chunks) {
        EXPECT_GT(ordered_chunk_words(kind, input), 0);
      }
    }
}

}  // namespace
}  // namespace onefold::cuda::test
