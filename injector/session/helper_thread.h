// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The injector's thread. It exists only while a session does, has all signals blocked, and
// is the only one that flushes or stops CUPTI: whoever needs that done asks it and waits a
// bounded time, so that a CUPTI that hangs never hangs the program.

#include <stdint.h>

namespace flopsprof::injector {

enum HelperRequest : uint32_t {
  kRequestFlush = 1,      // everything that CUPTI has, complete or not
  kRequestStopCupti = 2,  // give CUPTI up
  kRequestDevices = 4,    // describe devices that are new
};

// What the thread does; implemented by the session, replaced in tests.
struct HelperWork {
  // Waits for the agent's welcome when it did not come in time. False: end the thread.
  bool (*finish_connecting)();
  void (*handle)(uint32_t requests);  // HelperRequest bits
  void (*tick)();                     // once a second
  bool (*agent_has_gone)();           // or does not come any more
  bool (*on_agent_gone)();            // false: the thread ends after it
  void (*on_end)() = nullptr;         // the last thing that the thread does
};

// Starts the thread. False: no thread.
bool StartHelperThread(const HelperWork& work);

// Asks the thread; waits for the answer, at most so long. False: not done in time. Where no
// thread could be made the caller does the work itself.
bool AskHelper(uint32_t requests, uint64_t timeout_ns);

// In the child of a fork there is no helper.
void ForgetHelperInForkedChild();

}  // namespace flopsprof::injector
