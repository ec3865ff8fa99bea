// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A libcudnn whose plans are numbers and compute nothing. What a plan's JSON is, CUDNN_JSON says:
// "refused", "refused later" (from the second plan that is asked on), a number of bytes of nonsense
// in front of the graph, or nothing. CUDNN_NAME_BYTES: so long is the name of a tensor in the
// graph. CUDNN_SAYS is its version. Operations are products of [4,8] and [8,2]; with CUDNN_PLANS
// each plan's JSON is of one of its own, [m,8] and [8,n] with m = 1 + plan % 200 and n = 1 + plan /
// 200.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char graph[] =
    "\"operationGraph\":{\"tensors\":[{\"name\":\"%0*d\",\"dim\":[%ld,8]},{\"name\":\"2\",\"dim\":"
    "[8,%ld]},{\"name\":\"3\",\"dim\":[%ld,%ld]}],\"nodes\":[{\"operation\":\"CUDNN_BACKEND_"
    "OPERATION_MATMUL_DESCRIPTOR\",\"matA\":\"1\",\"matB\":\"2\",\"matC\":\"3\"}]}}";
static long json_asked;

// How often plans were asked for their JSON.
long cudnn_json_asked(void) { return json_asked; }

struct tensor {
  int role;  // 0 ... 2: A, B, C
};

size_t cudnnGetVersion(void) {
  const char* version = getenv("CUDNN_SAYS");
  return version == NULL ? 92400 : (size_t)atol(version);
}

int cudnnBackendCreateDescriptor(int type, void** descriptor) {
  static struct tensor made[64];
  static int count;
  *descriptor = &made[count++ % 64];
  return 0;
}

static int give_product(struct tensor* from, int name, int64_t* count, void* elements) {
  static const int64_t sizes[3][2] = {{4, 8}, {8, 2}, {4, 2}};
  if (name >= 1520 && name <= 1522) {  // A, B, C of a product
    (*(struct tensor**)elements)->role = name - 1520;
    *count = 1;
    return 0;
  }
  if (name == 902) {  // sizes of a tensor
    memcpy(elements, sizes[from->role], sizeof sizes[0]);
    *count = 2;
    return 0;
  }
  if (name == 202) {  // configurations of heuristics
    *count = 1;
    return 0;
  }
  return 3000;
}

// A network of cuDNN 8: LSTM in both directions, 2 layers of 16, projected to 4. A descriptor of
// one time step is its number of sequences; a null one cannot be read.
int cudnnGetRNNDescriptor_v6(void* handle, void* network, int* hidden, int* layers, void** dropout,
                             int* input_mode, int* direction, int* cell, int* algorithm,
                             int* precision) {
  *hidden = 16;
  *layers = 2;
  *input_mode = *algorithm = *precision = 0;
  *direction = 1;
  *cell = 2;
  return 0;
}
int cudnnGetRNNProjectionLayers(void* handle, void* network, int* recurrent, int* output) {
  *recurrent = 4;
  *output = 0;
  return 0;
}
int cudnnGetRNNMatrixMathType(void* network, int* math) {
  *math = 1;
  return 0;
}
int cudnnGetTensorNdDescriptor(void* tensor, int room, int* type, int* rank, int* sizes,
                               int* strides) {
  *type = 2;  // half
  *rank = 3;
  sizes[0] = (int)(intptr_t)tensor;
  sizes[1] = 8;
  sizes[2] = 1;
  return 0;
}
int cudnnGetRNNDataDescriptor(void* data, int* type, int* layout, int* longest, int* batch,
                              int* width, int room, int* lengths, void* padding) {
  static const int all[] = {5, 3, 2};
  *type = 2;
  *batch = 3;
  *width = 8;
  memcpy(lengths, all, sizeof all);
  return 0;
}
int cudnnRNNForwardTraining(void* handle, void* network, int steps, void** x_descs, void* x,
                            void* a, void* b, void* c, void* d, void* e, void* w, void** y_descs,
                            void* y, void* f, void* hy, void* g, void* cy, void* work,
                            size_t work_bytes, void* reserve, size_t reserve_bytes) {
  return work_bytes == 77 && reserve_bytes == 88 ? 0 : 2000;
}
int cudnnRNNBackwardWeightsEx(void* handle, void* network, void* x_desc, void* x, void* a, void* b,
                              void* y_desc, void* y, void* work, size_t work_bytes, void* dw_desc,
                              void* dw, void* reserve, size_t reserve_bytes) {
  return work_bytes == 77 && reserve_bytes == 88 ? 0 : 2000;
}

static int execute(void* handle, void* plan, void* pack) { return 0; }
int cudnnBackendExecute(void* handle, void* plan, void* pack) __attribute__((alias("execute")));
// For who wants it without hooks: dlsym, too, gives them the hook.
int (*cudnn_execute_unhooked)(void*, void*, void*) = execute;

int cudnnBackendPopulateCudaGraph(void* handle, void* plan, void* pack, void* graph) { return 0; }
int cudnnBackendDestroyDescriptor(void* descriptor) { return 0; }
int cudnnBackendSetAttribute(void* d, int name, int type, int64_t count, void* elements) {
  return 0;
}

int cudnnBackendGetAttribute(void* descriptor, int name, int type, int64_t room, int64_t* count,
                             void* elements) {
  if (name != 405) return give_product(descriptor, name, count, elements);
  const char* how = getenv("CUDNN_JSON");
  if (how != NULL && strcmp(how, "refused") == 0) return 3000;
  const size_t padding = how == NULL ? 0 : (size_t)atol(how);
  const long plan = (long)descriptor / 16;
  const bool each = getenv("CUDNN_PLANS") != NULL;
  const long m = each ? 1 + plan % 200 : 4, n = each ? 1 + plan / 200 : 2;
  const char* wide = getenv("CUDNN_NAME_BYTES");
  const int name_bytes = wide == NULL ? 1 : atoi(wide);
  static char its_graph[sizeof graph + (1 << 20)];
  const size_t graph_bytes = (size_t)sprintf(its_graph, graph, name_bytes, 1, m, n, m, n);
  ++json_asked;
  if (how != NULL && strcmp(how, "refused later") == 0 && json_asked > 2) return 3000;
  *count = (int64_t)(padding + graph_bytes + 10);
  if (elements == NULL || room < *count) return 0;
  char* text = elements;
  text += sprintf(text, "{\"code\":\"");
  memset(text, 'x', padding);
  text += padding;
  memcpy(text, "\",", 2);
  memcpy(text + 2, its_graph, graph_bytes);
  return 0;
}
