// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/definitions.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace flopsprof::agent {
namespace {

const std::string kNameLost = "(name lost)";

// As nvidia-smi prints it; "" when the process did not know it.
std::string UuidText(const uint8_t (&uuid)[16]) {
  bool any = false;
  for (uint8_t byte : uuid) any = any || byte != 0;
  if (!any) return "";
  std::string hex =
      absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(uuid), sizeof uuid));
  const auto part = [&hex](size_t from, size_t count) { return hex.substr(from, count); };
  return absl::StrCat("GPU-", part(0, 8), "-", part(8, 4), "-", part(12, 4), "-", part(16, 4), "-",
                      part(20, 12));
}

}  // namespace

void Definitions::AddScope(const shm::ScopeRecord& record) {
  if (const uint32_t row = scopes_.FindOrAdd(record.scope); row != kNoRow) {
    scopes_.Change(row) = record;
  }
}

void Definitions::AddModule(const shm::ModuleRecord& record) {
  const uint32_t row = modules_.FindOrAdd({record.root_scope, record.path});
  if (row != kNoRow) modules_.Change(row) = record;
}

void Definitions::AddModuleSizes(const shm::ModuleSizes& record) {
  const uint32_t row = module_sizes_.FindOrAdd({record.root_scope, record.path});
  if (row != kNoRow) module_sizes_.Change(row) = record;
}

void Definitions::AddModuleAlias(const shm::ModuleAlias& record) {
  const uint32_t row = module_aliases_.FindOrAdd({record.root_scope, record.alias});
  if (row != kNoRow) module_aliases_.Change(row) = record;
}

void Definitions::AddDevice(const shm::DeviceRecord& record) {
  if (const uint32_t row = devices_.FindOrAdd(record.ordinal); row != kNoRow) {
    devices_.Change(row) = record;
  }
}

void Definitions::AddNote(const shm::NoteRecord& record) {
  if (notes_.size() >= kMaxNotes) {
    notes_refused_count_++;
    return;
  }
  notes_.push_back(record);
}

const std::string* Definitions::NameOf(const NameTable& names, uint32_t id, bool final) {
  const std::string* name = names.Find(id);
  if (name != nullptr || !final) return name;
  names_lost_count_++;
  return &kNameLost;
}

size_t Definitions::Emit(const NameTable& names, size_t max, bool final,
                         v1::ProcessProfile* profile) {
  size_t emitted = EmitScopes(names, max, final, profile);
  emitted += EmitModules(names, max - emitted, final, profile);
  emitted += EmitModuleSizes(names, max - emitted, final, profile);
  emitted += EmitModuleAliases(names, max - emitted, final, profile);
  emitted += EmitDevices(names, max - emitted, final, profile);
  emitted += EmitNotes(names, max - emitted, final, profile);
  return emitted;
}

size_t Definitions::EmitScopes(const NameTable& names, size_t max, bool final,
                               v1::ProcessProfile* profile) {
  return scopes_.EmitChanged(max, [&](uint32_t id, const shm::ScopeRecord& record) {
    const std::string* name = NameOf(names, record.name, final);
    const std::string* class_name = NameOf(names, record.class_name, final);
    const std::string* domain = NameOf(names, record.domain, final);
    if (name == nullptr || class_name == nullptr || domain == nullptr) return false;
    v1::Scope* out = profile->add_scopes();
    out->set_id(id);
    out->set_parent(record.parent);
    out->set_kind(static_cast<v1::ScopeKind>(record.kind));
    out->set_name(*name);
    out->set_class_name(*class_name);
    out->set_domain(*domain);
    out->set_object(record.object);
    out->set_known(record.known != 0);
    return true;
  });
}

size_t Definitions::EmitModules(const NameTable& names, size_t max, bool final,
                                v1::ProcessProfile* profile) {
  return modules_.EmitChanged(max, [&](const auto&, const shm::ModuleRecord& record) {
    const std::string* path = NameOf(names, record.path, final);
    const std::string* class_name = NameOf(names, record.class_name, final);
    if (path == nullptr || class_name == nullptr) return false;
    v1::Module* out = profile->add_modules();
    out->set_root_scope(record.root_scope);
    out->set_path(*path);
    out->set_class_name(*class_name);
    out->set_object(record.object);
    out->set_order(record.order);
    out->set_own_params(record.own_params);
    out->set_total_params(record.total_params);
    out->set_trainable_params(record.trainable_params);
    return true;
  });
}

size_t Definitions::EmitModuleSizes(const NameTable& names, size_t max, bool final,
                                    v1::ProcessProfile* profile) {
  return module_sizes_.EmitChanged(max, [&](const auto&, const shm::ModuleSizes& record) {
    const std::string* path = NameOf(names, record.path, final);
    const std::string* weights = NameOf(names, record.weights, final);
    if (path == nullptr || weights == nullptr) return false;
    v1::ModuleSizes* out = profile->add_module_sizes();
    out->set_root_scope(record.root_scope);
    out->set_path(*path);
    out->set_local_params(record.local_params);
    out->set_buffers(record.buffers);
    out->set_expert_params(record.expert_params);
    out->set_active_params(record.active_params);
    out->set_param_bytes(record.param_bytes);
    if (weights->empty()) return true;
    v1::ModuleWeights* shapes = profile->add_module_weights();
    shapes->set_root_scope(record.root_scope);
    shapes->set_path(*path);
    shapes->set_weights(*weights);
    return true;
  });
}

size_t Definitions::EmitModuleAliases(const NameTable& names, size_t max, bool final,
                                      v1::ProcessProfile* profile) {
  return module_aliases_.EmitChanged(max, [&](const auto&, const shm::ModuleAlias& record) {
    const std::string* alias = NameOf(names, record.alias, final);
    const std::string* path = NameOf(names, record.path, final);
    if (alias == nullptr || path == nullptr) return false;
    v1::ModuleAlias* out = profile->add_module_aliases();
    out->set_root_scope(record.root_scope);
    out->set_alias(*alias);
    out->set_path(*path);
    return true;
  });
}

size_t Definitions::EmitDevices(const NameTable& names, size_t max, bool final,
                                v1::ProcessProfile* profile) {
  return devices_.EmitChanged(max, [&](uint32_t ordinal, const shm::DeviceRecord& record) {
    const std::string* name = NameOf(names, record.name, final);
    if (name == nullptr) return false;
    v1::Device* out = profile->add_devices();
    out->set_ordinal(ordinal);
    out->set_name(*name);
    out->set_uuid(UuidText(record.uuid));
    out->set_major(record.major);
    out->set_minor(record.minor);
    out->set_sm_count(record.sm_count);
    out->set_clock_khz(record.clock_khz);
    out->set_memory_bytes(record.memory_bytes);
    return true;
  });
}

size_t Definitions::EmitNotes(const NameTable& names, size_t max, bool final,
                              v1::ProcessProfile* profile) {
  size_t emitted = 0;
  while (!notes_.empty() && emitted < max) {
    const std::string* key = NameOf(names, notes_.front().key, final);
    const std::string* value = NameOf(names, notes_.front().value, final);
    if (key == nullptr || value == nullptr) break;
    if (*key == "simulated") simulated_ = *value != "0" && !value->empty();
    (*profile->mutable_notes())[*key] = *value;
    notes_.pop_front();
    emitted++;
  }
  return emitted;
}

uint64_t Definitions::refused_count() const {
  return scopes_.refused_count() + modules_.refused_count() + module_sizes_.refused_count() +
         module_aliases_.refused_count() + devices_.refused_count() + notes_refused_count_;
}

}  // namespace flopsprof::agent
