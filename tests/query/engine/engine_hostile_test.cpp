// Damaged indexes: opening and searching one either throws an Error or answers; nothing else may
// come of it (run under AddressSanitizer). And verify finds every changed byte and names its file.
#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include "tests/query/engine/engine_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex {
namespace {

using Random = std::mt19937_64;

/// Bytes of a section's file before its data, and after it (slack and footer): docs/format.md.
constexpr std::size_t kFileHead = 64;
constexpr std::size_t kFileTail = 96;

/// Lists of one posting, short ones, long ones, and dense ones.
reference::Collection make_collection(Random& random) {
  reference::Collection collection;
  for (std::uint64_t document = 0; document < 1'500; ++document) {
    std::string text = random() % 10 == 0 ? "" : "everywhere";
    for (std::uint64_t left = random() % 12; left > 0; --left) {
      text += " w" + std::to_string(std::min(random() % 400, random() % 400));
    }
    if (document % 100 == 0) text += " once" + std::to_string(document);
    if (random() % 3 == 0) text += " often often often";
    reference::add_text(collection, text, static_cast<float>(random() % 9) / 4.0F);
  }
  return collection;
}

std::vector<Query> queries() {
  std::vector<Query> queries;
  for (const char* text : {"everywhere often", "w1 w2 w3 once100", "+everywhere w0 -w5", "once300",
                           "often w7 w7 w11 w200 w390", "+often +w0 +w1", "unknown w2"}) {
    queries.push_back(reference::query_from(text));
  }
  return queries;
}

std::vector<SearchSettings> all_settings() {
  std::vector<SearchSettings> all;
  for (const QueryMode mode : {QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr}) {
    for (const std::uint32_t k : {3U, 1000U}) {
      for (const ScorerKind kind : {ScorerKind::kBm25, ScorerKind::kQueryLikelihood}) {
        SearchSettings settings;
        settings.mode = mode;
        settings.k = k;
        settings.count = k == 3;
        settings.scorer.kind = kind;
        all.push_back(settings);
      }
    }
  }
  return all;
}

/// Opens the index and asks it everything; throws what that throws.
void use(const std::filesystem::path& folder) {
  const Index index = Index::open(folder);
  CpuSearcher searcher(index);
  std::optional<std::string> refusal;
  for (const SearchSettings& settings : all_settings()) {
    for (const Query& query : queries()) {
      try {
        const SearchResult result = searcher.search(query, settings);
        ASSERT_LE(result.hits.size(), settings.k);
        for (const Hit& hit : result.hits) {
          ASSERT_LT(hit.document, index.counts().documents);
          index.document_name(hit.document);
        }
      } catch (const Error& error) {  // the searcher must stay usable
        refusal = error.what();
      }
    }
  }
  if (refusal) throw FormatError(*refusal);
}

/// Changes one to a few bytes of a file, or its length.
std::string damage(std::string bytes, Random& random) {
  const auto offset = [&]() -> std::size_t {
    if (bytes.size() > kFileHead + kFileTail && random() % 10 != 0) {
      return kFileHead + random() % (bytes.size() - kFileHead - kFileTail);
    }
    return random() % bytes.size();
  };
  switch (random() % 8) {
    case 0: bytes.resize(random() % bytes.size()); break;
    case 1: bytes.resize(bytes.size() + 1 + random() % 100); break;
    case 2:
    case 3: {  // a run of random bytes
      const std::size_t begin = offset();
      const std::size_t end = std::min(bytes.size(), begin + 1 + random() % 64);
      for (std::size_t i = begin; i < end; ++i) bytes[i] = static_cast<char>(random());
      break;
    }
    case 4:  // a run of ones: the largest numbers
      for (std::size_t i = offset(), left = 8; i < bytes.size() && left > 0; ++i, --left) {
        bytes[i] = '\xFF';
      }
      break;
    default: bytes[offset()] ^= static_cast<char>(1U << random() % 8);
  }
  return bytes;
}

/// An index whose files can be replaced one at a time.
class DamagedIndex : public testing::Test {
 protected:
  void make(const CodecSettings& codec, bool of_impacts = false) {
    const std::filesystem::path folder =
        folder_ / (reference::describe(codec) + (of_impacts ? "-impacts" : ""));
    test::write_index_of(make_collection(random_), of_impacts, codec, folder);
    index_ = folder;
    files_.clear();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files_.push_back(entry.path());
    }
    std::sort(files_.begin(), files_.end());
    ASSERT_GE(files_.size(), 10U);
  }

  /// Runs `body` while `file` holds other bytes.
  static void with_bytes(const std::filesystem::path& file, const std::string& bytes,
                         const std::function<void()>& body) {
    const std::string before = test::read_file(file);
    test::write_file(file, bytes);
    body();
    test::write_file(file, before);
  }

  bool is_manifest(const std::filesystem::path& file) const { return file.extension() == ".json"; }

  Random random_ = test::generator(300);
  test::TemporaryFolder folder_;
  std::filesystem::path index_;
  std::vector<std::filesystem::path> files_;
};

