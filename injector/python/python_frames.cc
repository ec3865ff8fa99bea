// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Layouts: CPython's Include/cpython/{pystate,code,unicodeobject}.h, frameobject.h and
// Include/internal/pycore_frame.h of 3.8 to 3.15, builds with the GIL.
#include "injector/python/python_frames.h"

#include <dlfcn.h>
#include <string.h>

#include <atomic>

#include "injector/base/utf8.h"
#include "injector/python/python_api.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kNone = 0xffffffffu;

// Offsets in bytes.
struct Layout {
  int minor;
  uint32_t state_frame;     // thread state -> innermost frame, or what holds it
  uint32_t holder_frame;    // 3.11, 3.12: C frame -> innermost frame; kNone: no holder
  uint32_t frame_previous;  // frame -> the one outside
  uint32_t frame_code;
  uint32_t code_line;
  uint32_t code_file;
  uint32_t code_name;   // qualified from 3.11 on
  uint32_t text_ascii;  // str object -> characters, if all are ASCII
  uint32_t text_other;  // the same, if not
};

constexpr Layout kLayouts[] = {
    {8, 24, kNone, 24, 32, 40, 104, 112, 48, 72},  {9, 24, kNone, 24, 32, 40, 104, 112, 48, 72},
    {10, 24, kNone, 24, 32, 40, 104, 112, 48, 72}, {11, 56, 8, 48, 32, 72, 112, 128, 48, 72},
    {12, 56, 0, 8, 0, 68, 112, 128, 40, 56},       {13, 72, kNone, 8, 0, 68, 112, 128, 40, 56},
    {14, 72, kNone, 8, 0, 68, 112, 128, 40, 56},   {15, 72, kNone, 8, 0, 68, 112, 128, 40, 56},
};

// In a str object: length, then after its hash the state bits.
constexpr uint32_t kTextLength = 16;
constexpr uint32_t kTextState = 32;

const Layout* g_layout;  // published by g_ready
std::atomic<bool> g_ready{false};
PyObject* g_code_type;
uintptr_t g_loop;
void* (*g_this_thread_state)();

template <class T>
T At(uintptr_t object, uint32_t offset) {
  T value;
  memcpy(&value, reinterpret_cast<const void*>(object + offset), sizeof(value));
  return value;
}

uintptr_t InnermostFrame(const Layout& layout) {
  const auto state = reinterpret_cast<uintptr_t>(g_this_thread_state());
  if (state == 0) return 0;
  auto frame = At<uintptr_t>(state, layout.state_frame);
  if (frame != 0 && layout.holder_frame != kNone) {
    frame = At<uintptr_t>(frame, layout.holder_frame);
  }
  return frame;
}

// Entries of the interpreter from C have frames of their own from 3.12 on: there with a code object
// that is no function's, later without any.
bool IsEntry(const Layout& layout, uintptr_t frame) {
  constexpr uint32_t kOwner = 70;
  constexpr uint8_t kOwnedByCStack = 3;
  return layout.minor == 12 && At<uint8_t>(frame, kOwner) == kOwnedByCStack;
}

bool IsCode(uintptr_t object) {
  return object != 0 && At<uintptr_t>(object, 8) == reinterpret_cast<uintptr_t>(g_code_type);
}

uint32_t Read(const Layout& layout, PythonFrame* frames, uint32_t capacity, bool* cut) {
  constexpr uint32_t kMostSteps = 1 << 16;
  *cut = false;
  uint32_t count = 0;
  uintptr_t frame = InnermostFrame(layout);
  for (uint32_t step = 0; frame != 0; ++step) {
    // From 3.14 on the low bits say whether the frame holds a reference.
    const uintptr_t code = At<uintptr_t>(frame, layout.frame_code) & ~uintptr_t{3};
    if (!IsEntry(layout, frame) && IsCode(code)) {
      if (count == capacity || step == kMostSteps) {
        *cut = true;
        return count;
      }
      const auto name = At<uintptr_t>(code, layout.code_name);
      const auto line = At<uint32_t>(code, layout.code_line);
      frames[count++] = {code, name ^ uintptr_t{line} << 48};
    }
    frame = At<uintptr_t>(frame, layout.frame_previous);
  }
  return count;
}

// A str object's text, as much as fits.
size_t CopyText(const Layout& layout, uintptr_t text, char* out, size_t capacity) {
  if (text == 0) return 0;
  const auto length = At<intptr_t>(text, kTextLength);
  const auto state = At<uint32_t>(text, kTextState);
  const uint32_t width = state >> 2 & 7;  // bytes a character
  const bool compact = (state >> 5 & 1) != 0;
  const bool ascii = (state >> 6 & 1) != 0;
  if (!compact || length < 0 || (width != 1 && width != 2 && width != 4)) return 0;
  const uintptr_t characters = text + (ascii ? layout.text_ascii : layout.text_other);
  size_t bytes = 0;
  for (intptr_t i = 0; i < length && bytes + 4 <= capacity; ++i) {
    const uintptr_t at = characters + static_cast<uintptr_t>(i) * width;
    const uint32_t c = width == 1   ? At<uint8_t>(at, 0)
                       : width == 2 ? At<uint16_t>(at, 0)
                                    : At<uint32_t>(at, 0);
    bytes += EncodeUtf8(c, out + bytes);
  }
  return bytes;
}

