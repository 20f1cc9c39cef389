// SPDX-License-Identifier: Apache-2.0
// Rows that are normalized, losses of rows, and their gradients.
#include <algorithm>
#include <string>
#include <vector>

#include "cuda/every/compare.hpp"
#include "cuda/every/requests.hpp"
#include "onefold/loss.hpp"
#include "onefold/normalize.hpp"
#include "support/loss_sums_model.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

struct row_shape {
  std::int64_t rows, n;
  values kind = values::tame;
};

void ask_rms_norm(const executor& on, const row_shape& shape, dtype type, const void* x,
                  const void* weight, void* y, void* inverse) {
  const auto item = std::int64_t(size_bytes(type));
  rms_norm_options options = {.eps = 1e-6, .inverse = static_cast<double*>(inverse)};
  if (shape.rows > 2) options.weight = array_view(weight, type, {{shape.n, item}});
  const status done = rms_norm(
      on, array_view(x, type, {{shape.rows, shape.n * item}, {shape.n, item}}), y, options);
  EXPECT_TRUE(done.ok()) << done.message();
}

void ask_rms_norm_of(const row_shape& shape, dtype type, const byte_list& from,
                     random_source& random) {
  const byte_list weight = elements_of(type, shape.n, values::tame, random);
  byte_list wanted(from.size()), inverses(std::size_t(shape.rows * 8));
  const device_bytes x(from), weights(weight), y(wanted), inverse(inverses);
  ask_rms_norm(executor::cuda{}, shape, type, x.data(), weights.data(), y.data(), inverse.data());
  if (!kernels_compute) return;
  ask_rms_norm(executor::cpu{1}, shape, type, from.data(), weight.data(), wanted.data(),
               inverses.data());
  EXPECT_TRUE(y.get() == wanted && inverse.get() == inverses);
}

struct layer_memory {
  const void *x, *weight, *bias;
  void *y, *mean, *inverse;
};
void ask_layer_norm(const executor& on, const row_shape& shape, dtype type,
                    const layer_memory& at) {
  const auto item = std::int64_t(size_bytes(type));
  layer_norm_options options;
  options.eps = 1e-6;
  options.mean = static_cast<double*>(at.mean), options.inverse = static_cast<double*>(at.inverse);
  if (shape.rows > 2) options.weight = array_view(at.weight, type, {{shape.n, item}});
  if (shape.rows != 3) options.bias = array_view(at.bias, type, {{shape.n, item}});
  const status done = layer_norm(
      on, array_view(at.x, type, {{shape.rows, shape.n * item}, {shape.n, item}}), at.y, options);
  EXPECT_TRUE(done.ok()) << done.message();
}

void ask_layer_norm_of(const row_shape& shape, dtype type, const byte_list& from,
                       random_source& random) {
  const byte_list weight = elements_of(type, shape.n, values::tame, random);
  const byte_list bias = elements_of(type, shape.n, values::tame, random);
  byte_list wanted(from.size()), means(std::size_t(shape.rows * 8)), inverses(means.size());
  const device_bytes x(from), weights(weight), biases(bias), y(wanted), mean(means),
      inverse(inverses);
  ask_layer_norm(executor::cuda{}, shape, type,
                 {x.data(), weights.data(), biases.data(), y.data(), mean.data(), inverse.data()});
  if (!kernels_compute) return;
  ask_layer_norm(
      executor::cpu{1}, shape, type,
      {from.data(), weight.data(), bias.data(), wanted.data(), means.data(), inverses.data()});
  EXPECT_TRUE(y.get() == wanted && mean.get() == means && inverse.get() == inverses);
}

// The sum of rows and themselves in reverse.
void ask_add_rms_norm_of(const row_shape& shape, dtype type, const byte_list& from) {
  const auto item = std::int64_t(size_bytes(type));
  const auto ask = [&](const executor& on, const void* x, void* sum, void* y) {
    const auto* const last = static_cast<const std::byte*>(x) + (shape.rows - 1) * shape.n * item;
    const status done = add_rms_norm(
        on, array_view(x, type, {{shape.rows, shape.n * item}, {shape.n, item}}),
        array_view(last, type, {{shape.rows, -shape.n * item}, {shape.n, item}}), sum, y);
    EXPECT_TRUE(done.ok()) << done.message();
  };
  byte_list wanted(from.size()), wanted_sum(from.size());
  const device_bytes x(from), sum(wanted), y(wanted);
  ask(executor::cuda{}, x.data(), sum.data(), y.data());
  if (!kernels_compute) return;
  ask(executor::cpu{1}, from.data(), wanted_sum.data(), wanted.data());
  EXPECT_TRUE(sum.get() == wanted_sum && y.get() == wanted);
}

