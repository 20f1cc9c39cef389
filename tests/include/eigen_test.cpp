// SPDX-License-Identifier: Apache-2.0
// Eigen's vectors, matrices, maps and blocks as elements, with their strides.
#include <Eigen/Core>
#include <gtest/gtest.h>

#include <vector>

#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

// 1 2 4
// 8 16 32   in columns, as Eigen stores a matrix
Eigen::MatrixXd six_powers() {
  Eigen::MatrixXd m(2, 3);
  m << 1, 2, 4, 8, 16, 32;
  return m;
}

TEST(eigen, vectors_have_one_axis) {
  const Eigen::VectorXd column = Eigen::Vector3d(1, 2, 4);
  const Eigen::RowVectorXf row = Eigen::RowVector3f(1, 2, 8);
  EXPECT_EQ(sum(column), 7.0);
  EXPECT_EQ(sum(row), 11.0f);
  EXPECT_EQ(argmax(row), 2);
  EXPECT_EQ(array_view(row).rank(), 1);
  EXPECT_EQ(sum(Eigen::VectorXd()), 0.0);
  EXPECT_EQ(dot(column, column), 21.0);
  EXPECT_EQ(dot(column, std::vector<double>{1, 1, 1}), 7.0);
  EXPECT_EQ(max(Eigen::ArrayXi(Eigen::Array3i(3, 5, 4))), 5);
}

TEST(eigen, matrices_have_rows_and_columns) {
  const Eigen::MatrixXd m = six_powers();
  EXPECT_EQ(sum(m), 63.0);
  EXPECT_EQ(argmax(m), 5);
  EXPECT_EQ(array_view(m).rank(), 2);
  EXPECT_EQ(dot(m, m), 1365.0);
}

TEST(eigen, parts_of_a_matrix_have_strides) {
  const Eigen::MatrixXd m = six_powers();
  EXPECT_EQ(sum(m.row(0)), 7.0);
  EXPECT_EQ(sum(m.col(1)), 18.0);
  EXPECT_EQ(sum(m.block(1, 0, 1, 2)), 24.0);
  EXPECT_EQ(sum(m.transpose()), 63.0);
  EXPECT_EQ(argmax(m.transpose().col(1)), 2);
  const Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<2>> every_other(m.data(), 3);
  EXPECT_EQ(sum(every_other), 7.0);
  EXPECT_EQ(sum(m.data(), m.size()), 63.0);
}

// A sum of two vectors has no elements in memory: evaluate it first.
using expression = decltype(Eigen::VectorXd() + Eigen::VectorXd());
static_assert(!element_range<expression>);

}  // namespace
}  // namespace onefold::test
