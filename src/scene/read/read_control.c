/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_control.c - ctrl of actuators as functions of time: the key `ctrl` of an actuator, and the list `controls`. A row of points becomes the
 * expression smooth(t, ...) or linear(t, ...), so that a scene that perp writes says it with the actuator. */
#include <stdio.h>
#include <string.h>

#include "perp/actuator.h"
#include "scene/put.h"
#include "scene/scene_internal.h"

#define MOST_POINTS 75 /* an expression has at most 4096 bytes, a number of it up to 24 */

static const char *const ways[] = {"smooth", "linear"};

/* Gives ctrl to an actuator by a formula; one without t is a number. */
static perp_status give(pp_reader *r, pp_item at, pp_formula *f, perp_actuator_id id) {
    if (pp_expr_uses(f->part[0], 0)) {
        double x = pp_formula_ctrl(NULL, 0, f);
        perp_status s = perp_actuator_set_ctrl_fn(r->w, id, pp_formula_ctrl, f);
        if (!s && isfinite(x)) s = perp_actuator_set_ctrl(r->w, id, x);
        return s ? pp_wrong_world(r, s, at) : PERP_OK;
    }
    perp_status s = perp_actuator_set_ctrl_fn(r->w, id, NULL, NULL);
    if (!s) s = perp_actuator_set_ctrl(r->w, id, pp_formula_ctrl(NULL, 0, f));
    return s ? pp_wrong_world(r, s, at) : PERP_OK;
}

perp_status pp_read_ctrl(pp_reader *r, pp_item at, perp_actuator_id id) {
    const pp_key number = {.name = "ctrl", .type = PP_T_NUMBER};
    pp_push_key(r, "ctrl");
    perp_status s;
    if (pp_is_literal(at)) {
        double x;
        s = pp_read_number(r, at, &number, &x);
        if (!s) s = perp_actuator_set_ctrl_fn(r->w, id, NULL, NULL);
        if (!s) s = perp_actuator_set_ctrl(r->w, id, x);
    } else {
        pp_formula *f = pp_formula_new(r, 1);
        if (!f) return PERP_E_MEMORY;
        s = pp_formula_part(r, at, pp_dynamic_time, f, 0);
        if (!s) s = give(r, at, f, id);
    }
    if (!s) pp_pop(r);
    return s;
}

static perp_status find(pp_reader *r, pp_item at, const char *name, perp_actuator_id *out) {
    *out = perp_actuator_find(r->w, name);
    if (out->gen) return PERP_OK;
    pp_names all = {0};
    int n = perp_world_actuators(r->w, NULL, 0);
    perp_actuator_id *id = pp_alloc(r->alloc, ((size_t)n + 1) * sizeof *id);
    bool ok = id != NULL;
    if (id) (void)perp_world_actuators(r->w, id, n);
    for (int i = 0; ok && i < n; i++) {
        perp_actuator_def d;
        if (!perp_actuator_get(r->w, id[i], &d) && d.name) ok = pp_names_add(r->alloc, &all, d.name, (uint32_t)i);
    }
    perp_status s = ok ? pp_names_missing(r, &all, at, name, "an actuator") : pp_no_memory(r);
    pp_names_free(r->alloc, &all);
    pp_free(r->alloc, id);
    return s;
}

/* The points of an entry: n rows of `width` numbers, the time and ctrl of each actuator. */
typedef struct curve {
    pp_item at;
    int n, width, way;
    double *row;
} curve;

/* Column c of the points as a formula: smooth(t, t0, x0, t1, x1, ...). */
static perp_status column(pp_reader *r, const curve *k, int c, pp_formula **out) {
    const pp_expr_names names = {.variable = pp_dynamic_time, .nvariable = 1};
    pp_text t = {.alloc = r->alloc};
    char why[256] = "";
    size_t where = 0;
    pp_formula *f = *out = pp_formula_new(r, 1);
    if (!f) return PERP_E_MEMORY;
    pp_text_add(&t, "%s(t", ways[k->way]);
    for (int i = 0; i < k->n; i++) {
        pp_text_add(&t, ", ");
        pp_text_number(&t, k->row[i * k->width]);
        pp_text_add(&t, ", ");
        pp_text_number(&t, k->row[i * k->width + c]);
    }
    pp_text_add(&t, ")");
    f->text[0] = pp_text_take(&t);
    if (!f->text[0]) return pp_no_memory(r);
    f->part[0] = pp_expr_compile(r->alloc, f->text[0], strlen(f->text[0]), &names, why, sizeof why, &where);
    return f->part[0] ? PERP_OK : pp_wrong_say(r, PERP_E_ARG, k->at, "%s", why);
}

