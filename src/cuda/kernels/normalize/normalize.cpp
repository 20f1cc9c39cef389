// SPDX-License-Identifier: Apache-2.0
// Normalized rows on a device.
#include <algorithm>
#include <vector>

#include "cuda/kernels/normalize/normalize.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/devices.hpp"
#include "cuda/runtime/workspace.hpp"
#include "onefold/state.hpp"

namespace onefold::cuda {
namespace {

softmax_rows part_of(const softmax_rows& given_rows, std::int64_t first, std::int64_t rows) {
  const auto item = std::int64_t(size_bytes(given_rows.type));
  softmax_rows part = given_rows;
  part.x = static_cast<const std::byte*>(given_rows.x) + first * given_rows.stride * item;
  part.y = static_cast<std::byte*>(given_rows.y) + first * given_rows.n * item;
  part.rows = rows;
  return part;
}

// Rows whose states are sent to the device at a time: 16 MiB.
constexpr std::int64_t sent_rows = (std::int64_t(16) << 20) / std::int64_t(sizeof(softmax_whole));

// Rows of which x has a part.
void softmax_of_parts(const executor::cuda& on, const softmax_rows& given_rows, int device,
                      bool clusters) {
  if (is_capturing(on))
    throw error({status_code::unsupported,
                 "states of the host cannot be sent to a device while the stream is captured; "
                 "make the call outside the capture"});
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  std::vector<softmax_whole> whole(std::size_t(std::min(given_rows.rows, sent_rows)));
  const std::size_t most_bytes = whole.size() * sizeof(softmax_whole);
  workspace_lease memory(on, {}, device, cleared_bytes + most_bytes);
  for (std::int64_t first = 0; first < given_rows.rows; first += sent_rows) {
    const std::int64_t rows = std::min(given_rows.rows - first, sent_rows);
    std::transform(given_rows.whole + first, given_rows.whole + first + rows, whole.begin(),
                   whole_of);
    check(cudaMemcpyAsync(memory.scratch(), whole.data(), std::size_t(rows) * sizeof(softmax_whole),
                          cudaMemcpyHostToDevice, stream),
          "copying states to the device");
    // Until then the copy may read from the host's memory.
    check(cudaStreamSynchronize(stream), "copying states to the device");
    softmax_launch launch =
        softmax_launch_of(part_of(given_rows, first, rows), multiprocessors_of(device), clusters);
    launch.whole = reinterpret_cast<const softmax_whole*>(memory.scratch());
    check_launch(launch_softmax(launch, on.stream));
  }
  memory.pass_on();
}

// Enqueues what writes the inverses, and of centred rows the means after them.
void find_inverses(const executor::cuda& on, const norm_gradients& rows, double* inverse, void* y) {
  if (!rows.centred) {
    const rms_norm_rows norm = {rows.x, y,           nullptr,  inverse,   rows.rows,
                                rows.n, rows.stride, rows.eps, rows.type, false};
    return check_launch(launch_rms_norm(rms_norm_launch_of(norm), on.stream));
  }
  const layer_norm_rows norm = {rows.x,    y,         nullptr, nullptr,     inverse + rows.rows,
                                inverse,   rows.rows, rows.n,  rows.stride, rows.eps,
                                rows.type, false};
  check_launch(launch_layer_norm(layer_norm_launch_of(norm), on.stream));
}

}  // namespace

status rms_norm(const executor::cuda& on, const rms_norm_rows& rows) try {
  if (rows.rows == 0 || (rows.n == 0 && rows.inverse == nullptr)) return device_of(on), status();
  const device_guard here(
      device_of_all(on, {rows.x, rows.y, rows.weight, rows.inverse, rows.addend, rows.sum}));
  check_launch(launch_rms_norm(rms_norm_launch_of(rows), on.stream));
  return {};
} catch (const error& failed) {
  return failed.why();
}

status layer_norm(const executor::cuda& on, const layer_norm_rows& rows) try {
  const bool nothing = rows.n == 0 && rows.mean == nullptr && rows.inverse == nullptr;
  if (rows.rows == 0 || nothing) return device_of(on), status();
  const device_guard here(
      device_of_all(on, {rows.x, rows.y, rows.weight, rows.bias, rows.mean, rows.inverse}));
  check_launch(launch_layer_norm(layer_norm_launch_of(rows), on.stream));
  return {};
} catch (const error& failed) {
  return failed.why();
}

status norm_backward(const executor::cuda& on, const norm_gradients& given) try {
  const bool sums = given.dweight != nullptr || given.dbias != nullptr;
  const bool nothing = given.rows == 0 ? !sums : given.dx == nullptr && !sums;
  if (given.n == 0 || nothing) return device_of(on), status();
  const int device = device_of_all(on, {given.x, given.g, given.dx, given.weight, given.mean,
                                        given.inverse, given.dweight, given.dbias});
  const device_guard here(device);
  gradient_launch launch =
      gradient_launch_of(given, multiprocessors_of(device), shared_bytes_of(device));
  const bool inverts = given.inverse == nullptr && given.rows > 0;
  // What the norm writes and no kernel reads: dx, if it is there.
  const std::size_t inverses = inverts ? std::size_t(given.rows) * (given.centred ? 16 : 8) : 0,
                    ambiguous = launch.ambiguous_bytes(), partials = launch.partials_bytes(),
                    unread = inverts && given.dx == nullptr
                                 ? std::size_t(given.rows * given.n) * size_bytes(given.type)
                                 : 0,
                    scratch = inverses + ambiguous + partials + unread;
  workspace_lease memory(on, {}, device, scratch == 0 ? 0 : cleared_bytes + scratch);
  std::byte* const first = memory.scratch();
  if (inverts) {
    auto* const inverse = reinterpret_cast<double*>(first);
    launch.rows.inverse = inverse, launch.rows.mean = inverse + given.rows;
    find_inverses(on, given, inverse,
                  given.dx != nullptr ? given.dx : first + inverses + ambiguous + partials);
  }
  launch.ambiguous = reinterpret_cast<std::int64_t*>(first + inverses);
  launch.partials = reinterpret_cast<std::int64_t*>(first + inverses + ambiguous);
  check_launch(launch_gradients(launch, on.stream));
  memory.pass_on();
  return {};
} catch (const error& failed) {
  return failed.why();
}

status softmax(const executor::cuda& on, const softmax_rows& rows) try {
  if (rows.rows == 0 || rows.n == 0) return device_of(on), status();
  const int device = device_of_all(on, {rows.x, rows.y});
  const device_guard here(device);
  const bool clusters = suits_clusters(rows) && softmax_has_clusters(rows);
  if (rows.whole != nullptr) return softmax_of_parts(on, rows, device, clusters), status();
  check_launch(
      launch_softmax(softmax_launch_of(rows, multiprocessors_of(device), clusters), on.stream));
  return {};
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the states of rows"};
}

status softmax_backward(const executor::cuda& on, const softmax_gradients& rows) try {
  if (rows.rows == 0 || rows.n == 0) return device_of(on), status();
  const device_guard here(device_of_all(on, {rows.y, rows.g, rows.dx}));
  const bool clusters = suits_clusters(rows) && softmax_gradients_have_clusters(rows);
  check_launch(launch_softmax_gradients(softmax_gradient_launch_of(rows, clusters), on.stream));
  return {};
} catch (const error& failed) {
  return failed.why();
}

status cross_entropy(const executor::cuda& on, const class_losses& rows) try {
  if (rows.rows == 0) return device_of(on), status();
  const int device = device_of_all(on, {rows.x, rows.targets, rows.losses, rows.totals});
  const device_guard here(device);
  const softmax_rows read = rows_read(rows);
  const bool clusters = suits_clusters(read) && softmax_has_clusters(read);
  check_launch(
      launch_losses(loss_launch_of(rows, multiprocessors_of(device), clusters), on.stream));
  return {};
} catch (const error& failed) {
  return failed.why();
}

status reduce_losses(const executor::cuda& on, const loss_sums& rows) try {
  if (rows.rows == 0 && rows.reduction == loss_reduction::none) return device_of(on), status();
  const int device =
      device_of_all(on, {rows.losses, rows.targets, rows.weights, rows.result, rows.divisor});
  const device_guard here(device);
  const unsigned blocks = loss_sum_blocks(rows.rows, multiprocessors_of(device));
  workspace_lease memory(on, {}, device, blocks > 1 ? cleared_bytes : 0);
  check_launch(launch_loss_sums({rows, blocks, memory.cleared()}, on.stream));
  memory.pass_on();
  return {};
} catch (const error& failed) {
  return failed.why();
}

status loss_scales(const executor::cuda& on, const row_scales& rows) try {
  if (rows.rows == 0) return device_of(on), status();
  const device_guard here(
      device_of_all(on, {rows.g, rows.divisor, rows.targets, rows.weights, rows.scales}));
  check_launch(launch_scales(rows, on.stream));
  return {};
} catch (const error& failed) {
  return failed.why();
}

status cross_entropy_backward(const executor::cuda& on, const class_gradients& rows) try {
  if (rows.rows == 0) return device_of(on), status();
  const int device = device_of_all(on, {rows.x, rows.targets, rows.scales, rows.totals, rows.dx});
  const device_guard here(device);
  check_launch(launch_class_gradients(class_gradient_launch_of(rows, multiprocessors_of(device)),
                                      on.stream));
  return {};
} catch (const error& failed) {
  return failed.why();
}

}  // namespace onefold::cuda
