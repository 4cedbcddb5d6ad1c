/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* series_names.c - names of series: their meaning, the list of all names, and similar names */
#include "record/series.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A torque has the dimension of an energy, but not its name. */
#define TORQUE "M L/T^2 L"

/* Quantities of a body or a joint. */
typedef struct quantity {
    const char *name, *unit;
    pp_series_kind kind;
    pp_dataset d;
    int component;
    bool only_3d; /* not listed in 2D, where it does not change */
} quantity;

static const quantity of_body[] = {{"x", "L", PP_SERIES_COLUMN, PP_D_POSITION, 0, false},
                                   {"y", "L", PP_SERIES_COLUMN, PP_D_POSITION, 1, false},
                                   {"z", "L", PP_SERIES_COLUMN, PP_D_POSITION, 2, true},
                                   {"angle", "rad", PP_SERIES_COLUMN, PP_D_ANGLE, 0, false},
                                   {"qw", "", PP_SERIES_COLUMN, PP_D_ORIENTATION, 0, true},
                                   {"qx", "", PP_SERIES_COLUMN, PP_D_ORIENTATION, 1, true},
                                   {"qy", "", PP_SERIES_COLUMN, PP_D_ORIENTATION, 2, true},
                                   {"qz", "", PP_SERIES_COLUMN, PP_D_ORIENTATION, 3, true},
                                   {"vx", "L/T", PP_SERIES_COLUMN, PP_D_VELOCITY, 0, false},
                                   {"vy", "L/T", PP_SERIES_COLUMN, PP_D_VELOCITY, 1, false},
                                   {"vz", "L/T", PP_SERIES_COLUMN, PP_D_VELOCITY, 2, true},
                                   {"wx", "rad/T", PP_SERIES_COLUMN, PP_D_SPIN, 0, true},
                                   {"wy", "rad/T", PP_SERIES_COLUMN, PP_D_SPIN, 1, true},
                                   {"wz", "rad/T", PP_SERIES_COLUMN, PP_D_SPIN, 2, false},
                                   {"speed", "L/T", PP_SERIES_NORM, PP_D_VELOCITY, 0, false},
                                   {"spin", "rad/T", PP_SERIES_NORM, PP_D_SPIN, 0, false},
                                   {"bwx", "rad/T", PP_SERIES_TURNED, PP_D_SPIN, 0, true},
                                   {"bwy", "rad/T", PP_SERIES_TURNED, PP_D_SPIN, 1, true},
                                   {"bwz", "rad/T", PP_SERIES_TURNED, PP_D_SPIN, 2, true},
                                   {"kinetic", "M L^2/T^2", PP_SERIES_KINETIC, PP_D_VELOCITY, 0, false},
                                   {0}};

/* Of joints; their coordinates come beside these. */
static const quantity of_joint[] = {{"error", "L", PP_SERIES_COLUMN, PP_D_JOINT_ERROR, 0, false},
                                    {"angle_error", "rad", PP_SERIES_COLUMN, PP_D_JOINT_ERROR, 1, false},
                                    {"fx", "M L/T^2", PP_SERIES_FORCE, PP_D_JOINT_IMPULSE, 0, false},
                                    {"fy", "M L/T^2", PP_SERIES_FORCE, PP_D_JOINT_IMPULSE, 1, false},
                                    {"fz", "M L/T^2", PP_SERIES_FORCE, PP_D_JOINT_IMPULSE, 2, true},
                                    {"tx", TORQUE, PP_SERIES_FORCE, PP_D_JOINT_IMPULSE, 3, true},
                                    {"ty", TORQUE, PP_SERIES_FORCE, PP_D_JOINT_IMPULSE, 4, true},
                                    {"tz", TORQUE, PP_SERIES_FORCE, PP_D_JOINT_IMPULSE, 5, false},
                                    {"impulse", "M L/T", PP_SERIES_NORM, PP_D_JOINT_IMPULSE, 0, false},
                                    {0}};

