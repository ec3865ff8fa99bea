// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/command_line.h"

// The only file that sees CLI11 (it takes seconds to compile).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <regex>

#include "absl/strings/numbers.h"
#include "proto/shm/handshake.h"
#include "viewer/cli/arguments.h"
#include "viewer/cli/attach_options.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/formula_options.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/verbs.h"

namespace flopsprof::viewer {
namespace {

constexpr int kMostNumber = 1'000'000'000;

constexpr char kViews[] =
    "summary,steps,modules,ranges,ranks,kernels,calls,overhead,losses,method,gradients";

// CLI11 2.1 makes its own usage line, which cannot say "-- COMMAND...".
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage:\n" + usage_ + "\n";
  }

 private:
  const std::string usage_;
};

void SetUsage(CLI::App* app, const std::string& usage) {
  const auto formatter = std::make_shared<UsageFormatter>("  " + usage);
  formatter->column_width(30);
  app->formatter(formatter);
}

// What is wrong with a word that is none of the words.
template <typename T>
std::string ErrorInChoice(const std::string& name, const std::string& word,
                          const std::map<std::string, T>& words, const std::string& list) {
  std::error_code no_such;
  // The next argument: the value was forgotten.
  if (word.find('/') != std::string::npos || std::filesystem::is_directory(word, no_such)) {
    return name + " takes a value: one of " + list + "; \"" + word + "\" is none";
  }
  std::vector<std::string> candidates, begins;
  for (const auto& [candidate, unused] : words) {
    candidates.push_back(candidate);
    if (!word.empty() && candidate.rfind(word, 0) == 0) begins.push_back(candidate);
  }
  // The first is the shortest.
  const std::string nearest = begins.empty() ? Nearest(word, candidates) : begins.front();
  return name + ": \"" + word + "\" is none of " + list +
         (nearest.empty() ? "" : "; did you mean " + nearest + "?");
}

// An option whose value is one of a few words.
template <typename T>
void AddChoice(CLI::App* app, const std::string& name, T* value, const std::string& text,
               const std::map<std::string, T>& words) {
  std::string list;
  for (const auto& [word, unused] : words) list += (list.empty() ? "" : "|") + word;
  app->add_option_function<std::string>(
         name,
         [=](const std::string& word) {
           const auto found = words.find(word);
           if (found == words.end()) {
             throw CLI::ValidationError(ErrorInChoice(name, word, words, list));
           }
           *value = found->second;
         },
         text)
      ->type_name(list);
}

// A word that an unset variable of the shell would make empty.
CLI::Option* AddText(CLI::App* app, const std::string& name, std::string* value,
                     const std::string& text) {
  return app->add_option_function<std::string>(
      name,
      [=](const std::string& word) {
        const std::string shown = name.substr(name.find(',') + 1);
        if (word.empty()) throw CLI::ValidationError(shown, "the value is empty");
        *value = word;
      },
      text);
}

// host:4777, 10.0.0.1:4777, [::1]:4777
bool IsHostAndPort(const std::string& text) {
  const size_t colon = text.rfind(':');
  int port = 0;
  return colon != std::string::npos && colon > 0 &&
         absl::SimpleAtoi(text.substr(colon + 1), &port) && port > 0 && port <= 65535;
}

// A whole number from `lowest` on. CLI11's own conversion has words of its own for an error.
CLI::Option* AddNumber(CLI::App* app, const std::string& name, int lowest,
                       const std::function<void(int)>& set, const std::string& text) {
  return app
      ->add_option_function<std::string>(
          name,
          [=](const std::string& word) {
            const std::string quoted = "\"" + word + "\" is no number";
            int64_t value = 0;
            if (!absl::SimpleAtoi(word, &value)) throw CLI::ValidationError(name, quoted);
            if (value < lowest || value > kMostNumber) {
              throw CLI::ValidationError(name, quoted + " from " + std::to_string(lowest) + " to " +
                                                   std::to_string(kMostNumber));
            }
            set(static_cast<int>(value));
          },
          text)
      ->type_name("N");
}

