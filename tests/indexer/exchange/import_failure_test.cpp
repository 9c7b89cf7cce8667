// Bad files: each ends the import with a sentence that says what is wrong, and costs nothing.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreign_bytes.hpp"
#include "tests/indexer/reader_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/exchange/exchange.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex::test {
namespace {

using foreign::Ciff;
using foreign::Ds2i;
using foreign::posting;

const Collection kSmall{
    {"d0", "d1", "d2"}, {4, 3, 5}, {}, {{"a", {{0, 2}, {2, 1}}}, {"b", {{1, 3}}}}};

class ImportFailure : public ::testing::Test {
 protected:
  void SetUp() override {
    build_from_memory({{"kept", "what was there"}}, options_for(output_));
    before_ = folder_bytes(output_);
  }

  exchange::ImportOptions options() const {
    exchange::ImportOptions options;
    options.output = output_;
    options.memory = kMinBuildMemory;
    options.threads = 1;
    return options;
  }

  template <class E>
  void expect_kept(const std::function<void()>& import, const std::string& part) {
    const std::string said = reading::message_of<E>(import);
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_EQ(folder_bytes(output_), before_) << said;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(target_.path()),
                            std::filesystem::directory_iterator()),
              1)
        << "something was left beside the target: " << said;
  }

  void refuse_ciff(const std::string& bytes, const std::string& part) {
    write_file(folder_ / "in.ciff", bytes);
    expect_kept<InputError>([&] { exchange::import_ciff(folder_ / "in.ciff", options()); }, part);
  }
  void refuse_ciff(const Ciff& file, const std::string& part) { refuse_ciff(file.bytes(), part); }

  /// The small collection with another first list, which claims what it has.
  void refuse_list(const std::string& term, std::int64_t df, const std::string& postings,
                   const std::string& part) {
    Ciff file = foreign::ciff_of(kSmall);
    file.lists[0] = foreign::list(term, df, 0, postings);
    refuse_ciff(file, part);
  }

  void refuse_ds2i(const Ds2i& files, const std::string& part) {
    foreign::write_ds2i(files, folder_ / "in");
    expect_kept<InputError>(
        [&] {
          exchange::import_ds2i({folder_ / "in", {}, {}}, options());
        },
        part);
  }

  TemporaryFolder folder_{place_in_memory()};
  TemporaryFolder target_{place_in_memory()};
  std::filesystem::path output_ = target_ / "index";
  std::map<std::string, std::string> before_;
};

TEST_F(ImportFailure, FilesThatAreNotCiff) {
  refuse_ciff("", "the file is empty");
  refuse_ciff("<html><body>not found</body></html>", "header");
  refuse_ciff(std::string(100, '\xFF'), "takes more than 10 bytes");
  refuse_ciff(foreign::varint(std::uint64_t{1} << 40), "is below 2 GiB");
  Ciff file = foreign::ciff_of(kSmall);
  file.header.version = 2;
  refuse_ciff(file, "version 2 of CIFF, this program reads version 1");
}

TEST_F(ImportFailure, FilesThatAreCutShortAnywhere) {
  const std::string bytes = foreign::ciff_of(kSmall).bytes();
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    refuse_ciff(bytes.substr(0, size), "in.ciff: ");
  }
  refuse_ciff(bytes + '\0', "1 bytes follow the last message");
}

TEST_F(ImportFailure, CountsThatDisagree) {
  const auto with = [](std::int64_t lists, std::int64_t documents) {
    Ciff file = foreign::ciff_of(kSmall);
    file.header.lists = lists;
    file.header.documents = documents;
    return file;
  };
  refuse_ciff(with(1, 3), "in.ciff: ");
  refuse_ciff(with(3, 3), "in.ciff: ");
  refuse_ciff(with(2, 2), "bytes follow the last message");
  refuse_ciff(with(2, 4), "within document record 4 of 4");
  refuse_ciff(with(2, 2147483647), "counts 2147483647 documents");
  refuse_ciff(with(2147483647, 3), "in.ciff: ");
  refuse_ciff(with(-1, 3), "fewer than 0");
  refuse_ciff(with(2, -1), "fewer than 0");
  refuse_list("a", 3, posting(0, 1), "the list of 'a' has a df of 3 and 1 postings");
  refuse_list("a", -1, posting(0, 1), "df of -1");
}

