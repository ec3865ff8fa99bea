// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace flopsprof::viewer {

// A DeepSpeed configuration that was named somewhere, and its text.
struct DsSource {
  std::string name;   // "ds.json", "the text behind --deepspeed"
  std::string where;  // "--deepspeed_config on the job's command line"
  std::string text;
  std::string error;  // why there is no text; "" = there is
};

// Variables of the environment that say where Accelerate's configuration is; "" = not set.
struct DsSearchPlaces {
  std::string home;
  std::string cache_home;  // XDG_CACHE_HOME
  std::string hf_home;     // HF_HOME
};
DsSearchPlaces PlacesOfEnvironment();

// Reads a regular file of at most 1 MiB, and nothing else: a pipe that the job waits at is not
// opened.
DsSource ReadDsConfig(const std::string& path, const std::string& where);

// Which configuration the job of this command line uses, by, in this order: its options, the
// arguments file of its script (Hugging Face), the configuration of `accelerate launch`. Absent:
// none is named. Relative paths are those of the working directory.
std::optional<DsSource> FindDsConfig(const std::vector<std::string>& command,
                                     const DsSearchPlaces& places);

}  // namespace flopsprof::viewer
