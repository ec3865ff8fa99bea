// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `flopsprof attach` and the injector share in a process that was started without us: the
// argument of flopsprof_attach, which a borrowed thread calls, and flopsprof_attach_status, which
// is read from outside.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::shm {

constexpr uint32_t kAttachVersion = 1;
constexpr size_t kAttachSettingsBytes = 12288;

// In place of the environment, which the program may be changing: what the injector would read
// there, with FLOPSPROF_SOCKET, as "NAME=value" with a zero byte behind each.
struct AttachRequest {
  uint32_t version;
  uint32_t settings_bytes;
  char settings[kAttachSettingsBytes];
};
static_assert(sizeof(AttachRequest) == 12296);

enum class AttachState : uint32_t {
  kNever = 0,
  kActive = 1,  // from the call until all is given back
  kInert = 2,   // everything was given back: it may be attached again
  kForked = 3,  // the child of a process that was attached: it is left alone
};

struct AttachStatus {
  uint32_t version;
  uint32_t state;     // AttachState
  uint32_t sessions;  // that were asked for
  uint32_t reserved;
};
static_assert(sizeof(AttachStatus) == 16);

// What flopsprof_attach returns, besides 0 and the negative of an errno: a thread could not be
// made, for instance.
constexpr int64_t kAttachIsActive = -1001;    // another one holds the process
constexpr int64_t kAttachIsPrepared = -1002;  // the process was started under flopsprof
constexpr int64_t kAttachIsForked = -1003;
constexpr int64_t kAttachOtherVersion = -1004;

}  // namespace flopsprof::shm
