// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "collector/agent/processes/process_recorder.h"
#include "tests/support/fake_injector.h"
#include "tests/support/profile_sum.h"

namespace flopsprof::agent {

using testing::AllReduce;
using testing::Copy;
using testing::Cudnn;
using testing::FakeInjector;
using testing::Gemm;
using testing::Kernel;
using testing::Launch;
using testing::Library;
using testing::WithMore;

// Rows by key, added up as a collector does.
class Received {
 public:
  void Merge(const v1::ProcessProfile& part) {
    sum_.Add(part);
    const v1::ProcessProfile profile = sum_.Whole();
    entered.clear();
    for (const auto& row : profile.calls()) {
      calls[std::to_string(row.scope()) + "/" + v1::Phase_Name(row.phase()) + "/" + row.api() +
            "/" + row.shape() + (row.captured() ? "/captured" : "")] = row;
    }
    for (const auto& row : profile.times()) {
      times[std::to_string(row.scope()) + "/" + v1::Phase_Name(row.phase()) + "/" +
            v1::TimeCategory_Name(row.category()) + (row.in_step() ? "" : "/before")] = row;
    }
    for (const auto& row : profile.kernels()) {
      kernels[row.name() + "/" + v1::TimeCategory_Name(row.category())] = row;
    }
    for (const auto& row : profile.kernel_owners()) {
      owners[row.name() + "/" + v1::TimeCategory_Name(row.category())] = row;
    }
    for (const auto& row : profile.communications()) {
      communications[std::to_string(row.scope()) + "/" + v1::Phase_Name(row.phase()) + "/" +
                     row.api()] = row;
    }
    for (const auto& row : profile.steps()) steps[row.step()] = row;
    for (const auto& row : profile.scopes()) scopes[row.id()] = row;
    for (const auto& row : profile.device_times()) devices[row.device()] = row;
    for (const auto& row : profile.scope_calls()) entered[row.scope()] += row.calls();
    for (const auto& [name, count] : profile.loss()) loss[name] = count;
    for (const auto& [name, value] : profile.notes()) notes[name] = value;
    if (profile.has_info()) info = profile.info();
  }
  std::map<std::string, v1::CallRow> calls;
  std::map<std::string, v1::TimeRow> times;
  std::map<std::string, v1::KernelRow> kernels;
  std::map<std::string, v1::KernelOwner> owners;
  std::map<std::string, v1::CommunicationRow> communications;
  std::map<uint32_t, v1::StepRow> steps;
  std::map<uint32_t, v1::Scope> scopes;
  std::map<uint32_t, v1::DeviceTime> devices;
  std::map<uint32_t, uint64_t> entered;
  std::map<std::string, uint64_t> loss;
  std::map<std::string, std::string> notes;
  v1::ProcessInfo info;

 private:
  testing::ProfileSum sum_;
};

class ProcessRecorderTest : public ::testing::Test {
 protected:
  explicit ProcessRecorderTest(std::optional<StepWindow> window = std::nullopt,
                               std::shared_ptr<model::FormulaRegistry> formulas = nullptr,
                               bool host_clock = false) {
    Segment segment =
        *Segment::Create({.slot_count = 8, .ring_records = 4096, .host_clock = host_clock});
    injector_ = std::make_unique<FakeInjector>(segment.fd(), segment.bytes());
    v1::ProcessKey key;
    key.set_node("n1");
    key.set_pid(17);
    recorder_ = std::make_unique<ProcessRecorder>(std::move(segment), key, v1::ProcessInfo(),
                                                  window, std::move(formulas));
    main_ = std::make_unique<FakeInjector::Ring>(injector_->Claim());
    cupti_ = std::make_unique<FakeInjector::Ring>(injector_->Claim());
  }
  // A second of the agent's life: rings read, changes sent.
  void Tick() {
    now_ns_ += 1'000'000'000;
    while (recorder_->Drain(now_ns_)) {
    }
    Send();
  }
  void Send() {
    v1::ProcessProfile profile;
    while (recorder_->Emit(3, &profile)) {
      EXPECT_EQ(profile.key().pid(), 17);
      received_.Merge(profile);
      profile.Clear();
    }
  }
  void End() {
    recorder_->Finish(ProcessEnd(), now_ns_);
    Send();
  }
  void WriteGemmWithKernel(uint32_t number, uint32_t scope, uint64_t start_ns, uint64_t end_ns) {
    main_->Write(Launch(number, scope, number));
    main_->Write(Gemm(number, scope, 120, 8, 400));
    cupti_->Write(Kernel(number, 1, start_ns, end_ns));
  }

  std::unique_ptr<FakeInjector> injector_;
  std::unique_ptr<ProcessRecorder> recorder_;
  std::unique_ptr<FakeInjector::Ring> main_;
  std::unique_ptr<FakeInjector::Ring> cupti_;
  Received received_;
  uint64_t now_ns_ = 1'000'000'000;
};

inline constexpr char kGemmRow[] =
    "5/PHASE_FORWARD/cublasSgemm_v2/m=120 n=8 k=400 batch=1 a=f32 b=f32 c=f32";

}  // namespace flopsprof::agent
