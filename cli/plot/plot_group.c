/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_group.c - groups of quantities that people look at together: energies, ledger, certificate, contacts, paths, ...
 * A group becomes one panel or two; what a recording does not hold is refused in the words of the reader. */
#include "plot/plot_data.h"

#include <math.h>
#include <string.h>

const plot_group plot_groups[] = {
    {"energy", "kinetic, gravity and spring energy, and their sum"},
    {"ledger", "work done since the start, by cause, and the kinetic energy gained"},
    {"certificate", "residuals of the laws relative to the speeds; overlap and joint error (log axis)"},
    {"contacts", "number of contacts that separate, stick, slide"},
    {"impulses", "sums of the normal and friction impulses of the last step of each frame"},
    {"states", "what each pair of bodies in contact did over time: separating, sticking, sliding"},
    {"path", "paths of the centres of mass in the plane (x-y in 2D, x-z in 3D); path(A,B): of these bodies"},
    {"bodies", "positions of all dynamic bodies over time"},
    {"joints", "all joint coordinates over time"},
    {NULL, NULL},
};

enum { ROWS = 40 }; /* most rows of a band chart */

/* ---- energies ---- */

/* Largest size of a quantity in any recording. */
static double largest(const plot_data *d, int y) {
    double size = 0;
    for (int s = 0; s < d->nsource; s++)
        for (long i = 0; i < d->source[s].n; i++) size = fmax(size, fabs(d->quantity[y].v[s][i]));
    return size;
}

static perp_status add_energy(plot_data *d) {
    static const char *const part[] = {"kinetic", "gravity", "spring", "total"};
    static const char *const called[] = {"kinetic", "potential", "springs", "total"};
    plot_sketch *k = NULL;
    for (int i = 0; i < 4; i++) {
        char name[64];
        int y;
        snprintf(name, sizeof name, "energy.%s", part[i]);
        perp_status s = plot_get_series(d, name, &y);
        if (s) return s;
        if (!k) k = plot_add_sketch(d, plot_with_unit(d, "energy", d->quantity[y].unit));
        if (i == 2 && largest(d, y) == 0) continue; /* no springs */
        s = plot_add_curve(d, k, PLOT_TIME, y, called[i], i == 3 ? PLOT_INK : PLOT_NEXT, i == 3 ? 1 : i + 2);
        if (s) return s;
    }
    return PERP_OK;
}

/* ledger.X are sums from the start on; those that stay zero but for rounding are left out. */
static perp_status add_ledger(plot_data *d) {
    static const char *const part[][2] = {{"gravity", "gravity"},
                                          {"applied", "applied forces"},
                                          {"spring", "springs"},
                                          {"damping", "dampers"},
                                          {"kinematic", "kinematic bodies"},
                                          {"joint", "joints"},
                                          {"motor", "motors"},
                                          {"armature", "armature"},
                                          {"joint_loss", "losses in joints"},
                                          {"normal", "normal impulses"},
                                          {"friction", "friction"},
                                          {"turning", "turning inertia"},
                                          {"start", "stopped by joints"},
                                          {"sampling", "sampling"},
                                          {"drift", "drift"},
                                          {"remainder", "remainder"}};
    int before, after;
    perp_status s = plot_get_series(d, "ledger.kinetic_before", &before);
    if (!s) s = plot_get_series(d, "ledger.kinetic_after", &after);
    if (s) return s;
    int gained = plot_get_made(d, "ledger.kinetic_gained", d->quantity[after].unit);
    plot_sketch *k = plot_add_sketch(d, plot_with_unit(d, "work so far", d->quantity[after].unit));
    if (gained < 0 || !k) return plot_no_memory(d);
    for (int i = 0; i < d->nsource; i++) {
        double *v = plot_numbers(d, gained, i);
        if (!v) return plot_no_memory(d);
        for (long f = 0; f < d->source[i].n; f++) v[f] = d->quantity[after].v[i][f] - d->quantity[before].v[i][f];
    }
    s = plot_add_curve(d, k, PLOT_TIME, gained, "kinetic energy gained", PLOT_INK, 1);
    enum { PARTS = sizeof part / sizeof *part };
    int y[PARTS], colour = 0;
    double size = largest(d, gained);
    for (int p = 0; p < PARTS && !s; p++) {
        char name[64];
        snprintf(name, sizeof name, "ledger.%s", part[p][0]);
        s = plot_get_series(d, name, &y[p]);
        if (!s) size = fmax(size, largest(d, y[p]));
    }
    for (int p = 0; p < PARTS && !s; p++) {
        if (!(largest(d, y[p]) > 1e-12 * size)) continue;
        s = plot_add_curve(d, k, PLOT_TIME, y[p], part[p][1], colour, 2 + colour % (PLOT_DASHES - 1));
        colour++;
    }
    return s;
}

