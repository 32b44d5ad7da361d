#include "aten/fallback.h"

#include <ATen/core/Generator.h>

#include <atomic>

#include "aten/host_operands.h"
#include "aten/operator_info.h"
#include "aten/work.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/generator.h"

namespace sidra::aten {
namespace {

using torch::jit::Stack;

std::atomic<FallbackMode> mode{FallbackMode::kWarn};

bool on_device(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == runtime::kDeviceType;
}

template <typename Visit>
void for_each_tensor(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    visit(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) visit(tensor);
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) {
      if (element.isTensor()) visit(element.toTensor());
    }
  }
}

// The call's arguments, its device, and what became of them.
class Call {
 public:
  Call(const c10::OperatorHandle& op, const OperatorInfo& info, Stack& stack)
      : op_(op), info_(info), stack_(stack), first_(stack.size() - info.arguments) {
    find_device();
  }

  c10::Device device() const { return device_; }

  void check_operands() const;
  void open(HostOperands& host);
  void close(HostOperands& host);
  // Multiply-adds of a product or an attention, and elements of the latter's softmax.
  void measure_products(Work& work) const;

 private:
  c10::IValue& argument(size_t index) { return stack_[first_ + index]; }
  const c10::IValue& argument(size_t index) const { return stack_[first_ + index]; }

  void find_device();
  void check_operand(const at::Tensor& tensor, size_t index) const;
  void open_argument(HostOperands& host, size_t index);
  void open_generator(size_t index);

  const c10::OperatorHandle& op_;
  const OperatorInfo& info_;
  Stack& stack_;
  const size_t first_;
  c10::Device device_{runtime::kDeviceType, -1};
  bool results_on_host_ = false;               // the caller asked for a CPU result
  c10::SmallVector<at::Tensor, 2> originals_;  // written arguments, in order
};

// The device of the first tensor, else of a device argument, else the current one.
void Call::find_device() {
  std::optional<c10::Device> asked;
  for (size_t i = 0; i < info_.arguments; ++i) {
    const c10::IValue& value = argument(i);
    if (value.isDevice()) asked = value.toDevice();
    for_each_tensor(value, [&](const at::Tensor& tensor) {
      if (on_device(tensor) && !device_.has_index()) device_ = tensor.device();
    });
  }
  results_on_host_ = asked.has_value() && asked->is_cpu();
  const bool named = asked.has_value() && asked->type() == runtime::kDeviceType;
  if (device_.has_index() && !(named && info_.takes_other_devices)) return;
  device_.set_index(runtime::check_device(named ? asked->index() : -1));
}

void Call::check_operand(const at::Tensor& tensor, size_t index) const {
  if (!tensor.defined() || tensor.device() == device_ || info_.takes_other_devices) return;
  if (tensor.is_cpu() &&
      ((tensor.dim() == 0 && !info_.written[index]) || info_.takes_host_operands))
    return;
  if (tensor.device().is_meta()) return;
  runtime::raise(runtime::ErrorKind::kRuntime,
                 c10::str("Expected all tensors to be on the same device, but found at least two "
                          "devices, ",
                          device_.str(), " and ", tensor.device().str(), "! (", info_.name,
                          ", argument '", op_.schema().arguments()[index].name(), "' of shape ",
                          tensor.sizes(), "; move it with .to('", device_.str(), "'))"));
}

void Call::check_operands() const {
  for (size_t i = 0; i < info_.arguments; ++i) {
    for_each_tensor(argument(i), [&](const at::Tensor& tensor) { check_operand(tensor, i); });
  }
}

void Call::open_generator(size_t index) {
  c10::IValue& value = argument(index);
  if (value.isNone()) {
    value = runtime::host_generator(runtime::default_generator(device_.index()));
    return;
  }
  if (!value.isGenerator()) return;
  const at::Generator generator = value.toGenerator();
  if (generator.device().type() != runtime::kDeviceType) {
    runtime::raise(
        runtime::ErrorKind::kRuntime,
        c10::str("Expected a '", device_.str(), "' device type for generator but found '",
                 generator.device().str(), "' (", info_.name, "); make it with torch.Generator('",
                 device_.str(), "')"));
  }
  value = runtime::host_generator(generator);
}

void Call::open_argument(HostOperands& host, size_t index) {
  c10::IValue& value = argument(index);
  const bool written = info_.written[index];
  if (value.isTensor()) {
    if (!on_device(value.toTensor())) {
      if (written) originals_.push_back(value.toTensor());
      return;
    }
    at::Tensor tensor = std::move(value).toTensor();
    at::Tensor alias = host.open(tensor, written);
    if (info_.asks_for_gradients) alias.set_requires_grad(tensor.requires_grad());
    value = std::move(alias);
    if (written) originals_.push_back(std::move(tensor));
  } else if (value.isTensorList()) {
    std::vector<at::Tensor> tensors = value.toTensorVector();
    for (at::Tensor& tensor : tensors) tensor = host.open(tensor, written);
    value = c10::IValue(std::move(tensors));
  } else if (value.isList()) {
    c10::List<std::optional<at::Tensor>> opened;
    bool tensors = false;
    for (const c10::IValue& element : value.toListRef()) {
      if (!element.isTensor() && !element.isNone()) return;
      tensors = tensors || element.isTensor();
      opened.push_back(element.isTensor() ? std::optional(host.open(element.toTensor(), written))
                                          : std::nullopt);
    }
    if (tensors) value = c10::IValue(std::move(opened));
  } else if (value.isDevice() && value.toDevice().type() == runtime::kDeviceType) {
    value = c10::Device(c10::DeviceType::CPU);
  }
}