// An attribute, or null with no error left behind.
PyObject* Get(PyObject* object, const char* name) {
  PyObject* value = g_python.PyObject_GetAttrString(object, name);
  if (value == nullptr) g_python.PyErr_Clear();
  return value;
}

bool IsAttribute(PyObject* object, const char* name, uintptr_t expected) {
  PyObject* value = Get(object, name);
  const bool same = value != nullptr && reinterpret_cast<uintptr_t>(value) == expected;
  g_python.DecRef(value);
  return same;
}

bool DescribesCode(const Layout& layout, PyObject* code) {
  const auto address = reinterpret_cast<uintptr_t>(code);
  const auto name = At<uintptr_t>(address, layout.code_name);
  const auto file = At<uintptr_t>(address, layout.code_file);
  if (!IsAttribute(code, layout.minor >= 11 ? "co_qualname" : "co_name", name)) return false;
  if (!IsAttribute(code, "co_filename", file)) return false;
  PyObject* line = Get(code, "co_firstlineno");
  const bool same_line =
      line != nullptr && g_python.PyLong_AsLong(line) == At<int32_t>(address, layout.code_line);
  g_python.DecRef(line);
  if (!same_line) return false;
  // What this reads of the text beside what Python says.
  intptr_t bytes = 0;
  const char* text = g_python.PyUnicode_AsUTF8AndSize(reinterpret_cast<PyObject*>(file), &bytes);
  if (text == nullptr) {
    g_python.PyErr_Clear();  // a name that is no text: the layout is not refused for it
    return true;
  }
  char copy[512];
  const size_t copied = CopyText(layout, file, copy, sizeof(copy));
  return copied <= static_cast<size_t>(bytes) && memcmp(copy, text, copied) == 0 &&
         (copied == static_cast<size_t>(bytes) || copied + 8 > sizeof(copy));
}

// Walks Python's own way along the first frames.
bool AgreesWithPython(const Layout& layout, PyObject* innermost) {
  constexpr uint32_t kCompared = 16;
  PythonFrame frames[kCompared];
  bool cut = false;
  const uint32_t count = Read(layout, frames, kCompared, &cut);
  PyObject* frame = innermost;
  g_python.Py_IncRef(frame);
  bool agrees = count > 0;
  for (uint32_t i = 0; agrees && i < count; ++i) {
    PyObject* code = frame == g_python.none ? nullptr : Get(frame, "f_code");
    agrees = code != nullptr && reinterpret_cast<uintptr_t>(code) == frames[i].code &&
             DescribesCode(layout, code);
    g_python.DecRef(code);
    PyObject* back = agrees ? Get(frame, "f_back") : nullptr;
    g_python.DecRef(frame);
    frame = back;
    if (frame == nullptr) agrees = false;
  }
  if (agrees && !cut) agrees = frame == g_python.none;
  g_python.DecRef(frame);
  return agrees;
}

}  // namespace

const char* PreparePythonFrames() {
  const Layout* layout = nullptr;
  for (const Layout& known : kLayouts) {
    if (known.minor == g_python.minor) layout = &known;
  }
  if (layout == nullptr) return "frames of this Python are not known";
  g_code_type = static_cast<PyObject*>(dlsym(RTLD_DEFAULT, "PyCode_Type"));
  g_this_thread_state =
      reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  const auto get_frame = reinterpret_cast<PyObject* (*)()>(dlsym(RTLD_DEFAULT, "PyEval_GetFrame"));
  if (g_code_type == nullptr || g_this_thread_state == nullptr || get_frame == nullptr) {
    return "Python without the functions that frames need";
  }
  PyObject* innermost = get_frame();  // borrowed
  if (innermost == nullptr) return "no Python function was running";
  if (!AgreesWithPython(*layout, innermost)) return "frames of this Python lie otherwise";
  g_loop = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault"));
  g_layout = layout;
  g_ready.store(true, std::memory_order_release);
  return nullptr;
}

bool PythonFramesAreReadable() { return g_ready.load(std::memory_order_acquire); }

uintptr_t PythonLoop() { return PythonFramesAreReadable() ? g_loop : 0; }

uint32_t ReadPythonFrames(PythonFrame* frames, uint32_t capacity, bool* cut) {
  *cut = false;
  const bool running = PythonFramesAreReadable() && g_python.Py_IsInitialized() != 0;
  return running ? Read(*g_layout, frames, capacity, cut) : 0;
}

void DescribePythonCode(uintptr_t code, PythonCode* description) {
  const Layout& layout = *g_layout;
  description->name_bytes = CopyText(layout, At<uintptr_t>(code, layout.code_name),
                                     description->name, sizeof(description->name));
  description->file_bytes = CopyText(layout, At<uintptr_t>(code, layout.code_file),
                                     description->file, sizeof(description->file));
  description->line = At<uint32_t>(code, layout.code_line);
}

const PythonReader kPythonFrames = {PreparePythonFrames, PythonLoop, ReadPythonFrames,
                                    DescribePythonCode};

}  // namespace flopsprof::injector