TEST_F(ImportFailure, PostingsThatCannotBe) {
  refuse_list("a", 2, posting(1, 1) + posting(0, 1), "docID 1 behind docID 1; docIDs must ascend");
  refuse_list("a", 1, posting(3, 1), "docID 3, and there are 3 documents");
  refuse_list("a", 2, posting(2, 1) + posting(-1, 1), "the list of 'a' is damaged");
  refuse_list("a", 1, posting(-1, 1), "the list of 'a' is damaged");
  refuse_list("a", 1, posting(1, 0), "a frequency of 0, in docID 1");
  refuse_list("a", 1, posting(1, -2), "the list of 'a' is damaged");
  refuse_list("a", 1, posting(1, std::int64_t{1} << 32), "the list of 'a' is damaged");
  refuse_list("a", 2, posting(2147483647, 1) + posting(2147483647, 1),
              "the list of 'a' is damaged");
  refuse_list("a", 1, posting(1, 2147483647), "its postings add up to 2147483650");
  refuse_list("a", 1, foreign::text(4, std::string(11, '\xFF')), "the list of 'a' is damaged");
  refuse_list("a", 1, foreign::text(4, "\x0A"), "the list of 'a' is damaged");
  // A posting that claims to be longer than its list.
  refuse_list("a", 1, foreign::varint(4 * 8 + 2) + foreign::varint(100) + "\x10\x01",
              "list 1 of 2");
}

TEST_F(ImportFailure, WeightsThatCannotBe) {
  Ciff file = foreign::ciff_of(kSmall);
  file.lists[0] = foreign::list("a", 1, 0, posting(1, 1 << 20));
  write_file(folder_ / "in.ciff", file.bytes());
  exchange::ImportOptions as_weights = options();
  as_weights.impacts = ImpactSettings{.source = ImpactSource::kWholeWeights};
  expect_kept<InputError>([&] { exchange::import_ciff(folder_ / "in.ciff", as_weights); },
                          "the list of 'a' has a weight of 1048576, in docID 1; weights are from 1 "
                          "to 1048575");
}

TEST_F(ImportFailure, TermsThatCannotBe) {
  refuse_list("", 1, posting(1, 1), "a term is empty");
  refuse_list("b", 1, posting(1, 1), "two lists are of the term 'b'");
  refuse_list("caf\xE9", 1, posting(1, 1), "the term 'caf...' is not UTF-8");
}

TEST_F(ImportFailure, DocumentsThatCannotBe) {
  const auto refuse = [&](std::int64_t docid, const std::string& name, std::int64_t length,
                          const std::string& part) {
    Ciff file = foreign::ciff_of(kSmall);
    file.documents[1] = foreign::document(docid, name, length);
    refuse_ciff(file, part);
  };
  refuse(2, "d1", 3, "two document records have the docid 2");
  refuse(3, "d1", 3, "docid 3; docids are from 0");
  refuse(-1, "d1", 3, "docid -1");
  refuse(1, "d0", 3, ":document:1, too; give each document an id of its own");
  refuse(1, "", 3, "the id is empty");
  refuse(1, "d 1", 3, "white space");
  refuse(1, "d\xFF", 3, "not UTF-8");
  refuse(1, "d1", -3, "a length of -3");
  refuse(1, "d1", 2, "its postings add up to 3");
  Ciff none = foreign::ciff_of({{}, {}, {}, {}});
  refuse_ciff(none, "it holds no document; the index at");
}

TEST_F(ImportFailure, ChangedBytesAreRefusedOrMakeAWholeIndex) {
  auto random = generator(70);
  const Collection collection = invert(random_documents(random, 40, 60, 30));
  const std::string ciff = foreign::ciff_of(collection).bytes();
  const Ds2i ds2i = foreign::ds2i_of(collection);
  int taken = 0;
  for (int round = 0; round < 400; ++round) {
    const bool as_ciff = round % 2 == 0;
    Ds2i files = as_ciff ? Ds2i{{"ciff", ciff}} : ds2i;
    auto file = files.begin();
    std::advance(file, static_cast<std::ptrdiff_t>(random() % files.size()));
    for (std::uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      file->second[random() % file->second.size()] = static_cast<char>(random());
    }
    foreign::write_ds2i(files, folder_ / "in");
    exchange::ImportOptions changed = options();
    changed.output = folder_ / "changed";
    try {
      as_ciff ? exchange::import_ciff(folder_ / "in.ciff", changed)
              : exchange::import_ds2i({folder_ / "in", {}, {}}, changed);
    } catch (const InputError&) {
      continue;
    }
    ++taken;
    const VerifyReport report = verify_index(changed.output);
    EXPECT_TRUE(report.ok()) << report.problems.front();
  }
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, 400);
}

