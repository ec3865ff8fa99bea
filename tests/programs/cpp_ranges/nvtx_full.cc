// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Everything that NVTX has, and what a program should not pass to it. One 8 x 8 x 8 product (1024
// flops) in each range, twice what is said below: two steps.
//
//   nvtx_full [DISTINCT]     so many ranges of different names besides, in a thread of their own
//
// Prints one JSON line.

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "injector/shims/cpp/flopsprof.h"
#include "tests/programs/cpp_ranges/products.h"

namespace {

nvtxEventAttributes_t Event(const char* name) {
  nvtxEventAttributes_t event = nvtxEventAttributes_t();
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name;
  return event;
}

struct Program {
  Products products;
  nvtxDomainHandle_t engine = nvtxDomainCreateA("engine");
  nvtxStringHandle_t prefill = nvtxDomainRegisterStringA(engine, "prefill");

  void Work() { products.Multiply(8, 8, 8); }

  void Good(int step) {
    nvtxEventAttributes_t decode = Event("decode");
    decode.category = 7;
    decode.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    decode.payload.llValue = step == 0 ? 30 : -12;
    nvtxRangePushEx(&decode);
    Work();
    nvtxMarkA("tick");
    nvtxRangePop();

    nvtxEventAttributes_t batch = Event("");
    batch.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    batch.message.registered = prefill;
    batch.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
    batch.payload.fValue = step == 0 ? 0.5f : 0.25f;
    nvtxDomainRangePushEx(engine, &batch);
    {
      FLOPSPROF_SCOPE_VALUE("inner", 5 + step);
      Work();
    }
    Work();
    nvtxEventAttributes_t evicted = Event("evicted");
    evicted.category = 3;
    evicted.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
    evicted.payload.uiValue = 0xffffffffu;
    nvtxDomainMarkEx(engine, &evicted);
    nvtxDomainRangePop(engine);

    // Two started ranges: the newer one ends on another thread, the older one is then the newest.
    const nvtxRangeId_t older = nvtxRangeStartA("older");
    const nvtxRangeId_t newer = nvtxRangeStartW(L"newer \u00fc");
    Work();
    std::thread([newer] { nvtxRangeEnd(newer); }).join();
    Work();
    nvtxRangeEnd(older);
    Work();  // (outside)
    flopsprof::mark("done");
  }

  void Bad() {
    nvtxRangePop();  // without a push
    nvtxRangePushEx(nullptr);
    Work();
    nvtxRangePop();
    nvtxEventAttributes_t small = Event("small");
    small.size = 8;
    nvtxRangePushEx(&small);
    Work();
    nvtxRangePop();
    nvtxRangePushA(nullptr);
    nvtxRangePop();
    const std::string large(10000, 'x');
    nvtxRangePushA(large.c_str());
    Work();
    nvtxRangePop();
    nvtxRangePushA("a\x1b[31m\x07\n\xff");
    Work();
    nvtxRangePop();
    const int64_t numbers[2] = {1, 2};
    nvtxPayloadData_t data = {0, sizeof(numbers), numbers};
    nvtxEventAttributes_t schema = Event("with a schema");
    schema.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    schema.reserved0 = 1;
    schema.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(&data);
    nvtxRangePushEx(&schema);
    Work();
    nvtxRangePop();
    nvtxRangePushPayload(engine, &data, 1);
    nvtxRangePopPayload(engine, nullptr, 0);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const int distinct = argc > 1 ? atoi(argv[1]) : 0;
  Program program;
  if (!program.products.Begin()) {
    fprintf(stderr, "nvtx_full: no GPU here\n");
    return 3;
  }
  nvtxNameCategoryA(7, "serving");
  nvtxDomainNameCategoryW(program.engine, 3, L"cache");
  nvtxNameOsThreadA(static_cast<uint32_t>(getpid()), "the thread");
  nvtxResourceAttributes_t resource = nvtxResourceAttributes_t();
  nvtxDomainResourceDestroy(nvtxDomainResourceCreate(program.engine, &resource));
  const nvtxPayloadSchemaAttr_t schema = {};
  const bool registered = nvtxPayloadSchemaRegister(program.engine, &schema) != 0;
  for (int step = 0; step < 2; ++step) {
    flopsprof::step();
    program.Good(step);
    program.Bad();
  }
  if (distinct > 0) {
    std::thread([distinct] {
      char name[32];
      for (int i = 0; i < distinct; ++i) {
        snprintf(name, sizeof(name), "range %d", i);
        nvtxRangePushA(name);
        nvtxRangePop();
      }
    }).join();
    // What the thread's ring could not hold is lost; from here on none is.
    for (int i = 0; i < 100; ++i) {
      const std::string name = "beyond " + std::to_string(i);
      nvtxRangePushA(name.c_str());
      program.Work();
      nvtxRangePop();
      nvtxMarkA(name.c_str());
    }
  }
  program.products.failures += cudaDeviceSynchronize();
  printf("{\"failures\": %d, \"schema\": %s}\n", program.products.failures,
         registered ? "true" : "false");
  return program.products.failures == 0 ? 0 : 1;
}
