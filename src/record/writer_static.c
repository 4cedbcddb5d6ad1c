/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* writer_static.c - the part of a recording that does not change in a run: scene, materials, bodies, shapes, joints. */
#include "record/writer.h"
#include "record/series.h"

#include <stdio.h>
#include <string.h>

/* Texts of any length become one block of fixed texts, as long as the longest. */
typedef const char *(*text_at)(const void *ctx, int i, char *room, size_t size);

static char *fixed_texts(const perp_allocator *a, text_at at, const void *ctx, int n, size_t *size) {
    char room[64];
    *size = 1;
    for (int i = 0; i < n; i++) {
        size_t length = strlen(at(ctx, i, room, sizeof room));
        if (length > *size) *size = length;
    }
    char *block = pp_alloc(a, (size_t)n * *size);
    if (!block) return NULL;
    for (int i = 0; i < n; i++) {
        const char *s = at(ctx, i, room, sizeof room);
        size_t length = strlen(s);
        char *to = block + (size_t)i * *size; /* the longest has no 0 at its end */
        for (size_t k = 0; k < *size; k++) to[k] = k < length ? s[k] : 0;
    }
    return block;
}

static const char *body_name(const void *ctx, int i, char *room, size_t size) {
    const perp_recorder *r = ctx;
    const char *s = perp_body_name(r->w, r->body[i]);
    if (s && s[0]) return s;
    snprintf(room, size, "body-%d", i);
    return room;
}

static const char *body_label(const void *ctx, int i, char *room, size_t size) {
    (void)room, (void)size;
    const perp_recorder *r = ctx;
    perp_body_def def;
    return !perp_body_get(r->w, r->body[i], &def) && def.label ? def.label : "";
}

static const char *joint_name(const void *ctx, int i, char *room, size_t size) {
    const perp_recorder *r = ctx;
    perp_joint_def def;
    if (!perp_joint_get(r->w, r->joint[i], &def) && def.name && def.name[0]) return def.name;
    snprintf(room, size, "joint-%d", i);
    return room;
}

static const char *sensor_name(const void *ctx, int i, char *room, size_t size) {
    const perp_recorder *r = ctx;
    perp_sensor_def def;
    if (!perp_sensor_get(r->w, r->sensor[i], &def) && def.name && def.name[0]) return def.name;
    snprintf(room, size, "sensor-%d", i);
    return room;
}

static const char *sensor_unit(const void *ctx, int i, char *room, size_t size) {
    (void)room, (void)size;
    const perp_recorder *r = ctx;
    perp_sensor_def def;
    perp_joint_def joint = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    if (perp_sensor_get(r->w, r->sensor[i], &def)) return "";
    if (def.joint.gen) (void)perp_joint_get(r->w, def.joint, &joint);
    return pp_sensor_unit(def.kind, joint.kind, def.coord);
}

static const char *definition_name(const void *ctx, int i, char *room, size_t size) {
    (void)room, (void)size;
    return perp_scene_definition_at(ctx, i).name;
}
static const char *definition_value(const void *ctx, int i, char *room, size_t size) {
    (void)room, (void)size;
    return perp_scene_definition_at(ctx, i).value;
}
static const char *parameter_name(const void *ctx, int i, char *room, size_t size) {
    (void)room, (void)size;
    return perp_scene_parameter_at(ctx, i).name;
}
static const char *parameter_unit(const void *ctx, int i, char *room, size_t size) {
    (void)room, (void)size;
    return perp_scene_parameter_at(ctx, i).unit;
}
static const char *parameter_about(const void *ctx, int i, char *room, size_t size) {
    (void)room, (void)size;
    return perp_scene_parameter_at(ctx, i).about;
}

char *pp_recorder_body_names(const perp_recorder *r, size_t *size) {
    return fixed_texts(&r->alloc, body_name, r, (int)r->extent[PP_N_BODIES], size);
}
char *pp_recorder_joint_names(const perp_recorder *r, size_t *size) {
    return fixed_texts(&r->alloc, joint_name, r, (int)r->extent[PP_N_JOINTS], size);
}