/* Of contacts, of all or between two bodies. */
static const struct contact_quantity {
    const char *name, *unit;
    pp_contact_figure figure;
    bool of_all, of_pair;
} of_contacts[] = {{"count", "", PP_CONTACTS_COUNT, true, true},
                   {"separating", "", PP_CONTACTS_SEPARATING, true, true},
                   {"sticking", "", PP_CONTACTS_STICKING, true, true},
                   {"sliding", "", PP_CONTACTS_SLIDING, true, true},
                   {"impulse", "M L/T", PP_CONTACTS_NORMAL, true, false},
                   {"normal", "M L/T", PP_CONTACTS_NORMAL, false, true},
                   {"tangent", "M L/T", PP_CONTACTS_TANGENT, false, true},
                   {"friction", "M L/T", PP_CONTACTS_FRICTION, true, true},
                   {"spin", "M L^2/T", PP_CONTACTS_SPIN, false, true},
                   {"roll", "M L^2/T", PP_CONTACTS_ROLL, false, true},
                   {"fx", "M L/T^2", PP_CONTACTS_FX, false, true},
                   {"fy", "M L/T^2", PP_CONTACTS_FY, false, true},
                   {"fz", "M L/T^2", PP_CONTACTS_FZ, false, true},
                   {"gap", "L", PP_CONTACTS_GAP, true, true},
                   {"gap_end", "L", PP_CONTACTS_GAP_END, true, true},
                   {"state", "", PP_CONTACTS_STATE, false, true},
                   {0}};

/* Groups of the file whose datasets of one number for each frame are series by their names. */
static const char *const groups[] = {"energy", "ledger", "certificate", "solver", "timing", NULL};

static bool plain_figure(pp_dataset d) {
    return pp_layout[d].rows == PP_N_FRAMES && pp_layout[d].cols == PP_N_ONE && pp_layout[d].width == 0;
}

/* Turn or displacement? */
static const char *coordinate_unit(perp_joint_kind kind, int i, bool rate) {
    bool length = kind == PERP_JOINT_PRISMATIC || (kind == PERP_JOINT_CYLINDRICAL && i == 0) ||
                  (kind == PERP_JOINT_PLANAR && i < 2);
    if (kind == PERP_JOINT_TENDON) return rate ? "(L or rad)/T" : "L or rad";
    return length ? (rate ? "L/T" : "L") : (rate ? "rad/T" : "rad");
}

const char *pp_sensor_unit(perp_sensor_kind kind, perp_joint_kind joint, int coord) {
    switch (kind) {
    case PERP_SENSOR_JOINT_POSITION: return coordinate_unit(joint, coord, false);
    case PERP_SENSOR_JOINT_VELOCITY: return coordinate_unit(joint, coord, true);
    case PERP_SENSOR_JOINT_FORCE: return coordinate_unit(joint, coord, false)[0] == 'L' ? "M L/T^2" : TORQUE;
    case PERP_SENSOR_FORCE:
    case PERP_SENSOR_CONTACT_FORCE: return "M L/T^2";
    case PERP_SENSOR_TORQUE:
    case PERP_SENSOR_CONTACT_TORQUE: return TORQUE;
    case PERP_SENSOR_ACCELEROMETER: return "L/T^2";
    default: return "rad/T";
    }
}

/* ---- meaning ---- */

static pp_series nothing(void) { return (pp_series){.kind = PP_SERIES_NONE, .unit = "", .a = -1, .b = -1}; }

static pp_series column(pp_series_kind kind, pp_dataset d, int col, int component, const char *unit) {
    return (pp_series){
        .kind = kind, .d = d, .too = d, .col = col, .component = component, .a = -1, .b = -1, .unit = unit};
}

