/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* check.c - checks of the arguments of estimators. */
#include "fit/check.h"

#include <math.h>
#include <stdio.h>

perp_status pp_fit_bad(perp_refusal *why, const char *key, int index, double found, const char *allowed) {
    char name[80], text[40];
    if (index >= 0)
        (void)snprintf(name, sizeof name, "%s[%d]", key, index);
    else
        (void)snprintf(name, sizeof name, "%s", key);
    (void)snprintf(text, sizeof text, "%.10g", found);
    return pp_complain(why, PERP_E_ARG, (pp_location){0}, name, text, allowed);
}

perp_status pp_fit_memory(perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "", "out of memory");
}

perp_status pp_fit_stopped(perp_refusal *why) {
    return pp_complain_say(why, PERP_E_STOPPED, (pp_location){0}, "", "the callback ended the estimation");
}

perp_status pp_fit_check_bounds(int n, const double *lower, const double *upper, perp_refusal *why) {
    for (int j = 0; j < n; j++) {
        double lo = lower ? lower[j] : -INFINITY, hi = upper ? upper[j] : INFINITY;
        if (!(lo < INFINITY)) return pp_fit_bad(why, "lower", j, lo, "a number or -infinity");
        if (!(hi > -INFINITY)) return pp_fit_bad(why, "upper", j, hi, "a number or infinity");
        if (!(lo <= hi)) return pp_fit_bad(why, "upper", j, hi, "a number not below the lower bound");
    }
    return PERP_OK;
}

perp_status pp_fit_check_prior(int n, const double *mean, const double *sd, perp_refusal *why) {
    if (!mean && !sd) return PERP_OK;
    if (!mean || !sd)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){0}, mean ? "prior_sd" : "prior_mean",
                               "a prior needs both mean and s.d.");
    for (int j = 0; j < n; j++) {
        if (!(sd[j] > 0)) return pp_fit_bad(why, "prior_sd", j, sd[j], "a number > 0, or infinity for no prior");
        if (isfinite(sd[j]) && !isfinite(mean[j])) return pp_fit_bad(why, "prior_mean", j, mean[j], "a finite number");
    }
    return PERP_OK;
}

perp_status pp_fit_check_finite(int n, const double *v, const char *key, bool positive, perp_refusal *why) {
    for (int j = 0; v && j < n; j++) {
        if (!isfinite(v[j])) return pp_fit_bad(why, key, j, v[j], "a finite number");
        if (positive && !(v[j] > 0)) return pp_fit_bad(why, key, j, v[j], "a number > 0");
    }
    return PERP_OK;
}
