// tdpbusd: a tile of codes, 16 vectors x 64 rows, times a tile of levels, 64 rows x 16 columns,
// added to a tile of int32 sums. It takes 16 cycles in a unit of its own, so the products of one
// unit of work run beside the conversion of the one before it.
#include <cstring>

#include "kernels/mvm/kernels.h"
#include "kernels/mvm/x86_block.h"
#include "kernels/mvm/x86_vnni512.h"

namespace sidra::kernels {
namespace {

constexpr uint64_t kTileVectors = 16;
constexpr uint64_t kTileGroups = 16;  // row groups of one step
constexpr uint64_t kStepRows = kTileGroups * kMvmRowGroup;
constexpr uint64_t kAmxVectors = 2 * kTileVectors;
constexpr uint64_t kAmxChunk = 4 * kAmxVectors;
constexpr int kTileColumns = 16;
constexpr uint64_t kUnitProducts = 4 * kTileVectors * kTileColumns;
// With fewer vectors, tiles are mostly empty and vpdpbusd is as fast.
constexpr uint64_t kFewVectors = 4;
// Of longer tiles the sum of a column's levels may not fit int16.
constexpr uint64_t kLongestTile = 256;

// Tile registers, whose numbers must be literals: 0 to 3 hold sums, 4 and 5 codes, 6 and 7 levels.
// With more than 16 vectors the sums are two rows of two: 0 and 1 for the first 16 vectors, 2 and 3
// for the others; else one row of four.

// The operand of ldtilecfg.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// The shapes that the tile registers of this thread have. Setting them takes as long as multiplying
// four pairs of tiles, so it is done when the number of vectors changes.
class TileState {
 public:
  ~TileState() { _tile_release(); }  // else every switch of threads would save 8 KiB

  void set(uint64_t vectors) {
    if (vectors == vectors_) return;
    vectors_ = vectors;
    const bool two = vectors > kTileVectors;
    const auto first = static_cast<uint8_t>(two ? kTileVectors : vectors);
    const auto others = static_cast<uint8_t>(two ? vectors - kTileVectors : vectors);
    const uint8_t rows[8] = {first, first, others, others, first, others, kTileGroups, kTileGroups};
    TileShapes shapes;
    for (int tile = 0; tile < 8; ++tile) {
      shapes.row_bytes[tile] = 64;
      shapes.rows[tile] = rows[tile];
    }
    _tile_loadconfig(&shapes);
  }

 private:
  uint64_t vectors_ = 0;
};

void zero_sums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

// What one step of 64 rows multiplies. Levels as packed: 256 bytes from one row group to the next.
struct Step {
  const uint8_t* codes;
  uint64_t code_stride;
  const int8_t* levels;  // of the first column
};

// Up to 32 vectors times 32 columns, or up to 16 vectors times 64 columns.
template <bool kTwo>
struct Tiles;

template <>
struct Tiles<true> {
  static constexpr int kColumns = 2 * kTileColumns;

  static void multiply(const Step& step) {
    _tile_loadd(4, step.codes, step.code_stride);
    _tile_loadd(6, step.levels, kGroupBytes);
    _tile_loadd(7, step.levels + kTileColumns * kRowGroup, kGroupBytes);
    _tile_loadd(5, step.codes + kTileVectors * step.code_stride, step.code_stride);
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  }

  static void store(int32_t* products) {
    constexpr uint64_t kStride = sizeof(int32_t) * kColumns;
    int32_t* const others = products + kTileVectors * kColumns;
    _tile_stored(0, products, kStride);
    _tile_stored(1, products + kTileColumns, kStride);
    _tile_stored(2, others, kStride);
    _tile_stored(3, others + kTileColumns, kStride);
  }
};

template <>
struct Tiles<false> {
  static constexpr int kColumns = 4 * kTileColumns;

