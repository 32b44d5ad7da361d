// The live handles of one kind: they die with their instance if nobody destroys them before.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace sidra {

template <typename T>
class Registry {
 public:
  T* add(std::shared_ptr<T> handle) {
    T* const key = handle.get();
    const std::lock_guard lock(mutex_);
    handles_.emplace(key, std::move(handle));
    return key;
  }
  // Null when there is no such handle.
  std::shared_ptr<T> find(T* handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = handles_.find(handle);
    return found == handles_.end() ? nullptr : found->second;
  }
  void remove(T* handle) {
    std::shared_ptr<T> last;  // destroyed after the lock
    const std::lock_guard lock(mutex_);
    const auto found = handles_.find(handle);
    if (found == handles_.end()) return;
    last = std::move(found->second);
    handles_.erase(found);
  }
  std::vector<std::shared_ptr<T>> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> handles;
    handles.reserve(handles_.size());
    for (const auto& [key, handle] : handles_) handles.push_back(handle);
    return handles;
  }
  void clear() {
    for (const auto& handle : all()) remove(handle.get());
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<T*, std::shared_ptr<T>> handles_;
};

}  // namespace sidra
