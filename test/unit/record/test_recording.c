/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Recordings: what is written is what the world was, and what is not there is refused in words. */
#include "unit/recording_help.h"
#include "count_malloc.h"
#include "record/writer.h"

#define FILE_A "recording-a.h5"

static void says_what_it_is_of(void **state) {
    (void)state;
    record_run(FILE_A, pile_text, NULL);
    perp_recording *r = reading(FILE_A);
    const perp_recording_info *a = perp_recording_about(r);
    char program[64];
    snprintf(program, sizeof program, "perp %s", perp_version());
    assert_int_equal(a->version, PERP_RECORDING_VERSION);
    assert_string_equal(a->program, program);
    assert_string_equal(a->title, "pile");
    assert_int_equal(a->dim, 3);
    assert_true(a->h == 0.005 && a->duration == 0.5 && a->t0 == 0);
    assert_true(fabs(a->t1 - 0.5) < 1e-12);
    assert_true(a->finished);
    assert_int_equal(a->frames, 101);
    assert_int_equal(a->step0, 0);
    assert_int_equal(a->step1, 100);
    assert_int_equal(a->nbody, 7);
    assert_int_equal(a->nshape, 6);
    assert_int_equal(a->njoint, 1);
    assert_int_equal(a->choice.what, PERP_RECORD_ALL);
    assert_true(a->ncontact > 500);

    assert_string_equal(perp_recording_body(r, 4).name, "body-4");
    assert_int_equal(perp_recording_find_body(r, "body-4"), 4);
    assert_int_equal(perp_recording_find_body(r, "bal"), -1);
    assert_int_equal(perp_recording_body(r, 0).kind, PERP_BODY_OBSTACLE);
    perp_recorded_body box = perp_recording_body(r, 1);
    assert_int_equal(box.kind, PERP_BODY_DYNAMIC);
    assert_true(box.mass == 8 && fabs(box.I_B.c[1].y - 8 * 0.08 / 12) < 1e-15);
    int ball = perp_recording_find_body(r, "ball");
    perp_recorded_shape s = perp_recording_shape(r, 1);
    assert_int_equal(s.body, 1);
    assert_int_equal(s.kind, PERP_SHAPE_BOX);
    assert_int_equal(s.nvertex, 8);
    assert_int_equal(s.nface, 6);
    assert_int_equal(s.face_start[0], 0);
    assert_int_equal(s.face_start[6], 24);
    assert_true(s.half_size.z == 0.1);
    for (int f = 0; f < 6; f++) { /* counter-clockwise from outside: the normal points away from the centre */
        const double *p[3];
        for (int k = 0; k < 3; k++) p[k] = s.vertex + 3 * s.face[s.face_start[f] + k];
        perp_vec3 e = perp_v3(p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]),
                  g = perp_v3(p[2][0] - p[1][0], p[2][1] - p[1][1], p[2][2] - p[1][2]);
        assert_true(perp_v3_dot(perp_v3_cross(e, g), perp_v3(p[0][0], p[0][1], p[0][2])) > 0);
    }
    assert_int_equal(perp_recording_shape(r, 0).kind, PERP_SHAPE_HALFSPACE);
    assert_true(perp_recording_shape(r, 0).normal.z == 1);
    assert_null(perp_recording_shape(r, 0).vertex);
    assert_int_equal(perp_recording_shape(r, 5).body, ball);
    assert_true(perp_recording_shape(r, 5).radius == 0.1);
    perp_recorded_joint j = perp_recording_joint(r, perp_recording_find_joint(r, "hinge"));
    assert_int_equal(j.kind, PERP_JOINT_REVOLUTE);
    assert_int_equal(j.a, -1);
    assert_int_equal(j.b, perp_recording_find_body(r, "arm"));
    assert_int_equal(j.ncoord, 1);
    perp_recording_close(r);
    remove(FILE_A);
}

