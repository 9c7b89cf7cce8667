// Indexes that were imported, or exported and imported again, answer as the oracle does over the
// collection that the files were written from.
#include <algorithm>
#include <fstream>

#include "tests/indexer/exchange/foreign_bytes.hpp"
#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/exchange/exchange.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::test {
namespace {

namespace fs = std::filesystem;

/// What the files are written from.
Collection plain_of(const reference::Collection& collection) {
  Collection plain;
  plain.lengths = collection.lengths();
  for (std::size_t i = 0; i < plain.lengths.size(); ++i) {
    plain.names.push_back("d" + std::to_string(i));
  }
  for (const std::string& term : collection.terms()) {
    for (const auto& [docid, frequency] : collection.postings(term)) {
      plain.lists[term][docid] = frequency;
    }
  }
  return plain;
}

/// The same without static scores, for which the formats have no place.
reference::Collection without_static_scores(const reference::Collection& collection) {
  reference::Collection plain;
  for (const std::uint32_t length : collection.lengths()) {
    plain.add_document_of_length({}, length);
  }
  for (const std::string& term : collection.terms()) {
    plain.add_list(term, collection.postings(term));
  }
  return plain;
}

exchange::ImportOptions options_to(const fs::path& output, const CodecSettings& codec,
                                   bool impacts) {
  exchange::ImportOptions options;
  options.output = output;
  options.codec = codec;
  options.threads = 2;
  if (impacts) options.impacts.emplace();
  return options;
}

class ExchangeAnswers : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  /// Imports the collection from CIFF or from a binary collection.
  void import(const Collection& plain, bool from_ciff, const exchange::ImportOptions& options) {
    if (from_ciff) {
      foreign::Ciff file = foreign::ciff_of(plain);
      std::shuffle(file.lists.begin(), file.lists.end(), random_);
      std::shuffle(file.documents.begin(), file.documents.end(), random_);
      write_file(folder_ / "in.ciff", file.bytes());
      exchange::import_ciff(folder_ / "in.ciff", options);
    } else {
      foreign::write_ds2i(foreign::ds2i_of(plain), folder_ / "in");
      exchange::import_ds2i({folder_ / "in", {}, {}}, options);
    }
  }

  /// Exports the index and imports it again.
  void send_round(const fs::path& from, bool by_ciff, const exchange::ImportOptions& options) {
    const Index index = Index::open(from);
    if (by_ciff) {
      std::ofstream out(folder_ / "out.ciff", std::ios::binary);
      exchange::export_ciff(index.folder(), "", out);
      out.close();
      exchange::import_ciff(folder_ / "out.ciff", options);
      return;
    }
    std::vector<std::ofstream> files;
    for (const char* ending : {"docs", "freqs", "sizes", "terms", "documents"}) {
      files.emplace_back(folder_ / (std::string("out.") + ending), std::ios::binary);
    }
    exchange::export_ds2i(index.folder(), {files[0], files[1], files[2], files[3], files[4]});
    for (std::ofstream& file : files) file.close();
    exchange::import_ds2i({folder_ / "out", {}, {}}, options);
  }

  void judge_index(const reference::Collection& collection, std::uint64_t vocabulary,
                   const fs::path& folder) {
    const Index index = Index::open(folder);
    for (int round = 0; round < 12; ++round) {
      const SearchSettings settings = maker_.draw();
      std::vector<Query> queries;
      for (int i = 0; i < 4; ++i) {
        queries.push_back(random_query(random_, vocabulary, maker_.draw_terms()));
      }
      const auto results = search_on_cpu(index, queries, settings, 2);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const SearchSettings meant = meant_settings(index, settings);
        const Truth truth = find_truth(collection, queries[i], meant);
        ASSERT_EQ(judge(truth, results[i], settings), "")
            << describe(collection.documents(), index.settings().codec, meant, queries[i]);
      }
    }
  }

  Random random_ = generator(300 + GetParam());
  SettingsMaker maker_{random_};
  TemporaryFolder folder_{place_in_memory()};
};

TEST_P(ExchangeAnswers, AreTheOracles) {
  const std::vector<CodecSettings> codecs = all_codecs();
  for (int drawn = 0; drawn < 8; ++drawn) {
    const bool by_ciff = drawn % 2 == 0;
    const bool impacts = drawn >= 6;
    const CodecSettings& codec = codecs[below(random_, codecs.size())];
    CollectionMaker collection_maker(random_, GetParam());
    const reference::Collection collection = without_static_scores(collection_maker.make());
    std::error_code ignored;
    fs::remove_all(folder_ / "index", ignored);
    fs::remove_all(folder_ / "again", ignored);
    import(plain_of(collection), by_ciff, options_to(folder_ / "index", codec, false));
    send_round(folder_ / "index", by_ciff, options_to(folder_ / "again", codec, impacts));
    ASSERT_NO_FATAL_FAILURE(
        judge_index(collection, collection_maker.vocabulary(), folder_ / "index"));
    ASSERT_NO_FATAL_FAILURE(judge_index(impacts ? collection.to_impacts() : collection,
                                        collection_maker.vocabulary(), folder_ / "again"));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ExchangeAnswers, ::testing::Values(0, 1, 33, 128, 1000, 5000));

}  // namespace
}  // namespace warpdex::test
