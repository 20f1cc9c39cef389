// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/object/confinement.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace onefold::ladder::learner {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
#error "Name the architecture of linux/audit.h."
#endif

constexpr rlim_t max_file_bytes = rlim_t{8} << 20;

/// Memory, signals of this process, files that are open or are read, pipes (by which UBSan tests
/// addresses), clocks, the end.
// clang-format off
constexpr std::array allowed = {
#if defined(__x86_64__)
    SYS_alarm, SYS_pause, SYS_access, SYS_stat, SYS_lstat, SYS_readlink, SYS_poll, SYS_time,
    SYS_pipe,
#endif
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_futex,
    SYS_rt_sigaction, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_sigaltstack, SYS_setitimer,
    SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_lseek, SYS_close, SYS_fstat,
    SYS_newfstatat, SYS_statx, SYS_fcntl, SYS_ftruncate, SYS_readlinkat, SYS_faccessat, SYS_getcwd,
    SYS_ppoll, SYS_pipe2, SYS_getpid, SYS_gettid, SYS_getrandom, SYS_uname, SYS_sysinfo,
    SYS_getrusage, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep,
    SYS_gettimeofday, SYS_sched_yield, SYS_restart_syscall, SYS_exit, SYS_exit_group};
// clang-format on

using instructions = std::vector<sock_filter>;

constexpr sock_filter load(std::size_t offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
}
/// The low half of an argument: both machines are little-endian.
constexpr sock_filter load_argument(std::size_t i) {
  return load(offsetof(seccomp_data, args) + i * sizeof(std::uint64_t));
}
constexpr sock_filter give(std::uint32_t verdict) {
  return {BPF_RET | BPF_K, 0, 0, verdict};
}
constexpr sock_filter fail(int error) {
  return give(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
}
/// Jumps over as many instructions.
constexpr sock_filter compare(std::uint32_t value, std::uint8_t if_equal, std::uint8_t if_not) {
  return {BPF_JMP | BPF_JEQ | BPF_K, if_equal, if_not, value};
}

/// `then` ends in a verdict.
void when(instructions& code, long call, const instructions& then) {
  code.push_back(
      compare(static_cast<std::uint32_t>(call), 0, static_cast<std::uint8_t>(then.size())));
  code.insert(code.end(), then.begin(), then.end());
}

instructions if_reading(std::size_t flags) {
  constexpr std::uint32_t writing = O_ACCMODE | O_CREAT | O_TRUNC;
  return {load_argument(flags),
          {BPF_JMP | BPF_JSET | BPF_K, 0, 1, writing},
          fail(EACCES),
          give(SECCOMP_RET_ALLOW)};
}

instructions filter() {
  instructions code = {load(offsetof(seccomp_data, arch)), compare(architecture, 1, 0),
                       give(SECCOMP_RET_KILL_PROCESS), load(offsetof(seccomp_data, nr))};
  for (const long call : allowed) when(code, call, {give(SECCOMP_RET_ALLOW)});
#if defined(__x86_64__)
  when(code, SYS_open, if_reading(1));
#endif
  when(code, SYS_openat, if_reading(2));
  // abort() sends a signal to its own process.
  when(code, SYS_tgkill,
       {load_argument(0), compare(static_cast<std::uint32_t>(getpid()), 1, 0), fail(EPERM),
        give(SECCOMP_RET_ALLOW)});
  code.push_back(fail(ENOSYS));
  return code;
}

}  // namespace

bool confine_process() {
  std::signal(SIGXFSZ, SIG_IGN);  // a write past the limit fails
  const rlimit file_bytes{max_file_bytes, max_file_bytes};
  setrlimit(RLIMIT_FSIZE, &file_bytes);
  instructions code = filter();
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace onefold::ladder::learner
