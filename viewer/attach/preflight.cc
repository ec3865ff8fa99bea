// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/attach/preflight.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "viewer/attach/injection.h"
#include "viewer/attach/libc_functions.h"

namespace flopsprof::attach {
namespace {

constexpr uint64_t kCapSysPtrace = uint64_t{1} << 19;
constexpr size_t kMostEnvironmentBytes = 8192;

// What the injector reads in an environment (injector/base/env_config.cc), without what we set.
constexpr const char* kVariables[] = {"RANK",
                                      "LOCAL_RANK",
                                      "WORLD_SIZE",
                                      "GROUP_RANK",
                                      "NODE_RANK",
                                      "CROSS_RANK",
                                      "PET_NODE_RANK",
                                      "SLURM_NODEID",
                                      "JOB_COMPLETION_INDEX",
                                      "OMPI_COMM_WORLD_RANK",
                                      "OMPI_COMM_WORLD_LOCAL_RANK",
                                      "OMPI_COMM_WORLD_SIZE",
                                      "PMI_RANK",
                                      "PMI_SIZE",
                                      "MPI_LOCALRANKID",
                                      "PMIX_RANK",
                                      "PALS_LOCAL_RANKID",
                                      "PALS_RANKID",
                                      "MV2_COMM_WORLD_RANK",
                                      "MV2_COMM_WORLD_LOCAL_RANK",
                                      "MV2_COMM_WORLD_SIZE",
                                      "JSM_NAMESPACE_RANK",
                                      "JSM_NAMESPACE_LOCAL_RANK",
                                      "JSM_NAMESPACE_SIZE",
                                      "SLURM_PROCID",
                                      "SLURM_LOCALID",
                                      "SLURM_NTASKS",
                                      "SLURM_RESTART_COUNT",
                                      "SLURM_JOB_ID",
                                      "TORCHELASTIC_RESTART_COUNT",
                                      "NVIDIA_TF32_OVERRIDE",
                                      "FLOPSPROF_RANK",
                                      "FLOPSPROF_LOCAL_RANK",
                                      "FLOPSPROF_WORLD_SIZE",
                                      "FLOPSPROF_NODE_RANK",
                                      "FLOPSPROF_CUPTI",
                                      "FLOPSPROF_GRAPH_NODE_LIMIT",
                                      "FLOPSPROF_MODULE_HOOK",
                                      "FLOPSPROF_BACKWARD"};

bool IsWanted(std::string_view name) {
  return std::any_of(std::begin(kVariables), std::end(kVariables),
                     [name](const char* wanted) { return name == wanted; });
}

// Of its begin, and what the program has set since: the strings that `environ` points to, read from
// outside, so that nothing can go wrong in the process.
std::string ReadEnvironment(const Target& target) {
  std::map<std::string, std::string> found;
  for (const auto& text : absl::StrSplit(target.Read("environ"), '\0')) {
    const std::string entry(text);
    const size_t equals = entry.find('=');
    if (equals != std::string::npos && IsWanted(entry.substr(0, equals))) {
      found[entry.substr(0, equals)] = entry;
    }
  }
  const uint64_t environ_at = FindLibc(target).environ_variable;
  uint64_t list = 0, place = 0;
  if (environ_at != 0 && target.Peek(environ_at, &list, sizeof(list))) {
    for (int i = 0; i < 4096 && list != 0; ++i, list += sizeof(place)) {
      if (!target.Peek(list, &place, sizeof(place)) || place == 0) break;
      char text[256] = {};
      // A string may end short of an unmapped page.
      const size_t left = 4096 - place % 4096;
      if (!target.Peek(place, text, std::min(left, sizeof(text) - 1))) continue;
      const std::string entry(text);
      const size_t equals = entry.find('=');
      if (equals != std::string::npos && IsWanted(entry.substr(0, equals))) {
        found[entry.substr(0, equals)] = entry;
      }
    }
  }
  std::string all;
  for (const auto& [name, entry] : found) {
    if (all.size() + entry.size() + 1 > kMostEnvironmentBytes) break;
    all.append(entry).push_back('\0');
  }
  return all;
}

std::string VersionOfTorch(const std::string& library) {
  const size_t at = library.find("/torch/lib/");
  if (at == std::string::npos) return "";
  std::istringstream lines(ReadWholeFile(library.substr(0, at) + "/torch/version.py"));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("__version__ = '", 0) != 0) continue;
    return line.substr(15, line.find('\'', 15) - 15);
  }
  return "";
}