/* The run is made again beside the reader, frame by frame. */
static void frames_are_what_the_world_was(void **state) {
    (void)state;
    const perp_record_choice choice = {PERP_RECORD_ALL, 4, 1};
    record_run(FILE_A, pile_text, &choice);
    perp_refusal why = {0};
    perp_recording *r = reading(FILE_A);
    perp_scene *s = scene_of(pile_text);
    perp_world *w = perp_scene_world(s);
    perp_body_id body[7];
    perp_world_bodies(w, body, 7);
    perp_certificate total = {0}, since = {0};
    uint64_t frame = 0, contacts = 0;
    double worst = 0;
    for (uint64_t step = 0; step <= 100; step++) {
        if (step) {
            perp_certificate c;
            assert_int_equal(perp_world_step(w, &c), PERP_OK);
            perp_certificate_add(&since, &c);
        }
        if (step % 4) continue;
        perp_pose X[7], X_now;
        perp_vec3 v[7], om[7], v_now, om_now;
        SUCCEEDS(perp_recording_poses(r, frame, X, &why));
        SUCCEEDS(perp_recording_twists(r, frame, v, om, &why));
        for (int i = 0; i < 7; i++) {
            perp_body_pose(w, body[i], &X_now);
            perp_body_velocity(w, body[i], &v_now, &om_now);
            assert_memory_equal(&X[i], &X_now, sizeof X_now);
            assert_memory_equal(&v[i], &v_now, sizeof v_now);
            assert_memory_equal(&om[i], &om_now, sizeof om_now);
        }
        perp_certificate c;
        SUCCEEDS(perp_recording_certificate(r, frame, &c, &why));
        if (step) {
            assert_true(c.accepted && c.overlap == since.overlap && c.residual == since.residual && c.h == since.h);
            assert_memory_equal(&c.law, &since.law, sizeof c.law);
            assert_memory_equal(&c.ledger, &since.ledger, sizeof c.ledger);
            assert_memory_equal(c.overlap_shape, since.overlap_shape, sizeof c.overlap_shape);
            assert_int_equal(c.jam_shape[0], -1); /* recordings lack it */
            assert_int_equal(c.iterations, since.iterations);
            assert_int_equal(c.substeps, since.substeps);
            assert_int_equal(c.sliding, since.sliding);
            assert_string_equal(c.solver, since.solver);
            perp_certificate_add(&total, &since);
        } else {
            assert_int_equal(c.contacts + c.substeps + c.iterations, 0);
        }
        since = (perp_certificate){0};
        const perp_recorded_contact *rc;
        const perp_contact *wc;
        int n, m = step ? perp_world_contacts(w, &wc) : 0;
        SUCCEEDS(perp_recording_contacts(r, frame, &rc, &n, &why));
        assert_int_equal(n, m);
        contacts += (uint64_t)n;
        for (int i = 0; i < n; i++) {
            assert_int_equal(rc[i].shape[0], wc[i].a.slot);
            assert_int_equal(rc[i].body[1], perp_recording_shape(r, rc[i].shape[1]).body);
            assert_int_equal(rc[i].feature, wc[i].feature);
            assert_memory_equal(&rc[i].b_W, &wc[i].b_W, sizeof wc[i].b_W);
            assert_memory_equal(&rc[i].t_W, &wc[i].t_W, sizeof wc[i].t_W);
            assert_memory_equal(rc[i].impulse_C, wc[i].impulse_C, sizeof wc[i].impulse_C);
            assert_true(rc[i].gap == wc[i].gap && rc[i].gap_end == wc[i].gap_end && rc[i].mu == wc[i].mu);
            assert_int_equal(rc[i].state, wc[i].state);
        }
        if (c.overlap > worst) worst = c.overlap;
        frame++;
    }
    perp_recording_worst all;
    SUCCEEDS(perp_recording_total(r, &all, &why));
    assert_memory_equal(&all.total.law, &total.law, sizeof total.law);
    assert_memory_equal(&all.total.ledger, &total.ledger, sizeof total.ledger);
    assert_int_equal(all.total.iterations, total.iterations);
    assert_true(all.total.overlap == worst && all.total.h == total.h);
    perp_certificate c;
    SUCCEEDS(perp_recording_certificate(r, all.overlap_frame, &c, &why));
    assert_true(c.overlap == worst);
    assert_true(all.law > 0 && all.law <= 1e-8);
    assert_int_equal(contacts, perp_recording_about(r)->ncontact);
    perp_recording_close(r);
    perp_scene_close(s);
    remove(FILE_A);
}

