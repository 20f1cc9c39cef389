// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/main/running_program.hpp"

#include "ladder/try/main/program_faults.hpp"
#include "ladder/try/main/program_rewrite.hpp"
#include "ladder/try/source/source.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace onefold::ladder::learner {
namespace {

constexpr rlim_t max_output_bytes = rlim_t{16} << 20;
constexpr std::size_t usual_dynamic_shared_bytes = std::size_t{48} * 1024;
constexpr unsigned max_grid_y = 65535;

// Basic blocks between two barriers: a lane that adds up everything alone takes a few for each
// element, and a lane that takes many more is in a loop without an end.
constexpr std::uint64_t least_step_budget = std::uint64_t{1} << 20;
constexpr std::uint64_t steps_a_byte = 4;

running_program* current_program = nullptr;

std::string to_text(const simt::shape& s) {
  if (s.y == 1 && s.z == 1) return std::to_string(s.x);
  if (s.z == 1) return fmt::format("({}, {})", s.x, s.y);
  return fmt::format("({}, {}, {})", s.x, s.y, s.z);
}

std::string to_text(const launch_request& r) {
  const std::string shared =
      r.dynamic_shared_bytes == 0 ? "" : fmt::format(", {}", r.dynamic_shared_bytes);
  return fmt::format("{}<<<{}, {}{}>>>", r.kernel, to_text(r.grid), to_text(r.block), shared);
}

}  // namespace

running_program::running_program(const program_plan& plan, int fd)
    : memory(device_.memory()), dynamic_shared_limit(usual_dynamic_shared_bytes), plan_(plan),
      fd_(fd), watch_(memory) {
  current_program = this;
  device_.attach(watch_);
}

running_program* running_program::current() {
  return current_program;
}

bool running_program::is_program(const simt::location& place) const {
  return place.file == plan_.file || same_file(place.file, plan_.file);
}

simt::location running_program::line_of(std::uintptr_t return_address) const {
  simt::location place = simt::locate(return_address);
  if (is_program(place)) place.file = plan_.file;
  return place;
}

void running_program::tell(const json& event) const {
  const std::string line = event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  [[maybe_unused]] const ssize_t written = write(fd_, line.data(), line.size());
}

void running_program::found(const std::string& kind, const simt::location& place,
                            const std::string& detail, const simt::location& other,
                            std::uint64_t times) const {
  json event = {{"kind", kind}, {"place", to_json(place)}, {"detail", detail}, {"times", times}};
  if (!other.file.empty()) event["other_place"] = to_json(other);
  tell({{"defect", event}});
}

void running_program::check_end() {
  if (pending_) {
    found("missing wait", *pending_,
          "the program ends while this may still run, and what it prints and writes is lost; call "
          "cudaDeviceSynchronize() before the end");
  }
  for (const allocation& a : memory.all()) {
    if (!a.live || a.kind == memory_kind::pinned) continue;
    found("leak", a.place,
          fmt::format("the {} bytes of '{}' are never given back; call cudaFree", a.bytes, a.name));
  }
}

void running_program::tell_end(std::optional<int> exit_code) {
  if (std::exchange(ended_, true)) return;
  if (exit_code == 0) check_end();
  json launches = json::array();
  for (const launch_total& l : launches_) {
    launches.push_back(
        {{"line", l.line}, {"launch", l.text}, {"times", l.times}, {"counts", to_json(l.counts)}});
  }
  json end = {{"launches", launches},
              {"measures_time", measures_time},
              {"error", last_ == cudaSuccess ? "" : error_name(last_)}};
  if (exit_code) end["exit_code"] = *exit_code;
  tell({{"end", end}});
}

cudaError_t running_program::last_error(bool forget) {
  const cudaError_t error = last_;
  if (forget) last_ = lost_;
  return error;
}

std::string running_program::buffer_name(const simt::location& place) const {
  const auto named = plan_.buffers.find(place.line);
  const bool known = named != plan_.buffers.end() && !named->second.empty();
  return known && place.file == plan_.file ? named->second : "device memory";
}

void running_program::waited() {
  pending_.reset();
  memory.forget_uses();
}

void running_program::started_copy(allocation& allocation, bool writes,
                                   const simt::location& place) {
  (writes ? allocation.being_written : allocation.being_read) = true;
  pending_ = place;
}