void ReadLibraries(const std::vector<Mapping>& mappings, ProcessFacts* facts) {
  for (const Mapping& mapping : mappings) {
    const std::string_view file = FileOf(mapping.path);
    const auto begins = [file](const char* with) { return file.rfind(with, 0) == 0; };
    if (begins("libcuda.so") || begins("libcudart.so") || begins("libcublas")) {
      facts->uses_cuda = true;
    }
    if (begins("libpython3") || begins("python3")) facts->has_python = true;
    if (begins("libcupti.so")) facts->has_cupti = true;
    if (begins("libtorch_python.so") && !facts->has_torch) {
      facts->has_torch = facts->has_python = true;
      facts->torch_version = VersionOfTorch(mapping.path);
    }
  }
}

void ReadGpus(const Target& target, ProcessFacts* facts) {
  for (int fd = 0; fd < 1024; ++fd) {
    const std::string link = target.Link(absl::StrCat("fd/", fd));
    int gpu = 0;
    if (link.rfind("/dev/nvidia", 0) == 0 && absl::SimpleAtoi(link.substr(11), &gpu) &&
        std::find(facts->gpus.begin(), facts->gpus.end(), gpu) == facts->gpus.end()) {
      facts->gpus.push_back(gpu);
    }
  }
}

bool MayTraceAll() {
  uint64_t capabilities = 0;
  return absl::SimpleHexAtoi(Target(getpid()).Status("CapEff"), &capabilities) &&
         (capabilities & kCapSysPtrace) != 0;
}

int YamaScope() {
  int scope = 0;
  std::string text = ReadWholeFile("/proc/sys/kernel/yama/ptrace_scope");
  return absl::SimpleAtoi(text, &scope) ? scope : 0;
}

