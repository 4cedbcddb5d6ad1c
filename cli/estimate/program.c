/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* program.c - the MPEC for perp estimate: rows, unknowns and start states of a study as perp_mpec_solve() wants them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpec/ipopt_library.h"
#include "perp/mpec.h"
#include "estimate/estimation.h"

#define ON_GRID 1e-6 /* part of h by which a row's time may miss a step */

typedef struct program {
    estimation *s;
    perp_scene *scene; /* takes the parameters; its world is handed to the search */
    int parameter[PP_STUDY_NAMES];
    int n;
} program;

static perp_status refuse(const program *p, const char *format, const char *what, perp_refusal *why) {
    char text[300];
    snprintf(text, sizeof text, format, what);
    return pp_complain_say(why, PERP_E_FIT, (pp_location){p->s->e.study->path, 0, 0}, "estimate.method", "mpec: %s",
                           text);
}

/* "part.vx": body and coordinate. */
static bool find_coordinate(const perp_world *w, const char *series, perp_body_id *body, perp_mpec_coordinate *out) {
    static const struct {
        const char *name;
        perp_mpec_coordinate c;
        int dim; /* 0: any */
    } known[] = {{"x", PERP_MPEC_X, 0},         {"y", PERP_MPEC_Y, 0},    {"z", PERP_MPEC_Z, 3},
                 {"angle", PERP_MPEC_ANGLE, 2}, {"vx", PERP_MPEC_VX, 0},  {"vy", PERP_MPEC_VY, 0},
                 {"vz", PERP_MPEC_VZ, 3},       {"wz", PERP_MPEC_SPIN, 2}};
    char name[128];
    const char *dot = strrchr(series, '.');
    if (!dot || (size_t)(dot - series) >= sizeof name) return false;
    memcpy(name, series, (size_t)(dot - series));
    name[dot - series] = 0;
    *body = perp_body_find(w, name);
    for (size_t i = 0; body->gen && i < sizeof known / sizeof *known; i++)
        if (!strcmp(dot + 1, known[i].name) && (known[i].dim == 0 || known[i].dim == perp_world_dim(w))) {
            *out = known[i].c;
            return true;
        }
    return false;
}

static perp_status set(perp_world **w, const double *x, void *ctx) {
    program *p = ctx;
    const pp_estimate *e = &p->s->e;
    perp_scene_value value[PP_STUDY_NAMES];
    for (int i = 0; i < p->n; i++)
        value[i] = (perp_scene_value){e->study->parameter[e->unknown[p->parameter[i]].parameter], x[i]};
    perp_status st = perp_scene_set_many(p->scene, value, p->n, NULL);
    *w = perp_scene_world(p->scene);
    return st;
}

static perp_status make_rows(const program *p, double bound, perp_mpec_row *row, int *nrow, int *steps,
                             perp_refusal *why) {
    const pp_estimate *e = &p->s->e;
    const pp_case *c = &e->cases[0];
    perp_world *w = perp_scene_world(p->scene);
    double h = perp_world_h(w);
    for (int k = 0; k < e->nobserved; k++) {
        const pp_observed *o = &e->observed[k];
        const char *series = o->rotation ? o->column : pp_yaml_text(&e->study->tree, o->node);
        perp_body_id body;
        perp_mpec_coordinate coordinate;
        if (o->rotation || !find_coordinate(w, series, &body, &coordinate))
            return refuse(p, "found the quantity %.60s; allowed: positions, angles and velocities of bodies", series,
                          why);
        for (int i = 0; i < c->nrow; i++) {
            double step = c->t[i] / h, y = c->y[(size_t)i * (size_t)e->columns + (size_t)k];
            if (fabs(step - round(step)) > ON_GRID)
                return refuse(p, "found a row between two steps%s; allowed: rows at multiples of h", "", why);
            *steps = (int)round(step) > *steps ? (int)round(step) : *steps;
            if (isnan(y)) continue;
            row[(*nrow)++] = (perp_mpec_row){(int)round(step), body, coordinate, y, o->sd, bound};
        }
    }
    return PERP_OK;
}

/* Unknowns that set the state at the start are initial coordinates, the others parameters. */
static perp_status split(program *p, perp_mpec_parameter *parameter, perp_mpec_initial *initial, int *which,
                         int *ninitial, perp_refusal *why) {
    const pp_estimate *e = &p->s->e;
    for (int i = 0; i < e->n; i++) {
        const pp_unknown *u = &e->unknown[i];
        double sd = isfinite(u->prior_sd) ? u->prior_sd : 0;
        const char *series = NULL;
        for (int k = 0; k < e->nstate; k++)
            if (e->state[k].parameter == u->parameter) series = e->state[k].series;
        if (!series) {
            parameter[p->n] = (perp_mpec_parameter){u->start, u->lower, u->upper, u->prior_mean, sd};
            p->parameter[p->n++] = i;
            continue;
        }
        perp_mpec_initial *x = &initial[*ninitial];
        if (!find_coordinate(perp_scene_world(p->scene), series, &x->body, &x->coordinate))
            return refuse(p, "found the state %.60s; allowed: positions, angles and velocities of bodies", series, why);
        bool bounded = isfinite(u->lower) || isfinite(u->upper);
        x->min = bounded ? u->lower : 0;
        x->max = bounded ? u->upper : 0;
        x->prior_mean = u->prior_mean;
        x->prior_sd = sd;
        which[(*ninitial)++] = i;
    }
    return PERP_OK;
}

