// Instances, devices and the services that the opener lends.
#include <atomic>
#include <cmath>

#include "drivers/conformance/target.h"

namespace sidra::conformance {
namespace {

sidra_status create(const char* config) {
  auto args = sized<sidra_instance_create_args>();
  args.config = config;
  const sidra_status status = driver().instance_create(&args);
  if (status == SIDRA_STATUS_OK) driver().instance_destroy(args.instance);
  return status;
}

TEST(instance_offers_the_devices_asked_for) {
  for (const int devices : {1, 2}) {
    const Session session(devices);
    CHECK_EQ(session.device_count(), devices);
  }
}

TEST(instance_takes_an_absent_and_an_empty_config) {
  CHECK_OK(create(nullptr));
  CHECK_OK(create(""));
}

TEST(instance_refuses_an_unknown_key_and_names_it) {
  const std::string text =
      CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, create("no_such_key_at_all=1\n"));
  CHECK(text.find("no_such_key_at_all") != std::string::npos);
}

TEST(instance_refuses_bad_values_and_names_the_key) {
  for (const char* config : {"devices=0\n", "devices=many\n", "devices=-1\n", "devices=\n"}) {
    const std::string text = CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, create(config));
    CHECK(text.find("devices") != std::string::npos);
  }
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, create("not a pair\n"));
}

TEST(instance_null_is_refused) {
  double seconds = 0;
  uint64_t bytes = 0;
  sidra_stream* stream = nullptr;
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().instance_destroy(nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().device_synchronize(nullptr, 0));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().memory_alloc(nullptr, 0, 64, &bytes));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().stream_create(nullptr, 0, 0, &stream));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().stream_clock(nullptr, &seconds));
}

TEST(device_out_of_range_is_not_found) {
  const Session session;
  sidra_instance* const instance = session.instance();
  for (const int32_t device : {-1, 1, INT32_MAX}) {
    auto properties = sized<sidra_device_properties>();
    auto counters = sized<sidra_counters>();
    uint64_t a = 0, b = 0;
    sidra_stream* stream = nullptr;
    sidra_event* event = nullptr;
    CHECK_FAILS(SIDRA_STATUS_NOT_FOUND, driver().device_properties(instance, device, &properties));
    CHECK_FAILS(SIDRA_STATUS_NOT_FOUND, driver().device_counters(instance, device, &counters));
    CHECK_FAILS(SIDRA_STATUS_NOT_FOUND, driver().device_synchronize(instance, device));
    CHECK_FAILS(SIDRA_STATUS_NOT_FOUND, driver().memory_alloc(instance, device, 64, &a));
    CHECK_FAILS(SIDRA_STATUS_NOT_FOUND, driver().memory_info(instance, device, &a, &b));
    CHECK_FAILS(SIDRA_STATUS_NOT_FOUND, driver().stream_create(instance, device, 0, &stream));
    CHECK_FAILS(SIDRA_STATUS_NOT_FOUND, driver().event_create(instance, device, &event));
  }
}

TEST(device_properties_hang_together) {
  const Session session(2);
  const sidra_device_properties properties = session.properties();
  CHECK(properties.name[0] != '\0' && properties.name[63] == '\0');
  CHECK(properties.crossbar_rows > 0 && properties.crossbar_columns > 0);
  CHECK(properties.clusters > 0 && properties.compute_units >= properties.clusters);
  CHECK(properties.crossbars >= properties.compute_units);
  uint64_t free = 0, total = 0;
  CHECK_OK(driver().memory_info(session.instance(), 0, &free, &total));
  CHECK_EQ(total, properties.memory_bytes);
  CHECK(free <= total);
  CHECK_EQ(session.properties(1).flags, properties.flags);
}

TEST(device_starts_with_counters_at_zero) {
  const Session session;
  const sidra_counters counters = session.counters();
  CHECK_EQ(counters.mvms, uint64_t{0});
  CHECK_EQ(counters.cells_written, uint64_t{0});
  CHECK_EQ(counters.bytes_to_device, uint64_t{0});
  CHECK_EQ(counters.engine_seconds, 0.0);
  CHECK_EQ(counters.static_joules, 0.0);
  CHECK_EQ(counters.crossbars_used, uint32_t{0});
}

