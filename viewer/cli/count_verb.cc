// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// count: becomes `python -m flopsprof.count`, whose options are its own.

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "viewer/cli/exit_codes.h"
#include "viewer/cli/install.h"
#include "viewer/cli/job_process.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/verb_functions.h"

namespace flopsprof::viewer {
namespace {

namespace fs = std::filesystem;
constexpr char kOption[] = "--python";

std::string Environment(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

// The folder of our Python package: installed, or in the source tree of this build. "" where a
// wheel has put it among the packages of a Python.
std::string PackageFolder() {
  const fs::path prefix = fs::path(ProgramPath()).parent_path().parent_path();
  for (const fs::path& folder : {prefix / "share" / "flopsprof" / "python",
                                 prefix.parent_path() / "injector" / "shims" / "python"}) {
    std::error_code error;
    if (fs::is_regular_file(folder / "flopsprof" / "count" / "__main__.py", error))
      return folder.string();
  }
  return "";
}

// The active virtual environment's, the one that a wheel has put this program beside, PATH's.
std::string DefaultPython() {
  const std::string active = Environment("VIRTUAL_ENV");
  if (!active.empty() && FindCommand(active + "/bin/python") == 0) return active + "/bin/python";
  const std::string beside = (fs::path(ProgramPath()).parent_path() / "python3").string();
  if (PackageFolder().empty() && FindCommand(beside) == 0) return beside;
  return FindCommand("python3") == 0 ? "python3" : "";
}

// Takes "--python PROGRAM" off the front. False: its value is missing.
bool TakePython(std::vector<std::string>* arguments, std::string* python) {
  const std::string assigned = std::string(kOption) + "=";
  while (!arguments->empty()) {
    const std::string first = arguments->front();
    if (first.rfind(assigned, 0) == 0) {
      *python = first.substr(assigned.size());
      arguments->erase(arguments->begin());
    } else if (first == kOption) {
      if (arguments->size() < 2) return false;
      *python = (*arguments)[1];
      arguments->erase(arguments->begin(), arguments->begin() + 2);
    } else {
      return true;
    }
    if (python->empty()) return false;
  }
  return true;
}

int Become(const std::string& python, const std::vector<std::string>& arguments) {
  const std::string folder = PackageFolder();
  if (!folder.empty()) {
    const std::string before = Environment("PYTHONPATH");
    setenv("PYTHONPATH", (before.empty() ? folder : folder + ":" + before).c_str(), 1);
  }
  std::vector<std::string> words = {python, "-m", "flopsprof.count"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(python.c_str(), argv.data());
  SayError("count: cannot start " + python + ": " + strerror(errno),
           {"name another: flopsprof count --python PROGRAM ..."});
  return kExitNotExecutable;
}

}  // namespace

std::vector<std::string> CountOptionNames() {
  return {"-h",       "--help",   "--python", "--input", "--arg",
          "--class",  "--device", "--train",  "--depth", "--operators",
          "--compat", "--json",   "--csv",    "-o",      "--output"};
}

int CountVerb(std::vector<std::string> arguments) {
  std::string python;
  if (!TakePython(&arguments, &python)) {
    SayError("count: --python needs a value: PROGRAM", {"help: flopsprof help count"});
    return kExitUsage;
  }
  if (python.empty()) python = DefaultPython();
  if (python.empty()) {
    SayError("count: no Python was found: neither in VIRTUAL_ENV nor python3 on PATH",
             {"name the one that the model runs with: flopsprof count --python PROGRAM ..."});
    return kExitNotFound;
  }
  if (FindCommand(python) != 0) {
    SayError("count: no such program: " + python,
             {"name the one that the model runs with: flopsprof count --python PROGRAM ..."});
    return kExitNotFound;
  }
  return Become(python, arguments);
}

}  // namespace flopsprof::viewer