void Call::open(HostOperands& host) {
  for (size_t i = 0; i < info_.arguments; ++i) {
    if (info_.generator_argument == static_cast<int>(i)) {
      open_generator(i);
    } else {
      open_argument(host, i);
    }
  }
}

void Call::close(HostOperands& host) {
  const size_t first_result = stack_.size() - info_.returns;
  for (size_t i = 0; i < info_.returns; ++i) {
    c10::IValue& value = stack_[first_result + i];
    if (info_.returned_argument[i] >= 0) {
      value = originals_[static_cast<size_t>(info_.returned_argument[i])];
    } else if (results_on_host_) {
      continue;
    } else if (value.isTensor()) {
      value = host.close(std::move(value).toTensor());
    } else if (value.isTensorList()) {
      std::vector<at::Tensor> tensors = value.toTensorVector();
      value = c10::IValue();
      for (at::Tensor& tensor : tensors) tensor = host.close(std::move(tensor));
      value = c10::IValue(std::move(tensors));
    }
  }
  host.finish();
}

void Call::measure_products(Work& work) const {
  if (info_.placement.rule == WorkRule::kProduct) {
    const size_t left = info_.name.find("add") == std::string::npos ? 0 : 1;  // after the addend
    const at::Tensor& right = argument(left + 1).toTensor();
    const int64_t columns = right.dim() < 2 ? 1 : right.size(-1);
    work.multiply_adds = static_cast<uint64_t>(argument(left).toTensor().numel() * columns);
  } else if (info_.placement.rule == WorkRule::kAttention) {
    const at::Tensor& query = argument(0).toTensor();
    const int64_t keys = argument(1).toTensor().size(-2);
    work.multiply_adds = static_cast<uint64_t>(2 * query.numel() * keys);
    work.softmax_elements =
        static_cast<uint64_t>(query.numel() / std::max<int64_t>(query.size(-1), 1) * keys);
  }
}

void report_fallback(const OperatorInfo& info) {
  if (!info.placement.fallback || mode == FallbackMode::kSilent) return;
  if (mode == FallbackMode::kError) {
    runtime::raise(runtime::ErrorKind::kUnsupported,
                   c10::str(info.name,
                            " has no chip implementation and SIDRA_FALLBACK=error "
                            "forbids the host; set SIDRA_FALLBACK=warn to let it run there"));
  }
  if (!info.warned.exchange(true)) {
    TORCH_WARN(info.name,
               " has no chip implementation: it runs on the host, its operands cross "
               "the link both ways. sidra.report() lists all such operators; SIDRA_FALLBACK=silent "
               "hides this warning.");
  }
}

std::string_view layout_of(c10::DispatchKey key) {
  switch (key) {
    case c10::DispatchKey::SparseCPU:
      return "sparse COO";
    case c10::DispatchKey::SparseCsrCPU:
      return "sparse compressed";
    case c10::DispatchKey::QuantizedCPU:
      return "quantized";
    case c10::DispatchKey::NestedTensorCPU:
      return "nested";
    default:
      return "strided";
  }
}

// What to call first where the CPU knows the operator for strided tensors only.
std::string_view remedy(c10::DispatchKey key) {
  if (key == c10::DispatchKey::CPU) return "";
  if (key == c10::DispatchKey::QuantizedCPU) return "; call .dequantize() first";
  return key == c10::DispatchKey::NestedTensorCPU ? "; unbind() it, or use layout=torch.jagged"
                                                  : "; call .to_dense() first";
}

void call_cpu_kernel(const c10::OperatorHandle& op, c10::DispatchKey key, Stack* stack) {
  try {
    op.redispatchBoxed(c10::DispatchKeySet(key), stack);
  } catch (const c10::NotImplementedError&) {
    if (op.hasKernelForDispatchKey(key)) throw;  // the kernel's own words
    runtime::raise(
        runtime::ErrorKind::kUnsupported,
        c10::str(op.schema().name(), " has no kernel for ", layout_of(key),
                 " tensors: sidra runs it on the host, and PyTorch's CPU has none", remedy(key)));
  }
}

}  // namespace

void set_fallback_mode(FallbackMode value) { mode = value; }
FallbackMode fallback_mode() { return mode; }

void run_on_host(const c10::OperatorHandle& op, c10::DispatchKey key, Stack* stack) {
  const OperatorInfo& info = operator_info(op);
  report_fallback(info);
  Call call(op, info, *stack);
  call.check_operands();
  HostOperands host(call.device());
  Work products;
  call.measure_products(products);
  call.open(host);
  call_cpu_kernel(op, key, stack);
  call.close(host);
  Work work = host.work();
  work.multiply_adds = products.multiply_adds;
  work.softmax_elements = products.softmax_elements;
  account(info, call.device(), work);
}

}  // namespace sidra::aten
