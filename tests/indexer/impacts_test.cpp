// Indexes of impacts, and what long lists carry beside their postings: quantised values, bounds of
// ranges, seeds; each against what the whole list says.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex {
namespace {

using Values = std::vector<std::uint32_t>;

struct List {
  std::string term;
  Values docids;
  Values frequencies;
};

/// Lists of a share of the documents each, one of them only of documents late in the collection.
struct TestCollection {
  explicit TestCollection(std::uint32_t documents, std::uint64_t stream)
      : random(test::generator(stream)), lengths(documents) {
    for (const std::uint32_t one_in : {1U, 2U, 15U, 16U, 17U, 40U, 3000U}) {
      lists.push_back({"every" + std::to_string(one_in), {}, {}});
      fill(lists.back(), 0, one_in);
    }
    lists.push_back({"late", {}, {}});
    fill(lists.back(), documents * 2 / 3, 3);
    // The rest of each document, in a list of every document.
    lists.push_back({"rest", {}, {}});
    for (std::uint32_t i = 0; i < documents; ++i) {
      lists.back().docids.push_back(i);
      lists.back().frequencies.push_back(1 + static_cast<std::uint32_t>(random() % 900));
    }
    for (const List& list : lists) {
      for (std::size_t i = 0; i < list.docids.size(); ++i) {
        lengths[list.docids[i]] += list.frequencies[i];
      }
    }
    std::sort(lists.begin(), lists.end(),
              [](const List& a, const List& b) { return a.term < b.term; });
  }

  void fill(List& list, std::uint32_t first, std::uint32_t one_in) {
    for (std::uint32_t i = first; i < lengths.size(); ++i) {
      if (random() % one_in != 0) continue;
      list.docids.push_back(i);
      list.frequencies.push_back(
          1 + static_cast<std::uint32_t>(random() % 50 == 0 ? random() % 90 : random() % 3));
    }
    if (list.docids.empty()) {
      list.docids.push_back(first);
      list.frequencies.push_back(1);
    }
  }

  void write(const IndexSettings& settings, const std::filesystem::path& target) const {
    IndexWriter writer(target, settings);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      writer.add_document("", lengths[i], settings.has_static_scores ? statics(i) : 0);
    }
    const ListEncoder encoder(settings, writer.lengths());
    for (const List& list : lists) {
      writer.add_list(list.term, encoder.encode(list.docids, list.frequencies));
    }
    writer.commit();
  }

  static float statics(std::size_t document) { return static_cast<float>(document % 97) / 8.0F; }

  double score(const List& list, std::size_t posting, double k1, double b) const {
    double tokens = 0;
    for (const std::uint32_t length : lengths) tokens += length;
    const auto count = static_cast<double>(lengths.size());
    const double norm = 1 - b + b * lengths[list.docids[posting]] * count / tokens;
    const double frequency = list.frequencies[posting];
    return idf(static_cast<double>(list.docids.size())) * frequency / (frequency + k1 * norm);
  }
  double idf(double document_frequency) const {
    return std::log(1 + (static_cast<double>(lengths.size()) - document_frequency + 0.5) /
                            (document_frequency + 0.5));
  }

  std::mt19937_64 random;
  Values lengths;
  std::vector<List> lists;
};

IndexSettings settings_of(const CodecSettings& codec, bool has_impacts) {
  IndexSettings settings{codec, "whitespace", "", true};
  if (has_impacts) settings.impacts = ImpactSettings{1.2, 0.75};
  return settings;
}

