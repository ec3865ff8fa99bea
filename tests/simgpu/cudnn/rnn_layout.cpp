// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "rnn_layout.h"

namespace sim::cudnn {
namespace {

struct Size {
  int32_t rows;
  int32_t columns;
  size_t elements() const { return static_cast<size_t>(rows) * columns; }
};

int32_t LinearLayers(const RnnShape& shape) { return 2 * shape.gates + (shape.projects ? 1 : 0); }

Size MatrixSize(const RnnShape& shape, int32_t pseudo_layer, int32_t linear_layer) {
  const bool first = pseudo_layer < shape.directions;
  if (linear_layer < shape.gates) {
    if (first && shape.skips_input) return {0, 0};
    return {shape.hidden_size, first ? shape.input_size : shape.output_size * shape.directions};
  }
  if (linear_layer < 2 * shape.gates) return {shape.hidden_size, shape.output_size};
  return {shape.output_size, shape.hidden_size};
}

size_t BiasElements(const RnnShape& shape, int32_t linear_layer) {
  const bool has = linear_layer < shape.gates       ? shape.input_bias
                   : linear_layer < 2 * shape.gates ? shape.recurrent_bias
                                                    : false;
  return has ? shape.hidden_size : 0;
}

size_t MatrixElements(const RnnShape& shape) {
  size_t elements = 0;
  for (int32_t pseudo = 0; pseudo < shape.layers * shape.directions; pseudo++) {
    for (int32_t linear = 0; linear < LinearLayers(shape); linear++) {
      elements += MatrixSize(shape, pseudo, linear).elements();
    }
  }
  return elements;
}

size_t BiasesPerPseudoLayer(const RnnShape& shape) {
  size_t elements = 0;
  for (int32_t linear = 0; linear < LinearLayers(shape); linear++) {
    elements += BiasElements(shape, linear);
  }
  return elements;
}

}  // namespace

size_t RnnWeightBytes(const RnnShape& shape) {
  const size_t pseudo_layers = static_cast<size_t>(shape.layers) * shape.directions;
  return (MatrixElements(shape) + pseudo_layers * BiasesPerPseudoLayer(shape)) *
         shape.element_bytes;
}

RnnParameter FindRnnParameter(const RnnShape& shape, int32_t pseudo_layer, int32_t linear_layer) {
  if (linear_layer >= LinearLayers(shape)) return {};
  size_t matrix = 0;
  size_t bias = MatrixElements(shape) + pseudo_layer * BiasesPerPseudoLayer(shape);
  for (int32_t pseudo = 0; pseudo <= pseudo_layer; pseudo++) {
    const int32_t end = pseudo < pseudo_layer ? LinearLayers(shape) : linear_layer;
    for (int32_t linear = 0; linear < end; linear++) {
      matrix += MatrixSize(shape, pseudo, linear).elements();
    }
  }
  for (int32_t linear = 0; linear < linear_layer; linear++) {
    bias += BiasElements(shape, linear);
  }
  const Size size = MatrixSize(shape, pseudo_layer, linear_layer);
  RnnParameter found;
  found.matrix_offset = matrix * shape.element_bytes;
  found.rows = size.rows;
  found.columns = size.columns;
  found.bias_offset = bias * shape.element_bytes;
  found.has_bias = BiasElements(shape, linear_layer) > 0;
  return found;
}

double RnnMacsPerToken(const RnnShape& shape) { return static_cast<double>(MatrixElements(shape)); }

}  // namespace sim::cudnn
