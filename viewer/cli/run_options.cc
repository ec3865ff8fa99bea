// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The options of `run`.

#include "absl/strings/numbers.h"
#include "proto/shm/handshake.h"
#include "viewer/cli/arguments.h"
#include "viewer/cli/define_options.h"
#include "viewer/cli/formula_options.h"
#include "viewer/cli/option_kinds.h"

namespace flopsprof::viewer {
namespace {

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
  app->add_flag("--host-clock", options->host_clock,
                "also record when launches and scopes began on the host: the report then says how "
                "long launches waited for the GPU (default off)");
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

void DefineDsConfig(CLI::App* app, RunOptions* options) {
  CLI::Option* given = AddText(
      app, "--ds-config", &options->ds_config,
      "DeepSpeed configuration whose flops_profiler block says which page is written at the "
      "job's end; default: found on the job's command line (docs/deepspeed.md)");
  given->type_name("FILE");
  app->add_flag("!--no-ds-config", options->ds_search, "look for no such configuration")
      ->excludes(given);
}

}  // namespace

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
  DefineDsConfig(app, options);
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

}  // namespace flopsprof::viewer
