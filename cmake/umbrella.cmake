# warpdex::warpdex: all libraries together, with warpdex/warpdex.hpp.
add_library(warpdex_all INTERFACE)
add_library(warpdex::warpdex ALIAS warpdex_all)
set_target_properties(warpdex_all PROPERTIES EXPORT_NAME warpdex)
target_link_libraries(warpdex_all INTERFACE warpdex::scheduler warpdex::query warpdex::vector)
target_include_directories(warpdex_all INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
