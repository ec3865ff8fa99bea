// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Our pages against those that the real packages print of the same figures:
// tests/deepspeed/run_pages.py wrote them.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "viewer/deepspeed/layout.h"

namespace flopsprof::viewer::deepspeed {
namespace {

const std::map<std::string, Layout>& Layouts() {
  static const std::map<std::string, Layout> layouts = {{"deepspeed", Layout::kNewest},
                                                        {"deepspeed-2022", Layout::k2022},
                                                        {"deepspeed-2021-05", Layout::k2021May},
                                                        {"deepspeed-2021", Layout::k2021},
                                                        {"flops-profiler", Layout::kMirror}};
  return layouts;
}

Module ReadModule(const nlohmann::json& row) {
  Module module;
  module.name = row.at("name");
  module.class_name = row.at("class_name");
  module.depth = row.at("depth");
  module.params = Number{row.at("params")};
  module.flops = Number{row.at("flops")};
  module.macs = Number{row.at("macs")};
  module.seconds = row.at("seconds").get<double>();
  if (!row.at("calls").is_null()) module.calls = Number{row.at("calls")};
  return module;
}

Figures ReadFigures(const nlohmann::json& page) {
  const nlohmann::json& engine = page.at("engine");
  Figures figures;
  for (const nlohmann::json& row : page.at("modules")) figures.modules.push_back(ReadModule(row));
  figures.step = page.at("step");
  figures.device = page.at("device");
  figures.world_size = Number{engine.at("world_size")};
  figures.dp_size = Number{engine.at("dp_size")};
  figures.mp_size = Number{engine.at("mp_size")};
  figures.batch = Number{engine.at("batch")};
  figures.forward = engine.at("forward").get<double>();
  figures.backward = engine.at("backward").get<double>();
  figures.weights_update = engine.at("step").get<double>();
  figures.has_backward = page.at("options").at("timed");
  // Without timers DeepSpeed takes the time of the model's module.
  if (!figures.has_backward) figures.forward = figures.modules.front().seconds;
  // DeepSpeed takes every rank for one with samples of its own (bug 3).
  figures.samples = Number{figures.batch->value * figures.world_size->value};
  figures.recompute_fwd_factor = page.at("options").at("recompute_fwd_factor");
  return figures;
}

PageOptions ReadOptions(const nlohmann::json& page) {
  const nlohmann::json& options = page.at("options");
  return {.layout = Layouts().at(page.at("style")),
          .module_depth = options.at("module_depth"),
          .top_modules = options.at("top_modules"),
          .detailed = options.at("detailed")};
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  lines.emplace_back();  // what Python's split has behind the last line end
  return lines;
}

TEST(DeepSpeedPagesTest, AreThoseOfTheRealPackages) {
  int pages = 0;
  for (const auto& file : std::filesystem::directory_iterator(FLOPSPROF_TEST_FOLDER "/pages")) {
    SCOPED_TRACE(file.path().filename().string());
    const nlohmann::json page = nlohmann::json::parse(std::ifstream(file.path()));
    const std::vector<std::string> ours = LinesOf(Page(ReadFigures(page), ReadOptions(page)));
    const std::vector<std::string> theirs = page.at("page");
    for (size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) EXPECT_EQ(ours[i], theirs[i]);
    EXPECT_EQ(ours.size(), theirs.size());
    ++pages;
  }
  EXPECT_EQ(pages, 35);
}

}  // namespace
}  // namespace flopsprof::viewer::deepspeed
