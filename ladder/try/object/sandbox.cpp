// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/object/sandbox.hpp"

#include "ladder/try/object/confinement.hpp"
#include "ladder/try/object/workshop.hpp"

#include <sys/resource.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace onefold::ladder::learner {
namespace {

namespace fs = std::filesystem;
using words = std::vector<std::string>;

constexpr const char* program_inside = "/onefold-ladder";
constexpr const char* folder_inside = "/submission/";

/// What a compiler needs of the system.
constexpr std::array system_paths = {
    "/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/alternatives", "/etc/ld.so.cache"};

/// For a shell with the rights of a new user namespace: builds a root of read-only views, enters it
/// and gives the rights up. Its arguments: the file, its name, the program, the command.
constexpr const char* build_root = R"(set -e
file=$1 name=$2 program=$3
shift 3
root=/sys
mount -t tmpfs -o size=1g,nosuid,nodev tmpfs $root
mkdir $root/proc $root/dev $root/etc $root/tmp $root/submission
view() {
  if [ -d "$1" ]; then mkdir -p "$2"; else : > "$2"; fi
  mount --bind "$1" "$2"
  mount -o remount,bind,ro "$2"
}
for path in /usr /lib /lib64 /bin /sbin /etc/alternatives /etc/ld.so.cache; do
  if [ -L $path ]; then cp -P $path $root$path; elif [ -e $path ]; then view $path $root$path; fi
done
view "$program" $root/onefold-ladder
view "$file" "$root/submission/$name"
for device in null urandom; do view /dev/$device $root/dev/$device; done
mount -t proc proc $root/proc
mount -o remount,bind,ro $root
mount -t tmpfs -o size=1g,nosuid,nodev tmpfs $root/tmp
exec chroot $root setpriv --no-new-privs --bounding-set=-all --inh-caps=-all env -C /tmp "$@")";

std::string this_program() {
  return fs::read_symlink("/proc/self/exe").string();
}

/// Of the sandbox's own programs, too: they may be seen from inside.
words with_little_environment(const std::string& folder) {
  words command = {"env", "-i", "LC_ALL=C.UTF-8", "TMPDIR=" + folder};
  for (const std::string name : {"PATH", "CXX"}) {
    if (const char* value = std::getenv(name.c_str())) command.push_back(name + "=" + value);
  }
  return command;
}

/// With the view of the program and of one file.
words enter(sandbox_kind kind, const std::string& file, const std::string& name) {
  if (kind == sandbox_kind::namespaces) {
    return {"unshare", "--user", "--map-root-user", "--mount", "--pid", "--net",    "--ipc",
            "--uts",   "--fork", "--kill-child",    "sh",      "-c",    build_root, "sh",
            file,      name,     this_program()};
  }
  words command = {"bwrap",         "--unshare-all", "--die-with-parent",
                   "--new-session", "--cap-drop",    "ALL",
                   "--proc",        "/proc",         "--dev",
                   "/dev",          "--tmpfs",       "/tmp"};
  for (const char* path : system_paths) {
    command.insert(command.end(), {"--ro-bind-try", path, path});
  }
  command.insert(command.end(),
                 {"--ro-bind", this_program(), program_inside, "--ro-bind", file,
                  folder_inside + name, "--remount-ro", "/", "--chdir", "/tmp", "--"});
  return command;
}

}  // namespace

const char* to_string(sandbox_kind kind) {
  constexpr std::array<const char*, 3> names = {"bubblewrap", "namespaces", "none"};
  return names[static_cast<std::size_t>(kind)];
}

std::optional<sandbox_kind> find_sandbox() {
  // Nothing that compiles: what there has to be is a process that starts, and a filter.
  constexpr double patience_s = 10;
  const child_result filter =
      run_child([](int) { return confine_process() ? 0 : 1; }, {patience_s, patience_s});
  if (filter.exit_code != 0) return {};
  for (const sandbox_kind kind : {sandbox_kind::bubblewrap, sandbox_kind::namespaces}) {
    const child_result answer = run_in_sandbox(kind, {"--help"}, "/dev/null", patience_s);
    if (answer.exit_code == 0) return kind;
  }
  return {};
}

child_result run_in_sandbox(sandbox_kind kind, const std::vector<std::string>& given,
                            const std::string& file, double clock_s) {
  const workshop place;
  const bool inside = kind != sandbox_kind::none;
  const std::string path = fs::absolute(file).string(), name = fs::path(path).filename().string();
  words command = with_little_environment(inside ? "/tmp" : place.folder());
  if (inside) {
    const words entering = enter(kind, path, name);
    command.insert(command.end(), entering.begin(), entering.end());
  }
  command.push_back(inside ? program_inside : this_program());
  command.insert(command.end(), given.begin(), given.end());
  command.push_back(inside ? folder_inside + name : path);
  return run_command(command, place.folder(), clock_s, RLIM_INFINITY);
}

}  // namespace onefold::ladder::learner