TEST_F(ImportFailure, BinaryCollectionsThatContradictThemselves) {
  const Ds2i good = foreign::ds2i_of(kSmall);
  for (const char* name : {"docs", "freqs", "sizes"}) {
    for (std::size_t size = 0; size < good.at(name).size(); ++size) {
      Ds2i files = good;
      files[name].resize(size);
      refuse_ds2i(files, "in.");
    }
    Ds2i files = good;
    files[name] += foreign::word(0);
    refuse_ds2i(files, "in.");
  }
  const auto refuse = [&](const char* name, const std::string& bytes, const std::string& part) {
    Ds2i files = good;
    files[name] = bytes;
    refuse_ds2i(files, part);
  };
  const auto words = [](std::initializer_list<std::uint32_t> values) {
    std::string bytes;
    for (const std::uint32_t value : values) bytes += foreign::word(value);
    return bytes;
  };
  refuse("docs", words({2, 3, 3, 2, 0, 2, 1, 1}), "the number of documents alone");
  refuse("docs", words({1, 4, 2, 0, 2, 1, 1}), "lengths of 3 documents");
  refuse("docs", words({1, 3, 2, 2, 0, 1, 1}), "docID 0 behind docID 2");
  refuse("docs", words({1, 3, 2, 2, 2, 1, 1}), "docIDs must ascend");
  refuse("docs", words({1, 3, 2, 0, 3, 1, 1}), "docID 3, and there are 3 documents");
  refuse("docs", words({1, 3, 1, 0, 2, 1, 2}), "not as many frequencies");
  refuse("freqs", words({2, 2, 0, 1, 3}), "a frequency of 0");
  refuse("sizes", words({3, 4, 2, 5}), "a length of 2, and its postings add up to 3");
  refuse("sizes", words({3, 4, 3, 2147483648}), "a length of 2147483648, and an index holds");
  refuse("terms", "a\n", "it has 1 line, and there are 2 lists");
  refuse("terms", "a\na\n", "two lists are of the term 'a'");
  refuse("terms", "a\n\n", "a term is empty");
  refuse("documents", "d0\nd1\nd2\nd3\n", "it has 4 lines, and there are 3 documents");
  refuse("documents", "d0\nd1\nd0\n", "in.documents:3: the id 'd0'");
}

TEST_F(ImportFailure, AListThatMemoryCannotHold) {
  // 64 MiB hold 1.5 million postings in the making, beside the tables of documents.
  constexpr std::uint32_t kDocuments = 1'100'000;
  Collection collection;
  Ds2i files{{"docs", foreign::word(1) + foreign::word(kDocuments) + foreign::word(kDocuments)},
             {"freqs", foreign::word(kDocuments)},
             {"sizes", foreign::word(kDocuments)}};
  for (std::uint32_t i = 0; i < kDocuments; ++i) {
    files["docs"] += foreign::word(i);
    files["freqs"] += foreign::word(1);
    files["sizes"] += foreign::word(1);
  }
  refuse_ds2i(files, "the list of '0' has 1100000 postings, which take ");
  exchange::ImportOptions more = options();
  more.memory = 4 * kMinBuildMemory;
  exchange::import_ds2i({folder_ / "in", {}, {}}, more);
  EXPECT_EQ(Index::open(output_).counts().postings, kDocuments);
}

TEST_F(ImportFailure, PlacesThatCannotBe) {
  const std::string good = foreign::ciff_of(kSmall).bytes();
  write_file(folder_ / "in.ciff", good);
  expect_kept<IoError>([&] { exchange::import_ciff(folder_ / "none.ciff", options()); },
                       "none.ciff': No such file");
  expect_kept<IoError>([&] { exchange::import_ciff(folder_.path(), options()); }, "is a folder");
  expect_kept<IoError>(
      [&] {
        exchange::import_ds2i({folder_ / "none", {}, {}}, options());
      },
      "none.docs': No such file");
  exchange::ImportOptions unfit = options();
  unfit.analyzer = "klingon";
  expect_kept<UsageError>([&] { exchange::import_ciff(folder_ / "in.ciff", unfit); }, "klingon");
  unfit = options();
  unfit.memory = 1;
  expect_kept<UsageError>([&] { exchange::import_ciff(folder_ / "in.ciff", unfit); }, "64 MiB");
  unfit = options();
  unfit.on_progress = [](const BuildProgress&) { throw IoError("stopped from outside"); };
  expect_kept<IoError>([&] { exchange::import_ciff(folder_ / "in.ciff", unfit); }, "stopped");
}

}  // namespace
}  // namespace warpdex::test
