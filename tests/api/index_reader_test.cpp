// IndexReader beside counting: terms, postings, documents, of one segment and of several with
// removed documents.
#include "warpdex/index_reader.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

#include "tests/api/api_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

/// Documents by id: how often each word occurs.
using Counts = std::map<std::string, std::map<std::string, std::uint32_t>>;

Counts counts_of(const std::vector<Document>& documents) {
  Counts counts;
  for (const Document& document : documents) {
    auto& words = counts[document.id];
    std::istringstream text(document.text);
    for (std::string word; text >> word;) ++words[word];
  }
  return counts;
}

void compare(const IndexReader& reader, const Counts& counts) {
  EXPECT_EQ(reader.documents(), counts.size());
  std::map<std::string, std::map<std::string, std::uint32_t>> lists;  // by term, by id
  double tokens = 0;
  for (const auto& [id, words] : counts) {
    const auto document = reader.find(id);
    ASSERT_TRUE(document) << id;
    EXPECT_TRUE(reader.is_live(*document));
    EXPECT_EQ(reader.id(*document), id);
    std::uint32_t length = 0;
    std::vector<DocumentTerm> terms;
    for (const auto& [word, count] : words) {
      lists[word][id] = count;
      length += count;
      terms.push_back({word, count});
    }
    tokens += length;
    EXPECT_EQ(reader.length(*document), length);
    EXPECT_EQ(reader.terms(*document), terms) << id;
  }
  EXPECT_NEAR(reader.average_length(), tokens / static_cast<double>(counts.size()), 1e-9);
  auto expected = lists.begin();
  reader.for_each_term([&](const TermStatistics& term) {
    if (expected == lists.end() || term.term != expected->first) {
      ADD_FAILURE() << term.term << " is not the next term";
      return false;
    }
    std::uint64_t occurrences = 0;
    std::map<std::string, std::uint32_t> list;
    for (const TermPosting& posting : reader.postings(term.term)) {
      list[reader.id(posting.document)] = posting.frequency;
      occurrences += posting.frequency;
    }
    EXPECT_EQ(list, expected->second) << term.term;
    EXPECT_EQ(term.document_frequency, list.size());
    EXPECT_EQ(term.collection_frequency, occurrences);
    ++expected;
    return true;
  });
  EXPECT_TRUE(expected == lists.end());
}

TEST(IndexReader, HoldsWhatCountingFinds) {
  std::mt19937_64 random = test::generator(81);
  for (const CodecKind codec : {CodecKind::kBitpack, CodecKind::kRice, CodecKind::kPforBlock}) {
    const test::TemporaryFolder folder;
    const auto documents = test::word_documents(random, 0, 700, 300, 30);
    BuildOptions build = test::plain_build(folder / "index");
    build.codec.kind = codec;
    build_index(*documents_from_memory(documents), build);
    compare(IndexReader(folder / "index"), counts_of(documents));
  }
}

TEST(IndexReader, PassesOverWhatWasRemoved) {
  std::mt19937_64 random = test::generator(82);
  const test::TemporaryFolder folder;
  Counts live;
  Writer writer(folder / "index", {.analyzer = "whitespace"}, {.merges = false});
  for (std::size_t round = 0; round < 4; ++round) {
    const auto documents = test::word_documents(random, 100 * round, 100, 90, 20);
    for (const Document& document : documents) {
      writer.add({.id = document.id, .text = document.text});
    }
    live.merge(counts_of(documents));
    for (std::size_t i = 0; i < 30; ++i) {
      const std::string id = "d" + std::to_string(random() % (100 * (round + 1)));
      EXPECT_EQ(writer.remove(id), live.erase(id) == 1);
    }
    writer.commit();
  }
  const Searcher searcher(folder / "index");
  const IndexReader reader(searcher);
  EXPECT_EQ(reader.commit(), 4U);
  compare(reader, live);
}

TEST(IndexReader, TermsOfAPrefixUntilToldToStop) {
  const test::TemporaryFolder folder;
  build_index(*documents_from_memory({{"1", "sail sailor sea ship"}, {"2", "sailing moon"}}),
              test::plain_build(folder / "index"));
  const IndexReader reader(folder / "index");
  std::vector<std::string> terms;
  const auto take = [&](const TermStatistics& term) {
    terms.push_back(term.term);
    return terms.size() < 3;
  };
  reader.for_each_term(take, "sail");
  EXPECT_EQ(terms, (std::vector<std::string>{"sail", "sailing", "sailor"}));
  terms.clear();
  reader.for_each_term(take, "z");
  EXPECT_TRUE(terms.empty());
  EXPECT_FALSE(reader.statistics("moons"));
  EXPECT_TRUE(reader.postings("moons").empty());
  EXPECT_FALSE(reader.find("3"));
}

