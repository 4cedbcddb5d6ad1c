/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* forest.c - the spanning forest of a world's joints: the joint of each link, and the places of its coordinates
 * Method   Joints are taken in the order of their slots; one that connects two parts not yet connected belongs to the forest
 *          (Kruskal; the world, obstacles and kinematic bodies are one part from the start), any other closes a loop. The
 *          root of a part without ground is the lowest body that is B of no joint of the forest, else the lowest body.
 *          Then depth first from the roots in the order of slots.
 * Cost     O((bodies + joints) log bodies), once. */
#include "joint_space/joint_space_internal.h"

#include "base/hash.h"
#include "model/joint_geometry.h"

/* Scratch of the search. */
typedef struct forest {
    const perp_world *w;
    int *part;        /* by body slot + 1 (0: ground): union-find */
    int *start;       /* by body slot: its joints in `joint_at`, nbody + 1 */
    int *joint_at;    /* joints of the forest by body */
    bool *in_forest;  /* by joint slot */
    bool *is_b;       /* by body slot: B of a joint of the forest */
    bool *seen;       /* by body slot */
    int *root;        /* by part: body slot; -1: none yet */
    int *stack, *via; /* depth first: body slot, and the joint that leads to it; -1: free */
} forest;

static void drop_forest(const perp_allocator *a, forest *f) {
    pp_free(a, f->part);
    pp_free(a, f->start);
    pp_free(a, f->joint_at);
    pp_free(a, f->in_forest);
    pp_free(a, f->is_b);
    pp_free(a, f->seen);
    pp_free(a, f->root);
    pp_free(a, f->stack);
    pp_free(a, f->via);
}

static void *zeros(const perp_allocator *a, size_t n, size_t size) {
    void *p = pp_alloc(a, (n + 1) * size);
    if (p) memset(p, 0, (n + 1) * size);
    return p;
}

static bool make_forest(perp_world *w, forest *f) {
    const perp_allocator *a = &w->alloc;
    size_t nb = (size_t)w->nbody + 1, nj = (size_t)w->njoint;
    *f = (forest){.w = w,
                  .part = zeros(a, nb, sizeof(int)),
                  .start = zeros(a, nb, sizeof(int)),
                  .joint_at = zeros(a, 2 * nj, sizeof(int)),
                  .in_forest = zeros(a, nj, sizeof(bool)),
                  .is_b = zeros(a, nb, sizeof(bool)),
                  .seen = zeros(a, nb, sizeof(bool)),
                  .root = zeros(a, nb, sizeof(int)),
                  .stack = zeros(a, nb, sizeof(int)),
                  .via = zeros(a, nb, sizeof(int))};
    return f->part && f->start && f->joint_at && f->in_forest && f->is_b && f->seen && f->root && f->stack && f->via;
}

static bool is_link(const perp_world *w, int slot) {
    return slot >= 0 && pp_alive(w->body[slot].gen) && w->body[slot].kind == PERP_BODY_DYNAMIC;
}

static int part_of(forest *f, int i) {
    while (f->part[i] != i) {
        f->part[i] = f->part[f->part[i]];
        i = f->part[i];
    }
    return i;
}

static int node(const forest *f, int slot) { return is_link(f->w, slot) ? slot + 1 : 0; }

/* Chooses the joints of the forest; `closes`: by joint slot, joints that must not be in it. @return how many are not */
static int choose(forest *f, const bool *closes) {
    const perp_world *w = f->w;
    for (int i = 0; i <= w->nbody; i++) f->part[i] = i;
    int loops = 0;
    for (int j = 0; j < w->njoint; j++) {
        if (!pp_alive(w->joint[j].gen) || w->joint[j].def.kind == PERP_JOINT_TENDON) continue;
        int a = part_of(f, node(f, w->joint[j].a)), b = part_of(f, node(f, w->joint[j].b));
        if (a == b || closes[j]) {
            loops++;
            continue;
        }
        f->in_forest[j] = true;
        f->is_b[w->joint[j].b] = true;
        f->part[a > b ? a : b] = a > b ? b : a; /* ground stays the name of its part */
    }
    return loops;
}