static void the_scene_is_inside(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_source_file file = {"test.yaml", pile_text, strlen(pile_text)};
    perp_definition define = {"mu", "0.1 + 0.1"};
    perp_scene_options o = {.file = &file, .nfile = 1, .define = &define, .ndefine = 1};
    perp_scene *s, *again;
    perp_recorder *rec;
    perp_recording *r;
    remove(FILE_A);
    SUCCEEDS(perp_scene_open("test.yaml", &o, &s, &why));
    SUCCEEDS(perp_recorder_create(FILE_A, s, NULL, &rec, &why));
    advance(s, rec, 50);
    r = reading(FILE_A); /* while it is being written: as at the last commit */
    assert_true(perp_recording_about(r)->frames >= 1 && !perp_recording_about(r)->finished);
    SUCCEEDS(perp_recording_scene(r, &again, &why));
    perp_recording_close(r);
    SUCCEEDS(perp_recorder_close(rec, false, &why));
    assert_true(perp_scene_parameter_at(again, 0).value == 0.1 + 0.1);
    for (int i = 0; i < 50; i++) assert_int_equal(perp_world_step(perp_scene_world(again), NULL), PERP_OK);
    assert_int_equal(perp_world_hash(perp_scene_world(again)), perp_world_hash(perp_scene_world(s)));
    perp_scene_close(s);
    perp_scene_close(again);
    r = reading(FILE_A);
    assert_int_equal(perp_recording_about(r)->frames, 51);
    assert_false(perp_recording_about(r)->finished);
    perp_recording_close(r);
    remove(FILE_A);
}

static void what_is_not_recorded_is_refused(void **state) {
    (void)state;
    perp_refusal why = {0};
    const perp_record_choice choice = {PERP_RECORD_POSES | PERP_RECORD_LEDGER, 1, 1};
    record_run(FILE_A, cart_text, &choice);
    perp_recording *r = reading(FILE_A);
    perp_vec3 v[3];
    perp_certificate c;
    perp_recording_worst worst;
    perp_pose X[3];
    const perp_recorded_contact *contact;
    int n;
    double x[101];
    REFUSED(perp_recording_twists(r, 0, v, NULL, &why), PERP_E_ARG,
            FILE_A ": frames/velocity: found nothing; allowed: what the recording holds: poses ledger");
    REFUSED(perp_recording_certificate(r, 0, &c, &why), PERP_E_ARG,
            FILE_A ": certificate/h: found nothing; allowed: what the recording holds: poses ledger");
    REFUSED(perp_recording_total(r, &worst, &why), PERP_E_ARG,
            FILE_A ": certificate/h: found nothing; allowed: what the recording holds: poses ledger");
    REFUSED(perp_recording_contacts(r, 0, &contact, &n, &why), PERP_E_ARG,
            FILE_A ": contacts/first: found nothing; allowed: what the recording holds: poses ledger");
    REFUSED(perp_recording_series(r, "block.vx", x, &why), PERP_E_NAME,
            FILE_A ": frames/velocity: found nothing; allowed: what the recording holds: poses ledger");
    REFUSED(perp_recording_poses(r, 101, X, &why), PERP_E_ARG, FILE_A ": frame: found 101; allowed: 0 to 100");
    SUCCEEDS(perp_recording_series(r, "energy.total", x, &why));
    perp_recording_close(r);
    remove(FILE_A);
}

