// Times searches of binary codes on several GPUs: a query at a time by shards, and batches by
// replicas and by shards, beside one GPU. All refine in one way: what is found by codes is ranked
// on the host where there are shards, else on the GPU.
#include <iostream>
#include <memory>

#include "benchmarks/binary/binary.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::tools {
namespace {

void require_same(const vector::Neighbors& found, const vector::Neighbors& expected,
                  const std::string& what) {
  if (found.rows == expected.rows && found.distances == expected.distances) return;
  throw Error(what + " gave other answers than one GPU");
}

}  // namespace

void BinaryBenchmark::measure_devices() {
  std::vector<std::unique_ptr<Resources>> gpus;
  std::vector<Resources*> all;
  for (const int device : settings_.devices) {
    gpus.push_back(std::make_unique<Resources>(ResourceSettings{.device = device}));
    all.push_back(gpus.back().get());
    report_.note("device " + std::to_string(device), device_info(device).to_string());
  }
  const vector::BinaryVectors view = codes_.view();
  const std::vector<float> few = take_batch(100);
  for (const std::size_t refine : {std::size_t{0}, settings_.batch_refine}) {
    const vector::SearchOptions depth{
        .probes = 1, .refine = refine, .query_bits = settings_.query_bits};
    vector::Neighbors expected;
    std::vector<double> one_gpu;
    const auto measure = [&](const std::string& what, const vector::VectorSearcher& searcher,
                             bool are_single) {
      const vector::Neighbors found = searcher.nearest(few, 10, depth);
      if (one_gpu.empty()) expected = found;
      require_same(found, expected, what);
      std::vector<double> times;
      times.push_back(are_single ? time_single([&](std::span<const float> query) {
        searcher.nearest(query, 10, depth);
      })
                                 : 0);
      for (const std::size_t count : settings_.batches) {
        const std::vector<float> batch = take_batch(count);
        times.push_back(time_batch([&] { searcher.nearest(batch, 10, depth); }));
      }
      const bool is_first = one_gpu.empty();
      if (is_first) one_gpu = times;
      for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i] == 0) continue;
        add(what, i == 0 ? 1 : settings_.batches[i - 1], 10, refine, 0, times[i], 0, -1,
            is_first ? 0 : one_gpu[i]);
      }
    };
    const std::string count = std::to_string(all.size());
    const vector::GpuSearchSettings keeps{.keeps_vectors = refine > 0};
    measure("1 GPU", *search_on_gpus(view, std::span(all).first(1), 1, keeps), true);
    measure(count + " shards", *search_on_gpus(view, all, all.size(), keeps), true);
    measure(count + " replicas", *search_on_gpus(view, all, 1, keeps), false);
  }
}

}  // namespace warpdex::tools
