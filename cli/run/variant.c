/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* variant.c - see variant.h */
#include "run/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"

int variants_new(const cli_args *a, const char *what, int n, variants *out) {
    perp_refusal why;
    *out = (variants){.scene = cli_operand(a, 0), .duration = cli_number(a, "duration", 0), .n = n};
    out->ndefine = cli_definitions(a, &out->define);
    out->v = calloc((size_t)n, sizeof *out->v);
    if (!out->v) return cli_refuse_say(a, CLI_MACHINE, "not enough memory for %d runs", n);
    if (!override_root(out->scene, cli_root(a), out->root, sizeof out->root, &why)) return cli_refuse(a, &why);
    if (!override_folder(out->folder, sizeof out->folder, what, &why)) return cli_refuse_writing(a, &why);
    return CLI_OK;
}

static int refused(variant *v, perp_status s, const perp_refusal *why) {
    v->result.why = *why;
    return v->result.code = s == PERP_E_MEMORY || s == PERP_E_IO ? CLI_MACHINE : CLI_BAD_INPUT;
}

int variants_run(variants *s, int i) {
    variant *v = &s->v[i];
    char scene[OVERRIDE_PATH + 32];
    perp_refusal why;
    snprintf(scene, sizeof scene, "%s/%d.yaml", s->folder, i);
    if ((size_t)snprintf(v->recording, sizeof v->recording, "%s/%d.h5", s->folder, i) >= sizeof v->recording)
        return v->result.code = CLI_MACHINE;
    bool instead = override_any(&v->words);
    perp_status st = instead ? override_write(scene, s->scene, &v->words, &why) : PERP_OK;
    if (st) return refused(v, st, &why);
    simulate_options o = {.scene = instead ? scene : s->scene,
                          .called = s->scene,
                          .root = s->root,
                          .output = v->recording,
                          .define = s->define,
                          .ndefine = s->ndefine,
                          .duration = s->duration,
                          .set_duration = s->duration > 0,
                          .every = v->every,
                          .what = PERP_RECORD_ALL, /* so that every quantity is available */
                          .stop = cli_interrupted};
    simulate(&o, &v->result);
    if (v->result.interrupted) return CLI_INTERRUPTED;
    if (v->result.code) return v->result.code;
    st = perp_recording_open(v->recording, &v->rec, &why);
    if (st) return refused(v, st, &why);
    v->frames = perp_recording_about(v->rec)->frames;
    return variant_series(v, "time", &v->time, &why) ? CLI_OK : refused(v, why.status, &why);
}

void variants_free(variants *s) {
    for (int i = 0; s->v && i < s->n; i++) {
        perp_recording_close(s->v[i].rec);
        free(s->v[i].time);
    }
    free(s->v);
    override_remove(s->folder);
}

bool variant_series(variant *v, const char *name, double **out, perp_refusal *why) {
    *out = malloc(sizeof **out * (size_t)(v->frames ? v->frames : 1));
    if (*out && !perp_recording_series(v->rec, name, *out, why)) return true;
    if (!*out) pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, name, "not enough memory");
    free(*out);
    *out = NULL;
    return false;
}

double variant_at(const variant *v, const double *series, double t) {
    uint64_t n = v->frames;
    if (n == 0) return NAN;
    double slack = 1e-9 * (v->time[n - 1] - v->time[0]);
    if (t < v->time[0] - slack || t > v->time[n - 1] + slack) return NAN;
    uint64_t lo = 0, hi = n - 1;
    while (hi - lo > 1) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (v->time[mid] <= t)
            lo = mid;
        else
            hi = mid;
    }
    if (fabs(t - v->time[hi]) <= slack) return series[hi];
    if (fabs(t - v->time[lo]) <= slack) return series[lo];
    double part = (t - v->time[lo]) / (v->time[hi] - v->time[lo]);
    return series[lo] + part * (series[hi] - series[lo]);
}

int variant_no_series(const cli_args *a, const perp_refusal *why) {
    if (why->status == PERP_E_MEMORY || !*why->found) return cli_refuse(a, why);
    return cli_mistake(a, "QUANTITY", why->found, why->allowed);
}

void variant_unit(const variant *v, const char *name, char *out, size_t size) {
    perp_unit_text(perp_recording_unit(v->rec, name), perp_recording_about(v->rec)->units, out, size);
}

const char *variant_why(const variant *v, char *out, size_t size) {
    const perp_refusal *w = &v->result.why;
    if (*w->key && *w->found)
        snprintf(out, size, "%s: found %s; allowed: %s", w->key, w->found, w->allowed);
    else
        snprintf(out, size, "%s", w->text);
    return out;
}

int variant_default_quantities(const variant *v, char out[][128], int most) {
    const perp_recording_info *info = perp_recording_about(v->rec);
    static const char *const flat[] = {"x", "y", "angle", NULL}, *const space[] = {"x", "y", "z", NULL};
    int n = 0;
    for (int b = 0; b < info->nbody && n + 4 < most && n < 9; b++) {
        perp_recorded_body body = perp_recording_body(v->rec, b);
        if (body.kind != PERP_BODY_DYNAMIC) continue;
        const char *const *part = info->dim == 2 ? flat : space;
        for (int k = 0; part[k]; k++)
            if (!(body.particle && !strcmp(part[k], "angle"))) snprintf(out[n++], 128, "%s.%s", body.name, part[k]);
    }
    snprintf(out[n++], 128, "energy.total");
    return n;
}
