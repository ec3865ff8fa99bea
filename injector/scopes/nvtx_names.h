// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names of NVTX events: texts in all their forms, handles of domains and of registered strings,
// names of categories. All tables are bounded. A name without room becomes "(other)" and is counted
// as kScopeTableFull.

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "injector/scopes/nvtx_types.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/scopes.h"

namespace flopsprof::injector {

// A text of the caller's, or of `buffer`: valid until the call that brought it returns.
struct NvtxName {
  const char* text;
  size_t bytes;
  char buffer[kMaxScopeNameBytes + 8];  // for wide text; longer than a name, so that a cut is seen
};

// Null is "".
void SetAscii(NvtxName* name, const char* text);
void SetWide(NvtxName* name, const wchar_t* text);

// Message, category and number of an event; all but the first where it has any. What cannot be
// read (no attributes, an older or smaller struct, a handle from before us, a payload with a
// schema) is left out and counted once as kNvtxDropped.
void ReadEvent(const char* domain, const nvtx::EventAttributes* event, NvtxName* name,
               RangeFacts* facts);

// What a domain handle points at; null is the default domain.
struct NvtxDomain;
const NvtxDomain* FindOrAddDomain(const NvtxName& name);
const char* NameOf(const NvtxDomain* domain);  // interned; null for the default domain
// True for the domain of one of NVIDIA's libraries, whose calls are seen anyway.
bool IsIgnored(const NvtxDomain* domain);

// Handle of a registered string.
const void* FindOrAddRegistered(const NvtxName& name);

void NameCategory(const char* domain, uint32_t category, const NvtxName& name);

}  // namespace flopsprof::injector
