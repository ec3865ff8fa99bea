// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "absl/strings/numbers.h"
#include "proto/shm/handshake.h"
#include "viewer/cli/attach_options.h"
#include "viewer/cli/define_options.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/formula_options.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/option_kinds.h"
#include "viewer/cli/verb_functions.h"
#include "viewer/cli/verbs.h"

namespace flopsprof::viewer {
namespace {

void DefineQuery(CLI::App* app, QueryOptions* options) {
  SetUsage(app, "flopsprof query [OPTIONS] RUN SQL");
  app->add_option("RUN", options->folder, "run folder")->type_name("");
  app->add_option("SQL", options->sql, "one statement; the database is opened read-only")
      ->type_name("");
  app->add_flag("-j,--json", options->json, "rows as a JSON array of objects");
  app->add_flag("--csv", options->csv, "rows as CSV");
}

void DefineDoctor(CLI::App* app, DoctorOptions* options) {
  SetUsage(app, "flopsprof doctor [OPTIONS]");
  app->add_option("--python", options->python, "the python that will run the job (python3)")
      ->type_name("PROGRAM");
  app->add_flag("-j,--json", options->json, "findings as JSON");
  AddLook(app, &options->colour, &options->ascii);
}

void DefinePeaks(CLI::App* app, PeaksOptions* options) {
  SetUsage(app, "flopsprof peaks [OPTIONS]");
  app->add_option("--device", options->device, "devices whose name holds this")->type_name("TEXT");
  app->add_option("--dtype", options->dtype, "this type only")->type_name("TYPE");
  app->add_flag("-j,--json", options->json, "the table as JSON");
  AddLook(app, &options->colour, &options->ascii);
}

void DefineCollector(CLI::App* app, CollectorOptions* options) {
  SetUsage(app, "flopsprof collector --listen HOST:PORT --store DIR");
  app->add_option("--listen", options->listen, "address to listen on; several are allowed")
      ->type_name("HOST:PORT");
  app->add_option("--store", options->store, "folder that holds the run folders (.)")
      ->type_name("DIR");
  app->add_flag("--insecure", options->insecure,
                "listen beyond this machine although nothing is encrypted or checked");
  app->add_flag(
      "--reports-over-tcp", options->reports_over_tcp,
      "answer `flopsprof report --collector HOST:PORT` too: whoever reaches the port reads "
      "all runs");
}

constexpr const char* kCtlVerbs[] = {"start", "stop", "mark", "flush", "status"};

bool IsCtlVerb(const std::string& word) {
  return std::any_of(std::begin(kCtlVerbs), std::end(kCtlVerbs),
                     [&](const char* verb) { return word == verb; });
}

// [RUN] VERB [NAME]: "" or what is wrong.
std::string TakeCtlWords(const std::vector<std::string>& words, CtlOptions* options) {
  size_t at = 0;
  if (!words.empty() && !IsCtlVerb(words[0])) options->folder = words[at++];
  if (at == words.size()) {
    return at == 0 ? "what is to be done? start, stop, mark NAME, flush or status"
                   : "what is to be done with " + words[0] +
                         "? start, stop, mark NAME, flush or status";
  }
  options->verb = words[at++];
  if (!IsCtlVerb(options->verb)) {
    const std::string nearest =
        Nearest(options->verb, {std::begin(kCtlVerbs), std::end(kCtlVerbs)});
    return "\"" + options->verb + "\" is none of start, stop, mark, flush, status" +
           (nearest.empty() ? "" : "; did you mean " + nearest + "?");
  }
  if (options->verb == "mark") {
    if (at == words.size() || words[at].empty()) return "mark needs a name";
    options->name = words[at++];
  }
  return at == words.size() ? "" : "unexpected argument " + words[at];
}

void DefineCtl(CLI::App* app, CtlOptions* options) {
  SetUsage(app,
           "flopsprof ctl [OPTIONS] [RUN] start [--steps N] [--wait]\n"
           "  flopsprof ctl [OPTIONS] [RUN] stop [--now] | mark NAME | flush | status [--json]");
  app->add_option_function<std::vector<std::string>>(
         "WORDS",
         [options](const std::vector<std::string>& words) {
           const std::string error = TakeCtlWords(words, options);
           if (!error.empty()) throw CLI::ValidationError(error);
         },
         "RUN: folder of a run of yours on this machine; default the only one that runs")
      ->type_name("");
  app->add_option("--run", options->run_id, "the run with this id instead of a folder")
      ->type_name("ID");
  app->add_option_function<std::string>(
         "--steps",
         [options](const std::string& text) {
           constexpr unsigned kMost = 1u << 30;
           if (!absl::SimpleAtoi(text, &options->steps) || options->steps < 1 ||
               options->steps > kMost) {
             throw CLI::ValidationError("--steps", "\"" + text + "\" is no number of steps from 1");
           }
         },
         "start: record so many whole steps, the same ones on all ranks; default until stop")
      ->type_name("N");
  app->add_flag("--wait", options->wait, "start: return when these steps have been recorded");
  app->add_flag("--now", options->now,
                "stop: in the middle of a step, which is then left out of MFU and step times");
  app->add_flag("-j,--json", options->json, "the answer as JSON");
  AddLook(app, &options->colour, &options->ascii);
  app->footer(
      "Recording begins and ends with a step. Start and stop as often as you like; in between the\n"
      "job's own profiler can have CUPTI. flush: everything so far is in the run folder, so\n"
      "that `flopsprof report RUN` and `flopsprof query RUN` show it.\n"
      "\nExamples:\n"
      "  flopsprof-run --paused -- python train.py\n"
      "  flopsprof ctl start --steps 5 --wait\n"
      "  flopsprof ctl flopsprof-train-20270101T120000Z mark \"learning rate halved\"\n"
      "  flopsprof ctl status --json");
}

void DefineEnv(CLI::App* app, EnvOptions* options) {
  SetUsage(app, "flopsprof env [OPTIONS]");
  AddChoice<std::string>(app, "--format", &options->format, "how to print (sh)",
                         {{"sh", "sh"},
                          {"k8s", "k8s"},
                          {"ray", "ray"},
                          {"slurm", "slurm"},
                          {"openmpi", "openmpi"},
                          {"deepspeed", "deepspeed"}});
  app->add_option("--socket", options->socket,
                  "socket of a node agent that runs already (/run/flopsprof/agent)")
      ->type_name("PATH");
  app->footer(
      "For a job that flopsprof-run cannot start itself, on the agent's machine and of its user.\n"
      "\nExample:\n"
      "  flopsprof-run -o prof -- sleep infinity &   # the agent; prof/log.txt names its socket\n"
      "  eval \"$(flopsprof env --socket /tmp/flopsprof-x1Y2z3/agent)\"\n"
      "  python train.py\n"
      "  kill %1                                     # writes the report");
}

void AddPids(CLI::App* app, std::vector<int>* pids, const std::string& text) {
  app->add_option_function<std::vector<std::string>>(
         "-p,--pid",
         [pids](const std::vector<std::string>& words) {
           for (const std::string& word : words) {
             int pid = 0;
             if (!absl::SimpleAtoi(word, &pid) || pid < 1) {
               throw CLI::ValidationError("--pid", "\"" + word + "\" is no process id");
             }
             pids->push_back(pid);
           }
         },
         text)
      ->delimiter(',')
      ->type_name("PID,...");
}

void DefineAttach(CLI::App* app, AttachOptions* options) {
  SetUsage(app, "flopsprof attach -p PID[,PID...] [-d TIME | --steps N] [-o DIR]");
  AddPids(app, &options->pids, "processes that run, of this user");
  CLI::Option* duration = app->add_option_function<std::string>(
      "-d,--duration",
      [options](const std::string& text) {
        options->seconds = ParseDuration(text);
        if (options->seconds <= 0) {
          throw CLI::ValidationError("--duration", "\"" + text + "\" is none of 500ms, 10s, 2m");
        }
      },
      "record so long, to the end of the step that then runs; default until Ctrl-C, `flopsprof "
      "detach` or the end of the processes");
  duration->type_name("TIME");
  AddNumber(
      app, "--steps", 1, [options](int steps) { options->steps = static_cast<unsigned>(steps); },
      "record so many whole steps, the same ones on all ranks")
      ->excludes(duration);
  AddText(app, "-o,--output", &options->run.output, "run folder, as of flopsprof run")
      ->type_name("DIR");
  AddText(app, "--step-at", &options->run.step_at,
          "a step begins where this module (path or class) or function does")
      ->type_name("NAME");
  app->add_flag("--times,!--no-times", options->run.times, "GPU times by CUPTI (default on)");
  app->add_flag("--modules,!--no-modules", options->run.modules,
                "follow modules and the backward pass (default on)");
  AddPeak(app, &options->run.peaks);
  AddRawNames(app, &options->run.raw_names);
  app->add_flag("-q,--quiet", options->run.quiet,
                "only errors; the report goes to report.txt alone");
  AddLook(app, &options->run.colour, &options->run.ascii);
  app->footer(
      "The process is not restarted. One of its threads stands still for some milliseconds, and\n"
      "everything is given back at the end, also when this program is killed. What it does to the\n"
      "process, what is not seen, permissions: docs/attach.md.\n"
      "\nExamples:\n"
      "  flopsprof ps\n"
      "  flopsprof attach -p 4711 --steps 10\n"
      "  flopsprof attach -p 4711,4712 -d 30s -o prof");
}

void DefineDetach(CLI::App* app, DetachOptions* options) {
  SetUsage(app, "flopsprof detach -p PID[,PID...]");
  AddPids(app, &options->pids, "processes that flopsprof attach holds; its report is written");
}

void DefinePs(CLI::App* app, PsOptions* options) {
  SetUsage(app, "flopsprof ps [--json]");
  app->add_flag("-j,--json", options->json, "as JSON");
  AddLook(app, &options->colour, &options->ascii);
}

void DefineCompletion(CLI::App* app, CompletionOptions* options) {
  SetUsage(app, "flopsprof completion bash|zsh|fish");
  app->add_option("SHELL", options->shell, "bash, zsh or fish")->type_name("");
}

void DefineHelp(CLI::App* app, HelpOptions* options) {
  SetUsage(app, "flopsprof help [VERB]");
  app->add_option("VERB", options->verb, "a verb")->type_name("");
}

std::unique_ptr<CLI::App> MakeApp(const std::string& verb) {
  std::string summary;
  for (const Verb& known : Verbs()) {
    if (known.name == verb) summary = known.summary;
  }
  auto app = std::make_unique<CLI::App>(summary, "flopsprof " + verb);
  app->set_help_flag("-h,--help", "print this help");
  return app;
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_fnames()) {
      if (name.rfind("no-", 0) == 0) names.push_back("--" + name);
    }
  }
  return names;
}

