/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* loss.c - robust losses: what a residual costs
 *   square r^2;  huber r^2 up to k, then 2 k |r| - k^2;  cauchy k^2 ln(1 + r^2/k^2);  tukey k^2/3 (1 - (1 - r^2/k^2)^3) up to k, then
 *   k^2/3
 * Method   closed forms. All are concave in r^2, so that the weighted squares of the residuals lie above the loss and touch it at
 *          the residual where the weight was taken: iterated reweighting never raises the cost of a linear model.
 * Source   Huber, Robust Statistics (1981); Holland, Welsch, Commun. Stat. A6 (1977) for the usual scales. */
#include <math.h>
#include <string.h>

#include "fit/fit.h"

#include "base/elementary.h"

double pp_loss_value(pp_loss loss, double k, double r) {
    double a = fabs(r), q = (r / k) * (r / k);
    switch (loss) {
    case PP_LOSS_SQUARE: return r * r;
    case PP_LOSS_HUBER: return a <= k ? r * r : k * (2 * a - k);
    case PP_LOSS_CAUCHY: return k * k * pp_log1p(q);
    case PP_LOSS_TUKEY: return a <= k ? k * k / 3 * q * (3 - q * (3 - q)) : k * k / 3;
    }
    return NAN;
}

double pp_loss_weight(pp_loss loss, double k, double r) {
    double a = fabs(r), q = (r / k) * (r / k);
    switch (loss) {
    case PP_LOSS_SQUARE: return 1;
    case PP_LOSS_HUBER: return a <= k ? 1 : k / a;
    case PP_LOSS_CAUCHY: return 1 / (1 + q);
    case PP_LOSS_TUKEY: return a <= k ? (1 - q) * (1 - q) : 0;
    }
    return NAN;
}

double pp_loss_curvature(pp_loss loss, double k, double r) {
    double a = fabs(r), q = (r / k) * (r / k);
    switch (loss) {
    case PP_LOSS_SQUARE: return 1;
    case PP_LOSS_HUBER: return a <= k ? 1 : 0;
    case PP_LOSS_CAUCHY: return (1 - q) / ((1 + q) * (1 + q));
    case PP_LOSS_TUKEY: return a <= k ? (1 - q) * (1 - 5 * q) : 0;
    }
    return NAN;
}

bool pp_loss_find(const char *name, pp_loss *loss, double *scale) {
    static const struct {
        const char *name;
        double usual; /* 95 % efficient if the noise is normal */
    } known[] = {{"square", 1}, {"huber", 1.345}, {"cauchy", 2.385}, {"tukey", 4.685}};
    for (int i = 0; i < 4; i++)
        if (!name || strcmp(name, known[i].name) == 0) {
            *loss = (pp_loss)i;
            if (*scale == 0) *scale = known[i].usual;
            return true;
        }
    return false;
}
