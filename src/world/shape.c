/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* shape.c - shapes on bodies, materials and their pair laws */
#include <string.h>

#include "geometry/shape/implicit_function.h"
#include "stage/stepper.h"
#include "stage/frame.h"
#include "world/lifetime.h"
#include "step/stagger.h"

int pp_shape_slot(const perp_world *w, perp_shape_id id) {
    if (id.slot >= (uint32_t)w->nshape || !pp_alive(id.gen)) return -1;
    return w->shape[id.slot].gen == id.gen ? (int)id.slot : -1;
}

static bool moves(const pp_belt_def *b) { return b->motion || b->v_B.x != 0 || b->v_B.y != 0 || b->v_B.z != 0; }

/* The surface of a shape is at rest from now on. */
static void drop_belt(perp_world *w, int shape) {
    int n = 0;
    for (int i = 0; i < w->nbelt; i++)
        if (w->belt[i].shape != shape) w->belt[n++] = w->belt[i];
    w->nbelt = n;
}

void pp_shape_drop(perp_world *w, int slot) {
    pp_geometry_destroy(w->shape[slot].g, &w->alloc);
    drop_belt(w, slot);
    w->shape[slot].g = NULL;
    w->shape[slot].gen++;
    w->room.dead_shape++;
}

/* Largest distance of a point of the shape from the body origin. */
static double radius_about_body(const pp_geometry *g, perp_pose X_BS) {
    if (g->kind == PERP_SHAPE_HALFSPACE) return INFINITY;
    if (pp_is_implicit(g)) return perp_v3_norm(X_BS.p) + g->bound;
    if (g->kind == PERP_SHAPE_PARTICLE || g->kind == PERP_SHAPE_SPHERE) return perp_v3_norm(X_BS.p) + g->radius;
    double r = 0;
    for (int i = 0; i < g->nvert; i++) r = fmax(r, perp_v3_norm(perp_pose_apply(X_BS, g->vert[i])));
    return r + g->radius; /* of a capsule; else 0 */
}

static perp_status check_surface_velocity(perp_world *w, perp_vec3 v) {
    if (!perp_v3_finite(v))
        return pp_fail(w, PERP_E_ARG, "surface_velocity is (%g, %g, %g); it must be finite", v.x, v.y, v.z);
    if (w->def.dim == 2 && v.z != 0) return pp_fail(w, PERP_E_ARG, "surface_velocity.z is %g; in 2D it must be 0", v.z);
    return PERP_OK;
}

/* Makes a shape for a body of a kind; only w->why changes. */
static perp_status make_shape(perp_world *w, perp_body_kind kind, const perp_shape_def *def, pp_shape *out) {
    if (!def) return pp_fail(w, PERP_E_ARG, "the definition of the shape is NULL");
    if (def->material < 0 || def->material >= w->nmaterial)
        return pp_fail(w, PERP_E_ARG, "material is %d; there are materials 0 to %d", def->material, w->nmaterial - 1);
    pp_shape s = {.X_BS = def->X_BS,
                  .material = (short)def->material,
                  .group = def->group,
                  .mask = def->mask,
                  .visual = def->visual,
                  .colour = def->colour};
    perp_status st = pp_check_pose(w, "X_BS", &s.X_BS);
    if (!st) st = check_surface_velocity(w, def->surface_velocity);
    if (!st) st = pp_geometry_create(def, w->def.dim, &w->alloc, &s.g, w->why, sizeof w->why);
    if (st) return st;
    const char *reason = NULL;
    unsigned taken = w->chosen.stepper->shapes ? w->chosen.stepper->shapes : w->chosen.detector->shapes;
    if (!(taken & (1u << s.g->kind)) && !s.visual)
        reason = pp_is_implicit(s.g)
                     ? "shapes given by functions are for the steppers implicit and implicit-compliant only"
                     : "the stepper does not take this kind of shape";
    if (kind == PERP_BODY_DYNAMIC && s.g->kind == PERP_SHAPE_HALFSPACE)
        reason = "a dynamic body cannot carry a half-space";
    if (reason) {
        pp_geometry_destroy(s.g, &w->alloc);
        return pp_fail(w, PERP_E_GEOMETRY, "%s", reason);
    }
    s.radius_B = radius_about_body(s.g, s.X_BS);
    *out = s;
    return PERP_OK;
}

