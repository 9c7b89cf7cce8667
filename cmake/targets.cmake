# warpdex_library(NAME): the folder's library, warpdex::NAME. Sources and links are the folder's own.
# What other folders may include lies in FOLDER/include/warpdex/FOLDER and is included as
# "warpdex/FOLDER/FILE.hpp". All other headers are the folder's own, lie beside the sources, and are
# included by their path within the folder. So a library sees its own headers and those of the
# libraries that it links, and no others.
include(GNUInstallDirs)

# warpdex/version.hpp is made of the project's version.
set(WARPDEX_GENERATED_INCLUDE ${PROJECT_BINARY_DIR}/generated/include)
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.hpp.in
  ${WARPDEX_GENERATED_INCLUDE}/warpdex/version.hpp @ONLY)

# Scores must not depend on how a compiler contracts them: no fused multiply-add behind our back.
add_library(warpdex_flags INTERFACE)
target_compile_options(warpdex_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>  # g++ 12 sees overlaps where strings are added
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${WARPDEX_WERROR}>>:-Werror>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${WARPDEX_WERROR}>>:-Werror=all-warnings -Xcompiler=-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow,-ffp-contract=off --fmad=false>)
# With CMAKE_UNITY_BUILD several files of a library, a program or a test program are compiled at once,
# which takes half the time where all is built. Names in their unnamed namespaces must differ then.
# g++ warns of a class with a member whose type is in an unnamed namespace, except in the main file;
# here all are included.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
if(CMAKE_UNITY_BUILD)
  target_compile_options(warpdex_flags INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
# warpdex_compile_alone(TARGET FILE...): files that define macros, or have the same names for another
# processor.
function(warpdex_compile_alone target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target}
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
# warpdex_compile_kernels_alone(TARGET): the same for its CUDA files, which newer versions of CMake
# would join, too. After all its files are named.
function(warpdex_compile_kernels_alone target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cu$")
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    get_filename_component(source ${source} ABSOLUTE BASE_DIR ${folder})
    warpdex_compile_alone(${target} ${source})
  endforeach()
endfunction()
if(WARPDEX_SANITIZE)
  target_compile_options(warpdex_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${WARPDEX_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(warpdex_flags INTERFACE -fsanitize=${WARPDEX_SANITIZE})
endif()
if(WARPDEX_FUZZ)
  target_compile_options(warpdex_flags INTERFACE
    -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/tests/fuzz/ignorelist.txt)
endif()

set(WARPDEX_LIBRARIES "" CACHE INTERNAL "")
function(warpdex_library name)
  add_library(warpdex_${name} STATIC)
  add_library(warpdex::${name} ALIAS warpdex_${name})
  set_target_properties(warpdex_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(warpdex_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
           $<BUILD_INTERFACE:${WARPDEX_GENERATED_INCLUDE}>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_features(warpdex_${name} PUBLIC cxx_std_20)
  target_link_libraries(warpdex_${name} PRIVATE $<BUILD_INTERFACE:warpdex_flags>)
  set(WARPDEX_LIBRARIES ${WARPDEX_LIBRARIES} ${name} CACHE INTERNAL "")
endfunction()

# warpdex_gpu_library(NAME LINK...): the target warpdex_NAME_gpu, the part of warpdex_NAME that needs
# CUDA, or stands in for it. LINK: other libraries that its files use. So all other files of
# warpdex_NAME are compiled by the same commands with and without CUDA, and a compiler cache serves
# both builds.
function(warpdex_gpu_library name)
  add_library(warpdex_${name}_gpu OBJECT)
  target_include_directories(warpdex_${name}_gpu
    PRIVATE $<TARGET_PROPERTY:warpdex_${name},INCLUDE_DIRECTORIES>)
  target_link_libraries(warpdex_${name}_gpu PRIVATE warpdex_flags ${ARGN})
  target_sources(warpdex_${name} PRIVATE $<TARGET_OBJECTS:warpdex_${name}_gpu>)
  if(WARPDEX_CUDA)
    target_link_libraries(warpdex_${name}_gpu PRIVATE CUDA::cudart_static)
    target_link_libraries(warpdex_${name} INTERFACE $<LINK_ONLY:CUDA::cudart_static>)
  endif()
endfunction()