TEST(IndexReader, TermsOfAnyPrefixAreThoseOfAllTermsThatHaveIt) {
  std::mt19937_64 random = test::generator(5);
  const test::TemporaryFolder folder;
  build_index(*documents_from_memory(test::word_documents(random, 0, 900, 3000, 30)),
              test::plain_build(folder / "index"));
  Writer writer(folder / "index");
  for (const Document& each : test::word_documents(random, 900, 100, 5000, 30)) {
    writer.add({.id = each.id, .text = each.text});
  }
  writer.commit();
  const IndexReader reader(folder / "index");
  const auto terms_of = [&](std::string_view prefix) {
    std::vector<std::string> terms;
    reader.for_each_term(
        [&](const TermStatistics& term) {
          terms.push_back(term.term);
          return true;
        },
        prefix);
    return terms;
  };
  const std::vector<std::string> all = terms_of("");
  ASSERT_GT(all.size(), 2000U);
  std::vector<std::string> prefixes{"v",  "w",   "x",    "w0",    "w1",
                                    "w9", "w99", "w999", "w4999", all.front()};
  for (int i = 0; i < 50; ++i) prefixes.push_back("w" + std::to_string(random() % 5000));
  for (const std::string& prefix : prefixes) {
    std::vector<std::string> wanted;
    std::ranges::copy_if(all, std::back_inserter(wanted),
                         [&](const std::string& term) { return term.starts_with(prefix); });
    EXPECT_EQ(terms_of(prefix), wanted) << prefix;
  }
}

TEST(IndexReader, StoredTextsAndVectors) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index",
                {.stored = {"title"},
                 .vectors = vector::RowSettings{.metric = vector::Metric::kL2, .dimension = 2}});
  writer.add({.id = "1", .text = "x", .fields = {{"title", "One"}}, .vector = {1, 2}});
  writer.add({.id = "2", .text = "y", .vector = {3, 4}});
  writer.commit();
  const IndexReader reader(folder / "index");
  EXPECT_EQ(reader.stored(*reader.find("1")),
            (std::map<std::string, std::string>{{"title", "One"}}));
  EXPECT_TRUE(reader.stored(*reader.find("2")).empty());
  EXPECT_EQ(reader.vector(*reader.find("2")), (std::vector<float>{3, 4}));
  EXPECT_EQ(reader.settings().analyzer.name, "english");
  EXPECT_THROW(reader.id(9), UsageError);
}

// Beside all terms, sorted.
TEST(IndexReader, SuggestsTheTermsOfMostDocuments) {
  std::mt19937_64 random = test::generator(131);
  const test::TemporaryFolder folder;
  Writer writer(folder / "index", {.analyzer = "whitespace"}, {.merges = false});
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (int n = 0; n < 8; ++n) {
      std::string word;
      for (std::uint64_t letters = 1 + random() % 3; letters > 0; --letters) {
        word += static_cast<char>('a' + random() % 4);
      }
      text += word + " ";
    }
    writer.add({.id = std::to_string(i), .text = text});
    if (i % 100 == 99) writer.commit();
  }
  for (int i = 0; i < 300; i += 3) writer.remove(std::to_string(i));
  writer.commit();
  const Searcher searcher(folder / "index");
  const IndexReader reader(searcher);
  for (const std::string prefix : {"", "a", "ab", "dc", "abc", "abcd", "x"}) {
    std::vector<std::pair<std::uint64_t, std::string>> expected;  // most documents come first
    reader.for_each_term([&](const TermStatistics& term) {
      if (term.term.starts_with(prefix)) {
        expected.emplace_back(~term.document_frequency, term.term);
      }
      return true;
    });
    std::ranges::sort(expected);
    for (const std::size_t count : {0, 1, 5, 1000}) {
      const auto found = searcher.suggest(prefix, count);
      ASSERT_EQ(found.size(), std::min(count, expected.size())) << prefix;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].term, expected[i].second) << prefix << " " << i;
        EXPECT_EQ(found[i].document_frequency, ~expected[i].first) << found[i].term;
      }
    }
  }
}

