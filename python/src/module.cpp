// The extension module warpdex._core: the library's objects, thinly. The package warpdex, in
// Python, is what people use.
#include "answers.hpp"
#include "build.hpp"
#include "clustering.hpp"
#include "gpu_arrays.hpp"
#include "parts.hpp"
#include "replicas.hpp"
#include "searcher.hpp"
#include "support.hpp"
#include "term_search.hpp"
#include "vectors.hpp"
#include "warpdex/version.hpp"
#include "writer.hpp"

NB_MODULE(_core, module) {
  using namespace warpdex::python;
  translate_errors();
  bind_answers(module);
  bind_searcher(module);
  bind_term_search(module);
  bind_build(module);
  bind_writer(module);
  bind_vectors(module);
  bind_clustering(module);
  bind_gpu_arrays(module);
  bind_replicas(module);
  bind_parts(module);
  module.attr("version") = WARPDEX_VERSION;
}
