// Bad documents, failing readers, cancelled builds and full disks: each ends as promised, and
// what was there before a failed build is there after it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "build_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::test {
namespace {

// Hands out documents; those whose text is "malformed" do not parse; fails after `limit` records.
class FragileReader final : public DocumentReader {
 public:
  FragileReader(std::vector<Document> documents, std::size_t limit)
      : documents_(std::move(documents)), limit_(limit) {}

  bool next(RawRecord& record) override {
    if (next_ == limit_) throw IoError("the disk is gone");
    if (next_ == documents_.size()) return false;
    record.location = {"file", next_ + 1};
    record.bytes = std::to_string(next_++);
    return true;
  }

  Document parse(const RawRecord& record) const override {
    const Document& document = documents_[std::stoul(record.bytes)];
    if (document.text == "malformed") {
      throw BadDocument(record.location.to_string() + ": malformed");
    }
    return document;
  }

  std::uint64_t bytes_consumed() const override { return 0; }
  std::uint64_t bytes_total() const override { return 0; }

 private:
  std::vector<Document> documents_;
  std::size_t limit_;
  std::size_t next_ = 0;
};

constexpr std::size_t kNever = ~std::size_t{0};

class BuildFailure : public testing::Test {
 protected:
  BuildFailure() {
    build_from_memory({{"old", "an index from before"}}, options_for(folder_ / "index"));
    before_ = folder_bytes(folder_.path());
  }

  // Also that nothing was left beside the index.
  void expect_untouched() { EXPECT_EQ(folder_bytes(folder_.path()), before_); }

  BuildOptions options() const { return options_for(folder_ / "index"); }