// CLI11 throws for every error and has exit codes above 100; ours is 2 for all of them.
ParseOutcome UsageError(const CLI::App& app, const std::string& verb, std::string what,
                        const std::string& culprit) {
  std::vector<std::string> more;
  const std::string nearest = culprit.rfind('-', 0) == 0 ? Nearest(culprit, OptionNames(app)) : "";
  if (!nearest.empty()) more.push_back("did you mean " + nearest + "?");
  more.push_back("help: flopsprof help " + verb);
  return {false, kExitUsage, ErrorText(verb + ": " + what, more)};
}

ParseOutcome Parse(CLI::App* app, const std::string& verb, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app->parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return {false, kExitOk, app->help()};
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = app->remaining();
    const std::string culprit = extras.empty() ? "" : extras.front();
    const std::string kind =
        culprit.rfind('-', 0) == 0 ? "unknown option " : "unexpected argument ";
    return UsageError(*app, verb, kind + culprit, culprit);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    const std::string name = text.substr(0, text.find(':'));
    const CLI::Option* option = app->get_option_no_throw(name);
    if (option != nullptr && text.find("At Most 1 ") != std::string::npos) {
      return UsageError(*app, verb, name + " is given more than once", "");
    }
    const bool known = option != nullptr && text.find(" missing") != std::string::npos;
    return UsageError(*app, verb,
                      known ? name + " needs a value: " + option->get_type_name() : text, "");
  } catch (const CLI::ParseError& error) {
    return UsageError(*app, verb, error.what(), "");
  }
  return {true, kExitOk, ""};
}

