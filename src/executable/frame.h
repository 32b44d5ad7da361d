// One run of a plan: where its values lie.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sidra::executable {

enum class BufferKind { kInput, kOutput, kArena, kConstant, kSlot };
const char* buffer_kind_name(BufferKind kind);  // "input", ...

// A place in a buffer: a tensor given or made in a run, or the arena.
struct Place {
  BufferKind kind;
  int64_t index;   // of the buffer; 0 for the arena
  int64_t offset;  // bytes
};

// A tensor that lies at a place, with strides in elements.
struct View {
  Place place;
  at::ScalarType dtype;
  std::vector<int64_t> sizes, strides;

  std::string text() const;  // "float32[2, 3] in arena"
};

struct Frame {
  at::Tensor arena;  // bytes; undefined when a plan needs none
  std::vector<at::Tensor> inputs, outputs, slots;
  const std::vector<at::Tensor>* constants = nullptr;

  const at::Tensor& buffer(const Place& place) const;
  char* address(const Place& place) const;
  // The buffer itself when it is laid out so, else another tensor over its memory.
  at::Tensor tensor(const View& view) const;
};

}  // namespace sidra::executable
