// SPDX-License-Identifier: Apache-2.0
// Streams are lists of work that is done when somebody waits for them, and not a moment before, or
// at once if the test wants that: a buffer that is used again or read too early gives wrong
// answers. Device memory is the host's, remembered by address. Kernels are the CPU engine.
#include "cuda/fake_runtime.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cpu/float_environment.hpp"
#include "cpu/tasks.hpp"
#include "cuda/full/entry.hpp"
#include "cuda/many/entry.hpp"
#include "cuda/nested/entry.hpp"
#include "cuda/nested/model.hpp"
#include "cuda/ordered/chunk_words.hpp"
#include "cuda/ordered/ordered.hpp"
#include "cuda/transpose/transpose.hpp"
#include "onefold/onefold.hpp"
#include "plan/tuning.hpp"
#include "state/states.hpp"

namespace onefold::cuda::test {
namespace {

using stream_work = std::vector<std::function<void()>>;

struct allocation {
  std::size_t bytes;
  cudaMemoryType type;
};

std::map<const char*, allocation> memory;
std::map<cudaStream_t, stream_work> streams;
int calls_to_failure = 0;
int allocated = 0;
bool eager = false;

bool fails() {
  return calls_to_failure > 0 && --calls_to_failure == 0;
}

const std::pair<const char* const, allocation>* find(const void* address) {
  const auto* at = static_cast<const char*>(address);
  auto next = memory.upper_bound(at);
  if (next == memory.begin()) return nullptr;
  --next;
  return at < next->first + next->second.bytes ? &*next : nullptr;
}

cudaError_t allocate(void** to, std::size_t bytes, cudaMemoryType type) {
  if (fails()) return cudaErrorMemoryAllocation;
  auto* const made = static_cast<char*>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  std::memset(made, 0xA5, bytes);
  memory[made] = {bytes, type};
  ++allocated;
  *to = made;
  return cudaSuccess;
}

cudaError_t release(void* address) {
  if (address == nullptr) return cudaSuccess;
  if (memory.erase(static_cast<const char*>(address)) == 0) std::abort();
  std::free(address);
  return cudaSuccess;
}

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work) {
  if (fails()) return cudaErrorMemoryAllocation;
  streams[stream].push_back(std::move(work));
  if (eager) std::exchange(streams[stream], {}).back()();
  return cudaSuccess;
}

op operator_of(family of) {
  for (const op what : all_ops)
    if (family_of(what) == of) return what;
  return op::sum;
}

constexpr std::size_t fake_workspace_bytes = 100;
constexpr std::size_t fake_memory_bytes = std::size_t(1) << 30;

bool all_zero(const void* workspace) {
  const auto* bytes = static_cast<const char*>(workspace);
  return std::all_of(bytes, bytes + fake_workspace_bytes, [](char byte) { return byte == 0; });
}

void write_words(const any_state& from, std::int64_t* words) {
  std::visit([&](const auto& known) { known.for_each_word([&](std::int64_t w) { *words++ = w; }); },
             from);
}

any_state products_of(const full_request& of) {
  if (find(of.y) == nullptr) std::abort();
  any_state made = empty_state(of.of, of.input);
  with_type(of.input, [&]<class T>(detail::tag<T>) {
    using known = exact_dot<std::conditional_t<std::is_integral_v<T>, std::int64_t, T>>;
    const T *x = static_cast<const T*>(of.x), *y = static_cast<const T*>(of.y);
    for (std::int64_t i = 0; i < of.n; ++i) std::get<known>(made).add(x[i], y[i]);
  });
  return made;
}

// The words of the CPU's state; all memory must be the device's, and the workspace zero.
void run_kernel(const full_request& of, void* workspace, std::int64_t* words) {
  const std::size_t item = size_bytes(of.input);
  const array_view x(of.x, of.input, {{of.n, std::int64_t(item)}});
  if (!all_zero(workspace) || find(of.x) == nullptr || find(words) == nullptr) std::abort();
  if (of.of == family::products) return write_words(products_of(of), words);
  const auto made = try_partial(executor::cpu{1}, operator_of(of.of), x);
  write_words(made.value().known(), words);
}

int launch(const full_request& of, grid_shape, void* workspace, std::int64_t* words, void* stream) {
  return int(enqueue(static_cast<cudaStream_t>(stream), [=] { run_kernel(of, workspace, words); }));
}

constexpr full_entry fake_full = {fake_workspace_bytes, usual_threads, usual_blocks_each, launch};

// As run_kernel, for a launch of any plan.
void run_nested(const nested_request& of, std::int64_t* words) {
  for (const std::byte* each : {of.x, of.y, of.mask})
    if (each != nullptr && find(each) == nullptr) std::abort();
  if (find(words) == nullptr) std::abort();
  for (std::int64_t k = 0; k < of.outputs * of.pieces; ++k) {
    const word_list state = words_of_piece(of, k);
    std::copy(state.begin(), state.end(), words + k * of.state_words);
  }
}

int launch(const nested_request& of, std::int64_t* words, void* stream) {
  return int(enqueue(static_cast<cudaStream_t>(stream), [=] { run_nested(of, words); }));
}

// Chunk after chunk, by the CPU's tasks.
void run_chunks(const full_request& of, std::int64_t* words) {
  const cpu::float_environment sound;
  const auto item = std::int64_t(size_bytes(of.input));
  const auto task = cpu::make_ordered_task(of.of, of.input, accuracy::fast);
  if (find(of.x) == nullptr || find(words) == nullptr) std::abort();
  for (std::int64_t first = 0; first < of.n; first += tuning::chunk_items) {
    const auto at = [&](const void* data) {
      return data == nullptr ? data : static_cast<const char*>(data) + first * item;
    };
    const auto n = std::min(of.n - first, tuning::chunk_items);
    auto made = onefold::test::words_of_part(task->take({at(of.x), at(of.y), n, 0}));
    if (of.of == family::product && !is_floating(of.input)) {
      const auto exact = cpu::make_ordered_task(of.of, of.input, accuracy::exact);
      made[1] = onefold::test::words_of_part(exact->take({at(of.x), nullptr, n, 0}))[1];
      if (made[1] == 2) made[0] = -made[0];
    }
    words = std::copy(made.begin(), made.end(), words);
  }
}

ordered_entry fake_chunks(int words) {
  return {words, [](const full_request& of, unsigned, std::int64_t* to, void* stream) {
            return int(enqueue(static_cast<cudaStream_t>(stream), [=] { run_chunks(of, to); }));
          }};
}

// The workspace is used up to its last byte, and not given back as it was.
void run_many(const many_request& of, const many_block& block, void* workspace) {
  if (find(block.x) == nullptr || find(block.out) == nullptr) std::abort();
  const std::size_t bytes = many_workspace_bytes(of, block);
  if (bytes > 0) std::memset(workspace, 0xA5, bytes);
  const std::int64_t extents[] = {block.outer, block.n, block.inner};
  const std::int64_t left[] = {block.outer, block.inner};
  const array_view x(block.x, of.input, row_major(extents, std::int64_t(size_bytes(of.input))));
  const output_view out(block.out, of.output, row_major(left, std::int64_t(size_bytes(of.output))));
  options how;
  how.over = {1};
  if (!reduce(executor::cpu{}, of.what, {x}, out, how)) std::abort();
}

int launch_rows_and_columns(const many_request& of, const many_block& block, void* workspace,
                            void* stream) {
  return int(enqueue(static_cast<cudaStream_t>(stream), [=] { run_many(of, block, workspace); }));
}

void copy_matrix(const matrix_copy& of) {
  if (find(of.from) == nullptr || find(of.to) == nullptr) std::abort();
  for (std::int64_t r = 0; r < of.rows; ++r)
    for (std::int64_t c = 0; c < of.columns; ++c)
      std::memcpy(of.to + r * of.to_row + c * of.to_column,
                  of.from + r * of.from_row + c * of.from_column, std::size_t(of.item_bytes));
}

}  // namespace

