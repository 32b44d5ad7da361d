#include "drivers/sim/cost.h"

#include <cmath>
#include <cstdio>

#include "drivers/sim/placement.h"
#include "testing/check.h"

namespace sidra::sim {
namespace {

bool close(double a, double b) { return std::fabs(a - b) <= 1e-12 * std::fabs(b); }

TEST(cost_of_one_mvm_by_hand) {
  const ChipSpec spec = preset("y1");
  const CostModel model(spec);
  // One full crossbar, one vector.
  const Charge charge = model.mvm({1, 256, 256, 1, 1, 1, true});
  CHECK_EQ(charge.totals.mvms, uint64_t{1});
  CHECK(close(charge.totals.mvm_seconds, 15e-9));
  CHECK(close(charge.totals.array_joules, 10e-3 * 15e-9));
  CHECK(close(charge.totals.dac_joules, 256 * 0.8e-12));
  CHECK(close(charge.totals.adc_joules, 256 * 1e-12));
  // 3 operations an input, 2 an output, on 400 engines of 4 lanes at 1 GHz.
  CHECK(close(charge.totals.engine_seconds, 256 * 5 / 1.6e12));
  CHECK(close(charge.totals.engine_joules, 256 * 5 * 1e-12));
  CHECK(close(charge.totals.memory_joules, 2 * 256 * 4 * 0.5e-12));
  CHECK(close(charge.cost.chip_seconds, 15e-9 + 256 * 5 / 1.6e12));
}

TEST(cost_of_tiles_that_share_converters) {
  ChipSpec spec = preset("y1");
  const CostModel shared(spec);
  ChipSpec own = spec;
  own.converters_per = "crossbar";
  const CostModel separate(own);
  const MvmWork work{10, 512, 512, 2, 2, 3, false};
  CHECK(close(shared.mvm(work).totals.mvm_seconds, 10 * 15e-9 * 3));
  CHECK(close(separate.mvm(work).totals.mvm_seconds, 10 * 15e-9));
  CHECK_EQ(shared.mvm(work).totals.mvms, uint64_t{40});
  CHECK(close(shared.mvm(work).totals.array_joules, 40 * 150e-12));
  CHECK(close(shared.mvm(work).totals.dac_joules, 10 * 512 * 2 * 0.8e-12));
  CHECK(close(shared.mvm(work).totals.adc_joules, 10 * 512 * 2 * 1e-12));
}

TEST(cost_of_engine_work) {
  const ChipSpec spec = preset("y1");
  const CostModel model(spec);
  const Charge compute = model.engine({1600, 1600, 8});
  CHECK(close(compute.cost.chip_seconds, 3200 / 1.6e12));
  CHECK(close(compute.totals.engine_joules, 1600 * 1e-12 + 1600 * 0.5e-12));
  const Charge bytes = model.engine({1, 0, 128000});
  CHECK(close(bytes.cost.chip_seconds, 128000 / (400 * 32e9)));
  CHECK(close(bytes.totals.memory_joules, 128000 * 0.5e-12));
  CHECK_EQ(model.engine({0, 0, 0}).cost.joules, 0.0);
}

TEST(cost_of_crossing_the_link) {
  const ChipSpec spec = preset("y1");
  const CostModel model(spec);
  const Charge both = model.host(16000, 32000);
  CHECK(close(both.cost.chip_seconds, 2 * 1e-6 + 48000 / 16e9));
  CHECK(close(both.totals.link_joules, 48000 * 40e-12));
  CHECK_EQ(both.totals.bytes_to_host, uint64_t{16000});
  CHECK_EQ(both.totals.bytes_to_device, uint64_t{32000});
  CHECK(close(model.host(16000, 0).cost.chip_seconds, 2e-6));
  CHECK_EQ(model.host(0, 0).cost.chip_seconds, 0.0);
}

TEST(cost_of_programming) {
  ChipSpec spec = preset("y1");
  const CostModel model(spec);
  // Pulses of 10 ns * 1.2^i, i < 6, and six reads of 15 ns.
  double column = 6 * 15e-9;
  for (int i = 0; i < 6; ++i) column += 10e-9 * std::pow(1.2, i);
  const Charge charge = model.programming({65536, 256});
  CHECK(close(charge.totals.programming_seconds, 256 * column));
  CHECK(close(charge.totals.programming_joules, 65536 * 6 * 2e-12));
  CHECK_EQ(charge.totals.cells_written, uint64_t{65536});
  spec.ispp_width_factor = 1;
  CHECK(close(CostModel(spec).programming({1, 1}).cost.chip_seconds, 6 * (10e-9 + 15e-9)));
  CHECK_EQ(model.programming({0, 0}).cost.joules, 0.0);
}

TEST(cost_parts_add_up_in_both_profiles) {
  const ChipSpec spec = preset("y1");
  const CostModel model(spec);
  for (const Charge& charge :
       {model.mvm({7, 300, 200, 2, 1, 1, true}), model.programming({1000, 100}),
        model.engine({5, 6, 7}), model.host(8, 9)}) {
    const Totals& t = charge.totals;
    const double seconds =
        t.mvm_seconds + t.engine_seconds + t.programming_seconds + t.transfer_seconds;
    const double joules = t.array_joules + t.dac_joules + t.adc_joules + t.engine_joules +
                          t.memory_joules + t.link_joules + t.programming_joules + t.static_joules;
    CHECK(close(charge.cost.chip_seconds, seconds));
    CHECK(close(charge.cost.joules, joules));
    CHECK(close(t.static_joules, 0.25 * seconds));
    CHECK(close(charge.cost.datasheet_joules, 3 * seconds));
  }
}

// ---- sanity: whole models, against the figures of the chip's description -------------------

class Estimate {
 public:
  Estimate() : spec_(preset("y1")), model_(spec_), pool_(spec_) {}