struct gradient_memory {
  const void *x, *g, *weight;
  void *dx, *dweight;
};
void ask_rms_norm_backward(const executor& on, const row_shape& shape, dtype type,
                           const gradient_memory& at) {
  const auto item = std::int64_t(size_bytes(type));
  const axis_list axes = {{shape.rows, shape.n * item}, {shape.n, item}};
  rms_norm_backward_options options = {.eps = 1e-6};
  if (shape.rows > 2) {
    options.weight = array_view(at.weight, type, {{shape.n, item}});
    options.dweight = at.dweight;
  }
  const status done = rms_norm_backward(on, array_view(at.x, type, axes),
                                        array_view(at.g, type, axes), at.dx, options);
  EXPECT_TRUE(done.ok()) << done.message();
}

void ask_rms_norm_backward_of(const row_shape& shape, dtype type, const byte_list& from,
                              random_source& random) {
  const byte_list weight = elements_of(type, shape.n, values::tame, random);
  const byte_list gradient = elements_of(type, shape.rows * shape.n, shape.kind, random);
  byte_list wanted(from.size()), wanted_weight(weight.size());
  const device_bytes x(from), g(gradient), weights(weight), dx(wanted), dweight(wanted_weight);
  ask_rms_norm_backward(executor::cuda{}, shape, type,
                        {x.data(), g.data(), weights.data(), dx.data(), dweight.data()});
  if (!kernels_compute) return;
  ask_rms_norm_backward(
      executor::cpu{1}, shape, type,
      {from.data(), gradient.data(), weight.data(), wanted.data(), wanted_weight.data()});
  EXPECT_TRUE(dx.get() == wanted && dweight.get() == wanted_weight);
}

// The gradients of layer_norm, without means: of three rows dbias alone has a vector.
// Gradients of which some columns are nothing but -0, whose sums are, too.
byte_list gradients_of(const row_shape& shape, dtype type, random_source& random) {
  const std::size_t item = size_bytes(type);
  byte_list made = elements_of(type, shape.rows * shape.n, shape.kind, random);
  for (std::int64_t i = 0; i < shape.rows * shape.n; ++i) {
    if (i % shape.n % 7 != 3) continue;
    std::fill_n(made.begin() + i * std::int64_t(item), item, 0);
    made[std::size_t(i + 1) * item - 1] = 0x80;
  }
  return made;
}

void ask_layer_norm_backward_of(const row_shape& shape, dtype type, const byte_list& from,
                                random_source& random) {
  const auto item = std::int64_t(size_bytes(type));
  const byte_list weight = elements_of(type, shape.n, values::tame, random);
  const byte_list gradient = gradients_of(shape, type, random);
  const axis_list axes = {{shape.rows, shape.n * item}, {shape.n, item}};
  const auto ask = [&](const executor& on, const gradient_memory& at, void* dbias) {
    layer_norm_backward_options options;
    options.eps = 1e-6, options.dbias = dbias;
    if (shape.rows != 3) {
      options.weight = array_view(at.weight, type, {{shape.n, item}});
      options.dweight = at.dweight;
    }
    const status done = layer_norm_backward(on, array_view(at.x, type, axes),
                                            array_view(at.g, type, axes), at.dx, options);
    EXPECT_TRUE(done.ok()) << done.message();
  };
  byte_list wanted(from.size()), wanted_weight(weight.size()), wanted_bias(weight.size());
  const device_bytes x(from), g(gradient), weights(weight), dx(wanted), dweight(wanted_weight),
      dbias(wanted_bias);
  ask(executor::cuda{}, {x.data(), g.data(), weights.data(), dx.data(), dweight.data()},
      dbias.data());
  if (!kernels_compute) return;
  ask(executor::cpu{1},
      {from.data(), gradient.data(), weight.data(), wanted.data(), wanted_weight.data()},
      wanted_bias.data());
  EXPECT_TRUE(dx.get() == wanted && dweight.get() == wanted_weight && dbias.get() == wanted_bias);
}

void ask_softmax_of(const row_shape& shape, dtype type, const byte_list& from) {
  const auto item = std::int64_t(size_bytes(type));
  for (const auto call : {softmax, log_softmax}) {
    const auto ask = [&](const executor& on, const void* x, void* y) {
      const status done =
          call(on, array_view(x, type, {{shape.rows, shape.n * item}, {shape.n, item}}), y, {});
      EXPECT_TRUE(done.ok()) << done.message();
    };
    byte_list wanted(from.size());
    const device_bytes x(from), y(wanted);
    ask(executor::cuda{}, x.data(), y.data());
    if (!kernels_compute) continue;
    ask(executor::cpu{1}, from.data(), wanted.data());
    EXPECT_TRUE(y.get() == wanted) << (call == softmax ? "softmax" : "log_softmax");
  }
}