static void wrong_use_is_refused(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_recorder *r = NULL;
    perp_scene *s = scene_of(cart_text);
    perp_world *w = perp_scene_world(s);
    perp_record_choice choice = {PERP_RECORD_ALL, 0, 1};
    remove(FILE_A);
    REFUSED(perp_recorder_create(FILE_A, s, &choice, &r, &why), PERP_E_ARG,
            FILE_A ": every: found 0; allowed: a whole number >= 1");
    choice = (perp_record_choice){PERP_RECORD_ALL, 1, 10};
    REFUSED(perp_recorder_create(FILE_A, s, &choice, &r, &why), PERP_E_ARG,
            FILE_A ": compression: found 10; allowed: 0 to 9");
    choice = (perp_record_choice){256, 1, 1};
    REFUSED(perp_recorder_create(FILE_A, s, &choice, &r, &why), PERP_E_ARG,
            FILE_A ": what: found 256; allowed: a sum of bits of perp_record");
    assert_null(fopen(FILE_A, "rb"));
    SUCCEEDS(perp_recorder_create(FILE_A, s, NULL, &r, &why));
    perp_recorder *second = NULL;
    REFUSED(perp_recorder_create(FILE_A, s, NULL, &second, &why), PERP_E_IO, FILE_A ": cannot be created: File exists");
    assert_null(second);
    perp_certificate c;
    perp_world_step(w, &c);
    SUCCEEDS(perp_recorder_step(r, &c, &why));
    REFUSED(perp_recorder_step(r, &c, &why), PERP_E_ARG,
            FILE_A ": found step 1 after 1; allowed: every step, in order");
    perp_world_step(w, &c);
    REFUSED(perp_recorder_commit(r, &why), PERP_E_ARG,
            FILE_A ": the world has made steps that the recording does not know of");
    SUCCEEDS(perp_recorder_step(r, &c, &why));
    perp_world_step(w, &c);
    perp_world_step(w, &c);
    REFUSED(perp_recorder_step(r, &c, &why), PERP_E_ARG,
            FILE_A ": found step 4 after 2; allowed: every step, in order");
    assert_int_equal(perp_recorder_close(r, true, &why), PERP_E_ARG);
    assert_int_equal(perp_recorder_close(NULL, true, &why), PERP_OK);
    perp_scene_close(s);
    perp_recording_close(NULL);
    remove(FILE_A);
}

/* Adding or removing a body ends the recording. Committed frames stay. */
static void a_changed_world_is_refused(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_recorder *r = NULL;
    perp_scene *s = scene_of(pile_text);
    perp_world *w = perp_scene_world(s);
    remove(FILE_A);
    SUCCEEDS(perp_recorder_create(FILE_A, s, NULL, &r, &why));
    advance(s, r, 10);
    SUCCEEDS(perp_recorder_commit(r, &why));
    assert_int_equal(perp_body_remove(w, perp_body_find(w, "ball")), PERP_OK);
    perp_certificate c;
    assert_int_equal(perp_world_step(w, &c), PERP_OK);
    const char *words = FILE_A ": the world has other bodies, shapes, joints or sensors than when the recording began";
    REFUSED(perp_recorder_step(r, &c, &why), PERP_E_ARG, words);
    REFUSED(perp_recorder_commit(r, &why), PERP_E_ARG, words);
    REFUSED(perp_recorder_close(r, true, &why), PERP_E_ARG, words);
    perp_scene_close(s);
    perp_recording *in = reading(FILE_A);
    assert_int_equal(perp_recording_about(in)->frames, 11);
    perp_recording_close(in);
    remove(FILE_A);
}

/* 25 boxes; enough frames for the bar that is set for recordings: at most 1.3 times the raw size, packed or not. */
static void is_small(void **state) {
    (void)state;
    static const char text[] =
        "perp: 1\ndim: 3\nh: 0.002\nduration: 0.4\nlaw: {mu: 0.4}\nbodies:\n"
        "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
        "  - {name: 'ball-${i}-${j}', at: [0.25*i, 0.25*j, 0.1], velocity: [0.1*i, 0.2*j, 0], spin: [j, i, 1],\n"
        "     mass: 8, shape: {type: sphere, radius: 0.1}, repeat: {i: 5, j: 5}}\n";
    for (int compression = 0; compression <= 1; compression++) {
        const perp_record_choice choice = {PERP_RECORD_ALL, 1, compression};
        record_run(FILE_A, text, &choice);
        perp_recording *r = reading(FILE_A);
        const perp_recording_info *a = perp_recording_about(r);
        assert_int_equal(a->nbody, 26);
        assert_true(a->raw_size > 200 * (26 * 13 * 8 + 25 * 165));
        double ratio = (double)a->file_size / (double)a->raw_size;
        if (!(ratio <= (compression ? 0.8 : 1.3))) fail_msg("compression %d: %.3f of the raw size", compression, ratio);
        perp_recording_close(r);
    }
    remove(FILE_A);
}

