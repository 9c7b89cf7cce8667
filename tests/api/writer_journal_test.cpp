// A Writer with a journal: what sync() made durable is there when the folder is opened again.
#include <map>

#include "tests/api/api_support.hpp"
#include "tests/support.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/verify.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

TEST(WriterJournal, SyncedChangesOutliveTheWriter) {
  const test::TemporaryFolder folder;
  {
    Writer writer(folder / "index", {.analyzer = "whitespace"}, {.journal = true});
    writer.add({.id = "1", .text = "fish"});
    writer.commit();
    writer.add({.id = "2", .text = "fish"});
    writer.add({.id = "3", .text = "fish"});
    EXPECT_TRUE(writer.remove("1"));
    writer.sync();
    writer.add({.id = "4", .text = "fish"});
  }
  EXPECT_EQ(verify(folder / "index").journal_changes, 3U);
  EXPECT_EQ(Searcher(folder / "index").search("fish").size(), 1U);
  Writer writer(folder / "index");
  EXPECT_EQ(writer.recovered(), 3U);
  writer.commit();
  EXPECT_EQ(Searcher(folder / "index").search("fish").size(), 2U);
  EXPECT_EQ(verify(folder / "index").journal_changes, 0U);
}

}  // namespace
}  // namespace warpdex