perp_status perp_shape_check(perp_world *w, perp_body_kind kind, const perp_shape_def *def) {
    pp_shape s;
    perp_status st = make_shape(w, kind, def, &s);
    if (!st) pp_geometry_destroy(s.g, &w->alloc);
    return st;
}

perp_status perp_shape_add(perp_world *w, perp_body_id body, const perp_shape_def *def, perp_shape_id *out) {
    if (out) *out = (perp_shape_id){0, 0};
    int b = pp_body_slot(w, body);
    if (b < 0) return pp_fail(w, PERP_E_ARG, "perp_shape_add: the body id is stale or was never given");
    pp_shape s;
    perp_status st = make_shape(w, w->body[b].kind, def, &s);
    if (st) return st;
    s.body = b;
    pp_belt_def belt = {-1, def->surface_velocity, def->surface_motion, def->surface_ctx};
    bool runs = moves(&belt) && !s.visual;
    if (!PP_GROW(&w->alloc, w->shape, w->room.cap_shape, w->nshape, w->nshape + 1) ||
        (runs && !PP_GROW(&w->alloc, w->belt, w->room.cap_belt, w->nbelt, w->nbelt + 1))) {
        pp_geometry_destroy(s.g, &w->alloc);
        return pp_fail(w, PERP_E_MEMORY, "out of memory for a shape");
    }
    int slot = pp_slot_claim(w->shape, w->nshape, w->room.dead_shape, sizeof *w->shape);
    s.gen = w->shape[slot].gen + 1;
    w->shape[slot] = s;
    if (slot == w->nshape)
        w->nshape++;
    else
        w->room.dead_shape--;
    belt.shape = slot;
    if (runs) w->belt[w->nbelt++] = belt;
    if (s.radius_B > w->body[b].radius && !s.visual) w->body[b].radius = s.radius_B;
    if (out) *out = (perp_shape_id){(uint32_t)slot, s.gen};
    return PERP_OK;
}

perp_body_id perp_shape_body(const perp_world *w, perp_shape_id id) {
    int slot = pp_shape_slot(w, id);
    if (slot < 0) return (perp_body_id){0, 0};
    int b = w->shape[slot].body;
    return (perp_body_id){(uint32_t)b, w->body[b].gen};
}

perp_status perp_material_add(perp_world *w, int *out) {
    int n = w->nmaterial, m = n + 1, cap = 0;
    perp_pair_law *law = NULL;
    if (m > 4096 || !PP_GROW(&w->alloc, law, cap, 0, m * m))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for material %d", n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) law[i * m + j] = i < n && j < n ? w->law[i * n + j] : w->law_all;
    pp_free(&w->alloc, w->law);
    w->law = law;
    w->room.cap_law = cap;
    w->nmaterial = m;
    if (out) *out = n;
    return PERP_OK;
}

/* Refuses compliance that the stepper does not support, so that no field of a law is ignored silently. */
static perp_status check_compliance(perp_world *w, const perp_pair_law *law) {
    static const char *const name[] = {"rigid", "linear", "hertz", "foundation"};
    unsigned kind = (unsigned)law->compliance;
    if (kind >= sizeof name / sizeof *name)
        return pp_fail(w, PERP_E_ARG, "compliance is %u; it must be rigid, linear, hertz or foundation", kind);
    if (kind != PERP_RIGID && !(w->chosen.stepper->compliances & (1u << kind)))
        return pp_fail(w, PERP_E_FIT, "stepper %s does not take contacts of compliance %s", w->chosen.stepper->name,
                       name[kind]);
    if (kind != PERP_RIGID && !(law->stiffness > 0))
        return pp_fail(w, PERP_E_ARG, "stiffness is %g; with compliance %s it must be positive", law->stiffness,
                       name[kind]);
    if (kind == PERP_RIGID &&
        (law->stiffness > 0 || law->damping > 0 || law->stiffness_t > 0 || law->damping_t > 0 || law->layer > 0))
        return pp_fail(w, PERP_E_ARG, "stiffness, damping and layer need a compliance: linear, hertz or foundation");
    return PERP_OK;
}