  const TemporaryFolder folder_;
  std::map<std::string, std::string> before_;
};

std::string message_of(std::vector<Document> documents, std::size_t limit,
                       const BuildOptions& options) {
  FragileReader reader(std::move(documents), limit);
  try {
    build_index(reader, options);
  } catch (const BadDocument& error) {
    return error.what();
  }
  return "none";
}

std::vector<Document> good_documents(std::size_t count) {
  std::vector<Document> documents;
  for (std::size_t i = 0; i < count; ++i) {
    documents.push_back({"id" + std::to_string(i), "some text"});
  }
  return documents;
}

TEST_F(BuildFailure, FirstBadDocumentInInputOrderIsNamed) {
  for (const std::size_t threads : {1, 2, 8}) {
    for (int round = 0; round < 5; ++round) {
      std::vector<Document> documents = good_documents(20'000);
      documents[19'000].text = "malformed";
      documents[4000].text = "malformed";
      documents[3999].id = "id17";
      BuildOptions chosen = options();
      chosen.threads = threads;
      std::string message = message_of(documents, kNever, chosen);
      EXPECT_NE(message.find("file:4000: "), std::string::npos) << message;
      EXPECT_NE(message.find("'id17'"), std::string::npos) << message;
      documents[3999].id = "id3999";
      EXPECT_EQ(message_of(documents, kNever, chosen), "file:4001: malformed");
      documents[4000].text = "caf\xE9";
      message = message_of(documents, kNever, chosen);
      EXPECT_NE(message.find("file:4001: document 'id4000': "), std::string::npos) << message;
    }
  }
  expect_untouched();
}

TEST_F(BuildFailure, BadDocumentsAreSkippedOnRequest) {
  for (const std::size_t threads : {1, 4}) {
    std::vector<Document> documents = good_documents(5000);
    documents[7] = {"late", "malformed"};
    documents[2000].id = "late";  // the first good one of that id
    documents[2001].text = "caf\xE9 unseen";
    documents[2002].text.clear();
    while (documents[2002].text.size() < 200'000) documents[2002].text += "seen ";
    documents[2002].text += '\xFF';
    documents[4998].id = "id0";
    documents[4999].text = "last";
    std::vector<std::string> messages;
    BuildOptions chosen = options();
    chosen.output = folder_ / "skipped";
    chosen.threads = threads;
    chosen.on_bad_document = OnBadDocument::kSkip;
    chosen.on_skipped_document = [&](const std::string& message) { messages.push_back(message); };
    FragileReader reader(documents, kNever);
    const BuildReport report = build_index(reader, chosen);
    EXPECT_EQ(report.skipped_documents, 4U);
    ASSERT_EQ(messages.size(), 4U);
    EXPECT_EQ(messages[0], "file:8: malformed");
    EXPECT_EQ(messages[1].find("file:2002: document 'id2001'"), 0U) << messages[1];
    EXPECT_NE(messages[2].find("at byte 200000 "), std::string::npos) << messages[2];
    EXPECT_EQ(messages[3].find("file:4999: "), 0U) << messages[3];
    for (const std::size_t bad : {4998, 2002, 2001, 7}) {
      documents.erase(documents.begin() + static_cast<std::ptrdiff_t>(bad));
    }
    EXPECT_EQ(read_index(chosen.output), invert(documents));
  }
}

TEST_F(BuildFailure, AnInputOfOnlyBadDocumentsBuildsNothing) {
  BuildOptions chosen = options();
  chosen.on_bad_document = OnBadDocument::kSkip;
  for (const std::string name : {"index", "none"}) {
    chosen.output = folder_ / name;
    FragileReader reader({{"a", "malformed"}, {"b", "malformed"}}, kNever);
    EXPECT_THROW(build_index(reader, chosen), InputError);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none"));
  expect_untouched();
}

TEST_F(BuildFailure, AnEmptyInputCostsNoIndex) {
  FragileReader reader({}, kNever);
  EXPECT_THROW(build_index(reader, options()), InputError);
  expect_untouched();
  BuildOptions fresh = options();
  fresh.output = folder_ / "none";
  EXPECT_EQ(build_index(reader, fresh).documents, 0U);
  EXPECT_EQ(read_index(fresh.output), Collection{});
}

TEST_F(BuildFailure, AFieldThatNoDocumentHasEndsTheBuild) {
  const TemporaryFolder input;
  std::string lines;
  for (int i = 0; i < 3000; ++i) {
    lines += "{\"id\":" + std::to_string(i) + ",\"title\":\"a\",\"contents\":\"b\"}\n";
  }
  write_file(input / "docs", lines);
  ReaderOptions source{.inputs = {input / "docs"}, .fields = {"titel", "contents", "url"}};
  for (const std::size_t threads : {1, 4}) {
    BuildOptions chosen = options();
    chosen.threads = threads;
    try {
      build_index(*open_documents(source), chosen);
      ADD_FAILURE() << "was built";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(),
                   "no document has the field 'titel', 'url'; the first documents have contents, "
                   "id, title: correct the name, or leave it out");
    }
    expect_untouched();
  }
  source.fields = {"title", "contents"};
  const BuildReport report = build_index(*open_documents(source), options());
  ASSERT_EQ(report.fields.size(), 2U);
  EXPECT_EQ(report.fields[0].name, "title");
  EXPECT_EQ(report.fields[0].documents, 3000U);
}

// Clamped, both would weigh the same, and the worse one could come first.
TEST_F(BuildFailure, StaticScoresTooLargeForImpactsEndTheBuild) {
  const TemporaryFolder input;
  write_file(input / "scores", "a\t3e6\nb\t5e6\nelsewhere\t1e30\n");
  BuildOptions chosen = options();
  chosen.static_scores = input / "scores";
  chosen.impacts.emplace();
  try {
    build_from_memory({{"a", "word"}, {"b", "word"}}, chosen);
    ADD_FAILURE() << "was built";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("the static score 5e+06 of the document 'b' is too"),
              0U)
        << error.what();
  }
  expect_untouched();
  write_file(input / "scores", "a\t300\nb\t500\nelsewhere\t1e30\n");
  build_from_memory({{"a", "word"}, {"b", "word"}}, chosen);
  const std::vector<float> scores = read_index(chosen.output).static_scores;
  EXPECT_NEAR(scores[1] / scores[0], 5.0 / 3, 1e-3);
}

TEST_F(BuildFailure, FailingReaderEndsTheBuild) {
  for (const std::size_t threads : {1, 4}) {
    BuildOptions chosen = options();
    chosen.threads = threads;
    for (const std::size_t limit : {0, 1, 1023, 1024, 5000}) {
      FragileReader reader(good_documents(10'000), limit);
      EXPECT_THROW(build_index(reader, chosen), IoError) << limit;
    }
    std::vector<Document> documents = good_documents(10'000);
    documents[4999].text = "malformed";  // comes before the failure, in the same batch
    EXPECT_EQ(message_of(documents, 5000, chosen), "file:5000: malformed");
  }
  expect_untouched();
}

TEST_F(BuildFailure, CallbacksMayCancel) {
  struct Cancelled {};
  for (const std::string stage : {"reading", "writing"}) {
    BuildOptions chosen = options();
    chosen.threads = 3;
    chosen.on_progress = [&](const BuildProgress& progress) {
      if (progress.stage == stage) throw Cancelled{};
    };
    EXPECT_THROW(build_from_memory(good_documents(5000), chosen), Cancelled);
  }
  BuildOptions chosen = options();
  chosen.on_bad_document = OnBadDocument::kSkip;
  chosen.on_skipped_document = [](const std::string&) { throw Cancelled{}; };
  EXPECT_THROW(build_from_memory({{"a", ""}, {"a", ""}}, chosen), Cancelled);
  expect_untouched();
}

TEST_F(BuildFailure, OptionsThatCannotBeTaken) {
  BuildOptions chosen = options();
  chosen.memory = kMinBuildMemory - 1;
  EXPECT_THROW(build_from_memory({}, chosen), UsageError);
  chosen = options();
  chosen.output = "";
  EXPECT_THROW(build_from_memory({}, chosen), UsageError);
  chosen = options();
  chosen.analyzer = "klingon";
  EXPECT_THROW(build_from_memory({}, chosen), UsageError);
  chosen = options();
  chosen.codec = {CodecKind::kPfor, kMaxPforLevels + 1};
  EXPECT_THROW(build_from_memory({}, chosen), UsageError);
  chosen = options();
  chosen.static_scores = folder_ / "missing";
  EXPECT_THROW(build_from_memory({}, chosen), IoError);
  expect_untouched();
}

// No file may grow past `limit` bytes: what a full disk does, for one process.
int build_with_full_disk(std::vector<Document> documents, const BuildOptions& options,
                         rlim_t limit) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 1;
    try {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit file_size{limit, limit};
      if (::setrlimit(RLIMIT_FSIZE, &file_size) != 0) ::_exit(3);
      build_from_memory(std::move(documents), options);
    } catch (const IoError&) {
      status = 0;
    } catch (...) {
      status = 2;
    }
    ::_exit(status);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(BuildFailure, FullDiskLeavesTheIndexFromBefore) {
  auto random = generator(20);
  std::vector<Document> documents = random_documents(random, 2000, 5000, 100);
  for (Document& document : documents) {
    for (int word = 0; word < 500; ++word) document.text += std::to_string(random()) + ' ';
  }
  BuildOptions chosen = options();
  chosen.threads = 2;
  // In a run (the first file of a megabyte), in a section, in the manifest.
  for (const rlim_t limit : {rlim_t{1} << 20, rlim_t{1} << 12, rlim_t{100}}) {
    EXPECT_EQ(build_with_full_disk(documents, chosen, limit), 0) << limit;
    expect_untouched();
  }
}

}  // namespace
}  // namespace warpdex::test
