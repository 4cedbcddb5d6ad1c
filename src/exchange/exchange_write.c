/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* exchange_write.c - writing problem files of any layout. */
#include "exchange/exchange.h"

#include <string.h>

const char *perp_problem_format_name(perp_problem_format f) {
    switch (f) {
    case PERP_FORMAT_PERP: return "perp";
    case PERP_FORMAT_FCLIB: return "fclib";
    case PERP_FORMAT_SICONOS_TEXT: return "siconos";
    }
    return "unknown format";
}

/* The finished image goes to its place; a failed one is forgotten. */
static perp_status finish(perp_status s, const char *path, pp_image *m, perp_refusal *why) {
    if (!s && m->failed)
        s = pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, NULL, "no memory for the new file");
    if (!s) s = pp_place_file(path, m->data, m->size, why);
    pp_image_free(m);
    return s;
}

perp_status perp_problem_write(const char *path, perp_problem_format format, const perp_problem *p, const double *guess,
                               const char *title, perp_refusal *why) {
    pp_image m = {0};
    perp_status s = PERP_E_ARG;
    if (why) memset(why, 0, sizeof *why);
    if (!path || !p) return pp_complain_say(why, s, (pp_location){path, 0, 0}, NULL, path ? "no problem" : "no path");
    if (!title) title = "";
    switch (format) {
    case PERP_FORMAT_PERP: s = pp_perp_image(path, p, guess, title, &m, why); break;
    case PERP_FORMAT_FCLIB: s = pp_fclib_image(path, p, guess, title, &m, why); break;
    case PERP_FORMAT_SICONOS_TEXT: s = pp_text_image(path, p, title, &m, why); break;
    default: s = pp_complain_say(why, s, (pp_location){path, 0, 0}, NULL, "unknown format %d", (int)format); break;
    }
    return finish(s, path, &m, why);
}

perp_status perp_step_write(const char *path, const perp_step_problem *p, const perp_step_solution *guess,
                            const char *title, perp_refusal *why) {
    return perp_step_write_solved(path, p, guess, NULL, title, why);
}

perp_status perp_step_write_solved(const char *path, const perp_step_problem *p, const perp_step_solution *guess,
                                   const perp_step_solution *solution, const char *title, perp_refusal *why) {
    pp_image m = {0};
    if (why) memset(why, 0, sizeof *why);
    if (!path || !p) {
        return pp_complain_say(why, PERP_E_ARG, (pp_location){path, 0, 0}, NULL, path ? "no problem" : "no path");
    }
    perp_status s = pp_perp_step_image(path, p, guess, solution, title ? title : "", &m, why);
    return finish(s, path, &m, why);
}
