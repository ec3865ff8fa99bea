// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "viewer/deepspeed/figures.h"
#include "viewer/deepspeed/units.h"

namespace flopsprof::viewer::deepspeed {

// The page of a layout, as its version prints it. Pure.
std::string Page(const Figures& figures, const PageOptions& options);

// Parts of pages.

using ModuleLine = std::function<std::string(const Module& module)>;
// print(model), with the line in place of each module's own text.
std::string ModelText(const std::vector<Module>& modules, const ModuleLine& line);

// Label and value in columns of this width.
std::string Line(size_t width, const std::string& label, const std::string& value);
std::string WholeText(const Count& count);
std::string StepText(const Figures& figures);

// The backward and the whole iteration, if there is one. `factor`: flops of a backward by the
// formula, in forwards.
struct Labels {
  const char* unit;  // "GPU", "device"
  size_t width;
  double factor;
};
std::string BackwardLines(const Figures& figures, const Count& flops, const Units& units,
                          const Labels& labels);

std::string AggregatedByDepth(const Figures& figures, const PageOptions& options,
                              const Units& units);
std::string DetailedPart(const Figures& figures, const std::string& note, const char* unit,
                         const ModuleLine& line);

std::string NewestPage(const Figures& figures, const PageOptions& options);
std::string PageOf2022(const Figures& figures, const PageOptions& options);
std::string PageOfMay2021(const Figures& figures, const PageOptions& options);
std::string PageOf2021(const Figures& figures, const PageOptions& options);
std::string MirrorPage(const Figures& figures, const PageOptions& options);

// Figures of one class at one depth.
struct ClassFigures {
  std::string class_name;
  Module sum;
};
// The classes of a depth, in the order of their first modules.
std::vector<ClassFigures> ClassesAt(const Figures& figures, uint32_t depth);
// repr({class: text}) of the `count` largest; what is not known comes last.
std::string Top(const std::vector<ClassFigures>& classes, int count,
                const std::function<Seconds(const Module&)>& figure,
                const std::function<std::string(const Module&)>& text);

}  // namespace flopsprof::viewer::deepspeed