/* The rows of `points`: nrow times width numbers, times ascending. */
static perp_status read_points(pp_reader *r, pp_item list, int width, double *row) {
    const pp_key k = {.name = "points", .type = PP_T_NUMBERS};
    int i = 0;
    for (pp_item v = pp_first(list); v.node; v = pp_next(v), i++) {
        char found[96], allowed[96];
        pp_push_index(r, i);
        if (!pp_is_list(v) || pp_at(v)->length != (uint32_t)width) {
            (void)snprintf(allowed, sizeof allowed, "a list of %d numbers: the time, then ctrl of each actuator",
                           width);
            return pp_wrong(r, v, pp_yaml_found(v.tree, v.node, found, sizeof found), allowed);
        }
        perp_status s = pp_read_list(r, v, &k, width, row + i * width);
        if (s) return s;
        if (i > 0 && !(row[i * width] > row[(i - 1) * width])) {
            (void)snprintf(found, sizeof found, "t = %.15g", row[i * width]);
            (void)snprintf(allowed, sizeof allowed, "a time after %.15g", row[(i - 1) * width]);
            return pp_wrong(r, v, found, allowed);
        }
        pp_pop(r);
    }
    return PERP_OK;
}

static perp_status through(pp_reader *r, const pp_control_in *in, const perp_actuator_id *id, int n) {
    pp_item list = in->points;
    char found[96];
    curve k = {list, pp_is_list(list) ? (int)pp_at(list)->length : 0, n + 1, in->between, NULL};
    pp_push_key(r, "points");
    if (k.n < 2 || k.n > MOST_POINTS)
        return pp_wrong(r, list, pp_yaml_found(list.tree, list.node, found, sizeof found), "a list of 2 to 75 points");
    k.row = pp_alloc(r->alloc, (size_t)k.n * (size_t)k.width * sizeof *k.row);
    if (!k.row) return pp_no_memory(r);
    perp_status s = read_points(r, list, k.width, k.row);
    for (int c = 1; c < k.width && !s; c++) {
        pp_formula *f;
        s = column(r, &k, c, &f);
        if (!s) s = give(r, list, f, id[c - 1]);
    }
    pp_free(r->alloc, k.row);
    if (!s) pp_pop(r);
    return s;
}

/* The actuators of an entry; *out is to be freed. */
static perp_status read_names(pp_reader *r, pp_item list, perp_actuator_id **out, int *n) {
    const pp_key ref = {.name = "actuators", .type = PP_T_REF, .of = "an actuator"};
    *n = 0;
    *out = pp_alloc(r->alloc, ((size_t)pp_at(list)->length + 1) * sizeof **out);
    if (!*out) return pp_no_memory(r);
    pp_push_key(r, "actuators");
    if (!pp_is_list(list) || pp_at(list)->length == 0) {
        const pp_key key = {.name = "actuators", .type = PP_T_NAMES};
        return pp_wrong_kind(r, list, &key);
    }
    for (pp_item v = pp_first(list); v.node; v = pp_next(v)) {
        pp_name name;
        pp_push_index(r, *n);
        perp_status s = pp_read_name(r, v, &ref, &name);
        if (!s) s = find(r, v, name.text, &(*out)[*n]);
        if (s) return s;
        pp_pop(r);
        ++*n;
    }
    pp_pop(r);
    return PERP_OK;
}

static perp_status make_control(pp_reader *r, pp_item entry) {
    pp_control_in in = {0};
    perp_actuator_id id, *list = NULL;
    int n = 0;
    perp_status s = pp_read_map(r, &pp_map_control, &entry, 1, &in);
    if (s) return s;
    bool one = PP_GIVEN(&in, actuator), rows = PP_GIVEN(&in, points);
    if (one == PP_GIVEN(&in, actuators))
        return pp_wrong(r, entry, one ? "actuators beside actuator" : "neither actuator nor actuators",
                        "one of the two");
    if (PP_GIVEN(&in, ctrl) == rows)
        return pp_wrong(r, entry, rows ? "points beside ctrl" : "neither ctrl nor points", "one of the two");
    if (one) {
        pp_push_key(r, "actuator");
        s = find(r, PP_ITEM(&in, actuator), in.actuator.text, &id);
        if (s) return s;
        pp_pop(r);
        return rows ? through(r, &in, &id, 1) : pp_read_ctrl(r, in.ctrl, id);
    }
    s = read_names(r, in.actuators, &list, &n);
    if (!s && rows) s = through(r, &in, list, n);
    for (int i = 0; i < n && !s && !rows; i++) s = pp_read_ctrl(r, in.ctrl, list[i]);
    pp_free(r->alloc, list);
    return s;
}

perp_status pp_read_controls(pp_reader *r, pp_item list) { return pp_read_each(r, list, make_control); }