  static void multiply(const Step& step) {
    constexpr int kTileBytes = kTileColumns * kRowGroup;
    _tile_loadd(4, step.codes, step.code_stride);
    _tile_loadd(6, step.levels, kGroupBytes);
    _tile_loadd(7, step.levels + kTileBytes, kGroupBytes);
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    _tile_loadd(6, step.levels + 2 * kTileBytes, kGroupBytes);
    _tile_loadd(7, step.levels + 3 * kTileBytes, kGroupBytes);
    _tile_dpbusd(2, 4, 6);
    _tile_dpbusd(3, 4, 7);
  }

  static void store(int32_t* products) {
    constexpr uint64_t kStride = sizeof(int32_t) * kColumns;
    _tile_stored(0, products, kStride);
    _tile_stored(1, products + kTileColumns, kStride);
    _tile_stored(2, products + 2 * kTileColumns, kStride);
    _tile_stored(3, products + 3 * kTileColumns, kStride);
  }
};

// The row groups of each step whose levels, of the next column block, a chunk asks for: they come
// from memory to the L2 cache while this block's are multiplied, every chunk bringing its share.
struct Ahead {
  uint64_t bytes;  // to the next column block
  uint64_t first_group, last_group;
};

template <int kColumns>
inline void fetch(const int8_t* levels, const Ahead& ahead) {
  // Addresses, not pointers: behind the last level there may be nothing.
  const uintptr_t next = reinterpret_cast<uintptr_t>(levels) + ahead.bytes;
  for (uint64_t group = ahead.first_group; group < ahead.last_group; ++group) {
    SIDRA_UNROLL
    for (int byte = 0; byte < kColumns * kRowGroup; byte += 64) {
      __builtin_prefetch(reinterpret_cast<const void*>(next + group * kGroupBytes + byte), 0, 2);
    }
  }
}

// The converter of one unit's products, a few vectors at a time; of the last row tile's it makes
// the outputs.
template <bool kAdc, int kColumns>
class Conversion {
 public:
  using Vector = Avx512Vnni;
  using Int = Vector::Int;

  Conversion() = default;
  Conversion(const Pass& pass, const Result& result, bool is_last, bool relu, int column,
             const int32_t* products)
      : pass_(pass),
        result_(result),
        is_last_(is_last),
        relu_(relu),
        column_(column),
        products_(products) {}

  void advance(uint64_t count) {
    const uint64_t end = next_ + count < result_.vectors ? next_ + count : result_.vectors;
    if (next_ == end) return;
    SIDRA_UNROLL
    for (int lane = 0; lane < kColumns; lane += Vector::kLanes) {
      if (is_last_) {
        write_column(lane, next_, end);
      } else {
        add_column(lane, next_, end);
      }
    }
    next_ = end;
  }
  void finish() { advance(result_.vectors); }

 private:
  // What the columns of one register share.
  struct Column {
    Vector::Float limit, inverse_delta;
    Int level_sum;
    const int32_t* products;
    int32_t* sums;
  };

  [[gnu::always_inline]] inline Column column_of(int lane) const {
    const int column = column_ + lane;
    return {Vector::fill(pass_.adc_limit),
            kAdc ? Vector::load(pass_.inverse_delta + column) : Vector::fill(0),
            Vector::load_int(pass_.column_sums + column), products_ + lane, pass_.sums + column};
  }

  // a of mvm.h, up to this row tile.
  [[gnu::always_inline]] inline Int sum_of(const Column& column, uint64_t m) const {
    // The low halves of each lane's operands are multiplied: both fit int16.
    const auto minus_zero = Vector::fill_int(-pass_.zero[m] & 0xffff);
    const auto product = Vector::load_int(column.products + m * kColumns);
    auto value =
        Int(_mm512_dpwssd_epi32(__m512i(product), __m512i(minus_zero), __m512i(column.level_sum)));
    if constexpr (kAdc) value = convert<Vector>(value, column.inverse_delta, column.limit);
    if (pass_.first) return value;
    return Vector::add_int(value, Vector::load_int(column.sums + m * kBlockColumns));
  }

