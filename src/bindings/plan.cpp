// sidra._C.Plan: built step by step from Python, run in one call.
#include "executable/plan.h"

#include <pybind11/stl.h>
#include <torch/csrc/jit/python/pybind_utils.h>
#include <torch/csrc/utils/pybind.h>

#include <memory>
#include <string>
#include <vector>

#include "bindings/bindings.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/loaded_driver.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;
using executable::BufferKind;
using executable::Place;
using executable::Plan;
using executable::View;

using PyPlace = std::tuple<std::string, int64_t, int64_t>;  // kind, index, byte offset
using PyView = std::tuple<PyPlace, at::ScalarType, std::vector<int64_t>, std::vector<int64_t>>;
using PySpec = std::pair<std::vector<int64_t>, at::ScalarType>;

Place to_place(const PyPlace& place) {
  const auto& [name, index, offset] = place;
  for (BufferKind kind : {BufferKind::kInput, BufferKind::kOutput, BufferKind::kArena,
                          BufferKind::kConstant, BufferKind::kSlot}) {
    if (name == executable::buffer_kind_name(kind)) return {kind, index, offset};
  }
  runtime::raise(runtime::ErrorKind::kValue, "a plan has no buffer of the kind " + name +
                                                 "; use input, output, arena, constant or slot");
}

View to_view(Plan& plan, const PyView& view, bool is_weight = false) {
  const auto& [place, dtype, sizes, strides] = view;
  View made{to_place(place), dtype, sizes, strides};
  if (sizes.size() != strides.size()) {
    runtime::raise(runtime::ErrorKind::kValue,
                   "a plan's view has another number of strides than of sizes: " + made.text());
  }
  plan.check(made, is_weight);
  return made;
}

std::optional<View> to_view(Plan& plan, const std::optional<PyView>& view) {
  if (!view.has_value()) return std::nullopt;
  return to_view(plan, *view);
}

executable::TensorSpec to_spec(const PySpec& spec) { return {spec.first, spec.second}; }

std::unique_ptr<Plan> make_plan(int64_t device, int64_t arena_bytes,
                                const std::vector<PySpec>& inputs) {
  if (!runtime::driver().host_coherent) {
    runtime::raise(runtime::ErrorKind::kUnsupported,
                   "compiled kernels run on the host's side of the memory, which cannot be reached "
                   "on this driver; use torch.compile(backend='aot_eager')");
  }
  std::vector<executable::TensorSpec> specs;
  for (const PySpec& input : inputs) specs.push_back(to_spec(input));
  return std::make_unique<Plan>(device_index(device), arena_bytes, std::move(specs));
}

void add_kernel(Plan& plan, const std::string& name, uint64_t address,
                const std::vector<PyView>& buffers, const std::vector<int64_t>& symbols,
                int64_t extent, int64_t grain, const std::vector<uint64_t>& work) {
  if (address == 0 || work.size() != 4) {
    runtime::raise(runtime::ErrorKind::kValue,
                   "a kernel needs the address of its code and four counts of work: " + name);
  }
  std::vector<Place> places;
  for (const PyView& view : buffers) places.push_back(to_view(plan, view).place);
  plan.add_step(std::make_unique<executable::KernelStep>(
      name, reinterpret_cast<executable::KernelFunction>(address), std::move(places), symbols,
      extent, grain, executable::KernelWork{work.at(0), work.at(1), work.at(2), work.at(3)}));
}

void add_mvm(Plan& plan, const PyView& x, const PyView& weight, const std::optional<PyView>& bias,
             const PyView& result, bool relu) {
  const View vectors = to_view(plan, x), matrix = to_view(plan, weight, /*is_weight=*/true);
  const View products = to_view(plan, result);
  const std::optional<View> addend = to_view(plan, bias);
  const bool two =
      vectors.sizes.size() == 2 && matrix.sizes.size() == 2 && products.sizes.size() == 2;
  const bool fits = two && vectors.sizes[1] == matrix.sizes[1] &&
                    products.sizes[0] == vectors.sizes[0] && products.sizes[1] == matrix.sizes[0] &&
                    (vectors.strides[1] == 1 || vectors.sizes[1] <= 1) &&
                    (products.strides[1] == 1 || products.sizes[1] <= 1) &&
                    (!addend.has_value() || addend->sizes == std::vector{matrix.sizes[0]});
  if (!fits) {
    runtime::raise(runtime::ErrorKind::kValue,
                   "a plan's product takes vectors [M, K], a weight [N, K], a bias [N] and a "
                   "result [M, N] with rows in one piece, not " +
                       vectors.text() + ", " + matrix.text() + " and " + products.text());
  }
  plan.add_step(std::make_unique<executable::MvmStep>(vectors, matrix, addend, products, relu));
}

