// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The edges of the module trie (module_trie.h): a table by (parent scope, address of the child). It
// knows of an edge only what it holds, not whether it is still right. Needs Python's lock.

#include <stdint.h>

#include "injector/base/growing_table.h"
#include "injector/python/python_api.h"

namespace flopsprof::injector {

inline uint32_t HashAddress(const void* address, uint32_t salt) {
  const uint64_t hash = (reinterpret_cast<uintptr_t>(address) >> 4) * 0x9E3779B97F4A7C15ull ^
                        salt * 0xC2B2AE3D27D4EB4Full;
  return static_cast<uint32_t>(hash >> 32) ^ static_cast<uint32_t>(hash);
}

enum class EdgeKind : uint8_t {
  kNew,        // not resolved yet
  kNamed,      // found by attribute names from the parent or from the anchor
  kRoot,       // no living parent
  kUnknown,    // called under a module that does not contain it: "?Class"
  kInherited,  // no module of the user's (a compiled graph): part of whoever calls it
  kAlias,      // replica of another module on another device: shares its scope
};

struct ModuleEdge {
  PyObject* child;    // an address, never followed
  PyObject* type;     // an address, never followed
  PyObject* anchor;   // weak reference to where the keys start; null: at the parent
  union {             // attribute names, owned
    PyObject* key;    // of one
    PyObject** keys;  // of more
  };
  uint32_t parent;
  uint32_t scope;       // 0: not entered yet
  uint32_t root_scope;  // first scope above that has no parent
  uint32_t generation;  // outermost call that checked it last
  uint32_t registrations;
  uint32_t next;      // in the table
  uint32_t follower;  // edge of the call that came after the last call of this one; 0: none yet
  uint16_t key_count;
  EdgeKind kind;

  uint32_t Hash() const { return HashAddress(child, parent); }
  PyObject* const* Keys() const { return key_count == 1 ? &key : keys; }

  // Starts at the parent, with these names; its scope is not known yet. False: no memory.
  bool SetPath(PyObject* const* names, uint32_t count);
  void ClearPath();
  // Python has ended: names and anchor are gone.
  void ForgetPath();
};
static_assert(sizeof(ModuleEdge) == 64, "one cache line");

class ModuleEdges {
 public:
  ModuleEdge& at(uint32_t index) { return table_.at(index); }
  uint32_t count() const { return table_.count(); }
  bool full() const { return table_.full(); }

  // 0: there is none.
  uint32_t Find(uint32_t parent, PyObject* child) {
    uint32_t index = table_.First(HashAddress(child, parent));
    while (index != 0 && !IsOf(index, parent, child)) index = at(index).next;
    return index;
  }

  // Index of the edge, made when missing; 0: no memory. Calls come in the order of the last time:
  // the edge that came next then is looked at before the table, and has been asked into the cache.
  uint32_t FindOrAdd(uint32_t parent, PyObject* child) {
    uint32_t index = newest_ == 0 ? 0 : at(newest_).follower;
    if (index == 0 || !IsOf(index, parent, child)) {
      index = Find(parent, child);
      if (index == 0) index = Add(parent, child);
      if (index == 0) return 0;
      if (newest_ != 0) at(newest_).follower = index;
    }
    newest_ = index;
    __builtin_prefetch(&at(at(index).follower));
    return index;
  }

  // Every edge of this child, under any parent, is resolved anew; but for replicas.
  void LetResolveAgain(PyObject* child);

  void Clear();
  // Python has ended.
  void Forget();

 private:
  static constexpr uint32_t kMaxEdges = 1u << 20;  // then the trie starts again

  bool IsOf(uint32_t index, uint32_t parent, PyObject* child) const {
    const ModuleEdge& edge = table_.at(index);
    return edge.child == child && edge.parent == parent;
  }
  uint32_t Add(uint32_t parent, PyObject* child);

  GrowingTable<ModuleEdge, kMaxEdges> table_;
  uint32_t newest_ = 0;  // edge of the newest call; 0: none yet
};

}  // namespace flopsprof::injector
