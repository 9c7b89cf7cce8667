# warpdex::warpdex: the shared library libwarpdex, which is all libraries together. Programs that
# embed Warpdex link it; its binary interface holds within a minor version.
set(warpdex_objects "")
set(warpdex_includes ${WARPDEX_GENERATED_INCLUDE})
foreach(name IN LISTS WARPDEX_LIBRARIES)
  list(APPEND warpdex_objects $<TARGET_OBJECTS:warpdex_${name}>)
  if(TARGET warpdex_${name}_gpu)
    list(APPEND warpdex_objects $<TARGET_OBJECTS:warpdex_${name}_gpu>)
  endif()
  list(APPEND warpdex_includes ${PROJECT_SOURCE_DIR}/${name}/include)
endforeach()
add_library(warpdex_shared SHARED ${warpdex_objects})
add_library(warpdex::warpdex ALIAS warpdex_shared)
set_target_properties(warpdex_shared PROPERTIES
  EXPORT_NAME warpdex OUTPUT_NAME warpdex LINKER_LANGUAGE CXX UNITY_BUILD OFF
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(warpdex_shared INTERFACE cxx_std_20)
target_include_directories(warpdex_shared INTERFACE
  $<BUILD_INTERFACE:${warpdex_includes}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(warpdex_shared PRIVATE warpdex_api warpdex_flags)
target_link_options(warpdex_shared PRIVATE -Wl,--exclude-libs,ALL)
