// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the process that runs a learner's kernel may ask of the operating system: to read files, and
// little else. A seccomp filter (Linux, Documentation/userspace-api/seccomp_filter.rst), so it
// needs neither rights nor user namespaces.

namespace onefold::ladder::learner {

/// For the rest of the process: no new process or thread, no program, no socket, no signal to
/// another process, no file opened for writing, at most 8 MiB written to an open one.
/// Returns whether the kernel of this machine enforces it.
bool confine_process();

}  // namespace onefold::ladder::learner
