/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* perp_write.c - perp's own problem files: see plan.h for what they hold. */
#include "exchange/h5_write.h"
#include "exchange/plan.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/convert/to_cone.h"

/* Everything that a reader would refuse is refused here. */
static perp_status check(const char *path, pp_content *c, perp_refusal *why) {
    perp_status s = pp_plan_check_sizes(path, c, why);
    for (int i = 0; !s && i < pp_plan_narray; i++)
        if (pp_plan_has(pp_plan_arrays[i].kinds, c)) s = pp_plan_check_array(path, c, &pp_plan_arrays[i], why);
    for (int i = 0; !s && i < pp_plan_nmatrix; i++) {
        const pp_plan_matrix *m = &pp_plan_matrices[i];
        bool none = c->kind == PERP_QP && m->rows == PP_X_M && c->problem.as.qp.m == 0;
        if (pp_plan_has(m->kinds, c) && !none) s = pp_plan_check_matrix(path, c, m, why);
    }
    return s ? s : pp_plan_check_rest(path, c, why);
}

/* The column of an array of structs, or the transpose of a matrix, in one piece; NULL if memory is refused. */
static void *gather(const pp_plan_array *p, const char *base, size_t rows, size_t cols) {
    size_t width = p->width ? (size_t)p->width : 1, unit = p->type == PP_L_I32 ? sizeof(int) : sizeof(double);
    char *flat = malloc(rows * cols * width * unit + 1);
    if (!flat) return NULL;
    if (p->cols != PP_X_ONE) {
        bool turn = p->rows == p->cols; /* column-major in memory */
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < cols; j++)
                memcpy(flat + (i * cols + j) * unit, base + (turn ? j * rows + i : i * cols + j) * unit, unit);
        return flat;
    }
    for (size_t i = 0; i < rows; i++) memcpy(flat + i * width * unit, base + i * p->stride + p->member, width * unit);
    return flat;
}

static void put_array(pp_h5_writer *w, const pp_content *c, const pp_plan_array *p) {
    const char *base;
    memcpy(&base, (const char *)c + p->pointer, sizeof base);
    size_t rows = (size_t)pp_plan_extent_of(c, p->rows), cols = (size_t)pp_plan_extent_of(c, p->cols);
    if ((!base && p->optional) || pp_plan_zeros(c, p)) return;
    void *flat = gather(p, base, base ? rows : 0, cols);
    w->ok = w->ok && flat;
    long second = p->cols != PP_X_ONE ? (long)cols : p->width > 0 ? p->width : -1;
    if (w->ok && p->type == PP_L_I32) pp_h5_put_ints(w, p->path, flat, rows, second);
    if (w->ok && p->type == PP_L_F64) pp_h5_put_doubles(w, p->path, flat, rows, second);
    free(flat);
}

static void put_matrix(pp_h5_writer *w, const pp_content *c, const pp_plan_matrix *m) {
    const perp_sparse *s = (const perp_sparse *)(const void *)((const char *)c + m->offset);
    if (c->kind == PERP_QP && m->rows == PP_X_M && c->problem.as.qp.m == 0) return;
    size_t n = (size_t)s->start[s->cols];
    char path[64];
    (void)snprintf(path, sizeof path, "%s/start", m->path);
    pp_h5_put_ints(w, path, s->start, (size_t)s->cols + 1, -1);
    (void)snprintf(path, sizeof path, "%s/index", m->path);
    pp_h5_put_ints(w, path, s->index, n, -1);
    (void)snprintf(path, sizeof path, "%s/value", m->path);
    pp_h5_put_doubles(w, path, s->value, n, -1);
}

/* At most PP_PLAN_TITLE bytes, not within a UTF-8 character. */
static void put_title(pp_h5_writer *w, const char *title) {
    char cut[PP_PLAN_TITLE + 1];
    size_t n = strlen(title);
    if (n > PP_PLAN_TITLE)
        for (n = PP_PLAN_TITLE; n > 0 && ((unsigned char)title[n] & 0xc0) == 0x80;) n--;
    memcpy(cut, title, n);
    cut[n] = 0;
    pp_h5_put_text(w, "title", cut);
}

