#include "shards/part_calls.hpp"

#include "warpdex/core/error.hpp"

namespace warpdex::shards {

std::vector<PartReply> PartCalls::send(const std::vector<PartMessage>& messages) {
  ++rounds_;
  std::vector<PartReply> replies = ask_(messages);
  if (replies.size() != messages.size()) {
    throw UsageError("what asks the parts gave " + std::to_string(replies.size()) + " replies to " +
                     std::to_string(messages.size()) + " messages; give one for each");
  }
  return replies;
}

void PartCalls::ask(const std::vector<PartMessage>& messages,
                    const std::function<void(std::uint32_t, const std::string&)>& take) {
  if (messages.empty()) return;
  const std::vector<PartReply> replies = send(messages);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::optional<std::string> bytes = answer_of(messages[i].part, replies[i]);
    if (!bytes) continue;
    try {
      take(messages[i].part, *bytes);
    } catch (const FormatError& error) {
      miss(messages[i].part, error.what());
    }
  }
}

std::optional<std::string> PartCalls::answer_of(std::uint32_t part, const PartReply& reply) {
  if (!reply.failure.empty()) {
    miss(part, reply.failure);
    return std::nullopt;
  }
  try {
    if (kind_of(reply.bytes) != MessageKind::kFailure) return reply.bytes;
    const Failure failure = read_failure(reply.bytes);
    if (failure.kind == Failure::Kind::kUsage) throw UsageError(failure.text);
    if (failure.kind == Failure::Kind::kInput) throw InputError(failure.text);
    miss(part, failure.text);
  } catch (const FormatError& error) {
    miss(part, error.what());
  }
  return std::nullopt;
}

void PartCalls::miss(std::uint32_t part, const std::string& reason) {
  if (how_.on_missing == OnMissing::kError) {
    throw IoError("part " + std::to_string(part) + " does not answer (" + reason +
                  "); try again, or ask for partial answers");
  }
  missing_[part] = reason;
}

void PartCalls::take(const Coverage& coverage) {
  for (const Coverage::Missing& missing : coverage.missing) missing_[missing.part] = missing.reason;
}

Coverage PartCalls::coverage(const Whole& whole) const {
  Coverage coverage{.documents = whole.documents()};
  for (std::uint32_t part = 0; part < parts(); ++part) {
    if (is_missing(part)) {
      coverage.missing.push_back({part, missing_[part]});
    } else {
      coverage.searched += whole.parts()[part].documents;
    }
  }
  return coverage;
}

}  // namespace warpdex::shards