// Of a gradient whose rows are in reverse.
void ask_softmax_backward_of(const row_shape& shape, dtype type, const byte_list& from,
                             random_source& random) {
  const auto item = std::int64_t(size_bytes(type));
  const byte_list gradient = elements_of(type, shape.rows * shape.n, shape.kind, random);
  for (const auto call : {softmax_backward, log_softmax_backward}) {
    const auto ask = [&](const executor& on, const void* y, const void* g, void* dx) {
      const auto* const last = static_cast<const std::byte*>(g) + (shape.rows - 1) * shape.n * item;
      const status done =
          call(on, array_view(y, type, {{shape.rows, shape.n * item}, {shape.n, item}}),
               array_view(last, type, {{shape.rows, -shape.n * item}, {shape.n, item}}), dx, {});
      EXPECT_TRUE(done.ok()) << done.message();
    };
    byte_list wanted(from.size());
    const device_bytes y(from), g(gradient), dx(wanted);
    ask(executor::cuda{}, y.data(), g.data(), dx.data());
    if (!kernels_compute) continue;
    ask(executor::cpu{1}, from.data(), gradient.data(), wanted.data());
    EXPECT_TRUE(dx.get() == wanted) << (call == softmax_backward ? "softmax" : "log_softmax");
  }
}

// A row in two parts, of which the second one begins anywhere.
void ask_softmax_of_parts(const row_shape& shape, dtype type, const byte_list& from) {
  const auto item = std::int64_t(size_bytes(type));
  const auto rows_of = [&](const void* x, std::int64_t at, std::int64_t n) {
    return array_view(static_cast<const std::byte*>(x) + at * item, type,
                      {{shape.rows, shape.n * item}, {n, item}});
  };
  std::vector<state> whole;
  options by_rows;
  by_rows.axes = axis(1);
  const auto keep = [&](std::int64_t, const state& row) { whole.push_back(row); };
  EXPECT_TRUE(
      partials(executor::cpu{1}, op::logsumexp, {rows_of(from.data(), 0, shape.n)}, keep, by_rows));
  const std::int64_t cut = shape.n / 3 + 1;
  for (const auto call : {softmax_part, log_softmax_part})
    for (const std::int64_t at : {std::int64_t(0), cut}) {
      const std::int64_t n = at == 0 ? cut : shape.n - cut;
      byte_list wanted(std::size_t(shape.rows * n * item));
      const device_bytes x(from), y(wanted);
      const auto ask = [&](const executor& on, const void* memory, void* to) {
        const status done = call(on, rows_of(memory, at, n), to, whole, {});
        EXPECT_TRUE(done.ok()) << done.message();
      };
      ask(executor::cuda{}, x.data(), y.data());
      if (!kernels_compute) continue;
      ask(executor::cpu{1}, from.data(), wanted.data());
      EXPECT_TRUE(y.get() == wanted) << "from element " << at;
    }
}

// Losses and their gradients: the same bits for targets of all kinds.
void ask_cross_entropy_of(const row_shape& shape, dtype type, const byte_list& from,
                          random_source& random) {
  const auto item = std::int64_t(size_bytes(type));
  std::vector<std::int64_t> targets;
  std::vector<float> scales;
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    targets.push_back(random.one_in(8) ? -100 : std::int64_t(random.below(std::uint64_t(shape.n))));
    scales.push_back(float(random.normal()));
  }
  const auto bytes = [](const auto& numbers) {
    const auto* const first = reinterpret_cast<const unsigned char*>(numbers.data());
    return byte_list(first, first + numbers.size() * sizeof numbers[0]);
  };
  const byte_list classes = bytes(targets), by = bytes(scales);
  byte_list losses(by.size()), totals(std::size_t(24 * shape.rows)), wanted(from.size());
  const device_bytes x(from), there(classes), scale(by), loss(losses), total(totals), dx(wanted);
  const auto ask = [&](const executor& on, const void* memory, const void* target, const void* s,
                       void* to_loss, void* to_total, void* to) {
    const array_view rows(memory, type, {{shape.rows, shape.n * item}, {shape.n, item}});
    const auto* const index = static_cast<const std::int64_t*>(target);
    auto* const known = static_cast<double*>(to_total);
    status done = cross_entropy(on, rows, index, static_cast<float*>(to_loss), {.totals = known});
    EXPECT_TRUE(done.ok()) << done.message();
    done = cross_entropy_backward(on, rows, index, static_cast<const float*>(s), known, to);
    EXPECT_TRUE(done.ok()) << done.message();
  };
  ask(executor::cuda{}, x.data(), there.data(), scale.data(), loss.data(), total.data(), dx.data());
  if (!kernels_compute) return;
  ask(executor::cpu{1}, from.data(), classes.data(), by.data(), losses.data(), totals.data(),
      wanted.data());
  EXPECT_TRUE(loss.get() == losses && total.get() == totals && dx.get() == wanted);
}

