// Functions in C around cuVS's IVF-RaBitQ, which has an interface in C++ alone (26.10).
//
// Not a part of the build: it reads the headers of the wheels libcuvs-cu13, libraft-cu13 and
// librmm-cu13, unpacked side by side in W, and rapids-logger's:
//
//   g++ -std=c++20 -O2 -fPIC -shared -I W/libcuvs/include -I W/libraft/include
//     -I W/libraft/include/rapids -I W/librmm/include -I W/rapids_logger/include
//     -I $CUDA/include rabitq.cpp -o librabitq.so -L W/libcuvs/lib64 -lcuvs -L W/librmm/lib64 -lrmm
//     -L W/rapids_logger/lib64 -lrapids_logger -L $CUDA/lib64 -lcudart_static
//     -Wl,--allow-shlib-undefined
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>

#include <cuda_runtime_api.h>

#include <cuvs/neighbors/ivf_rabitq.hpp>
#include <raft/core/device_mdspan.hpp>
#include <raft/core/device_resources.hpp>

namespace rabitq = cuvs::neighbors::ivf_rabitq;

namespace {
char message[1024];

template <class Work>
int guarded(const Work& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    std::snprintf(message, sizeof message, "%s", error.what());
    return 1;
  }
}

struct Index {
  raft::device_resources resources;
  std::unique_ptr<rabitq::index<std::int64_t>> index;
};
}  // namespace

extern "C" {

/// What the last call that failed said.
const char* rabitq_error() { return message; }

/// An index of `count` rows of floats in GPU memory, or null.
void* rabitq_build(const float* rows, std::int64_t count, std::int64_t dimension,
                   std::uint32_t lists, std::uint32_t bits, std::uint32_t train_per_list) {
  std::unique_ptr<Index> made;
  const int failed = guarded([&] {
    made = std::make_unique<Index>();
    rabitq::index_params params;
    params.metric = cuvs::distance::DistanceType::L2Expanded;
    params.n_lists = lists;
    params.bits_per_dim = bits;
    params.max_train_points_per_cluster = train_per_list;
    made->index = std::make_unique<rabitq::index<std::int64_t>>(rabitq::build(
        made->resources, params,
        raft::make_device_matrix_view<const float, std::int64_t>(rows, count, dimension)));
    made->resources.sync_stream();
  });
  return failed ? nullptr : made.release();
}

/// Queries and answers (count * k) lie in GPU memory. 0, or 1 for a failure.
int rabitq_search(void* opaque, const float* queries, std::int64_t count, std::int64_t dimension,
                  std::int64_t k, std::uint32_t probes, int mode, std::int64_t* rows,
                  float* distances) {
  auto& own = *static_cast<Index*>(opaque);
  return guarded([&] {
    rabitq::search_params params;
    params.n_probes = probes;
    params.mode = static_cast<rabitq::search_mode>(mode);
    rabitq::search(
        own.resources, params, *own.index,
        raft::make_device_matrix_view<const float, std::int64_t>(queries, count, dimension),
        raft::make_device_matrix_view<std::int64_t, std::int64_t>(rows, count, k),
        raft::make_device_matrix_view<float, std::int64_t>(distances, count, k));
    own.resources.sync_stream();
  });
}

void rabitq_free(void* opaque) { delete static_cast<Index*>(opaque); }
}