  void linear(uint64_t vectors, uint64_t outputs, uint64_t inputs) {
    const Placement placed = pool_.take(outputs, inputs);
    mvms_ += model_
                 .mvm({vectors, inputs, outputs, placed.row_tiles, placed.column_tiles,
                       placed.tiles_in_one_unit, true})
                 .totals;
    const uint64_t columns = spec_.crossbar_columns * placed.tiles_in_one_unit;
    programming_ += model_.programming({outputs * inputs, columns}).totals;
  }
  void engine(uint64_t operations, uint64_t lookups, uint64_t bytes) {
    engine_ += model_.engine({operations, lookups, bytes}).totals;
  }

  double mvm_seconds() const { return mvms_.mvm_seconds; }
  double digital_seconds() const { return mvms_.engine_seconds + engine_.engine_seconds; }
  double programming_seconds() const { return programming_.programming_seconds; }
  double joules() const {
    Totals t = mvms_;
    t += engine_;
    return t.array_joules + t.dac_joules + t.adc_joules + t.engine_joules + t.memory_joules +
           t.static_joules;
  }

 private:
  const ChipSpec spec_;
  const CostModel model_;
  CrossbarPool pool_;
  Totals mvms_, engine_, programming_;
};

// BERT-base: 12 layers of 12 heads, width 768, feed-forward 3072.
void bert_layer(Estimate& chip, uint64_t tokens) {
  const uint64_t width = 768, wide = 3072, heads = 12, scores = heads * tokens * tokens;
  for (int i = 0; i < 4; ++i) chip.linear(tokens, width, width);
  chip.linear(tokens, wide, width);
  chip.linear(tokens, width, wide);
  const uint64_t products = scores * (width / heads);
  chip.engine(products, 0, 4 * (2 * tokens * width + scores));       // scores = Q K^T
  chip.engine(4 * scores, scores, 4 * 2 * scores);                   // softmax
  chip.engine(products, 0, 4 * (2 * tokens * width + scores));       // times V
  chip.engine(tokens * wide, tokens * wide, 4 * 2 * tokens * wide);  // GELU
  for (int i = 0; i < 2; ++i) chip.engine(8 * tokens * width, 0, 4 * 3 * tokens * width);
}

TEST(cost_of_bert_base_is_near_5_ms) {
  Estimate chip;
  for (int layer = 0; layer < 12; ++layer) bert_layer(chip, 512);
  const double seconds = chip.mvm_seconds() + chip.digital_seconds();
  std::printf(
      "BERT-base, 512 tokens: %.2f ms (crossbars %.2f, engines %.2f), %.1f mJ; "
      "programmed in %.2f ms\n",
      1e3 * seconds, 1e3 * chip.mvm_seconds(), 1e3 * chip.digital_seconds(), 1e3 * chip.joules(),
      1e3 * chip.programming_seconds());
  CHECK(seconds > 2.5e-3 && seconds < 10e-3);
  CHECK(chip.programming_seconds() < 2);
}

}  // namespace
}  // namespace sidra::sim
