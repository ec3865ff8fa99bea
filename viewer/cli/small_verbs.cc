// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Verbs that only print: version, help, completion, env.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "collector/base/unix_socket.h"
#include "injector/launch/child_environment.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/install.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/verb_functions.h"
#include "viewer/cli/verbs.h"

namespace flopsprof::viewer {
namespace {

std::string JoinWords(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string AvailableVerbs() {
  std::vector<std::string> names;
  for (const Verb& verb : Verbs()) {
    if (verb.available) names.emplace_back(verb.name);
  }
  return JoinWords(names);
}

// A case per verb that sets `options`.
std::string BashCases() {
  std::string cases;
  for (const Verb& verb : Verbs()) {
    if (!verb.available) continue;
    cases += "    " + std::string(verb.name) + ") options='" +
             JoinWords(OptionNamesOf(std::string(verb.name))) + "' ;;\n";
  }
  return cases;
}

std::string BashCompletion() {
  return "# bash completion for flopsprof; source it or put it into\n"
         "# ~/.local/share/bash-completion/completions/flopsprof\n"
         "_flopsprof() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} options i\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
         "      if ((i + 1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -- \"$word\"))\n"
         "      else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
         "      return\n"
         "    fi\n"
         "  done\n"
         "  [[ ${COMP_WORDS[0]} == *flopsprof-run ]] && verb=run\n"
         "  if [[ $COMP_CWORD == 1 && $verb != run ]]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         AvailableVerbs() +
         "' -- \"$word\") $(compgen -d -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case $verb in\n" +
         BashCases() +
         "  esac\n"
         "  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
         "}\n"
         "complete -o filenames -F _flopsprof flopsprof flopsprof-run\n";
}

std::string FishCompletion() {
  std::string text = "# fish completion for flopsprof\n";
  for (const Verb& verb : Verbs()) {
    if (!verb.available) continue;
    const std::string name(verb.name);
    std::string summary;
    for (const char c : verb.summary) summary += c == '\'' ? std::string("\\'") : std::string(1, c);
    text += "complete -c flopsprof -n __fish_use_subcommand -a " + name + " -d '" + summary + "'\n";
    for (const std::string& option : OptionNamesOf(name)) {
      const bool is_long = option.rfind("--", 0) == 0;
      const std::string flag = is_long ? " -l " + option.substr(2) : " -s " + option.substr(1);
      text += "complete -c flopsprof -n '__fish_seen_subcommand_from " + name + "'" + flag + "\n";
      if (name == "run") text += "complete -c flopsprof-run" + flag + "\n";
    }
  }
  return text;
}

// Quotes for a POSIX shell or a YAML or JSON string; the values are paths of ours.
std::string Quoted(const std::string& value, char quote) {
  std::string text(1, quote);
  for (const char c : value) {
    if (quote == '\'' && c == '\'') {
      text += "'\\''";
    } else if (quote == '"' && (c == '"' || c == '\\')) {
      text += std::string("\\") + c;
    } else {
      text += c;
    }
  }
  return text + quote;
}

// A word of a command line that may also come out of $(...), which takes no quotes away.
std::string Word(const std::string& text) {
  for (const char c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) &&
        !absl::StrContains("_/.:,+@%=-", c)) {
      return Quoted(text, '\'');
    }
  }
  return text;
}

std::string FormatVariables(const std::vector<std::string>& variables, const std::string& format) {
  std::string text;
  std::string names;
  for (const std::string& variable : variables) {
    const size_t equals = variable.find('=');
    const std::string name = variable.substr(0, equals);
    const std::string value = variable.substr(equals + 1);
    if (format == "sh") text += "export " + name + "=" + Quoted(value, '\'') + "\n";
    if (format == "deepspeed") text += name + "=" + value + "\n";
    if (format == "openmpi") text += (text.empty() ? "-x " : " -x ") + Word(variable);
    if (format == "k8s") text += "- name: " + name + "\n  value: " + Quoted(value, '"') + "\n";
    if (format == "ray") {
      text += (text.empty() ? "" : ", ") + Quoted(name, '"') + ": " + Quoted(value, '"');
    }
    names += "," + name + "=" + value;
  }
  if (format == "ray") return "runtime_env={\"env_vars\": {" + text + "}}\n";
  if (format == "openmpi") return text + "\n";
  if (format == "slurm") return "--export=ALL" + names + "\n";
  return text;
}

}  // namespace

int VersionVerb() {
  WriteAll(STDOUT_FILENO, "flopsprof " + Version() + "\n");
  return kExitOk;
}

int HelpVerb(const HelpOptions& options) {
  if (options.verb.empty()) {
    WriteAll(STDOUT_FILENO, MainHelp());
    return kExitOk;
  }
  const VerbMatch match = MatchVerb(options.verb);
  if (match.verb == nullptr) {
    SayError("help: " + match.error, {"help: flopsprof help"});
    return kExitUsage;
  }
  if (!match.verb->available) {
    SayError(std::string(match.verb->name) + ": not in this version",
             {std::string(match.verb->next)});
    return kExitUsage;
  }
  if (match.verb->name == "count") return CountVerb({"--help"});
  const std::string text = HelpOf(std::string(match.verb->name));
  WriteAll(STDOUT_FILENO, text.empty() ? std::string(match.verb->summary) + "\n" : text);
  return kExitOk;
}

int CompletionVerb(const CompletionOptions& options) {
  if (options.shell == "bash" || options.shell == "zsh") {
    const std::string zsh = "autoload -U +X bashcompinit && bashcompinit\n";
    WriteAll(STDOUT_FILENO, (options.shell == "zsh" ? zsh : "") + BashCompletion());
    return kExitOk;
  }
  if (options.shell == "fish") {
    WriteAll(STDOUT_FILENO, FishCompletion());
    return kExitOk;
  }
  SayError(options.shell.empty() ? "completion: which shell?"
                                 : "completion: no script for \"" + options.shell + "\"",
           {"usage: flopsprof completion bash|zsh|fish"});
  return kExitUsage;
}

int EnvVerb(const EnvOptions& options) {
  const std::string injector = InjectorPath();
  if (injector.empty()) {
    SayError("env: the library libflopsprof_inject.so is not beside this program",
             {"looked in: " + InjectorSearchText(), "next: flopsprof doctor"});
    return kExitNothing;
  }
  // Absolute: the job may be started in another folder.
  std::error_code error;
  const std::string given = options.socket.empty() ? "/run/flopsprof/agent" : options.socket;
  const std::string socket = std::filesystem::absolute(given, error);
  // A job that finds nobody there runs without a profile, and says nothing.
  if (const auto agent = base::ConnectUnix(socket); !agent.ok()) {
    if (absl::IsPermissionDenied(agent.status())) {
      SayError("env: not permitted to connect to " + socket,
               {"a node agent takes processes of the user that has started it"});
      return kExitNotPermitted;
    }
    SayError("env: no node agent listens at " + socket,
             {"start one: flopsprof-run -o DIR -- sleep infinity",
              "DIR/log.txt names its socket (\"agent at ...\"): flopsprof env --socket SOCKET",
              "the report is written when the launcher is ended (Ctrl-C, or kill)"});
    return kExitNothing;
  }
  const std::vector<std::string> parent = launch::CurrentEnvironment();
  const launch::ChildEnvironment child =
      launch::BuildChildEnvironment(parent, {injector, socket, "run"});
  for (const std::string& note : child.notes) Say(note);
  WriteAll(STDOUT_FILENO, FormatVariables(launch::ChangedVariables(parent, child), options.format));
  return kExitOk;
}

}  // namespace flopsprof::viewer
