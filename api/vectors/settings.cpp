// The settings of an index of vectors, as callers give them and as the index stores them.
#include "vectors/stored_vectors.hpp"
#include "warpdex/vector/format/row_index.hpp"

namespace warpdex {
namespace {

/// VectorCoding has the codings in the order of CodingKind.
vector::VectorKind kind_of(VectorCoding coding, bool in_lists) {
  const vector::VectorKind kind{in_lists, static_cast<vector::CodingKind>(coding)};
  vector::vector_kind_name(kind);  // throws for codes that need lists
  return kind;
}

}  // namespace

std::string_view vector_kind_name(const NewVectorIndex& settings) {
  return vector::vector_kind_name(kind_of(settings.coding, settings.lists != 0));
}

void set_vector_kind(std::string_view name, NewVectorIndex& settings) {
  const vector::VectorKind kind = vector::vector_kind(name);
  settings.coding = static_cast<VectorCoding>(kind.coding);
  settings.lists = kind.in_lists ? kAutoLists : 0;
}

vector::RowSettings row_settings(const NewVectorIndex& given) {
  vector::RowSettings settings{given.metric, given.store, given.dimension};
  vector::RowIndexSettings& index = settings.index;
  index.kind = vector_kind_name(given);
  index.lists = given.lists == kAutoLists ? 0 : given.lists;
  index.train = given.train;
  index.pq_bytes = given.pq_bytes;
  index.pq_bits = given.pq_bits;
  index.binary_bits = given.binary_bits;
  index.is_rotated = given.is_rotated;
  index.is_corrected = given.is_corrected;
  index.clip = given.clip;
  index.seed = given.seed;
  return settings;
}

vector::VectorIndexSettings stored_settings(const NewVectorIndex& given, std::size_t threads) {
  vector::VectorIndexSettings settings = vector::index_settings(row_settings(given));
  if (given.coding == VectorCoding::kPq) settings.pq.rotated_dimension = given.rotated_dimension;
  settings.pq.keeps_vectors = given.keeps_vectors;
  settings.ivf.threads = settings.binary.threads = threads;
  return settings;
}

NewVectorIndex given_settings(const vector::VectorIndexSettings& stored) {
  NewVectorIndex settings;
  settings.dimension = stored.dimension;
  settings.metric = stored.metric;
  settings.store = stored.store;
  settings.coding = static_cast<VectorCoding>(stored.index.coding);
  settings.lists = stored.index.in_lists ? stored.ivf.lists : 0;
  settings.pq_bytes = stored.pq.bytes;
  settings.pq_bits = stored.pq.bits;
  settings.binary_bits = stored.binary.bits;
  settings.is_rotated = stored.binary.is_rotated || stored.pq.is_rotated;
  settings.rotated_dimension = stored.pq.rotated_dimension;
  settings.is_corrected = stored.binary.is_corrected;
  settings.keeps_vectors = stored.pq.keeps_vectors;
  return settings;
}

}  // namespace warpdex
