// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two checks of single accesses: is the address inside a buffer, and does it hold a value?

#include "simt/observer.hpp"
#include "simt/pages.hpp"

#include <vector>

namespace onefold::simt {

/// Reports every access that is not wholly inside one buffer or shared array.
class bounds_check : public observer {
 public:
  void launch_begins(const launch_view& launch) override;
  void access(const memory_access& access) override;

 private:
  const memory_map* map_ = nullptr;
  findings* report_ = nullptr;
};

/// Reports every read of bytes that nobody has written: neither the host nor, for shared memory,
/// a lane of the same block or an asynchronous copy that has landed.
class initialisation_check : public observer {
 public:
  initialisation_check();

  void launch_begins(const launch_view& launch) override;
  void block_begins(unsigned block) override;
  void access(const memory_access& access) override;

  /// A struct of `holds.size()` bytes has padding where it holds nothing: a copy of the struct may
  /// read that unwritten.
  void know_struct(std::vector<bool> holds) { structs_.push_back(std::move(holds)); }

 private:
  bool is_padding(const std::uint8_t* bytes, std::size_t count) const;
  void report_overwritten(const memory_access& access);
  void report_unreadable(const memory_access& access, bool flying);

  const memory_map* map_ = nullptr;
  findings* report_ = nullptr;
  std::uint8_t* global_ = nullptr;
  shadow<std::uint8_t> shared_;  ///< the state of each byte of the shared window
  unsigned blocks_ = 1;          ///< that it has room for
  std::vector<std::vector<bool>> structs_;
  bool copies_ = false;  ///< whether any has begun since the block began
};

}  // namespace onefold::simt