static pp_series find_body(const perp_recording *r, int body, const char *q) {
    for (const quantity *k = of_body; k->name; k++) {
        if (strcmp(k->name, q) != 0 || (k->d == PP_D_ANGLE && r->info.dim != 2)) continue;
        pp_series s = column(k->kind, k->d, body, k->component, k->unit);
        if (k->kind == PP_SERIES_KINETIC || k->kind == PP_SERIES_TURNED) s.too = PP_D_ORIENTATION;
        if (k->kind == PP_SERIES_KINETIC && r->info.dim == 2) s.too = PP_D_SPIN; /* no axes needed */
        return s;
    }
    return nothing();
}

static pp_series find_joint(const perp_recording *r, int joint, const char *q) {
    perp_recorded_joint j = perp_recording_joint(r, joint);
    bool rate = strncmp(q, "rate", 4) == 0;
    const char *rest = rate ? q + 4 : strncmp(q, "coordinate", 10) == 0 ? q + 10 : NULL;
    if (rest) {
        int i = rest[0] == 0 ? 0 : rest[0] >= '0' && rest[0] <= '2' && rest[1] == 0 ? rest[0] - '0' : -1;
        if (i < 0 || i >= j.ncoord) return nothing();
        return column(PP_SERIES_COLUMN, rate ? PP_D_JOINT_RATE : PP_D_JOINT_COORDINATE, j.first_coord + i, 0,
                      coordinate_unit(j.kind, i, rate));
    }
    for (const quantity *k = of_joint; k->name; k++)
        if (strcmp(k->name, q) == 0) return column(k->kind, k->d, joint, k->component, k->unit);
    return nothing();
}

/* q of the sensor of that name. */
static pp_series find_sensor(const perp_recording *r, const char *name, size_t length, const char *q) {
    static const char *const axis[] = {"x", "y", "z"};
    for (int i = 0; i < r->info.nsensor; i++) {
        perp_recorded_sensor s = perp_recording_sensor(r, i);
        if (strlen(s.name) != length || strncmp(s.name, name, length) != 0) continue;
        for (int k = 0; k < s.size; k++)
            if (strcmp(q, s.size == 1 ? "value" : axis[k]) == 0)
                return column(PP_SERIES_COLUMN, PP_D_SENSOR, s.first + k, 0, s.unit);
    }
    return nothing();
}

static pp_series find_contacts(int a, int b, const char *q) {
    for (const struct contact_quantity *k = of_contacts; k->name; k++) {
        if (strcmp(k->name, q) != 0 || !(a < 0 ? k->of_all : k->of_pair)) continue;
        pp_series s = column(PP_SERIES_CONTACTS, PP_D_CONTACT_FIRST, 0, (int)k->figure, k->unit);
        s.a = a;
        s.b = b;
        return s;
    }
    return nothing();
}

static pp_series find_figure(const char *name) {
    char path[128];
    size_t n = strlen(name), group = strcspn(name, ".");
    bool known = false;
    for (int g = 0; groups[g]; g++) known |= strlen(groups[g]) == group && strncmp(name, groups[g], group) == 0;
    if (!known || n >= sizeof path) return nothing();
    memcpy(path, name, n + 1);
    bool ledger = strncmp(path, "ledger.", 7) == 0, own = ledger && n > 5 && strcmp(path + n - 5, ".step") == 0;
    if (own) path[n - 5] = 0;
    path[group] = '/';
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        if (strcmp(pp_layout[d].path, path) != 0 || !plain_figure((pp_dataset)d)) continue;
        pp_series_kind kind = !ledger || own || d == PP_D_LEDGER_AFTER ? PP_SERIES_COLUMN
                              : d == PP_D_LEDGER_BEFORE                ? PP_SERIES_FIRST
                                                                       : PP_SERIES_RUNNING;
        return column(kind, (pp_dataset)d, 0, 0, pp_layout[d].unit);
    }
    return nothing();
}

