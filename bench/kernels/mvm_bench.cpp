// Microkernel timings on one core, beside what the core can do.
//
//   sidra_kernel_bench [--json] [--all] [--shapes FILE]
//
// The row timed is the one that SIDRA_ISA or the processor selects; --all times every row that runs
// here. A shape is `M K N`: 8-bit ADC, 256 word lines a tile, a bias. `of_peak` is the ratio to the
// row's multiply instruction with its operands in registers. At M = 1 every level is read once:
// `cold` takes each product's levels from memory, by going round many matrices; `hot` repeats one
// matrix, which has a bound, and so a ratio, where its levels fit the L2 cache.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "buffer.h"
#include "kernels/mvm/kernels.h"
#include "kernels/quantize/kernels.h"
#include "machine.h"
#include "timing.h"

namespace sidra::bench {
namespace {

using kernels::Isa;
using kernels::MvmKernel;
using kernels::QuantizeKernel;

constexpr uint64_t kTileRows = 256;
constexpr double kSecondsPerTiming = 1e-3;  // short: most are then not interrupted
constexpr int kRepeats = 60;

struct Options {
  bool json = false, all = false;
  std::string shapes = SIDRA_BENCH_SHAPES;
};

struct Shape {
  uint64_t vectors, rows, columns;
  double macs() const { return static_cast<double>(vectors * rows * columns); }
};

// What the core can do with one instruction set.
struct Machine {
  double peak_macs, memory_bytes, l2_bytes;  // a second
};

// One printed record: names and numbers, in order.
class Record {
 public:
  explicit Record(const std::string& name) : name_(name) {}
  void add(const char* key, double value) { fields_.push_back({key, value}); }
  void print(bool json) const {
    std::printf(json ? "{\"name\": \"%s\"" : "%-34s", name_.c_str());
    for (const Field& field : fields_) {
      std::printf(json ? ", \"%s\": %.6g" : "  %s %.5g", field.key, field.value);
    }
    std::printf(json ? "}\n" : "\n");
    std::fflush(stdout);
  }