/* Joints of the forest by body. */
static void list_joints(forest *f) {
    const perp_world *w = f->w;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < w->njoint; j++) {
            if (!f->in_forest[j]) continue;
            const int side[2] = {w->joint[j].a, w->joint[j].b};
            for (int k = 0; k < 2; k++) {
                if (!is_link(w, side[k])) continue;
                if (pass == 0)
                    f->start[side[k] + 1]++;
                else
                    f->joint_at[f->start[side[k]]++] = j;
            }
        }
        if (pass == 0)
            for (int i = 0; i < w->nbody; i++) f->start[i + 1] += f->start[i];
    }
    for (int i = w->nbody; i > 0; i--) f->start[i] = f->start[i - 1];
    f->start[0] = 0;
}

static int other_side(const forest *f, int joint, int slot) {
    const pp_joint *j = &f->w->joint[joint];
    return j->a == slot ? j->b : j->a;
}

/* The body of a part without ground that is its root. */
static void choose_roots(forest *f) {
    const perp_world *w = f->w;
    for (int i = 0; i <= w->nbody; i++) f->root[i] = -1;
    for (int pass = 0; pass < 2; pass++) /* first those that are B of nothing */
        for (int i = 0; i < w->nbody; i++) {
            if (!is_link(w, i)) continue;
            int part = part_of(f, i + 1);
            if (part != 0 && f->root[part] < 0 && (pass == 1 || !f->is_b[i])) f->root[part] = i;
        }
}

/* The joint by which a body hangs on the ground; -1: none. */
static int ground_joint(const forest *f, int slot) {
    for (int e = f->start[slot]; e < f->start[slot + 1]; e++)
        if (!is_link(f->w, other_side(f, f->joint_at[e], slot))) return f->joint_at[e];
    return -1;
}

/* What moves in a link: translations and turn, from the kind of its joint. */
static void set_motion(const perp_world *w, pp_link *l) {
    int dim = w->def.dim;
    l->particle = w->body[l->body].particle;
    bool parent_particle = l->parent_body >= 0 && w->body[l->parent_body].particle;
    if (l->joint < 0) {
        for (int i = 0; i < dim; i++) l->axis[l->ntrans++] = i;
        l->turn = l->particle ? PP_LINK_NO_TURN : dim == 2 ? PP_LINK_TWIST : PP_LINK_BALL;
    } else {
        const pp_joint_kind_data *k = pp_joint_kind_of(w->joint[l->joint].def.kind, dim);
        for (int i = 0; i < dim; i++)
            if (!k->lock[i]) l->axis[l->ntrans++] = i;
        if (l->particle)
            l->turn = PP_LINK_NO_TURN;
        else if (parent_particle)
            l->turn = dim == 2 ? PP_LINK_TWIST : PP_LINK_BALL;
        else if (k->turn == PP_TURN_TILT)
            l->turn = PP_LINK_TWIST;
        else if (k->turn == PP_TURN_CROSS)
            l->turn = PP_LINK_CROSS;
        else if (k->turn == PP_TURN_FREE)
            l->turn = dim == 2 ? PP_LINK_TWIST : PP_LINK_BALL;
    }
    static const int nturn[] = {0, 1, 2, 3};
    l->nturn = nturn[l->turn];
    l->nv = l->ntrans + l->nturn;
    l->nq = l->nv + (l->turn == PP_LINK_BALL ? 1 : 0);
}

/* The frame that places a free body: its model site. */
static perp_pose model_frame(const perp_world *w, int body) {
    for (int i = 0; i < w->robot.nsite; i++)
        if (pp_alive(w->robot.site[i].gen) && w->robot.site[i].model && w->robot.site[i].body == body)
            return w->robot.site[i].X_BS;
    return perp_pose_identity();
}

static void add_link(perp_joint_space *s, const forest *f, int body, int joint) {
    const perp_world *w = f->w;
    int i = s->nlink++;
    pp_link *l = &s->link[i];
    *l = (pp_link){.body = body, .parent = -1, .parent_body = -1, .joint = joint, .X_AJ = perp_pose_identity()};
    if (joint >= 0) {
        const pp_joint *j = &w->joint[joint];
        l->reversed = j->a == body;
        l->parent_body = l->reversed ? j->b : j->a;
        l->parent = is_link(w, l->parent_body) ? s->link_of[l->parent_body] : -1;
        l->X_AJ = j->def.X_AJ;
        l->X_BJ = j->def.X_BJ;
        s->name[i] = j->name ? j->name : "";
        s->joint_id[i] = (perp_joint_id){(uint32_t)joint, j->gen};
    } else {
        l->X_BJ = model_frame(w, body);
        s->name[i] = w->body[body].name ? w->body[body].name : "";
    }
    set_motion(w, l);
    l->q = s->nq;
    l->v = s->nv;
    s->nq += l->nq;
    s->nv += l->nv;
    s->link_of[body] = i;
    s->body_id[i] = (perp_body_id){(uint32_t)body, w->body[body].gen};
    if (l->parent_body >= 0) s->parent_id[i] = (perp_body_id){(uint32_t)l->parent_body, w->body[l->parent_body].gen};
}