static perp_status write_content(const char *path, pp_content *c, const char *title, pp_image *out, perp_refusal *why) {
    perp_status s = check(path, c, why);
    if (s) return s;
    char program[64];
    (void)snprintf(program, sizeof program, "perp %s", perp_version());
    pp_h5_writer w = pp_h5_begin();
    pp_h5_put_text(&w, "format", "perp problem");
    pp_h5_put_int(&w, "version", pp_plan_version(c));
    pp_h5_put_text(&w, "program", program);
    pp_h5_put_text(&w, "class", c->name);
    put_title(&w, title);
    if (c->kind & PP_K_CONES) pp_h5_put_int(&w, "global", c->problem.as.cone.global);
    if (c->kind & PP_K_STEP) pp_h5_put_double(&w, "h", c->step.h);
    for (int i = 0; i < pp_plan_nsize; i++)
        if (pp_plan_has(pp_plan_sizes[i].kinds, c))
            pp_h5_put_int(&w, pp_plan_sizes[i].name, *pp_plan_int(c, pp_plan_sizes[i].offset));
    for (int i = 0; i < pp_plan_narray; i++)
        if (pp_plan_has(pp_plan_arrays[i].kinds, c)) put_array(&w, c, &pp_plan_arrays[i]);
    for (int i = 0; i < pp_plan_nmatrix; i++)
        if (pp_plan_has(pp_plan_matrices[i].kinds, c)) put_matrix(&w, c, &pp_plan_matrices[i]);
    return pp_h5_end(&w, path, out, why);
}

perp_status pp_perp_image(const char *path, const perp_problem *p, const double *guess, const char *title,
                          pp_image *out, perp_refusal *why) {
    pp_content c = {.kind = p->cls & PP_K_ALL, .name = perp_class_name(p->cls), .problem = *p, .guess = guess};
    if (p->cls == PERP_NCP) {
        return pp_complain(why, PERP_E_FIT, (pp_location){path, 0, 0}, NULL, "an ncp, which is a function",
                           "a class that is made of numbers");
    }
    if (c.kind == 0 || (unsigned)p->cls != c.kind || (c.kind & (c.kind - 1)) != 0) {
        return pp_complain_say(why, PERP_E_ARG, (pp_location){path, 0, 0}, NULL, "unknown class %d", (int)p->cls);
    }
    if (c.kind & PP_K_CONES) c.kind |= p->as.cone.global ? PP_K_GLOBAL : PP_K_LOCAL;
    return write_content(path, &c, title, out, why);
}

/* Spin and rolling only where a contact resists them. */
static perp_step_solution without_idle_turning(const perp_step_problem *p, const perp_step_solution *s) {
    perp_step_solution out = *s;
    bool spins = false, rolls = false;
    for (int i = 0; i < p->ncontact; i++) spins |= p->contact[i].e_r > 0, rolls |= p->contact[i].e_roll > 0;
    if (!spins) out.p_spin = NULL;
    if (!rolls) out.p_roll = NULL;
    return out;
}

static bool has_lists(const perp_step_problem *p) {
    for (int i = 0; i < p->njoint; i++)
        if (p->joint[i].row.more) return true;
    return false;
}

/* Rows of more than two bodies have no place in the layout of step problems: the file gets the cone problem that the step stands for. */
static perp_status cone_image(const char *path, const perp_step_problem *p, const perp_step_solution *guess,
                              const char *title, pp_image *out, perp_refusal *why) {
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    pp_step_cone cone;
    perp_status s = pp_step_to_cone(p, &arena, &cone);
    double *r = s || !guess ? NULL : PP_ARENA_ARRAY(&arena, double, cone.n);
    if (s == PERP_E_MEMORY || (!s && guess && !r))
        s = pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, NULL, "out of memory");
    else if (s)
        s = pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, NULL, "a step problem without a cone form",
                        "one of finite numbers");
    if (!s && guess) pp_step_cone_guess(&cone, guess, r);
    if (!s) s = pp_perp_image(path, &cone.problem, r, title, out, why);
    pp_arena_free(&arena);
    return s;
}

perp_status pp_perp_step_image(const char *path, const perp_step_problem *p, const perp_step_solution *guess,
                               const perp_step_solution *solution, const char *title, pp_image *out,
                               perp_refusal *why) {
    if (has_lists(p)) return cone_image(path, p, guess ? guess : solution, title, out, why);
    pp_content c = {.kind = PP_K_STEP, .name = "step", .step = *p};
    if (guess) c.step_guess = without_idle_turning(p, guess);
    if (solution) c.solution = without_idle_turning(p, solution);
    return write_content(path, &c, title, out, why);
}