/* Places of the initial coordinates in a state of the answer: positions of all dynamic bodies, then velocities. */
static double initial_value(const program *p, const perp_mpec_initial *x, const perp_mpec_result *r) {
    perp_world *w = perp_scene_world(p->scene);
    int nb = perp_world_body_count(w), at = 0, half = r->nstate / 2;
    bool plane = perp_world_dim(w) == 2;
    perp_body_id *body = malloc(sizeof *body * (size_t)(nb + 1));
    double out = NAN;
    if (body) perp_world_bodies(w, body, nb);
    for (int i = 0; body && i < nb; i++) {
        perp_body_def def;
        if (perp_body_get(w, body[i], &def) || def.kind != PERP_BODY_DYNAMIC) continue;
        if (body[i].slot == x->body.slot) {
            static const int place[] = {0, 1, 2, 2, 0, 1, 2, 2};
            out = r->state[at + place[x->coordinate] + (x->coordinate >= PERP_MPEC_VX ? half : 0)];
        }
        at += plane ? (def.particle ? 2 : 3) : 3;
    }
    free(body);
    return out;
}

static perp_status solve(program *p, const method *m, found *f, perp_refusal *why) {
    const pp_estimate *e = &p->s->e;
    perp_mpec_parameter parameter[PP_STUDY_NAMES];
    perp_mpec_initial initial[PP_STUDY_NAMES];
    int which[PP_STUDY_NAMES], nrow = 0, steps = 0, ninitial = 0;
    perp_mpec_row *row = malloc(sizeof *row * (size_t)(e->cases[0].nrow * e->nobserved + 1));
    if (!row) return pp_complain_say(why, PERP_E_MEMORY, (pp_location){e->study->path, 0, 0}, "", "not enough memory");
    perp_status st = split(p, parameter, initial, which, &ninitial, why);
    if (!st) st = make_rows(p, m->bound, row, &nrow, &steps, why);
    if (st) {
        free(row);
        return st;
    }
    perp_mpec_problem q = {.world = perp_scene_world(p->scene),
                           .steps = steps,
                           .row = row,
                           .nrow = nrow,
                           .parameter = parameter,
                           .nparameter = p->n,
                           .set = p->n ? set : NULL,
                           .ctx = p,
                           .initial = initial,
                           .ninitial = ninitial};
    perp_mpec_options o = perp_mpec_options_default();
    o.rollout_start = m->rollout_start;
    if (m->iterations) o.max_iterations = (int)m->iterations;
    perp_mpec_result r;
    st = perp_mpec_solve(&q, &o, &r);
    for (int i = 0; !st && i < p->n; i++) f->x[p->parameter[i]] = r.parameter[i];
    for (int i = 0; !st && i < ninitial; i++) f->x[which[i]] = initial_value(p, &initial[i], &r);
    for (int i = 0; i < e->n; i++) f->sd[i] = NAN;
    f->cost = r.objective;
    f->chi2 = r.chi2;
    f->evaluations = r.iterations;
    f->ok = !st;
    if (st)
        (void)pp_complain_say(why, st, (pp_location){e->study->path, 0, 0}, "estimate.method", "mpec: %s", r.why);
    else
        snprintf(f->why, sizeof f->why,
                 "%d unknowns, %d iterations in %d solves, products at most %.1e, a simulation differs by %.1e",
                 r.unknowns, r.iterations, r.solves, r.product, r.rollout_error);
    perp_mpec_result_free(&r);
    free(row);
    return st;
}

perp_status estimate_program(estimation *s, const method *m, found *f, perp_refusal *why) {
    program p = {.s = s};
    const pp_study *y = s->e.study;
    if (!perp_mpec_available())
        return pp_complain_say(why, PERP_E_FIT, (pp_location){y->path, 0, 0}, "estimate.method", "mpec: this perp %s",
                               pp_ipopt_missing());
    if (s->e.ncase > 1) return refuse(&p, "the data are several tables%s; allowed: one", "", why);
    perp_ensemble *one;
    perp_status st = perp_ensemble_create(y->scene, 1, &one, why);
    if (st) return st;
    p.scene = pp_ensemble_scene(one, 0);
    perp_scene_value value[PP_STUDY_VARIABLES];
    st = perp_scene_set_many(p.scene, value, pp_study_settings(y, s->e.cases[0].value, value), why);
    if (!st) st = solve(&p, m, f, why);
    perp_ensemble_destroy(one);
    return st;
}