/* ---- certificate ---- */

static perp_status add_certificate(plot_data *d) {
    static const char *const law[] = {"momentum", "joint", "normal", "cone", "dissipation"};
    bool joints = false, contacts = false;
    for (int i = 0; i < d->nsource; i++) {
        joints = joints || d->source[i].info->njoint > 0;
        contacts = contacts || d->source[i].info->nshape > 1;
    }
    int scale, overlap, error = -1;
    perp_status s = plot_get_series(d, "certificate.scale", &scale);
    if (!s) s = plot_get_series(d, "certificate.overlap", &overlap);
    if (!s && joints) s = plot_get_series(d, "certificate.joint_error", &error);
    if (s) return s;
    plot_sketch *k = plot_add_sketch(d, "law residual / speed");
    if (!k) return plot_no_memory(d);
    k->logy = true;
    k->floor = 1e-20;
    for (int p = 0; p < 5; p++) {
        if ((p == 1 && !joints) || (p > 1 && !contacts)) continue;
        int one;
        s = plot_get_series(d, plot_say(d, "certificate.%s", law[p]), &one);
        if (s) return s;
        int part = plot_get_made(d, plot_say(d, "%s/scale", law[p]), "");
        if (part < 0) return plot_no_memory(d);
        for (int i = 0; i < d->nsource; i++) {
            double *v = plot_numbers(d, part, i);
            const double *r = d->quantity[one].v[i], *speed = d->quantity[scale].v[i];
            if (!v) return plot_no_memory(d);
            for (long f = 0; f < d->source[i].n; f++) v[f] = r[f] == 0 ? 0 : speed[f] > 0 ? r[f] / speed[f] : NAN;
        }
        s = plot_add_curve(d, k, PLOT_TIME, part, law[p], p, 1 + p);
        if (s) return s;
    }
    k = plot_add_sketch(d, plot_with_unit(d, joints ? "error of position" : "overlap", d->quantity[overlap].unit));
    if (!k) return plot_no_memory(d);
    k->logy =
        largest(d, overlap) > 0 || (joints && largest(d, error) > 0); /* nothing but zeros has no place on a log axis */
    s = plot_add_curve(d, k, PLOT_TIME, overlap, "overlap", 1, 1);
    if (!s && joints) s = plot_add_curve(d, k, PLOT_TIME, error, "joint error", 0, 2);
    return s;
}

/* ---- contacts ---- */

/* Frame 0 is the initial state: no step has been taken, and its zero is not a measurement. */
static void skip_start(plot_data *d, int y) {
    for (int s = 0; s < d->nsource; s++)
        if (d->source[s].first == 0 && d->source[s].n > 1) d->quantity[y].v[s][0] = NAN;
}

static perp_status add_contacts(plot_data *d) {
    static const char *const state[] = {"separating", "sticking", "sliding"};
    plot_sketch *k = plot_add_sketch(d, "contacts");
    bool counted = true; /* by the certificate; else from the contacts themselves */
    for (int i = 0; i < d->nsource; i++) counted = counted && d->source[i].info->choice.what & PERP_RECORD_CERTIFICATE;
    for (int i = 0; i < 3; i++) {
        char name[64];
        int y;
        snprintf(name, sizeof name, "%s.%s", counted ? "certificate" : "contacts", state[i]);
        perp_status s = plot_get_series(d, name, &y);
        if (!s) s = plot_add_curve(d, k, PLOT_TIME, y, state[i], PLOT_STATE(i), i == 1 ? 1 : i == 0 ? 4 : 2);
        if (s) return s;
        skip_start(d, y);
        k->curve[k->ncurve - 1].mark = 's';
    }
    return PERP_OK;
}

static perp_status add_impulses(plot_data *d) {
    int normal, friction;
    perp_status s = plot_get_series(d, "contacts.impulse", &normal);
    if (!s) s = plot_get_series(d, "contacts.friction", &friction);
    if (s) return s;
    skip_start(d, normal);
    skip_start(d, friction);
    plot_sketch *k = plot_add_sketch(d, plot_with_unit(d, "impulse of a step", d->quantity[normal].unit));
    s = plot_add_curve(d, k, PLOT_TIME, normal, "normal", 0, 1);
    return s ? s : plot_add_curve(d, k, PLOT_TIME, friction, "friction", 1, 2);
}

