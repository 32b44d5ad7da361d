#include "runtime/residency.h"

#include <c10/util/hash.h>

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "runtime/allocator.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/ledger.h"
#include "runtime/memory_history.h"
#include "runtime/stream.h"
#include "runtime/submission.h"

namespace sidra::runtime {

class Resident {
 public:
  explicit Resident(sidra_weight* weight) : weight_(weight) {}
  ~Resident() { SIDRA_WARN(driver().table->weight_free(weight_), "weight_free"); }
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;

  sidra_weight* weight() const { return weight_; }

 private:
  sidra_weight* const weight_;
};

namespace {

struct Key {
  const Block* block;
  int64_t offset;  // elements
  c10::SmallVector<int64_t, 10> sizes_and_strides;
  at::ScalarType type;
  uint64_t part;

  bool operator==(const Key& other) const {
    return block == other.block && offset == other.offset && type == other.type &&
           part == other.part && sizes_and_strides == other.sizes_and_strides;
  }
};

struct KeyHash {
  size_t operator()(const Key& key) const {
    size_t hash = c10::get_hash(key.block, key.offset, static_cast<int>(key.type), key.part);
    for (const int64_t value : key.sizes_and_strides) {
      hash = c10::hash_combine(hash, static_cast<size_t>(value));
    }
    return hash;
  }
};

struct Slot {
  ResidentPointer resident;
  uint64_t writes = 0;  // of the block when the cells were written
  uint64_t last_use = 0;
  uint64_t uses = 0;
  std::vector<int64_t> shape;
};

// One lock for the table. Programming runs under it: two threads never program one weight twice.
struct Table {
  std::mutex mutex;
  std::unordered_map<Key, Slot, KeyHash> slots;
  uint64_t clock = 0;
  Eviction eviction = Eviction::kLeastRecentlyUsed;
};

Table& table() {
  static Table* const instance = new Table;  // blocks are freed after static destructors
  return *instance;
}

Key key_of(const WeightSource& source, const Block* block) {
  const at::Tensor& tensor = source.tensor;
  Key key{block, tensor.storage_offset(), {}, tensor.scalar_type(), source.part};
  key.sizes_and_strides.append(tensor.sizes().begin(), tensor.sizes().end());
  key.sizes_and_strides.append(tensor.strides().begin(), tensor.strides().end());
  return key;
}

void forget_block(Block* block) noexcept {
  std::vector<ResidentPointer> freed;  // crossbars are released after the lock
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  for (auto slot = all.slots.begin(); slot != all.slots.end();) {
    if (slot->first.block == block) {
      freed.push_back(std::move(slot->second.resident));
      slot = all.slots.erase(slot);
    } else {
      ++slot;
    }
  }
}

// Frees the least recently used weight of the device that no operator holds just now.
bool evict_one(Table& all, c10::DeviceIndex device) {
  auto oldest = all.slots.end();
  for (auto slot = all.slots.begin(); slot != all.slots.end(); ++slot) {
    if (slot->first.block->device != device || slot->second.resident.use_count() > 1) continue;
    if (oldest == all.slots.end() || slot->second.last_use < oldest->second.last_use) oldest = slot;
  }
  if (oldest == all.slots.end()) return false;
  all.slots.erase(oldest);
  return true;
}

Submission programming_of(c10::DeviceIndex device) {
  static LedgerLine* const line = ledger_line("sidra::program_weight", Place::kCrossbar, "");
  return {line, device};
}

std::string describe(const WeightSource& source) {
  return "programming a weight of shape " + c10::str(source.tensor.sizes()) + " (" +
         c10::str(source.tensor.scalar_type()) + ", " + source.tensor.device().str() + ")";
}

[[noreturn]] void raise_programming(sidra_status status, const WeightSource& source,
                                    Eviction eviction) {
  std::string what = describe(source);
  if (status == SIDRA_STATUS_OUT_OF_CROSSBARS && eviction == Eviction::kError) {
    what += "; SIDRA_EVICTION=lru makes room by freeing the least recently used weights";
  }
  raise_status(status, what);
}

ResidentPointer program(Table& all, const WeightSource& source, const at::Tensor& matrix) {
  const c10::DeviceIndex device = matrix.device().index();
  sidra_weight_program_args args{};
  args.struct_size = sizeof(args);
  args.outputs = static_cast<uint64_t>(matrix.size(0));
  args.inputs = static_cast<uint64_t>(matrix.size(1));
  args.values = reinterpret_cast<uint64_t>(matrix.const_data_ptr());
  args.output_stride = static_cast<uint64_t>(matrix.stride(0));
  args.input_stride = static_cast<uint64_t>(matrix.stride(1));
  args.type = SIDRA_VALUE_F32;
  const Submission submission = programming_of(device);
  sidra_stream* const stream = current_stream_handle(device);
  sidra_status status = driver().table->weight_program(stream, &args);
  while (status == SIDRA_STATUS_OUT_OF_CROSSBARS && all.eviction == Eviction::kLeastRecentlyUsed &&
         evict_one(all, device)) {
    status = driver().table->weight_program(stream, &args);
  }
  if (status != SIDRA_STATUS_OK) raise_programming(status, source, all.eviction);
  submission.book(args.cost, 0);
  return std::make_shared<Resident>(args.weight);
}

void update(Table& all, const WeightSource& source, const at::Tensor& matrix, Resident& resident) {
  sidra_weight_update_args args{};
  args.struct_size = sizeof(args);
  args.weight = resident.weight();
  args.outputs = static_cast<uint64_t>(matrix.size(0));
  args.values = reinterpret_cast<uint64_t>(matrix.const_data_ptr());
  args.output_stride = static_cast<uint64_t>(matrix.stride(0));
  args.input_stride = static_cast<uint64_t>(matrix.stride(1));
  const c10::DeviceIndex device = matrix.device().index();
  const Submission submission = programming_of(device);
  const sidra_status status = driver().table->weight_update(current_stream_handle(device), &args);
  if (status != SIDRA_STATUS_OK) raise_programming(status, source, all.eviction);
  submission.book(args.cost, 0);
}

}  // namespace

void set_eviction(Eviction eviction) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  all.eviction = eviction;
}

