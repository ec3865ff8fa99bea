// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A libcupti that says no. CUPTI_SAYS chooses how: taken, old, other_major, refuse_kernels,
// no_callbacks, error; anything else: yes, and no record ever.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cupti_calls;             // that a late caller could make
volatile int cupti_flushes;  // that are running

static unsigned flush_ms(void) {
  const char* chosen = getenv("CUPTI_FLUSH_MS");
  return chosen != NULL ? (unsigned)atoi(chosen) : 0;
}

static int says(const char* what) {
  const char* chosen = getenv("CUPTI_SAYS");
  return chosen != NULL && strcmp(chosen, what) == 0;
}

int cuptiGetVersion(uint32_t* version) {
  *version = says("old") ? 12 : says("other_major") ? 24 : 130001;
  return 0;
}
int cuptiGetTimestamp(uint64_t* now) {
  ++cupti_calls;
  *now = 1;
  return 0;
}
int cuptiSubscribe(void** subscriber, void* callback, void* data) {
  *subscriber = subscriber;
  return says("taken") ? 39 : says("error") ? 999 : 0;
}
int cuptiUnsubscribe(void* subscriber) {
  ++cupti_calls;
  return 0;
}
int cuptiEnableCallback(uint32_t enable, void* subscriber, int domain, uint32_t cbid) {
  return says("no_callbacks") ? 1 : 0;
}
int cuptiActivityRegisterCallbacks(void* requested, void* completed) { return 0; }
int cuptiActivityEnable(uint32_t kind) { return says("refuse_kernels") && kind == 10 ? 35 : 0; }
int cuptiActivityDisable(uint32_t kind) { return 0; }
int cuptiActivityFlushAll(uint32_t flags) {
  ++cupti_calls;
  ++cupti_flushes;
  usleep(flush_ms() * 1000);
  --cupti_flushes;
  ++cupti_calls;  // its end
  return 0;
}
int cuptiActivityGetNextRecord(uint8_t* buffer, size_t bytes, uint8_t** record) { return 12; }
int cuptiActivityGetNumDroppedRecords(void* context, uint32_t stream, size_t* dropped) {
  *dropped = 0;
  return 0;
}