template <typename Options>
ParseOutcome ParseVerb(const std::string& verb, void (*define)(CLI::App*, Options*),
                       const std::vector<std::string>& arguments, Options* options) {
  const std::unique_ptr<CLI::App> app = MakeApp(verb);
  define(app.get(), options);
  return Parse(app.get(), verb, arguments);
}

// Calls `use` with the options of `verb` defined; false for a verb without any.
bool WithVerb(const std::string& verb, const std::function<void(const CLI::App&)>& use) {
  const std::unique_ptr<CLI::App> app = MakeApp(verb);
  RunOptions run;
  ReportOptions report;
  QueryOptions query;
  DoctorOptions doctor;
  PeaksOptions peaks;
  CollectorOptions collector;
  EnvOptions env;
  CtlOptions ctl;
  AttachOptions attach;
  DetachOptions detach;
  PsOptions ps;
  CompletionOptions completion;
  HelpOptions help;
  const std::map<std::string, std::function<void()>> definitions = {
      {"run", [&] { DefineRun(app.get(), &run); }},
      {"report", [&] { DefineReport(app.get(), &report); }},
      {"query", [&] { DefineQuery(app.get(), &query); }},
      {"doctor", [&] { DefineDoctor(app.get(), &doctor); }},
      {"peaks", [&] { DefinePeaks(app.get(), &peaks); }},
      {"collector", [&] { DefineCollector(app.get(), &collector); }},
      {"ctl", [&] { DefineCtl(app.get(), &ctl); }},
      {"env", [&] { DefineEnv(app.get(), &env); }},
      {"attach", [&] { DefineAttach(app.get(), &attach); }},
      {"detach", [&] { DefineDetach(app.get(), &detach); }},
      {"ps", [&] { DefinePs(app.get(), &ps); }},
      {"completion", [&] { DefineCompletion(app.get(), &completion); }},
      {"help", [&] { DefineHelp(app.get(), &help); }},
  };
  const auto found = definitions.find(verb);
  if (found == definitions.end()) return false;
  found->second();
  use(*app);
  return true;
}

}  // namespace

