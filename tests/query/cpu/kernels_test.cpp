// Every form of the engine's inner loops gives the bits of the plain one, at every ugly size.
#include "cpu/kernels.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "tests/support.hpp"
#include "warpdex/codecs/codec.hpp"
#include "warpdex/core/cpu_features.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kCounts[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 127, 128};

std::vector<const Kernels*> forms() {
  std::vector<const Kernels*> result{&kBaselineKernels};
#if defined(__x86_64__)
  if (isa() >= Isa::kAvx2) result.push_back(&kAvx2Kernels);
  if (isa() >= Isa::kAvx512) result.push_back(&kAvx512Kernels);
#endif
  return result;
}

/// Ascending docIDs below `limit`, padded by the last.
std::vector<std::uint32_t> make_docids(std::mt19937_64& random, std::size_t count,
                                       std::uint32_t limit) {
  std::vector<std::uint32_t> all(limit);
  std::iota(all.begin(), all.end(), 0U);
  std::vector<std::uint32_t> docids;
  std::sample(all.begin(), all.end(), std::back_inserter(docids), count, random);
  docids.resize(count + 16, docids.empty() ? 0 : docids.back());
  return docids;
}

TEST(Kernels, ScoresHaveTheScorersBits) {
  auto random = test::generator(31);
  std::vector<std::uint32_t> lengths(5000);
  for (auto& length : lengths) length = static_cast<std::uint32_t>(random() % 3000);
  const TermScorer scorers[] = {{ScorerKind::kBm25, 3.7F, 0.54F, 0.0011F},
                                {ScorerKind::kQueryLikelihood, 1.3F, 0.01F, 1000.0F},
                                {ScorerKind::kBm25Plus, 3.7F, 0.54F, 0.0011F, 0.4F},
                                {ScorerKind::kJelinekMercer, 1.5F, 3000.0F},
                                {ScorerKind::kPl2, 1.5F, 0.3F, 500.0F},
                                {ScorerKind::kBm25Lucene, 3.7F, 0.54F, 0.0011F}};
  for (const Kernels* form : forms()) {
    for (std::size_t round = 0; round < std::size(kCounts) * std::size(scorers); ++round) {
      const std::size_t count = kCounts[round % std::size(kCounts)];
      const TermScorer& scorer = scorers[round / std::size(kCounts)];
      const auto docids = make_docids(random, count, 5000);
      std::vector<std::uint32_t> frequencies(count + 16, 1);
      for (auto& frequency : frequencies) frequency = static_cast<std::uint32_t>(1 + random() % 90);
      std::vector<float> scores(count + 16);
      form->of(scorer.kind)
          .score(scorer, docids.data(), frequencies.data(), lengths.data(), count, scores.data());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(scores[i]),
                  std::bit_cast<std::uint32_t>(scorer(frequencies[i], lengths[docids[i]])));
      }
    }
  }
}

TEST(Kernels, ImpactsAreMultiplied) {
  auto random = test::generator(37);
  const TermScorer scorer{ScorerKind::kImpact, 3.0F};
  for (const Kernels* form : forms()) {
    for (const std::size_t count : kCounts) {
      std::vector<std::uint32_t> impacts(count);
      std::vector<ScoreBound> blocks(count);
      for (std::size_t i = 0; i < count; ++i) {
        impacts[i] = static_cast<std::uint32_t>(1 + random() % 255);
        blocks[i].frequencies.fill(static_cast<std::uint8_t>(impacts[i]));
      }
      std::vector<float> scores(count);
      std::vector<float> bounds(count);
      form->of(scorer.kind).score(scorer, nullptr, impacts.data(), nullptr, count, scores.data());
      form->of(scorer.kind).bound(scorer, blocks.data(), count, bounds.data());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(scores[i], static_cast<float>(3 * impacts[i]));
        ASSERT_EQ(bounds[i], scores[i]);
      }
    }
  }
}

TEST(Kernels, BoundsAreTheLargestOfTheirPairs) {
  auto random = test::generator(32);
  const TermScorer scorer{ScorerKind::kBm25, 2.5F, 0.3F, 0.002F};
  for (const Kernels* form : forms()) {
    for (const std::size_t count : kCounts) {
      std::vector<ScoreBound> blocks(count);
      for (auto& block : blocks) {
        for (std::size_t pair = 0; pair < kBoundPairs; ++pair) {
          block.frequencies[pair] = static_cast<std::uint8_t>(1 + random() % 239);
          block.lengths[pair] = static_cast<std::uint8_t>(random() % 240);
        }
      }
      std::vector<float> bounds(count);
      form->of(scorer.kind).bound(scorer, blocks.data(), count, bounds.data());
      for (std::size_t i = 0; i < count; ++i) {
        double largest = 0;
        for (std::size_t pair = 0; pair < kBoundPairs; ++pair) {
          const auto tf = static_cast<double>(rounded_value(blocks[i].frequencies[pair]));
          const auto length = static_cast<double>(rounded_value(blocks[i].lengths[pair]));
          largest = std::max(largest, 2.5 * tf / (tf + 0.3 + 0.002 * length));
        }
        ASSERT_NEAR(bounds[i], largest, 1e-5 * largest) << "count " << count << " block " << i;
      }
    }
  }
}