/* What goes wrong while writing: no memory, or HDF5. */
typedef struct job {
    perp_recorder *r;
    perp_refusal *why;
    perp_status st;
    pp_static_taker *take; /* NULL: into the file */
    void *ctx;
} job;

static bool file_failed(job *j, const char *key) {
    j->st = pp_recorder_trouble(j->r, key, j->why);
    return false;
}
static bool no_memory(job *j) {
    pp_location at = {j->r->path, 0, 0};
    j->st = pp_complain_say(j->why, PERP_E_MEMORY, at, "", "out of memory");
    return false;
}

static bool put(job *j, pp_dataset d, size_t size, const void *data) {
    if (j->take) return j->take(j->ctx, j->r, d, size, data) || no_memory(j);
    if (pp_put_static(j->r->file, d, j->r->extent, size, data, j->r->choice.compression)) return true;
    return file_failed(j, pp_layout[d].path);
}

static bool put_texts(job *j, pp_dataset d, text_at at, const void *ctx, int n) {
    size_t size;
    char *block = fixed_texts(&j->r->alloc, at, ctx, n, &size);
    if (!block) return no_memory(j);
    bool ok = put(j, d, size, block);
    pp_free(&j->r->alloc, block);
    return ok;
}

static bool put_parameters(job *j) {
    perp_recorder *r = j->r;
    const perp_scene *s = r->scene;
    int nd = (int)r->extent[PP_N_DEFINITIONS], np = (int)r->extent[PP_N_PARAMETERS];
    if (!put_texts(j, PP_D_DEFINITION_NAME, definition_name, s, nd) ||
        !put_texts(j, PP_D_DEFINITION_VALUE, definition_value, s, nd) ||
        !put_texts(j, PP_D_PARAMETER_NAME, parameter_name, s, np) ||
        !put_texts(j, PP_D_PARAMETER_UNIT, parameter_unit, s, np) ||
        !put_texts(j, PP_D_PARAMETER_ABOUT, parameter_about, s, np))
        return false;
    double *value = pp_alloc(&r->alloc, (size_t)np * sizeof *value);
    if (!value) return no_memory(j);
    for (int i = 0; i < np; i++) value[i] = perp_scene_parameter_at(s, i).value;
    bool ok = put(j, PP_D_PARAMETER_VALUE, 0, value);
    pp_free(&r->alloc, value);
    return ok;
}

static bool put_files(job *j) {
    perp_recorder *r = j->r;
    const perp_scene *s = r->scene;
    bool ok = true;
    for (int i = 0; ok && i < perp_scene_file_count(s); i++) {
        perp_source_file f = perp_scene_file_at(s, i);
        char path[64];
        snprintf(path, sizeof path, "scene/file_%d", i);
        hid_t set = pp_put_bytes(r->file, path, f.data, f.size, r->choice.compression);
        ok = set >= 0 && pp_put_text(set, "path", f.path) &&
             pp_put_notes(set, "", i ? "a file that the scene names" : "the scene");
        if (set >= 0) ok = H5Dclose(set) >= 0 && ok;
        if (!ok) return file_failed(j, path);
    }
    return ok;
}

static bool put_materials(job *j) {
    perp_recorder *r = j->r;
    int n = (int)r->extent[PP_N_MATERIALS];
    double *mu = pp_alloc(&r->alloc, 2 * (size_t)n * (size_t)n * sizeof *mu);
    if (!mu) return no_memory(j);
    double *e = mu + (size_t)n * (size_t)n;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            perp_pair_law law = {0};
            perp_pair_get(r->w, a, b, &law);
            mu[(size_t)a * (size_t)n + (size_t)b] = law.mu;
            e[(size_t)a * (size_t)n + (size_t)b] = law.restitution;
        }
    }
    bool ok = put(j, PP_D_MATERIAL_MU, 0, mu) && put(j, PP_D_MATERIAL_RESTITUTION, 0, e);
    pp_free(&r->alloc, mu);
    return ok;
}

