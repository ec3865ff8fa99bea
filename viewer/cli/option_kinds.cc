// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/option_kinds.h"

#include <filesystem>
#include <memory>
#include <regex>

#include "absl/strings/numbers.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/verbs.h"

namespace flopsprof::viewer {
namespace {

class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage:\n" + usage_ + "\n";
  }

 private:
  const std::string usage_;
};

}  // namespace

void SetUsage(CLI::App* app, const std::string& usage) {
  const auto formatter = std::make_shared<UsageFormatter>("  " + usage);
  formatter->column_width(30);
  app->formatter(formatter);
}

// What is wrong with a word that is none of the words.
std::string ErrorInChoice(const std::string& name, const std::string& word,
                          const std::vector<std::string>& words, const std::string& list) {
  std::error_code no_such;
  // The next argument: the value was forgotten.
  if (word.find('/') != std::string::npos || std::filesystem::is_directory(word, no_such)) {
    return name + " takes a value: one of " + list + "; \"" + word + "\" is none";
  }
  std::vector<std::string> begins;
  for (const std::string& candidate : words) {
    if (!word.empty() && candidate.rfind(word, 0) == 0) begins.push_back(candidate);
  }
  // The first is the shortest.
  const std::string nearest = begins.empty() ? Nearest(word, words) : begins.front();
  return name + ": \"" + word + "\" is none of " + list +
         (nearest.empty() ? "" : "; did you mean " + nearest + "?");
}

bool IsHostAndPort(const std::string& text) {
  const size_t colon = text.rfind(':');
  int port = 0;
  return colon != std::string::npos && colon > 0 &&
         absl::SimpleAtoi(text.substr(colon + 1), &port) && port > 0 && port <= 65535;
}

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

CLI::Option* AddNumber(CLI::App* app, const std::string& name, int lowest,
                       const std::function<void(int)>& set, const std::string& text, int highest) {
  return app
      ->add_option_function<std::string>(
          name,
          [=](const std::string& word) {
            const std::string quoted = "\"" + word + "\" is no number";
            int64_t value = 0;
            if (!absl::SimpleAtoi(word, &value)) throw CLI::ValidationError(name, quoted);
            if (value < lowest || value > highest) {
              throw CLI::ValidationError(name, quoted + " from " + std::to_string(lowest) + " to " +
                                                   std::to_string(highest));
            }
            set(static_cast<int>(value));
          },
          text)
      ->type_name("N");
}

CLI::Option* AddRegex(CLI::App* app, const std::string& name, std::string* value,
                      const std::string& text) {
  return app
      ->add_option_function<std::string>(
          name,
          [=](const std::string& word) {
            try {
              *value = word;
              const std::regex checked(word);
            } catch (const std::regex_error& error) {
              throw CLI::ValidationError(
                  name, "\"" + word + "\" is no regular expression: " + error.what());
            }
          },
          text)
      ->type_name("REGEX");
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

}  // namespace flopsprof::viewer
