// What the tests of readers share: packing, pipes, and reading a collection whole.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

// A namespace of its own: other tests of this program have a Collection too.
namespace warpdex::test::reading {

/// "", ".gz", ".zst" and ".xz".
extern const std::vector<std::string> kSuffixes;

/// `bytes` as the packing of that suffix has them; in one member, frame or stream.
std::string pack(const std::string& bytes, const std::string& suffix);

/// A named pipe into which a thread writes `bytes`, in pieces of `piece` bytes.
class PipeWriter {
 public:
  PipeWriter(std::string path, std::string bytes, std::size_t piece);
  ~PipeWriter();

 private:
  std::thread thread_;
};

/// All that a reader gives: the documents, and the messages of the bad ones, in order.
struct Collection {
  std::vector<Document> documents;
  std::vector<Location> locations;  // of documents
  std::vector<std::string> bad;
};

Collection read_collection(const ReaderOptions& options);

/// The collection in a file of these bytes, named `name` in `folder`.
Collection read_bytes(const TemporaryFolder& folder, const std::string& name,
                      const std::string& bytes, ReaderOptions options);

/// Fails the test unless the documents are these ids and texts and none is bad.
void expect_documents(const Collection& collection, const std::vector<Document>& expected);

/// One random character of UTF-8 text: mostly ASCII, at times of 2 to 4 bytes; no control
/// characters but tab and line feed.
std::string random_character(std::mt19937_64& random);
std::string random_text(std::mt19937_64& random, std::size_t characters);

/// The message of the exception of type E that `action` throws; fails the test if it throws none.
template <class E, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace warpdex::test::reading
