# A test: installs the build at WARPDEX_BUILD into a fresh folder, builds examples/ against it by
# find_package, runs it and compares what it prints; searches the example's index with the installed
# program.
set(work ${WARPDEX_BUILD}/install-test)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(flags "")
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()
function(build_against_package source folder)
  run("configuring ${source}" ${CMAKE_COMMAND} -S ${source} -B ${folder} -G ${GENERATOR}
      -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
      -D CMAKE_CXX_FLAGS=${flags})
  run("building ${source}" ${CMAKE_COMMAND} --build ${folder} --parallel 2)
endfunction()

run("installing" ${CMAKE_COMMAND} --install ${WARPDEX_BUILD} --prefix ${prefix})
build_against_package(${WARPDEX_SOURCE}/examples ${work}/examples)

# Names in the order of their scores; "alice" holds neither word.
run("embed" ${work}/examples/embed ${work}/index "sailing sea")
if(NOT output MATCHES "^[0-9.]+\ttreasure\n[0-9.]+\tmoby\n$")
  message(FATAL_ERROR "embed found something else than treasure and moby:\n${output}")
endif()
execute_process(COMMAND ${work}/examples/embed RESULT_VARIABLE status ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "say where and what")
  message(FATAL_ERROR "embed without arguments ended with ${status}:\n${output}")
endif()

run("vectors" ${work}/examples/vectors ${work}/vectors 3 5)
if(NOT output STREQUAL "1\tnear\n18\tfar\n")
  message(FATAL_ERROR "vectors found something else than near and far:\n${output}")
endif()

execute_process(COMMAND ${work}/examples/vectors ${work}/unused 3 5x RESULT_VARIABLE status
                ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "not '5x'")
  message(FATAL_ERROR "vectors with a bad number ended with ${status}:\n${output}")
endif()

run("living" ${work}/examples/living ${work}/living)
if(NOT output STREQUAL "0.0325225\ttreasure\tThe old <em>sea</em> <em>captain</em> sailed away.\n0.0163934\tmoby\tI thought I would sail about a little.\n")
  message(FATAL_ERROR "living found something else than treasure and moby:\n${output}")
endif()

run("the installed program" ${prefix}/bin/warpdex search ${work}/index "sister bank")
if(NOT output MATCHES "alice" OR output MATCHES "moby")
  message(FATAL_ERROR "the installed program found something else than alice:\n${output}")
endif()
