// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/cupti_api.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#include <initializer_list>

#include "injector/base/env_config.h"
#include "injector/base/loaded_objects.h"
#include "injector/base/real_loader.h"

namespace flopsprof::injector {

const char kNoCuptiYet[] =
    "no libcupti is mapped, nor beside a mapped library of CUDA; FLOPSPROF_CUPTI may name one";

namespace {

constexpr uint32_t kOldestVersion = 13;  // CUDA 11.0: records have the prefixes that we read

// The newest mapped cudart of a major version below `below`; -1: none. A library without a number
// in its name tells none.
int MajorOfMappedCudart(int below) {
  LibraryPath path;
  int newest = -1;
  for (int n = 0; FindLoadedLibrary("libcudart.so", n, &path); ++n) {
    const int major = MajorOfLibrary(path.text);
    if (major > newest && major < below) newest = major;
  }
  return newest;
}

// Of the mapped driver; 0: unknown. It initializes nothing.
int MajorOfDriver() {
  using GetVersion = int (*)(int* version);
  const auto get =
      reinterpret_cast<GetVersion>(FindInLoadedLibrary("libcuda.so", "cuDriverGetVersion"));
  int version = 0;
  return get != nullptr && get(&version) == 0 && version > 0 ? version / 1000 : 0;
}

// The mapped libcupti of this major version, or that tells none; -1: any.
void* MappedCupti(int cuda_major) {
  LibraryPath path;
  for (int n = 0; FindLoadedLibrary("libcupti.so", n, &path); ++n) {
    const int major = MajorOfLibrary(path.text);
    if (major != cuda_major && major >= 0 && cuda_major >= 0) continue;
    if (void* handle = OpenLoadedLibrary(path.text)) return handle;
  }
  return nullptr;
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
  const bool searched = *folder == '\0';  // by the loader: a name without a folder
  name[sizeof(name) - 3] = static_cast<char>('0' + cuda_major / 10 % 10);
  name[sizeof(name) - 2] = static_cast<char>('0' + cuda_major % 10);
  if (searched) return dlopen(name + 1, RTLD_LAZY | RTLD_LOCAL);
  LibraryPath path{};
  if (!Append(&path, folder) || !Append(&path, relative) || !Append(&path, name)) return nullptr;
  return dlopen(path.text, RTLD_LAZY | RTLD_LOCAL);
}

// The toolkit that a mapped library belongs to: PyPI's wheels, or an installed toolkit.
void* CuptiBeside(const char* library, int cuda_major) {
  LibraryPath path;
  if (!FindLoadedLibrary(library, 0, &path)) return nullptr;
  char* slash = strrchr(path.text, '/');
  if (slash == nullptr) return nullptr;
  *slash = '\0';
  for (const char* relative : {"", "/../../cuda_cupti/lib", "/../extras/CUPTI/lib64"}) {
    if (void* handle = CuptiIn(path.text, relative, cuda_major)) return handle;
  }
  return nullptr;
}

bool PythonRuns() {
  const auto running = reinterpret_cast<int (*)()>(RealDlsym(RTLD_DEFAULT, "Py_IsInitialized"));
  return running != nullptr && running() != 0;
}

// Of one major version: beside CUDA's other libraries, where the loader looks (LD_LIBRARY_PATH,
// ld.so.cache), in the usual folders of toolkits.
void* InstalledCupti(int cuda_major) {
  for (const char* library : {"libcudart.so", "libcublas.so", "libnvrtc.so", "libcudnn.so"}) {
    if (void* handle = CuptiBeside(library, cuda_major)) return handle;
  }
  if (PythonRuns()) return nullptr;
  if (void* handle = CuptiIn("", "", cuda_major)) return handle;
  char versioned[] = "/usr/local/cuda-??";
  versioned[sizeof(versioned) - 3] = static_cast<char>('0' + cuda_major / 10 % 10);
  versioned[sizeof(versioned) - 2] = static_cast<char>('0' + cuda_major % 10);
  for (const char* toolkit : {"/usr/local/cuda", static_cast<const char*>(versioned)}) {
    if (void* handle = CuptiIn(toolkit, "/extras/CUPTI/lib64", cuda_major)) return handle;
  }
  return nullptr;
}

// A program with a static cudart (nvcc's default) or without one tells no version: any CUPTI up to
// the driver's own will do, the newest first. With a mapped cudart it must be of its major version.
void* FindCupti(int cudart_major) {
  if (cudart_major > 0) return InstalledCupti(cudart_major);
  constexpr int kOldestMajor = 11;
  for (int major = MajorOfDriver(); major >= kOldestMajor; --major) {
    if (void* handle = InstalledCupti(major)) return handle;
  }
  return nullptr;
}

template <class F>
bool Load(void* library, const char* name, F* function) {
  *function = reinterpret_cast<F>(RealDlsym(library, name));
  return *function != nullptr;
}

bool LoadAll(void* library, CuptiApi* api) {
  Load(library, "cuptiGetResultString", &api->GetResultString);
  Load(library, "cuptiActivitySetAttribute", &api->ActivitySetAttribute);
  Load(library, "cuptiActivityGetAttribute", &api->ActivityGetAttribute);
  Load(library, "cuptiFinalize", &api->Finalize);
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

bool CuptiIsOfCuda(int cuda_major, uint32_t version) {
  // 11.8, 12.0 and 12.1 all say 18 (cupti_version.h).
  if (version == 18) return cuda_major == 11 || cuda_major == 12;
  if (version >= 100000) return static_cast<int>(version / 10000) == cuda_major;
  if (version > 18) return cuda_major == 12;
  return cuda_major == (version >= 13 ? 11 : 10);
}

namespace {

void* CuptiFor(int cuda_major) {
  void* library = MappedCupti(cuda_major);
  const char* chosen = library == nullptr ? CuptiPathFromUser() : nullptr;
  if (chosen != nullptr) library = dlopen(chosen, RTLD_LAZY | RTLD_LOCAL);
  return library != nullptr ? library : FindCupti(cuda_major);
}

const char* ProblemOf(void* library, int cuda_major, CuptiApi* api) {
  if (!LoadAll(library, api)) return "libcupti lacks a function";
  if (api->GetVersion(&api->version) != kCuptiSuccess) return "libcupti tells no version";
  if (api->version < kOldestVersion) return "libcupti is older than CUDA 11";
  if (cuda_major > 0 && !CuptiIsOfCuda(cuda_major, api->version)) {
    return "libcupti is of another CUDA version than cudart";
  }
  return nullptr;
}

// What is not used does not stay: it would stand in for the program's own.
const char* LoadFrom(void* library, int cuda_major, CuptiApi* api) {
  if (library == nullptr) {
    return PythonRuns() ? kNoCuptiYet : "no libcupti found";
  }
  const char* problem = ProblemOf(library, cuda_major, api);
  if (problem != nullptr) dlclose(library);
  return problem;
}

}  // namespace

// CUPTI sees the work of every cudart up to its own version, and a cudart that is newer than the
// driver does none: so the newest that the driver serves comes first.
const char* LoadCupti(CuptiApi* api) {
  const int driver = MajorOfDriver();
  int cuda_major = MajorOfMappedCudart(driver > 0 ? driver + 1 : INT_MAX);
  if (cuda_major < 0) cuda_major = MajorOfMappedCudart(INT_MAX);
  const char* problem = LoadFrom(CuptiFor(cuda_major), cuda_major, api);
  while (problem != nullptr && (cuda_major = MajorOfMappedCudart(cuda_major)) > 0) {
    if (LoadFrom(CuptiFor(cuda_major), cuda_major, api) == nullptr) return nullptr;
  }
  if (problem != nullptr && MappedCupti(-1) != nullptr) {
    // What is there says best why it is not used.
    return LoadFrom(MappedCupti(-1), MajorOfMappedCudart(INT_MAX), api);
  }
  return problem;
}

}  // namespace flopsprof::injector