/* Puts the children of a body on the stack, the lowest slot on top. @return height of the stack */
static int push_children(forest *f, int body, int height) {
    int first = height;
    for (int e = f->start[body]; e < f->start[body + 1]; e++) {
        int child = other_side(f, f->joint_at[e], body);
        if (!is_link(f->w, child) || f->seen[child]) continue;
        int at = height++;
        for (; at > first && f->stack[at - 1] < child; at--) {
            f->stack[at] = f->stack[at - 1];
            f->via[at] = f->via[at - 1];
        }
        f->stack[at] = child;
        f->via[at] = f->joint_at[e];
    }
    return height;
}

static void number_links(perp_joint_space *s, forest *f) {
    const perp_world *w = f->w;
    for (int i = 0; i < w->nbody; i++) {
        if (!is_link(w, i)) continue;
        int ground = ground_joint(f, i);
        if (ground < 0 && f->root[part_of(f, i + 1)] != i) continue;
        int height = 1;
        f->stack[0] = i;
        f->via[0] = ground;
        while (height > 0) {
            int body = f->stack[--height];
            f->seen[body] = true;
            add_link(s, f, body, f->via[height]);
            height = push_children(f, body, height);
        }
    }
}

static uint64_t layout_of(const perp_world *w) {
    uint64_t h = pp_hash(PP_HASH_START, &w->def.dim, sizeof w->def.dim);
    for (int i = 0; i < w->nbody; i++) h = pp_hash(h, &w->body[i].gen, sizeof w->body[i].gen);
    for (int i = 0; i < w->njoint; i++) h = pp_hash(h, &w->joint[i].gen, sizeof w->joint[i].gen);
    for (int i = 0; i < w->robot.nsite; i++) {
        if (!pp_alive(w->robot.site[i].gen) || !w->robot.site[i].model) continue;
        h = pp_hash(h, &i, sizeof i);
        h = pp_hash(h, &w->robot.site[i].gen, sizeof w->robot.site[i].gen);
    }
    return h;
}

perp_status pp_joint_space_check(const perp_joint_space *s, perp_world *w) {
    if (s->layout == layout_of(w)) return PERP_OK;
    return pp_fail(
        w, PERP_E_ARG,
        "the joint space was made for another world, or bodies, joints or model sites were added or removed since");
}

/* Joints that close loops, with copies of what they are. */
static void list_loops(perp_joint_space *s, const forest *f) {
    const perp_world *w = f->w;
    for (int j = 0; j < w->njoint; j++) {
        if (!pp_alive(w->joint[j].gen) || f->in_forest[j] || w->joint[j].def.kind == PERP_JOINT_TENDON) continue;
        int k = s->nloop++;
        s->loop[k] = j;
        s->loop_id[k] = (perp_joint_id){(uint32_t)j, w->joint[j].gen};
        s->loop_a[k] = w->joint[j].a;
        s->loop_b[k] = w->joint[j].b;
    }
    for (int k = 0; k < s->nloop; k++)
        for (int side = 0; side < 2; side++) {
            int body = side ? s->loop_b[k] : s->loop_a[k];
            if (is_link(w, body)) s->in_loop[s->link_of[body]] = true;
        }
    for (int k = 0; k < s->nloop; k++) /* couplings restrict the coordinates of other joints */
        for (int t = 0; t < w->joint[s->loop[k]].def.nterm; t++) {
            const pp_joint *of = &w->joint[w->joint[s->loop[k]].term[t].joint.slot];
            for (int side = 0; side < 2; side++)
                if (is_link(w, side ? of->b : of->a)) s->in_loop[s->link_of[side ? of->b : of->a]] = true;
        }
    /* up to the roots, then down again */
    for (int i = s->nlink - 1; i >= 0; i--)
        if (s->in_loop[i] && s->link[i].parent >= 0) s->in_loop[s->link[i].parent] = true;
    for (int i = 0; i < s->nlink; i++) {
        if (s->link[i].parent >= 0 && s->in_loop[s->link[i].parent]) s->in_loop[i] = true;
        if (s->in_loop[i]) s->nloop_v += s->link[i].nv;
    }
}

