#include "drivers/sim/placement.h"

#include <algorithm>
#include <set>
#include <thread>

#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

ChipSpec chip(uint64_t clusters, uint64_t units, uint64_t crossbars) {
  ChipSpec spec = preset("tiny");  // crossbars of 8 x 8
  spec.clusters = clusters;
  spec.compute_units_per_cluster = units;
  spec.crossbars_per_compute_unit = crossbars;
  return spec;
}

TEST(placement_cuts_a_weight_into_tiles) {
  const ChipSpec spec = preset("y1");
  CrossbarPool pool(spec);
  const Placement placement = pool.take(768, 3072);
  CHECK_EQ(placement.row_tiles, uint64_t{12});
  CHECK_EQ(placement.column_tiles, uint64_t{3});
  CHECK_EQ(placement.crossbars.size(), size_t{36});
  CHECK_EQ(placement.tiles_in_one_unit, uint64_t{1});
  CHECK_EQ(pool.used(), uint64_t{36});
  CHECK_EQ(pool.take(257, 1).crossbars.size(), size_t{2});
}

TEST(placement_deals_cluster_by_cluster) {
  const ChipSpec spec = chip(2, 3, 4);
  CrossbarPool pool(spec);
  const Placement placement = pool.take(8 * 8, 8);
  const std::vector<CrossbarAddress> want = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                             {0, 2, 0}, {1, 2, 0}, {0, 0, 1}, {1, 0, 1}};
  for (size_t i = 0; i < want.size(); ++i) {
    CHECK(pool.address(placement.crossbars[i]) == want[i]);
  }
  CHECK_EQ(placement.tiles_in_one_unit, uint64_t{2});
  // The next weight goes on where this one ended.
  CHECK(pool.address(pool.take(1, 1).crossbars[0]) == (CrossbarAddress{0, 1, 1}));
}

TEST(placement_never_gives_a_crossbar_twice) {
  const ChipSpec spec = chip(3, 2, 70);  // more than one word of free bits a unit
  CrossbarPool pool(spec);
  std::set<uint32_t> seen;
  while (pool.used() < spec.crossbars()) {
    for (const uint32_t crossbar : pool.take(8 * 7, 8 * 3).crossbars) {
      CHECK(seen.insert(crossbar).second);
      CHECK(crossbar < spec.crossbars());
    }
  }
  CHECK_EQ(seen.size(), spec.crossbars());
}

TEST(placement_reuses_what_is_given_back) {
  const ChipSpec spec = chip(1, 2, 4);
  CrossbarPool pool(spec);
  const Placement first = pool.take(8 * 3, 8);
  const Placement second = pool.take(8 * 5, 8);
  CHECK_EQ(pool.used(), uint64_t{8});
  pool.give_back(first);
  CHECK_EQ(pool.used(), uint64_t{5});
  Placement third = pool.take(8 * 3, 8);
  auto sorted = first.crossbars;
  std::sort(sorted.begin(), sorted.end());
  std::sort(third.crossbars.begin(), third.crossbars.end());
  CHECK(third.crossbars == sorted);
}

TEST(placement_out_of_crossbars_says_how_many) {
  const ChipSpec spec = chip(1, 2, 4);
  CrossbarPool pool(spec);
  const Placement held = pool.take(8 * 3, 8);
  const auto text = error_of(SIDRA_STATUS_OUT_OF_CROSSBARS, [&] { pool.take(8 * 2, 8 * 3); });
  CHECK(has(text, "3 x 2 crossbars") && has(text, "free are 5 of 8"));
  CHECK_EQ(pool.used(), uint64_t{3});
  for (const uint64_t large : {uint64_t{1} << 40, UINT64_MAX}) {
    error_of(SIDRA_STATUS_OUT_OF_CROSSBARS, [&] { pool.take(large, large); });
    error_of(SIDRA_STATUS_OUT_OF_CROSSBARS, [&] { pool.take(1, large); });
  }
}

TEST(placement_finds_the_busiest_unit) {
  const ChipSpec spec = chip(1, 2, 4);  // crossbars 0-3 in the first unit, 4-7 in the second
  const CrossbarPool pool(spec);
  CHECK_EQ(most_in_one_unit(pool, {0, 4, 1, 5, 7}, {1, 1, 1, 1, 1}), uint64_t{3});
  CHECK_EQ(most_in_one_unit(pool, {0, 4, 1, 5, 7}, {9, 1, 2, 3, 4}), uint64_t{11});
  CHECK_EQ(most_in_one_unit(pool, {}, {}), uint64_t{0});
}

TEST(placement_of_the_largest_preset) {
  const ChipSpec spec = preset("y10");
  CrossbarPool pool(spec);
  CHECK_EQ(pool.take(256 * 100, 256 * 100).tiles_in_one_unit, uint64_t{1});
}

TEST(placement_by_several_threads) {
  const ChipSpec spec = chip(2, 2, 16);
  CrossbarPool pool(spec);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j) {
        const Placement placement = pool.take(8 * 4, 8 * 2);
        pool.give_back(placement);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(pool.used(), uint64_t{0});
}

}  // namespace
}  // namespace sidra::sim