TEST(instances_are_independent) {
  const Session first;
  const uint64_t before = first.free_bytes();
  {
    const Session second;
    const Memory memory(second, 4096);
    CHECK_EQ(first.free_bytes(), before);
  }
  const Memory memory(first, 4096);
  CHECK(first.free_bytes() < before);
}

TEST(instance_destroyed_takes_its_handles_along) {
  auto args = sized<sidra_instance_create_args>();
  args.config = target_config().c_str();
  CHECK_OK(driver().instance_create(&args));
  sidra_stream* stream = nullptr;
  sidra_event* event = nullptr;
  uint64_t address = 0;
  CHECK_OK(driver().stream_create(args.instance, 0, 0, &stream));
  CHECK_OK(driver().event_create(args.instance, 0, &event));
  CHECK_OK(driver().memory_alloc(args.instance, 0, 4096, &address));
  const float value = 1;
  CHECK_OK(driver().copy_to_device(stream, address, &value, sizeof(value), nullptr));
  auto program = sized<sidra_weight_program_args>();
  program.outputs = program.inputs = 1;
  program.values = address;
  CHECK_OK(driver().weight_program(stream, &program));
  auto mvm = sized<sidra_mvm_args>();
  mvm.weight = program.weight;
  mvm.vectors = 1;
  mvm.input = address;
  mvm.output = address + 64;
  for (int i = 0; i < 100; ++i) CHECK_OK(driver().mvm(stream, &mvm));
  CHECK_OK(driver().event_record(event, stream));
  CHECK_OK(driver().instance_destroy(args.instance));  // streams still busy, where they can be
}

// ---- services -------------------------------------------------------------------------------

struct Calls {
  std::atomic<uint64_t> parallel_for{0}, matmul{0};
};

void serial_for(void* context, uint64_t count, uint64_t grain, sidra_range_function body,
                void* body_context) {
  static_cast<Calls*>(context)->parallel_for++;
  for (uint64_t begin = 0; begin < count; begin += grain) {
    body(body_context, begin, count - begin < grain ? count : begin + grain);
  }
}

void plain_matmul(void* context, const sidra_matmul_f32_args* args) {
  static_cast<Calls*>(context)->matmul++;
  for (uint64_t m = 0; m < args->rows; ++m) {
    for (uint64_t n = 0; n < args->columns; ++n) {
      float sum = 0;
      for (uint64_t k = 0; k < args->depth; ++k) {
        sum += args->left[m * args->left_stride + k] * args->right[n * args->right_stride + k];
      }
      args->output[m * args->output_stride + n] = sum;
    }
  }
}

// With services, as with the first half of them only, the product is the one without.
TEST(services_do_not_change_the_product) {
  Calls calls;
  const sidra_host_services services{sizeof(sidra_host_services), &calls, serial_for, plain_matmul};
  sidra_host_services half = services;
  half.struct_size = offsetof(sidra_host_services, matmul_f32);
  half.matmul_f32 = nullptr;
  std::vector<float> first;
  for (const sidra_host_services* lent :
       {static_cast<const sidra_host_services*>(nullptr), &services,
        static_cast<const sidra_host_services*>(&half)}) {
    const Session session(1, lent);
    const Stream stream(session);
    const uint64_t size = session.properties().crossbars < 64 ? 8 : 192;
    std::vector<float> values(size * size);
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i));
    const Values<float> operand(session, stream, values);
    const Values<float> result(session, stream, std::vector<float>(values.size()));
    auto program = sized<sidra_weight_program_args>();
    program.outputs = program.inputs = program.output_stride = size;
    program.input_stride = 1;
    program.values = operand.address();
    CHECK_OK(driver().weight_program(stream, &program));
    auto mvm = sized<sidra_mvm_args>();
    mvm.weight = program.weight;
    mvm.vectors = mvm.input_stride = mvm.output_stride = size;
    mvm.input = operand.address();
    mvm.output = result.address();
    CHECK_OK(driver().mvm(stream, &mvm));
    const std::vector<float> got = result.read(stream);
    CHECK_OK(driver().weight_free(program.weight));
    if (lent == nullptr) first = got;
    for (size_t i = 0; i < got.size(); ++i) CHECK(std::fabs(got[i] - first[i]) < 1e-2f);
  }
}

}  // namespace
}  // namespace sidra::conformance