/* A pair of bodies that met, for the choice of rows. */
typedef struct pair {
    int a, b;     /* a < b */
    long pressed; /* frames in which it carried an impulse, plus 1 for having met at all */
} pair;

typedef struct pairs {
    pair *slot; /* open addressing; pressed 0: free */
    long size, used;
} pairs;

static pair *find_pair(pairs *t, int a, int b) {
    uint64_t h = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9e3779b97f4a7c15u;
    long i = (long)(h >> 32) & (t->size - 1);
    while (t->slot[i].pressed && (t->slot[i].a != a || t->slot[i].b != b)) i = (i + 1) & (t->size - 1);
    return &t->slot[i];
}

static bool count_pair(plot_data *d, pairs *t, int a, int b, bool pressed) {
    if (2 * (t->used + 1) > t->size) {
        pairs more = {.size = t->size ? 2 * t->size : 256};
        more.slot = pp_arena_zero(&d->arena, (size_t)more.size * sizeof *more.slot);
        if (!more.slot) return false;
        for (long i = 0; i < t->size; i++)
            if (t->slot[i].pressed) *find_pair(&more, t->slot[i].a, t->slot[i].b) = t->slot[i];
        more.used = t->used;
        *t = more;
    }
    pair *p = find_pair(t, a, b);
    if (!p->pressed) {
        *p = (pair){a, b, 1};
        t->used++;
    }
    p->pressed += pressed;
    return true;
}

/* Rows: the pairs that were pressed longest, then in the order of their bodies. */
static int choose_rows(const pairs *t, pair *out) {
    int n = 0;
    for (long i = 0; i < t->size; i++) {
        pair p = t->slot[i];
        if (!p.pressed) continue;
        int at = n < ROWS ? n++ : ROWS;
        while (at > 0 && (p.pressed > out[at - 1].pressed ||
                          (p.pressed == out[at - 1].pressed &&
                           (p.a < out[at - 1].a || (p.a == out[at - 1].a && p.b < out[at - 1].b))))) {
            if (at < ROWS) out[at] = out[at - 1];
            at--;
        }
        if (at < ROWS) out[at] = p;
    }
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && (out[k].a < out[k - 1].a || (out[k].a == out[k - 1].a && out[k].b < out[k - 1].b));
             k--) {
            pair p = out[k];
            out[k] = out[k - 1];
            out[k - 1] = p;
        }
    return n;
}

static perp_status states_of(plot_data *d, int index) {
    plot_source *s = &d->source[index];
    pairs t = {0};
    pair row[ROWS + 1];
    int quantity[ROWS], n = 0;
    double *v[ROWS];
    for (int pass = 0; pass < 2; pass++) { /* who met and how long; then their states */
        for (long f = 0; f < s->n; f++) {
            const perp_recorded_contact *c;
            int count;
            perp_status status = perp_recording_contacts(s->r, s->first + (uint64_t)f, &c, &count, d->why);
            if (status) return status;
            for (int j = 0; j < count; j++) {
                int a = c[j].body[0] < c[j].body[1] ? c[j].body[0] : c[j].body[1], b = c[j].body[0] + c[j].body[1] - a;
                if (pass == 0 && !count_pair(d, &t, a, b, c[j].state != PERP_CONTACT_SEPARATING))
                    return plot_no_memory(d);
                /* if a pair has several contacts: the state with the most motion */
                for (int r = 0; pass == 1 && r < n; r++)
                    if (row[r].a == a && row[r].b == b && !(v[r][f] >= (double)c[j].state))
                        v[r][f] = (double)c[j].state;
            }
        }
        if (pass == 1) break;
        n = choose_rows(&t, row);
        for (int r = 0; r < n; r++) {
            const char *name = plot_say(d, "state(%s,%s)", perp_recording_body(s->r, row[r].a).name,
                                        perp_recording_body(s->r, row[r].b).name);
            quantity[r] = plot_get_made(d, name, "");
            v[r] = quantity[r] < 0 ? NULL : plot_numbers(d, quantity[r], index);
            if (!v[r]) return plot_no_memory(d);
        }
    }
    if (n == 0)
        return pp_complain(d->why, PERP_E_ARG, (pp_location){s->path, 0, 0}, "states", "no contacts",
                           "a recording in which bodies meet");
    plot_sketch *k = plot_add_sketch(d, "");
    if (!k) return plot_no_memory(d);
    k->source = index;
    k->nrow = n;
    k->row = pp_arena_get(&d->arena, (size_t)n * sizeof *k->row);
    if (!k->row) return plot_no_memory(d);
    memcpy(k->row, quantity, (size_t)n * sizeof *k->row);
    const char *name = d->nsource > 1 ? s->label : "";
    if (t.used > n)
        k->title = plot_say(d, "%s%sthe %d of %ld pairs that were pressed longest", name, *name ? ": " : "", n, t.used);
    else if (*name)
        k->title = name;
    return PERP_OK;
}

