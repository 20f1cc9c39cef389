// SPDX-License-Identifier: Apache-2.0
// An image of bytes to its mirror image, or to the sums of its columns or rows.

#include "ladder/image/shape.hpp"
#include "ladder/rung/value_text.hpp"
#include "ladder/trial/problem.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

using pixels = std::vector<unsigned char>;

/// Scattered, so that a pixel, a row or a column taken for another is noticed.
pixels test_image(image_shape shape) {
  pixels image(shape.pixels());
  for (std::size_t i = 0; i < image.size(); ++i) {
    image[i] = static_cast<unsigned char>(i * 2654435761u >> 24);
  }
  return image;
}

pixels transposed(const pixels& image, image_shape shape) {
  pixels turned(image.size());
  for (std::size_t i = 0; i < image.size(); ++i) {
    turned[i % shape.width * shape.height + i / shape.width] = image[i];
  }
  return turned;
}

std::vector<float> column_sums(const pixels& image, image_shape shape) {
  std::vector<float> sums(shape.width);
  for (std::size_t i = 0; i < image.size(); ++i) sums[i % shape.width] += image[i];
  return sums;
}

std::vector<float> row_sums(const pixels& image, image_shape shape) {
  std::vector<float> sums(shape.height);
  for (std::size_t i = 0; i < image.size(); ++i) sums[i / shape.width] += image[i];
  return sums;
}

/// Where an item of the output stands, in words.
std::string place_of(work kind, std::size_t item, image_shape shape) {
  if (kind == work::column_sums) return fmt::format("column {}", item);
  if (kind == work::row_sums) return fmt::format("row {}", item);
  return fmt::format("row {}, column {}", item / shape.height, item % shape.height);
}

template <class Out>
class image_problem : public problem {
 public:
  image_problem(const rung& r, const trial_options& options, backend& where,
                std::vector<Out> (*answer_of)(const pixels&, image_shape))
      : rung_(r), where_(where), kernel_(kernel_for(r, options, where)), shape_(shape_of(options)) {
    const pixels image = test_image(shape_);
    expected_ = answer_of(image, shape_);
    void* in = where_.allocate(image.size(), "in");
    where_.upload(in, image.data(), image.size());
    arguments_.in = in;
    arguments_.out = where_.allocate(out_bytes(), "out");
    arguments_.n = image.size();
    arguments_.width = shape_.width;
    arguments_.height = shape_.height;
    arguments_.padding = options.padding;
    arguments_.block = options.block;
    const image_tile tile = r.tile(options.block);
    arguments_.grid =
        tiles_along(shape_.width, tile.width) * tiles_along(shape_.height, tile.height);
  }

  void run() override {
    if (rung_.onto_identity) where_.clear(arguments_.out, out_bytes());
    kernel_.start(where_, arguments_);
  }

  answer check() override {
    std::vector<Out> got(expected_.size());
    where_.download(got.data(), arguments_.out, out_bytes());
    const char* items = rung_.kind == work::transpose ? "pixels" : "sums";
    const std::string all = fmt::format("all {} {} right", got.size(), items);
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = got.size(); i-- > 0;) {
      if (got[i] != expected_[i]) ++wrong, first = i;
    }
    if (wrong == 0) return {true, all, all};
    return {false,
            fmt::format("{} of {} {} wrong, first at {}: {}, not {}", wrong, got.size(), items,
                        place_of(rung_.kind, first, shape_), value_text(got[first]),
                        value_text(expected_[first])),
            all};
  }

  watched_input watched() const override { return {arguments_.in, shape_.pixels(), 1}; }
  std::size_t least_bytes() const override { return shape_.pixels() + out_bytes(); }
  unsigned grid() const override { return arguments_.grid; }

 private:
  std::size_t out_bytes() const { return expected_.size() * sizeof(Out); }

  const rung& rung_;
  backend& where_;
  const kernel_entry& kernel_;
  image_shape shape_;
  std::vector<Out> expected_;
  kernel_arguments arguments_;
};

}  // namespace

std::unique_ptr<problem> make_image(const rung& r, const trial_options& options, backend& where) {
  switch (r.kind) {
  case work::column_sums:
    return std::make_unique<image_problem<float>>(r, options, where, column_sums);
  case work::row_sums:
    return std::make_unique<image_problem<float>>(r, options, where, row_sums);
  default:
    return std::make_unique<image_problem<unsigned char>>(r, options, where, transposed);
  }
}

}  // namespace onefold::ladder