static bool put_bodies(job *j) {
    perp_recorder *r = j->r;
    size_t n = (size_t)r->extent[PP_N_BODIES];
    double *mass = pp_alloc(&r->alloc, n * (10 * sizeof *mass + 2));
    if (!mass) return no_memory(j);
    double *inertia = mass + n;
    uint8_t *kind = (uint8_t *)(inertia + 9 * n), *particle = kind + n;
    for (size_t i = 0; i < n; i++) {
        perp_body_def def = perp_body_def_default(PERP_BODY_OBSTACLE);
        perp_body_get(r->w, r->body[i], &def);
        mass[i] = def.mass;
        memcpy(inertia + 9 * i, &def.I_B, 9 * sizeof *inertia);
        kind[i] = (uint8_t)def.kind;
        particle[i] = def.particle;
    }
    bool ok = put_texts(j, PP_D_BODY_NAME, body_name, r, (int)n) && put(j, PP_D_BODY_KIND, 0, kind) &&
              put(j, PP_D_BODY_PARTICLE, 0, particle) && put(j, PP_D_BODY_MASS, 0, mass) &&
              put(j, PP_D_BODY_INERTIA, 0, inertia) && put_texts(j, PP_D_BODY_LABEL, body_label, r, (int)n);
    pp_free(&r->alloc, mass);
    return ok;
}

/* 2D: what each body rests on. */
static bool put_supports(job *j) {
    perp_recorder *r = j->r;
    size_t n = (size_t)r->extent[PP_N_BODIES];
    if (perp_world_dim(r->w) != 2) return true;
    double *point = pp_alloc(&r->alloc, 9 * n * sizeof *point);
    if (!point) return no_memory(j);
    for (size_t i = 0; i < n; i++) {
        perp_support s = {0};
        (void)perp_body_get_support(r->w, r->body[i], &s);
        memcpy(point + 9 * i, s.point_B, 9 * sizeof *point);
    }
    bool ok = put(j, PP_D_BODY_SUPPORT, 0, point);
    pp_free(&r->alloc, point);
    return ok;
}

static void put_pose(double *row, perp_pose X) {
    const double x[7] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
    memcpy(row, x, sizeof x);
}

typedef struct shapes {
    double *pose, *radius, *half, *normal, *offset, *vertex;
    int32_t *body, *material, *first_vertex, *first_face, *face_start, *corner;
    uint8_t *kind;
} shapes;

static void fill_shapes(const perp_recorder *r, const shapes *s) {
    int32_t nv = 0, nf = 0, nc = 0;
    s->face_start[0] = 0;
    for (size_t i = 0; i < r->extent[PP_N_SHAPES]; i++) {
        perp_shape_view v;
        s->first_vertex[i] = nv;
        s->first_face[i] = nf;
        if (perp_shape_get(r->w, r->shape[i], &v)) continue; /* cannot be: the id was just read */
        put_pose(s->pose + 7 * i, v.def.X_BS);
        bool box = v.def.kind == PERP_SHAPE_BOX, plane = v.def.kind == PERP_SHAPE_HALFSPACE;
        bool capsule = v.def.kind == PERP_SHAPE_CAPSULE, cylinder = v.def.kind == PERP_SHAPE_CYLINDER;
        s->radius[i] = capsule || cylinder || v.def.kind == PERP_SHAPE_SPHERE ? v.def.radius : 0;
        s->offset[i] = plane ? v.def.offset : 0;
        bool axes = box || v.def.kind == PERP_SHAPE_ELLIPSOID || v.def.kind == PERP_SHAPE_SUPERELLIPSOID;
        perp_vec3 none = {0, 0, 0}, half = axes ? v.def.half_size : none, normal = plane ? v.def.normal : none;
        if (capsule) half.x = v.def.half_length;
        if (cylinder) half.z = v.def.half_length;
        memcpy(s->half + 3 * i, &half, sizeof half);
        memcpy(s->normal + 3 * i, &normal, sizeof normal);
        s->body[i] = r->shape_body[i];
        s->material[i] = v.def.material;
        s->kind[i] = (uint8_t)v.def.kind;
        for (int k = 0; k < v.def.npoint; k++, nv++)
            memcpy(s->vertex + 3 * (size_t)nv, &v.def.points[k], 3 * sizeof(double));
        for (int k = 0; k < v.nface; k++) {
            for (int m = v.face_start[k]; m < v.face_start[k + 1]; m++) s->corner[nc++] = v.face[m];
            s->face_start[++nf] = nc;
        }
    }
    s->first_vertex[r->extent[PP_N_SHAPES]] = nv;
    s->first_face[r->extent[PP_N_SHAPES]] = nf;
}

