/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* path_crash.h - a cheap guess of the active bounds, before the first path. */
#ifndef PP_PATH_CRASH_H
#define PP_PATH_CRASH_H

#include "solver/pivot/path_model.h"

/* Improves z in place by at most `steps` projected Newton steps; w = F(z) is updated. Uses the factorisation and
 * scratch of p. Returns the number of steps; z is never worse by pp_path_model_natural(). */
int pp_path_crash(pp_path_model *m, pp_path_pivot *p, int steps, double lambda, double *z, double *w, double *trial,
                  double *trial_w);

#endif