std::string MendedRun(const std::string& program, const std::vector<std::string>& own,
                      bool has_separator, const std::vector<std::string>& command) {
  std::vector<std::string> options;
  for (size_t i = 0; i < own.size(); ++i) {
    // The first word that is no option, where those before it are a whole command line.
    RunOptions unused;
    if (own[i].rfind('-', 0) != 0 && ParseRun(options, &unused).run) {
      std::vector<std::string> meant(own.begin() + static_cast<long>(i), own.end());
      if (has_separator) meant.push_back("--");
      meant.insert(meant.end(), command.begin(), command.end());
      return program + " " + (options.empty() ? "" : QuoteCommand(options) + " ") + "-- " +
             QuoteCommand(meant);
    }
    options.push_back(own[i]);
  }
  return "";
}

ParseOutcome ParseRun(const std::vector<std::string>& arguments, RunOptions* options) {
  const ParseOutcome outcome = ParseVerb("run", DefineRun, arguments, options);
  if (!outcome.run) return outcome;
  // Here, since the files that may name them can stand behind it.
  // A run folder of its own would have a part of each process.
  if (!options->agent_socket.empty() && (options->collector.empty() || options->run_id.empty())) {
    return {
        false, kExitUsage,
        ErrorText("run: --agent-socket needs --collector and --run-id: launchers that take over "
                  "from one another write into one run",
                  {"help: flopsprof help run"})};
  }
  const std::string error = ErrorInFormulasOff(*options);
  if (error.empty()) return outcome;
  return {false, kExitUsage,
          ErrorText("run: --formula-off: " + error, {"help: flopsprof help run"})};
}
ParseOutcome ParseReport(const std::vector<std::string>& arguments, ReportOptions* options) {
  const ParseOutcome outcome = ParseVerb("report", DefineReport, arguments, options);
  const std::string error = outcome.run ? ErrorInReport(*options) : "";
  if (error.empty()) return outcome;
  return {false, kExitUsage, ErrorText("report: " + error, {"help: flopsprof help report"})};
}
ParseOutcome ParseQuery(const std::vector<std::string>& arguments, QueryOptions* options) {
  return ParseVerb("query", DefineQuery, arguments, options);
}
ParseOutcome ParseDoctor(const std::vector<std::string>& arguments, DoctorOptions* options) {
  return ParseVerb("doctor", DefineDoctor, arguments, options);
}
ParseOutcome ParsePeaks(const std::vector<std::string>& arguments, PeaksOptions* options) {
  return ParseVerb("peaks", DefinePeaks, arguments, options);
}
ParseOutcome ParseCollector(const std::vector<std::string>& arguments, CollectorOptions* options) {
  return ParseVerb("collector", DefineCollector, arguments, options);
}
ParseOutcome ParseCtl(const std::vector<std::string>& arguments, CtlOptions* options) {
  const ParseOutcome outcome = ParseVerb("ctl", DefineCtl, arguments, options);
  if (!outcome.run) return outcome;
  const auto wrong = [](const std::string& what) {
    return ParseOutcome{false, kExitUsage, ErrorText("ctl: " + what, {"help: flopsprof help ctl"})};
  };
  std::string error;
  if (options->verb.empty()) error = TakeCtlWords({}, options);
  if (!error.empty()) return wrong(error);
  if (options->steps != 0 && options->verb != "start") return wrong("--steps belongs to start");
  if (options->now && options->verb != "stop") return wrong("--now belongs to stop");
  if (options->wait && (options->verb != "start" || options->steps == 0)) {
    return wrong("--wait belongs to start --steps N");
  }
  if (!options->folder.empty() && !options->run_id.empty()) {
    return wrong("a folder and --run are two runs: give one");
  }
  return outcome;
}
ParseOutcome ParseEnv(const std::vector<std::string>& arguments, EnvOptions* options) {
  return ParseVerb("env", DefineEnv, arguments, options);
}
ParseOutcome ParseAttach(const std::vector<std::string>& arguments, AttachOptions* options) {
  const ParseOutcome outcome = ParseVerb("attach", DefineAttach, arguments, options);
  if (!outcome.run || !options->pids.empty()) return outcome;
  return {
      false, kExitUsage,
      ErrorText("attach: which process? give -p PID",
                {"flopsprof ps lists those that can be attached", "help: flopsprof help attach"})};
}
ParseOutcome ParseDetach(const std::vector<std::string>& arguments, DetachOptions* options) {
  const ParseOutcome outcome = ParseVerb("detach", DefineDetach, arguments, options);
  if (!outcome.run || !options->pids.empty()) return outcome;
  return {false, kExitUsage,
          ErrorText("detach: which process? give -p PID", {"help: flopsprof help detach"})};
}
ParseOutcome ParsePs(const std::vector<std::string>& arguments, PsOptions* options) {
  return ParseVerb("ps", DefinePs, arguments, options);
}
ParseOutcome ParseCompletion(const std::vector<std::string>& arguments,
                             CompletionOptions* options) {
  return ParseVerb("completion", DefineCompletion, arguments, options);
}
ParseOutcome ParseHelp(const std::vector<std::string>& arguments, HelpOptions* options) {
  return ParseVerb("help", DefineHelp, arguments, options);
}