void AddLook(CLI::App* app, ColourMode* colour, bool* ascii) {
  AddChoice<ColourMode>(app, "--color", colour, "colours; auto also honours NO_COLOR",
                        {{"auto", ColourMode::kAuto},
                         {"always", ColourMode::kAlways},
                         {"never", ColourMode::kNever}});
  app->add_flag("--ascii", *ascii, "draw with ASCII characters only");
}

void AddPeak(CLI::App* app, model::GivenPeaks* peaks) {
  app->add_option_function<std::vector<std::string>>(
         "--peak",
         [peaks](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             const std::string error = model::ParseGivenPeaks(text, peaks);
             if (!error.empty()) throw CLI::ValidationError("--peak", error);
           }
         },
         "dense peak of the card for a data type, in the place of the table's (`flopsprof "
         "peaks`): bf16=989T,fp8=1.98P")
      ->allow_extra_args(false)  // else RUN after it would be one more peak
      ->type_name("TYPE=FLOPS,...");
}

void AddRawNames(CLI::App* app, bool* raw_names) {
  app->add_flag("--raw-names", *raw_names,
                "keep what wrappers add to paths (module, _orig_mod, _fsdp_wrapped_module, "
                "_checkpoint_wrapped_module)");
}

void DefineWhenItRecords(CLI::App* app, RunOptions* options) {
  app->add_option_function<std::string>(
         "--steps",
         [options](const std::string& text) {
           StepWindowText window;
           std::string error;
           if (!ParseStepWindow(text, &window, &error))
             throw CLI::ValidationError("--steps", error);
           options->steps = window;
         },
         "profile steps A to B-1 only, numbered from 0; default all")
      ->type_name("A:B");
  AddText(app, "--step-at", &options->step_at,
          "a step begins where this module (path or class), range or function does; "
          "default: as the optimizers step")
      ->type_name("NAME");
  app->add_flag("--paused", options->paused,
                "record nothing until `flopsprof ctl start`; until then the job pays next to "
                "nothing")
      ->excludes("--steps");
  app->add_option_function<std::string>(
         "--max-overhead",
         [options](const std::string& text) {
           std::string error;
           if (!ParseShare(text, &options->max_overhead, &error)) {
             throw CLI::ValidationError("--max-overhead", error);
           }
         },
         "take at most this part of the job's time, by our estimate: record all where that fits, "
         "else windows of steps; the report says which")
      ->type_name("SHARE%")
      ->excludes("--steps")
      ->excludes("--paused");
}

void DefineFormulas(CLI::App* app, RunOptions* options) {
  app->add_option_function<std::vector<std::string>>(
         "--formulas",
         [options](const std::vector<std::string>& files) {
           for (const std::string& file : files) {
             const std::string error = ErrorInFormulaFile(file);
             if (!error.empty()) throw CLI::ValidationError("--formulas", error);
             options->formula_files.push_back(file);
           }
         },
         "formulas for operations and kernels of your own (docs/formulas.md)")
      ->type_name("FILE");
  app->add_flag("!--no-formulas", options->formulas,
                "work that no library call shows stays unknown instead of modelled");
  app->add_option("--formula-off", options->formulas_off,
                  "the same for these operations only, e.g. aten::_grouped_mm")
      ->delimiter(',')
      ->type_name("NAME,...");
}

void DefineStacks(CLI::App* app, RunOptions* options) {
  app->add_flag("--stacks", options->stacks,
                "sample the native and Python stacks of launches that no module or library call "
                "explains (default off)");
  app->add_option_function<std::string>(
         "--stacks-rate",
         [options](const std::string& text) {
           options->stacks = true;
           if (text == "all") {
             options->stacks_per_second = shm::kEveryStack;
           } else if (!absl::SimpleAtoi(text, &options->stacks_per_second) ||
                      options->stacks_per_second < 1 || options->stacks_per_second > 1'000'000) {
             throw CLI::ValidationError("--stacks-rate",
                                        "\"" + text + "\" is no number from 1 to 1000000, nor all");
           }
         },
         "samples a second and thread, or all; default 100; turns --stacks on")
      ->type_name("N|all");
}

