// Parts of an index: the bytes are those of a build from their documents.
#include <gmock/gmock.h>

#include "tests/indexer/build_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex::test {
namespace {

class Split : public testing::Test {
 protected:
  SplitReport split(std::uint32_t parts, std::size_t threads = 1) {
    RewriteOptions options;
    options.input = folder_ / "index";
    options.output = folder_ / "parts";
    options.memory = kMinBuildMemory;
    options.threads = threads;
    return split_index(options, parts);
  }

  const TemporaryFolder folder_{place_in_memory()};
};

TEST_F(Split, GivesTheBytesOfABuildOfEachRange) {
  auto random = generator(560);
  for (const std::size_t count : {1, 33, 127, 2000}) {
    const std::vector<Document> documents = random_documents(random, count, 3000, 80);
    build_from_memory(documents, options_for(folder_ / "index"));
    for (const std::uint32_t parts : {1U, 2U, 3U, 8U}) {
      if (parts > count) continue;
      std::filesystem::remove_all(folder_ / "parts");
      const SplitReport report = split(parts, 1 + random() % 3);
      ASSERT_EQ(report.parts.size(), parts);
      auto next = documents.begin();
      for (std::uint32_t i = 0; i < parts; ++i) {
        const auto end = next + static_cast<std::ptrdiff_t>(report.parts[i].documents);
        build_from_memory({next, end}, options_for(folder_ / "expected"));
        EXPECT_EQ(report.parts[i].folder, part_folder(folder_ / "parts", i));
        EXPECT_EQ(folder_bytes(report.parts[i].folder), folder_bytes(folder_ / "expected"))
            << "part " << i << " of " << parts << ", " << count << " documents";
        next = end;
      }
      EXPECT_EQ(next, documents.end());
    }
  }
}

TEST_F(Split, TakesWhatIsLiveOfAllSegments) {
  auto random = generator(561);
  std::vector<Document> documents = random_documents(random, 900, 3000, 60);
  build_from_memory({documents.begin(), documents.begin() + 400}, options_for(folder_ / "index"));
  {
    LivingIndex index(folder_ / "index");
    index.add(*documents_from_memory({documents.begin() + 400, documents.begin() + 500}));
    index.commit();
    index.add(*documents_from_memory({documents.begin() + 500, documents.end()}));
    std::erase_if(documents, [&](const Document& document) {
      return random() % 4 == 0 && index.remove(document.id);
    });
    index.commit();
  }
  ASSERT_GT(Snapshot::open(folder_ / "index").segments().size(), 1U);
  const SplitReport report = split(3);
  auto next = documents.begin();
  for (const SplitPart& part : report.parts) {
    const auto end = next + static_cast<std::ptrdiff_t>(part.documents);
    build_from_memory({next, end}, options_for(folder_ / "expected"));
    EXPECT_EQ(checksums(part.folder), checksums(folder_ / "expected"));
    EXPECT_TRUE(verify_index(part.folder).ok());
    next = end;
  }
  EXPECT_EQ(next, documents.end());
}

/// Postings of each document, with impacts that were made of all documents' statistics.
TEST_F(Split, ImpactsStayAsTheyAre) {
  auto random = generator(562);
  const std::vector<Document> documents = random_documents(random, 700, 3000, 60);
  BuildOptions options = options_for(folder_ / "index");
  options.impacts = ImpactSettings{1.1, 0.3};
  build_from_memory(documents, options);
  const Collection whole = read_index(folder_ / "index");
  std::uint32_t first = 0;
  Lists joined;
  for (const SplitPart& part : split(4).parts) {
    const Collection own = read_index(part.folder);
    for (const auto& [term, list] : own.lists) {
      for (const auto& [document, impact] : list) joined[term][first + document] = impact;
    }
    first += static_cast<std::uint32_t>(part.documents);
    EXPECT_EQ(Index::open(part.folder).settings().impacts,
              Index::open(folder_ / "index").settings().impacts);
  }
  EXPECT_EQ(joined, whole.lists);
}

TEST_F(Split, ABuildMayMakeParts) {
  auto random = generator(564);
  const std::vector<Document> documents = random_documents(random, 301, 800, 40);
  build_from_memory(documents, options_for(folder_ / "index"));
  split(3);
  SplitReport report;
  const BuildReport built =
      build_parts(*documents_from_memory(documents), options_for(folder_ / "built"), 3, {}, report);
  EXPECT_EQ(built.documents, documents.size());
  EXPECT_EQ(folder_bytes(folder_ / "built"), folder_bytes(folder_ / "parts"));
  EXPECT_THROW(build_parts(*documents_from_memory({documents[0]}), options_for(folder_ / "few"), 2,
                           {}, report),
               UsageError);
  EXPECT_TRUE(folder_bytes(folder_ / "few").empty());
}

TEST_F(Split, PartsOpenAsOneIndex) {
  auto random = generator(565);
  const std::vector<Document> documents = random_documents(random, 301, 800, 40);
  build_from_memory(documents, options_for(folder_ / "index"));
  EXPECT_FALSE(holds_parts(folder_ / "index"));
  split(3);
  EXPECT_TRUE(holds_parts(folder_ / "parts"));
  const Snapshot whole = Snapshot::open(folder_ / "index");
  const Snapshot parts = Snapshot::open(folder_ / "parts");
  EXPECT_EQ(parts.segments().size(), 3U);
  EXPECT_EQ(parts.documents(), whole.documents());
  EXPECT_EQ(parts.statistics().documents, whole.statistics().documents);
  EXPECT_EQ(parts.statistics().tokens, whole.statistics().tokens);
  for (std::uint32_t i = 0; i < whole.docid_end(); ++i) {
    EXPECT_EQ(parts.document_name(i), whole.document_name(i));
  }
  // A part of the parts.
  const Snapshot last = parts.part(1, 2);
  EXPECT_EQ(last.segments().size(), 2U);
  EXPECT_EQ(last.docid_begin(), parts.segments()[1].first_document);
  EXPECT_EQ(last.docid_end(), parts.docid_end());
  EXPECT_EQ(last.documents() + parts.part(0, 1).documents(), parts.documents());
  for (std::uint32_t i = last.docid_begin(); i < last.docid_end(); ++i) {
    EXPECT_EQ(last.document_name(i), parts.document_name(i));
  }
  EXPECT_EQ(parts.part(3, 0).documents(), 0U);
  EXPECT_THROW(split(2), UsageError);  // part-2 would stay
  BuildOptions other = options_for(folder_ / "parts" / "part-1");
  other.analyzer = "keyword";
  build_from_memory(documents, other);
  EXPECT_THROW(Snapshot::open(folder_ / "parts"), UsageError);
}

TEST_F(Split, RefusesWhatCannotBe) {
  auto random = generator(563);
  build_from_memory(random_documents(random, 5, 50, 9), options_for(folder_ / "index"));
  EXPECT_THROW(split(0), UsageError);
  EXPECT_THROW(split(6), UsageError);
  EXPECT_THROW(split(kMaxParts + 1), UsageError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "parts"));
  RewriteOptions options;
  options.input = folder_ / "index";
  options.output = folder_ / "index" / "parts";
  EXPECT_THROW(split_index(options, 2), UsageError);
  build_from_memory(random_documents(random, 5, 50, 9), options_for(folder_ / "other"));
  options.output = folder_ / "other";
  EXPECT_THROW(split_index(options, 2), UsageError);
  std::filesystem::create_directories(folder_ / "parts");
  std::filesystem::rename(folder_ / "index", folder_ / "parts" / "part-0");
  options.input = folder_ / "parts" / "part-0";
  options.output = folder_ / "parts";
  EXPECT_THROW(split_index(options, 2), UsageError);
}

}  // namespace
}  // namespace warpdex::test