static perp_status add_states(plot_data *d) {
    perp_status s = PERP_OK;
    for (int i = 0; i < d->nsource && !s; i++) s = states_of(d, i);
    return s;
}

/* ---- bodies ---- */

/* Positions of the chosen bodies (by index in the first recording; found by name in the others): quantities NAME.x,
 * NAME.y, NAME.z. Read frame by frame, which is one pass however many bodies there are. */
static perp_status read_positions(plot_data *d, const int *body, int nbody, int *out) {
    const char axis[3] = {'x', 'y', 'z'};
    const char *unit = "L";
    for (int b = 0; b < nbody; b++)
        for (int c = 0; c < 3; c++) {
            out[3 * b + c] = plot_get_made(
                d, plot_say(d, "%s.%c", perp_recording_body(d->source[0].r, body[b]).name, axis[c]), unit);
            if (out[3 * b + c] < 0) return plot_no_memory(d);
        }
    for (int i = 0; i < d->nsource; i++) {
        plot_source *s = &d->source[i];
        perp_pose *X = pp_arena_get(&d->arena, (size_t)(s->info->nbody + 1) * sizeof *X);
        int *here = pp_arena_get(&d->arena, (size_t)(nbody + 1) * sizeof *here);
        if (!X || !here) return plot_no_memory(d);
        for (int b = 0; b < nbody; b++) {
            here[b] = perp_recording_find_body(s->r, perp_recording_body(d->source[0].r, body[b]).name);
            for (int c = 0; c < 3 && here[b] >= 0; c++)
                if (!plot_numbers(d, out[3 * b + c], i)) return plot_no_memory(d);
        }
        for (long f = 0; f < s->n; f++) {
            perp_status status = perp_recording_poses(s->r, s->first + (uint64_t)f, X, d->why);
            if (status) return status;
            for (int b = 0; b < nbody; b++) {
                if (here[b] < 0) continue;
                perp_vec3 p = X[here[b]].p;
                const double value[3] = {p.x, p.y, p.z};
                for (int c = 0; c < 3; c++) d->quantity[out[3 * b + c]].v[i][f] = value[c];
            }
        }
    }
    return PERP_OK;
}

/* Bodies of the first recording: those that move (dynamic only if so said), or those named between the parentheses. */
static perp_status choose_bodies(plot_data *d, const char *names, bool dynamic, int **out, int *n) {
    perp_recording *r = d->source[0].r;
    int nbody = d->source[0].info->nbody;
    int *body = pp_arena_get(&d->arena, (size_t)(nbody + 1 + (names ? (int)strlen(names) : 0)) * sizeof *body);
    if (!body) return plot_no_memory(d);
    *out = body;
    *n = 0;
    for (int i = 0; i < nbody && !names; i++) {
        perp_body_kind kind = perp_recording_body(r, i).kind;
        if (kind == PERP_BODY_DYNAMIC || (kind == PERP_BODY_KINEMATIC && !dynamic)) body[(*n)++] = i;
    }
    while (names && *names && *names != ')') {
        size_t length = strcspn(names, ",)");
        const char *name = plot_say(d, "%.*s", (int)length, names);
        if (!name) return plot_no_memory(d);
        int i = perp_recording_find_body(r, name);
        if (i < 0) {
            char list[400] = "", found[128];
            for (int k = 0; k < nbody && strlen(list) < 300; k++)
                snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.60s", k ? ", " : "",
                         perp_recording_body(r, k).name);
            if (strlen(list) >= 300) snprintf(list + strlen(list), sizeof list - strlen(list), ", ...");
            pp_printable(found, sizeof found, name, length);
            return pp_complain(d->why, PERP_E_NAME, (pp_location){d->source[0].path, 0, 0}, "path",
                               *found ? found : "nothing", list);
        }
        body[(*n)++] = i;
        names += length + (names[length] == ',');
    }
    if (*n == 0)
        return pp_complain(d->why, PERP_E_ARG, (pp_location){d->source[0].path, 0, 0}, "what", "no bodies that move",
                           "a recording with bodies that do");
    return PERP_OK;
}

