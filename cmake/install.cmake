# Installs the libraries, their public headers, the program, and what find_package(warpdex) reads.
include(CMakePackageConfigHelpers)

install(TARGETS warpdex_all EXPORT warpdexTargets)
foreach(name IN LISTS WARPDEX_LIBRARIES)
  install(TARGETS warpdex_${name} EXPORT warpdexTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
# The public headers: those that warpdex.hpp includes, and others of rarer use. tests/examples
# compiles each alone.
set(warpdex_public_headers
  core/checksum.hpp
  core/cuda/buffer.hpp
  core/cuda/device.hpp
  core/cuda/memory_budget.hpp
  core/cuda/pinned.hpp
  core/cuda/resources.hpp
  core/cuda/stream.hpp
  core/error.hpp
  core/kept_threads.hpp
  core/mapped_file.hpp
  core/select/select_k.hpp
  core/storage/commit_report.hpp
  core/storage/removed_rows.hpp
  core/storage/section_file.hpp
  codecs/codec.hpp
  vector/data/element.hpp
  vector/data/half.hpp
  vector/data/ids.hpp
  vector/data/matrix.hpp
  vector/data/vector_reader.hpp
  vector/data/vector_writer.hpp
  vector/flat/flat_searcher.hpp
  vector/flat/flat_vectors.hpp
  vector/flat/gpu_flat_searcher.hpp
  vector/flat/gpu_segment_searcher.hpp
  vector/format/id_rows.hpp
  vector/format/read_filter.hpp
  vector/format/vector_index.hpp
  vector/format/vector_index_change.hpp
  vector/format/vector_index_writer.hpp
  vector/format/vector_segment.hpp
  vector/format/verify.hpp
  vector/format/xfbq_builder.hpp
  vector/graph/knn_graph.hpp
  vector/graph/row_search.hpp
  vector/graph/smooth_path.hpp
  vector/graph/symmetric_graph.hpp
  vector/ivf/ivf_builder.hpp
  vector/ivf/ivf_pq_searcher.hpp
  vector/ivf/gpu_ivf_pq_searcher.hpp
  vector/ivf/gpu_ivf_xfbq_searcher.hpp
  vector/ivf/ivf_xfbq_builder.hpp
  vector/ivf/ivf_xfbq_searcher.hpp
  vector/ivf/gpu_ivf_searcher.hpp
  vector/ivf/ivf_searcher.hpp
  vector/ivf/ivf_settings.hpp
  vector/kmeans/gpu_kmeans.hpp
  vector/kmeans/kmeans.hpp
  vector/metric.hpp
  vector/metric/gpu_permutation_searcher.hpp
  vector/metric/levenshtein.hpp
  vector/metric/metric_index.hpp
  vector/metric/metric_space.hpp
  vector/metric/objects.hpp
  vector/metric/permutation_index.hpp
  vector/neighbors.hpp
  vector/pq/product_quantizer.hpp
  vector/rows/row_filter.hpp
  vector/rows/row_settings.hpp
  vector/rows/vector_view.hpp
  vector/search/index_searcher.hpp
  vector/search/make_searcher.hpp
  vector/search/reconstructed_rows.hpp
  vector/search/refining_searcher.hpp
  vector/search/replicated_searcher.hpp
  vector/search/row_slice.hpp
  vector/ivf/searched_vectors.hpp
  vector/search/sharded_searcher.hpp
  vector/search/stored_rows.hpp
  vector/search/vector_searcher.hpp
  vector/xfbq/gpu_xfbq_searcher.hpp
  vector/xfbq/xfbq_quantizer.hpp
  vector/xfbq/xfbq_searcher.hpp
  vector/xfbq/xfbq_settings.hpp
  indexer/analysis/analyzer.hpp
  indexer/analysis/term_locator.hpp
  indexer/build/index_builder.hpp
  indexer/exchange/exporter.hpp
  indexer/exchange/importer.hpp
  indexer/format/bm25.hpp
  indexer/format/impacts.hpp
  indexer/format/index.hpp
  indexer/format/index_writer.hpp
  indexer/format/score_bound.hpp
  indexer/format/seeds.hpp
  indexer/format/snapshot.hpp
  indexer/format/stored_fields.hpp
  indexer/living/living_index.hpp
  indexer/readers/document_reader.hpp
  indexer/readers/memory_reader.hpp
  indexer/readers/paired_reader.hpp
  indexer/reorder/reorder.hpp
  indexer/rewrite/convert.hpp
  query/cpu/cpu_engine.hpp
  query/engine/engine.hpp
  query/cpu/cpu_searcher.hpp
  query/cpu/search_watch.hpp
  query/plan/plan.hpp
  query/search.hpp
  query/spelling.hpp
  query/gpu/gpu_index.hpp
  query/gpu/gpu_snapshot.hpp
  query/gpu/gpu_vectors.hpp
  query/gpu/gpu_engine.hpp
  query/gpu/gpu_stages.hpp
  query/query.hpp
  query/result_writer.hpp
  query/snippet.hpp
  query/hybrid/fusion.hpp
  query/hybrid/hybrid_searcher.hpp
  query/hybrid/matching.hpp
  query/hybrid/vector_half.hpp
  query/input/query_file.hpp
  query/input/query_parser.hpp
  query/scorer.hpp
  scheduler/calibration.hpp
  scheduler/cost_model.hpp
  scheduler/job.hpp
  scheduler/job_scheduler.hpp
  scheduler/load.hpp
  scheduler/placement.hpp
  scheduler/scheduler.hpp
  scheduler/simulator.hpp
  scheduler/statistics.hpp)
foreach(header IN LISTS warpdex_public_headers)
  get_filename_component(folder ${header} DIRECTORY)
  string(REGEX REPLACE "/.*" "" library ${header})
  install(FILES ${PROJECT_SOURCE_DIR}/${library}/include/warpdex/${header}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpdex/${folder})
endforeach()
install(FILES
  ${PROJECT_SOURCE_DIR}/include/warpdex/warpdex.hpp
  ${WARPDEX_GENERATED_INCLUDE}/warpdex/version.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpdex)
if(TARGET warpdex)
  install(TARGETS warpdex RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(warpdex_config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpdex)
install(EXPORT warpdexTargets NAMESPACE warpdex:: DESTINATION ${warpdex_config_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/warpdexConfig.cmake.in
  ${PROJECT_BINARY_DIR}/warpdexConfig.cmake INSTALL_DESTINATION ${warpdex_config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpdexConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/warpdexConfig.cmake
  ${PROJECT_BINARY_DIR}/warpdexConfigVersion.cmake
  DESTINATION ${warpdex_config_folder})
