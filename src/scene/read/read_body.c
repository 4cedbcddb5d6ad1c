/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_body.c - bodies and their templates into the world, one by one.
 *
 * Mass     density, or mass alone: from the solid shapes, by perp_shape_mass; the body frame then moves to the centre
 *          of mass c, and what was
 *          written in the frame of the file is moved by -c (shapes here, joints and forces through pp_shift_of).
 *          mass and inertia: as given, the frame is the centre of mass unless `centre` says where it is.  particle and mass: a point.
 * Cost     Per body one struct on the stack and the world's own memory; names 40 bytes and their text. */
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"

/* Offsets below this part of the body's size are rounding and stay zero. */
#define CENTRED 1e-12

perp_status pp_read_templates(pp_reader *r, const pp_item *layer, int nlayer) {
    pp_push_key(r, "templates");
    for (int l = 0; l < nlayer; l++) /* the scene's own first: they win over included ones */
        for (pp_item key = pp_first(layer[l]); key.node; key = pp_next(pp_next(key))) {
            const char *name = pp_text_of(key);
            pp_item v = pp_next(key);
            if (strlen(name) != pp_at(key)->length || !pp_name_good(name)) {
                char found[128], shown[96];
                (void)snprintf(found, sizeof found, "the template `%s`",
                               pp_printable(shown, sizeof shown, name, pp_at(key)->length));
                return pp_wrong(r, key, found, "a name of letters, digits, - and _, a letter first");
            }
            pp_push_key(r, name);
            perp_status s = pp_check_keys(r, &pp_map_body, v, -1, true);
            if (s) return s;
            pp_pop(r);
            int n = r->template.n;
            if (pp_names_find(&r->template, name, NULL)) continue;
            if (!PP_GROW(r->alloc, r->template_item, r->cap_template_item, n, n + 1) ||
                !pp_names_add(r->alloc, &r->template, name, (uint32_t)n))
                return pp_no_memory(r);
            r->template_item[n] = v;
        }
    pp_pop(r);
    return PERP_OK;
}

/* The entry, its template, that one's template, ... */
static perp_status gather(pp_reader *r, pp_item entry, pp_item *layer, int *nlayer) {
    layer[0] = entry;
    *nlayer = 1;
    for (pp_item last = entry;; last = layer[*nlayer - 1]) {
        pp_item like = {last.tree, pp_is_map(last) ? pp_yaml_get(last.tree, last.node, "like") : 0};
        if (!like.node) return PERP_OK;
        pp_name name;
        uint32_t id;
        pp_push_key(r, "like");
        perp_status s = pp_read_name(r, like, pp_key_find(&pp_map_body, "like"), &name);
        if (s) return s;
        if (!pp_names_find(&r->template, name.text, &id))
            return pp_names_missing(r, &r->template, like, name.text, "a template");
        for (int i = 1; i < *nlayer; i++)
            if (layer[i].tree == r->template_item[id].tree && layer[i].node == r->template_item[id].node)
                return pp_wrong_say(
                    r, PERP_E_ARG, like,
                    "found a circle of templates through %s; allowed: templates that do not refer to themselves",
                    name.text);
        if (*nlayer == PP_SCENE_DEPTH) return pp_wrong(r, like, "a chain of more than 15 templates", "at most 15");
        layer[(*nlayer)++] = r->template_item[id];
        pp_pop(r);
    }
}

/* Of the shape that part i begins, in the frame of the body. */
static perp_status whole_mass(pp_reader *r, int i, double density, perp_mass *out) {
    perp_mass m = r->shape[i].whole;
    perp_pose X_BS = r->shape[i].def.X_BS;
    m.mass *= density;
    m.I_B = perp_m3_scale(density, m.I_B);
    *out = m;
    if (r->dim == 2)
        out->com_B = perp_pose_apply(X_BS, m.com_B); /* the moment about z does not turn */
    else
        *out = perp_mass_move(X_BS, m);
    return PERP_OK;
}