static perp_status add_path(plot_data *d, const char *names) {
    int *body = NULL, n = 0;
    perp_status s = choose_bodies(d, names, false, &body, &n);
    if (s) return s;
    int *q = pp_arena_get(&d->arena, (size_t)(3 * n) * sizeof *q);
    if (!q) return plot_no_memory(d);
    s = read_positions(d, body, n, q);
    int up = d->source[0].info->dim == 2 ? 1 : 2;
    plot_sketch *k = s ? NULL : plot_add_sketch(d, plot_with_unit(d, up == 1 ? "y" : "z", "L"));
    if (!s && !k) return plot_no_memory(d);
    if (k) k->xlabel = plot_with_unit(d, "x", "L"), k->equal = true;
    if (k && !k->xlabel) return plot_no_memory(d);
    for (int b = 0; b < n && !s; b++)
        s = plot_add_curve(d, k, q[3 * b], q[3 * b + up], perp_recording_body(d->source[0].r, body[b]).name, PLOT_NEXT,
                           0);
    return s;
}

static perp_status add_bodies(plot_data *d) {
    int *body = NULL, n = 0;
    perp_status s = choose_bodies(d, NULL, true, &body, &n);
    if (s) return s;
    int *q = pp_arena_get(&d->arena, (size_t)(3 * n) * sizeof *q);
    if (!q) return plot_no_memory(d);
    s = read_positions(d, body, n, q);
    for (int c = 0; c < d->source[0].info->dim && !s; c++) {
        plot_sketch *k = plot_add_sketch(d, plot_with_unit(d, c == 0 ? "x" : c == 1 ? "y" : "z", "L"));
        for (int b = 0; b < n && !s; b++)
            s = plot_add_curve(d, k, PLOT_TIME, q[3 * b + c], perp_recording_body(d->source[0].r, body[b]).name,
                               PLOT_NEXT, 0);
    }
    return s;
}

/* ---- joints ---- */

/* Angles in one panel, displacements in another. */
static perp_status add_joints(plot_data *d) {
    perp_recording *r = d->source[0].r;
    int n = d->source[0].info->njoint;
    perp_status s = PERP_OK;
    bool any = false;
    for (int angles = 1; angles >= 0 && !s; angles--) {
        plot_sketch *k = NULL;
        for (int i = 0; i < n && !s; i++) {
            perp_recorded_joint j = perp_recording_joint(r, i);
            for (int c = 0; c < j.ncoord && !s; c++) {
                const char *name =
                    j.ncoord == 1 ? plot_say(d, "%s.coordinate", j.name) : plot_say(d, "%s.coordinate%d", j.name, c);
                if (!name) return plot_no_memory(d);
                bool angle = !strcmp(perp_recording_unit(r, name), "rad");
                if (angle != (angles == 1)) continue;
                int y;
                s = plot_get_series(d, name, &y);
                if (s) break;
                any = true;
                if (!k)
                    k = plot_add_sketch(
                        d, plot_with_unit(d, angles ? "joint angle" : "joint displacement", d->quantity[y].unit));
                s = plot_add_curve(d, k, PLOT_TIME, y, j.ncoord == 1 ? j.name : plot_say(d, "%s (%d)", j.name, c),
                                   PLOT_NEXT, 0);
            }
        }
    }
    if (!s && !any)
        s = pp_complain(d->why, PERP_E_ARG, (pp_location){d->source[0].path, 0, 0}, "joints", "no joints that move",
                        "a recording with joints");
    return s;
}

perp_status plot_add_group(plot_data *d, const char *what, bool *known) {
    *known = true;
    if (!strcmp(what, "energy")) return add_energy(d);
    if (!strcmp(what, "ledger")) return add_ledger(d);
    if (!strcmp(what, "certificate")) return add_certificate(d);
    if (!strcmp(what, "contacts")) return add_contacts(d);
    if (!strcmp(what, "impulses")) return add_impulses(d);
    if (!strcmp(what, "states")) return add_states(d);
    if (!strcmp(what, "path")) return add_path(d, NULL);
    if (!strncmp(what, "path(", 5) && what[strlen(what) - 1] == ')') return add_path(d, what + 5);
    if (!strcmp(what, "bodies")) return add_bodies(d);
    if (!strcmp(what, "joints")) return add_joints(d);
    *known = false;
    return PERP_OK;
}
