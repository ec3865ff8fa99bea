// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/deepspeed/layout.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "viewer/deepspeed/python_text.h"
#include "viewer/deepspeed/words.h"

namespace flopsprof::viewer::deepspeed {

std::string Page(const Figures& figures, const PageOptions& options) {
  switch (options.layout) {
    case Layout::kNewest:
      return NewestPage(figures, options);
    case Layout::k2022:
      return PageOf2022(figures, options);
    case Layout::k2021May:
      return PageOfMay2021(figures, options);
    case Layout::k2021:
      return PageOf2021(figures, options);
    case Layout::kMirror:
      return MirrorPage(figures, options);
  }
  return "";
}

std::string ModelText(const std::vector<Module>& modules, const ModuleLine& line) {
  std::string text;
  std::vector<uint32_t> open;  // depths of the modules whose children are printed
  const auto close_to = [&](uint32_t depth) {
    for (; !open.empty() && open.back() >= depth; open.pop_back()) {
      text += std::string(size_t{2} * open.back(), ' ') + ")\n";
    }
  };
  for (size_t i = 0; i < modules.size(); ++i) {
    const Module& module = modules[i];
    close_to(module.depth);
    const std::string indent(size_t{2} * module.depth, ' ');
    text += indent + (module.depth > 0 ? "(" + module.name + "): " : "") + module.class_name + "(";
    if (i + 1 < modules.size() && modules[i + 1].depth > module.depth) {
      text += "\n" + indent + "  " + line(module) + "\n";
      open.push_back(module.depth);
    } else {
      text += line(module) + ")\n";
    }
  }
  close_to(0);
  return text;
}

std::string Line(size_t width, const std::string& label, const std::string& value) {
  constexpr size_t kValueWidth = 8;
  const auto padded = [](const std::string& text, size_t size) {
    return text.size() < size ? text + std::string(size - text.size(), ' ') : text;
  };
  return padded(label, width) + "  " + padded(value, kValueWidth) + "\n";
}

std::string WholeText(const Count& count) {
  return count.has_value() ? absl::StrFormat("%.0f", count->value) : kUnknown;
}

std::string StepText(const Figures& figures) {
  return figures.step.has_value() ? absl::StrFormat("%d", *figures.step) : kUnknown;
}

std::string BackwardLines(const Figures& figures, const Count& flops, const Units& units,
                          const Labels& labels) {
  if (!figures.has_backward) return "";
  const Seconds both = Sum(figures.forward, figures.backward);
  const Seconds iteration = Sum(both, figures.weights_update);
  const std::string unit = labels.unit;
  const std::string backward = General(labels.factor);
  const std::string all = General(labels.factor + 1);
  const Count all_flops = Times(labels.factor + 1, flops);
  const auto rate = [&](const Count& count, const Seconds& seconds) {
    return units.rate(Rate(count, seconds));
  };
  const auto line = [&](const std::string& label, const std::string& value) {
    return Line(labels.width, label, value);
  };
  return line("bwd latency: ", units.timer(figures.backward)) +
         line("bwd FLOPS per " + unit + " = " + backward + " * fwd flops per " + unit +
                  " / bwd latency: ",
              rate(Times(labels.factor, flops), figures.backward)) +
         line("fwd+bwd FLOPS per " + unit + " = " + all + " * fwd flops per " + unit +
                  " / (fwd+bwd latency): ",
              rate(all_flops, both)) +
         line("step latency: ", units.timer(figures.weights_update)) +
         line("iter latency: ", units.timer(iteration)) +
         line("FLOPS per " + unit + " = " + all + " * fwd flops per " + unit + " / iter latency: ",
              rate(all_flops, iteration)) +
         line("samples/second: ", units.samples(Rate(figures.samples, iteration)));
}

std::vector<ClassFigures> ClassesAt(const Figures& figures, uint32_t depth) {
  std::vector<ClassFigures> classes;
  for (const Module& module : figures.modules) {
    if (module.depth != depth) continue;
    const auto same = [&](const ClassFigures& one) { return one.class_name == module.class_name; };
    const auto found = std::find_if(classes.begin(), classes.end(), same);
    const bool first = found == classes.end();
    if (first) classes.push_back({module.class_name, {}});
    AddModule(module, first, first ? &classes.back().sum : &found->sum);
  }
  return classes;
}

std::string Top(const std::vector<ClassFigures>& classes, int count,
                const std::function<Seconds(const Module&)>& figure,
                const std::function<std::string(const Module&)>& text) {
  std::vector<const ClassFigures*> ranked;
  for (const ClassFigures& one : classes) ranked.push_back(&one);
  std::stable_sort(ranked.begin(), ranked.end(), [&](const auto* a, const auto* b) {
    return figure(a->sum).value_or(-1) > figure(b->sum).value_or(-1);
  });
  ranked.resize(std::min(ranked.size(), static_cast<size_t>(std::max(0, count))));
  std::vector<std::pair<std::string, std::string>> items;
  for (const ClassFigures* one : ranked) items.emplace_back(one->class_name, text(one->sum));
  return DictText(items);
}

std::string AggregatedByDepth(const Figures& figures, const PageOptions& options,
                              const Units& units) {
  const bool mirror = options.layout == Layout::kMirror;
  const uint32_t depths = Depths(figures);
  // Without a depth the innermost one is left out.
  const uint32_t shown =
      options.module_depth < 0
          ? std::max<uint32_t>(depths, 1) - 1
          : std::min<uint32_t>(depths, static_cast<uint32_t>(options.module_depth));
  std::string text = absl::StrFormat(
      "Top %d modules in terms of %s at different model depths:\n", options.top_modules,
      mirror ? "params, flops, MACs or duration" : "params, MACs or fwd latency");
  for (uint32_t depth = 0; depth < shown; ++depth) {
    const std::vector<ClassFigures> classes = ClassesAt(figures, depth);
    const auto top = [&](auto figure, auto unit) {
      return Top(
          classes, options.top_modules, [&](const Module& m) { return Value(m.*figure); },
          [&](const Module& m) { return unit(m.*figure); });
    };
    const std::string seconds = Top(
        classes, options.top_modules, [](const Module& m) { return m.seconds; },
        [&](const Module& m) { return units.duration(m.seconds); });
    text += absl::StrFormat("depth %d:\n", depth);
    text += "    params      - " + top(&Module::params, units.params) + "\n";
    if (mirror) text += "    flops       - " + top(&Module::flops, units.number) + "\n";
    text += "    MACs        - " + top(&Module::macs, units.macs) + "\n";
    text += "    fwd latency - " + seconds + "\n";
  }
  return text;
}

std::string DetailedPart(const Figures& figures, const std::string& note, const char* unit,
                         const ModuleLine& line) {
  return "\n" + absl::StrFormat(kDetailedLine, unit) + "\n" + kOrder + "\n" + note + "\n" +
         ModelText(figures.modules, line);
}

}  // namespace flopsprof::viewer::deepspeed
