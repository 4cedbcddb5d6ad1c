/* builtin.c - one line per built-in solver. */
#include "solver/builtin.h"

const perp_solver_type *const pp_builtin[] = {
    &pp_solver_lemke,
    &pp_solver_pgs,
    &pp_solver_enumerate,
};
const int pp_nbuiltin = (int)(sizeof pp_builtin / sizeof *pp_builtin);
