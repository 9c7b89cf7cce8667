# run(WHAT COMMAND...): runs a command; ends the test if it fails. Its output is in `output`. Runs in
# the folder that `run_in` names, if that is set.
function(run what)
  set(folder "")
  if(DEFINED run_in)
    set(folder WORKING_DIRECTORY ${run_in})
  endif()
  execute_process(COMMAND ${ARGN} ${folder} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