TEST(Impacts, AreBm25InTheUnitOfTheLargest) {
  const test::TemporaryFolder folder;
  const TestCollection collection(5000, 50);
  for (const CodecKind kind :
       {CodecKind::kBitpack, CodecKind::kPfor, CodecKind::kPforBlock, CodecKind::kRice}) {
    collection.write(settings_of({kind, 2}, true), folder / "index");
    const Index index = Index::open(folder / "index");
    ASSERT_TRUE(index.settings().impacts.has_value());
    EXPECT_EQ(index.settings().impacts->k1, 1.2);
    EXPECT_EQ(index.settings().impacts->b, 0.75);
    const double largest = index.settings().impacts->largest;
    EXPECT_NEAR(largest, collection.idf(1), 1e-9);
    for (const List& list : collection.lists) {
      const Postings found = read_postings(index, index.find(list.term).value());
      ASSERT_EQ(found.docids, list.docids);
      for (std::size_t i = 0; i < list.docids.size(); ++i) {
        const double exact = 255 * collection.score(list, i, 1.2, 0.75) / largest;
        ASSERT_GE(found.frequencies[i], 1U);
        ASSERT_LE(found.frequencies[i], 255U);
        if (exact > 1) {  // the nearest whole number, whichever at a border
          ASSERT_NEAR(found.frequencies[i], exact, 0.5 + 1e-9);
        }
      }
    }
    const auto statics = index.sections().static_scores;
    for (std::size_t i = 0; i < statics.size(); ++i) {
      ASSERT_EQ(statics[i], std::floor(statics[i]));
      ASSERT_NEAR(statics[i], 255 * TestCollection::statics(i) / largest, 0.5 + 1e-6);
    }
    EXPECT_TRUE(verify_index(folder / "index").ok());
  }
}