#define NEW(s, field, n) ((s)->field = zeros(&(s)->alloc, (size_t)(n), sizeof *(s)->field))

/* Arrays by body and link; their numbers are not known exactly yet, but bounded. */
static bool make_links(perp_joint_space *s, int nlink, int nloop) {
    NEW(s, gen, s->nbody);
    NEW(s, link_of, s->nbody);
    NEW(s, link, nlink);
    NEW(s, body_id, nlink);
    NEW(s, parent_id, nlink);
    NEW(s, joint_id, nlink);
    NEW(s, name, nlink);
    NEW(s, in_loop, nlink);
    NEW(s, loop, nloop);
    NEW(s, loop_id, nloop);
    NEW(s, loop_a, nloop);
    NEW(s, loop_b, nloop);
    return s->gen && s->link_of && s->link && s->body_id && s->parent_id && s->joint_id && s->name && s->in_loop &&
           s->loop && s->loop_id && s->loop_a && s->loop_b;
}

static bool make_configuration(perp_joint_space *s) {
    int n = s->nlink;
    NEW(s, q, s->nq);
    NEW(s, vel, s->nv);
    NEW(s, at, n);
    NEW(s, base, n);
    NEW(s, pivot, n);
    NEW(s, column, s->nv);
    NEW(s, mass, n);
    NEW(s, I_B, n);
    NEW(s, I_W, n);
    NEW(s, no_gravity, n);
    NEW(s, composite, n);
    NEW(s, acc, n);
    NEW(s, alpha, n);
    NEW(s, force, n);
    NEW(s, torque, n);
    NEW(s, bias, s->nv);
    NEW(s, loop_def, s->nloop);
    NEW(s, loop_base, 2 * s->nloop);
    return s->q && s->vel && s->at && s->base && s->pivot && s->column && s->mass && s->I_B && s->I_W &&
           s->no_gravity && s->composite && s->acc && s->alpha && s->force && s->torque && s->bias && s->loop_def &&
           s->loop_base;
}

static bool make_projection(perp_joint_space *s) {
    if (!s->nloop) return true;
    s->max_row = 6 * s->nloop;
    size_t n = (size_t)s->nloop_v, m = (size_t)s->max_row;
    NEW(s, map, s->nv);
    NEW(s, saved, s->nq + s->nv);
    NEW(s, M, n * n);
    NEW(s, row, n * m);
    NEW(s, solved, n * m);
    NEW(s, schur, m * m);
    NEW(s, psd, pp_psd_work(s->max_row));
    NEW(s, error, m);
    NEW(s, lambda, 2 * m);
    NEW(s, gradient, s->nv);
    return s->map && s->saved && s->M && s->row && s->solved && s->schur && s->psd && s->error && s->lambda &&
           s->gradient;
}

perp_joint_space_def perp_joint_space_def_default(void) {
    return (perp_joint_space_def){.cookie = PP_JOINT_SPACE_COOKIE};
}

static perp_status take_loops(perp_world *w, const perp_joint_space_def *def, bool *closes) {
    if (!def) return PERP_OK;
    if (def->cookie != PP_JOINT_SPACE_COOKIE)
        return pp_fail(w, PERP_E_ARG, "the definition was not made by perp_joint_space_def_default()");
    for (int i = 0; i < def->nloop; i++) {
        perp_joint_id id = def->loop ? def->loop[i] : (perp_joint_id){0, 0};
        bool live = pp_alive(id.gen) && id.slot < (uint32_t)w->njoint && w->joint[id.slot].gen == id.gen;
        if (!live) return pp_fail(w, PERP_E_ARG, "loop[%d]: the joint id is stale or was never given", i);
        closes[id.slot] = true;
    }
    return PERP_OK;
}