static bool put_shapes(job *j) {
    perp_recorder *r = j->r;
    const uint64_t *e = r->extent;
    size_t n = (size_t)e[PP_N_SHAPES], nv = (size_t)e[PP_N_VERTICES], nf = (size_t)e[PP_N_FACES],
           nc = (size_t)e[PP_N_FACE_CORNERS];
    double *x = pp_alloc(&r->alloc, (15 * n + 3 * nv) * sizeof(double) + (4 * n + 3 + nf + nc) * sizeof(int32_t) + n);
    if (!x) return no_memory(j);
    shapes s = {.pose = x, .radius = x + 7 * n, .half = x + 8 * n, .normal = x + 11 * n, .offset = x + 14 * n};
    s.vertex = x + 15 * n;
    s.body = (int32_t *)(void *)(s.vertex + 3 * nv);
    s.material = s.body + n;
    s.first_vertex = s.material + n;
    s.first_face = s.first_vertex + n + 1;
    s.face_start = s.first_face + n + 1;
    s.corner = s.face_start + nf + 1;
    s.kind = (uint8_t *)(s.corner + nc);
    fill_shapes(r, &s);
    bool ok = put(j, PP_D_SHAPE_BODY, 0, s.body) && put(j, PP_D_SHAPE_KIND, 0, s.kind) &&
              put(j, PP_D_SHAPE_POSE, 0, s.pose) && put(j, PP_D_SHAPE_RADIUS, 0, s.radius) &&
              put(j, PP_D_SHAPE_HALF_SIZE, 0, s.half) && put(j, PP_D_SHAPE_NORMAL, 0, s.normal) &&
              put(j, PP_D_SHAPE_OFFSET, 0, s.offset) && put(j, PP_D_SHAPE_MATERIAL, 0, s.material) &&
              put(j, PP_D_SHAPE_FIRST_VERTEX, 0, s.first_vertex) && put(j, PP_D_SHAPE_FIRST_FACE, 0, s.first_face) &&
              put(j, PP_D_SHAPE_VERTEX, 0, s.vertex) && put(j, PP_D_SHAPE_FACE_START, 0, s.face_start) &&
              put(j, PP_D_SHAPE_FACE_VERTEX, 0, s.corner);
    pp_free(&r->alloc, x);
    return ok;
}

/* How shapes look, and how their surfaces move. */
static bool put_looks(job *j) {
    perp_recorder *r = j->r;
    size_t n = (size_t)r->extent[PP_N_SHAPES];
    double *surface = pp_alloc(&r->alloc, n * (3 * sizeof *surface + sizeof(uint32_t) + 1));
    if (!surface) return no_memory(j);
    uint32_t *colour = (uint32_t *)(void *)(surface + 3 * n);
    uint8_t *visual = (uint8_t *)(colour + n);
    for (size_t i = 0; i < n; i++) {
        perp_shape_view v = {0};
        (void)perp_shape_get(r->w, r->shape[i], &v);
        colour[i] = v.def.colour;
        visual[i] = v.def.visual;
        perp_vec3 s = v.def.surface_velocity;
        if (v.def.surface_motion) v.def.surface_motion(perp_world_time(r->w), &s, v.def.surface_ctx);
        if (!perp_v3_finite(s)) s = perp_v3(0, 0, 0); /* the step complains about it */
        memcpy(surface + 3 * i, &s, sizeof s);
    }
    bool ok = put(j, PP_D_SHAPE_VISUAL, 0, visual) && put(j, PP_D_SHAPE_COLOUR, 0, colour) &&
              put(j, PP_D_SHAPE_SURFACE, 0, surface);
    pp_free(&r->alloc, surface);
    return ok;
}

