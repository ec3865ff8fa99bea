// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/peaks.h"

namespace flopsprof::model {
namespace {

constexpr double kTera = 1e12;

constexpr std::string_view kVoltaPaper =
    "NVIDIA Tesla V100 datasheet, "
    "https://images.nvidia.com/content/technologies/volta/pdf/"
    "volta-v100-datasheet-update-us-1165301-r5.pdf";
constexpr std::string_view kTuringT4 =
    "NVIDIA T4 datasheet, https://www.nvidia.com/en-us/data-center/tesla-t4/";
constexpr std::string_view kTuringPaper =
    "NVIDIA Turing GPU Architecture whitepaper (WP-09183-001), table of Quadro RTX 6000";
constexpr std::string_view kA100 =
    "NVIDIA A100 datasheet, https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/"
    "pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf";
constexpr std::string_view kA30 =
    "NVIDIA A30 datasheet, https://www.nvidia.com/en-us/data-center/products/a30-gpu/";
constexpr std::string_view kA40 =
    "NVIDIA A40 datasheet, https://www.nvidia.com/en-us/data-center/a40/";
constexpr std::string_view kA10 =
    "NVIDIA A10 datasheet, https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a10/pdf/"
    "a10-datasheet.pdf";
constexpr std::string_view kA2 =
    "NVIDIA A2 datasheet, https://www.nvidia.com/en-us/data-center/products/a2/";
constexpr std::string_view kGa102 =
    "NVIDIA Ampere GA102 GPU Architecture whitepaper, "
    "https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf";
constexpr std::string_view kAda =
    "NVIDIA Ada GPU Architecture whitepaper, "
    "https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf";
constexpr std::string_view kL4 =
    "NVIDIA L4 datasheet, https://www.nvidia.com/en-us/data-center/l4/";
constexpr std::string_view kL40s =
    "NVIDIA L40S datasheet, https://www.nvidia.com/en-us/data-center/l40s/";
constexpr std::string_view kHopper =
    "NVIDIA H100 Tensor Core GPU Architecture whitepaper, "
    "https://resources.nvidia.com/en-us-tensor-core (dense figures)";
constexpr std::string_view kH100Nvl =
    "NVIDIA H100 datasheet, https://www.nvidia.com/en-us/data-center/h100/ (half of the sparse "
    "figures)";
constexpr std::string_view kH200 =
    "NVIDIA H200 datasheet, https://www.nvidia.com/en-us/data-center/h200/ (half of the sparse "
    "figures)";
constexpr std::string_view kH20 = "NVIDIA H20 product brief (dense figures)";
constexpr std::string_view kGh200 =
    "NVIDIA GH200 Grace Hopper Superchip datasheet, "
    "https://www.nvidia.com/en-us/data-center/grace-hopper-superchip/ (half of the sparse figures)";
constexpr std::string_view kB200 =
    "NVIDIA HGX platform, https://www.nvidia.com/en-us/data-center/hgx/, HGX B200 divided by 8 "
    "GPUs "
    "(half of the sparse figures)";
constexpr std::string_view kGb200 =
    "NVIDIA GB200 NVL72, https://www.nvidia.com/en-us/data-center/gb200-nvl72/, divided by 72 GPUs "
    "(half of the sparse figures)";
constexpr std::string_view kRtxPro =
    "NVIDIA RTX PRO 6000 Blackwell datasheet, "
    "https://www.nvidia.com/en-us/products/workstations/professional-desktop-gpus/rtx-pro-6000/";

struct Rate {
  std::string_view type;
  double tera;
};

DevicePeaks Card(std::string_view card, std::vector<Rate> rates, std::string_view source) {
  DevicePeaks peaks{card, {}, source};
  for (const Rate& rate : rates) peaks.types.push_back({rate.type, rate.tera * kTera});
  return peaks;
}

std::vector<DevicePeaks> MakeTable() {
  return {
      // Volta
      Card("V100-SXM2", {{"fp64", 7.8}, {"fp32", 15.7}, {"fp16", 125}}, kVoltaPaper),
      Card("V100-PCIe", {{"fp64", 7}, {"fp32", 14}, {"fp16", 112}}, kVoltaPaper),
      Card("V100S-PCIe", {{"fp64", 8.2}, {"fp32", 16.4}, {"fp16", 130}}, kVoltaPaper),
      // Turing
      Card("T4", {{"fp32", 8.1}, {"fp16", 65}, {"int8", 130}}, kTuringT4),
      Card("Quadro RTX 6000", {{"fp32", 16.3}, {"fp16", 130.5}, {"int8", 261}}, kTuringPaper),
      Card("Quadro RTX 8000", {{"fp32", 16.3}, {"fp16", 130.5}, {"int8", 261}}, kTuringPaper),
      // Ampere
      Card("A100",
           {{"fp64", 19.5},
            {"fp32", 19.5},
            {"tf32", 156},
            {"fp16", 312},
            {"bf16", 312},
            {"int8", 624}},
           kA100),
      Card("A800",
           {{"fp64", 19.5},
            {"fp32", 19.5},
            {"tf32", 156},
            {"fp16", 312},
            {"bf16", 312},
            {"int8", 624}},
           kA100),
      Card("A30",
           {{"fp64", 10.3},
            {"fp32", 10.3},
            {"tf32", 82},
            {"fp16", 165},
            {"bf16", 165},
            {"int8", 330}},
           kA30),
      Card("A40",
           {{"fp32", 37.4}, {"tf32", 74.8}, {"fp16", 149.7}, {"bf16", 149.7}, {"int8", 299.3}},
           kA40),
      Card("A10", {{"fp32", 31.2}, {"tf32", 62.5}, {"fp16", 125}, {"bf16", 125}, {"int8", 250}},
           kA10),
      Card("A2", {{"fp32", 4.5}, {"tf32", 9}, {"fp16", 18}, {"bf16", 18}, {"int8", 36}}, kA2),
      Card("RTX A6000",
           {{"fp32", 38.7}, {"tf32", 77.4}, {"fp16", 154.8}, {"bf16", 154.8}, {"int8", 309.7}},
           kGa102),
      // Ada
      Card("L4",
           {{"fp32", 30.3},
            {"tf32", 60},
            {"fp16", 121},
            {"bf16", 121},
            {"fp8", 242.5},
            {"int8", 242.5}},
           kL4),
      Card("L40",
           {{"fp32", 90.5},
            {"tf32", 90.5},
            {"fp16", 181},
            {"bf16", 181},
            {"fp8", 362},
            {"int8", 362}},
           kAda),
      Card("L40S",
           {{"fp32", 91.6},
            {"tf32", 183},
            {"fp16", 362},
            {"bf16", 362},
            {"fp8", 733},
            {"int8", 733}},
           kL40s),
      Card("RTX 6000 Ada",
           {{"fp32", 91.1},
            {"tf32", 182.1},
            {"fp16", 364.2},
            {"bf16", 364.2},
            {"fp8", 728.5},
            {"int8", 728.5}},
           kAda),
      // Hopper
      Card("H100-SXM",
           {{"fp64", 66.9},
            {"fp32", 66.9},
            {"tf32", 494.7},
            {"fp16", 989.4},
            {"bf16", 989.4},
            {"fp8", 1978.9},
            {"int8", 1978.9}},
           kHopper),
      Card("H100-PCIe",
           {{"fp64", 51.2},
            {"fp32", 51.2},
            {"tf32", 378},
            {"fp16", 756},
            {"bf16", 756},
            {"fp8", 1513},
            {"int8", 1513}},
           kHopper),
      Card("H100-NVL",
           {{"fp64", 60},
            {"fp32", 60},
            {"tf32", 417.5},
            {"fp16", 835.5},
            {"bf16", 835.5},
            {"fp8", 1670.5},
            {"int8", 1670.5}},
           kH100Nvl),
      Card("H200-SXM",
           {{"fp64", 67},
            {"fp32", 67},
            {"tf32", 494.5},
            {"fp16", 989.5},
            {"bf16", 989.5},
            {"fp8", 1979},
            {"int8", 1979}},
           kH200),
      Card("H200-NVL",
           {{"fp64", 60},
            {"fp32", 60},
            {"tf32", 417.5},
            {"fp16", 835.5},
            {"bf16", 835.5},
            {"fp8", 1670.5},
            {"int8", 1670.5}},
           kH200),
      Card("H20",
           {{"fp64", 1},
            {"fp32", 44},
            {"tf32", 74},
            {"fp16", 148},
            {"bf16", 148},
            {"fp8", 296},
            {"int8", 296}},
           kH20),
      Card("GH200",
           {{"fp64", 67},
            {"fp32", 67},
            {"tf32", 494.5},
            {"fp16", 989.5},
            {"bf16", 989.5},
            {"fp8", 1979},
            {"int8", 1979}},
           kGh200),
      // Blackwell. B300 is not here: its published figures contradict each other.
      Card("B200",
           {{"fp64", 37},
            {"fp32", 75},
            {"tf32", 1125},
            {"fp16", 2250},
            {"bf16", 2250},
            {"fp8", 4500},
            {"int8", 4500},
            {"fp4", 9000}},
           kB200),
      Card("GB200",
           {{"fp64", 40},
            {"fp32", 80},
            {"tf32", 1250},
            {"fp16", 2500},
            {"bf16", 2500},
            {"fp8", 5000},
            {"int8", 5000},
            {"fp4", 10000}},
           kGb200),
      Card("RTX PRO 6000 Blackwell", {{"fp32", 125}, {"fp4", 2000}}, kRtxPro),
  };
}

// How drivers name the cards: the whole name, or its beginning where a memory size follows.
struct NamePattern {
  std::string_view name;
  bool prefix;
  std::string_view card;
};

constexpr NamePattern kNames[] = {
    {"V100-SXM2-", true, "V100-SXM2"},
    {"V100-SXM3-", true, "V100-SXM2"},
    {"V100-PCIE-", true, "V100-PCIe"},
    {"V100S-PCIE-", true, "V100S-PCIe"},
    {"T4", false, "T4"},
    {"Quadro RTX 6000", false, "Quadro RTX 6000"},
    {"Quadro RTX 8000", false, "Quadro RTX 8000"},
    {"A100-SXM", true, "A100"},
    {"A100-PCIE-", true, "A100"},
    {"A100-PCIe", true, "A100"},
    {"A100 80GB PCIe", false, "A100"},
    {"A100-PG509-200", false, "A100"},
    {"A800-SXM4-", true, "A800"},
    {"A800 80GB PCIe", false, "A800"},
    {"A30", false, "A30"},
    {"A40", false, "A40"},
    {"A10", false, "A10"},
    {"A2", false, "A2"},
    {"RTX A6000", false, "RTX A6000"},
    {"L4", false, "L4"},
    {"L40", false, "L40"},
    {"L40S", false, "L40S"},
    {"RTX 6000 Ada Generation", false, "RTX 6000 Ada"},
    {"H100 80GB HBM3", false, "H100-SXM"},
    {"H100 SXM5 80GB", false, "H100-SXM"},
    {"H100 PCIe", false, "H100-PCIe"},
    {"H100 NVL", false, "H100-NVL"},
    {"H200", false, "H200-SXM"},
    {"H200 NVL", false, "H200-NVL"},
    {"H20", false, "H20"},
    {"GH200 480GB", false, "GH200"},
    {"GH200 120GB", false, "GH200"},
    {"GH200 144G HBM3e", false, "GH200"},
    {"B200", false, "B200"},
    {"GB200", false, "GB200"},
    {"RTX PRO 6000 Blackwell Workstation Edition", false, "RTX PRO 6000 Blackwell"},
};

}  // namespace

std::optional<double> DevicePeaks::For(std::string_view type) const {
  for (const TypePeak& peak : types) {
    if (peak.type == type) return peak.flop_per_s;
  }
  return std::nullopt;
}

const std::vector<DevicePeaks>& AllPeaks() {
  static const std::vector<DevicePeaks>* const kTable = new std::vector<DevicePeaks>(MakeTable());
  return *kTable;
}

const DevicePeaks* FindPeaks(std::string_view device_name) {
  // A slice of a card has a part of its rate, and the name does not say which peak.
  if (device_name.find(" MIG ") != std::string_view::npos) return nullptr;
  for (const std::string_view maker : {"NVIDIA ", "Tesla "}) {
    if (device_name.substr(0, maker.size()) == maker) device_name.remove_prefix(maker.size());
  }
  for (const NamePattern& pattern : kNames) {
    const bool match = pattern.prefix ? device_name.substr(0, pattern.name.size()) == pattern.name
                                      : device_name == pattern.name;
    if (!match) continue;
    for (const DevicePeaks& peaks : AllPeaks()) {
      if (peaks.card == pattern.card) return &peaks;
    }
  }
  return nullptr;
}

}  // namespace flopsprof::model
