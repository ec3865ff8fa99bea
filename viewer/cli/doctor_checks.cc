// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/doctor_checks.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "injector/launch/child_environment.h"
#include "viewer/cli/install.h"
#include "viewer/cli/runtime_dir.h"

namespace flopsprof::viewer {
namespace {

namespace fs = std::filesystem;

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Output of a program; absent when it cannot be run or fails. No shell is involved.
std::optional<std::string> OutputOf(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  std::string output;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = read(ends[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    output.append(buffer.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) return std::nullopt;
  return output;
}

Check InjectorCheck() {
  const std::string path = InjectorPath();
  if (path.empty()) {
    return {"injector", CheckState::kBad,
            "libflopsprof_inject.so is not beside this program; looked in " + InjectorSearchText(),
            "install both, or build both: scripts/build.sh"};
  }
  // Loading it as the job would; it does nothing in a process without CUDA.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return {"injector", CheckState::kBad, absl::StrCat(path, " cannot be loaded: ", why),
            "build it for this machine: scripts/build.sh"};
  }
  const bool entry = dlsym(handle, "InitializeInjection") != nullptr;
  if (!entry) {
    return {"injector", CheckState::kBad, path + " has no InitializeInjection",
            "it belongs to another version; build both: scripts/build.sh"};
  }
  return {"injector", CheckState::kGood, path, ""};
}

// `simulated`: the job has a stand-in GPU and needs no driver.
Check DriverCheck(bool simulated) {
  const std::string version = FirstLine("/proc/driver/nvidia/version");
  if (!version.empty()) return {"NVIDIA driver", CheckState::kGood, version, ""};
  const char* none = "no NVIDIA kernel driver on this machine";
  if (simulated) return {"NVIDIA driver", CheckState::kNote, none, ""};
  return {"NVIDIA driver", CheckState::kWarning, none,
          "jobs here cannot use a GPU; a simulated one: scripts/quickstart.sh"};
}

Check DevicesCheck() {
  std::error_code error;
  std::string unreadable;
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("nvidia", 0) != 0 || name.size() < 7 || !absl::ascii_isdigit(name[6])) continue;
    ++count;
    if (access(entry.path().c_str(), R_OK | W_OK) != 0) unreadable += " " + name;
  }
  if (count == 0) return {"GPU devices", CheckState::kNote, "none in /dev", ""};
  if (!unreadable.empty()) {
    return {"GPU devices", CheckState::kWarning, "not accessible:" + unreadable,
            "ask for access to /dev/nvidia* (group, container runtime, cgroup)"};
  }
  return {"GPU devices", CheckState::kGood, absl::StrCat(count, " accessible"), ""};
}

Check ProfilingRightCheck() {
  std::ifstream file("/proc/driver/nvidia/params");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("RmProfilingAdminOnly:", 0) != 0) continue;
    if (line.find('1') == std::string::npos || geteuid() == 0) break;
    // Hardware counters are closed, activity records are not: those are all that is used.
    return {"CUPTI rights", CheckState::kNote,
            "hardware counters are for administrators; kernel times do not need them", ""};
  }
  return {"CUPTI rights", CheckState::kGood, "no restriction found", ""};
}

// What the python that runs the job has, found without importing torch (which takes seconds).
constexpr char kPythonProbe[] = R"(
import glob, importlib.util, importlib.metadata, json, os, sys
facts = {"version": sys.version.split()[0], "program": sys.executable}
spec = importlib.util.find_spec("torch")
if spec and spec.origin:
    folder = os.path.dirname(spec.origin)
    facts["torch"] = importlib.metadata.version("torch")
    site = os.path.dirname(folder)
    def find(name):
        found = []
        for where in (os.path.join(site, "nvidia", "*", "lib"), os.path.join(folder, "lib")):
            found += glob.glob(os.path.join(where, name))
        return sorted(found)
    for key, name in (("cudart", "libcudart*.so*"), ("cupti", "libcupti.so.*"),
                      ("cublas", "libcublas.so.*"), ("cudnn", "libcudnn.so.*"),
                      ("nccl", "libnccl.so.*")):
        facts[key] = find(name)
    # The symbol by which the injector knows the stand-in, too (tests/simgpu).
    def marked(path):
        with open(path, "rb") as file:
            return b"\0flopsprof_simulated_gpu\0" in file.read()
    facts["simulated"] = any(marked(path) for path in facts["cudart"])
print(json.dumps(facts))
)";