  // Vectors [begin, end) of the columns of one register.
  [[gnu::always_inline]] inline void add_column(int lane, uint64_t begin, uint64_t end) const {
    const Column column = column_of(lane);
    for (uint64_t m = begin; m < end; ++m) {
      Vector::store_int(column.sums + m * kBlockColumns, sum_of(column, m));
    }
  }

  [[gnu::always_inline]] inline void write_column(int lane, uint64_t begin, uint64_t end) const {
    const int present = result_.columns - column_ - lane;
    if (present <= 0) return;
    const Column column = column_of(lane);
    const auto gain = Vector::load(result_.gain + column_ + lane);
    const int count = present < Vector::kLanes ? present : Vector::kLanes;
    // Adding -0 changes no value, not even the sign of a zero.
    auto bias = Vector::fill(-0.0f);
    if (result_.bias) bias = Vector::load_first(result_.bias + column_ + lane, count);
    float* values = result_.values + begin * result_.stride + column_ + lane;
    for (uint64_t m = begin; m < end; ++m, values += result_.stride) {
      auto y = Vector::multiply(Vector::to_float(sum_of(column, m)), gain);
      y = Vector::add(Vector::multiply(y, Vector::fill(result_.scale[m])), bias);
      if (relu_) y = Vector::max(Vector::fill(0.0f), y);
      Vector::store_first(values, y, count);
    }
  }

  Pass pass_ = {};
  Result result_ = {};
  bool is_last_ = false, relu_ = false;
  int column_ = 0;
  const int32_t* products_ = nullptr;
  uint64_t next_ = 0;
};

// The last rows of a tile when they do not fill a step: copied, with zero levels behind them.
class PaddedStep {
 public:
  PaddedStep(const Pass& pass, uint64_t vectors) {
    const uint64_t done = pass.groups / kTileGroups * kTileGroups, rest = pass.groups - done;
    std::memcpy(levels_, pass.levels + done * kGroupBytes, rest * kGroupBytes);
    std::memset(levels_ + rest * kGroupBytes, 0, (kTileGroups - rest) * kGroupBytes);
    for (uint64_t m = 0; m < vectors; ++m) {
      std::memcpy(codes_ + m * kStepRows, pass.codes + m * pass.code_stride + done * kMvmRowGroup,
                  rest * kMvmRowGroup);
    }
    // The tile loads are opaque to the compiler: it must have written what they read.
    __asm__ volatile("" ::"r"(levels_), "r"(codes_) : "memory");
  }

  Step step(int column) const { return {codes_, kStepRows, levels_ + column * kRowGroup}; }

 private:
  alignas(64) int8_t levels_[kTileGroups * kGroupBytes];
  alignas(64) uint8_t codes_[kAmxVectors * kStepRows] = {};
};

template <bool kAdc>
class AmxBlock : public Block<Avx512Vnni, kAdc> {
 public:
  using Base = Block<Avx512Vnni, kAdc>;

  AmxBlock(const MvmWeights& weights, const MvmInputs& inputs, const MvmOutputs& outputs,
           uint64_t block, TileState& tile_shapes)
      : Base(weights, inputs, outputs, block), tile_shapes_(tile_shapes) {}

  // Vectors [begin, begin + count), count <= kAmxChunk.
  void run_chunk(uint64_t begin, uint64_t count) {
    if (count < kFewVectors || this->weights_.tile_rows > kLongestTile) {
      for (uint64_t done = 0, part; done < count; done += part) {
        part = even_part(count - done, kChunkVectors);
        Base::run_chunk(begin + done, part);
      }
    } else if (count <= kTileVectors) {
      run_tiles<false>(begin, count);
    } else {
      run_tiles<true>(begin, count);
    }
  }