void fail_call(int n) {
  calls_to_failure = n;
}

void be_eager(bool now) {
  eager = now;
}

int allocations() {
  return allocated;
}

int things_alive() {
  return int(memory.size() + streams.size() - streams.count(nullptr));
}

}  // namespace onefold::cuda::test

namespace onefold::cuda {

many_launcher many_totals(dtype) {
  return test::launch_rows_and_columns;
}
many_launcher many_norms(family, dtype) {
  return test::launch_rows_and_columns;
}
many_launcher many_integer_totals(dtype) {
  return test::launch_rows_and_columns;
}
int launch_transpose(const transpose_launch& of, void* stream) {
  return int(test::enqueue(static_cast<cudaStream_t>(stream), [=] { test::copy_matrix(of.copy); }));
}
full_entry floating_entry(family, dtype, sum_lanes) {
  return test::fake_full;
}
full_entry integer_entry(family, dtype) {
  return test::fake_full;
}
full_entry moments_entry(dtype) {
  return {};
}
full_entry extrema_entry(dtype) {
  return test::fake_full;
}
full_entry tally_entry(dtype) {
  return test::fake_full;
}
full_entry bits_entry(dtype input) {
  return is_floating(input) ? full_entry() : test::fake_full;
}
int launch_nested_floats(const nested_request& of, unsigned, std::int64_t* words, void* stream) {
  return test::launch(of, words, stream);
}
int launch_nested_folds(const nested_request& of, unsigned, std::int64_t* words, void* stream) {
  return test::launch(of, words, stream);
}
ordered_entry fast_entry(family of, dtype) {
  return test::fake_chunks(of == family::moments ? 2 : 1);
}
ordered_entry product_entry(dtype) {
  return test::fake_chunks(5);
}
ordered_entry log_sum_entry(dtype) {
  return test::fake_chunks(4);
}
ordered_entry ordered_integer_entry(family of, dtype) {
  return test::fake_chunks(of == family::product ? 2 : 4);
}

}  // namespace onefold::cuda

