/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* series.c - quantities over all frames, read block by block and worked out from what is recorded. */
#include "record/trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 512 /* frames at a time */

static perp_status check(const perp_recording *r, pp_dataset d, uint64_t first, const double *x, uint64_t n,
                         uint64_t per_row, perp_refusal *why) {
    for (uint64_t i = 0; i < n; i++) {
        if (isfinite(x[i])) continue;
        char key[128], found[32];
        snprintf(key, sizeof key, "%s[%llu]", pp_layout[d].path, (unsigned long long)(first + i / per_row));
        snprintf(found, sizeof found, "%.17g", x[i]);
        return pp_complain(why, PERP_E_ARG, pp_recording_place(r), key, found, "finite numbers");
    }
    return PERP_OK;
}

static perp_status numbers(perp_recording *r, const pp_series *s, double *out, perp_refusal *why) {
    perp_status st = PERP_OK;
    for (uint64_t at = 0; at < r->info.frames && !st; at += BLOCK) {
        uint64_t n = r->info.frames - at < BLOCK ? r->info.frames - at : BLOCK;
        st = pp_recording_column(r, &(pp_slab){s->d, at, n, s->col, s->component}, out + at, why);
        if (!st) st = check(r, s->d, at, out + at, n, 1, why);
    }
    return st;
}

/* All numbers of one column in frames at .. at + n. */
static perp_status vectors(perp_recording *r, pp_dataset d, uint64_t at, uint64_t n, int col, double *x,
                           perp_refusal *why) {
    perp_status st = pp_recording_rows(r, d, at, n, col, x, why);
    uint64_t width = (uint64_t)pp_layout[d].width;
    return st ? st : check(r, d, at, x, n * width, width, why);
}

double pp_series_norm(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static perp_status norms(perp_recording *r, const pp_series *s, double *out, perp_refusal *why) {
    double x[BLOCK * 6];
    perp_status st = PERP_OK;
    int width = pp_layout[s->d].width;
    for (uint64_t at = 0; at < r->info.frames && !st; at += BLOCK) {
        uint64_t n = r->info.frames - at < BLOCK ? r->info.frames - at : BLOCK;
        st = vectors(r, s->d, at, n, s->col, x, why);
        for (uint64_t i = 0; i < n && !st; i++) out[at + i] = pp_series_norm(x + i * (uint64_t)width);
    }
    return st;
}

double pp_series_body(pp_series_kind kind, int component, int dim, const perp_recorded_body *b,
                      const pp_body_state *at) {
    bool kinetic = kind == PP_SERIES_KINETIC, axes = !kinetic || dim == 3;
    perp_vec3 w = axes ? perp_q_unrotate(at->q, at->w) : at->w;
    const double wb[3] = {w.x, w.y, w.z};
    if (!kinetic) return wb[component];
    double turn = dim == 2 ? b->I_B.c[2].z * w.z * w.z : perp_v3_dot(w, perp_m3_mul_v(b->I_B, w));
    double energy = (b->mass * perp_v3_dot(at->v, at->v) + (b->particle ? 0 : turn)) / 2;
    return b->kind == PERP_BODY_DYNAMIC ? energy : 0;
}

/* Kinetic energy of a body, or its angular velocity in its own axes. */
static perp_status body_figures(perp_recording *r, const pp_series *s, double *out, perp_refusal *why) {
    double v[BLOCK * 3] = {0}, w[BLOCK * 3], q[BLOCK * 4] = {0};
    perp_recorded_body b = perp_recording_body(r, s->col);
    bool kinetic = s->kind == PP_SERIES_KINETIC, axes = !kinetic || r->info.dim == 3;
    perp_status st = PERP_OK;
    for (uint64_t at = 0; at < r->info.frames && !st; at += BLOCK) {
        uint64_t n = r->info.frames - at < BLOCK ? r->info.frames - at : BLOCK;
        st = vectors(r, PP_D_SPIN, at, n, s->col, w, why);
        if (!st && kinetic) st = vectors(r, PP_D_VELOCITY, at, n, s->col, v, why);
        if (!st && axes) st = vectors(r, PP_D_ORIENTATION, at, n, s->col, q, why);
        for (uint64_t i = 0; i < n && !st; i++) {
            pp_body_state now = {.v = {v[3 * i], v[3 * i + 1], v[3 * i + 2]},
                                 .w = {w[3 * i], w[3 * i + 1], w[3 * i + 2]},
                                 .q = {q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]}};
            out[at + i] = pp_series_body(s->kind, s->component, r->info.dim, &b, &now);
        }
    }
    return st;
}