/* Mass, centre of mass and inertia of the shapes in the frame as written, at this density. */
static perp_status mass_of_shapes(pp_reader *r, const pp_body_in *in, double density, perp_mass *out) {
    bool some = false;
    for (int i = 0; i < r->nshape; i++) {
        const perp_shape_def *d = pp_shape_ready(r, i);
        if (d->visual) continue;
        perp_mass m;
        char why[256] = "";
        perp_status s = PERP_OK;
        if (d->kind == PERP_SHAPE_PARTICLE) {
            pp_push_shape(r, in, i);
            return pp_wrong(r, r->shape[i].at, "a particle, which has no volume",
                            "solid shapes, as mass or density without inertia is spread over them");
        }
        if (r->shape[i].mass == PP_MASS_ELSEWHERE) continue;
        s = r->shape[i].mass == PP_MASS_WHOLE ? whole_mass(r, i, density, &m)
                                              : perp_shape_mass(d, r->dim, density, &m, why, sizeof why);
        if (s == PERP_E_MEMORY) return pp_no_memory(r);
        if (s) {
            pp_push_shape(r, in, i);
            return pp_wrong_say(r, s, r->shape[i].at, "%s", why);
        }
        *out = some ? perp_mass_add(*out, m) : m; /* the first part of a shape has the mass of all */
        some = true;
    }
    return PERP_OK;
}

static perp_status wrong_mass(pp_reader *r, const pp_body_in *in, const char *found, const char *allowed) {
    return pp_wrong(r, in->got.self, found, allowed);
}

/* Fills mass and inertia; *com: the centre of mass in the frame as written. */
static perp_status set_mass(pp_reader *r, const pp_body_in *in, perp_body_def *d, perp_vec3 *com) {
    bool mass = PP_GIVEN(in, mass), density = PP_GIVEN(in, density), inertia = PP_GIVEN(in, inertia);
    *com = perp_v3(0, 0, 0);
    if (mass && density) return wrong_mass(r, in, "mass and density", "one of the two");
    if (in->particle && (density || inertia || !mass))
        return wrong_mass(r, in,
                          density   ? "a particle with density"
                          : inertia ? "a particle with inertia"
                                    : "a particle without mass",
                          "particle: true with mass alone");
    if (PP_GIVEN(in, centre) && !(mass && inertia))
        return wrong_mass(r, in, "centre without mass and inertia", "centre with mass and inertia");
    if (inertia && !mass)
        return wrong_mass(r, in, density ? "density and inertia" : "inertia without mass", "mass and inertia");
    if (mass) d->mass = in->mass;
    if (in->particle && PP_GIVEN(in, torque) &&
        in->got.layer[pp_key_find(in->got.map, "torque") - in->got.map->key] == 0) {
        pp_push_key(r, "torque");
        return pp_wrong(r, PP_ITEM(in, torque), "a torque on a particle, which does not turn", "force");
    }
    if (in->particle) return PERP_OK;
    if (inertia) {
        const double *v = in->inertia.v;
        if (r->dim == 2)
            d->I_B = perp_m3_diag(1, 1, v[0]);
        else
            d->I_B = perp_m3_diag(v[0], v[1], v[2]);
        if (in->inertia.n == 6) {
            d->I_B.c[0].y = d->I_B.c[1].x = v[3];
            d->I_B.c[0].z = d->I_B.c[2].x = v[4];
            d->I_B.c[1].z = d->I_B.c[2].y = v[5];
        }
        *com = in->centre;
        return PERP_OK;
    }
    if (!mass && !density)
        return wrong_mass(r, in, "a dynamic body without mass",
                          "density, mass, mass and inertia, or particle: true and mass");
    int solid = 0;
    for (int i = 0; i < r->nshape; i++) solid += !r->shape[i].def.visual;
    if (solid == 0 && r->nshape > 0)
        return wrong_mass(r, in,
                          mass ? "mass without inertia, and only visual shapes" : "density, and only visual shapes",
                          mass ? "inertia as well, or a solid shape" : "mass and inertia, or a solid shape");
    if (solid == 0)
        return wrong_mass(r, in, mass ? "mass without inertia and without shapes" : "density without shapes",
                          mass ? "inertia as well, particle: true, or a solid shape" : "a solid shape");
    perp_mass m = {0};
    perp_status s = mass_of_shapes(r, in, density ? in->density : 1, &m);
    if (s) return s;
    double scale = density ? 1 : in->mass / m.mass;
    d->mass = density ? m.mass : in->mass;
    d->I_B = density ? m.I_B : perp_m3_scale(scale, m.I_B);
    double trace = m.I_B.c[0].x + m.I_B.c[1].y + m.I_B.c[2].z, size = sqrt(trace / m.mass);
    if (perp_v3_norm(m.com_B) > CENTRED * size) *com = m.com_B;
    return PERP_OK;
}

