// Searcher on several GPUs, which may be the same one: the CPU's answers, to the bit.
#include <gmock/gmock.h>

#include "tests/api/api_support.hpp"
#include "tests/api/commit_stream.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex {
namespace {

struct Layout {
  std::size_t gpus;
  std::size_t shards;
};

constexpr std::array kLayouts{Layout{2, 1}, Layout{2, 2}, Layout{4, 2}, Layout{3, 3}};

SearcherOptions options_of(const Layout& layout, Device device) {
  // Those that there are, in turn.
  std::vector<Gpu> known;
  for (int i = 0; i < device_count(); ++i) known.emplace_back(i);
  SearcherOptions options{.device = device, .shards = layout.shards};
  for (std::size_t i = 0; i < layout.gpus; ++i) options.gpus.push_back(known[i % known.size()]);
  return options;
}

void expect_same(const std::vector<Answer>& wanted, const std::vector<Answer>& found) {
  ASSERT_EQ(wanted.size(), found.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_EQ(wanted[i].size(), found[i].size()) << i;
    for (std::size_t j = 0; j < wanted[i].size(); ++j) {
      ASSERT_EQ(wanted[i][j].document(), found[i][j].document()) << i << ", " << j;
      ASSERT_EQ(wanted[i][j].score(), found[i][j].score()) << i << ", " << j;
    }
    ASSERT_EQ(wanted[i].fell_back_to_or, found[i].fell_back_to_or) << i;
    ASSERT_EQ(wanted[i].facets, found[i].facets) << i;
  }
}

/// Documents with positions, columns and vectors in segments of several sizes, some removed.
class SeveralGpus : public testing::Test {
 protected:
  void build() {
    NewIndex settings{.analyzer = "whitespace"};
    settings.schema = parse_schema(R"({"fields": {"year": {"type": "int"}}})");
    settings.vectors = vector::RowSettings{.dimension = 8};
    settings.positions = true;
    Writer writer(index(), settings, {.merges = false});
    for (const std::size_t count : {700U, 400U, 129U, 33U}) add(writer, count);
    for (std::size_t i = 0; i < next_; i += 9) writer.remove("d" + std::to_string(i));
    writer.commit();
  }
  void add(Writer& writer, std::size_t count) {
    std::normal_distribution<float> normal;
    for (Document& words : test::word_documents(random_, next_, count, 30, 40)) {
      NewDocument document{.id = words.id, .text = words.text};
      for (int i = 0; i < 8; ++i) document.vector.push_back(normal(random_));
      document.values["year"] = {FieldValue(std::int64_t(random_() % 50))};
      writer.add(std::move(document));
    }
    next_ += count;
    writer.commit();
  }
  std::vector<SearchRequest> requests(std::size_t count, bool has_phrases, bool has_vectors) {
    std::vector<SearchRequest> all(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string words = "w" + std::to_string(random_() % 30) + " w" + std::to_string(i % 7);
      const bool is_phrase = has_phrases && i % 3 == 0;
      all[i].text = is_phrase ? "\"" + words + "\"" : words;
      if (!has_vectors) continue;
      for (int j = 0; j < 8; ++j) all[i].vector.push_back(static_cast<float>(random_() % 9) - 4);
    }
    return all;
  }
  void expect_as_cpu(const Searcher& cpu, const Searcher& gpus) {
    for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
      for (const char* const filter : {"", "year < 20"}) {
        SearchOptions options{.k = 20, .mode = mode, .filter = filter};
        const bool has_phrases = mode != QueryMode::kAndOr;
        options.syntax = has_phrases ? QuerySyntax::kLucene : QuerySyntax::kPlain;
        for (const std::size_t count : {1U, 30U, 600U}) {
          const auto words = requests(count, has_phrases, false);
          expect_same(cpu.search(words, options), gpus.search(words, options));
        }
        options.syntax = QuerySyntax::kPlain;
        const auto plain = requests(3, false, true);
        for (const Fusion fusion : {Fusion::kReciprocalRank, Fusion::kConvex, Fusion::kRerank,
                                    Fusion::kFilter, Fusion::kNeighbors}) {
          options.fusion.fusion = fusion;
          options.fusion.depth = 50;
          expect_same(cpu.search(plain, options), gpus.search(plain, options));
        }
        options.facets = {{.column = "year", .ranges = {{"", "10"}, {"10", ""}}}};
        expect_same({cpu.search("w1 w2", options)}, {gpus.search("w1 w2", options)});
      }
    }
  }

  std::filesystem::path index() const { return folder_ / "index"; }

  test::TemporaryFolder folder_{test::place_in_memory()};
  std::mt19937_64 random_ = test::generator(17);
  std::size_t next_ = 0;
};

TEST_F(SeveralGpus, AnswerAsTheCpu) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  build();
  const Searcher cpu(index());
  for (const Layout& layout : kLayouts) {
    for (const Device device : {Device::kGpu, Device::kAuto}) {
      const Searcher gpus(index(), options_of(layout, device));
      EXPECT_EQ(gpus.problem(), "");
      expect_as_cpu(cpu, gpus);
      ASSERT_FALSE(HasFailure()) << layout.gpus << " GPUs, " << layout.shards << " shards";
    }
  }
}

TEST_F(SeveralGpus, FollowTheIndex) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  build();
  Searcher cpu(index());
  Searcher gpus(index(), options_of({4, 2}, Device::kGpu));
  expect_as_cpu(cpu, gpus);
  for (int i = 0; i < 3; ++i) {
    {
      Writer writer(index(), {}, {.merges = false});
      add(writer, 50);
      if (i == 1) writer.merge();
      writer.commit();
    }
    EXPECT_TRUE(cpu.refresh());
    EXPECT_TRUE(gpus.refresh());
    expect_as_cpu(cpu, gpus);
    EXPECT_EQ(gpus.problem().empty(), i != 1) << "one segment for two shards";
    ASSERT_FALSE(HasFailure()) << i;
  }
}

TEST_F(SeveralGpus, WrongNumbers) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  build();
  EXPECT_THROW(Searcher(index(), options_of({3, 2}, Device::kGpu)), UsageError);
  EXPECT_THROW(Searcher(index(), options_of({2, 0}, Device::kGpu)), UsageError);
}

}  // namespace
}  // namespace warpdex
