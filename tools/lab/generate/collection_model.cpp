// The figures of each kind. docs/measurements/generated-passages.csv says where those of passages
// come from.
#include "generate/collection_model.hpp"

namespace warpdex::generate {
namespace {

// Both from the 50,000 queries of TREC's terabyte05 efficiency log over 204,648 Wikipedia articles
// (docs/measurements.md): queries of 1, 2, ... 8 and more distinct terms, in thousandths, and the
// quantiles, in sixteenths, of log2(documents / document frequency) of the terms of queries of 1,
// 2, 3 and more terms.
constexpr std::array<std::uint32_t, 8> kWebTermCounts{223, 309, 206, 121, 71, 33, 17, 20};
constexpr std::array<Quantiles, 4> kWebRarity{
    {{4.50, 6.56, 7.71, 8.00, 8.88, 9.75, 10.26, 10.74, 11.32, 12.00, 12.64, 13.56, 14.47, 15.06,
      15.64, 16.64, 17.64},
     {2.50, 4.30, 5.16, 5.96, 6.60, 7.12, 7.59, 8.17, 8.66, 9.14, 9.67, 10.27, 10.97, 11.89, 13.06,
      14.84, 17.64},
     {0.30, 2.57, 3.84, 4.54, 5.21, 5.77, 6.30, 6.81, 7.27, 7.84, 8.42, 9.05, 9.75, 10.65, 11.76,
      13.56, 17.64},
     {0.02, 0.11, 0.85, 2.95, 3.89, 4.54, 5.09, 5.76, 6.22, 6.72, 7.24, 7.91, 8.61, 9.52, 10.65,
      12.51, 17.64}}};

// Questions of 2 to 14 terms, 5.96 on average.
constexpr std::array<std::uint32_t, 13> kQuestionTermCounts{22, 94, 168, 197, 176, 127, 85,
                                                            54, 34, 18,  11,  8,   6};
// Of a question's terms some are frequent ("what", "year"), one or two say what it is about.
constexpr std::array<Quantiles, 1> kQuestionRarity{
    {{2.80, 3.00, 3.30, 3.70, 4.20, 4.80, 5.40, 6.10, 6.80, 7.60, 8.40, 9.20, 10.1, 11.1, 12.4,
      14.2, 18.0}}};

// Expanded queries of 20 to 40 terms, 29 on average: the question's own terms, and ones like them.
constexpr std::array<std::uint32_t, 21> kExpandedTermCounts{
    36, 42, 48, 56, 62, 66, 68, 68, 66, 62, 58, 54, 50, 46, 42, 38, 34, 32, 28, 24, 20};
constexpr std::array<Quantiles, 1> kExpandedRarity{
    {{0.75, 1.30, 1.90, 2.50, 3.10, 3.70, 4.30, 4.90, 5.50, 6.10, 6.70, 7.30, 7.90, 8.60, 9.30,
      10.0, 10.9}}};

// Passages, their lengths in words or, of vectors, in terms. They stand in the order in which a
// search engine's answers brought them: a few from one page follow each other, and there are no
// hosts beyond that.
constexpr LayoutModel passages(double mean_length) {
  return {.mean_length = mean_length,
          .min_length = 3,
          .max_length = 360,
          .host_spread = 20,
          .section_spread = 60,
          .document_spread = 130,
          .min_section = 2,
          .max_section = 64,
          .max_host_share = 1,
          .max_host = 64};
}

const CollectionModel kGov2{.layout = {},
                            .vocabulary = {},
                            .queries = {.min_terms = 1,
                                        .term_counts = kWebTermCounts,
                                        .rarity = kWebRarity,
                                        .unknown_share = 0.04,
                                        .rare_share = 0.2}};

const CollectionModel kMsmarco{.layout = passages(56),
                               .vocabulary = {.max_frequency = 0.12,
                                              .head = 16,
                                              .head_slope = 0.8,
                                              .tail = 10'000,
                                              .tail_slope = 0.85,
                                              .max_terms = 90'000'000},
                               .queries = {.min_terms = 2,
                                           .term_counts = kQuestionTermCounts,
                                           .rarity = kQuestionRarity,
                                           .unknown_share = 0.005,
                                           .rare_share = 0.05},
                               .frequency_excess = 0.45,
                               .names_are_numbers = true};

const CollectionModel kSplade{
    .layout = passages(120),
    .vocabulary = {.max_frequency = 0.621,
                   .head = 40,
                   .head_slope = 1.1,
                   .tail = 1e9,
                   .tail_slope = 0,
                   .max_terms = 28'638},
    .queries = {.min_terms = 20, .term_counts = kExpandedTermCounts, .rarity = kExpandedRarity},
    .has_weights = true,
    .has_all_lists = true,
    .names_are_numbers = true};

}  // namespace

const CollectionModel& model_of(CollectionKind kind) {
  switch (kind) {
    case CollectionKind::kMsmarco: return kMsmarco;
    case CollectionKind::kSplade: return kSplade;
    case CollectionKind::kGov2: break;
  }
  return kGov2;
}

}  // namespace warpdex::generate