/* Keys that make no sense for a kind are refused where they are written, and passed over in templates. */
static perp_status check_kind(pp_reader *r, const pp_body_in *in) {
    static const char *const only_dynamic[] = {"mass",  "density", "inertia", "particle", "centre",
                                               "force", "torque",  "gravity", "support"};
    const pp_map *m = in->got.map;
    bool dynamic = in->kind == PERP_BODY_DYNAMIC, kinematic = in->kind == PERP_BODY_KINEMATIC;
    for (int i = 0; i < m->nkey; i++) {
        if (!in->got.item[i].node || in->got.layer[i] != 0) continue;
        const char *name = m->key[i].name, *kind = NULL;
        for (size_t k = 0; !dynamic && k < sizeof only_dynamic / sizeof *only_dynamic; k++)
            if (!strcmp(name, only_dynamic[k])) kind = "dynamic";
        if (!kinematic && !strcmp(name, "motion")) kind = "kinematic";
        if (in->kind == PERP_BODY_OBSTACLE && (!strcmp(name, "velocity") || !strcmp(name, "spin")))
            kind = "dynamic and kinematic";
        if (!kind) continue;
        pp_push_key(r, name);
        return pp_wrong_say(r, PERP_E_ARG, in->got.item[i], "found %s; allowed: only for %s bodies", name, kind);
    }
    if (kinematic && PP_GIVEN(in, motion) && (PP_GIVEN(in, velocity) || PP_GIVEN(in, spin))) {
        pp_push_key(r, "motion");
        return pp_wrong(r, in->motion, "motion beside velocity or spin", "one of the two");
    }
    return PERP_OK;
}

bool pp_name_reserved(const char *name) {
    /* what series of a recording begin with, before the point: energy.total beside the body's own energy.x */
    static const char *const taken[] = {"world",    "energy",   "ledger",  "certificate", "solver",
                                        "contacts", "momentum", "angular", "timing"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!strcmp(name, taken[i])) return true;
    return false;
}

perp_status pp_check_entry(pp_reader *r, int list, const pp_names *names, pp_item name_at, const char *name,
                           pp_item entry) {
    static const char *const one[] = {"body", "joint", "force"}, *const many[] = {"bodies", "joints", "forces"};
    if (r->total[list] >= PP_SCENE_BODIES)
        return pp_wrong_say(r, PERP_E_ARG, entry, "found more than %d %s; allowed: at most %d", PP_SCENE_BODIES,
                            many[list], PP_SCENE_BODIES);
    r->total[list]++;
    if (!name_at.node) return PERP_OK;
    bool free = !pp_name_reserved(name);
    if (free && !pp_names_find(names, name, NULL)) return PERP_OK;
    pp_push_key(r, "name");
    if (!free)
        return pp_wrong_say(r, PERP_E_ARG, name_at, "found \"%s\", which means something else; allowed: another name",
                            name);
    return pp_wrong_say(r, PERP_E_ARG, name_at, "found \"%s\"; allowed: a name that no other %s has", name, one[list]);
}

/* Shapes are in the frame as written; com: the centre of mass there. */
static perp_status add_shapes(pp_reader *r, const pp_body_in *in, perp_body_id id, perp_vec3 com) {
    for (int i = 0; i < r->nshape; i++) {
        perp_shape_def d = *pp_shape_ready(r, i);
        d.X_BS.p = perp_v3_sub(d.X_BS.p, com);
        perp_status s = perp_shape_add(r->w, id, &d, NULL);
        if (!s) continue;
        pp_push_shape(r, in, i);
        return pp_wrong_world(r, s, r->shape[i].at);
    }
    return PERP_OK;
}

static perp_status keep_name(pp_reader *r, const pp_body_in *in, perp_body_id id, perp_vec3 com) {
    if (perp_v3_norm(com) > 0) {
        if (!PP_GROW(r->alloc, r->shift, r->cap_shift, r->nshift, r->nshift + 1)) return pp_no_memory(r);
        r->shift[r->nshift++] = (pp_shift){id.slot, com};
    }
    if (!PP_GIVEN(in, name)) return PERP_OK;
    if (!PP_GROW(r->alloc, r->body_of, r->cap_body_of, r->nbody_of, r->nbody_of + 1)) return pp_no_memory(r);
    r->body_of[r->nbody_of] = id;
    if (!pp_names_add(r->alloc, &r->body, in->name.text, (uint32_t)r->nbody_of)) return pp_no_memory(r);
    r->nbody_of++;
    return PERP_OK;
}

