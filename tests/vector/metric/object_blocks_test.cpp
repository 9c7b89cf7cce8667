// What a build on a GPU does, on the host: blocks of objects as kernels read them, and ranks by
// counting, are those of rank_permutants().
#include "metric/gpu/object_blocks.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "metric/rank_counting.hpp"
#include "metric/rank_row.hpp"
#include "tests/support.hpp"
#include "tests/vector/metric/reference.hpp"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {
namespace {

using Strings = std::vector<std::string>;
using Units = std::vector<std::uint32_t>;

/// Memory as aligned as a GPU's.
class Image {
 public:
  explicit Image(std::size_t bytes) : bytes_(bytes + 256, 0xEE) {}
  std::uint8_t* data() {
    return bytes_.data() + (256 - reinterpret_cast<std::uintptr_t>(bytes_.data()) % 256) % 256;
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// A text's units, and those that fill up its last group.
Units units_at(const DeviceObjects& objects, std::uint32_t i) {
  const TextPlace& place = objects.places[i];
  const std::uint32_t filled = (place.units + kGroupUnits - 1) / kGroupUnits * kGroupUnits;
  Units units(filled);
  for (std::uint32_t u = 0; u < filled; ++u) {
    const std::uint64_t at = place.group * kGroupUnits + u;
    units[u] = objects.is_wide ? static_cast<const std::uint32_t*>(objects.groups)[at]
                               : static_cast<const std::uint8_t*>(objects.groups)[at];
  }
  for (std::uint32_t u = place.units; u < filled; ++u) EXPECT_EQ(units[u], 0U);
  units.resize(place.units);
  return units;
}

/// The distance of object i of a block from a permutant, out of what kernels read.
float distance_of(const DeviceObjects& objects, const DeviceQueries& queries, std::uint32_t i,
                  std::uint32_t p) {
  if (is_of_vectors(objects.distance)) {
    const std::size_t dimension = objects.dimension;
    const std::span row(objects.vectors + i * dimension, dimension);
    const std::span permutant(queries.vectors + std::size_t{p} * queries.stride, dimension);
    for (std::size_t c = dimension; c < queries.stride; ++c) {
      EXPECT_EQ(queries.vectors[std::size_t{p} * queries.stride + c], 0.0F);
    }
    return static_cast<float>(reference::l1(row, permutant));
  }
  const Units own(queries.values + queries.begins[p], queries.values + queries.begins[p + 1]);
  if (objects.distance == DistanceKind::kLevenshtein) {
    return static_cast<float>(reference::levenshtein(own, units_at(objects, i)));
  }
  if (objects.distance == DistanceKind::kHamming) {
    const Units other = units_at(objects, i);
    EXPECT_EQ((other.size() + kGroupUnits - 1) / kGroupUnits * kGroupUnits, own.size() * 4);
    std::uint32_t differ = 0;
    for (std::size_t u = 0; u < other.size(); ++u) {
      differ += other[u] != (own[u / 4] >> 8 * (u % 4) & 0xFF) ? 1U : 0U;
    }
    return static_cast<float>(differ);
  }
  EXPECT_EQ(queries.unknown[p], 0U);
  const std::set<std::uint32_t> a(own.begin(), own.end());
  const std::set<std::uint32_t> b(objects.set_words + objects.set_begins[i],
                                  objects.set_words + objects.set_begins[i + 1]);
  std::set<std::uint32_t> all = a;
  all.insert(b.begin(), b.end());
  const std::size_t common = a.size() + b.size() - all.size();
  if (all.empty()) return 0;
  return static_cast<float>(static_cast<double>(all.size() - common) /
                            static_cast<double>(all.size()));
}

/// The rows of a block, as the GPU would write them.
std::vector<std::uint8_t> rank_block(const ObjectBlocks& blocks, const ObjectBlock& block,
                                     const DeviceQueries& queries, std::uint32_t permutants) {
  Image image(blocks.max_image_bytes());
  EXPECT_LE(blocks.fill(block, image.data()), blocks.max_image_bytes());
  const DeviceObjects objects = blocks.objects_at(block, image.data());
  const std::uint32_t* const order = blocks.order_of(block, image.data());
  EXPECT_EQ(objects.count, block.count);
  const std::size_t row_bytes = rank_stride(permutants);
  std::vector<std::uint8_t> rows(block.count * row_bytes, 0xDD);
  for (std::uint32_t i = 0; i < objects.count; ++i) {
    Units bits(permutants);
    for (std::uint32_t p = 0; p < permutants; ++p) {
      bits[p] = std::bit_cast<std::uint32_t>(distance_of(objects, queries, i, p));
    }
    const std::size_t row = order == nullptr ? i : order[i];
    for (std::uint32_t first = 0; first < row_bytes; first += kRanksAtOnce) {
      std::uint32_t ranks[kRanksAtOnce];
      count_ranks(bits.data(), 1, permutants, first, ranks);
      std::copy(std::begin(ranks), std::end(ranks),
                rows.begin() + static_cast<std::ptrdiff_t>(row * row_bytes + first));
    }
  }
  return rows;
}

void expect_ranks(const Objects& objects, std::size_t permutants, const std::string& what) {
  const ObjectsView view = objects.view();
  const auto space = make_space(view);
  const auto chosen = choose_permutants(*space, {.permutants = permutants});
  const auto expected = rank_permutants(*space, chosen);
  const std::size_t row_bytes = rank_stride(permutants);
  const PermutantImage permutant_image(view, chosen);
  Image image(permutant_image.bytes());
  permutant_image.write(image.data());
  const DeviceQueries queries = permutant_image.queries_at(image.data());
  for (const BlockLimits limits :
       {BlockLimits{1, 1}, BlockLimits{7, 1 << 20}, BlockLimits{1000, 300}}) {
    const ObjectBlocks blocks(view, limits);
    std::size_t next = 0;
    for (const ObjectBlock& block : blocks.blocks()) {
      ASSERT_EQ(block.first, next) << what;
      ASSERT_TRUE(block.count > 0 && block.count <= limits.objects &&
                  block.count <= blocks.max_objects());
      const auto rows = rank_block(blocks, block, queries, static_cast<std::uint32_t>(permutants));
      for (std::size_t i = 0; i < block.count; ++i) {
        if (is_left_to_cpu(view, block.first + i)) continue;
        const auto own = rows.begin() + static_cast<std::ptrdiff_t>(i * row_bytes);
        const auto right =
            expected.begin() + static_cast<std::ptrdiff_t>((block.first + i) * row_bytes);
        ASSERT_TRUE(std::equal(own, own + static_cast<std::ptrdiff_t>(row_bytes), right))
            << what << ", object " << block.first + i << " of " << permutants << " permutants";
      }
      next += block.count;
    }
    ASSERT_EQ(next, view.objects) << what;
  }
}

Strings draw(std::mt19937_64& random, std::size_t count, std::size_t shortest, std::size_t longest,
             const Strings& alphabet) {
  Strings texts(count);
  for (std::string& text : texts) {
    for (std::size_t i = shortest + random() % (longest - shortest + 1); i > 0; --i) {
      text += alphabet[random() % alphabet.size()];
    }
  }
  return texts;
}

TEST(ObjectBlocks, TextsAndSets) {
  auto random = test::generator(221);
  const Strings letters{"a", "b", std::string(1, '\0'), "\xFF"};
  const Strings points{"é", "a", "€", "😀"};
  for (const std::size_t longest : {1, 16, 17, 70}) {
    for (const std::size_t permutants : {1, 7, 8, 9, 33}) {
      expect_ranks(Objects({}, draw(random, 60, 0, longest, letters), "texts"), permutants,
                   "bytes");
      expect_ranks(
          Objects({.unit = TextUnit::kCodePoints}, draw(random, 60, 0, longest, points), "texts"),
          permutants, "code points");
      expect_ranks(Objects({.distance = DistanceKind::kHamming},
                           draw(random, 60, longest, longest, letters), "texts"),
                   permutants, "hamming");
      expect_ranks(Objects({.distance = DistanceKind::kJaccard},
                           draw(random, 60, 0, longest, {"a ", "b ", "c ", "d ", "e "}), "sets"),
                   permutants, "sets");
    }
  }
}

TEST(ObjectBlocks, Vectors) {
  auto random = test::generator(222);
  for (const std::size_t dimension : {1, 5, 33}) {
    // Whole numbers, whose distances are exact, with many ties.
    std::vector<float> rows(300 * dimension);
    for (float& value : rows) value = static_cast<float>(random() % 4);
    for (const std::size_t permutants : {3, 256}) {
      expect_ranks(Objects({.distance = DistanceKind::kL1, .dimension = dimension}, rows, "rows"),
                   permutants, "vectors");
    }
  }
}

TEST(ObjectBlocks, LongTextsAreLeftToTheCpu) {
  const Strings texts{"ab", std::string(16'384, 'x'), std::string(16'385, 'x'), "ba", "x"};
  const Objects objects({}, texts, "texts");
  EXPECT_FALSE(is_left_to_cpu(objects.view(), 1));
  EXPECT_TRUE(is_left_to_cpu(objects.view(), 2));
  const ObjectsView view = objects.view();
  const ObjectBlocks blocks(view, {10, 1 << 20});
  ASSERT_EQ(blocks.blocks().size(), 1U);
  const ObjectBlock& block = blocks.blocks().front();
  Image image(blocks.max_image_bytes());
  blocks.fill(block, image.data());
  const DeviceObjects packed = blocks.objects_at(block, image.data());
  const std::uint32_t* const order = blocks.order_of(block, image.data());
  EXPECT_EQ(packed.longest, 16'384U);
  std::vector<std::uint32_t> units(5);
  for (std::uint32_t i = 0; i < 5; ++i) units[order[i]] = packed.places[i].units;
  EXPECT_EQ(units, (std::vector<std::uint32_t>{2, 16'384, 0, 2, 1}));
  const std::string set(std::size_t{1} << 20, 'x');
  const Objects sets({.distance = DistanceKind::kJaccard}, Strings{set}, "sets");
  EXPECT_FALSE(is_left_to_cpu(sets.view(), 0));  // of one word
  const Objects wide({.distance = DistanceKind::kHamming}, Strings{set + "y"}, "texts");
  EXPECT_TRUE(is_left_to_cpu(wide.view(), 0));
}

TEST(RankCounting, TiesAreInTheOrderOfPermutants) {
  auto random = test::generator(223);
  const std::vector<float> values{0, 1e-40F, 0.5F, 3, 3e38F, kNoLimit};
  for (const std::size_t permutants : {1, 2, 7, 8, 9, 16, 31, 100, 255, 256}) {
    for (const std::size_t kinds : {std::size_t{1}, std::size_t{2}, values.size()}) {
      std::vector<float> distances(permutants);
      for (float& distance : distances) distance = values[random() % kinds];
      RankRow expected(permutants);
      expected.set(distances);
      for (std::uint32_t first = 0; first < rank_stride(permutants); first += kRanksAtOnce) {
        // Beside those of other objects, as in a kernel's memory.
        Units bits(permutants * 3, 1);
        for (std::size_t p = 0; p < permutants; ++p) {
          bits[3 * p] = std::bit_cast<std::uint32_t>(distances[p]);
        }
        std::uint32_t ranks[kRanksAtOnce];
        count_ranks(bits.data(), 3, static_cast<std::uint32_t>(permutants), first, ranks);
        for (std::uint32_t j = 0; j < kRanksAtOnce; ++j) {
          ASSERT_EQ(ranks[j], expected.bytes()[first + j])
              << permutants << " permutants, place " << first + j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpdex::metric