TEST(Kernels, DrainTakesTouchedScoresOfMarkedLinesFromTheNeededOneOn) {
  auto random = test::generator(33);
  for (const Kernels* form : forms()) {
    for (const std::size_t lines : {64, 128, 2048}) {
      for (const float need : {0.0F, 0.5F, 3.0F}) {
        const std::size_t count = lines * kLineSums;
        std::vector<float> storage(count + 16);
        float* const sums = std::assume_aligned<64>(reinterpret_cast<float*>(
            (reinterpret_cast<std::uintptr_t>(storage.data()) + 63) / 64 * 64));
        std::vector<std::uint8_t> marks(lines);
        std::vector<std::uint32_t> expected;
        std::vector<float> expected_scores;
        for (std::uint32_t i = 0; i < count; ++i) {
          if (i % kLineSums == 0) marks[i / kLineSums] = random() % 5 == 0 ? 1 : 0;
          const bool touched = random() % 3 == 0;
          const bool marked = marks[i / kLineSums] != 0;
          // What lies in a line without a mark must not be looked at.
          sums[i] = touched ? static_cast<float>(random() % 4) : kUntouched;
          if (touched && marked && sums[i] >= need) {
            expected.push_back(1000 + i);
            expected_scores.push_back(sums[i]);
          }
        }
        const std::vector<float> before(sums, sums + count);
        const std::vector<std::uint8_t> marks_before = marks;
        std::vector<std::uint32_t> documents(count + 16);
        std::vector<float> scores(count + 16);
        const std::size_t found = form->drain_lines(sums, marks.data(), lines, 1000, need,
                                                    {documents.data(), scores.data()});
        documents.resize(found);
        scores.resize(found);
        ASSERT_EQ(documents, expected) << "lines " << lines << " need " << need;
        ASSERT_EQ(scores, expected_scores);
        for (std::size_t i = 0; i < count; ++i) {
          const float left = marks_before[i / kLineSums] != 0 ? kUntouched : before[i];
          ASSERT_EQ(std::bit_cast<std::uint32_t>(sums[i]), std::bit_cast<std::uint32_t>(left));
        }
        ASSERT_TRUE(std::all_of(marks.begin(), marks.end(), [](auto mark) { return mark == 0; }));
      }
    }
  }
}

TEST(Kernels, SelectKeepsOrderAlsoInPlace) {
  auto random = test::generator(34);
  for (const Kernels* form : forms()) {
    for (const std::size_t count : kCounts) {
      auto docids = make_docids(random, count, 400);
      std::vector<float> scores(count + 16, 9.0F);
      std::vector<std::uint32_t> expected;
      for (std::size_t i = 0; i < count; ++i) {
        scores[i] = static_cast<float>(random() % 5);
        if (scores[i] >= 2.0F) expected.push_back(docids[i]);
      }
      const std::size_t found = form->select_scores(docids.data(), scores.data(), count, 2.0F,
                                                    {docids.data(), scores.data()});
      docids.resize(found);
      ASSERT_EQ(docids, expected) << "count " << count;
      ASSERT_TRUE(std::all_of(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(found),
                              [](float score) { return score >= 2.0F; }));
    }
  }
}

TEST(Kernels, SeekAndIntersectAgreeWithTheStandardLibrary) {
  auto random = test::generator(35);
  for (const Kernels* form : forms()) {
    for (const std::size_t count : kCounts) {
      if (count == 0) continue;
      for (const std::uint32_t limit : {130U, 300U, 5000U}) {
        const auto docids = make_docids(random, count, limit);
        const auto end = docids.begin() + static_cast<std::ptrdiff_t>(count);
        std::vector<std::uint32_t> wanted;
        for (std::uint32_t docid = 0; docid <= docids[count - 1]; ++docid) {
          if (random() % 3 == 0 && wanted.size() < kBlockSize) wanted.push_back(docid);
        }
        std::vector<std::uint8_t> expected_matched;
        std::vector<std::uint8_t> expected_positions;
        std::uint32_t from = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
          const auto place = std::lower_bound(docids.begin(), end, wanted[i]);
          from = form->seek(docids.data(), from, wanted[i]);
          ASSERT_EQ(from, place - docids.begin());
          if (*place == wanted[i]) {
            expected_matched.push_back(static_cast<std::uint8_t>(i));
            expected_positions.push_back(static_cast<std::uint8_t>(from));
          }
        }
        std::vector<std::uint8_t> matched(kBlockSize + 1);
        std::vector<std::uint8_t> positions(kBlockSize + 1);
        const std::size_t found = form->intersect(wanted.data(), wanted.size(), docids.data(), 0,
                                                  matched.data(), positions.data());
        matched.resize(found);
        positions.resize(found);
        ASSERT_EQ(matched, expected_matched) << "count " << count << " limit " << limit;
        ASSERT_EQ(positions, expected_positions);
      }
    }
  }
}

TEST(Kernels, RankCountsBitsOneByOne) {
  auto random = test::generator(36);
  std::vector<std::uint8_t> bytes(72);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  for (const Kernels* form : forms()) {
    std::uint32_t set = 0;
    for (std::uint32_t bit = 0; bit < 512; ++bit) {
      ASSERT_EQ(form->rank(bytes.data(), bit), set) << "bit " << bit;
      set += bytes[bit / 8] >> bit % 8 & 1;
    }
  }
}

}  // namespace
}  // namespace warpdex
