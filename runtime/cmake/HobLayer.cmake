# hob_layer(name FOLDER folder [LINK targets...] [INSIDE targets...])
#
# One layer of the runtime: a static library of the *.cpp directly in the folder. LINK is what its
# headers show to the layers above; INSIDE what only its own files use. A layer sees what it links and
# nothing else, so that the order of the layers holds by construction. Header-only layers are fine.
function(hob_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "LINK;INSIDE")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER}/*.cpp)
  if(NOT sources)
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${arg_LINK})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE ${arg_INSIDE})
endfunction()
