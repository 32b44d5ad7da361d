#include "aten/placement.h"

#include <string_view>
#include <unordered_map>

namespace sidra::aten {
namespace {

const std::unordered_map<std::string_view, Placement>& table() {
  static const std::unordered_map<std::string_view, Placement> rows{
#define ENGINE(name, alu, lookups) {#name, {false, false, WorkRule::kElements, alu, lookups}},
#define MOVE(name) {#name, {false, false, WorkRule::kMove, 0, 0}},
#define GATHER(name) {#name, {false, false, WorkRule::kGather, 0, 0}},
#define PRODUCT(name) {#name, {false, false, WorkRule::kProduct, 0, 0}},
#define ATTENTION(name) {#name, {false, false, WorkRule::kAttention, 0, 0}},
#define FACTORY(name) {#name, {true, false, WorkRule::kNone, 0, 0}},
#define UNCOUNTED(name) {#name, {false, false, WorkRule::kNone, 0, 0}},
#include "aten/placement.inc"
  };
  return rows;
}

std::string_view base_name(std::string_view name) {
  if (name.starts_with("aten::")) name.remove_prefix(6);
  if (name.size() > 1 && name.ends_with('_') && !name.ends_with("__")) name.remove_suffix(1);
  return name;
}

}  // namespace

Placement placement_of(const std::string& name) {
  const auto row = table().find(base_name(name));
  return row != table().end() ? row->second : Placement{true, true, WorkRule::kNone, 0, 0};
}

}  // namespace sidra::aten
