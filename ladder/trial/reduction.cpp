// SPDX-License-Identifier: Apache-2.0
// n elements to one value, and the three ways to fold the blocks' partials.

#include "ladder/rung/value_text.hpp"
#include "ladder/trial/inputs.hpp"
#include "ladder/trial/problem.hpp"

#include <utility>

namespace onefold::ladder {
namespace {

template <class T>
class reduction : public problem {
 public:
  reduction(const rung& r, const trial_options& options, backend& where)
      : rung_(r), options_(options), where_(where), kernel_(kernel_for(r, options, where)),
        case_(reduce_case_of<T>(options.op, options.n)), grid_(blocks_for(r, options, options.n)) {
    in_ = allocate(options.n, "in");
    where_.upload(in_, case_->values.data(), bytes_of(options.n));
    partials_ = allocate(grid_, "partials");
    if (options.drive != driver::host) folded_ = allocate(grid_, "folded partials");
    if (r.needs_scratch) scratch_ = allocate(options.n, "scratch");
    ticket_ = static_cast<unsigned*>(where_.allocate(sizeof(unsigned), "ticket"));
    where_.clear(ticket_, sizeof(unsigned));
    if (r.workspace_bytes != 0) {
      workspace_ = where_.allocate(r.workspace_bytes, "workspace");
      where_.clear(workspace_, r.workspace_bytes);
    }
    const T identity = identity_of<T>(options.op);
    identity_ = allocate(1, "identity");
    where_.upload(identity_, &identity, sizeof identity);
  }

  void run() override {
    pass(in_, options_.n, partials_, grid_);
    result_ = partials_;
    left_ = rung_.one_value ? 1 : grid_;
    if (options_.drive == driver::second_launch && left_ > 1) second_launch();
    if (options_.drive == driver::passes) more_passes();
  }

  answer check() override {
    std::vector<T> partials(left_);
    where_.download(partials.data(), result_, bytes_of(left_));
    const T got = fold(options_.op, partials);
    return {got == case_->expected, value_text(got), value_text(case_->expected)};
  }

  watched_input watched() const override { return {in_, options_.n, sizeof(T)}; }
  std::size_t least_bytes() const override { return bytes_of(options_.n); }
  unsigned grid() const override { return grid_; }

 private:
  static std::size_t bytes_of(std::size_t count) { return count * sizeof(T); }
  T* allocate(std::size_t count, const std::string& name) {
    return static_cast<T*>(where_.allocate(bytes_of(count), name));
  }

  void pass(const T* in, std::size_t n, T* out, unsigned grid) {
    if (rung_.onto_identity) where_.copy(out, identity_, sizeof(T));
    kernel_arguments arguments{.in = in, .out = out, .scratch = scratch_, .ticket = ticket_};
    arguments.workspace = workspace_;
    arguments.n = n;
    arguments.grid = grid;
    arguments.block = options_.block;
    kernel_.start(where_, arguments);
  }

  /// One block folds all partials: validate() knows that they are few enough.
  void second_launch() {
    pass(partials_, left_, folded_, 1);
    result_ = folded_;
    left_ = 1;
  }

  /// A pass leaves fewer partials than it folds, which validate() knows too.
  void more_passes() {
    T *from = partials_, *to = folded_;
    while (left_ > 1) {
      const unsigned grid = blocks_for(rung_, options_, left_);
      pass(from, left_, to, grid);
      left_ = rung_.one_value ? 1 : grid;
      result_ = to;
      std::swap(from, to);
    }
  }

  const rung& rung_;
  trial_options options_;
  backend& where_;
  const kernel_entry& kernel_;
  std::shared_ptr<const reduce_case<T>> case_;
  unsigned grid_;
  T *in_ = nullptr, *partials_ = nullptr, *folded_ = nullptr, *scratch_ = nullptr;
  T *identity_ = nullptr, *result_ = nullptr;
  unsigned* ticket_ = nullptr;
  void* workspace_ = nullptr;
  std::size_t left_ = 0;  ///< partials in result_
};

}  // namespace

std::unique_ptr<problem> make_reduction(const rung& r, const trial_options& options,
                                        backend& where) {
  switch (options.type) {
  case element::float32:
    return std::make_unique<reduction<float>>(r, options, where);
  case element::float64:
    return std::make_unique<reduction<double>>(r, options, where);
  default:
    kernel_for(r, options, where);  // refuses what is no int
    return std::make_unique<reduction<int>>(r, options, where);
  }
}

}  // namespace onefold::ladder