void DefineRun(CLI::App* app, RunOptions* options) {
  SetUsage(app, "flopsprof run [OPTIONS] -- COMMAND...\n  flopsprof-run [OPTIONS] -- COMMAND...");
  AddText(app, "-o,--output", &options->output,
          "run folder; default flopsprof-JOB-TIME. %h host, %p pid, %j job, %t time, "
          "%q{NAME} environment variable; never overwrites: NAME-2 ...")
      ->type_name("DIR");
  DefineWhenItRecords(app, options);
  app->add_option_function<std::string>(
         "--collector",
         [options](const std::string& text) {
           if (!IsHostAndPort(text)) {
             throw CLI::ValidationError("--collector", "\"" + text + "\" is no HOST:PORT");
           }
           options->collector = text;
         },
         "send to `flopsprof collector` there instead of writing a run folder here")
      ->type_name("HOST:PORT");
  AddText(app, "--agent-socket", &options->agent_socket,
          "where profiled processes find this launcher; one that is started again at the same path "
          "goes on with them, in the same run: needs --collector and --run-id; its folder is made, "
          "mode 0700")
      ->type_name("PATH");
  AddText(app, "--run-id", &options->run_id,
          "id of the run, the same on all nodes; default from the scheduler")
      ->type_name("ID");
  AddPeak(app, &options->peaks);
  AddRawNames(app, &options->raw_names);
  app->add_flag("--strict", options->strict,
                "fail (125, or 3 when there is nothing to report) when the profiler does");
  app->add_flag("--times,!--no-times", options->times, "GPU times by CUPTI (default on)");
  app->add_flag("--modules,!--no-modules", options->modules,
                "follow modules and the backward pass (default on)");
  DefineFormulas(app, options);
  AddChoice<GraphMode>(
      app, "--graphs", &options->graphs,
      "times of CUDA graphs. auto (default): by node for the first million nodes, then as graph; "
      "graph: by launch, shared out among its nodes, which costs least; node: by node for good, "
      "which costs most: up to 800 MB of GPU memory in each process and GPU",
      {{"auto", GraphMode::kAuto}, {"node", GraphMode::kNode}, {"graph", GraphMode::kGraph}});
  DefineStacks(app, options);
  AddChoice<ProgressMode>(app, "--progress", &options->progress,
                          "progress on stderr; auto is plain, because the job shares the terminal",
                          {{"auto", ProgressMode::kAuto},
                           {"tty", ProgressMode::kTty},
                           {"plain", ProgressMode::kPlain},
                           {"json", ProgressMode::kJson},
                           {"none", ProgressMode::kNone}});
  app->add_flag("-q,--quiet", options->quiet, "only errors; the report goes to report.txt alone");
  app->add_flag("-v,--verbose", options->verbose, "say what is done");
  AddLook(app, &options->colour, &options->ascii);
  app->footer(
      "The job's stdin, stdout, exit code and signals are its own; we write to stderr and files.\n"
      "\nExamples:\n"
      "  flopsprof-run -- python train.py\n"
      "  flopsprof-run --steps 100:110 -o prof/%j -- torchrun --nproc-per-node 8 train.py\n"
      "  flopsprof-run --collector head:4777 -- torchrun --nnodes 4 train.py");
}

const std::map<std::string, std::optional<deepspeed::Layout>>& Styles() {
  using deepspeed::Layout;
  static const std::map<std::string, std::optional<Layout>> styles = {
      {"flopsprof", std::nullopt},       {"deepspeed", Layout::kNewest},
      {"deepspeed-2022", Layout::k2022}, {"deepspeed-2021-05", Layout::k2021May},
      {"deepspeed-2021", Layout::k2021}, {"flops-profiler", Layout::kMirror}};
  return styles;
}