ResidentPointer make_resident(const WeightSource& source) {
  Block* const block = block_of(*source.tensor.storage().unsafeGetStorageImpl());
  TORCH_INTERNAL_ASSERT(block != nullptr, "a weight outside device memory");
  const Key key = key_of(source, block);
  Table& all = table();
  const WithoutMemoryContexts no_contexts;  // forget_block is called with the interpreter's lock
  const std::lock_guard lock(all.mutex);
  const uint64_t writes = block->writes.load(std::memory_order_acquire);
  auto found = all.slots.find(key);
  if (found == all.slots.end()) {
    set_release_observer(forget_block);
    ResidentPointer resident = program(all, source, source.matrix());
    block->resident.store(true, std::memory_order_release);
    found =
        all.slots.emplace(key, Slot{std::move(resident), writes, 0, 0, source.tensor.sizes().vec()})
            .first;
  } else if (found->second.writes != writes) {
    update(all, source, source.matrix(), *found->second.resident);
    found->second.writes = writes;
  }
  found->second.last_use = ++all.clock;
  ++found->second.uses;
  return found->second.resident;
}

const sidra_weight* weight_handle(const Resident& resident) { return resident.weight(); }

std::vector<ResidencyEntry> residency_entries() {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  std::vector<ResidencyEntry> entries;
  for (const auto& [key, slot] : all.slots) {
    sidra_weight_info info{};
    info.struct_size = sizeof(info);
    SIDRA_CHECK(driver().table->weight_query(slot.resident->weight(), &info), "weight_query");
    entries.push_back({key.block->device, slot.shape, key.part, info, slot.uses});
  }
  return entries;
}

void residency_clear() {
  Table& all = table();
  std::unordered_map<Key, Slot, KeyHash> freed;
  const std::lock_guard lock(all.mutex);
  freed.swap(all.slots);
}

}  // namespace sidra::runtime