TEST_F(DamagedIndex, IsRefusedOrAnswersButNeverCrashes) {
  int refused = 0;
  int answered = 0;
  const std::vector<CodecSettings> codecs = test::all_codecs();
  for (std::size_t turn = 0; turn <= codecs.size(); ++turn) {
    // Once more, of impacts.
    const bool of_impacts = turn == codecs.size();
    const CodecSettings codec = codecs[of_impacts ? random_() % codecs.size() : turn];
    ASSERT_NO_FATAL_FAILURE(make(codec, of_impacts));
    ASSERT_NO_THROW(use(index_));
    for (int round = 0; round < 8; ++round) {
      for (const std::filesystem::path& file : files_) {
        SCOPED_TRACE(reference::describe(codec) + ' ' + file.filename().string() + " round " +
                     std::to_string(round));
        with_bytes(file, damage(test::read_file(file), random_), [&] {
          try {
            use(index_);
            ++answered;
          } catch (const Error& error) {
            EXPECT_GT(std::string(error.what()).size(), 10U);
            ++refused;
          }
        });
        if (HasFatalFailure()) return;
      }
    }
    ASSERT_NO_THROW(use(index_));
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(answered, 0);
}

TEST_F(DamagedIndex, BlocksThatDoNotAscendOverrunNothing) {
  // Two lists of many blocks with the same docIDs over and over, some of them passed over unread
  // because their bounds are nothing: what is read between them must not pile up in one window.
  constexpr std::uint32_t kDocuments = 400'000;
  std::vector<std::uint32_t> docids;
  for (std::uint32_t docid = 0; docid < kDocuments; docid += 3) docids.push_back(docid);
  const std::vector<std::uint32_t> ones(docids.size(), 1);
  IndexWriter writer(folder_ / "ascending", {{CodecKind::kBitpack, 1}, "whitespace", "", false});
  for (std::uint32_t i = 0; i < kDocuments; ++i) writer.add_document("", 5);
  writer.add_list("a", encode_postings({}, docids, ones, writer.lengths()));
  writer.commit();
  const std::filesystem::path segment = folder_ / "ascending" / "segment-0";
  std::string last_docids = test::read_file(segment / "block_last_docids");
  std::string bounds = test::read_file(segment / "block_bounds");
  constexpr std::size_t kHeader = 64;
  constexpr std::uint32_t kStep = 3 * kBlockSize;
  for (std::uint32_t block = 2; block + 1 < docids.size() / kBlockSize; ++block) {
    // Odd blocks end where the first one does; even ones one block's range later.
    const std::uint32_t last = (block % 2 == 1 ? kStep : 2 * kStep) - 3;
    std::memcpy(last_docids.data() + kHeader + 4 * block, &last, sizeof last);
    if (block % 2 == 1) std::memset(bounds.data() + kHeader + 8 * block, 0, 4);
  }
  test::write_file(segment / "block_last_docids", last_docids);
  test::write_file(segment / "block_bounds", bounds);
  const Index index = Index::open(folder_ / "ascending");
  CpuSearcher searcher(index);
  for (const std::uint32_t k : {1U, 10U, 1000U}) {
    SearchSettings settings;
    settings.k = k;
    EXPECT_THROW(searcher.search({"q", {{"a", Occur::kUnsigned}}}, settings), FormatError);
  }
}

TEST_F(DamagedIndex, SeedsAndBoundsOfAnyBytesOverrunNothing) {
  for (const bool of_impacts : {false, true}) {
    ASSERT_NO_FATAL_FAILURE(make({CodecKind::kRice, 1}, of_impacts));
    for (const char* section : {"seeds", "range_bounds", "block_bounds", "static_bounds"}) {
      const std::filesystem::path file = index_ / "segment-0" / section;
      for (int round = 0; round < 20; ++round) {
        std::string bytes = test::read_file(file);
        ASSERT_GT(bytes.size(), kFileHead + kFileTail) << section;
        for (std::size_t i = kFileHead; i < bytes.size() - kFileTail; ++i) {
          bytes[i] = static_cast<char>(round == 0 ? 0xFF : round == 1 ? 0 : random_());
        }
        with_bytes(file, bytes, [&] {
          try {
            use(index_);
          } catch (const Error& error) {
            EXPECT_GT(std::string(error.what()).size(), 10U);
          }
        });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(DamagedIndex, WithoutOneOfItsFilesDoesNotOpen) {
  ASSERT_NO_FATAL_FAILURE(make({CodecKind::kPfor, 2}));
  for (const std::filesystem::path& file : files_) {
    const std::filesystem::path away = folder_ / "away";
    std::filesystem::rename(file, away);
    EXPECT_THROW(Index::open(index_), Error) << file;
    test::write_file(file, "");
    EXPECT_THROW(Index::open(index_), Error) << file << " empty";
    std::filesystem::rename(away, file);
  }
  EXPECT_NO_THROW(Index::open(index_));
}

TEST_F(DamagedIndex, IsFoundOutByVerifyWhichNamesTheFile) {
  ASSERT_NO_FATAL_FAILURE(
      make(test::all_codecs()[random_() % test::all_codecs().size()], random_() % 2 == 0));
  ASSERT_TRUE(verify_index(index_).ok());
  for (const std::filesystem::path& file : files_) {
    const std::string before = test::read_file(file);
    for (int round = 0; round < 40; ++round) {
      std::string bytes = before;
      const std::size_t place =
          round < 2 ? (round == 0 ? 0 : bytes.size() - 1) : random_() % bytes.size();
      bytes[place] ^= static_cast<char>(1U << random_() % 8);
      std::string found;
      with_bytes(file, bytes, [&] {
        try {
          for (const std::string& problem : verify_index(index_).problems) found += problem + '\n';
        } catch (const Error& error) {
          found = error.what();
        }
      });
      const bool version = is_manifest(file) && found.find("version") != std::string::npos;
      const std::string name = is_manifest(file) ? "manifest" : file.filename().string();
      EXPECT_TRUE(version || found.find(name) != std::string::npos)
          << "byte " << place << " of " << bytes.size() << " of " << file << "; found: " << found;
    }
  }
  EXPECT_TRUE(verify_index(index_).ok());
}

}  // namespace
}  // namespace warpdex
