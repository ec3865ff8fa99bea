// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/cupti_api.h"

#include <dlfcn.h>
#include <string.h>

#include <initializer_list>

#include "injector/env_config.h"
#include "injector/loaded_objects.h"
#include "injector/real_loader.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kOldestVersion = 13;  // CUDA 11.0: records have the prefixes that we read

int MajorOfMappedCudart() {
  LibraryPath path;
  return FindLoadedLibrary("libcudart.so", 0, &path) ? MajorOfLibrary(path.text) : -1;
}

// The mapped libcupti; of several, the one of cudart's major version.
void* MappedCupti(int cuda_major) {
  LibraryPath path;
  void* first = nullptr;
  for (int n = 0; FindLoadedLibrary("libcupti.so", n, &path); ++n) {
    void* handle = OpenLoadedLibrary(path.text);
    const int major = MajorOfLibrary(path.text);
    if (handle != nullptr && (major == cuda_major || major < 0 || cuda_major < 0)) return handle;
    if (first == nullptr) first = handle;
  }
  return first;
}

bool Append(LibraryPath* path, const char* text) {
  const size_t used = strlen(path->text);
  const size_t bytes = strlen(text);
  if (used + bytes >= sizeof(path->text)) return false;
  memcpy(path->text + used, text, bytes + 1);
  return true;
}

void* CuptiIn(const char* folder, const char* relative, int cuda_major) {
  char name[] = "/libcupti.so.??";
  name[sizeof(name) - 3] = static_cast<char>('0' + cuda_major / 10 % 10);
  name[sizeof(name) - 2] = static_cast<char>('0' + cuda_major % 10);
  LibraryPath path{};
  if (!Append(&path, folder) || !Append(&path, relative) || !Append(&path, name)) return nullptr;
  return dlopen(path.text, RTLD_LAZY | RTLD_LOCAL);
}

// The toolkit that the mapped cudart belongs to: PyPI's wheels, or an installed toolkit.
void* CuptiBesideCudart(int cuda_major) {
  if (cuda_major < 10) return nullptr;
  LibraryPath cudart;
  if (FindLoadedLibrary("libcudart.so", 0, &cudart)) {
    if (char* slash = strrchr(cudart.text, '/')) {
      *slash = '\0';
      for (const char* relative : {"", "/../../cuda_cupti/lib", "/../extras/CUPTI/lib64"}) {
        if (void* handle = CuptiIn(cudart.text, relative, cuda_major)) return handle;
      }
    }
  }
  return CuptiIn("/usr/local/cuda", "/extras/CUPTI/lib64", cuda_major);
}

template <class F>
bool Load(void* library, const char* name, F* function) {
  *function = reinterpret_cast<F>(RealDlsym(library, name));
  return *function != nullptr;
}

bool LoadAll(void* library, CuptiApi* api) {
  Load(library, "cuptiGetResultString", &api->GetResultString);
  Load(library, "cuptiGetGraphId", &api->GetGraphId);
  Load(library, "cuptiGetGraphExecId", &api->GetGraphExecId);
  Load(library, "cuptiGetGraphNodeId", &api->GetGraphNodeId);
  return Load(library, "cuptiGetVersion", &api->GetVersion) &&
         Load(library, "cuptiGetTimestamp", &api->GetTimestamp) &&
         Load(library, "cuptiSubscribe", &api->Subscribe) &&
         Load(library, "cuptiUnsubscribe", &api->Unsubscribe) &&
         Load(library, "cuptiEnableCallback", &api->EnableCallback) &&
         Load(library, "cuptiActivityRegisterCallbacks", &api->ActivityRegisterCallbacks) &&
         Load(library, "cuptiActivityEnable", &api->ActivityEnable) &&
         Load(library, "cuptiActivityDisable", &api->ActivityDisable) &&
         Load(library, "cuptiActivityFlushAll", &api->ActivityFlushAll) &&
         Load(library, "cuptiActivityGetNextRecord", &api->ActivityGetNextRecord) &&
         Load(library, "cuptiActivityGetNumDroppedRecords", &api->ActivityGetNumDroppedRecords);
}

}  // namespace

int CudaMajorOfCupti(uint32_t version) {
  if (version >= 100000) return static_cast<int>(version / 10000);
  if (version >= 19) return 12;
  return version >= 13 ? 11 : 10;
}

const char* LoadCupti(CuptiApi* api) {
  const int cuda_major = MajorOfMappedCudart();
  void* library = MappedCupti(cuda_major);
  if (library == nullptr) {
    const char* chosen = CuptiPathFromUser();
    if (chosen != nullptr) library = dlopen(chosen, RTLD_LAZY | RTLD_LOCAL);
  }
  if (library == nullptr) library = CuptiBesideCudart(cuda_major);
  if (library == nullptr) return "no libcupti found";
  if (!LoadAll(library, api)) return "libcupti lacks a function";
  if (api->GetVersion(&api->version) != kCuptiSuccess) return "libcupti tells no version";
  if (api->version < kOldestVersion) return "libcupti is older than CUDA 11";
  if (cuda_major > 0 && CudaMajorOfCupti(api->version) != cuda_major) {
    return "libcupti is of another CUDA version than cudart";
  }
  return nullptr;
}

}  // namespace flopsprof::injector