/* Index of a body by its id; -1 for the world. */
static int32_t body_index(const perp_recorder *r, perp_body_id id) {
    int lo = 0, hi = (int)r->extent[PP_N_BODIES]; /* ids lie in order of their slots */
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (r->body[mid].slot < id.slot)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < (int)r->extent[PP_N_BODIES] && r->body[lo].slot == id.slot && r->body[lo].gen == id.gen ? lo : -1;
}

static bool put_joints(job *j) {
    perp_recorder *r = j->r;
    size_t n = (size_t)r->extent[PP_N_JOINTS];
    double *pose = pp_alloc(&r->alloc, n * (14 * sizeof(double) + 4 * sizeof(int32_t) + 1));
    if (!pose) return no_memory(j);
    double *pose_b = pose + 7 * n;
    int32_t *a = (int32_t *)(void *)(pose_b + 7 * n), *b = a + n, *first = b + n, *count = first + n, at = 0;
    uint8_t *kind = (uint8_t *)(count + n);
    for (size_t i = 0; i < n; i++) {
        perp_joint_def def = perp_joint_def_default(PERP_JOINT_FIXED);
        perp_joint_get(r->w, r->joint[i], &def);
        put_pose(pose + 7 * i, def.X_AJ);
        put_pose(pose_b + 7 * i, def.X_BJ);
        a[i] = body_index(r, def.a);
        b[i] = body_index(r, def.b);
        first[i] = at;
        count[i] = r->joint_ncoord[i];
        at += count[i];
        kind[i] = (uint8_t)def.kind;
    }
    bool ok = put_texts(j, PP_D_JOINT_NAME, joint_name, r, (int)n) && put(j, PP_D_JOINT_KIND, 0, kind) &&
              put(j, PP_D_JOINT_A, 0, a) && put(j, PP_D_JOINT_B, 0, b) && put(j, PP_D_JOINT_POSE_A, 0, pose) &&
              put(j, PP_D_JOINT_POSE_B, 0, pose_b) && put(j, PP_D_JOINT_FIRST_COORD, 0, first) &&
              put(j, PP_D_JOINT_COORDS, 0, count);
    pp_free(&r->alloc, pose);
    return ok;
}

static bool put_sensors(job *j) {
    perp_recorder *r = j->r;
    size_t n = (size_t)r->extent[PP_N_SENSORS];
    if (n == 0) return true; /* left out */
    int32_t *first = pp_alloc(&r->alloc, n * (sizeof *first + 1)), at = 0;
    if (!first) return no_memory(j);
    uint8_t *kind = (uint8_t *)(first + n);
    for (size_t i = 0; i < n; i++) {
        perp_sensor_def def = perp_sensor_def_default(PERP_SENSOR_JOINT_POSITION);
        (void)perp_sensor_get(r->w, r->sensor[i], &def);
        kind[i] = (uint8_t)def.kind;
        first[i] = at;
        at += perp_sensor_size(def.kind);
    }
    bool ok = put_texts(j, PP_D_SENSOR_NAME, sensor_name, r, (int)n) && put(j, PP_D_SENSOR_KIND, 0, kind) &&
              put_texts(j, PP_D_SENSOR_UNIT, sensor_unit, r, (int)n) && put(j, PP_D_SENSOR_FIRST, 0, first);
    pp_free(&r->alloc, first);
    return ok;
}

static bool put_springs(job *j) {
    perp_recorder *r = j->r;
    size_t n = (size_t)r->extent[PP_N_SPRINGS];
    double *point = pp_alloc(&r->alloc, n * (7 * sizeof *point + 2 * sizeof(int32_t)));
    if (!point) return no_memory(j);
    double *point_b = point + 3 * n, *rest = point_b + 3 * n;
    int32_t *a = (int32_t *)(void *)(rest + n), *b = a + n;
    for (size_t i = 0; i < n; i++) {
        perp_force_def def = perp_force_def_default(PERP_FORCE_SPRING);
        (void)perp_force_get(r->w, r->spring[i], &def);
        memcpy(point + 3 * i, &def.point_A, sizeof def.point_A);
        memcpy(point_b + 3 * i, &def.point_B, sizeof def.point_B);
        rest[i] = def.rest_length;
        a[i] = body_index(r, def.a);
        b[i] = body_index(r, def.b);
    }
    bool ok = put(j, PP_D_SPRING_A, 0, a) && put(j, PP_D_SPRING_B, 0, b) && put(j, PP_D_SPRING_POINT_A, 0, point) &&
              put(j, PP_D_SPRING_POINT_B, 0, point_b) && put(j, PP_D_SPRING_REST, 0, rest);
    pp_free(&r->alloc, point);
    return ok;
}

