#include "runtime/driver_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <vector>

#include "runtime/error.h"

namespace sidra::runtime {
namespace {

constexpr char kPrefix[] = "libsidra_driver_";
constexpr char kSuffix[] = ".so";
// The table of ABI 1.0 ends here; functions of later minors may be absent.
constexpr size_t kRequiredTableBytes = offsetof(sidra_driver, account_work) + sizeof(void (*)());
constexpr size_t kFirstEntry = offsetof(sidra_driver, last_error);

std::filesystem::path library_folder() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&library_folder), &info);
  return std::filesystem::path(info.dli_fname ? info.dli_fname : ".").parent_path();
}

// "null, sim": the drivers beside this library.
std::string installed_names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(library_folder(), ignored)) {
    std::string name = entry.path().filename().string();
    if (name.rfind(kPrefix, 0) != 0 || !name.ends_with(kSuffix)) continue;
    name = name.substr(std::strlen(kPrefix));
    names.push_back(name.substr(0, name.size() - std::strlen(kSuffix)));
  }
  std::sort(names.begin(), names.end());
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string what_works() {
  const std::string names = installed_names();
  return "; set SIDRA_DRIVER to " + (names.empty() ? "" : "one of (" + names + ") or ") +
         "the path of a driver library";
}

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  raise(ErrorKind::kDriver, problem + remedy);
}

std::string abi_text(uint32_t major, uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

void check_table(const sidra_driver* table, const std::string& path) {
  const std::string subject = "sidra driver '" + path + "' ";
  const std::string rebuild =
      "; rebuild it against driver.h of ABI " + abi_text(SIDRA_ABI_MAJOR, SIDRA_ABI_MINOR);
  if (table->abi_major != SIDRA_ABI_MAJOR) {
    refuse(subject + "speaks driver ABI " + abi_text(table->abi_major, table->abi_minor) +
               ", which this sidra does not",
           rebuild);
  }
  if (table->struct_size < kRequiredTableBytes) {
    refuse(subject + "has a function table of " + std::to_string(table->struct_size) +
               " bytes where " + std::to_string(kRequiredTableBytes) + " are needed",
           rebuild);
  }
  for (size_t offset = kFirstEntry; offset < kRequiredTableBytes; offset += sizeof(void*)) {
    void* entry = nullptr;
    std::memcpy(&entry, reinterpret_cast<const char*>(table) + offset, sizeof(entry));
    if (entry) continue;
    refuse(subject + "leaves function " + std::to_string((offset - kFirstEntry) / sizeof(void*)) +
               " of its table NULL",
           "; every function of ABI 1.0 must be there, if only to return UNSUPPORTED");
  }
}

}  // namespace

std::string driver_path(const std::string& path_or_name) {
  const bool is_path =
      path_or_name.find('/') != std::string::npos || path_or_name.ends_with(kSuffix);
  if (is_path) return path_or_name;
  return (library_folder() / (kPrefix + path_or_name + kSuffix)).string();
}

const sidra_driver* load_driver_table(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    refuse("there is no sidra driver '" + path + "'", what_works());
  }
  // A path without '/' would be searched for in the system's folders.
  const std::string absolute = std::filesystem::absolute(path, ignored).string();
  void* library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    refuse("sidra driver '" + path + "' cannot be loaded (" + (reason ? reason : "no reason") + ")",
           what_works());
  }
  auto get = reinterpret_cast<sidra_driver_get_function>(dlsym(library, "sidra_driver_get"));
  if (!get) {
    refuse("'" + path + "' is not a sidra driver: it does not export sidra_driver_get",
           what_works());
  }
  const sidra_driver* table = get(SIDRA_ABI_MAJOR);
  if (!table) {
    refuse("sidra driver '" + path + "' has no function table for driver ABI " +
               std::to_string(SIDRA_ABI_MAJOR),
           "; use a driver built for ABI " + std::to_string(SIDRA_ABI_MAJOR));
  }
  check_table(table, path);
  return table;
}

}  // namespace sidra::runtime