TEST(IndexReader, FoldsWhatASuggestionBeginsWith) {
  const test::TemporaryFolder folder;
  const std::string analyzer = R"({"tokenizer": "standard", "filters": ["lowercase",
      "asciifolding", {"type": "stop", "words": ["e"]}, {"type": "stem", "language": "french"}]})";
  Writer writer(folder / "index", {.analyzer = analyzer});
  writer.add({.id = "1", .text = "États-Unis"});
  writer.commit();
  const IndexReader reader(folder / "index");
  for (const char* prefix : {"É", "ÉTA", "e"}) {
    ASSERT_EQ(reader.suggest(prefix).size(), 1U) << prefix;
    EXPECT_EQ(reader.suggest(prefix)[0].term, "etat");
  }
}

TEST(IndexReader, CountsWhatSegmentsHold) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index", {.analyzer = "whitespace"}, {.merges = false});
  writer.add({.id = "1", .text = "red red fish"});
  writer.add({.id = "2", .text = ""});
  writer.commit();
  writer.add({.id = "3", .text = "blue fish"});
  writer.remove("2");
  writer.commit();
  const IndexReader reader(folder / "index");
  EXPECT_EQ(reader.segments(), 2U);
  EXPECT_EQ(reader.documents(), 2U);
  EXPECT_EQ(reader.removed_documents(), 1U);
  EXPECT_THROW(reader.require_merged(), UsageError);
  const IndexStatistics statistics = reader.statistics();
  EXPECT_EQ(statistics.documents, 3U);
  EXPECT_EQ(statistics.tokens, 5U);
  EXPECT_EQ(statistics.empty_documents, 1U);
  EXPECT_EQ(statistics.shortest_document, 0U);
  EXPECT_EQ(statistics.longest_document, 3U);
  EXPECT_EQ(statistics.terms, 4U);  // "fish" is in both segments
  EXPECT_EQ(statistics.postings, 4U);
  EXPECT_EQ(statistics.lists.at(0).length, "1");
  EXPECT_EQ(statistics.lists.at(0).lists, 4U);
  std::uint64_t bytes = 0;
  for (const PartBytes& part : statistics.posting_parts) bytes += part.bytes;
  EXPECT_EQ(statistics.posting_bytes, bytes);
  writer.merge();
  writer.commit();
  EXPECT_NO_THROW(IndexReader(folder / "index").require_merged());
}

TEST(IndexReader, FindsTermsThatAreSpeltAlike) {
  const test::TemporaryFolder folder;
  build_index(*documents_from_memory({{"1", "chess fish"}, {"2", "cheese fish"}, {"3", "fist"}}),
              test::plain_build(folder / "index"));
  const IndexReader reader(folder / "index");
  const std::vector<SimilarTerm> similar = reader.similar_terms("fisj");
  ASSERT_EQ(similar.size(), 2U);
  EXPECT_EQ(similar[0].term, "fish");  // as near as "fist", and in more documents
  EXPECT_EQ(similar[0].documents, 2U);
  EXPECT_EQ(similar[0].edits, 1U);
  EXPECT_EQ(similar[1].term, "fist");
  EXPECT_EQ(reader.similar_terms("chesse", 1).at(0).term, "cheese");
  EXPECT_TRUE(reader.similar_terms("zebra").empty());
}

TEST(IndexReader, OffersOnlyTermsThatCanBeTyped) {
  const test::TemporaryFolder folder;
  BuildOptions options = test::plain_build(folder / "index");
  options.analyzer = "english";
  // The stem of "agreed" is "agre", whose own stem is "agr".
  build_index(*documents_from_memory({{"1", "agreed"}, {"2", "agra"}}), options);
  const IndexReader reader(folder / "index");
  ASSERT_EQ(reader.similar_terms("agrx").size(), 2U);
  const std::vector<SimilarTerm> offered = reader.offered_terms("agrx");
  ASSERT_EQ(offered.size(), 1U);
  EXPECT_EQ(offered[0].term, "agra");
}

TEST(IndexReader, RefusesWhatTheIndexHasNot) {
  const test::TemporaryFolder folder;
  BuildOptions build = test::plain_build(folder / "index");
  build.forward = false;
  build_index(*documents_from_memory({{"1", "fish"}}), build);
  const IndexReader reader(folder / "index");
  EXPECT_THROW(reader.terms(0), UsageError);
  EXPECT_THROW(reader.vector(0), UsageError);
  EXPECT_THROW(reader.vector_settings(), UsageError);
  EXPECT_THROW(reader.stored(0), UsageError);
}

}  // namespace
}  // namespace warpdex