/* Once warm, a step that neither fills a chunk nor commits leaves the heap alone. */
static void steps_leave_the_heap_alone(void **state) {
    (void)state;
#if COUNTS_MALLOC
    perp_refusal why = {0};
    perp_recorder *r = NULL;
    perp_scene *s = scene_of(pile_text);
    remove(FILE_A);
    SUCCEEDS(perp_recorder_create(FILE_A, s, NULL, &r, &why));
    int quiet = 0;
    for (int i = 0; i < 100; i++) {
        perp_certificate c;
        assert_int_equal(perp_world_step(perp_scene_world(s), &c), PERP_OK);
        long before = malloc_count;
        SUCCEEDS(perp_recorder_step(r, &c, &why));
        quiet += malloc_count == before;
    }
    if (quiet < 95) fail_msg("only %d of 100 steps left the heap alone", quiet);
    SUCCEEDS(perp_recorder_close(r, true, &why));
    perp_scene_close(s);
    remove(FILE_A);
#endif
}

static char *whole_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s cannot be read", path);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*size + 1);
    assert_int_equal(fread(data, 1, *size, f), *size);
    data[*size] = 0;
    fclose(f);
    return data;
}

static void reads_from_memory(void **state) {
    (void)state;
    perp_refusal why = {0};
    record_run(FILE_A, cart_text, NULL);
    size_t size;
    char *data = whole_file(FILE_A, &size);
    remove(FILE_A);
    perp_recording *r;
    SUCCEEDS(perp_recording_open_memory("image", data, size, &r, &why));
    assert_string_equal(perp_recording_about(r)->title, "cart");
    assert_int_equal(perp_recording_about(r)->frames, 21);
    assert_int_equal(perp_recording_about(r)->file_size, size);
    double x[21];
    SUCCEEDS(perp_recording_series(r, "block.x", x, &why));
    assert_true(x[0] == 0 && x[20] > 0.05);
    perp_recording_close(r);
    free(data);
    REFUSED(perp_recording_open_memory("image", "", 0, &r, &why), PERP_E_ARG, why.text);
}

/* A world of nothing but a clock, and one whose bodies have no shapes. */
static void empty_worlds(void **state) {
    (void)state;
    perp_refusal why = {0};
    record_run(FILE_A, "perp: 1\ndim: 2\nh: 0.1\nduration: 0.5\n", NULL);
    perp_recording *r = reading(FILE_A);
    assert_int_equal(perp_recording_about(r)->frames, 6);
    assert_int_equal(perp_recording_about(r)->nbody, 0);
    perp_pose X;
    const perp_recorded_contact *c;
    int n;
    double x[6];
    SUCCEEDS(perp_recording_poses(r, 5, &X, &why));
    SUCCEEDS(perp_recording_contacts(r, 5, &c, &n, &why));
    assert_int_equal(n, 0);
    SUCCEEDS(perp_recording_series(r, "contacts.count", x, &why));
    for (int i = 0; perp_recording_series_name(r, i); i++)
        SUCCEEDS(perp_recording_series(r, perp_recording_series_name(r, i), x, &why));
    perp_recording_close(r);
    remove(FILE_A);
}

/* docs/recording.md shows the table of the layout as the code has it. */
static void the_page_shows_the_layout(void **state) {
    (void)state;
    size_t size, length = pp_layout_table(NULL, 0);
    char *page = whole_file(PERP_TEST_DIR "/../docs/recording.md", &size), *table = malloc(length + 1);
    assert_int_equal(pp_layout_table(table, length + 1), length);
    const char *begin = "<!-- layout: begin (made by the library) -->\n", *end = "<!-- layout: end -->";
    char *from = strstr(page, begin), *to = strstr(page, end);
    assert_non_null(from);
    assert_non_null(to);
    from += strlen(begin);
    *to = 0;
    if (strcmp(from, table) != 0) fail_msg("docs/recording.md does not show this table:\n%s", table);
    free(page);
    free(table);
}