 private:
  struct Field {
    const char* key;
    double value;
  };
  std::string name_;
  std::vector<Field> fields_;
};

// A product of one shape, with `copies` matrices.
class Product {
 public:
  Product(const Shape& shape, uint64_t copies)
      : shape_(shape),
        copies_(copies),
        padded_columns_(kernels::mvm_column_blocks(shape.columns) * kernels::kMvmBlockColumns),
        levels_(copies * packed_bytes()),
        sums_((shape.rows + kTileRows - 1) / kTileRows * padded_columns_),
        inverse_delta_(padded_columns_),
        gain_(padded_columns_),
        bias_(padded_columns_),
        codes_(shape.vectors * stride()),
        zero_(shape.vectors),
        scale_(shape.vectors),
        values_(shape.vectors * shape.columns) {
    std::vector<int8_t> levels(shape.columns * shape.rows);
    for (uint64_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<int8_t>(i * 37 % 255);
    kernels::mvm_pack(levels.data(), 0, shape.columns, shape.rows, shape.columns, kTileRows,
                      levels_.get(), sums_.get());
    for (uint64_t copy = 1; copy < copies; ++copy) {
      std::memcpy(levels_.get() + copy * packed_bytes(), levels_.get(), packed_bytes());
    }
    for (uint64_t n = 0; n < padded_columns_; ++n) {
      inverse_delta_.get()[n] = 1e-4f;
      gain_.get()[n] = bias_.get()[n] = 0.5f;
    }
    for (uint64_t i = 0; i < shape.vectors * stride(); ++i) {
      codes_.get()[i] = static_cast<uint8_t>(i * 101);
    }
    for (uint64_t m = 0; m < shape.vectors; ++m) {
      zero_.get()[m] = 100;
      scale_.get()[m] = 0.01f;
    }
  }

  // The product with one of the matrices.
  void run(kernels::MvmFunction function, uint64_t copy) const {
    const kernels::MvmWeights weights = {levels_.get() + copy * packed_bytes(),
                                         sums_.get(),
                                         inverse_delta_.get(),
                                         gain_.get(),
                                         shape_.rows,
                                         shape_.columns,
                                         kTileRows,
                                         127};
    const kernels::MvmInputs inputs = {codes_.get(), stride(), zero_.get(), scale_.get(),
                                       shape_.vectors};
    const kernels::MvmOutputs outputs = {values_.get(), shape_.columns, bias_.get(), false};
    function(weights, inputs, outputs, 0, kernels::mvm_column_blocks(shape_.columns));
  }

  // Seconds of one product: of the same again and again, and of the matrices taking turns.
  double hot_seconds(kernels::MvmFunction function) const {
    const auto body = [&] { run(function, 0); };
    const double once = best_seconds(1, 2, body);
    const int calls = once < kSecondsPerTiming ? static_cast<int>(kSecondsPerTiming / once) : 1;
    return best_seconds(calls, kRepeats, body);
  }
  double cold_seconds(kernels::MvmFunction function) const {
    return median_seconds(3 * copies_, [&](uint64_t i) { run(function, i % copies_); });
  }

  uint64_t packed_bytes() const { return kernels::mvm_packed_bytes(shape_.rows, shape_.columns); }

 private:
  uint64_t stride() const { return kernels::mvm_padded_rows(shape_.rows); }

  Shape shape_;
  uint64_t copies_, padded_columns_;
  Buffer<int8_t> levels_;
  Buffer<int32_t> sums_;
  Buffer<float> inverse_delta_, gain_, bias_;
  Buffer<uint8_t> codes_;
  Buffer<int32_t> zero_;
  Buffer<float> scale_, values_;
};

std::vector<Shape> read_shapes(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Shape> shapes;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    Shape shape;
    std::istringstream words(line);
    if (!(words >> shape.vectors >> shape.rows >> shape.columns)) {
      throw std::runtime_error(path + ": not `M K N`: " + line);
    }
    shapes.push_back(shape);
  }
  return shapes;
}

Machine measure_machine(Isa isa, bool json) {
  const Machine machine = {peak_macs_per_second(isa), memory_bytes_per_second(isa),
                           l2_bytes_per_second(isa)};
  Record record(std::string("machine.") + kernels::isa_name(isa));
  record.add("peak_gmacs", machine.peak_macs / 1e9);
  record.add("memory_gbytes", machine.memory_bytes / 1e9);
  record.add("l2_gbytes", machine.l2_bytes / 1e9);
  record.print(json);
  return machine;
}

// Turbo frequencies wander: the peak to compare with is the highest seen beside the product.
double peak_beside(Isa isa, Machine& machine) {
  machine.peak_macs = std::max(machine.peak_macs, peak_macs_per_second(isa));
  return machine.peak_macs;
}

void bench_mvm(const MvmKernel& kernel, Machine& machine, const Shape& shape, bool json) {
  const Product hot(shape, 1);
  const double seconds = hot.hot_seconds(kernel.function);
  Record record(kernel.name);
  record.add("M", static_cast<double>(shape.vectors));
  record.add("K", static_cast<double>(shape.rows));
  record.add("N", static_cast<double>(shape.columns));
  record.add("mmacs", shape.macs() / seconds / 1e6);
  if (machine.peak_macs > 0) {
    record.add("of_peak", shape.macs() / seconds / peak_beside(kernel.isa, machine));
  }
  if (shape.vectors == 1) {
    const double bytes = static_cast<double>(hot.packed_bytes());
    const uint64_t copies = more_than_caches_bytes() / hot.packed_bytes() + 1;
    const double cold = Product(shape, copies).cold_seconds(kernel.function);
    record.add("cold_gbytes", bytes / cold / 1e9);
    record.add("of_memory", bytes / cold / machine.memory_bytes);
    record.add("hot_gbytes", bytes / seconds / 1e9);
    if (bytes < 0.75 * static_cast<double>(l2_bytes())) {
      record.add("of_l2", bytes / seconds / machine.l2_bytes);
    }
  }
  record.print(json);
}

// `count` elements of each of 16 vectors; the bytes counted are those of the elements.
void bench_quantize(const QuantizeKernel& kernel, uint64_t count, bool json) {
  constexpr uint64_t kVectors = 16;
  const Buffer<float> x(kVectors * count);
  const Buffer<uint8_t> codes(kVectors * count);
  for (uint64_t i = 0; i < kVectors * count; ++i) {
    x.get()[i] = static_cast<float>(i * 7919 % 2003) * 1e-3f - 0.7f;
  }
  float scale = 0;
  int32_t zero = 0;
  const double bytes = static_cast<double>(kVectors * count * sizeof(float));
  const int calls = static_cast<int>(kSecondsPerTiming * 30e9 / bytes) + 1;
  const double most_squares = 400.0 * static_cast<double>(count);  // y1's; these are encoded twice
  const double dynamic_seconds = best_seconds(calls, kRepeats, [&] {
    for (uint64_t m = 0; m < kVectors; ++m) {
      kernel.function(x.get() + m * count, count, count, 255, most_squares, codes.get() + m * count,
                      &scale, &zero);
    }
  });
  const double static_seconds = best_seconds(calls, kRepeats, [&] {
    for (uint64_t m = 0; m < kVectors; ++m) {
      kernel.static_function(x.get() + m * count, count, count, 255, 0.01f, 100,
                             codes.get() + m * count);
    }
  });
  Record record(kernel.name);
  record.add("K", static_cast<double>(count));
  record.add("dynamic_gbytes", bytes / dynamic_seconds / 1e9);
  record.add("static_gbytes", bytes / static_seconds / 1e9);
  record.print(json);
}

void run(const Options& options) {
  const std::vector<Shape> shapes = read_shapes(options.shapes);
  for (const MvmKernel& kernel : kernels::mvm_kernels()) {
    const bool chosen = options.all || kernel.name == std::string(kernels::mvm_name());
    if (!chosen || !kernels::isa_supported(kernel.isa)) continue;
    Machine machine = measure_machine(kernel.isa, options.json);
    for (const Shape& shape : shapes) {
      // A definition is not made to be fast: only what takes less than a second.
      if (kernel.isa == Isa::kScalar && shape.macs() > 1e8) continue;
      bench_mvm(kernel, machine, shape, options.json);
    }
  }
  for (const QuantizeKernel& kernel : kernels::quantize_kernels()) {
    const bool chosen = options.all || kernel.name == std::string(kernels::quantize_name());
    if (!chosen || !kernels::isa_supported(kernel.isa)) continue;
    for (uint64_t count : {384, 768, 3072}) bench_quantize(kernel, count, options.json);
  }
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      options.json = true;
    } else if (word == "--all") {
      options.all = true;
    } else if (word == "--shapes" && i + 1 < argc) {
      options.shapes = argv[++i];
    } else {
      throw std::runtime_error("usage: sidra_kernel_bench [--json] [--all] [--shapes FILE]");
    }
  }
  return options;
}

}  // namespace
}  // namespace sidra::bench

int main(int argc, char** argv) {
  try {
    sidra::bench::run(sidra::bench::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
