// Messages of near words.
#include "shards/message_bytes.hpp"

namespace warpdex::shards {
namespace {

// The fewest bytes of each.
constexpr std::size_t kWordBytes = 12;
constexpr std::size_t kListBytes = 4;
constexpr std::size_t kNearBytes = 8;

std::vector<NearTerm> take_terms(MessageReader& from) {
  std::vector<NearTerm> terms(from.count(kNearBytes, kMaxFuzzyTerms));
  for (NearTerm& term : terms) {
    term.term = from.text();
    term.boost = from.score();
    if (term.boost > 1) fail_message("a boost is none");
  }
  return terms;
}

}  // namespace

std::string write(const NearWordsRequest& request) {
  MessageWriter to(MessageKind::kNearWordsRequest);
  to.number(request.version);
  to.count(request.words.size());
  for (const NearWordsRequest::Word& word : request.words) {
    to.text(word.field);
    to.text(word.text);
    to.number(word.edits);
  }
  return to.finish();
}

NearWordsRequest read_near_words_request(std::string_view message) {
  MessageReader from(message, MessageKind::kNearWordsRequest);
  NearWordsRequest request{.version = from.number<std::uint64_t>()};
  request.words.resize(from.count(kWordBytes));
  for (NearWordsRequest::Word& word : request.words) {
    word.field = from.text();
    word.text = from.text();
    word.edits = from.number<std::uint32_t>();
  }
  from.finish();
  return request;
}

std::string write(const NearWordsAnswer& answer) {
  MessageWriter to(MessageKind::kNearWordsAnswer);
  to.count(answer.words.size());
  for (const std::vector<NearTerm>& terms : answer.words) {
    to.count(terms.size());
    for (const NearTerm& term : terms) {
      to.text(term.term);
      to.number(term.boost);
    }
  }
  return to.finish();
}

NearWordsAnswer read_near_words_answer(std::string_view message) {
  MessageReader from(message, MessageKind::kNearWordsAnswer);
  NearWordsAnswer answer;
  answer.words.resize(from.count(kListBytes));
  for (std::vector<NearTerm>& terms : answer.words) terms = take_terms(from);
  from.finish();
  return answer;
}

}  // namespace warpdex::shards