bool SameFile(const std::string& a, const std::string& b) {
  struct stat one, other;
  return stat(a.c_str(), &one) == 0 && stat(b.c_str(), &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

// The checks, in the order in which they make sense. Each fills in `result` and says true if the
// process is refused.
class Checks {
 public:
  Checks(pid_t pid, const std::string& library) : target_(pid), library_(library) {
    result_.facts.pid = pid;
  }

  Preflight Do() {
    if (IsNotThere() || IsAnothers() || IsStopped() || HasShadowStack() || IsElsewhere() ||
        IsForbidden()) {
      return result_;
    }
    mappings_ = target_.Mappings();
    if (IsUnreadable() || IsOtherKind()) return result_;
    ReadLibraries(mappings_, &result_.facts);
    ReadGpus(target_, &result_.facts);
    result_.facts.environment = ReadEnvironment(target_);
    if (!IsHeld()) IsLoading();
    return result_;
  }

 private:
  bool Refuse(Refusal refusal, std::string why, std::string next) {
    result_.refusal = refusal;
    result_.why = std::move(why);
    result_.next = std::move(next);
    return true;
  }

  bool IsNotThere() {
    const std::string group = target_.Status("Tgid");
    if (group.empty()) {
      return Refuse(Refusal::kGone, "there is no such process here",
                    "of a process in another container, its number there counts: run flopsprof "
                    "attach in the container");
    }
    result_.facts.command = target_.Read("cmdline");
    while (!result_.facts.command.empty() && result_.facts.command.back() == '\0') {
      result_.facts.command.pop_back();
    }
    std::replace(result_.facts.command.begin(), result_.facts.command.end(), '\0', ' ');
    if (group != absl::StrCat(target_.pid())) {
      return Refuse(Refusal::kCannot, "it is a thread of process " + group,
                    "flopsprof attach -p " + group);
    }
    const std::string state = target_.Status("State");
    if (state.rfind('Z', 0) == 0 || state.rfind('X', 0) == 0) {
      return Refuse(Refusal::kGone, "it has ended and is a zombie: its parent has not asked for it",
                    "");
    }
    if (target_.Status("Kthread") == "1" || target_.Status("VmSize").empty()) {
      return Refuse(Refusal::kCannot, "it is a thread of the kernel", "");
    }
    if (target_.pid() == getpid()) return Refuse(Refusal::kCannot, "that is this process", "");
    return false;
  }

  bool IsAnothers() {
    const std::vector<std::string> ids = absl::StrSplit(target_.Status("Uid"), '\t');
    const std::string ours = absl::StrCat(geteuid());
    for (const std::string& id : ids) {
      if (id == ours) continue;
      return Refuse(Refusal::kNotAllowed,
                    absl::StrCat("it is of user ", id, ", we are user ", ours),
                    "run flopsprof attach as that user: what it records goes through that user's "
                    "own sockets");
    }
    return false;
  }

  bool IsStopped() {
    const std::string tracer = target_.Status("TracerPid");
    if (tracer != "0" && !tracer.empty()) {
      std::string name = ReadWholeFile("/proc/" + tracer + "/comm");
      while (!name.empty() && name.back() == '\n') name.pop_back();
      return Refuse(Refusal::kNotYet,
                    absl::StrCat("process ", tracer, " (", name, ") traces it, as a debugger does"),
                    "end that first");
    }
    const std::string state = target_.Status("State");
    if (state.rfind('T', 0) == 0 || state.rfind('t', 0) == 0) {
      return Refuse(Refusal::kNotYet, "it is stopped by a signal",
                    absl::StrCat("let it go on first: kill -CONT ", target_.pid()));
    }
    if (target_.Status("Seccomp") == "1") {
      return Refuse(Refusal::kCannot, "it runs under strict seccomp: any call of ours would end it",
                    "start it under flopsprof-run");
    }
    return false;
  }

  bool HasShadowStack() {
    if (target_.Status("x86_Thread_features").find("shstk") == std::string::npos) return false;
    return Refuse(Refusal::kCannot, "it uses shadow stacks, which this version cannot attach to",
                  "start it under flopsprof-run");
  }

  bool IsElsewhere() {
    const std::vector<std::string> numbers = absl::StrSplit(target_.Status("NSpid"), '\t');
    const std::string inside = numbers.size() > 1
                                   ? absl::StrCat(" (there it is process ", numbers.back(), ")")
                                   : std::string();
    const std::string mounts = target_.Link("ns/mnt");
    const bool same_mounts = mounts.empty() || mounts == Target(getpid()).Link("ns/mnt");
    if (numbers.size() <= 1 && same_mounts) return false;
    return Refuse(Refusal::kCannot, "it runs in another container or namespace" + inside,
                  "run flopsprof attach inside of it: from outside is not in this version");
  }

  bool IsForbidden() {
    const int scope = YamaScope();
    if (scope < 2 || (scope == 2 && MayTraceAll())) return false;
    return Refuse(Refusal::kNotAllowed,
                  absl::StrCat("kernel.yama.ptrace_scope is ", scope,
                               scope == 2 ? ": only CAP_SYS_PTRACE may attach"
                                          : ": nobody may attach, until the next boot"),
                  "start the job under flopsprof-run, which needs no permission");
  }

  bool IsUnreadable() {
    if (!mappings_.empty()) return false;
    return Refuse(Refusal::kNotAllowed,
                  "its map of memory may not be read: it is not dumpable (set-user-id, or prctl)",
                  "start the job under flopsprof-run");
  }

  bool IsOtherKind() {
    const std::string program = target_.Read("exe").substr(0, sizeof(Elf64_Ehdr));
    if (program.size() > EI_CLASS + 15) {
      uint16_t machine = 0;
      memcpy(&machine, program.data() + 18, sizeof(machine));
      if (program[EI_CLASS] != ELFCLASS64 || machine != EM_X86_64) {
        return Refuse(Refusal::kCannot, "it is no 64-bit x86 program", "");
      }
    }
    if (!SameFile(absl::StrCat("/proc/", target_.pid(), "/root", "/."), "/.")) {
      return Refuse(Refusal::kCannot, "it runs in another root folder (chroot)",
                    "run flopsprof attach inside of it");
    }
    const LibcFunctions libc = FindLibc(target_);
    if (libc.error.empty()) return false;
    return Refuse(Refusal::kCannot, libc.error, "");
  }

  bool IsHeld() {
    for (const Mapping& mapping : mappings_) {
      if (FileOf(mapping.path).rfind("libflopsprof_inject.so", 0) != 0) continue;
      return Refuse(Refusal::kHeld, "it was started under flopsprof",
                    "of jobs under flopsprof-run: flopsprof ctl start");
    }
    const OldLibrary old = FindOldLibrary(target_, library_);
    result_.facts.attached_before = old.mapped;
    if (!old.mapped) return false;
    if (!old.same_build) {
      return Refuse(
          Refusal::kHeld,
          "another version of flopsprof was attached to it before and stays in its memory",
          "use that version, or restart the job");
    }
    if (old.status.state == static_cast<uint32_t>(shm::AttachState::kActive)) {
      return Refuse(Refusal::kHeld, "it is being profiled already",
                    absl::StrCat("end that: flopsprof detach -p ", target_.pid()));
    }
    if (old.status.state == static_cast<uint32_t>(shm::AttachState::kForked)) {
      return Refuse(Refusal::kCannot, "it is the child of a process that was attached",
                    "children that a program forks are not followed");
    }
    return false;
  }

  // A Python that has some of PyTorch's libraries, not the last.
  bool IsLoading() {
    const ProcessFacts& facts = result_.facts;
    const bool some = std::any_of(mappings_.begin(), mappings_.end(), [](const Mapping& mapping) {
      return FileOf(mapping.path).rfind("libtorch_c", 0) == 0;
    });
    if (!facts.has_python || !some || facts.has_torch) return false;
    return Refuse(Refusal::kNotYet, "it is importing torch", "try again in a few seconds");
  }

  const Target target_;
  const std::string& library_;
  std::vector<Mapping> mappings_;
  Preflight result_;
};

}  // namespace

Preflight CheckProcess(pid_t pid, const std::string& library) { return Checks(pid, library).Do(); }

std::string Variable(const ProcessFacts& facts, const std::string& name) {
  for (const auto& entry : absl::StrSplit(facts.environment, '\0')) {
    const std::string text(entry);
    if (text.rfind(name + "=", 0) == 0) return text.substr(name.size() + 1);
  }
  return "";
}

Preflight ExplainForbidden(const Target& target) {
  Preflight why;
  why.refusal = Refusal::kNotAllowed;
  const std::string tracer = target.Status("TracerPid");
  const int scope = YamaScope();
  if (tracer != "0" && !tracer.empty()) {
    why.why = "process " + tracer + " traces it, as a debugger does";
    why.next = "end that first";
  } else if (scope == 1 && !MayTraceAll()) {
    why.why = "kernel.yama.ptrace_scope is 1: only its parents and CAP_SYS_PTRACE may attach";
    why.next =
        "ask for ptrace_scope 0 or CAP_SYS_PTRACE (docker: --cap-add=SYS_PTRACE), or start the job "
        "under flopsprof-run";
  } else {
    why.why = "tracing it was refused (a container's seccomp filter, SELinux or AppArmor do that)";
    why.next = "docker: --cap-add=SYS_PTRACE; or start the job under flopsprof-run";
  }
  return why;
}

}  // namespace flopsprof::attach
