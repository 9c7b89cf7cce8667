// What an import needs to know of an index of another program, whatever its format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex::exchange {

/// A posting list of an index of another program.
struct ForeignList {
  std::string_view term;       ///< lives as long as the index
  std::uint64_t place = 0;     ///< where its format finds it
  std::uint64_t postings = 0;  ///< counted; the file's own number is not trusted
};

/// A document of an index of another program.
struct ForeignDocument {
  std::string_view name;  ///< valid until the next one is asked for
  std::uint32_t length = 0;
};

/// An index of another program. Its values are what its files say: nothing is checked but that they
/// are whole numbers from 0 to 2^32 - 1 and lie in the files. For one thread.
class ForeignIndex {
 public:
  virtual ~ForeignIndex() = default;

  /// Its lists, in the order of the files. The caller may change them.
  virtual std::vector<ForeignList>& lists() = 0;
  /// Replaces both by the postings of a list. Throws InputError.
  virtual void read(const ForeignList& list, std::vector<std::uint32_t>& docids,
                    std::vector<std::uint32_t>& frequencies) const = 0;

  virtual std::uint64_t documents() const = 0;
  /// Of a docID below documents(). Throws InputError.
  virtual ForeignDocument document(std::uint32_t docid) const = 0;
  /// Where its name stands, for messages.
  virtual Location location(std::uint32_t docid) const = 0;

  /// The file that messages name.
  virtual const std::string& name() const = 0;
  /// What the files say of themselves; may be empty.
  virtual std::string description() const { return {}; }
  /// Bytes of memory held, without mapped files.
  virtual std::uint64_t memory() const = 0;
  /// Sentences on the files beside what the index will hold, whose documents have `tokens`
  /// together.
  virtual std::vector<std::string> notes(std::uint64_t tokens) const = 0;
};

}  // namespace warpdex::exchange
