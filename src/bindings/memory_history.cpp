// torch.sidra's memory snapshots, in the format of torch.cuda's.
#include "runtime/memory_history.h"

#include <torch/csrc/profiler/combined_traceback.h>

#include <limits>
#include <string>
#include <vector>

#include "bindings/bindings.h"
#include "runtime/device.h"
#include "runtime/device_memory.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;
using c10::CachingDeviceAllocator::BlockInfo;
using c10::CachingDeviceAllocator::SegmentInfo;
using runtime::MemoryContext;
using runtime::MemoryEvent;
using runtime::RecordContext;
using torch::CapturedTraceback;

template <bool kCpp>
MemoryContext capture() {
  return CapturedTraceback::gather(/*python=*/true, /*script=*/true, kCpp);
}

RecordContext parse_contexts(const std::string& name) {
  if (name == "state") return RecordContext::STATE;
  if (name == "alloc") return RecordContext::ALLOC;
  if (name == "all") return RecordContext::ALL;
  TORCH_CHECK_VALUE(name.empty(), "context is None, 'state', 'alloc' or 'all', not '", name, "'");
  return RecordContext::NEVER;
}

void record(bool events, const std::string& contexts, bool cpp, uint64_t max_events, bool clear) {
  runtime::MemoryHistorySettings settings;
  settings.contexts = parse_contexts(contexts);
  settings.events = events;
  settings.max_events = max_events;
  settings.capture = cpp ? capture<true> : capture<false>;
  runtime::set_memory_history(settings, clear);
}

// Stacks as lists of {filename, name, line}; all are symbolised at once, which is much faster.
class Stacks {
 public:
  // `place` becomes the list of `context`, empty without one, when `finish` is called.
  void add(py::dict place, const MemoryContext& context) {
    place["frames"] = py::list();
    if (!context) return;
    contexts_.push_back(context);
    places_.push_back(std::move(place));
  }

  void finish() {
    std::vector<CapturedTraceback*> captured;
    for (const MemoryContext& context : contexts_) {
      captured.push_back(static_cast<CapturedTraceback*>(context.get()));
    }
    const torch::SymbolizedTracebacks stacks = torch::symbolize(captured);
    std::vector<py::dict> frames;
    for (const torch::unwind::Frame& frame : stacks.all_frames) {
      py::dict entry;
      entry["filename"] = frame.filename;
      entry["name"] = frame.funcname;
      entry["line"] = frame.lineno;
      frames.push_back(std::move(entry));
    }
    for (size_t i = 0; i < places_.size(); ++i) {
      py::list list;
      for (const uint64_t frame : stacks.tracebacks[i]) list.append(frames[frame]);
      places_[i]["frames"] = std::move(list);
    }
  }

 private:
  std::vector<MemoryContext> contexts_;
  std::vector<py::dict> places_;
};

py::tuple no_pool() { return py::make_tuple(0, 0); }

const char* state_of(const BlockInfo& block) {
  if (block.allocated) return "active_allocated";
  return block.active ? "active_awaiting_free" : "inactive";
}

py::dict to_dict(const SegmentInfo& segment, Stacks& stacks) {
  py::dict result;
  result["device"] = segment.device;
  result["address"] = segment.address;
  result["total_size"] = segment.total_size;
  result["allocated_size"] = segment.allocated_size;
  result["active_size"] = segment.active_size;
  result["requested_size"] = segment.requested_size;
  result["stream"] = reinterpret_cast<int64_t>(segment.stream);
  result["segment_type"] = segment.is_large ? "large" : "small";
  result["segment_pool_id"] = no_pool();
  result["is_expandable"] = false;
  stacks.add(result, nullptr);
  py::list blocks;
  uint64_t address = segment.address;
  for (const BlockInfo& block : segment.blocks) {
    py::dict entry;
    entry["address"] = address;
    entry["size"] = block.size;
    entry["requested_size"] = block.requested_size;
    entry["state"] = state_of(block);
    stacks.add(entry, block.context_when_allocated);
    blocks.append(std::move(entry));
    address += block.size;
  }
  result["blocks"] = std::move(blocks);
  return result;
}

const char* name_of(MemoryEvent::Action action) {
  switch (action) {
    case MemoryEvent::ALLOC:
      return "alloc";
    case MemoryEvent::FREE_REQUESTED:
      return "free_requested";
    case MemoryEvent::FREE_COMPLETED:
      return "free_completed";
    case MemoryEvent::SEGMENT_ALLOC:
      return "segment_alloc";
    case MemoryEvent::SEGMENT_FREE:
      return "segment_free";
    case MemoryEvent::OOM:
      return "oom";
    default:
      return "snapshot";
  }
}

py::dict to_dict(const MemoryEvent& event, Stacks& stacks) {
  py::dict result;
  result["action"] = name_of(event.action_);
  result[event.action_ == MemoryEvent::OOM ? "device_free" : "addr"] = event.addr_;
  result["size"] = event.size_;
  result["stream"] = reinterpret_cast<int64_t>(event.stream_);
  result["time_us"] = event.time_.t_;
  result["pool_id"] = no_pool();
  stacks.add(result, event.context_);
  return result;
}

py::dict snapshot() {
  Stacks stacks;
  py::list segments, traces;
  for (c10::DeviceIndex device = 0; device < runtime::device_count(); ++device) {
    traces.append(py::list());
    runtime::DeviceMemory* memory = runtime::device_memory_if_used(device);
    if (!memory) continue;
    std::vector<SegmentInfo> found;
    {
      const py::gil_scoped_release no_gil;  // its lock may be held by a thread that wants the GIL
      found = memory->segments();
    }
    for (const SegmentInfo& segment : found) segments.append(to_dict(segment, stacks));
  }
  for (const MemoryEvent& event : runtime::memory_events()) {
    traces[event.device_].cast<py::list>().append(to_dict(event, stacks));
  }
  stacks.finish();
  py::dict result;
  result["segments"] = std::move(segments);
  result["device_traces"] = std::move(traces);
  result["allocator_settings"] = py::dict();
  result["external_annotations"] = py::list();
  return result;
}

}  // namespace

void bind_memory_history(py::module_& module) {
  module.def("record_memory_history", torch::wrap_pybind_function_no_gil(record), py::arg("events"),
             py::arg("contexts"), py::arg("cpp"), py::arg("max_events"), py::arg("clear"),
             "What is kept of allocations: events, stacks ('', 'state', 'alloc', 'all').");
  module.def("memory_snapshot", torch::wrap_pybind_function(snapshot),
             "Segments, blocks and events of all devices, in torch.cuda's format.");
}

}  // namespace sidra::bindings
