// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "collector/agent/tables/name_table.h"
#include "collector/agent/tables/row_set.h"
#include "flopsprof/v1/profile.pb.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// What a process says about its scopes, modules, devices and itself. Names may come after their
// use: what lacks one is sent later, or with "(name lost)" at the end. One thread.
class Definitions {
 public:
  void AddScope(const shm::ScopeRecord& record);
  void AddModule(const shm::ModuleRecord& record);
  void AddModuleSizes(const shm::ModuleSizes& record);
  void AddModuleAlias(const shm::ModuleAlias& record);
  void AddDevice(const shm::DeviceRecord& record);
  void AddNote(const shm::NoteRecord& record);

  // Appends at most `max` new or changed ones; returns how many.
  size_t Emit(const NameTable& names, size_t max, bool final, v1::ProcessProfile* profile);

  bool simulated() const { return simulated_; }
  uint64_t names_lost_count() const { return names_lost_count_; }
  uint64_t refused_count() const;

 private:
  static constexpr size_t kMaxScopes = 1 << 20;
  static constexpr size_t kMaxModules = 1 << 20;
  static constexpr size_t kMaxDevices = 64;
  static constexpr size_t kMaxNotes = 1 << 12;

  // The text, or null to wait for it; never null when `final`.
  const std::string* NameOf(const NameTable& names, uint32_t id, bool final);
  size_t EmitScopes(const NameTable& names, size_t max, bool final, v1::ProcessProfile* profile);
  size_t EmitModules(const NameTable& names, size_t max, bool final, v1::ProcessProfile* profile);
  size_t EmitModuleSizes(const NameTable& names, size_t max, bool final,
                         v1::ProcessProfile* profile);
  size_t EmitModuleAliases(const NameTable& names, size_t max, bool final,
                           v1::ProcessProfile* profile);
  size_t EmitDevices(const NameTable& names, size_t max, bool final, v1::ProcessProfile* profile);
  size_t EmitNotes(const NameTable& names, size_t max, bool final, v1::ProcessProfile* profile);

  RowSet<uint32_t, shm::ScopeRecord> scopes_{kMaxScopes};
  // By root scope and path: the receiver's key.
  RowSet<std::pair<uint32_t, uint32_t>, shm::ModuleRecord> modules_{kMaxModules};
  RowSet<std::pair<uint32_t, uint32_t>, shm::ModuleSizes> module_sizes_{kMaxModules};
  // By root scope and alias.
  RowSet<std::pair<uint32_t, uint32_t>, shm::ModuleAlias> module_aliases_{kMaxModules};
  RowSet<uint32_t, shm::DeviceRecord> devices_{kMaxDevices};
  std::deque<shm::NoteRecord> notes_;  // not sent yet, in their order: the newest of a key counts
  bool simulated_ = false;
  uint64_t names_lost_count_ = 0;
  uint64_t notes_refused_count_ = 0;
};

}  // namespace flopsprof::agent
