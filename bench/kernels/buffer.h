// Page-aligned memory whose pages exist.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace sidra::bench {

template <class T>
class Buffer {
 public:
  explicit Buffer(uint64_t count) : size_((count * sizeof(T) + 4095) / 4096 * 4096) {
    data_.reset(static_cast<T*>(std::aligned_alloc(4096, size_)));
    if (!data_) throw std::bad_alloc();
    std::memset(data_.get(), 1, size_);
  }
  T* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  uint64_t size_;
  std::unique_ptr<T, Free> data_;
};

}  // namespace sidra::bench
