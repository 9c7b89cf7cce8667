# Installs the shared library, its headers, the program, and what find_package(warpdex) and pkg-config
# read.
include(CMakePackageConfigHelpers)

install(TARGETS warpdex_shared EXPORT warpdexTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The public headers: those of api/, and the value types of the libraries below that they include.
# tests/layers_test.py checks that these are all, and tests/examples compiles each alone.
set(warpdex_public_headers
  api/answer.hpp
  api/calibration.hpp
  api/gpu.hpp
  api/index_reader.hpp
  api/metric_index.hpp
  api/parts.hpp
  api/rows.hpp
  api/search_options.hpp
  api/searcher.hpp
  api/vector_graph.hpp
  api/vector_index.hpp
  api/verify.hpp
  api/warpdex.hpp
  api/writer.hpp
  codecs/codec_settings.hpp
  core/error.hpp
  core/storage/commit_report.hpp
  indexer/build/index_builder.hpp
  indexer/exchange/exchange.hpp
  indexer/format/bm25.hpp
  indexer/index_settings.hpp
  indexer/readers/document_reader.hpp
  indexer/rewrite/rewrite.hpp
  query/explanation.hpp
  query/hybrid/fusion_settings.hpp
  query/query.hpp
  query/scorer_settings.hpp
  query/shown_field.hpp
  scheduler/prediction_error.hpp
  vector/data/element.hpp
  vector/data/ids.hpp
  vector/data/matrix.hpp
  vector/data/vector_reader.hpp
  vector/kmeans/kmeans.hpp
  vector/metric.hpp
  vector/metric/metric_settings.hpp
  vector/neighbors.hpp
  vector/rows/row_filter.hpp
  vector/rows/row_settings.hpp
  vector/rows/vector_view.hpp)
foreach(header IN LISTS warpdex_public_headers)
  if(header MATCHES "^api/(.*)$")
    set(header ${CMAKE_MATCH_1})
    set(library api)
  else()
    string(REGEX REPLACE "/.*" "" library ${header})
  endif()
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${library}/include/warpdex/${header}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpdex/${folder})
endforeach()
install(FILES ${WARPDEX_GENERATED_INCLUDE}/warpdex/version.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpdex)
configure_file(${PROJECT_SOURCE_DIR}/cmake/warpdex.pc.in ${PROJECT_BINARY_DIR}/warpdex.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/warpdex.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET warpdex)
  install(TARGETS warpdex RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET warpdex-mpi)
  install(TARGETS warpdex-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
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