/* "A,B" between the brackets of contact(A,B); false if these are not two bodies. */
static bool find_pair(const perp_recording *r, const char *inside, size_t length, int *a, int *b) {
    for (const char *comma = inside; (comma = memchr(comma, ',', length - (size_t)(comma - inside))); comma++) {
        char name[2][512];
        const char *part[2] = {inside, comma + 1};
        size_t size[2] = {(size_t)(comma - inside), length - (size_t)(comma + 1 - inside)};
        int found[2] = {-1, -1};
        for (int k = 0; k < 2; k++) {
            while (size[k] && part[k][0] == ' ') part[k]++, size[k]--;
            if (size[k] >= sizeof name[k]) continue;
            memcpy(name[k], part[k], size[k]);
            name[k][size[k]] = 0;
            found[k] = perp_recording_find_body(r, name[k]);
        }
        if (found[0] >= 0 && found[1] >= 0) {
            *a = found[0];
            *b = found[1];
            return true;
        }
    }
    return false;
}

static pp_series find_momentum(const char *name) {
    static const char *const axis[] = {"x", "y", "z"};
    bool angular = strncmp(name, "angular.", 8) == 0;
    if (!angular && strncmp(name, "momentum.", 9) != 0) return nothing();
    for (int k = 0; k < 3; k++) {
        if (strcmp(name + (angular ? 8 : 9), axis[k]) != 0) continue;
        pp_series s = column(angular ? PP_SERIES_ANGULAR : PP_SERIES_MOMENTUM, PP_D_VELOCITY, 0, k,
                             angular ? "M L^2/T" : "M L/T");
        if (angular) s.too = PP_D_POSITION;
        return s;
    }
    return nothing();
}

/* The name before the last dot as text, and what follows it; false if there is no dot or it is too long. */
static bool split(const char *name, char *owner, size_t size, const char **q) {
    const char *dot = strrchr(name, '.');
    if (!dot || (size_t)(dot - name) >= size) return false;
    memcpy(owner, name, (size_t)(dot - name));
    owner[dot - name] = 0;
    *q = dot + 1;
    return true;
}

pp_series pp_series_find(const perp_recording *r, const char *name) {
    if (strcmp(name, "time") == 0) return column(PP_SERIES_TIME, PP_D_TIME, 0, 0, "T");
    if (strcmp(name, "step") == 0) return column(PP_SERIES_COLUMN, PP_D_STEP, 0, 0, "");
    if (strcmp(name, "energy.total") == 0) return column(PP_SERIES_TOTAL, PP_D_ENERGY_KINETIC, 0, 0, "M L^2/T^2");
    char owner[512];
    const char *q;
    if (!split(name, owner, sizeof owner, &q)) return nothing();
    pp_series s = find_figure(name);
    if (s.kind == PP_SERIES_NONE) s = find_momentum(name);
    if (s.kind == PP_SERIES_NONE && strcmp(owner, "contacts") == 0) s = find_contacts(-1, -1, q);
    size_t n = strlen(owner);
    int a, b;
    if (s.kind == PP_SERIES_NONE && n > 9 && strncmp(owner, "contact(", 8) == 0 && owner[n - 1] == ')' &&
        find_pair(r, owner + 8, n - 9, &a, &b))
        s = find_contacts(a, b, q);
    if (s.kind == PP_SERIES_NONE && n > 8 && strncmp(owner, "sensor(", 7) == 0 && owner[n - 1] == ')')
        s = find_sensor(r, owner + 7, n - 8, q);
    int body = s.kind ? -1 : perp_recording_find_body(r, owner);
    if (body >= 0) s = find_body(r, body, q);
    int joint = s.kind ? -1 : perp_recording_find_joint(r, owner);
    if (joint >= 0) s = find_joint(r, joint, q);
    return s;
}

bool pp_recording_has_series(const perp_recording *r, const pp_series *s) {
    return r->set[s->d] >= 0 && r->set[s->too] >= 0;
}

/* ---- lists ---- */

