/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ipopt_library.h - Ipopt, loaded when it is first needed. Its linear solver brings a BLAS with it, which programs that never
 * call it should not load. */
#ifndef PP_IPOPT_LIBRARY_H
#define PP_IPOPT_LIBRARY_H

#ifdef PERP_HAVE_IPOPT

#include <coin/IpStdCInterface.h>

/* The functions of IpStdCInterface.h that perp calls. */
typedef struct pp_ipopt {
    __typeof__(&CreateIpoptProblem) create;
    __typeof__(&FreeIpoptProblem) destroy;
    __typeof__(&AddIpoptStrOption) text_option;
    __typeof__(&AddIpoptNumOption) number_option;
    __typeof__(&AddIpoptIntOption) count_option;
    __typeof__(&SetIntermediateCallback) set_callback;
    __typeof__(&IpoptSolve) solve;
} pp_ipopt;

/* NULL if the library or one of the functions is not there. From any thread. */
const pp_ipopt *pp_ipopt_load(void);

#endif

/* What to install if Ipopt cannot be used, as the end of a sentence that begins with "perp"; NULL: it can. */
const char *pp_ipopt_missing(void);

#endif