void add_attention(Plan& plan, const PyView& q, const PyView& k, const PyView& v,
                   const std::optional<PyView>& mask, std::optional<double> scale, bool causal,
                   bool heads_last, int64_t slot) {
  plan.check_slot(slot);
  plan.add_step(std::make_unique<executable::AttentionStep>(to_view(plan, q), to_view(plan, k),
                                                            to_view(plan, v), to_view(plan, mask),
                                                            scale, causal, heads_last, slot));
}

// `tensors`: (argument, item of a list or None, view); those arguments are None, or a list of None.
using PyTensor = std::tuple<size_t, std::optional<size_t>, PyView>;

void add_call(Plan& plan, const std::string& name, const std::string& overload,
              const py::list& arguments, const std::vector<PyTensor>& tensors,
              const std::vector<int64_t>& slots) {
  const c10::OperatorHandle op =
      c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload.c_str());
  const auto& declared = op.schema().arguments();
  if (declared.size() != arguments.size()) {
    runtime::raise(runtime::ErrorKind::kValue, c10::str(name, " takes ", declared.size(),
                                                        " arguments, not ", arguments.size()));
  }
  std::vector<bool> is_tensor(declared.size()), is_list(declared.size());
  std::vector<executable::TensorArgument> taken;
  for (int64_t slot : slots) {
    if (slot != -1) plan.check_slot(slot);
  }
  for (const auto& [argument, item, view] : tensors) {
    const bool is_there =
        argument < declared.size() && (!item.has_value() || *item < py::len(arguments[argument]));
    if (!is_there) {
      runtime::raise(runtime::ErrorKind::kValue,
                     c10::str(name, " has no argument ", argument, " for a tensor"));
    }
    is_tensor.at(argument) = true;
    if (item.has_value()) is_list.at(argument) = true;
    taken.push_back({argument, item, to_view(plan, view)});
  }
  std::vector<c10::IValue> values;
  for (size_t i = 0; i < declared.size(); ++i) {
    if (is_list[i]) {
      const auto element = declared[i].type()->castRaw<c10::ListType>()->getElementType();
      auto list = c10::impl::GenericList(element);
      for (size_t j = 0; j < py::len(arguments[i]); ++j) {
        list.push_back(element->kind() == c10::TypeKind::OptionalType ? c10::IValue()
                                                                      : c10::IValue(at::Tensor()));
      }
      values.emplace_back(std::move(list));
    } else if (is_tensor[i]) {
      values.emplace_back();
    } else {
      values.push_back(torch::jit::toIValue(arguments[i], declared[i].type()));
    }
  }
  plan.add_step(
      std::make_unique<executable::CallStep>(op, std::move(values), std::move(taken), slots));
}

}  // namespace

void bind_plan(py::module_& module) {
  py::class_<Plan>(module, "Plan", "A compiled graph with every size known.")
      .def(py::init(torch::wrap_pybind_function(make_plan)), py::arg("device"),
           py::arg("arena_bytes"), py::arg("inputs"))
      .def("add_output", torch::wrap_pybind_function([](Plan& plan, const PySpec& spec) {
             return plan.add_output(to_spec(spec));
           }))
      .def("add_constant", torch::wrap_pybind_function([](Plan& plan, at::Tensor tensor) {
             return plan.add_constant(std::move(tensor));
           }))
      .def("add_slot", torch::wrap_pybind_function([](Plan& plan) { return plan.add_slot(); }))
      .def("add_kernel", torch::wrap_pybind_function(add_kernel))
      .def("add_mvm", torch::wrap_pybind_function(add_mvm))
      .def("add_attention", torch::wrap_pybind_function(add_attention))
      .def("add_call", torch::wrap_pybind_function(add_call))
      .def("set_results",
           torch::wrap_pybind_function([](Plan& plan, const std::vector<PyView>& views) {
             std::vector<View> results;
             for (const PyView& view : views) results.push_back(to_view(plan, view));
             plan.set_results(std::move(results));
           }))
      .def("run",
           torch::wrap_pybind_function_no_gil([](const Plan& plan, std::vector<at::Tensor> inputs) {
             return plan.run(std::move(inputs));
           }))
      .def_property_readonly("arena_bytes", &Plan::arena_bytes)
      .def_property_readonly("steps", &Plan::steps)
      .def_property_readonly("device", [](const Plan& plan) { return int{plan.device()}; });
}

}  // namespace sidra::bindings
