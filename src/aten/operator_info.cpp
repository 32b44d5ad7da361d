#include "aten/operator_info.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace sidra::aten {
namespace {

// Index, mask and length operands that PyTorch accepts on the CPU whatever the device of the data.
constexpr std::array<std::string_view, 9> kTakeHostOperands{"aten::index",
                                                            "aten::index_put",
                                                            "aten::index_put_",
                                                            "aten::_index_put_impl_",
                                                            "aten::_unsafe_index",
                                                            "aten::_unsafe_index_put",
                                                            "aten::_pack_padded_sequence",
                                                            "aten::_ctc_loss",
                                                            "aten::_ctc_loss_backward"};

constexpr std::array<std::string_view, 3> kMakeLikeOperand{
    "aten::_empty_per_channel_affine_quantized", "aten::empty_like", "aten::empty_quantized"};

template <size_t size>
bool contains(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Arguments that a kernel writes although the schema calls them read-only: the running statistics.
bool writes_in_secret(const std::string& name, const std::string& argument) {
  return (name == "aten::native_batch_norm" || name == "aten::cudnn_batch_norm" ||
          name == "aten::miopen_batch_norm") &&
         (argument == "running_mean" || argument == "running_var");
}

bool is_write(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

// Which of the written arguments, counted in order, a return value is.
int argument_returned(const c10::FunctionSchema& schema, const c10::Argument& returned) {
  if (!is_write(returned)) return -1;
  int position = 0;
  for (const c10::Argument& argument : schema.arguments()) {
    if (!is_write(argument)) continue;
    if (*argument.alias_info() == *returned.alias_info()) return position;
    ++position;
  }
  return -1;
}

bool is_generator(const c10::Argument& argument) {
  const auto optional = argument.type()->cast<c10::OptionalType>();
  const c10::TypePtr type = optional ? optional->getElementType() : argument.type();
  return type->kind() == c10::TypeKind::GeneratorType;
}

int find_generator(const c10::FunctionSchema& schema) {
  const auto& arguments = schema.arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (is_generator(arguments[i])) return static_cast<int>(i);
  }
  return -1;
}

std::unique_ptr<OperatorInfo> describe(const c10::OperatorHandle& op) {
  const c10::FunctionSchema& schema = op.schema();
  auto info = std::make_unique<OperatorInfo>();
  info->name = schema.name();
  info->placement = placement_of(info->name);
  info->line = runtime::ledger_line(
      info->name, info->placement.on_host ? runtime::Place::kHost : runtime::Place::kEngine,
      info->placement.fallback ? "no chip implementation" : "");
  info->arguments = schema.arguments().size();
  info->returns = schema.returns().size();
  for (const c10::Argument& argument : schema.arguments()) {
    info->written.push_back(is_write(argument) || writes_in_secret(info->name, argument.name()));
  }
  for (const c10::Argument& returned : schema.returns()) {
    info->returned_argument.push_back(argument_returned(schema, returned));
  }
  info->generator_argument = find_generator(schema);
  info->takes_host_operands = contains(kTakeHostOperands, info->name);
  info->asks_for_gradients = info->name == "aten::_sparse_mm_reduce_impl";
  info->takes_other_devices = contains(kMakeLikeOperand, info->name);
  return info;
}

// Schemas stay where they are while their library is loaded.
const OperatorInfo& shared_info(const c10::OperatorHandle& op) {
  static std::mutex mutex;
  static auto* const infos =
      new std::unordered_map<const c10::FunctionSchema*, std::unique_ptr<OperatorInfo>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<OperatorInfo>& info = (*infos)[&op.schema()];
  if (info == nullptr) info = describe(op);
  return *info;
}

}  // namespace

const OperatorInfo& operator_info(const c10::OperatorHandle& op) {
  thread_local std::unordered_map<const c10::FunctionSchema*, const OperatorInfo*> seen;
  const OperatorInfo*& info = seen[&op.schema()];
  if (info == nullptr) info = &shared_info(op);
  return *info;
}

}  // namespace sidra::aten
