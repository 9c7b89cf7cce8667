// A list whose damaged blocks end behind the index, and blocks of documents of a damaged lexicon.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/query/cpu/blocks/document_blocks.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex {
namespace {

/// Two lists of all documents, of which the blocks of the first one but its first and last claim to
/// end far behind the index.
void write_damaged(const std::filesystem::path& folder) {
  constexpr std::uint32_t kDocuments = 1'000;
  constexpr std::size_t kHeader = 64;
  std::vector<std::uint32_t> docids(kDocuments);
  std::iota(docids.begin(), docids.end(), 0U);
  IndexWriter writer(folder, {{CodecKind::kBitpack, 1}, "whitespace", "", false});
  for (std::uint32_t i = 0; i < kDocuments; ++i) writer.add_document("", 5);
  for (const char* term : {"a", "b"}) {
    writer.add_list(term, encode_postings({}, docids, std::vector<std::uint32_t>(kDocuments, 1),
                                          writer.lengths()));
  }
  writer.commit();
  const std::filesystem::path file = folder / "segment-0" / "block_last_docids";
  std::string bytes = test::read_file(file);
  for (std::size_t block = 1; block < kDocuments / kBlockSize; ++block) {
    std::memset(bytes.data() + kHeader + 4 * block, 0xFE, 4);
  }
  test::write_file(file, bytes);
}

TEST(DamagedBlocks, HaveNoBoundsBehindTheIndex) {
  const test::TemporaryFolder folder;
  write_damaged(folder / "index");
  SearchSettings settings;
  // So many that the last ones lie before memory that cannot be read.
  constexpr std::size_t kGuard = 8 << 20;
  std::vector<Index> indexes;
  std::vector<void*> guards;
  for (int i = 0; i < 60; ++i) {
    guards.push_back(mmap(nullptr, kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    indexes.push_back(Index::open(folder / "index"));
    CpuSearcher searcher(indexes.back());
    EXPECT_THROW(searcher.search(reference::query_from("+a b"), settings), FormatError);
  }
  for (void* guard : guards) munmap(guard, kGuard);
}

/// The bytes of a long term become ten terms of one letter and one of two, more than a group has
/// room for. `terms` of 64: the group is the last one, so lists end where it does.
TEST(DocumentBlocks, AreNotMadeOfAGroupOfTooManyTerms) {
  for (const std::uint32_t terms : {64U, 130U}) {
    const test::TemporaryFolder folder;
    IndexSettings settings;
    settings.impacts.emplace();
    IndexWriter writer(folder / "index", settings);
    writer.add_document("", 1);
    const std::string long_term = "m" + std::string(29, 'n');
    for (std::uint32_t i = 0; i < terms; ++i) {
      const std::string term =
          i == 63 ? long_term : std::string(i < 63 ? "a" : "z") + std::to_string(1'000 + i);
      writer.add_list(term, encode_impacts({}, std::vector{0U}, std::vector{1U}, 1));
    }
    writer.commit();
    const std::filesystem::path file = folder / "index" / "segment-0" / "lexicon";
    std::string bytes = test::read_file(file);
    const std::size_t place = bytes.find(long_term);
    ASSERT_NE(place, std::string::npos);
    std::string many;
    for (char letter = 'm'; many.size() < 30; ++letter) many += {'\x10', letter, 1};
    bytes.replace(place - 3, 33, many + "\x20zz");
    test::write_file(file, bytes);
    const Index index = Index::open(folder / "index");
    EXPECT_NO_THROW(index.for_each_term([](std::string_view, const PostingsEntry&) {}));
    EXPECT_THROW(DocumentBlocks(index, 1), FormatError);
  }
}

}  // namespace
}  // namespace warpdex