void pp_series_add_momentum(bool angular, int dim, const perp_recorded_body *b, const pp_body_state *at,
                            perp_vec3 *sum) {
    if (b->kind != PERP_BODY_DYNAMIC) return;
    perp_vec3 p = perp_v3_scale(b->mass, at->v);
    if (!angular) {
        *sum = perp_v3_add(*sum, p);
        return;
    }
    perp_vec3 own = dim == 2 ? perp_v3(0, 0, b->I_B.c[2].z * at->w.z)
                             : perp_q_rotate(at->q, perp_m3_mul_v(b->I_B, perp_q_unrotate(at->q, at->w)));
    *sum = perp_v3_add(*sum, perp_v3_cross(at->x, p));
    if (!b->particle) *sum = perp_v3_add(*sum, own);
}

/* Momentum of all dynamic bodies, or its moment about the origin with the spin of each body. */
static perp_status momentum(perp_recording *r, const pp_series *s, double *out, perp_refusal *why) {
    size_t nb = (size_t)r->info.nbody;
    bool angular = s->kind == PP_SERIES_ANGULAR;
    double *v = pp_alloc(&r->alloc, nb * 13 * sizeof *v);
    if (!v) return pp_recording_no_memory(r, why);
    double *w = v + 3 * nb, *x = w + 3 * nb, *q = x + 3 * nb;
    perp_status st = PERP_OK;
    for (uint64_t f = 0; f < r->info.frames && !st; f++) {
        perp_vec3 sum = {0, 0, 0};
        st = pp_recording_rows(r, PP_D_VELOCITY, f, 1, -1, v, why);
        if (!st) st = check(r, PP_D_VELOCITY, f, v, 3 * nb, 3 * nb, why);
        if (!st && angular) {
            const pp_dataset d[3] = {PP_D_SPIN, PP_D_POSITION, PP_D_ORIENTATION};
            double *const to[3] = {w, x, q};
            for (int k = 0; k < 3 && !st; k++) {
                st = pp_recording_rows(r, d[k], f, 1, -1, to[k], why);
                uint64_t n = nb * (uint64_t)pp_layout[d[k]].width;
                if (!st) st = check(r, d[k], f, to[k], n, n, why);
            }
        }
        for (size_t i = 0; i < nb && !st; i++) {
            perp_recorded_body b = perp_recording_body(r, (int)i);
            pp_body_state now = {.v = {v[3 * i], v[3 * i + 1], v[3 * i + 2]}};
            if (angular) {
                now.x = perp_v3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
                now.w = perp_v3(w[3 * i], w[3 * i + 1], w[3 * i + 2]);
                now.q = (perp_quat){q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]};
            }
            pp_series_add_momentum(angular, r->info.dim, &b, &now, &sum);
        }
        const double parts[3] = {sum.x, sum.y, sum.z};
        if (!st) out[f] = parts[s->component];
    }
    pp_free(&r->alloc, v);
    return st;
}

double pp_series_no_contact(const pp_series *s) { return s->component >= PP_CONTACTS_GAP ? NAN : 0; }

void pp_series_add_contact(const pp_series *s, const perp_recorded_contact *c, double h, double *sum) {
    bool meant = s->a < 0 || (c->body[0] == s->a && c->body[1] == s->b) || (c->body[0] == s->b && c->body[1] == s->a);
    if (!meant) return;
    double sign = s->a >= 0 && c->body[0] != s->a ? -1 : 1; /* forces act on the body named second */
    const double *p = c->impulse_C;
    perp_vec3 o = perp_v3_cross(c->n_W, c->t_W);
    perp_vec3 force =
        perp_v3_add(perp_v3_add(perp_v3_scale(p[0], c->n_W), perp_v3_scale(p[1], c->t_W)), perp_v3_scale(p[2], o));
    force = perp_v3_scale(sign / h, force);
    switch ((pp_contact_figure)s->component) {
    case PP_CONTACTS_COUNT: *sum += 1; break;
    case PP_CONTACTS_SEPARATING: *sum += c->state == PERP_CONTACT_SEPARATING; break;
    case PP_CONTACTS_STICKING: *sum += c->state == PERP_CONTACT_STICKING; break;
    case PP_CONTACTS_SLIDING: *sum += c->state == PERP_CONTACT_SLIDING; break;
    case PP_CONTACTS_NORMAL: *sum += p[0]; break;
    case PP_CONTACTS_TANGENT: *sum += p[1]; break;
    case PP_CONTACTS_FRICTION: *sum += sqrt(p[1] * p[1] + p[2] * p[2]); break;
    case PP_CONTACTS_SPIN: *sum += c->spin_impulse; break; /* the same about n for either body: n turns round too */
    case PP_CONTACTS_ROLL:
        *sum += sqrt(c->roll_impulse[0] * c->roll_impulse[0] + c->roll_impulse[1] * c->roll_impulse[1]);
        break;
    case PP_CONTACTS_FX: *sum += force.x; break;
    case PP_CONTACTS_FY: *sum += force.y; break;
    case PP_CONTACTS_FZ: *sum += force.z; break;
    case PP_CONTACTS_GAP:
        if (!(*sum <= c->gap)) *sum = c->gap;
        break;
    case PP_CONTACTS_GAP_END:
        if (!(*sum <= c->gap_end)) *sum = c->gap_end;
        break;
    case PP_CONTACTS_STATE:
        if (!(*sum >= (double)c->state)) *sum = (double)c->state;
        break;
    }
}