/* Refuses elliptic, torsional and rolling friction, except for true cones in 3D. */
static perp_status check_ellipsoid(perp_world *w, const perp_pair_law *law) {
    bool round =
        (law->e_t == 0 || law->e_t == 1) && (law->e_o == 0 || law->e_o == 1) && law->e_r == 0 && law->e_roll == 0;
    if (round) return PERP_OK;
    const char *name = law->e_roll > 0                 ? "e_roll"
                       : law->e_r > 0                  ? "e_r"
                       : law->e_t > 0 && law->e_t != 1 ? "e_t"
                                                       : "e_o";
    if (w->def.dim != 3) return pp_fail(w, PERP_E_FIT, "%s is for contacts in 3D", name);
    if (w->chosen.stepper->step && !w->chosen.stepper->ellipsoids)
        return pp_fail(w, PERP_E_FIT, "stepper %s does not know elliptic, torsional or rolling friction (%s)",
                       w->chosen.stepper->name, name);
    if (w->def.form != PERP_FORM_CONE) return pp_fail(w, PERP_E_FIT, "%s needs true friction cones: form cone", name);
    return PERP_OK;
}

static perp_status check_law(perp_world *w, perp_pair_law law) {
    if (!(law.mu >= 0) || !isfinite(law.mu))
        return pp_fail(w, PERP_E_ARG, "mu is %g; it must be finite and not negative", law.mu);
    if (!(law.restitution >= 0) || !(law.restitution <= 1))
        return pp_fail(w, PERP_E_ARG, "restitution is %g; it must lie between 0 and 1", law.restitution);
    if (!(law.restitution_t >= 0) || !(law.restitution_t <= 1))
        return pp_fail(w, PERP_E_ARG, "restitution_t is %g; it must lie between 0 and 1", law.restitution_t);
    if (law.restitution_t > 0 && !(law.restitution > 0))
        return pp_fail(w, PERP_E_FIT,
                       "restitution_t is %g of a pair whose restitution is 0: such pairs have no impacts",
                       law.restitution_t);
    if (law.restitution_t > 0 && w->def.impacts == PERP_IMPACTS_PLAIN)
        return pp_fail(w, PERP_E_FIT, "restitution_t is %g; impacts within the equations of a step (plain) know none",
                       law.restitution_t);
    const struct {
        const char *name;
        double value;
    } number[] = {{"e_t", law.e_t},
                  {"e_o", law.e_o},
                  {"e_r", law.e_r},
                  {"e_roll", law.e_roll},
                  {"stiffness", law.stiffness},
                  {"damping", law.damping},
                  {"stiffness_t", law.stiffness_t},
                  {"damping_t", law.damping_t},
                  {"layer", law.layer}};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (!(number[i].value >= 0) || !isfinite(number[i].value))
            return pp_fail(w, PERP_E_ARG, "%s is %g; it must be finite and not negative", number[i].name,
                           number[i].value);
    perp_status st = check_ellipsoid(w, &law);
    return st ? st : check_compliance(w, &law);
}

/* Marks all forces as changed after a change of friction. */
static void laws_were_set(perp_world *w) {
    for (int i = 0; i < w->nbody; i++) pp_force_was_set(&w->state, i);
}

perp_status perp_shape_set_surface_velocity(perp_world *w, perp_shape_id id, perp_vec3 v_B) {
    int slot = pp_shape_slot(w, id);
    if (slot < 0) return pp_fail(w, PERP_E_ARG, "perp_shape_set_surface_velocity: the shape id is stale");
    perp_status st = check_surface_velocity(w, v_B);
    if (st) return st;
    const pp_belt_def belt = {.shape = slot, .v_B = v_B};
    if (!PP_GROW(&w->alloc, w->belt, w->room.cap_belt, w->nbelt, w->nbelt + 1))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for a surface velocity");
    drop_belt(w, slot);
    if (moves(&belt) && !w->shape[slot].visual) w->belt[w->nbelt++] = belt;
    laws_were_set(w);
    return PERP_OK;
}

perp_status perp_pair_set(perp_world *w, int a, int b, perp_pair_law law) {
    if (a < 0 || b < 0 || a >= w->nmaterial || b >= w->nmaterial)
        return pp_fail(w, PERP_E_ARG, "materials are %d and %d; there are materials 0 to %d", a, b, w->nmaterial - 1);
    perp_status st = check_law(w, law);
    if (st) return st;
    w->law[a * w->nmaterial + b] = w->law[b * w->nmaterial + a] = law;
    laws_were_set(w);
    return PERP_OK;
}

perp_status perp_pair_set_all(perp_world *w, perp_pair_law law) {
    perp_status st = check_law(w, law);
    if (st) return st;
    w->law_all = law;
    for (int i = 0; i < w->nmaterial * w->nmaterial; i++) w->law[i] = law;
    laws_were_set(w);
    return PERP_OK;
}