// Weighted losses and scales: of one block, and of several.
void ask_loss_sums_of(std::int64_t rows, dtype type, random_source& random) {
  using onefold::test::loss_case;
  const auto given = loss_case<float>::made(random, rows, 13, false);
  const auto bytes = [](const auto& numbers) {
    const auto* const first = reinterpret_cast<const unsigned char*>(numbers.data());
    return byte_list(first, first + numbers.size() * sizeof numbers[0]);
  };
  const byte_list loss = bytes(given.losses), class_of = bytes(given.targets),
                  weight = bytes(given.weights);
  for (const auto reduction : {loss_reduction::none, loss_reduction::mean}) {
    const std::int64_t results = reduction == loss_reduction::none ? rows : 1;
    byte_list result(std::size_t(results) * size_bytes(type)), divisor(8), scales(loss.size());
    const device_bytes losses(loss), targets(class_of), weights(weight), to(result), under(divisor),
        scale(scales);
    const auto ask = [&](const executor& on, const void* from, const void* target, const void* w,
                         void* y, void* d, void* s) {
      const class_weight_options by = {loss_case<float>::ignored,
                                       array_view(w, dtype::f32, {{13, 4}})};
      const auto* const index = static_cast<const std::int64_t*>(target);
      status done = reduce_losses(on, static_cast<const float*>(from), index, rows, reduction, y,
                                  type, static_cast<double*>(d), by);
      EXPECT_TRUE(done.ok()) << done.message();
      const axis_list of_rows = {{rows, std::int64_t(size_bytes(type))}};
      const bool mean = reduction == loss_reduction::mean;
      done = loss_scales(on, {y, type, mean ? axis_list{} : of_rows},
                         mean ? static_cast<const double*>(d) : nullptr, index, rows,
                         static_cast<float*>(s), by);
      EXPECT_TRUE(done.ok()) << done.message();
    };
    ask(executor::cuda{}, losses.data(), targets.data(), weights.data(), to.data(), under.data(),
        scale.data());
    if (!kernels_compute) continue;
    ask(executor::cpu{1}, loss.data(), class_of.data(), weight.data(), result.data(),
        divisor.data(), scales.data());
    EXPECT_TRUE(to.get() == result && scale.get() == scales) << rows << " rows";
    if (reduction == loss_reduction::mean) EXPECT_TRUE(under.get() == divisor);
  }
}

void ask_normalized_rows(dtype type) {
  random_source random = source_of(523, std::uint64_t(type));
  const row_shape shapes[] = {
      {100, 64},                    // held by some lanes of a warp
      {3, 4096},                    // held by a block
      {2, 1 << 15},                 // streamed; of softmax a cluster's
      {1, 1 << 19},                 // more than a cluster holds
      {40, 33},                     // element by element
      {2, 2001},                    // the same, by a block
      {3, 1 << 14},                 // gradients by strips of columns
      {20, 256, values::any_bits},  // NaNs, infinities, sums that intervals leave ambiguous
  };
  for (const row_shape& shape : shapes) {
    SCOPED_TRACE(std::to_string(shape.rows) + " rows of " + std::to_string(shape.n) + " " +
                 std::string(name(type)) + ", ONEFOLD_TEST_SEED=" + std::to_string(seed()));
    const byte_list from = elements_of(type, shape.rows * shape.n, shape.kind, random);
    ask_rms_norm_of(shape, type, from, random);
    ask_layer_norm_of(shape, type, from, random);
    ask_add_rms_norm_of(shape, type, from);
    ask_rms_norm_backward_of(shape, type, from, random);
    ask_layer_norm_backward_of(shape, type, from, random);
    if (type == dtype::f64) continue;
    ask_softmax_of(shape, type, from);
    ask_softmax_backward_of(shape, type, from, random);
    ask_softmax_of_parts(shape, type, from);
    ask_cross_entropy_of(shape, type, from, random);
  }
  for (const std::int64_t rows : {100, 30'000}) ask_loss_sums_of(rows, type, random);
}

}  // namespace

std::span<const request_group> normalized_requests() {
  static constexpr request_group groups[] = {
      {"normalized_rows", [](dtype type) { return is_floating(type); }, ask_normalized_rows}};
  return groups;
}

}  // namespace onefold::cuda::test