/* Adds a name; false: no memory. */
static bool add_name(perp_recording *r, const char *name) {
    if (!PP_GROW(&r->alloc, r->name, r->cap_name, r->nname, r->nname + 1)) return false;
    char *copy = pp_copy_text(&r->alloc, name);
    if (!copy) return false;
    r->name[r->nname++] = copy;
    return true;
}

static bool add_found(perp_recording *r, const char *name) {
    pp_series s = pp_series_find(r, name);
    return s.kind == PP_SERIES_NONE || !pp_recording_has_series(r, &s) || add_name(r, name);
}

/* Those of one body or joint that the recording holds. Not through their names: there may be many bodies. */
static bool add_quantities(perp_recording *r, const char *owner, int i, const quantity *list) {
    char name[1024];
    for (const quantity *k = list; k->name; k++) {
        if (k->only_3d && r->info.dim == 2) continue;
        pp_series s = list == of_body ? find_body(r, i, k->name) : find_joint(r, i, k->name);
        if (s.kind == PP_SERIES_NONE || !pp_recording_has_series(r, &s)) continue;
        if (snprintf(name, sizeof name, "%s.%s", owner, k->name) < (int)sizeof name && !add_name(r, name)) return false;
    }
    return true;
}

static bool add_joint(perp_recording *r, int i) {
    char name[1024];
    perp_recorded_joint j = perp_recording_joint(r, i);
    for (int k = 0; k < 2 * j.ncoord; k++) {
        const char *q = k < j.ncoord ? "coordinate" : "rate";
        int at = k % j.ncoord, n;
        if (j.ncoord == 1)
            n = snprintf(name, sizeof name, "%s.%s", j.name, q);
        else
            n = snprintf(name, sizeof name, "%s.%s%d", j.name, q, at);
        if (r->set[PP_D_JOINT_RATE] >= 0 && n < (int)sizeof name && !add_name(r, name)) return false;
    }
    return add_quantities(r, j.name, i, of_joint);
}

static bool add_sensor(perp_recording *r, int i) {
    static const char *const axis[] = {"x", "y", "z"};
    perp_recorded_sensor s = perp_recording_sensor(r, i);
    for (int k = 0; k < s.size && r->set[PP_D_SENSOR] >= 0; k++) {
        char name[1024];
        int n = snprintf(name, sizeof name, "sensor(%s).%s", s.name, s.size == 1 ? "value" : axis[k]);
        if (n < (int)sizeof name && !add_name(r, name)) return false;
    }
    return true;
}

static bool add_figures(perp_recording *r) {
    for (int g = 0; groups[g]; g++) {
        size_t n = strlen(groups[g]);
        for (int d = 0; d < PP_DATASET_COUNT; d++) {
            if (strncmp(pp_layout[d].path, groups[g], n) != 0 || pp_layout[d].path[n] != '/' ||
                !plain_figure((pp_dataset)d))
                continue;
            char name[128];
            snprintf(name, sizeof name, "%s.%s", groups[g], pp_layout[d].path + n + 1);
            if (!add_found(r, name)) return false;
            snprintf(name, sizeof name, "%s.%s.step", groups[g], pp_layout[d].path + n + 1);
            if (g == 1 && !add_found(r, name)) return false;
        }
        if (g == 0 && !add_found(r, "energy.total")) return false;
    }
    return true;
}