 private:
  // A unit of work is a row tile's products of one part of the vectors for Tiles::kColumns columns.
  // All parts use a tile's levels before the next tile's come, so these stay in the L1 cache.
  template <bool kTwo>
  void run_tiles(uint64_t begin, uint64_t count) {
    constexpr int kColumns = Tiles<kTwo>::kColumns;
    alignas(64) int32_t sums[kAmxChunk * kMvmBlockColumns];
    alignas(64) int32_t products[2][kUnitProducts];
    Conversion<kAdc, kColumns> before;
    const uint64_t tile_groups = this->weights_.tile_rows / kMvmRowGroup;
    uint64_t tile = 0, unit = 0;
    for (uint64_t group = 0; group < this->groups_; group += tile_groups, ++tile) {
      Pass pass = this->tile_pass(tile, group, tile_groups);
      const bool is_last = group + pass.groups == this->groups_;
      for (uint64_t done = 0, part; done < count; done += part) {
        part = even_part(count - done, kAmxVectors);
        tile_shapes_.set(part);
        pass.codes =
            this->inputs_.codes + (begin + done) * this->inputs_.stride + group * kMvmRowGroup;
        pass.zero = this->inputs_.zero + begin + done;
        pass.sums = sums + done * kMvmBlockColumns;
        const Result result = this->result(pass.sums, begin + done, part);
        const Ahead ahead = share_of(begin + done, part);
        for (int column = 0; column < kBlockColumns; column += kColumns, ++unit) {
          multiply<kTwo>(pass, column, part, ahead, before);
          Tiles<kTwo>::store(products[unit % 2]);
          before = {pass, result, is_last, this->outputs_.relu, column, products[unit % 2]};
        }
      }
    }
    before.finish();
  }

  Ahead share_of(uint64_t begin, uint64_t count) const {
    const uint64_t vectors = this->inputs_.vectors;
    return {this->groups_ * kGroupBytes, begin * kTileGroups / vectors,
            (begin + count) * kTileGroups / vectors};
  }

  template <bool kTwo, class Before>
  void multiply(const Pass& pass, int column, uint64_t vectors, const Ahead& ahead,
                Before& before) {
    constexpr int kColumns = Tiles<kTwo>::kColumns;
    const uint64_t steps = pass.groups / kTileGroups;
    const bool has_rest = pass.groups % kTileGroups != 0;
    const uint64_t converted = (vectors + steps + has_rest - 1) / (steps + has_rest);
    zero_sums();
    Step step = {pass.codes, pass.code_stride, pass.levels + column * kRowGroup};
    for (uint64_t i = 0; i < steps; ++i) {
      Tiles<kTwo>::multiply(step);
      fetch<kColumns>(step.levels, ahead);
      before.advance(converted);
      step.codes += kStepRows;
      step.levels += kTileGroups * kGroupBytes;
    }
    if (has_rest) {
      const PaddedStep padded(pass, vectors);
      Tiles<kTwo>::multiply(padded.step(column));
    }
    before.finish();
  }

  TileState& tile_shapes_;
};

template <bool kAdc>
void run_amx_block(const MvmWeights& weights, const MvmInputs& inputs, const MvmOutputs& outputs,
                   uint64_t block, TileState& tile_shapes) {
  AmxBlock<kAdc> work(weights, inputs, outputs, block, tile_shapes);
  for (uint64_t done = 0, part; done < inputs.vectors; done += part) {
    part = even_part(inputs.vectors - done, kAmxChunk);
    work.run_chunk(done, part);
  }
}

}  // namespace

void mvm_u8i8i32_32x32_amxint8(const MvmWeights& weights, const MvmInputs& inputs,
                               const MvmOutputs& outputs, uint64_t block_begin,
                               uint64_t block_end) {
  assert(weights.rows > 0 && weights.tile_rows > 0 && weights.tile_rows % kMvmRowGroup == 0);
  TileState tile_shapes;
  for (uint64_t block = block_begin; block < block_end; ++block) {
    if (weights.adc_limit > 0) {
      run_amx_block<true>(weights, inputs, outputs, block, tile_shapes);
    } else {
      run_amx_block<false>(weights, inputs, outputs, block, tile_shapes);
    }
  }
}

}  // namespace sidra::kernels