static perp_status build(perp_joint_space *s, perp_world *w, forest *f, const bool *closes) {
    int links = 0;
    for (int i = 0; i < w->nbody; i++) links += is_link(w, i);
    int loops = choose(f, closes);
    if (!make_links(s, links, loops)) return pp_fail(w, PERP_E_MEMORY, "out of memory for a joint space");
    for (int i = 0; i < w->nbody; i++) {
        s->gen[i] = pp_alive(w->body[i].gen) ? w->body[i].gen : 0;
        s->link_of[i] = -1;
    }
    list_joints(f);
    choose_roots(f);
    number_links(s, f);
    list_loops(s, f);
    if (!make_configuration(s) || !make_projection(s))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for a joint space");
    return PERP_OK;
}

perp_status perp_world_joint_space(perp_world *w, const perp_joint_space_def *def, perp_joint_space **out) {
    if (!out) return pp_fail(w, PERP_E_ARG, "perp_world_joint_space: out is NULL");
    *out = NULL;
    const perp_allocator *a = &w->alloc;
    forest f = {0};
    bool *closes = zeros(a, (size_t)w->njoint, sizeof *closes);
    perp_joint_space *s = zeros(a, 1, sizeof *s);
    perp_status st = PERP_OK;
    if (!closes || !s || !make_forest(w, &f)) st = pp_fail(w, PERP_E_MEMORY, "out of memory for a joint space");
    if (!st) st = take_loops(w, def, closes);
    if (!st) {
        s->alloc = w->alloc;
        s->dim = w->def.dim;
        s->nbody = w->nbody;
        s->layout = layout_of(w);
        st = build(s, w, &f, closes);
    }
    drop_forest(a, &f);
    pp_free(a, closes);
    if (!st) st = perp_joint_space_get(s, w, NULL, NULL);
    if (st) {
        if (s) s->alloc = w->alloc;
        perp_joint_space_free(s);
        return st;
    }
    *out = s;
    return PERP_OK;
}

void perp_joint_space_free(perp_joint_space *s) {
    if (!s) return;
    const perp_allocator a = s->alloc;
    void *const all[] = {s->gen,        s->link_of, s->link,   s->body_id,  s->parent_id, s->joint_id,  s->name,
                         s->loop,       s->loop_id, s->loop_a, s->loop_b,   s->q,         s->vel,       s->at,
                         s->base,       s->pivot,   s->column, s->mass,     s->I_B,       s->I_W,       s->acc,
                         s->no_gravity, s->alpha,   s->force,  s->torque,   s->bias,      s->composite, s->in_loop,
                         s->loop_def,   s->map,     s->saved,  s->M,        s->row,       s->solved,    s->schur,
                         s->psd,        s->error,   s->lambda, s->gradient, s->loop_base};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) pp_free(&a, all[i]);
    pp_free(&a, s);
}

int perp_joint_space_nq(const perp_joint_space *s) { return s->nq; }
int perp_joint_space_nv(const perp_joint_space *s) { return s->nv; }
int perp_joint_space_nlink(const perp_joint_space *s) { return s->nlink; }
int perp_joint_space_nloop(const perp_joint_space *s) { return s->nloop; }

perp_status perp_joint_space_link(const perp_joint_space *s, int i, perp_joint_link *out) {
    if (i < 0 || i >= s->nlink || !out) return PERP_E_ARG;
    const pp_link *l = &s->link[i];
    *out = (perp_joint_link){.name = s->name[i],
                             .body = s->body_id[i],
                             .parent = s->parent_id[i],
                             .joint = s->joint_id[i],
                             .parent_link = l->parent,
                             .reversed = l->reversed,
                             .q = l->q,
                             .nq = l->nq,
                             .v = l->v,
                             .nv = l->nv};
    return PERP_OK;
}

int perp_joint_space_find(const perp_joint_space *s, const char *name) {
    for (int i = 0; name && *name && i < s->nlink; i++)
        if (strcmp(s->name[i], name) == 0) return i;
    return -1;
}

int perp_joint_space_link_of(const perp_joint_space *s, perp_body_id b) {
    return pp_joint_space_knows(s, b) ? s->link_of[b.slot] : -1;
}

perp_joint_id perp_joint_space_loop(const perp_joint_space *s, int i) {
    return i < 0 || i >= s->nloop ? (perp_joint_id){0, 0} : s->loop_id[i];
}