void pp_recorder_header(const perp_recorder *r, pp_header *h) {
    const perp_vec3 g = perp_world_get_def(r->w).gravity_W;
    const perp_units unit = perp_scene_units(r->scene);
    snprintf(h->program, sizeof h->program, "perp %s", perp_version());
    const pp_attribute list[] = {
        {.name = "format", .text = "perp recording"},
        {.name = "version", .whole = PERP_RECORDING_VERSION},
        {.name = "program", .text = h->program},
        {.name = "title", .text = perp_scene_title(r->scene)},
        {.name = "dim", .whole = (uint64_t)perp_world_dim(r->w)},
        {.name = "h", .nreal = 1, .real = {perp_world_h(r->w)}},
        {.name = "duration", .nreal = 1, .real = {perp_scene_duration(r->scene)}},
        {.name = "gravity", .nreal = 3, .real = {g.x, g.y, g.z}},
        {.name = "length", .text = unit.length},
        {.name = "mass", .text = unit.mass},
        {.name = "time", .text = unit.time},
        {.name = "every", .whole = (uint64_t)r->choice.every},
        {.name = "what", .whole = r->choice.what},
        {.name = "compression", .whole = (uint64_t)r->choice.compression},
        {.name = "files", .whole = (uint64_t)perp_scene_file_count(r->scene)},
        {.name = "frames", .whole = 0},
        {.name = "finished", .whole = 0},
    };
    h->n = (int)(sizeof list / sizeof *list);
    memcpy(h->list, list, sizeof list);
}

static bool put_header(job *j) {
    const hid_t f = j->r->file;
    pp_header h;
    bool ok = true;
    pp_recorder_header(j->r, &h);
    for (int i = 0; ok && i < h.n; i++) {
        const pp_attribute *a = &h.list[i];
        ok = a->text    ? pp_put_text(f, a->name, a->text)
             : a->nreal ? pp_put_f64(f, a->name, a->real, a->nreal)
                        : pp_put_u64(f, a->name, a->whole);
    }
    return ok || file_failed(j, "");
}

perp_status pp_recorder_statics(perp_recorder *r, perp_refusal *why) {
    job j = {.r = r, .why = why};
    bool ok = put_header(&j);
    for (int i = 0; ok && pp_layout_groups[i]; i++)
        ok = pp_put_group(r->file, pp_layout_groups[i]) || file_failed(&j, pp_layout_groups[i]);
    if (ok && r->extent[PP_N_SENSORS] > 0) ok = pp_put_group(r->file, "sensors") || file_failed(&j, "sensors");
    ok = ok && put_parameters(&j) && put_files(&j) && put_materials(&j) && put_bodies(&j) && put_supports(&j) &&
         put_shapes(&j) && put_looks(&j) && put_springs(&j) && put_joints(&j) && put_sensors(&j);
    return ok ? PERP_OK : j.st;
}

perp_status pp_recorder_hand_over(perp_recorder *r, pp_static_taker *take, void *ctx, perp_refusal *why) {
    job j = {.r = r, .why = why, .take = take, .ctx = ctx};
    return put_materials(&j) && put_bodies(&j) && put_supports(&j) && put_shapes(&j) && put_looks(&j) &&
                   put_springs(&j) && put_joints(&j) && put_sensors(&j)
               ? PERP_OK
               : j.st;
}

perp_status pp_recorder_hand_over_scene(perp_recorder *r, pp_static_taker *take, void *ctx, perp_refusal *why) {
    job j = {.r = r, .why = why, .take = take, .ctx = ctx};
    return put_parameters(&j) ? PERP_OK : j.st;
}
