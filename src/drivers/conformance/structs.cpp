// Argument structs of an older and of a newer caller.
#include <cstring>

#include "drivers/conformance/target.h"

namespace sidra::conformance {
namespace {

constexpr unsigned char kCanary = 0xa5;

// A struct of a caller that knows `size` bytes of it, on a field of canaries.
template <typename T>
class Foreign {
 public:
  explicit Foreign(size_t size) : size_(size) {
    std::memset(bytes_, kCanary, sizeof(bytes_));
    std::memset(bytes_, 0, size);
    get()->struct_size = size;
  }
  T* get() { return reinterpret_cast<T*>(bytes_); }
  void check() {
    CHECK_EQ(get()->struct_size, size_);
    for (size_t i = size_; i < sizeof(bytes_); ++i) CHECK_EQ(int{bytes_[i]}, int{kCanary});
  }

 private:
  static constexpr size_t kTail = 64;
  const size_t size_;
  alignas(T) unsigned char bytes_[sizeof(T) + kTail];
};

template <typename T>
constexpr size_t kLonger = sizeof(T) + 16;

TEST(struct_size_of_zero_is_refused) {
  const Session session;
  const Stream stream(session);
  sidra_instance_create_args create{};
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().instance_create(&create));
  sidra_device_properties properties{};
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT,
              driver().device_properties(session.instance(), 0, &properties));
  sidra_counters counters{};
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT,
              driver().device_counters(session.instance(), 0, &counters));
  sidra_weight_program_args program{};
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_program(stream, &program));
  sidra_weight_update_args update{};
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_update(stream, &update));
  sidra_mvm_args mvm{};
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().mvm(stream, &mvm));
  sidra_work_args work{};
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().account_work(stream, &work));
}

TEST(struct_null_is_refused) {
  const Session session;
  const Stream stream(session);
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().instance_create(nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT,
              driver().device_properties(session.instance(), 0, nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT,
              driver().device_counters(session.instance(), 0, nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_program(stream, nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_update(stream, nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().mvm(stream, nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().account_work(stream, nullptr));
}

TEST(struct_shorter_gets_its_own_fields_only) {
  const Session session;
  const Stream stream(session);
  Foreign<sidra_device_properties> properties(offsetof(sidra_device_properties, crossbars));
  CHECK_OK(driver().device_properties(session.instance(), 0, properties.get()));
  CHECK_EQ(properties.get()->crossbar_rows, session.properties().crossbar_rows);
  properties.check();

  Foreign<sidra_counters> counters(offsetof(sidra_counters, array_joules));
  CHECK_OK(driver().device_counters(session.instance(), 0, counters.get()));
  counters.check();

  Foreign<sidra_work_args> work(offsetof(sidra_work_args, cost));
  work.get()->alu_operations = 1000;
  CHECK_OK(driver().account_work(stream, work.get()));
  work.check();
}

TEST(struct_longer_is_taken_and_its_tail_left_alone) {
  const Session session;
  const Stream stream(session);
  Foreign<sidra_device_properties> properties(kLonger<sidra_device_properties>);
  CHECK_OK(driver().device_properties(session.instance(), 0, properties.get()));
  CHECK_EQ(properties.get()->memory_bytes, session.properties().memory_bytes);
  properties.check();

  Foreign<sidra_counters> counters(kLonger<sidra_counters>);
  CHECK_OK(driver().device_counters(session.instance(), 0, counters.get()));
  counters.check();

  Foreign<sidra_work_args> work(kLonger<sidra_work_args>);
  work.get()->alu_operations = 1000;
  CHECK_OK(driver().account_work(stream, work.get()));
  work.check();

  Foreign<sidra_instance_create_args> create(kLonger<sidra_instance_create_args>);
  CHECK_OK(driver().instance_create(create.get()));
  CHECK(create.get()->device_count >= 1);
  create.check();
  CHECK_OK(driver().instance_destroy(create.get()->instance));
}

TEST(struct_sizes_of_weight_commands_vary) {
  const Session session;
  const Stream stream(session);
  const Values<float> one(session, stream, {1.0f});
  const Values<float> result(session, stream, {0.0f});

  Foreign<sidra_weight_program_args> program(kLonger<sidra_weight_program_args>);
  program.get()->outputs = program.get()->inputs = 1;
  program.get()->values = one.address();
  program.get()->type = SIDRA_VALUE_F32;
  CHECK_OK(driver().weight_program(stream, program.get()));
  program.check();
  sidra_weight* const weight = program.get()->weight;

  Foreign<sidra_mvm_args> mvm(offsetof(sidra_mvm_args, input_scale));
  mvm.get()->weight = weight;
  mvm.get()->vectors = 1;
  mvm.get()->input = one.address();
  mvm.get()->output = result.address();
  CHECK_OK(driver().mvm(stream, mvm.get()));
  mvm.check();

  Foreign<sidra_weight_update_args> update(offsetof(sidra_weight_update_args, scales));
  update.get()->weight = weight;
  update.get()->outputs = 1;
  update.get()->values = one.address();
  CHECK_OK(driver().weight_update(stream, update.get()));
  update.check();

  Foreign<sidra_weight_info> info(offsetof(sidra_weight_info, crossbars));
  CHECK_OK(driver().weight_query(weight, info.get()));
  CHECK_EQ(info.get()->outputs, uint64_t{1});
  info.check();
  stream.synchronize();
  CHECK_OK(driver().weight_free(weight));
}

}  // namespace
}  // namespace sidra::conformance
