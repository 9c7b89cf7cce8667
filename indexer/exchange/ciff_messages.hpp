// The messages of a CIFF file, one by one, and posting lists without an object for each posting.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::exchange {

using MessageBytes = std::span<const std::uint8_t>;

/// Cuts a CIFF file into its messages.
class MessageCursor {
 public:
  /// `bytes` must outlive it; `name` is for messages of errors.
  MessageCursor(MessageBytes bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  /// The next message, without its size. `what` says which one it should be. Throws InputError
  /// where the file ends before it does, or its size is none.
  MessageBytes next(const std::string& what);

  /// Where the next message's size stands.
  std::uint64_t position() const { return at_; }
  std::uint64_t bytes_left() const { return bytes_.size() - at_; }

 private:
  MessageBytes bytes_;
  const std::string& name_;
  std::uint64_t at_ = 0;
};

/// A PostingsList without its postings.
struct CiffList {
  std::string_view term;  ///< in the message
  std::int64_t df = 0;
  std::uint64_t postings = 0;  ///< counted
};

/// Reads a PostingsList but for its postings, which are only counted. False if it is none.
bool read_ciff_list(MessageBytes message, CiffList& list);

/// Replaces both vectors by the postings of a PostingsList, gaps added up. False if a value is
/// negative or too large, or the message is damaged.
bool read_ciff_postings(MessageBytes message, std::vector<std::uint32_t>& docids,
                        std::vector<std::uint32_t>& frequencies);

/// Appends the size of a message, as it stands before it.
void append_message_size(std::uint64_t size, std::string& bytes);

/// Replaces `bytes` by a PostingsList, without its size. False, and `bytes` are of no use, if it
/// takes 2 GiB or more, which no message may.
bool write_ciff_list(std::string_view term, std::span<const std::uint32_t> docids,
                     std::span<const std::uint32_t> frequencies, std::string& bytes);

}  // namespace warpdex::exchange
