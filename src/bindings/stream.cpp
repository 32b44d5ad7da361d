#include "runtime/stream.h"

#include <tuple>

#include "bindings/bindings.h"
#include "runtime/device.h"
#include "runtime/stream_state.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;

// What torch.Stream's constructor takes: stream_id, device_index, device_type.
using StreamParts = std::tuple<int64_t, int64_t, int64_t>;

StreamParts parts_of(c10::Stream stream) {
  return {stream.id(), stream.device_index(), static_cast<int64_t>(stream.device_type())};
}

c10::Stream stream_of(int64_t id, int64_t device) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(runtime::kDeviceType, device_index(device)),
                     id);
}

// As torch.cuda.set_stream: the stream's device becomes current too.
void set_stream(int64_t id, int64_t device) {
  const c10::Stream stream = stream_of(id, device);
  runtime::exchange_stream(stream);
  runtime::set_device(stream.device_index());
}

}  // namespace

void bind_stream(py::module_& module) {
  module.def("current_stream", torch::wrap_pybind_function([](int64_t device) {
               return parts_of(runtime::current_stream(device_index(device)));
             }),
             py::arg("device"), "(stream_id, device_index, device_type)");
  module.def("default_stream", torch::wrap_pybind_function([](int64_t device) {
               return parts_of(runtime::default_stream(device_index(device)));
             }),
             py::arg("device"), "(stream_id, device_index, device_type)");
  module.def("set_stream", torch::wrap_pybind_function(set_stream), py::arg("stream_id"),
             py::arg("device"), "Makes a stream current for its device, and the device current.");
  module.def("stream_priority", torch::wrap_pybind_function([](int64_t id, int64_t device) {
               return runtime::stream_priority(stream_of(id, device));
             }),
             py::arg("stream_id"), py::arg("device"), "0, or -1 for one that goes first.");
  module.def("stream_chip_seconds",
             torch::wrap_pybind_function_no_gil([](int64_t id, int64_t device) {
               return runtime::stream_chip_seconds(stream_of(id, device));
             }),
             py::arg("stream_id"), py::arg("device"),
             "Chip time at which the stream's last finished command ends, in seconds.");
}

}  // namespace sidra::bindings