std::string Soname(const std::string& path) { return fs::path(path).filename().string(); }

// No object when the python cannot be run.
nlohmann::json PythonFacts(const std::string& python) {
  const std::optional<std::string> output = OutputOf({python, "-c", kPythonProbe});
  return nlohmann::json::parse(output.value_or(""), nullptr, /*allow_exceptions=*/false);
}

void AddPythonChecks(const std::string& python, const nlohmann::json& facts,
                     std::vector<Check>* checks) {
  if (!facts.is_object()) {
    checks->push_back({"python", CheckState::kNote, python + " cannot be run",
                       "name the job's own: flopsprof doctor --python PROGRAM"});
    return;
  }
  const std::string version = facts.value("version", "?");
  checks->push_back(
      {"python", CheckState::kGood, version + " at " + facts.value("program", python), ""});
  if (!facts.contains("torch")) {
    checks->push_back({"torch", CheckState::kNote, "not installed there: no module names",
                       "name the job's own python: flopsprof doctor --python PROGRAM"});
    return;
  }
  const std::string torch = facts.value("torch", "?");
  const bool cpu_only = facts["cudart"].empty();
  checks->push_back({"torch", cpu_only ? CheckState::kNote : CheckState::kGood,
                     torch + (cpu_only ? ", without CUDA libraries of its own" : ""), ""});
  for (const char* name : {"cudart", "cublas", "cudnn", "nccl"}) {
    if (!facts[name].empty()) {
      checks->push_back({name, CheckState::kGood, facts[name][0].get<std::string>(), ""});
    }
  }
  if (!facts["cupti"].empty()) {
    const std::string path = facts["cupti"][0].get<std::string>();
    checks->push_back({"CUPTI", CheckState::kGood, Soname(path) + " of that torch: " + path, ""});
  } else if (!cpu_only) {
    checks->push_back({"CUPTI", CheckState::kWarning,
                       "no libcupti beside torch: flops are counted, times are missing",
                       "pip install nvidia-cuda-cupti, or FLOPSPROF_CUPTI=/path/libcupti.so"});
  }
}

std::string EnvironmentValue(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void AddConflictChecks(std::vector<Check>* checks) {
  const launch::ChildEnvironment child = launch::BuildChildEnvironment(
      launch::CurrentEnvironment(),
      {InjectorPath().empty() ? "/libflopsprof_inject.so" : InjectorPath(), "", ""});
  for (const std::string& note : child.notes) {
    checks->push_back({"other tools", CheckState::kWarning, note,
                       "CUPTI serves one tool at a time: run without the other one"});
  }
  if (const std::string preload = EnvironmentValue("LD_PRELOAD"); !preload.empty()) {
    checks->push_back({"LD_PRELOAD", CheckState::kNote, preload + " stays, behind ours", ""});
  }
  if (child.notes.empty()) {
    checks->push_back({"other tools", CheckState::kGood, "none in the environment", ""});
  }
}

Check RuntimeDirCheck() {
  const auto dir = RuntimeDir::Create();
  if (dir.ok()) {
    return {"runtime folder", CheckState::kGood,
            fs::path((*dir)->agent_socket()).parent_path().parent_path().string(), ""};
  }
  return {"runtime folder", CheckState::kBad, std::string(dir.status().message()),
          "set XDG_RUNTIME_DIR to a folder of yours"};
}

Check SharedMemoryCheck() {
  // Rings are memfds of up to 64 MiB a process; a container's memory limit counts them.
  const std::string limit = FirstLine("/sys/fs/cgroup/memory.max");
  return {"memory limit", CheckState::kGood,
          limit.empty() || limit == "max" ? "none by cgroup" : limit + " bytes by cgroup", ""};
}

}  // namespace

std::vector<Check> RunChecks(const std::string& python) {
  const nlohmann::json facts = PythonFacts(python);
  const bool simulated = facts.is_object() && facts.value("simulated", false);
  std::vector<Check> checks = {InjectorCheck(),        RuntimeDirCheck(), SharedMemoryCheck(),
                               DriverCheck(simulated), DevicesCheck(),    ProfilingRightCheck()};
  if (simulated) {
    checks.push_back({"stand-in GPU", CheckState::kNote,
                      "that python's NVIDIA libraries are simulated: jobs run, times are a model",
                      ""});
  }
  AddPythonChecks(python, facts, &checks);
  AddConflictChecks(&checks);
  return checks;
}

}  // namespace flopsprof::viewer