void AddStyle(CLI::App* app, ReportOptions* options) {
  AddChoice<std::optional<deepspeed::Layout>>(
      app, "--style", &options->layout,
      "layout of the report; deepspeed and its older ones are those of DeepSpeed's flops profiler, "
      "flops-profiler of the package of that name",
      Styles());
  app->add_flag("--detailed,!--no-detailed", options->detailed,
                "with a layout of DeepSpeed: the module tree too (default on)");
  AddNumber(
      app, "--mp-size", 1,
      [options](int size) { options->given.mp_size = static_cast<uint32_t>(size); },
      "with a layout of DeepSpeed: model parallel size, which a run does not record");
}

// Options that a layout of DeepSpeed has no place for, or only such a layout; "" = none was given.
std::string OptionBesideStyle(const ReportOptions& options) {
  const auto first = [](std::initializer_list<std::pair<bool, const char*>> given) -> std::string {
    for (const auto& [is_given, name] : given) {
      if (is_given) return name;
    }
    return "";
  };
  if (!options.layout.has_value()) {
    const std::string name = first(
        {{!options.detailed, "--no-detailed"}, {options.given.mp_size.has_value(), "--mp-size"}});
    return name.empty() ? "" : name + " is for a layout of DeepSpeed: give --style deepspeed too";
  }
  const std::string name = first({{!options.views.empty(), "--view"},
                                  {!options.focus.empty(), "--focus"},
                                  {options.totals, "--totals"},
                                  {options.exact, "--exact"},
                                  {!options.fold, "--no-fold"},
                                  {options.json, "--json"}});
  return name.empty() ? "" : "a layout of DeepSpeed has no " + name + ": leave one of the two out";
}

void DefineReport(CLI::App* app, ReportOptions* options) {
  SetUsage(app, "flopsprof report [OPTIONS] RUN\n  flopsprof RUN");
  app->add_option("RUN", options->folder, "run folder")->type_name("");
  app->add_option_function<std::vector<std::string>>(
         "--view",
         [options](const std::vector<std::string>& views) {
           const std::string known = std::string(",") + kViews + ",";
           for (const std::string& view : views) {
             if (known.find("," + view + ",") == std::string::npos) {
               throw CLI::ValidationError("--view", "\"" + view + "\" is none of " + kViews);
             }
             options->views.push_back(view);
           }
         },
         std::string("parts to print, of ") + kViews + "; default all but gradients")
      ->delimiter(',')
      ->type_name("VIEW,...");
  AddNumber(
      app, "--depth", -1, [options](int depth) { options->depth = depth; },
      "levels of the module tree, -1 for all; default what fits a screen");
  app->add_option_function<std::string>(
         "--focus",
         [options](const std::string& focus) {
           try {
             options->focus = focus;
             const std::regex checked(focus);
           } catch (const std::regex_error& error) {
             throw CLI::ValidationError(
                 "--focus", "\"" + focus + "\" is no regular expression: " + error.what());
           }
         },
         "kernels of the modules and ranges whose path matches, with phase, steps and call")
      ->type_name("REGEX");
  AddNumber(
      app, "--top", 1, [options](int top) { options->top = top; },
      "rows of kernels, calls and steps (10); classes at each depth of a layout (1)");
  app->add_flag("--fold,!--no-fold", options->fold, "identical layers as one row (default on)");
  app->add_flag("--totals", options->totals,
                "modules as sums over all steps and ranks, not per step and rank");
  app->add_flag("--exact", options->exact, "counts as exact integers");
  app->add_flag("-j,--json", options->json, "print summary.json instead");
  AddStyle(app, options);
  AddPeak(app, &options->peaks);
  AddRawNames(app, &options->raw_names);
  AddLook(app, &options->colour, &options->ascii);
}

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
  const std::string error = outcome.run ? OptionBesideStyle(*options) : "";
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
