// A list whose damaged blocks end behind the index.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/indexer/format/postings.hpp"
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

}  // namespace
}  // namespace warpdex
