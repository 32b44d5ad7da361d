// Argument structs across versions: a caller's may be shorter or longer than ours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "drivers/abi/error.h"

namespace sidra {

// Our copy of a caller's struct: fields that the caller does not have are 0. `commit` writes back
// what both have.
template <typename T>
class Arguments {
 public:
  Arguments(const char* function, T* caller) : caller_(caller) {
    if (caller == nullptr) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, function, ": the argument struct is null");
    }
    if (caller->struct_size < sizeof(size_t)) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, function, ": struct_size is ", caller->struct_size,
           ", set it to sizeof");
    }
    shared_ = std::min(caller->struct_size, sizeof(T));
    std::memcpy(&values_, caller, shared_);
  }

  T* operator->() { return &values_; }
  T& operator*() { return values_; }
  void commit() {
    constexpr size_t kFirst = sizeof(size_t);  // struct_size is the caller's
    std::memcpy(reinterpret_cast<char*>(caller_) + kFirst,
                reinterpret_cast<const char*>(&values_) + kFirst, shared_ - kFirst);
  }

 private:
  T* caller_;
  size_t shared_;
  T values_{};
};

template <typename T>
void require(const char* function, const char* argument, const T* pointer) {
  if (pointer == nullptr) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, function, ": ", argument, " is null");
  }
}

}  // namespace sidra