static perp_status make_body(pp_reader *r, pp_item entry, void *ctx) {
    (void)ctx;
    pp_item layer[PP_SCENE_DEPTH];
    int nlayer;
    pp_body_in in = {.turn = {1, 0, 0, 0}};
    perp_status s = gather(r, entry, layer, &nlayer);
    if (!s) s = pp_read_map(r, &pp_map_body, layer, nlayer, &in);
    if (!s) s = pp_check_entry(r, PP_BODIES, &r->body, PP_ITEM(&in, name), in.name.text, entry);
    if (!s) s = check_kind(r, &in);
    if (!s && PP_GIVEN(&in, material)) {
        pp_push_key(r, "material");
        s = pp_read_material(r, PP_ITEM(&in, material), in.material.text, &in.material_number);
        if (!s) pp_pop(r);
    }
    if (!s) s = pp_read_shapes(r, &in);
    if (s) return s;
    perp_body_def d = perp_body_def_default((perp_body_kind)in.kind);
    perp_vec3 com = {0, 0, 0};
    bool dynamic = d.kind == PERP_BODY_DYNAMIC;
    if (dynamic) {
        s = set_mass(r, &in, &d, &com);
        if (s) return s;
        d.particle = in.particle;
        d.no_gravity = !in.gravity;
    }
    d.X_WB = (perp_pose){in.at, in.turn};
    if (perp_v3_norm(com) > 0) d.X_WB.p = perp_pose_apply(d.X_WB, com);
    bool moves = d.kind != PERP_BODY_OBSTACLE && !(d.kind == PERP_BODY_KINEMATIC && PP_GIVEN(&in, motion));
    if (moves) {
        d.v_W = in.velocity;
        d.w_W = in.spin;
    }
    d.name = PP_GIVEN(&in, name) ? in.name.text : NULL;
    d.label = PP_GIVEN(&in, label) ? in.label.text : NULL;
    perp_body_id id;
    s = perp_body_add(r->w, &d, &id);
    if (s) return pp_wrong_world(r, s, entry);
    if (dynamic && (PP_GIVEN(&in, force) || PP_GIVEN(&in, torque))) {
        s = perp_body_set_force(r->w, id, in.force, in.torque);
        if (s) return pp_wrong_world(r, s, entry);
    }
    s = add_shapes(r, &in, id, com);
    if (!s && d.kind == PERP_BODY_KINEMATIC && PP_GIVEN(&in, motion)) {
        pp_push_key(r, "motion");
        s = pp_read_motion(r, in.motion, id);
        if (!s) pp_pop(r);
    }
    if (!s && dynamic && PP_GIVEN(&in, support)) {
        pp_push_key(r, "support");
        s = pp_read_support(r, in.support, id, com);
        if (!s) pp_pop(r);
    }
    return s ? s : keep_name(r, &in, id, com);
}

perp_status pp_read_bodies(pp_reader *r, pp_item list) {
    int i = 0;
    for (pp_item entry = pp_first(list); entry.node; entry = pp_next(entry), i++) {
        pp_push_index(r, i);
        perp_status s = pp_repeat(r, entry, PP_BODIES, r->position[PP_BODIES]++, make_body, NULL);
        if (s) return s;
        pp_pop(r);
    }
    return PERP_OK;
}

perp_status pp_find_body(pp_reader *r, pp_item at, const char *name, bool or_world, perp_body_id *out) {
    uint32_t id;
    *out = (perp_body_id){0, 0};
    if (or_world && (!at.node || !strcmp(name, "world"))) return PERP_OK;
    if (!or_world && !strcmp(name, "world"))
        return pp_wrong(r, at, "\"world\"", "the name of a body (the world is not a body)");
    if (!pp_names_find(&r->body, name, &id))
        return pp_names_missing(r, &r->body, at, name, or_world ? "a body, or world" : "a body");
    *out = r->body_of[id];
    return PERP_OK;
}

perp_vec3 pp_shift_of(const pp_reader *r, perp_body_id b) {
    int lo = 0, hi = r->nshift; /* slots ascend */
    while (b.gen && lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (r->shift[mid].slot == b.slot) return r->shift[mid].by;
        if (r->shift[mid].slot < b.slot)
            lo = mid + 1;
        else
            hi = mid;
    }
    return perp_v3(0, 0, 0);
}