TEST(Impacts, OfAnyScoreLieIn1To255) {
  const ImpactQuantizer quantizer({}, {1000, 50'000});
  EXPECT_EQ(quantizer.impact(0), 1);
  EXPECT_EQ(quantizer.impact(quantizer.largest()), 255);
  EXPECT_EQ(quantizer.impact(2 * quantizer.largest()), 255);
  EXPECT_EQ(quantizer.impact(std::numeric_limits<double>::infinity()), 255);
  EXPECT_EQ(quantizer.impact(std::nan("")), 1);
  EXPECT_EQ(quantizer.impact(quantizer.largest() * 100.4 / 255), 100);
  EXPECT_EQ(quantizer.impact(quantizer.largest() * 100.6 / 255), 101);
  EXPECT_EQ(quantizer.static_impact(0), 0);
  const double max = quantizer.largest_static();
  EXPECT_EQ(quantizer.static_impact(static_cast<float>(0.999999 * max)), 1048575.0F);
  EXPECT_THROW(quantizer.static_impact(static_cast<float>(1.000001 * max)), UsageError);
  EXPECT_THROW(quantizer.static_impact(std::numeric_limits<float>::max()), UsageError);
  EXPECT_GT(ImpactQuantizer({}, {1, 5}).largest(), 0);
  EXPECT_GT(ImpactQuantizer({}, {0, 0}).largest(), 0);
  EXPECT_THROW(ImpactQuantizer({-1, 0.4}, {}), UsageError);
  EXPECT_THROW(ImpactQuantizer({0.9, 1.1}, {}), UsageError);
  EXPECT_THROW(ImpactQuantizer({std::nan(""), 0.4}, {}), UsageError);
}

TEST(Impacts, AndFrequenciesDoNotMix) {
  const test::TemporaryFolder folder;
  const Values one{1};
  IndexWriter frequencies(folder / "frequencies", {});
  IndexWriter impacts(folder / "impacts", settings_of({}, true));
  frequencies.add_document("", 5);
  impacts.add_document("", 5);
  EXPECT_THROW(frequencies.add_list("a", encode_impacts({}, one, one, 1)), UsageError);
  EXPECT_THROW(impacts.add_list("a", encode_postings({}, one, one, Values{5})), UsageError);
  EXPECT_THROW(impacts.add_list("a", encode_impacts({}, one, one, 2)), UsageError);
  EXPECT_THROW(encode_impacts({}, one, Values{256}, 1), UsageError);
  EXPECT_THROW(encode_impacts({}, one, Values{0}, 1), UsageError);
  EXPECT_NO_THROW(impacts.add_list("a", encode_impacts({}, Values{0}, one, 1)));
  EXPECT_THROW(IndexWriter(folder / "other", {{}, "", "", false, ImpactSettings{-1, 0}}),
               UsageError);
}

bool holds(const ScoreBound& bound, std::uint32_t frequency, std::uint32_t length) {
  for (std::size_t pair = 0; pair < kBoundPairs; ++pair) {
    if (rounded_value(bound.frequencies[pair]) >= frequency &&
        rounded_value(bound.lengths[pair]) <= length) {
      return true;
    }
  }
  return false;
}

/// The largest value in each range of the list; 0 where there is none.
Values largest_by_range(const Postings& postings, std::uint64_t documents) {
  Values largest((documents + 16383) / 16384);
  for (std::size_t i = 0; i < postings.docids.size(); ++i) {
    std::uint32_t& range = largest[postings.docids[i] / 16384];
    range = std::max(range, postings.frequencies[i]);
  }
  return largest;
}

class ListBoundsOfSize : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ListBoundsOfSize, HoldForEveryRangeAndSeed) {
  const test::TemporaryFolder folder;
  const TestCollection collection(GetParam(), 51 + GetParam());
  for (const bool has_impacts : {false, true}) {
    collection.write(settings_of({}, has_impacts), folder / "index");
    ASSERT_TRUE(verify_index(folder / "index").ok());
    const Index index = Index::open(folder / "index");
    for (const List& list : collection.lists) {
      const PostingsEntry entry = index.find(list.term).value();
      const auto ranges = list_range_bounds(index.sections(), entry, GetParam());
      const bool frequent = list.docids.size() >= 128 && 16 * list.docids.size() >= GetParam();
      ASSERT_EQ(ranges.size(), frequent ? (GetParam() + 16383) / 16384 : 0) << list.term;
      if (entry.is_short()) continue;
      const Postings found = read_postings(index, entry);
      const Values largest = largest_by_range(found, GetParam());
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        const ScoreBound& bound = ranges[i];
        EXPECT_EQ(largest[i] == 0, bound.frequencies[0] == 0) << list.term << " range " << i;
        if (has_impacts) {
          EXPECT_EQ(bound.frequencies[3], largest[i]);
        }
      }
      if (!has_impacts && frequent) {
        for (std::size_t i = 0; i < found.docids.size(); ++i) {
          ASSERT_TRUE(holds(ranges[found.docids[i] / 16384], found.frequencies[i],
                            collection.lengths[found.docids[i]]));
        }
      }
      ASSERT_EQ(list_seeds(index.sections(), entry).size(), list.docids.size() >= 1000 ? 3U : 2U);
      EXPECT_GE(list_seeds(index.sections(), entry)[0].frequency, 1U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Documents, ListBoundsOfSize,
                         testing::Values(127, 128, 129, 2048, 16383, 16384, 16385, 50'000));

TEST(Format, AnotherVersionIsRefusedWithWhatToDo) {
  const test::TemporaryFolder folder;
  IndexWriter(folder / "index", {}).commit();
  std::string manifest = test::read_file(folder / "index/manifest.json");
  const std::size_t place = manifest.find("\"version\": 4");
  ASSERT_NE(place, std::string::npos);
  manifest[place + 11] = '1';
  test::write_file(folder / "index/manifest.json", manifest);
  try {
    Index::open(folder / "index");
    FAIL() << "opened";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("build the index again"), std::string::npos);
  }
}

TEST(Format, KeepsTheVersionOfTheAnalyzer) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "index";
  const std::string manifest = path + "/manifest.json";
  for (const AnalyzerSettings& analyzer :
       {AnalyzerSettings("english"), AnalyzerSettings("standard", 1),
        AnalyzerSettings("whitespace")}) {
    IndexSettings settings;
    settings.analyzer = analyzer;
    IndexWriter(path, settings).commit();
    EXPECT_EQ(Index::open(path).settings().analyzer, analyzer);
    const bool is_written = test::read_file(manifest).find("analyzer_version") != std::string::npos;
    EXPECT_EQ(is_written, analyzer.version > 1) << analyzer.name;
  }
  // A later one is named, and not called damage.
  IndexSettings settings;
  settings.analyzer = {"english", 7};
  IndexWriter(path, settings).commit();
  try {
    Index::open(path);
    FAIL() << "opened";
  } catch (const FormatError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("version 7 of the analyzer 'english'"), std::string::npos) << message;
    EXPECT_NE(message.find("this program has version 2"), std::string::npos) << message;
    EXPECT_EQ(message.find("damaged"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace warpdex
