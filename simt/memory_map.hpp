// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which memory an address belongs to.
//
// The shared window is where offsets of shared memory are counted:
//   [red zone | dynamic shared memory | red zone][static shared arrays, one after the other]
// Every part starts at a multiple of 128 bytes, so bank = offset / 4 mod 32.
//
// The blocks of a cluster have a window each, one behind the other. All their dynamic memory is
// there at once. Of the static arrays, which are one object each, the running block has its own in
// place, and those of the others are kept elsewhere, where the running block finds them too.
//
// Static shared arrays are ordinary static objects of the program; __shared__ (simt.hpp) marks
// their symbols with an ABI tag, by which they are found when a lane first touches one. A section
// would be simpler, but g++ 12 drops the section attribute in templates.
//
// Device variables of a loaded file (ladder/try) are static objects with a tag of their own. They
// belong to global memory: each has a buffer in the arena, whose offsets name it, and whose bytes
// nobody uses.

#include "simt/arena.hpp"
#include "simt/observer.hpp"

#include <vector>

namespace onefold::simt {

enum class region : std::uint8_t {
  global,     ///< the arena
  shared,     ///< the shared window
  parameter,  ///< the kernel's parameters and built-in variables
  unknown,    ///< the lane's own stack, a constant of the program, or no device memory at all
};

struct address_info {
  region where;
  bool inside;  ///< of one buffer or shared array
  std::size_t offset;
};

class memory_map {
 public:
  explicit memory_map(arena& memory);

  /// A variable that kernels may read although it is the executor's.
  void add_builtin(const void* address, std::size_t size_bytes) {
    parameters_.push_back({reinterpret_cast<std::uintptr_t>(address), size_bytes});
  }

  void begin_launch(const launch_config& config, const kernel_call& call);
  /// Shared memory holds nothing when a block starts: poison, as in the arena.
  void begin_block();

  /// The block of that rank of the cluster runs from now on.
  void enter_block(unsigned rank);

  address_info find(std::uintptr_t address, std::size_t bytes);

  /// Where a block of the cluster has what the running one has at an address of shared memory;
  /// null where that is none.
  void* at_rank(std::uintptr_t address, unsigned rank);
  /// Where the bytes at an offset of the shared windows are now.
  void* address_of_shared(std::size_t offset) const;
  static unsigned rank_of(std::size_t shared_offset) {
    return static_cast<unsigned>(shared_offset / shared_window_bytes);
  }

  /// "3 bytes past the end of 'in' (4000 bytes)".
  std::string describe(space where, std::size_t offset, std::size_t bytes) const;
  /// The same for an address outside both memories, from the static array before it if one is near.
  std::string describe_unknown(std::uintptr_t address, std::size_t bytes) const;

  /// Where the bytes at an offset of global memory lie: in the arena, or in a device variable.
  const std::byte* global_bytes(std::size_t offset) const;

  void* dynamic_shared() const { return dynamic_shared(rank_); }

  /// The parts of the shared windows in use: dynamic memory and every static array touched so far.
  std::vector<buffer> shared_extents() const;

  static constexpr std::size_t row_bytes = 128;
  static constexpr std::size_t red_zone_bytes = std::size_t{64} * 1024;
  static constexpr std::size_t dynamic_window_bytes =
      2 * red_zone_bytes + (max_dynamic_shared_bytes + row_bytes - 1) / row_bytes * row_bytes;
  static constexpr std::size_t shared_window_bytes =
      dynamic_window_bytes + (std::size_t{16} << 20);  ///< room for all kernels of a program

 private:
  struct static_array {
    std::uintptr_t address;
    buffer place;
    bool touched = false;
  };
  struct device_variable {
    std::uintptr_t address;
    buffer place;  ///< in the arena
  };

  std::byte* dynamic_shared(unsigned rank) const {
    return window_.data() + rank * dynamic_window_bytes + red_zone_bytes;
  }
  /// Where a block that does not run keeps its static arrays.
  std::byte* kept_arrays(unsigned rank) const {
    return kept_.data() + rank * (shared_window_bytes - dynamic_window_bytes);
  }
  std::byte* kept(const static_array& a, unsigned rank) const {
    return kept_arrays(rank) + (a.place.offset - dynamic_window_bytes);
  }
  void poison_array(const static_array& a);
  address_info find_kept(std::uintptr_t address, std::size_t bytes) const;
  bool is_parameter(std::uintptr_t address) const;
  bool inside_global(std::size_t offset, std::size_t bytes);
  address_info find_static(std::uintptr_t address, std::size_t bytes);
  void add_static_arrays();
  void add_device_variables();
  void add_constants();

  arena& memory_;
  pages window_;         ///< of dynamic memory, a block of a cluster after the other
  pages kept_;           ///< nothing until there are clusters
  unsigned blocks_ = 1;  ///< of a cluster
  unsigned rank_ = 0;    ///< of the running block
  buffer dynamic_{"dynamic shared memory", red_zone_bytes, 0};
  std::vector<static_array> static_arrays_;
  std::vector<device_variable> device_variables_;
  bool static_arrays_known_ = false;   ///< and device variables, too
  std::uint64_t objects_version_ = 0;  ///< when static_arrays_ was filled
  struct extent {
    std::uintptr_t address;
    std::size_t size_bytes;
  };
  std::vector<extent> parameters_{{0, 0}};  ///< of the launch, then the built-in variables
  std::size_t last_buffer_ = 0;
};

}  // namespace onefold::simt