/* What is only for the eye: colours, visual shapes, labels, belts, springs. */
static void keeps_looks(void **state) {
    (void)state;
    static const char text[] =
        "perp: 1\ndim: 2\nh: 0.01\nduration: 0.1\n"
        "bodies:\n"
        "  - {name: belt, kind: obstacle, shapes: [{type: box, size: [2, 1], surface_velocity: [\"1 + t\", 0]},\n"
        "     {type: ellipsoid, axes: [1, 2], visual: true, colour: \"#0102fe\"}]}\n"
        "  - {name: ball, label: \"ball ${2 + 1}\", at: [0, 3], density: 1, shape: {type: sphere, radius: 1, colour: "
        "red}}\n"
        "forces:\n"
        "  - {type: constant, body: ball, force: [1, 0]}\n"
        "  - {type: spring, b: ball, at_a: [0, 5], at_b: [0, 0.5], stiffness: 1, rest_length: 2}\n"
        "  - {type: spring, a: belt, b: ball, stiffness: 1}\n";
    record_run(FILE_A, text, NULL);
    perp_recording *r = reading(FILE_A);
    assert_string_equal(perp_recording_body(r, 0).label, "");
    assert_string_equal(perp_recording_body(r, 1).label, "ball 3");
    perp_recorded_shape belt = perp_recording_shape(r, 0), seen = perp_recording_shape(r, 1);
    assert_true(!belt.visual && belt.colour == 0 && belt.surface_velocity.x == 1);
    assert_true(seen.visual && seen.colour == PERP_COLOUR(1, 2, 254) && seen.surface_velocity.x == 0);
    assert_true(perp_recording_shape(r, 2).colour == PERP_COLOUR(255, 0, 0));
    assert_int_equal(perp_recording_about(r)->nspring, 2);
    perp_recorded_spring first = perp_recording_spring(r, 0), second = perp_recording_spring(r, 1);
    assert_true(first.a == -1 && first.b == 1 && first.point_A.y == 5 && first.point_B.y == 0.5);
    assert_true(first.rest_length == 2 && second.a == 0 && second.b == 1 && second.rest_length == 0);
    perp_recording_close(r);
    remove(FILE_A);
}

/* A capsule in a recording is the capsule of the world. */
static void keeps_capsules(void **state) {
    (void)state;
    static const char text[] = "perp: 1\ndim: 3\nh: 0.01\nduration: 0.1\nlaw: {mu: 0.3}\n"
                               "bodies:\n"
                               "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
                               "  - {name: pill, at: [0, 0, 0.3], density: 1, shape: {type: capsule, radius: 0.25, "
                               "length: 1, at: [0.5, 0, 0]}}\n"
                               "  - {name: box, at: [3, 0, 1], density: 1, shape: {type: box, size: [1, 2, 3]}}\n";
    record_run(FILE_A, text, NULL);
    perp_recording *r = reading(FILE_A);
    assert_int_equal(perp_recording_about(r)->nshape, 3);
    perp_recorded_shape s = perp_recording_shape(r, 1);
    assert_int_equal(s.kind, PERP_SHAPE_CAPSULE);
    assert_true(s.radius == 0.25 && s.half_length == 0.5 && s.half_size.x == 0 && s.nvertex == 0 && s.nface == 0);
    assert_true(perp_recording_shape(r, 2).half_length == 0 && perp_recording_shape(r, 2).half_size.x == 0.5);
    perp_recording_close(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_it_is_of),
        cmocka_unit_test(keeps_looks),
        cmocka_unit_test(keeps_capsules),
        cmocka_unit_test(frames_are_what_the_world_was),
        cmocka_unit_test(the_scene_is_inside),
        cmocka_unit_test(what_is_not_recorded_is_refused),
        cmocka_unit_test(wrong_use_is_refused),
        cmocka_unit_test(a_changed_world_is_refused),
        cmocka_unit_test(is_small),
        cmocka_unit_test(steps_leave_the_heap_alone),
        cmocka_unit_test(reads_from_memory),
        cmocka_unit_test(empty_worlds),
        cmocka_unit_test(the_page_shows_the_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