static int by_pair(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool add_pair(perp_recording *r, uint64_t pair) {
    for (const struct contact_quantity *k = of_contacts; k->name; k++) {
        char name[1200];
        if (!k->of_pair || (k->figure == PP_CONTACTS_FZ && r->info.dim == 2)) continue;
        int n = snprintf(name, sizeof name, "contact(%s,%s).%s", pp_words(r, PP_D_BODY_NAME, (int)(pair >> 32)),
                         pp_words(r, PP_D_BODY_NAME, (int)(pair & UINT32_MAX)), k->name);
        if (n < (int)sizeof name && !add_name(r, name)) return false;
    }
    return true;
}

/* For a run in memory it is not known yet which bodies will touch: all pairs are listed, if they are few. */
static bool add_all_pairs(perp_recording *r) {
    enum { BODIES_MAX = 16 }; /* 120 pairs; the list is for the nearest name in a complaint */
    uint64_t n = r->info.nbody <= BODIES_MAX ? (uint64_t)r->info.nbody : 0;
    for (uint64_t a = 0; a < n; a++)
        for (uint64_t b = a + 1; b < n; b++)
            if (!add_pair(r, a << 32 | b)) return false;
    return true;
}

/* Which bodies ever came into contact: read all pairs, keep each once. */
static bool add_pairs(perp_recording *r) {
    enum { BATCH = 4096 };
    uint64_t *pair = NULL;
    int npair = 0, cap = 0;
    bool ok = true;
    int32_t *body = pp_alloc(&r->alloc, BATCH * 2 * sizeof *body);
    for (uint64_t at = 0; ok && body && r->set[PP_D_CONTACT_BODY] >= 0 && at < r->info.ncontact; at += BATCH) {
        uint64_t n = r->info.ncontact - at < BATCH ? r->info.ncontact - at : BATCH;
        if (pp_recording_rows(r, PP_D_CONTACT_BODY, at, n, -1, body, NULL)) break; /* damaged: no pairs to list */
        ok = PP_GROW(&r->alloc, pair, cap, npair, npair + BATCH);
        for (uint64_t i = 0; i < n && ok; i++) {
            uint64_t a = (uint32_t)body[2 * i], b = (uint32_t)body[2 * i + 1];
            if (a < (uint64_t)r->info.nbody && b < (uint64_t)r->info.nbody)
                pair[npair++] = a < b ? a << 32 | b : b << 32 | a;
        }
        if (npair > 0) qsort(pair, (size_t)npair, sizeof *pair, by_pair);
        int kept = 0;
        for (int i = 0; i < npair; i++)
            if (i == 0 || pair[i] != pair[i - 1]) pair[kept++] = pair[i];
        npair = kept;
    }
    ok = ok && body;
    for (int i = 0; i < npair && ok; i++) ok = add_pair(r, pair[i]);
    pp_free(&r->alloc, pair);
    pp_free(&r->alloc, body);
    return ok;
}

static bool add_rest(perp_recording *r) {
    static const char *const axis[] = {"x", "y", "z"};
    char name[64];
    for (const struct contact_quantity *k = of_contacts; k->name; k++) {
        snprintf(name, sizeof name, "contacts.%s", k->name);
        if (k->of_all && !add_found(r, name)) return false;
    }
    if (!(r->trace ? add_all_pairs(r) : add_pairs(r))) return false;
    for (int k = 0; k < 6; k++) {
        bool angular = k >= 3;
        if (r->info.dim == 2 && (angular ? k < 5 : k == 2)) continue;
        snprintf(name, sizeof name, "%s.%s", angular ? "angular" : "momentum", axis[k % 3]);
        if (!add_found(r, name)) return false;
    }
    return true;
}

const char *perp_recording_series_name(const perp_recording *r, int i) {
    if (!r->named) { /* the list is made on the first request; this changes nothing that a caller can see */
        perp_recording *mine = (perp_recording *)(uintptr_t)r;
        mine->named = true;
        bool ok = add_found(mine, "time") && add_found(mine, "step");
        for (int k = 0; k < r->info.nbody && ok; k++)
            ok = add_quantities(mine, pp_words(r, PP_D_BODY_NAME, k), k, of_body);
        for (int k = 0; k < r->info.njoint && ok; k++) ok = add_joint(mine, k);
        for (int k = 0; k < r->info.nsensor && ok; k++) ok = add_sensor(mine, k);
        (void)(ok && add_figures(mine) && add_rest(mine));
    }
    return i >= 0 && i < r->nname ? r->name[i] : NULL;
}

const char *perp_recording_unit(const perp_recording *r, const char *name) { return pp_series_find(r, name).unit; }

/* Units of SI with names of their own. */
static const struct named_unit {
    const char *unit, *si, *other; /* other: what is written where it is not SI; NULL: the unit itself */
} named_units[] = {{"M L^2/T^2", "J", NULL}, {"M L/T^2", "N", NULL}, {TORQUE, "N m", "M L^2/T^2"}, {NULL, NULL, NULL}};

size_t perp_unit_text(const char *unit, perp_units units, char *out, size_t size) {
    size_t n = 0;
    bool si = !strcmp(units.mass, "kg") && !strcmp(units.length, "m") && !strcmp(units.time, "s");
    for (const struct named_unit *k = named_units; k->unit; k++) {
        if (strcmp(unit, k->unit) != 0) continue;
        if (si) return (size_t)snprintf(out, size, "%s", k->si);
        if (k->other) unit = k->other;
        break;
    }
    if (size > 0) out[0] = 0;
    for (; *unit; unit++) { /* these letters mean nothing else in a unit */
        const char *name = *unit == 'L' ? units.length : *unit == 'M' ? units.mass : *unit == 'T' ? units.time : "";
        char own[2] = {*unit, 0};
        n += (size_t)snprintf(n < size ? out + n : NULL, n < size ? size - n : 0, "%s", *name ? name : own);
    }
    return n;
}

/* ---- complaints ---- */

static size_t list_quantities(char *out, size_t size, const perp_recording *r, const quantity *list, size_t n) {
    for (const quantity *k = list; k->name && n < size; k++) {
        if ((k->only_3d && r->info.dim == 2) || (k->d == PP_D_ANGLE && r->info.dim == 3)) continue;
        n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", k->name);
    }
    return n;
}

perp_status pp_series_unknown(const perp_recording *r, const char *name, perp_refusal *why) {
    char found[256], clean[200], allowed[512] = "", owner[512] = "";
    const char *q = "", *near = NULL;
    bool dotted = split(name, owner, sizeof owner, &q);
    int body = dotted ? perp_recording_find_body(r, owner) : -1,
        joint = dotted ? perp_recording_find_joint(r, owner) : -1;
    snprintf(found, sizeof found, "\"%s\"", pp_printable(clean, sizeof clean, name, strlen(name)));
    size_t n = 0;
    if (body >= 0) n = list_quantities(allowed, sizeof allowed, r, of_body, n);
    if (joint >= 0) {
        int nc = perp_recording_joint(r, joint).ncoord;
        if (nc > 0)
            n += (size_t)snprintf(allowed + n, sizeof allowed - n, "%scoordinate, rate%s", n ? ", " : "",
                                  nc > 1 ? " (with 0, 1, ..)" : "");
        n = list_quantities(allowed, sizeof allowed, r, of_joint, n);
    }
    if (n == 0)
        snprintf(allowed, sizeof allowed,
                 "time, step, BODY.x, JOINT.coordinate, energy.total, ledger.friction, certificate.overlap, "
                 "solver.iterations, "
                 "contacts.count, contact(A,B).normal, momentum.x, angular.z and the like");
    perp_recording_series_name(r, 0);
    const char **words = pp_alloc(&r->alloc, ((size_t)r->nname + 1) * sizeof *words);
    if (words) {
        for (int i = 0; i < r->nname; i++) words[i] = r->name[i];
        words[r->nname] = NULL;
        near = pp_suggest(name, words);
    }
    n = strlen(allowed);
    if (near) snprintf(allowed + n, sizeof allowed - n, "; did you mean %s?", near);
    pp_free(&r->alloc, (void *)(uintptr_t)words);
    return pp_complain(why, PERP_E_NAME, pp_recording_place(r), "series", found, allowed);
}
