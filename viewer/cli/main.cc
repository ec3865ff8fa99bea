// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// flopsprof and flopsprof-run: one program, told apart by its name.

#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "viewer/cli/arguments.h"
#include "viewer/cli/attach_options.h"
#include "viewer/cli/command_line.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/verb_functions.h"
#include "viewer/cli/verbs.h"

namespace flopsprof::viewer {
namespace {

using Arguments = std::vector<std::string>;

// Parses the arguments of one verb and does it.
template <typename Options>
int Do(ParseOutcome (*parse)(const Arguments&, Options*), int (*verb)(const Options&),
       const Arguments& arguments) {
  Options options;
  const ParseOutcome outcome = parse(arguments, &options);
  if (outcome.run) return verb(options);
  WriteAll(outcome.exit_code == kExitOk ? STDOUT_FILENO : STDERR_FILENO, outcome.text);
  return outcome.exit_code;
}

// `program`: how the verb was typed.
int DoRun(const std::string& program, const SplitArguments& split, const Arguments& arguments) {
  const std::string meant = MendedRun(program, arguments, split.has_separator, split.command);
  if (!meant.empty()) {
    SayError("run: the command stands behind \"--\"", {meant, "help: flopsprof help run"});
    return kExitUsage;
  }
  RunOptions options;
  const ParseOutcome outcome = ParseRun(arguments, &options);
  if (!outcome.run) {
    WriteAll(outcome.exit_code == kExitOk ? STDOUT_FILENO : STDERR_FILENO, outcome.text);
    return outcome.exit_code;
  }
  if (split.command.empty()) {
    SayError("run: there is no command to profile",
             {"put it behind \"--\": flopsprof-run [OPTIONS] -- python train.py",
              "help: flopsprof help run"});
    return kExitUsage;
  }
  return RunVerb(options, split.command);
}

int DoVersion(const Arguments&) { return VersionVerb(); }

const std::map<std::string, std::function<int(const Arguments&)>>& SimpleVerbs() {
  static const std::map<std::string, std::function<int(const Arguments&)>> verbs = {
      {"report", [](const Arguments& a) { return Do(ParseReport, ReportVerb, a); }},
      {"query", [](const Arguments& a) { return Do(ParseQuery, QueryVerb, a); }},
      {"doctor", [](const Arguments& a) { return Do(ParseDoctor, DoctorVerb, a); }},
      {"peaks", [](const Arguments& a) { return Do(ParsePeaks, PeaksVerb, a); }},
      {"collector", [](const Arguments& a) { return Do(ParseCollector, CollectorVerb, a); }},
      {"ctl", [](const Arguments& a) { return Do(ParseCtl, CtlVerb, a); }},
      {"attach", [](const Arguments& a) { return Do(ParseAttach, AttachVerb, a); }},
      {"detach", [](const Arguments& a) { return Do(ParseDetach, DetachVerb, a); }},
      {"ps", [](const Arguments& a) { return Do(ParsePs, PsVerb, a); }},
      {"env", [](const Arguments& a) { return Do(ParseEnv, EnvVerb, a); }},
      {"completion", [](const Arguments& a) { return Do(ParseCompletion, CompletionVerb, a); }},
      {"version", DoVersion},
      {"help", [](const Arguments& a) { return Do(ParseHelp, HelpVerb, a); }},
  };
  return verbs;
}

bool PathExists(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0;
}

int Main(const std::string& program, const Arguments& arguments) {
  const SplitArguments split = SplitAtSeparator(arguments);
  if (IsRunAlias(program)) return DoRun("flopsprof-run", split, split.own);
  if (split.own.empty()) {
    WriteAll(STDERR_FILENO, MainHelp());
    return kExitUsage;
  }
  const std::string& word = split.own.front();
  if (word == "-h" || word == "--help") {
    WriteAll(STDOUT_FILENO, MainHelp());
    return kExitOk;
  }
  if (word == "-V" || word == "--version") return VersionVerb();
  const VerbMatch match = MatchVerb(word);
  // A run folder beats the beginning of a verb, not a whole one.
  const bool is_folder = PathExists(word) && (match.verb == nullptr || match.verb->name != word);
  if (is_folder) return SimpleVerbs().at("report")(split.own);
  if (match.verb == nullptr) {
    SayError(match.error, {"help: flopsprof help"});
    return kExitUsage;
  }
  const std::string verb(match.verb->name);
  if (!match.verb->available) {
    SayError(verb + ": not in this version", {std::string(match.verb->next)});
    return kExitUsage;
  }
  const Arguments rest(split.own.begin() + 1, split.own.end());
  if (verb == "run") return DoRun("flopsprof run", split, rest);
  // Its words are Python's, a "--" too.
  if (verb == "count") return CountVerb(Arguments(arguments.begin() + 1, arguments.end()));
  if (split.has_separator) {
    SayError(verb + ": takes no command behind \"--\"", {"help: flopsprof help " + verb});
    return kExitUsage;
  }
  return SimpleVerbs().at(verb)(rest);
}

}  // namespace
}  // namespace flopsprof::viewer

int main(int argc, char** argv) {
  const std::string program = argc > 0 ? argv[0] : "flopsprof";
  return flopsprof::viewer::Main(program,
                                 std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}
