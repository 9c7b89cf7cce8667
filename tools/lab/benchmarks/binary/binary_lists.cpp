// Times inverted files of the same vectors, of binary codes, of whole vectors and of product codes:
// building them, and searches of one query and of batches.
#include "benchmarks/binary/binary.hpp"
#include "warpdex/vector/lists/owned/list_builder.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::tools {

void BinaryBenchmark::measure_lists(const vector::Neighbors& truth) {
  const vector::IvfSettings lists{.lists = settings_.lists};
  const std::vector<std::size_t> with_refining{0, settings_.batch_refine};
  const auto build = [&](const std::string& what, const auto& make) {
    Resources resources;
    decltype(make(vector::BuildDevice{})) built;
    add("building " + what, 0, 0, 0, 0,
        milliseconds_of([&] { built = make({.gpu = &resources}); }));
    return built;
  };
  {
    const auto built = build("ivf-xfbq", [&](const vector::BuildDevice& device) {
      return vector::build_binary_lists(flat(), lists, settings_.binary, {}, device);
    });
    Resources resources;
    const auto searcher = search_on_gpu(built.view(), resources);
    measure_probes("ivf-xfbq", with_refining, truth,
                   [&](std::span<const float> queries, std::size_t probes, std::size_t refine) {
                     return searcher->nearest(
                         queries, 10,
                         {.probes = probes, .refine = refine, .query_bits = settings_.query_bits});
                   });
  }
  {
    const auto built = build("ivf-pq", [&](const vector::BuildDevice& device) {
      return vector::build_pq_lists(flat(), lists, {}, {}, device);
    });
    Resources resources;
    const auto searcher = search_on_gpu(built.view(), resources);
    measure_probes("ivf-pq", with_refining, truth,
                   [&](std::span<const float> queries, std::size_t probes, std::size_t refine) {
                     return searcher->nearest(queries, 10, {.probes = probes, .refine = refine});
                   });
  }
  const auto built = build("ivf-flat", [&](const vector::BuildDevice& device) {
    return vector::build_row_lists(flat(), lists, {}, device);
  });
  Resources resources;
  const auto searcher = search_on_gpu(built.view(), resources);
  measure_probes("ivf-flat", {0}, truth,
                 [&](std::span<const float> queries, std::size_t probes, std::size_t /*refine*/) {
                   return searcher->nearest(queries, 10, {.probes = probes});
                 });
}

/// The 10 nearest.
void BinaryBenchmark::measure_probes(const std::string& what,
                                     const std::vector<std::size_t>& refines,
                                     const vector::Neighbors& truth, const SearchLists& search) {
  for (const std::size_t probes : settings_.probes) {
    const std::string name = what + ", " + std::to_string(probes) + " probes";
    for (const std::size_t refine : refines) {
      const double share = share_of(search(queries_.values, probes, refine), truth);
      add(name, 1, 10, refine, 0,
          time_single([&](std::span<const float> query) { search(query, probes, refine); }), 0,
          share);
      for (const std::size_t count : settings_.batches) {
        const std::vector<float> batch = take_batch(count);
        add(name, count, 10, refine, 0, time_batch([&] { search(batch, probes, refine); }), 0,
            share);
      }
    }
  }
}

}  // namespace warpdex::tools
