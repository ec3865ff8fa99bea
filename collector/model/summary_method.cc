// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/summary_method.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <set>
#include <utility>

#include "collector/model/utilisation.h"

namespace flopsprof::model {
namespace {

// What is the same for every run.
constexpr std::pair<const char*, const char*> kMethod[] = {
    {"flops",
     "products only, from the arguments of library calls that ran; 1 multiply-add is 2 flops; "
     "sums over all profiled steps and ranks; what is modelled by a formula is marked"},
    {"macs", "flops / 2"},
    {"not in flops",
     "bias, activation, alpha and beta; elementwise work (of optimizers too), normalisation, "
     "softmax, pooling: their kernels are known by name, and their time is no_products"},
    {"optimizer",
     "products that an optimizer makes itself (Muon, Shampoo) are flops of phase optimizer: in "
     "the totals and in hfu, not in mfu"},
    {"complex, 3M, emulated",
     "8 operations a complex multiply-add; nominal size, by the type asked for"},
    {"2:4 sparse", "dense-equivalent; half of it is executed; never against the dense peak"},
    {"attention",
     "all pairs of query and key (dense) with or without a causal mask; the pairs that a mask "
     "leaves are in `detail` of the call in profile.db, executed tiles are not seen; a repeated "
     "QK^T is recompute"},
    {"padding", "sizes as the call got them; what a kernel pads inside is not seen"},
    {"tuning runs",
     "calls that look for the fastest way count as calls; step 0, where they mostly run, is left "
     "out of MFU and step times; which call of a step was the real one is not told apart"},
    {"collectives",
     "bytes as the caller passed them; wait: GPU time before the last rank of the group began, "
     "known where all of them ran on one node and were seen; the rest is transfer"},
    {"hidden communication",
     "time of communication kernels while the same device did anything else (kernels, copies, "
     "sets); the rest is exposed; communication beside communication is not hidden by it"},
    {"params",
     "elements, each memory once (tied weights), whole where ranks hold parts of them; active: "
     "without the experts that a token is not sent to"},
    {"gpu_time", "sum of kernel, copy and set durations as CUPTI gives them"},
    {"gpu_busy", "union of the same intervals per device"},
    {"calls",
     "entries of the module's forward, repetitions by recomputation left out; not known for a "
     "model that CUDA graphs replayed: a replay enters no module"},
    {"mfu",
     "flops of the model (forward, backward, evaluation, generation), each type at its own dense "
     "peak, over wall time and GPUs of the complete steps without step 0; hfu: with recompute "
     "and the optimizer's products; a lower bound while kernels are unknown"},
    {"steps",
     "median and 95th percentile (nearest rank) over the complete steps of all ranks "
     "without step 0 and steps with compilation or tuning; work before the first step and after "
     "the last optimizer is in none"},
    {"overhead", "numbers of hooks times their cost on the build machine"},
    {"conventions", "docs/conventions.md"}};

// What a rank noted about the way it was recorded.
void AddNotes(const RankSummary& rank, bool has_graphs,
              std::map<std::string, std::string>* method) {
  const auto note = [&rank](const char* name) -> const std::string* {
    const auto found = rank.notes.find(name);
    return found == rank.notes.end() ? nullptr : &found->second;
  };
  if (const std::string* graphs = note("graphs"); graphs != nullptr && has_graphs) {
    (*method)["graphs"] = absl::StrCat(
        "each replay counts what was captured, in the scope and phase of the capture and the "
        "step of the replay; replays are timed ",
        *graphs);
  }
  if (const std::string* callbacks = note("launch_callbacks"); callbacks != nullptr) {
    (*method)["launch callbacks"] = absl::StrCat("CUPTI's, ", *callbacks);
  }
  if (const std::string* stacks = note("stacks"); stacks != nullptr) {
    const std::string* python = note("python_stacks");
    (*method)["stacks"] = absl::StrCat(
        "of launches outside of modules, without a library call, or without Python: ", *stacks,
        "; Python frames: ", python == nullptr ? "no Python" : *python);
  }
}

}  // namespace

std::map<std::string, std::string> DescribeMethod(const Summary& summary) {
  std::map<std::string, std::string> method(std::begin(kMethod), std::end(kMethod));
  std::set<std::string> peaks;
  for (const RankSummary& rank : summary.ranks) {
    AddNotes(rank, !summary.coverage.graphs.empty(), &method);
    for (const DeviceSummary& device : rank.devices) {
      if (device.peaks.has_value()) peaks.insert(PeakText(*device.peaks));
    }
  }
  if (!peaks.empty()) method["peak"] = absl::StrJoin(peaks, " | ");
  return method;
}

}  // namespace flopsprof::model
