// Messages between parts of an index. Where the input's first byte is even, the rest is a message;
// else the second byte is its kind, the rest its body, and the header is made to fit. What is read
// is written and read again; a request is answered by a shard, and an answer merged.
#include <cmath>
#include <optional>
#include <string>

#include "tests/fuzz/fuzz_support.hpp"
#include "tests/query/shards/message_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/shards/merge.hpp"
#include "warpdex/query/shards/shard.hpp"

namespace warpdex::fuzz {
namespace {

using namespace shards;

Shard& shard() {
  static const auto made = [] {
    BuildOptions options;
    options.output = work_folder() / "part";
    options.analyzer = "whitespace";
    options.threads = 1;
    options.vectors = vector::RowSettings{.dimension = 2};
    options.schema = parse_schema(R"({"fields": {"n": {"type": "int"}}})");
    std::vector<Document> documents;
    for (int i = 0; i < 300; ++i) {
      documents.push_back({"d" + std::to_string(i), i % 3 == 0 ? "sea sea ship" : "sea island"});
      documents.back().embedding = {1, static_cast<float>(i)};
      documents.back().values = {{std::int64_t{i % 7}}};
    }
    build_index(*documents_from_memory(std::move(documents)), options);
    return std::make_unique<Shard>(Snapshot::open(options.output), CpuEngineSettings{.threads = 1});
  }();
  return *made;
}

/// A request of the version that the shard has.
std::string with_version(std::string message) {
  const std::string description = write(read_description(shard().answer(write_describe())));
  constexpr std::size_t kVersionAt = 24;  // the first number of each body that has one
  return test::mended(message.replace(kVersionAt, 8, description, kVersionAt, 8));
}

void check_answer(const std::string& message) {
  const SearchAnswer answer = read_search_answer(message);
  const std::vector<GlobalHit> merged = merge_hits(answer.queries, 10);
  for (std::size_t i = 0; i < merged.size(); ++i) {
    require(i == 0 || merged[i - 1].score >= merged[i].score, "merged documents are in order");
  }
}

/// Whether it has the version of the part that is meant.
bool is_request(MessageKind kind) {
  switch (kind) {
    case MessageKind::kTermsRequest:
    case MessageKind::kSearchRequest:
    case MessageKind::kNearestRequest:
    case MessageKind::kFacetsRequest:
    case MessageKind::kSortedRequest:
    case MessageKind::kNearWordsRequest:
    case MessageKind::kFoundTermsRequest:
    case MessageKind::kFieldsRequest: return true;
    default: return false;
  }
}

void check(const std::string& message) {
  const std::string written = test::read_and_write(message);
  require(test::read_and_write(written) == written, "what is written comes back");
  const MessageKind kind = kind_of(message);
  if (kind == MessageKind::kSearchAnswer) check_answer(message);
  const std::string answer = shard().answer(is_request(kind) ? with_version(written) : message);
  require(test::read_and_write(answer) == answer, "a shard answers by a message");
}

void run(InputBytes input) {
  try {
    if (input.byte() % 2 == 0) {
      check(std::string(input.rest()));
      return;
    }
    std::string message = write_describe();
    message[6] = static_cast<char>(input.byte());
    check(test::mended(message + std::string(input.rest())));
  } catch (const FormatError&) {  // what is no message
  } catch (const UsageError&) {   // what may not be asked
  }
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({data, size});
  return 0;
}