std::string HelpOf(const std::string& verb) {
  std::string text;
  WithVerb(verb, [&](const CLI::App& app) { text = app.help(); });
  return text;
}

std::vector<std::string> OptionNamesOf(const std::string& verb) {
  if (verb == "count") return CountOptionNames();
  std::vector<std::string> names;
  WithVerb(verb, [&](const CLI::App& app) { names = OptionNames(app); });
  return names;
}

std::string MainHelp() {
  std::string text =
      "flopsprof: which module did how many flops in how much GPU time, on every rank\n"
      "\n"
      "Usage:\n"
      "  flopsprof-run [OPTIONS] -- COMMAND...   profile a command (same as flopsprof run)\n"
      "  flopsprof RUN                           print the report of a run folder\n"
      "  flopsprof VERB [OPTIONS] [ARGUMENTS]\n"
      "\n"
      "Verbs (a beginning that is unique is enough):\n";
  std::string later;
  for (const Verb& verb : Verbs()) {
    if (verb.available) {
      text += "  " + std::string(verb.name) + std::string(12 - verb.name.size(), ' ') +
              std::string(verb.summary) + "\n";
    } else {
      later += (later.empty() ? "" : ", ") + std::string(verb.name);
    }
  }
  text += "Not in this version: " + later + "\n";
  text +=
      "\nExamples:\n"
      "  flopsprof-run -- python train.py\n"
      "  flopsprof-run --steps 100:110 -- torchrun --nproc-per-node 8 train.py\n"
      "  flopsprof report flopsprof-train-20270101T120000Z --view modules --depth 4\n"
      "  flopsprof doctor\n"
      "\nExit codes: run ends with the job's own (128 + signal); 2 usage, 3 nothing to report,\n"
      "4 not permitted, 125 own failure under --strict, 126/127 the command cannot be executed.\n";
  return text;
}

}  // namespace flopsprof::viewer
