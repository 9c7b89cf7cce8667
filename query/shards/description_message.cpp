// Messages about parts and their terms, and about failures.
#include "shards/message_bytes.hpp"
#include "shards/statistics_bytes.hpp"

namespace warpdex::shards {
namespace {

constexpr std::size_t kPartTermBytes = 20;  // without seeds
constexpr std::size_t kSeedBytes = 8;

void put_impacts(MessageWriter& to, const std::optional<ImpactSettings>& impacts) {
  to.flag(impacts.has_value());
  if (!impacts) return;
  to.number(impacts->k1);
  to.number(impacts->b);
  to.number(impacts->largest);
  to.choice(impacts->source);
}

std::optional<ImpactSettings> take_impacts(MessageReader& from) {
  if (!from.flag()) return std::nullopt;
  ImpactSettings impacts;
  impacts.k1 = from.number<double>();
  impacts.b = from.number<double>();
  impacts.largest = from.number<double>();
  impacts.source = from.choice(ImpactSource::kQuantisedWeights);
  return impacts;
}

void put_vectors(MessageWriter& to, const std::optional<vector::RowSettings>& vectors) {
  to.flag(vectors.has_value());
  if (!vectors) return;
  to.choice(vectors->metric);
  to.choice(vectors->store);
  to.count(vectors->dimension);
  to.text(vectors->index.kind);
}

std::optional<vector::RowSettings> take_vectors(MessageReader& from) {
  if (!from.flag()) return std::nullopt;
  vector::RowSettings vectors;
  vectors.metric = from.choice(vector::Metric::kCosine);
  vectors.store = from.choice(vector::Store::kHalf);
  vectors.dimension = from.number<std::uint32_t>();
  vectors.index.kind = from.text();
  return vectors;
}

PartTerm take_part_term(MessageReader& from) {
  PartTerm term;
  term.frequencies = take_frequencies(from);
  term.seeds.resize(from.count(kSeedBytes));
  for (PartSeed& seed : term.seeds) {
    seed.documents = from.number<std::uint32_t>();
    seed.seed.frequency = from.number<std::uint16_t>();
    seed.seed.length = from.number<std::uint16_t>();
    if (seed.documents == 0) fail_message("a seed of no document");
  }
  return term;
}

}  // namespace

std::string write_describe() { return MessageWriter(MessageKind::kDescribe).finish(); }

void read_describe(std::string_view message) {
  MessageReader(message, MessageKind::kDescribe).finish();
}

std::string write(const PartDescription& description) {
  MessageWriter to(MessageKind::kDescription);
  to.number(description.version);
  to.number(description.commit);
  to.number(description.documents);
  put_collection(to, description.collection, description.texts);
  to.number(description.largest_static_score);
  to.text(description.analyzer);
  to.number(description.analyzer_version);
  to.text(description.schema);
  put_impacts(to, description.impacts);
  to.flag(description.has_positions);
  to.flag(description.positions_by_field);
  put_vectors(to, description.vectors);
  return to.finish();
}

PartDescription read_description(std::string_view message) {
  MessageReader from(message, MessageKind::kDescription);
  PartDescription description;
  description.version = from.number<std::uint64_t>();
  description.commit = from.number<std::uint64_t>();
  description.documents = from.number<std::uint64_t>();
  take_collection(from, description.collection, description.texts);
  description.largest_static_score = from.score();
  description.analyzer = from.text();
  description.analyzer_version = from.number<std::uint32_t>();
  description.schema = from.text();
  description.impacts = take_impacts(from);
  description.has_positions = from.flag();
  description.positions_by_field = from.flag();
  description.vectors = take_vectors(from);
  from.finish();
  return description;
}

std::string write(const TermsRequest& request) {
  MessageWriter to(MessageKind::kTermsRequest);
  to.number(request.version);
  to.count(request.terms.size());
  for (const std::string& term : request.terms) to.text(term);
  return to.finish();
}

TermsRequest read_terms_request(std::string_view message) {
  MessageReader from(message, MessageKind::kTermsRequest);
  TermsRequest request{.version = from.number<std::uint64_t>()};
  request.terms.resize(from.count(sizeof(std::uint32_t)));
  for (std::string& term : request.terms) term = from.text();
  from.finish();
  return request;
}

std::string write(const TermsAnswer& answer) {
  MessageWriter to(MessageKind::kTermsAnswer);
  to.count(answer.terms.size());
  for (const PartTerm& term : answer.terms) {
    put_frequencies(to, term.frequencies);
    to.count(term.seeds.size());
    for (const PartSeed& seed : term.seeds) {
      to.number(seed.documents);
      to.number(seed.seed.frequency);
      to.number(seed.seed.length);
    }
  }
  return to.finish();
}

TermsAnswer read_terms_answer(std::string_view message) {
  MessageReader from(message, MessageKind::kTermsAnswer);
  TermsAnswer answer;
  answer.terms.resize(from.count(kPartTermBytes));
  for (PartTerm& term : answer.terms) term = take_part_term(from);
  from.finish();
  return answer;
}

std::string write(const Failure& failure) {
  MessageWriter to(MessageKind::kFailure);
  to.choice(failure.kind);
  to.text(failure.text);
  return to.finish();
}

Failure read_failure(std::string_view message) {
  MessageReader from(message, MessageKind::kFailure);
  const auto kind = from.choice(Failure::Kind::kOther);
  Failure failure{kind, std::string(from.text())};
  from.finish();
  return failure;
}

}  // namespace warpdex::shards
