# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# Colours of contact states: one table for perp render, perp plot and the viewer. Makes contact_state_colours.h in PERP_GENERATED.
set(PERP_GENERATED ${PROJECT_BINARY_DIR}/generated)
set(table ${PROJECT_SOURCE_DIR}/viewer/src/draw/contact_state_colours.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
file(READ ${table} colours)
foreach(state separating sticking sliding)
  string(JSON state_${state} GET "${colours}" ${state})
  string(SUBSTRING "${state_${state}}" 1 6 state_${state}) # without the #
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/contact_state_colours.h.in ${PERP_GENERATED}/contact_state_colours.h @ONLY)
