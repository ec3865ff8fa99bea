// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Cards as their maker describes them: multiprocessors, clocks, and rates per multiprocessor.
// Figures of the maker that are for 2:4 sparsity are halved here.
#include "collector/model/peaks/peaks_cards.h"

namespace flopsprof::model {
namespace {

using Rates = std::vector<SmRate>;

// clang-format off
// type, accumulate, flop per clock and multiprocessor, tensor units, sparse
const Rates& Volta() {
  static const Rates r = {{"fp64", "fp64", 64, false, false}, {"fp32", "fp32", 128, false, false},
                          {"fp16", "fp32", 1024, true, false}, {"fp16", "fp16", 1024, true, false}};
  return r;
}
const Rates& TuringPro() {
  static const Rates r = {{"fp64", "fp64", 4, false, false}, {"fp32", "fp32", 128, false, false},
                          {"fp16", "fp32", 1024, true, false}, {"fp16", "fp16", 1024, true, false},
                          {"int8", "int32", 2048, true, false}, {"int4", "int32", 4096, true, false}};
  return r;
}
const Rates& TuringGeForce() {  // half rate where fp32 accumulates
  static const Rates r = {{"fp64", "fp64", 4, false, false}, {"fp32", "fp32", 128, false, false},
                          {"fp16", "fp32", 512, true, false}, {"fp16", "fp16", 1024, true, false},
                          {"int8", "int32", 2048, true, false}, {"int4", "int32", 4096, true, false}};
  return r;
}
const Rates& Ga100() {
  static const Rates r = {{"fp64", "fp64", 128, true, false}, {"fp32", "fp32", 128, false, false},
                          {"tf32", "fp32", 1024, true, true}, {"fp16", "fp32", 2048, true, true},
                          {"fp16", "fp16", 2048, true, true}, {"bf16", "fp32", 2048, true, true},
                          {"int8", "int32", 4096, true, true}, {"int4", "int32", 8192, true, true}};
  return r;
}
const Rates& Ga10xPro() {
  static const Rates r = {{"fp64", "fp64", 4, false, false}, {"fp32", "fp32", 256, false, false},
                          {"tf32", "fp32", 512, true, true}, {"fp16", "fp32", 1024, true, true},
                          {"fp16", "fp16", 1024, true, true}, {"bf16", "fp32", 1024, true, true},
                          {"int8", "int32", 2048, true, true}, {"int4", "int32", 4096, true, true}};
  return r;
}
const Rates& Ga10xGeForce() {
  static const Rates r = {{"fp64", "fp64", 4, false, false}, {"fp32", "fp32", 256, false, false},
                          {"tf32", "fp32", 256, true, true}, {"fp16", "fp32", 512, true, true},
                          {"fp16", "fp16", 1024, true, true}, {"bf16", "fp32", 512, true, true},
                          {"int8", "int32", 2048, true, true}, {"int4", "int32", 4096, true, true}};
  return r;
}
const Rates& AdaPro() {
  static const Rates r = {{"fp64", "fp64", 4, false, false}, {"fp32", "fp32", 256, false, false},
                          {"tf32", "fp32", 512, true, true}, {"fp16", "fp32", 1024, true, true},
                          {"fp16", "fp16", 1024, true, true}, {"bf16", "fp32", 1024, true, true},
                          {"fp8", "fp32", 2048, true, true}, {"int8", "int32", 2048, true, true},
                          {"int4", "int32", 4096, true, true}};
  return r;
}
const Rates& AdaL40() {  // half of AdaPro, as the L40's figures are
  static const Rates r = {{"fp64", "fp64", 4, false, false}, {"fp32", "fp32", 256, false, false},
                          {"tf32", "fp32", 256, true, true}, {"fp16", "fp32", 512, true, true},
                          {"bf16", "fp32", 512, true, true}, {"fp8", "fp32", 1024, true, true},
                          {"int8", "int32", 1024, true, true}, {"int4", "int32", 2048, true, true}};
  return r;
}
const Rates& AdaGeForce() {
  static const Rates r = {{"fp64", "fp64", 4, false, false}, {"fp32", "fp32", 256, false, false},
                          {"tf32", "fp32", 256, true, true}, {"fp16", "fp32", 512, true, true},
                          {"fp16", "fp16", 1024, true, true}, {"bf16", "fp32", 512, true, true},
                          {"fp8", "fp32", 1024, true, true}, {"fp8", "fp16", 2048, true, true},
                          {"int8", "int32", 2048, true, true}, {"int4", "int32", 4096, true, true}};
  return r;
}
const Rates& Hopper() {  // fp64 products at the boost clock of fp32, the others at the tensor clock
  static const Rates r = {{"fp64", "fp64", 256, false, false}, {"fp32", "fp32", 256, false, false},
                          {"tf32", "fp32", 2048, true, true}, {"fp16", "fp32", 4096, true, true},
                          {"fp16", "fp16", 4096, true, true}, {"bf16", "fp32", 4096, true, true},
                          {"fp8", "fp32", 8192, true, true}, {"fp8", "fp16", 8192, true, true},
                          {"int8", "int32", 8192, true, true}};
  return r;
}
const Rates& Blackwell() {
  static const Rates r = {{"fp64", "fp64", 128, false, false}, {"fp32", "fp32", 256, false, false},
                          {"tf32", "fp32", 4096, true, true}, {"fp16", "fp32", 8192, true, true},
                          {"bf16", "fp32", 8192, true, true}, {"fp8", "fp32", 16384, true, true},
                          {"fp6", "fp32", 16384, true, true}, {"fp4", "fp32", 32768, true, true},
                          {"int8", "int32", 16384, true, true}};
  return r;
}
const Rates& BlackwellUltra() {  // fp64 cut down; fp4 and int8 left out, see the remark
  static const Rates r = {{"fp64", "fp64", 4, false, false}, {"fp32", "fp32", 256, false, false},
                          {"tf32", "fp32", 4096, true, true}, {"fp16", "fp32", 8192, true, true},
                          {"bf16", "fp32", 8192, true, true}, {"fp8", "fp32", 16384, true, true},
                          {"fp6", "fp32", 16384, true, true}};
  return r;
}
const Rates& RtxBlackwellPro() {
  static const Rates r = {{"fp64", "fp64", 4, false, false}, {"fp32", "fp32", 256, false, false},
                          {"tf32", "fp32", 512, true, true}, {"fp16", "fp32", 1024, true, true},
                          {"fp16", "fp16", 1024, true, true}, {"bf16", "fp32", 1024, true, true},
                          {"fp8", "fp32", 2048, true, true}, {"fp8", "fp16", 2048, true, true},
                          {"fp4", "fp32", 4096, true, true}, {"int8", "int32", 2048, true, true}};
  return r;
}
const Rates& RtxBlackwellGeForce() {
  static const Rates r = {{"fp64", "fp64", 4, false, false}, {"fp32", "fp32", 256, false, false},
                          {"tf32", "fp32", 256, true, true}, {"fp16", "fp32", 512, true, true},
                          {"fp16", "fp16", 1024, true, true}, {"bf16", "fp32", 512, true, true},
                          {"fp8", "fp32", 1024, true, true}, {"fp8", "fp16", 2048, true, true},
                          {"fp4", "fp32", 4096, true, true}, {"int8", "int32", 2048, true, true}};
  return r;
}

constexpr std::string_view kV100 =
    "NVIDIA V100 datasheet, https://images.nvidia.com/content/technologies/volta/pdf/"
    "volta-v100-datasheet-update-us-1165301-r5.pdf";
constexpr std::string_view kTitanV =
    "NVIDIA Titan V, https://www.nvidia.com/en-us/titan/titan-v/";
constexpr std::string_view kT4 =
    "NVIDIA T4 datasheet, https://www.nvidia.com/en-us/data-center/tesla-t4/";
constexpr std::string_view kTuring =
    "NVIDIA Turing GPU Architecture whitepaper (WP-09183-001), "
    "https://images.nvidia.com/aem-dam/en-zz/Solutions/design-visualization/technologies/"
    "turing-architecture/NVIDIA-Turing-Architecture-Whitepaper.pdf";
constexpr std::string_view kTitanRtx =
    "NVIDIA Titan RTX, https://www.nvidia.com/en-us/deep-learning-ai/products/titan-rtx/";
constexpr std::string_view kQuadroRtx5000 =
    "NVIDIA Quadro RTX 5000 datasheet, "
    "https://www.nvidia.com/en-us/design-visualization/quadro/rtx-5000/";
constexpr std::string_view kQuadroRtx4000 =
    "NVIDIA Quadro RTX 4000 datasheet, "
    "https://www.nvidia.com/en-us/design-visualization/quadro/rtx-4000/";
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
constexpr std::string_view kRtxA =
    "NVIDIA RTX A5500, A5000, A4500, A4000, A2000 datasheets (sparse figures halved), "
    "https://www.nvidia.com/en-us/design-visualization/desktop-graphics/";
constexpr std::string_view kGeForce30 =
    "GeForce RTX 30 series, comparison of cores and clocks, "
    "https://www.nvidia.com/en-us/geforce/graphics-cards/compare/; rates: GA102 whitepaper";
constexpr std::string_view kAda =
    "NVIDIA Ada GPU Architecture whitepaper, "
    "https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf";
constexpr std::string_view kRtxAda =
    "NVIDIA RTX 5000, 4500, 4000, 2000 Ada Generation datasheets (sparse figures halved), "
    "https://www.nvidia.com/en-us/design-visualization/desktop-graphics/";
constexpr std::string_view kGeForce40 =
    "GeForce RTX 40 series, comparison of cores and clocks, "
    "https://www.nvidia.com/en-us/geforce/graphics-cards/compare/; rates: Ada whitepaper";
constexpr std::string_view kL4 =
    "NVIDIA L4 datasheet, https://www.nvidia.com/en-us/data-center/l4/ (sparse figures halved)";
constexpr std::string_view kL40 =
    "NVIDIA L40 datasheet, https://www.nvidia.com/en-us/data-center/l40/";
constexpr std::string_view kL40s =
    "NVIDIA L40S datasheet, https://www.nvidia.com/en-us/data-center/l40s/";
constexpr std::string_view kHopper =
    "NVIDIA H100 Tensor Core GPU Architecture whitepaper, "
    "https://resources.nvidia.com/en-us-tensor-core (dense figures)";
constexpr std::string_view kH100Nvl =
    "NVIDIA H100 datasheet, https://www.nvidia.com/en-us/data-center/h100/ (sparse figures halved)";
constexpr std::string_view kH200 =
    "NVIDIA H200 datasheet, https://www.nvidia.com/en-us/data-center/h200/ (sparse figures halved)";
constexpr std::string_view kH20 =
    "NVIDIA H20 product brief, as reported (dense figures); no public document, "
    "https://www.nvidia.com/en-us/data-center/";
constexpr std::string_view kGh200 =
    "NVIDIA GH200 Grace Hopper Superchip datasheet, "
    "https://www.nvidia.com/en-us/data-center/grace-hopper-superchip/ (sparse figures halved)";
constexpr std::string_view kHgx =
    "NVIDIA HGX platform, https://www.nvidia.com/en-us/data-center/hgx/ (a board of 8 divided by "
    "8, sparse figures halved)";
constexpr std::string_view kGb200 =
    "NVIDIA GB200 NVL72, https://www.nvidia.com/en-us/data-center/gb200-nvl72/ (divided by 72 "
    "GPUs, sparse figures halved)";
constexpr std::string_view kRtxPro =
    "NVIDIA RTX Blackwell PRO GPU Architecture whitepaper, "
    "https://www.nvidia.com/content/dam/en-zz/Solutions/design-visualization/quadro-product-"
    "literature/NVIDIA-RTX-Blackwell-PRO-GPU-Architecture-v1.0.pdf";
constexpr std::string_view kRtxBlackwell =
    "NVIDIA RTX Blackwell GPU Architecture whitepaper, https://images.nvidia.com/aem-dam/Solutions/"
    "geforce/blackwell/nvidia-rtx-blackwell-gpu-architecture.pdf";
constexpr std::string_view kImplied =
    "the clock of the tensor units is not published: it is the one that gives the figure";

std::vector<Card> MakeCards() {
  return {
      // Volta
      {"V100-SXM2", "Volta", &Volta(), 80, 1530, 0,
       {{"fp64", "fp64", 7.8}, {"fp32", "fp32", 15.7}, {"fp16", "fp32", 125}}, kV100, ""},
      {"V100-PCIe", "Volta", &Volta(), 80, 1380, 0,
       {{"fp64", "fp64", 7}, {"fp32", "fp32", 14}, {"fp16", "fp32", 112}}, kV100, ""},
      {"V100S-PCIe", "Volta", &Volta(), 80, 1597, 0,
       {{"fp64", "fp64", 8.2}, {"fp32", "fp32", 16.4}, {"fp16", "fp32", 130}}, kV100, ""},
      {"Titan V", "Volta", &Volta(), 80, 1455, 1343,
       {{"fp16", "fp32", 110}}, kTitanV, kImplied},
      // Turing
      {"T4", "Turing", &TuringPro(), 40, 1590, 0,
       {{"fp32", "fp32", 8.1}, {"fp16", "fp32", 65}, {"int8", "int32", 130},
        {"int4", "int32", 260}}, kT4, ""},
      {"Quadro RTX 8000", "Turing", &TuringPro(), 72, 1770, 0,
       {{"fp32", "fp32", 16.3}, {"fp16", "fp32", 130.5}, {"int8", "int32", 261}}, kTuring, ""},
      {"Quadro RTX 6000", "Turing", &TuringPro(), 72, 1770, 0,
       {{"fp32", "fp32", 16.3}, {"fp16", "fp32", 130.5}, {"int8", "int32", 261}}, kTuring, ""},
      {"Quadro RTX 5000", "Turing", &TuringPro(), 48, 1815, 0,
       {{"fp32", "fp32", 11.2}, {"fp16", "fp32", 89.2}}, kQuadroRtx5000, ""},
      {"Quadro RTX 4000", "Turing", &TuringPro(), 36, 1545, 0,
       {{"fp32", "fp32", 7.1}, {"fp16", "fp32", 57}}, kQuadroRtx4000, ""},
      {"Titan RTX", "Turing", &TuringPro(), 72, 1770, 0,
       {{"fp32", "fp32", 16.3}, {"fp16", "fp32", 130}}, kTitanRtx, ""},
      {"GeForce RTX 2080 Ti", "Turing", &TuringGeForce(), 68, 1545, 0,
       {{"fp32", "fp32", 13.4}, {"fp16", "fp32", 53.8}, {"fp16", "fp16", 107.6},
        {"int8", "int32", 215.2}}, kTuring, ""},
      {"GeForce RTX 2080", "Turing", &TuringGeForce(), 46, 1710, 0,
       {{"fp32", "fp32", 10.1}, {"fp16", "fp32", 40.3}, {"fp16", "fp16", 80.5},
        {"int8", "int32", 161.1}}, kTuring, ""},
      {"GeForce RTX 2070", "Turing", &TuringGeForce(), 36, 1620, 0,
       {{"fp32", "fp32", 7.5}, {"fp16", "fp32", 29.9}, {"fp16", "fp16", 59.7},
        {"int8", "int32", 119.4}}, kTuring, ""},
      // Ampere
      {"A100", "Ampere", &Ga100(), 108, 1410, 0,
       {{"fp64", "fp64", 19.5}, {"fp32", "fp32", 19.5}, {"tf32", "fp32", 156},
        {"fp16", "fp32", 312}, {"bf16", "fp32", 312}, {"int8", "int32", 624},
        {"int4", "int32", 1248}}, kA100, ""},
      {"A800", "Ampere", &Ga100(), 108, 1410, 0,
       {{"fp64", "fp64", 19.5}, {"fp32", "fp32", 19.5}, {"tf32", "fp32", 156},
        {"fp16", "fp32", 312}, {"bf16", "fp32", 312}, {"int8", "int32", 624}}, kA100,
       "an A100 with a slower NVLink"},
      {"A30", "Ampere", &Ga100(), 56, 1440, 0,
       {{"fp64", "fp64", 10.3}, {"fp32", "fp32", 10.3}, {"tf32", "fp32", 82},
        {"fp16", "fp32", 165}, {"bf16", "fp32", 165}, {"int8", "int32", 330},
        {"int4", "int32", 661}}, kA30, ""},
      {"A40", "Ampere", &Ga10xPro(), 84, 1740, 0,
       {{"fp32", "fp32", 37.4}, {"tf32", "fp32", 74.8}, {"fp16", "fp32", 149.7},
        {"bf16", "fp32", 149.7}, {"int8", "int32", 299.3}, {"int4", "int32", 598.7}}, kA40, ""},
      {"A10", "Ampere", &Ga10xPro(), 72, 1695, 0,
       {{"fp32", "fp32", 31.2}, {"tf32", "fp32", 62.5}, {"fp16", "fp32", 125},
        {"bf16", "fp32", 125}, {"int8", "int32", 250}, {"int4", "int32", 500}}, kA10, ""},
      {"A2", "Ampere", &Ga10xPro(), 10, 1770, 0,
       {{"fp32", "fp32", 4.5}, {"tf32", "fp32", 9}, {"fp16", "fp32", 18}, {"bf16", "fp32", 18},
        {"int8", "int32", 36}, {"int4", "int32", 72}}, kA2, ""},
      {"RTX A6000", "Ampere", &Ga10xPro(), 84, 1800, 0,
       {{"fp32", "fp32", 38.7}, {"tf32", "fp32", 77.4}, {"fp16", "fp32", 154.8},
        {"bf16", "fp32", 154.8}, {"int8", "int32", 309.7}, {"int4", "int32", 619.3}}, kGa102, ""},
      {"RTX A5500", "Ampere", &Ga10xPro(), 80, 1665, 0,
       {{"fp32", "fp32", 34.1}, {"fp16", "fp32", 136.4}}, kRtxA, ""},
      {"RTX A5000", "Ampere", &Ga10xPro(), 64, 1695, 0,
       {{"fp32", "fp32", 27.8}, {"fp16", "fp32", 111.1}}, kRtxA, ""},
      {"RTX A4500", "Ampere", &Ga10xPro(), 56, 1650, 0,
       {{"fp32", "fp32", 23.7}, {"fp16", "fp32", 94.6}}, kRtxA, ""},
      {"RTX A4000", "Ampere", &Ga10xPro(), 48, 1560, 0,
       {{"fp32", "fp32", 19.2}, {"fp16", "fp32", 76.7}}, kRtxA, ""},
      {"RTX A2000", "Ampere", &Ga10xPro(), 26, 1200, 0,
       {{"fp32", "fp32", 8}, {"fp16", "fp32", 31.95}}, kRtxA, ""},
      {"GeForce RTX 3090 Ti", "Ampere", &Ga10xGeForce(), 84, 1860, 0,
       {{"fp32", "fp32", 40}}, kGeForce30, ""},
      {"GeForce RTX 3090", "Ampere", &Ga10xGeForce(), 82, 1695, 0,
       {{"fp32", "fp32", 35.6}, {"tf32", "fp32", 35.6}, {"fp16", "fp32", 71},
        {"fp16", "fp16", 142}, {"bf16", "fp32", 71}, {"int8", "int32", 284}}, kGa102, ""},
      {"GeForce RTX 3080 Ti", "Ampere", &Ga10xGeForce(), 80, 1665, 0,
       {{"fp32", "fp32", 34.1}}, kGeForce30, ""},
      {"GeForce RTX 3080", "Ampere", &Ga10xGeForce(), 68, 1710, 0,
       {{"fp32", "fp32", 29.8}, {"tf32", "fp32", 29.8}, {"fp16", "fp32", 59.5},
        {"fp16", "fp16", 119}, {"bf16", "fp32", 59.5}, {"int8", "int32", 238}}, kGa102, ""},
      {"GeForce RTX 3080 12GB", "Ampere", &Ga10xGeForce(), 70, 1710, 0,
       {{"fp32", "fp32", 30.6}}, kGeForce30, ""},
      {"GeForce RTX 3070 Ti", "Ampere", &Ga10xGeForce(), 48, 1770, 0,
       {{"fp32", "fp32", 21.7}}, kGeForce30, ""},
      {"GeForce RTX 3070", "Ampere", &Ga10xGeForce(), 46, 1725, 0,
       {{"fp32", "fp32", 20.3}, {"fp16", "fp32", 40.6}, {"fp16", "fp16", 81.3},
        {"int8", "int32", 162.6}}, kGa102, ""},
      {"GeForce RTX 3060 Ti", "Ampere", &Ga10xGeForce(), 38, 1665, 0,
       {{"fp32", "fp32", 16.2}}, kGeForce30, ""},
      {"GeForce RTX 3060", "Ampere", &Ga10xGeForce(), 28, 1777, 0,
       {{"fp32", "fp32", 12.7}}, kGeForce30, ""},
      // Ada
      {"L4", "Ada", &AdaPro(), 58, 2040, 0,
       {{"fp32", "fp32", 30.3}, {"tf32", "fp32", 60}, {"fp16", "fp32", 121},
        {"bf16", "fp32", 121}, {"fp8", "fp32", 242.5}, {"int8", "int32", 242.5}}, kL4, ""},
      {"L40", "Ada", &AdaL40(), 142, 2490, 0,
       {{"fp32", "fp32", 90.5}, {"tf32", "fp32", 90.5}, {"fp16", "fp32", 181.05},
        {"bf16", "fp32", 181.05}, {"fp8", "fp32", 362}, {"int8", "int32", 362},
        {"int4", "int32", 724}}, kL40, ""},
      {"L40S", "Ada", &AdaPro(), 142, 2520, 0,
       {{"fp32", "fp32", 91.6}, {"tf32", "fp32", 183}, {"fp16", "fp32", 366.5},
        {"bf16", "fp32", 366.5}, {"fp8", "fp32", 733}, {"int8", "int32", 733}}, kL40s,
       "fp16 and bf16 are half of the sparse 733 of the datasheet (tf32 183 and fp8 733 agree with "
       "it, and 142 x 2520 MHz x 1024 gives 366.4); the dense 362.05 of the same row is the L40's"},
      {"RTX 6000 Ada", "Ada", &AdaPro(), 142, 2505, 0,
       {{"fp32", "fp32", 91.1}, {"tf32", "fp32", 182.1}, {"fp16", "fp32", 364.2},
        {"bf16", "fp32", 364.2}, {"fp8", "fp32", 728.5}, {"int8", "int32", 728.5}}, kAda, ""},
      {"RTX 5000 Ada", "Ada", &AdaPro(), 100, 2550, 0,
       {{"fp32", "fp32", 65.3}, {"fp8", "fp32", 522.2}}, kRtxAda, ""},
      {"RTX 4500 Ada", "Ada", &AdaPro(), 60, 2580, 0,
       {{"fp32", "fp32", 39.6}, {"fp8", "fp32", 317}}, kRtxAda, ""},
      {"RTX 4000 Ada", "Ada", &AdaPro(), 48, 2175, 0,
       {{"fp32", "fp32", 26.7}, {"fp8", "fp32", 213.8}}, kRtxAda, ""},
      {"RTX 4000 SFF Ada", "Ada", &AdaPro(), 48, 1560, 0,
       {{"fp32", "fp32", 19.2}, {"fp8", "fp32", 153.4}}, kRtxAda, ""},
      {"RTX 2000 Ada", "Ada", &AdaPro(), 22, 2130, 0,
       {{"fp32", "fp32", 12}, {"fp8", "fp32", 95.95}}, kRtxAda, ""},
      {"GeForce RTX 4090", "Ada", &AdaGeForce(), 128, 2520, 0,
       {{"fp32", "fp32", 82.6}, {"tf32", "fp32", 82.6}, {"fp16", "fp32", 165.2},
        {"fp16", "fp16", 330.3}, {"bf16", "fp32", 165.2}, {"fp8", "fp32", 330.3},
        {"fp8", "fp16", 660.6}, {"int8", "int32", 660.6}, {"int4", "int32", 1321.2}}, kAda, ""},
      {"GeForce RTX 4090 D", "Ada", &AdaGeForce(), 114, 2520, 0,
       {{"fp32", "fp32", 73.5}}, kGeForce40, ""},
      {"GeForce RTX 4080 SUPER", "Ada", &AdaGeForce(), 80, 2550, 0,
       {{"fp32", "fp32", 52.2}}, kGeForce40, ""},
      {"GeForce RTX 4080", "Ada", &AdaGeForce(), 76, 2505, 0,
       {{"fp32", "fp32", 48.7}, {"fp16", "fp32", 97.5}, {"fp16", "fp16", 194.9},
        {"fp8", "fp16", 389.9}}, kAda, ""},
      {"GeForce RTX 4070 Ti SUPER", "Ada", &AdaGeForce(), 66, 2610, 0,
       {{"fp32", "fp32", 44.1}}, kGeForce40, ""},
      {"GeForce RTX 4070 Ti", "Ada", &AdaGeForce(), 60, 2610, 0,
       {{"fp32", "fp32", 40.1}}, kGeForce40, ""},
      {"GeForce RTX 4070 SUPER", "Ada", &AdaGeForce(), 56, 2475, 0,
       {{"fp32", "fp32", 35.5}}, kGeForce40, ""},
      {"GeForce RTX 4070", "Ada", &AdaGeForce(), 46, 2475, 0,
       {{"fp32", "fp32", 29.1}}, kGeForce40, ""},
      {"GeForce RTX 4060 Ti", "Ada", &AdaGeForce(), 34, 2535, 0,
       {{"fp32", "fp32", 22.1}}, kGeForce40, ""},
      {"GeForce RTX 4060", "Ada", &AdaGeForce(), 24, 2460, 0,
       {{"fp32", "fp32", 15.1}}, kGeForce40, ""},
      // Hopper
      {"H100-SXM", "Hopper", &Hopper(), 132, 1980, 1830,
       {{"fp64", "fp64", 66.9}, {"fp32", "fp32", 66.9}, {"tf32", "fp32", 494.7},
        {"fp16", "fp32", 989.4}, {"bf16", "fp32", 989.4}, {"fp8", "fp32", 1978.9},
        {"int8", "int32", 1978.9}}, kHopper, ""},
      {"H100-PCIe", "Hopper", &Hopper(), 114, 1755, 1620,
       {{"fp64", "fp64", 51.2}, {"fp32", "fp32", 51.2}, {"tf32", "fp32", 378},
        {"fp16", "fp32", 756}, {"bf16", "fp32", 756}, {"fp8", "fp32", 1513},
        {"int8", "int32", 1513}}, kHopper, ""},
      {"H100-NVL", "Hopper", &Hopper(), 132, 1785, 1545,
       {{"fp64", "fp64", 60}, {"fp32", "fp32", 60}, {"tf32", "fp32", 417.5},
        {"fp16", "fp32", 835.5}, {"bf16", "fp32", 835.5}, {"fp8", "fp32", 1670.5},
        {"int8", "int32", 1670.5}}, kH100Nvl, kImplied},
      {"H200-SXM", "Hopper", &Hopper(), 132, 1980, 1830,
       {{"fp64", "fp64", 67}, {"fp32", "fp32", 67}, {"tf32", "fp32", 494.5},
        {"fp16", "fp32", 989.5}, {"bf16", "fp32", 989.5}, {"fp8", "fp32", 1979},
        {"int8", "int32", 1979}}, kH200, ""},
      {"H200-NVL", "Hopper", &Hopper(), 132, 1785, 1545,
       {{"fp64", "fp64", 60}, {"fp32", "fp32", 60}, {"tf32", "fp32", 417.5},
        {"fp16", "fp32", 835.5}, {"bf16", "fp32", 835.5}, {"fp8", "fp32", 1670.5},
        {"int8", "int32", 1670.5}}, kH200, kImplied},
      {"H20", "Hopper", nullptr, 78, 1980, 0,
       {{"fp64", "fp64", 1}, {"fp32", "fp32", 44}, {"tf32", "fp32", 74}, {"fp16", "fp32", 148},
        {"bf16", "fp32", 148}, {"fp8", "fp32", 296}, {"int8", "int32", 296}}, kH20,
       "limited below the product of its parts, which therefore proves nothing"},
      {"GH200", "Hopper", &Hopper(), 132, 1980, 1830,
       {{"fp64", "fp64", 67}, {"fp32", "fp32", 67}, {"tf32", "fp32", 494.5},
        {"fp16", "fp32", 989.5}, {"bf16", "fp32", 989.5}, {"fp8", "fp32", 1979},
        {"int8", "int32", 1979}}, kGh200, ""},
      // Blackwell
      {"B200", "Blackwell", &Blackwell(), 148, 1965, 1856,
       {{"fp64", "fp64", 37}, {"fp32", "fp32", 75}, {"tf32", "fp32", 1125},
        {"fp16", "fp32", 2250}, {"bf16", "fp32", 2250}, {"fp8", "fp32", 4500},
        {"fp6", "fp32", 4500}, {"fp4", "fp32", 9000}, {"int8", "int32", 4500}}, kHgx, kImplied},
      {"GB200", "Blackwell", &Blackwell(), 152, 2062, 2008,
       {{"fp64", "fp64", 40}, {"fp32", "fp32", 80}, {"tf32", "fp32", 1250},
        {"fp16", "fp32", 2500}, {"bf16", "fp32", 2500}, {"fp8", "fp32", 5000},
        {"fp6", "fp32", 5000}, {"fp4", "fp32", 10000}, {"int8", "int32", 5000}}, kGb200, kImplied},
      {"B300", "Blackwell Ultra", &BlackwellUltra(), 148, 1980, 1856,
       {{"fp32", "fp32", 75}, {"tf32", "fp32", 1125}, {"fp16", "fp32", 2250},
        {"bf16", "fp32", 2250}, {"fp8", "fp32", 4500}, {"fp6", "fp32", 4500}}, kHgx,
       "fp4 and int8 are left out: the maker's documents contradict each other (fp4 13.1, 14 and "
       "15 P dense)"},
      {"RTX PRO 6000 Blackwell", "Blackwell", &RtxBlackwellPro(), 188, 2617, 0,
       {{"fp32", "fp32", 126}, {"tf32", "fp32", 251.9}, {"fp16", "fp32", 503.8},
        {"bf16", "fp32", 503.8}, {"fp8", "fp32", 1007.6}, {"fp4", "fp32", 2015.2}}, kRtxPro, ""},
      {"GeForce RTX 5090", "Blackwell", &RtxBlackwellGeForce(), 170, 2407, 0,
       {{"fp32", "fp32", 104.8}, {"tf32", "fp32", 104.8}, {"fp16", "fp32", 209.5},
        {"fp16", "fp16", 419}, {"bf16", "fp32", 209.5}, {"fp8", "fp32", 419},
        {"fp8", "fp16", 838}, {"fp4", "fp32", 1676}, {"int8", "int32", 838}}, kRtxBlackwell, ""},
      {"GeForce RTX 5080", "Blackwell", &RtxBlackwellGeForce(), 84, 2617, 0,
       {{"fp32", "fp32", 56.3}, {"fp16", "fp32", 112.6}, {"fp8", "fp32", 225.1},
        {"fp4", "fp32", 900.4}}, kRtxBlackwell, ""},
      {"GeForce RTX 5070 Ti", "Blackwell", &RtxBlackwellGeForce(), 70, 2452, 0,
       {{"fp32", "fp32", 43.9}, {"fp4", "fp32", 703}}, kRtxBlackwell, ""},
      {"GeForce RTX 5070", "Blackwell", &RtxBlackwellGeForce(), 48, 2512, 0,
       {{"fp32", "fp32", 30.9}, {"fp4", "fp32", 494}}, kRtxBlackwell, ""},
  };
}
// clang-format on

}  // namespace

const std::vector<Card>& AllCards() {
  static const std::vector<Card>* const kCards = new std::vector<Card>(MakeCards());
  return *kCards;
}

}  // namespace flopsprof::model
