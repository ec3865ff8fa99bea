// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/deepspeed/figures.h"

#include <algorithm>

namespace flopsprof::viewer::deepspeed {
namespace {

Number Both(Number a, Number b) { return {a.value + b.value, a.whole && b.whole}; }
double Both(double a, double b) { return a + b; }

}  // namespace

void AddModule(const Module& module, bool first, Module* sum) {
  const auto add = [&](auto Module::*figure) {
    auto& whole = sum->*figure;
    const auto& part = module.*figure;
    if (first) {
      whole = part;
    } else if (whole.has_value() && part.has_value()) {
      whole = Both(*whole, *part);
    } else {
      whole.reset();
    }
  };
  add(&Module::params);
  add(&Module::flops);
  add(&Module::macs);
  add(&Module::calls);
  add(&Module::seconds);
  add(&Module::backward_flops);
  add(&Module::recompute_flops);
  add(&Module::backward_seconds);
}

Module Total(const Figures& figures) {
  Module total;
  bool first = true;
  for (const Module& module : figures.modules) {
    if (module.depth > 0) continue;
    AddModule(module, first, &total);
    first = false;
  }
  for (const auto figure :
       {&Module::flops, &Module::macs, &Module::backward_flops, &Module::recompute_flops}) {
    if (!(total.*figure).has_value()) total.*figure = figures.known_total.*figure;
  }
  return total;
}

uint32_t Depths(const Figures& figures) {
  uint32_t depths = 0;
  for (const Module& module : figures.modules) depths = std::max(depths, module.depth + 1);
  return depths;
}

}  // namespace flopsprof::viewer::deepspeed