bool running_program::refuses(const launch_request& r, const simt::location& place) {
  const std::uint64_t threads = r.block.volume();
  std::string why;
  if (threads == 0 || threads > simt::max_block_threads) {
    why = fmt::format("a block of {} threads; a device takes 1 to {}", threads,
                      simt::max_block_threads);
  } else if (r.grid.volume() == 0) {
    why = "a grid of no block; use at least one, also for n = 0";
  } else if (r.grid.y > max_grid_y || r.grid.z > max_grid_y) {
    why = fmt::format("a grid of {} blocks; a device takes at most {} along y and z",
                      to_text(r.grid), max_grid_y);
  } else if (r.dynamic_shared_bytes > simt::max_dynamic_shared_bytes) {
    why = fmt::format("{} bytes of dynamic shared memory; a block has {}", r.dynamic_shared_bytes,
                      simt::max_dynamic_shared_bytes);
  } else if (r.dynamic_shared_bytes > dynamic_shared_limit) {
    why = fmt::format("{} bytes of dynamic shared memory; more than {} need cudaFuncSetAttribute",
                      r.dynamic_shared_bytes, dynamic_shared_limit);
  }
  if (why.empty()) return false;
  found("launch", place, why + "; the kernel does not run");
  fail(cudaErrorInvalidConfiguration);
  return true;
}

void running_program::launch(const launch_request& request, simt::kernel_call call) {
  const simt::location place = line_of(request.pc);
  if (lost_ != cudaSuccess || refuses(request, place)) return;
  const device_access access(*this);
  run(request, call, place);
  pending_ = place;
}

void running_program::run(const launch_request& request, simt::kernel_call call,
                          const simt::location& place) {
  const simt::launch_config config{
      .grid = request.grid,
      .block = request.block,
      .dynamic_shared_bytes = request.dynamic_shared_bytes,
      .order = plan_.order,
      .step_budget = std::max(least_step_budget, steps_a_byte * memory.live_bytes())};
  const running_kernel now;
  try {
    device_.run(config, call);
  } catch (const std::exception& error) {
    found("launch", place, error.what());
    fail(cudaErrorLaunchFailure);
    return;
  }
  launch_total& total = total_of(place.line, to_text(request));
  ++total.times;
  total.counts += device_.counts();
  tell_findings();
}

launch_total& running_program::total_of(unsigned line, const std::string& text) {
  for (launch_total& l : launches_) {
    if (l.line == line && l.text == text) return l;
  }
  launches_.push_back({line, text, 0, {}});
  return launches_.back();
}

void running_program::tell_findings() {
  bool strayed = false;
  for (simt::finding f : device_.report()) {
    for (simt::location* place : {&f.place, &f.other}) {
      if (!place->file.empty() && is_program(*place)) place->file = plan_.file;
    }
    strayed |= f.kind == simt::defect::bounds;
    if (f.detail.ends_with("outside device memory")) {
      f.detail += "; is it the host's? copy it with cudaMemcpy";
    }
    found(simt::to_string(f.kind), f.place, f.detail, f.other, f.times);
  }
  if (device_.gave_up()) {
    fail_for_good(strayed ? cudaErrorIllegalAddress : cudaErrorLaunchFailure);
  }
}

namespace {

void take_output(const std::string& file) {
  const int output = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (output >= 0) {
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    close(output);
  }
  // A crash loses what is buffered.
  setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  const rlimit most{max_output_bytes, max_output_bytes};
  setrlimit(RLIMIT_FSIZE, &most);
  std::signal(SIGXFSZ, SIG_IGN);
}

void at_exit(int status, void*) {
  constexpr int byte = 0xFF;
  std::cout.flush();
  std::fflush(nullptr);
  current_program->tell_end(status & byte);
  _exit(0);
}

using program_function = int (*)(int, char**);

/// Null: it cannot be loaded, and the report says why.
program_function load(const program_plan& plan, const running_program& program) {
  void* const object = dlopen(plan.object.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = object == nullptr ? nullptr : dlsym(object, program_symbol);
  if (found == nullptr) {
    std::string why = dlerror();
    if (why.starts_with(plan.object)) why = why.substr(plan.object.size() + 2);
    program.tell({{"refused", "the compiled program cannot be loaded: " + why +
                                  "; it may only call what it defines and the libraries of C++"}});
  }
  return reinterpret_cast<program_function>(found);
}

/// The exit code of main, or, where an exception leaves it, that of abort.
int exit_code_of(program_function function, std::vector<char*>& words) {
  constexpr int aborted = 128 + SIGABRT;
  const auto count = static_cast<int>(words.size()) - 1;
  try {
    return function(count, words.data());
  } catch (const std::exception& error) {
    current_program->found("crash", {}, fmt::format("an exception left main: {}", error.what()));
  } catch (...) {
    current_program->found("crash", {}, "an exception left main");
  }
  return aborted;
}

}  // namespace

void run_program(const program_plan& plan, int fd) {
  take_output(plan.output);
  static running_program program(plan, fd);
  on_exit(at_exit, nullptr);
  report_faults();
  synchronize();  // closes device memory to the host
  const program_function function = load(plan, program);
  if (function == nullptr) _exit(0);
  std::vector<std::string> words = {plan.file};
  words.insert(words.end(), plan.arguments.begin(), plan.arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::exit(exit_code_of(function, pointers));
}

}  // namespace onefold::ladder::learner
