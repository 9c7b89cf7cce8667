// The settings of an index of vectors, as callers give them and as the index stores them.
#include "vectors/stored_vectors.hpp"

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

vector::VectorIndexSettings stored_settings(const NewVectorIndex& given, std::size_t threads) {
  vector::VectorIndexSettings settings;
  settings.metric = given.metric;
  settings.store = given.store;
  settings.dimension = given.dimension;
  settings.index = kind_of(given.coding, given.lists != 0);
  settings.ivf.lists = given.lists == kAutoLists ? 0 : given.lists;
  settings.ivf.train = given.train;
  settings.ivf.seed = given.seed;
  settings.ivf.threads = threads;
  settings.pq.bytes = given.pq_bytes;
  settings.pq.bits = given.pq_bits;
  settings.pq.is_rotated = given.coding == VectorCoding::kPq && given.is_rotated;
  if (given.coding == VectorCoding::kPq) settings.pq.rotated_dimension = given.rotated_dimension;
  settings.pq.keeps_vectors = given.keeps_vectors;
  settings.binary.bits = given.binary_bits;
  settings.binary.is_rotated = given.coding == VectorCoding::kBinary && given.is_rotated;
  settings.binary.is_corrected = given.is_corrected;
  settings.binary.clip = given.clip;
  settings.binary.seed = given.seed;
  settings.binary.threads = threads;
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