static perp_status contacts(perp_recording *r, const pp_series *s, double *out, perp_refusal *why) {
    enum { ROWS = 2048 };
    perp_status st = PERP_OK;
    for (uint64_t f = 0; f < r->info.frames && !st;) {
        uint64_t first = r->first[f], n = 0, end = f;
        while (end < r->info.frames && (end == f || n + r->count[end] <= ROWS)) n += r->count[end++];
        if (!PP_GROW(&r->alloc, r->contact, r->cap_contact, 0, (int)n)) return pp_recording_no_memory(r, why);
        st = pp_recording_contact_rows(r, first, (size_t)n, r->contact, why);
        for (; f < end && !st; f++) {
            out[f] = pp_series_no_contact(s);
            for (uint64_t i = r->first[f] - first; i < r->first[f] - first + r->count[f]; i++)
                pp_series_add_contact(s, &r->contact[i], r->info.h, &out[f]);
        }
    }
    return st;
}

static perp_status total_energy(perp_recording *r, double *out, perp_refusal *why) {
    static const pp_dataset parts[] = {PP_D_ENERGY_KINETIC, PP_D_ENERGY_GRAVITY, PP_D_ENERGY_SPRING};
    perp_status st = PERP_OK;
    for (uint64_t at = 0; at < r->info.frames && !st; at += BLOCK) {
        double x[BLOCK];
        uint64_t n = r->info.frames - at < BLOCK ? r->info.frames - at : BLOCK;
        for (uint64_t i = 0; i < n; i++) out[at + i] = 0;
        for (int k = 0; k < 3 && !st; k++) {
            st = pp_recording_column(r, &(pp_slab){parts[k], at, n, 0, 0}, x, why);
            if (!st) st = check(r, parts[k], at, x, n, 1, why);
            for (uint64_t i = 0; i < n && !st; i++) out[at + i] += x[i];
        }
    }
    return st;
}

perp_status perp_recording_series(perp_recording *r, const char *name, double *values, perp_refusal *why) {
    pp_series s = pp_series_find(r, name);
    if (s.kind == PP_SERIES_NONE) return pp_series_unknown(r, name, why);
    if (r->trace) return pp_trace_series(r->trace, &s, name, values, why);
    perp_status st = pp_recording_holds(r, s.d, why);
    if (!st) st = pp_recording_holds(r, s.too, why);
    if (st) {
        if (why) why->status = PERP_E_NAME;
        return PERP_E_NAME;
    }
    uint64_t n = r->info.frames;
    switch (s.kind) {
    case PP_SERIES_NONE:
    case PP_SERIES_TIME: memcpy(values, r->time, (size_t)n * sizeof *values); return PERP_OK;
    case PP_SERIES_COLUMN: return numbers(r, &s, values, why);
    case PP_SERIES_FORCE:
        st = numbers(r, &s, values, why);
        for (uint64_t i = 0; i < n && !st; i++) values[i] /= r->info.h;
        return st;
    case PP_SERIES_RUNNING:
        st = numbers(r, &s, values, why);
        for (uint64_t i = 1; i < n && !st; i++) values[i] += values[i - 1];
        return st;
    case PP_SERIES_FIRST:
        st = numbers(r, &s, values, why);
        for (uint64_t i = 1; i < n && !st; i++) values[i] = values[1];
        return st;
    case PP_SERIES_NORM: return norms(r, &s, values, why);
    case PP_SERIES_KINETIC:
    case PP_SERIES_TURNED: return body_figures(r, &s, values, why);
    case PP_SERIES_TOTAL: return total_energy(r, values, why);
    case PP_SERIES_MOMENTUM:
    case PP_SERIES_ANGULAR: return momentum(r, &s, values, why);
    case PP_SERIES_CONTACTS: return contacts(r, &s, values, why);
    }
    return PERP_OK;
}
