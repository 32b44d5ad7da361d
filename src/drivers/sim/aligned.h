// Zeroed arrays whose first element lies on a cache line: what SIMD loads like.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace sidra::sim {

template <typename T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(uint64_t count) : count_(count) {
    if (count == 0) return;
    if (count > (uint64_t{1} << 62) / sizeof(T)) throw std::bad_alloc();
    const uint64_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    data_.reset(static_cast<T*>(std::aligned_alloc(kAlignment, bytes)));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_.get(), 0, bytes);
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](uint64_t i) { return data_.get()[i]; }
  const T& operator[](uint64_t i) const { return data_.get()[i]; }
  uint64_t size() const { return count_; }
  uint64_t bytes() const { return count_ * sizeof(T); }

 private:
  static constexpr uint64_t kAlignment = 64;
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
  uint64_t count_ = 0;
};

}  // namespace sidra::sim