using onefold::cuda::test::allocate;
using onefold::cuda::test::enqueue;
using onefold::cuda::test::fails;

extern "C" {

cudaError_t cudaGetDevice(int* device) {
  return *device = 0, fails() ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  return *count = 1, cudaSuccess;
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t) {
  return "a planted failure";
}
cudaError_t cudaDriverGetVersion(int* version) {
  return *version = 13000, cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  return *version = 13000, cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int) {
  std::strcpy(to->name, "none");
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* to, cudaDeviceAttr, int) {
  return *to = 4, fails() ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* to, const void* address) {
  const auto* found = onefold::cuda::test::find(address);
  *to = {};
  to->type = found != nullptr ? found->second.type : cudaMemoryTypeUnregistered;
  to->device = found != nullptr && to->type != cudaMemoryTypeHost ? 0 : -1;
  return fails() ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaMalloc(void** to, std::size_t bytes) {
  return allocate(to, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  return *free = *all = onefold::cuda::test::fake_memory_bytes,
         fails() ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaMallocManaged(void** to, std::size_t bytes, unsigned) {
  return allocate(to, bytes, cudaMemoryTypeManaged);
}
cudaError_t cudaHostAlloc(void** to, std::size_t bytes, unsigned) {
  return allocate(to, bytes, cudaMemoryTypeHost);
}
cudaError_t cudaHostGetDevicePointer(void** to, void* host, unsigned) {
  return *to = host, fails() ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFree(void* address) {
  return onefold::cuda::test::release(address);
}
cudaError_t cudaFreeHost(void* address) {
  return onefold::cuda::test::release(address);
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  return enqueue(stream, [=] { std::memcpy(to, from, bytes); });
}
cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream) {
  return enqueue(stream, [=] { std::memset(at, value, bytes); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* to, unsigned) {
  static std::uintptr_t last = 0;
  if (fails()) return cudaErrorMemoryAllocation;
  *to = reinterpret_cast<cudaStream_t>(++last * 8);
  return onefold::cuda::test::streams[*to] = {}, cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return onefold::cuda::test::streams.erase(stream), cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  auto& work = onefold::cuda::test::streams[stream];
  for (const auto& each : work) each();
  work.clear();
  return fails() ? cudaErrorMemoryAllocation : cudaSuccess;
}
}
