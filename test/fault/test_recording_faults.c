/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Recordings that are not what they should be: each is refused with one exact sentence, none is misread, and nothing is
 * written over.
 *
 * Variants are made by HDF5 itself on a copy, which then gets a valid seal: what the reader sees is well-formed HDF5
 * with wrong contents, as a foreign program or an attacker would make it. */
#include "unit/recording_help.h"
#include "fault/allocator.h"

#define FILE_A "faults-a.h5"
#define FILE_V "faults-v.h5"
#define NAME   "x.h5"

static unsigned char *original; /* a sealed recording of the cart */
static size_t original_size;

static int begin(void **state) {
    (void)state;
    record_run(FILE_A, cart_text, NULL);
    FILE *f = fopen(FILE_A, "rb");
    fseek(f, 0, SEEK_END);
    original_size = (size_t)ftell(f);
    rewind(f);
    original = malloc(original_size);
    size_t n = fread(original, 1, original_size, f);
    fclose(f);
    return n == original_size ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    free(original);
    remove(FILE_A);
    return 0;
}

/* ---- making variants ---- */

typedef void (*change)(hid_t file);

/* The recording with a change, sealed; to be freed. HDF5 drops the old seal, which lies behind what it knows of. */
static unsigned char *variant(change make, size_t *size) {
    FILE *f = fopen(FILE_V, "wb");
    assert_int_equal(fwrite(original, 1, original_size, f), original_size);
    fclose(f);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    hid_t file = H5Fopen(FILE_V, H5F_ACC_RDWR, access);
    assert_true(file >= 0);
    make(file);
    assert_true(H5Fclose(file) >= 0);
    H5Pclose(access);
    f = fopen(FILE_V, "rb");
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    rewind(f);
    unsigned char *image = malloc(n + pp_sealed_room(n));
    assert_int_equal(fread(image, 1, n, f), n);
    fclose(f);
    remove(FILE_V);
    *size = pp_seal_image(image, n);
    return image;
}

static void refused(change make, const char *message) {
    perp_refusal why = {0};
    perp_recording *r = NULL;
    size_t size;
    unsigned char *image = variant(make, &size);
    REFUSED(perp_recording_open_memory(NAME, image, size, &r, &why), PERP_E_ARG, message);
    assert_null(r);
    free(image);
}

static void set_whole(hid_t file, const char *name, uint64_t x) {
    hid_t a = H5Aopen(file, name, H5P_DEFAULT);
    assert_true(a >= 0 && H5Awrite(a, H5T_NATIVE_UINT64, &x) >= 0);
    H5Aclose(a);
}

static void set_number(hid_t file, const char *name, double x) {
    hid_t a = H5Aopen(file, name, H5P_DEFAULT);
    assert_true(a >= 0 && H5Awrite(a, H5T_NATIVE_DOUBLE, &x) >= 0);
    H5Aclose(a);
}

static void set_text(hid_t file, const char *name, const char *s) {
    H5Adelete(file, name);
    assert_true(pp_put_text(file, name, s));
}

/* Puts one number into a dataset, counted over all of its numbers. */
static void set_at(hid_t file, const char *path, size_t i, double x) {
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
    size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    double *all = malloc(n * sizeof *all);
    assert_true(i < n && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    all[i] = x;
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    free(all);
    H5Sclose(space);
    H5Dclose(set);
}

/* Another dataset in place of the one that is there. */
static void replace(hid_t file, const char *path, hid_t type, int rank, const hsize_t *dims, hid_t layout) {
    assert_true(H5Ldelete(file, path, H5P_DEFAULT) >= 0);
    hid_t space = H5Screate_simple(rank, dims, NULL);
    hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    assert_true(set >= 0);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    if (layout == H5P_DEFAULT && n < 100000 && H5Tis_variable_str(type) <= 0) {
        void *zero = calloc((size_t)n + 1, 64);
        assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zero) >= 0);
        free(zero);
    }
    H5Sclose(space);
    H5Dclose(set);
}

/* ---- what is changed, and what is said ---- */

static void newer(hid_t f) { set_whole(f, "version", PERP_RECORDING_VERSION + 1); }
static void version_zero(hid_t f) { set_whole(f, "version", 0); }
static void foreign(hid_t f) { set_text(f, "format", "other\ndata"); }
static void no_format(hid_t f) { H5Adelete(f, "format"); }
static void no_dim(hid_t f) { H5Adelete(f, "dim"); }
static void dim_four(hid_t f) { set_whole(f, "dim", 4); }
static void dim_text(hid_t f) { set_text(f, "dim", "2"); }
static void h_zero(hid_t f) { set_number(f, "h", 0); }
static void h_nan(hid_t f) { set_number(f, "h", NAN); }
static void every_zero(hid_t f) { set_whole(f, "every", 0); }
static void more_frames(hid_t f) { set_whole(f, "frames", 22); }
static void no_frames(hid_t f) { set_whole(f, "frames", 0); }
static void what_more(hid_t f) { set_whole(f, "what", 128); }
static void more_files(hid_t f) { set_whole(f, "files", 2); }

static void no_positions(hid_t f) { H5Ldelete(f, "frames/position", H5P_DEFAULT); }
static void no_limits(hid_t f) { H5Ldelete(f, "certificate/rebounds_limited", H5P_DEFAULT); }
static void no_bodies(hid_t f) { H5Ldelete(f, "bodies", H5P_DEFAULT); }
static void floats_32(hid_t f) { replace(f, "frames/position", H5T_IEEE_F32LE, 3, (hsize_t[]){21, 3, 3}, H5P_DEFAULT); }
static void big_endian(hid_t f) { replace(f, "bodies/mass", H5T_IEEE_F64BE, 1, (hsize_t[]){3}, H5P_DEFAULT); }
static void wrong_shape(hid_t f) {
    replace(f, "frames/position", H5T_IEEE_F64LE, 3, (hsize_t[]){21, 3, 2}, H5P_DEFAULT);
}
static void wrong_rank(hid_t f) { replace(f, "frames/time", H5T_IEEE_F64LE, 2, (hsize_t[]){21, 1}, H5P_DEFAULT); }
static void fewer_rows(hid_t f) { replace(f, "ledger/gravity", H5T_IEEE_F64LE, 1, (hsize_t[]){20}, H5P_DEFAULT); }
static void other_bodies(hid_t f) { replace(f, "bodies/kind", H5T_STD_U8LE, 1, (hsize_t[]){4}, H5P_DEFAULT); }
static void strings(hid_t f) {
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, H5T_VARIABLE);
    replace(f, "bodies/name", t, 1, (hsize_t[]){3}, H5P_DEFAULT);
    H5Tclose(t);
}
static void a_group(hid_t f) {
    H5Ldelete(f, "frames/time", H5P_DEFAULT);
    H5Gclose(H5Gcreate2(f, "frames/time", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}
static void soft_link(hid_t f) {
    H5Ldelete(f, "frames/velocity", H5P_DEFAULT);
    H5Lcreate_soft("/frames/position", f, "frames/velocity", H5P_DEFAULT, H5P_DEFAULT);
}
static void external_link(hid_t f) {
    H5Ldelete(f, "frames/velocity", H5P_DEFAULT);
    H5Lcreate_external(FILE_A, "/frames/position", f, "frames/velocity", H5P_DEFAULT, H5P_DEFAULT);
}
static void external_file(hid_t f) {
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(p, "elsewhere.bin", 0, 24);
    replace(f, "bodies/mass", H5T_IEEE_F64LE, 1, (hsize_t[]){3}, p);
    H5Pclose(p);
}
/* Nothing is stored, and the shape says a terabyte. */
static void huge(hid_t f) {
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(p, 2, (hsize_t[]){1024, 3});
    replace(f, "shapes/vertex", H5T_IEEE_F64LE, 2, (hsize_t[]){1ull << 36, 3}, p);
    H5Pclose(p);
}
static void huge_chunks(hid_t f) {
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(p, 2, (hsize_t[]){1 << 20, 3});
    H5Pset_alloc_time(p, H5D_ALLOC_TIME_INCR);
    H5Ldelete(f, "shapes/vertex", H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, (hsize_t[]){4, 3}, (hsize_t[]){1 << 21, 3});
    hid_t set = H5Dcreate2(f, "shapes/vertex", H5T_IEEE_F64LE, space, H5P_DEFAULT, p, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(p);
}
static void other_filter(hid_t f) {
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(p, 1, (hsize_t[]){3});
    H5Pset_fletcher32(p);
    replace(f, "bodies/mass", H5T_IEEE_F64LE, 1, (hsize_t[]){3}, p);
    H5Pclose(p);
}

static void shape_body(hid_t f) { set_at(f, "shapes/body", 1, 3); }
static void shape_body_minus(hid_t f) { set_at(f, "shapes/body", 0, -1); }
static void shape_kind(hid_t f) { set_at(f, "shapes/kind", 0, 11); }
static void shape_material(hid_t f) { set_at(f, "shapes/material", 1, 1); }
static void shape_vertex(hid_t f) { set_at(f, "shapes/first_vertex", 1, 5); }
static void shape_vertex_end(hid_t f) { set_at(f, "shapes/first_vertex", 2, 3); }
static void shape_pose(hid_t f) { set_at(f, "shapes/pose", 3, 2); }
static void mass_nan(hid_t f) { set_at(f, "bodies/mass", 2, NAN); }
static void body_kind(hid_t f) { set_at(f, "bodies/kind", 2, 3); }
static void joint_b(hid_t f) { set_at(f, "joints/b", 0, -1); }
static void joint_kind(hid_t f) { set_at(f, "joints/kind", 0, 4); }
static void joint_coords(hid_t f) { set_at(f, "joints/coordinates", 0, 2); }
static void joint_first(hid_t f) { set_at(f, "joints/first_coordinate", 0, 1); }
static void steps_apart(hid_t f) { set_at(f, "frames/step", 7, 36); }
static void time_back(hid_t f) { set_at(f, "frames/time", 5, 0.01); }
static void time_nan(hid_t f) { set_at(f, "frames/time", 0, NAN); }
static void contacts_first(hid_t f) { set_at(f, "contacts/first", 3, 0); }
static void contacts_count(hid_t f) { set_at(f, "contacts/count", 20, 1000); }
static void contacts_left(hid_t f) { set_at(f, "contacts/count", 20, 0); }

static void wrong_contents(void **state) {
    (void)state;
    static const struct {
        change make;
        const char *message;
    } list[] = {
        {newer, NAME ": version: found 7; allowed: 6 or older (a newer perp is needed)"},
        {version_zero, NAME ": version: found 0; allowed: 6 or older (a newer perp is needed)"},
        {foreign, NAME ": format: found \"other\\x0adata\"; allowed: \"perp recording\""},
        {no_format, NAME ": format: found nothing; allowed: \"perp recording\""},
        {no_dim, NAME ": dim: found nothing; allowed: 2 or 3"},
        {dim_four, NAME ": dim: found 4; allowed: 2 or 3"},
        {dim_text, NAME ": dim: found nothing; allowed: 2 or 3"},
        {h_zero, NAME ": h: found 0; allowed: a number > 0"},
        {h_nan, NAME ": h: found nan; allowed: a number > 0"},
        {every_zero, NAME ": every: found 0; allowed: a whole number >= 1"},
        {more_frames, NAME ": frames/step: found 21; allowed: 22"},
        {no_frames, NAME ": frames: found 0; allowed: 1 or more"},
        {what_more, NAME ": what: found 128; allowed: 0 to 127"},
        {more_files, NAME ": scene/file_1: found nothing; allowed: bytes"},
        {no_positions, NAME ": frames/position: found nothing; allowed: 64-bit floats, 21 x 3 x 3"},
        {no_bodies, NAME ": bodies/name: found nothing; allowed: text, B"},
        {floats_32, NAME ": frames/position: found 32-bit floats; allowed: 64-bit floats"},
        {big_endian, NAME ": bodies/mass: found 64-bit floats, big-endian; allowed: 64-bit floats"},
        {wrong_shape, NAME ": frames/position: found 21 x 3 x 2; allowed: 21 x 3 x 3"},
        {wrong_rank, NAME ": frames/time: found 21 x 1; allowed: 21"},
        {fewer_rows, NAME ": ledger/gravity: found 20; allowed: 21"},
        {other_bodies, NAME ": bodies/kind: found 4; allowed: 3"},
        {strings, NAME ": bodies/name: found text of varying length; allowed: text"},
        {a_group, NAME ": frames/time: found nothing; allowed: 64-bit floats, 21"},
        {soft_link, NAME ": frames/velocity: found nothing; allowed: 64-bit floats, 21 x 3 x 3"},
        {external_link, NAME ": frames/velocity: found nothing; allowed: 64-bit floats, 21 x 3 x 3"},
        {external_file, NAME ": bodies/mass: found numbers outside the file; allowed: what perp writes"},
        {huge,
         NAME ": shapes/vertex: found 1649267441664 bytes of numbers in 0 bytes of file; allowed: what perp writes"},
        {huge_chunks, NAME ": shapes/vertex: found chunks of 25165824 bytes; allowed: what perp writes"},
        {other_filter, NAME ": bodies/mass: found the filter 3; allowed: what perp writes"},
        {shape_body, NAME ": shapes/body[1]: found 3; allowed: 0 to 2"},
        {shape_body_minus, NAME ": shapes/body[0]: found -1; allowed: 0 to 2"},
        {shape_kind, NAME ": shapes/kind[0]: found 11; allowed: 0 to 10"},
        {shape_material, NAME ": shapes/material[1]: found 1; allowed: 0 to 0"},
        {shape_vertex, NAME ": shapes/first_vertex[1]: found 5; allowed: 0 to 4"},
        {shape_vertex_end, NAME ": shapes/first_vertex[2]: found 3; allowed: 4"},
        {shape_pose, NAME ": shapes/pose[0]: found 2; allowed: a quaternion of length 1"},
        {mass_nan, NAME ": bodies/mass[2]: found nan; allowed: a finite number"},
        {body_kind, NAME ": bodies/kind[2]: found 3; allowed: 0 to 2"},
        {joint_b, NAME ": joints/b[0]: found -1; allowed: 0 to 2"},
        {joint_kind, NAME ": joints/kind[0]: found 4; allowed: a kind of this dimension"},
        {joint_coords, NAME ": joints/coordinates[0]: found 2; allowed: as many as the kind of joint has"},
        {joint_first, NAME ": joints/first_coordinate[0]: found 1; allowed: the sum of the coordinates before it"},
        {steps_apart, NAME ": frames/step[7]: found 36; allowed: steps as far apart as `every` says"},
        {time_back, NAME ": frames/time[5]: found 0.01; allowed: a time after that of the frame before"},
        {time_nan, NAME ": frames/time[0]: found nan; allowed: a time after that of the frame before"},
        {contacts_first, NAME ": contacts/first[3]: found 0; allowed: the sum of the counts before it"},
        {contacts_count, NAME ": contacts/count[20]: found 1000; allowed: as many as there are rows"},
        {contacts_left, NAME ": contacts/count[20]: found 0; allowed: counts that add up to the rows of contacts"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) refused(list[i].make, list[i].message);
}

/* ---- what is wrong within a frame shows when the frame is read ---- */

static void position_inf(hid_t f) { set_at(f, "frames/position", 9 * 4 + 3, INFINITY); }
static void orientation_long(hid_t f) { set_at(f, "frames/orientation", 12 * 2, 7); }
static void spin_nan(hid_t f) { set_at(f, "frames/spin", 9 * 3, NAN); }
static void contact_shape(hid_t f) { set_at(f, "contacts/shape", 0, 2); }
static void contact_body(hid_t f) { set_at(f, "contacts/body", 1, 0); }
static void contact_state(hid_t f) { set_at(f, "contacts/state", 0, 3); }
static void contact_gap(hid_t f) { set_at(f, "contacts/gap", 1, NAN); }
static void overlap_shape(hid_t f) { set_at(f, "certificate/overlap_shape", 2 * 4 + 1, 2); }
static void overlap_nan(hid_t f) { set_at(f, "certificate/overlap", 6, NAN); }
static void solver_number(hid_t f) { set_at(f, "solver/solver", 5, 9); }

typedef perp_status (*reader)(perp_recording *r, perp_refusal *why);
static perp_status poses_4(perp_recording *r, perp_refusal *why) {
    perp_pose X[3];
    return perp_recording_poses(r, 4, X, why);
}
static perp_status poses_2(perp_recording *r, perp_refusal *why) {
    perp_pose X[3];
    return perp_recording_poses(r, 2, X, why);
}
static perp_status twists_3(perp_recording *r, perp_refusal *why) {
    perp_vec3 v[3], w[3];
    return perp_recording_twists(r, 3, v, w, why);
}
static perp_status contacts_1(perp_recording *r, perp_refusal *why) {
    const perp_recorded_contact *c;
    int n;
    return perp_recording_contacts(r, 1, &c, &n, why);
}
static perp_status total(perp_recording *r, perp_refusal *why) {
    perp_recording_worst w;
    return perp_recording_total(r, &w, why);
}
static perp_status overlap(perp_recording *r, perp_refusal *why) {
    double x[21];
    return perp_recording_series(r, "certificate.overlap", x, why);
}
static perp_status momentum(perp_recording *r, perp_refusal *why) {
    double x[21];
    return perp_recording_series(r, "angular.z", x, why);
}
static perp_status pressing(perp_recording *r, perp_refusal *why) {
    double x[21];
    return perp_recording_series(r, "contact(floor,block).normal", x, why);
}

static void wrong_frames(void **state) {
    (void)state;
    static const struct {
        change make;
        reader read;
        const char *message;
    } list[] = {
        {position_inf, poses_4, NAME ": frames/position[4]: found inf; allowed: finite numbers"},
        {orientation_long, poses_2, NAME ": frames/orientation[2]: found 7; allowed: quaternions of length 1"},
        {spin_nan, twists_3, NAME ": frames/spin[3]: found nan; allowed: finite numbers"},
        {spin_nan, momentum, NAME ": frames/spin[3]: found nan; allowed: finite numbers"},
        {contact_shape, contacts_1, NAME ": contacts/shape[0]: found 2; allowed: a shape"},
        {contact_body, contacts_1, NAME ": contacts/body[0]: found 0; allowed: the body of the shape"},
        {contact_state, contacts_1, NAME ": contacts/state[0]: found 3; allowed: 0, 1 or 2"},
        {contact_gap, contacts_1, NAME ": contacts/gap[1]: found nan; allowed: finite numbers"},
        {contact_gap, pressing, NAME ": contacts/gap[1]: found nan; allowed: finite numbers"},
        {overlap_shape, total, NAME ": certificate/overlap_shape[4]: found 2; allowed: a shape, or -1"},
        {overlap_nan, total, NAME ": certificate/overlap[6]: found nan; allowed: finite numbers"},
        {overlap_nan, overlap, NAME ": certificate/overlap[6]: found nan; allowed: finite numbers"},
        {solver_number, total, NAME ": solver/solver[5]: found 9; allowed: one of the names, or 255"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        perp_refusal why = {0};
        perp_recording *r = NULL;
        size_t size;
        unsigned char *image = variant(list[i].make, &size);
        SUCCEEDS(perp_recording_open_memory(NAME, image, size, &r, &why));
        REFUSED(list[i].read(r, &why), PERP_E_ARG, list[i].message);
        perp_recording_close(r);
        free(image);
    }
}

/* ---- damage ---- */

/* Every length and every damaged byte is noticed: by the seal, before HDF5 sees it. */
static void damaged(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_recording *r;
    unsigned char *copy = malloc(original_size);
    for (size_t n = 0; n < original_size; n += n < 4096 ? 1 + n / 3 : 1531) {
        memcpy(copy, original, n);
        assert_int_not_equal(perp_recording_open_memory(NAME, copy, n, &r, &why), PERP_OK);
        assert_null(r);
        assert_int_equal(strncmp(why.text, NAME ": ", 6), 0);
    }
    for (size_t i = 0; i < original_size; i += 1499) {
        memcpy(copy, original, original_size);
        copy[i] ^= 0x20;
        perp_status st = perp_recording_open_memory(NAME, copy, original_size, &r, &why);
        double x[21], y[21];
        if (!st) { /* the damage lies in what opening does not read */
            perp_recording *good;
            SUCCEEDS(perp_recording_open_memory(NAME, original, original_size, &good, &why));
            for (int k = 0; perp_recording_series_name(good, k); k++) {
                const char *name = perp_recording_series_name(good, k);
                SUCCEEDS(perp_recording_series(good, name, x, &why));
                if (perp_recording_series(r, name, y, &why) == PERP_OK) assert_memory_equal(x, y, sizeof x);
            }
            perp_recording_close(good);
        }
        perp_recording_close(r);
    }
    free(copy);
}

static void not_there_and_not_a_recording(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_recording *r;
    assert_int_equal(perp_recording_open("no-such-folder/a.h5", &r, &why), PERP_E_IO);
    assert_non_null(strstr(why.text, "no-such-folder/a.h5: "));
    FILE *f = fopen("faults-text.h5", "wb");
    fputs("this is no recording\n", f);
    fclose(f);
    assert_int_equal(perp_recording_open("faults-text.h5", &r, &why), PERP_E_ARG);
    assert_int_equal(perp_recording_open("faults-text.h5", &r, NULL), PERP_E_ARG);
    hid_t plain =
        H5Fcreate("faults-text.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT); /* HDF5, but of another program */
    H5Fclose(plain);
    assert_int_equal(perp_recording_open("faults-text.h5", &r, &why), PERP_E_ARG);
    assert_null(r);
    perp_scene *s = scene_of(cart_text);
    perp_recorder *w;
    assert_int_equal(perp_recorder_resume("faults-text.h5", s, &w, &why), PERP_E_ARG);
    assert_int_equal(perp_recorder_resume("faults-none.h5", s, &w, &why), PERP_E_IO);
    assert_int_equal(perp_recorder_create("no-such-folder/a.h5", s, NULL, &w, &why), PERP_E_IO);
    assert_null(w);
    perp_scene_close(s);
    remove("faults-text.h5");
}

/* A recording of a newer version is not continued either, and stays as it is. */
static void resume_refuses_too(void **state) {
    (void)state;
    static const struct {
        change make;
        const char *message;
    } list[] = {{newer, "faults-b.h5: version: found 7; allowed: 6 or older (a newer perp is needed)"},
                {contacts_left,
                 "faults-b.h5: contacts/count[20]: found 0; allowed: counts that add up to the rows of contacts"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        perp_refusal why = {0};
        perp_recorder *w;
        size_t size;
        unsigned char *image = variant(list[i].make, &size), *after = malloc(size);
        FILE *f = fopen("faults-b.h5", "wb");
        fwrite(image, 1, size, f);
        fclose(f);
        perp_scene *s = scene_of(cart_text);
        REFUSED(perp_recorder_resume("faults-b.h5", s, &w, &why), PERP_E_ARG, list[i].message);
        perp_scene_close(s);
        f = fopen("faults-b.h5", "rb");
        assert_int_equal(fread(after, 1, size, f), size);
        assert_int_equal(fgetc(f), EOF);
        fclose(f);
        assert_memory_equal(image, after, size);
        free(image);
        free(after);
        remove("faults-b.h5");
    }
}

static void state_damaged(hid_t f) { set_at(f, "checkpoint/state", 40, 99); }
static void state_step(hid_t f) {
    hid_t set = H5Dopen2(f, "checkpoint/state", H5P_DEFAULT);
    set_whole(set, "step", 103);
    H5Dclose(set);
}
static void sums_solver(hid_t f) { set_at(f, "checkpoint/sums", 1, 7); }

static void a_wrong_checkpoint(void **state) {
    (void)state;
    static const struct {
        change make;
        const char *message;
    } list[] = {{state_damaged,
                 "faults-b.h5: checkpoint/state: found a state that does not fit the scene; allowed: what perp writes"},
                {state_step, "faults-b.h5: checkpoint/state: found a state of another step; allowed: what perp writes"},
                {sums_solver, "faults-b.h5: checkpoint/sums: found numbers that cannot be; allowed: what perp writes"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        perp_refusal why = {0};
        perp_recorder *w;
        size_t size;
        unsigned char *image = variant(list[i].make, &size);
        FILE *f = fopen("faults-b.h5", "wb");
        fwrite(image, 1, size, f);
        fclose(f);
        free(image);
        perp_scene *s = scene_of(cart_text);
        REFUSED(perp_recorder_resume("faults-b.h5", s, &w, &why), PERP_E_ARG, list[i].message);
        perp_scene_close(s);
        remove("faults-b.h5");
    }
}

/* Memory is refused at every call in turn: an error, no leak, and no file left behind by a recording that did not
 * begin. */
static void memory_refused(void **state) {
    (void)state;
    perp_refusal why = {0};
    long refuse = 0;
    bool done = false;
    while (!done) {
        counter c = {.refuse = -1};
        perp_source_file file = {"test.yaml", cart_text, strlen(cart_text)};
        perp_scene_options o = {.file = &file, .nfile = 1, .alloc = counting(&c)};
        perp_scene *s;
        SUCCEEDS(perp_scene_open("test.yaml", &o, &s, &why));
        perp_world *w = perp_scene_world(s);
        for (int i = 0; i < 5; i++)
            assert_int_equal(perp_world_step(w, NULL), PERP_OK); /* the world has what it needs */
        c.refuse = c.calls + refuse++;
        perp_recorder *r = NULL;
        remove("faults-b.h5");
        perp_status st = perp_recorder_create("faults-b.h5", s, NULL, &r, &why);
        if (st) {
            assert_int_equal(st, PERP_E_MEMORY);
            assert_string_equal(why.text, "faults-b.h5: out of memory");
            assert_null(r);
            assert_null(fopen("faults-b.h5", "rb"));
        } else {
            perp_certificate cert;
            for (int i = 0; i < 40 && !st; i++) {
                st = perp_world_step(w, &cert);
                if (!st) st = perp_recorder_step(r, &cert, &why);
            }
            assert_true(st == PERP_OK || st == PERP_E_MEMORY);
            perp_status end_st = perp_recorder_close(r, true, &why);
            if (!st) assert_int_equal(end_st, PERP_OK);
            perp_recording_close(reading("faults-b.h5"));
            done = c.refused == 0;
        }
        perp_scene_close(s);
        assert_int_equal(c.live, 0);
    }
    assert_true(refuse > 20);
    remove("faults-b.h5");
}

/* A recording that was made older, and opened; *image is to be freed after it. */
static perp_recording *open_older(void (*ageing)(hid_t), int version, unsigned char **image) {
    perp_refusal why = {0};
    perp_recording *r = NULL;
    size_t size;
    *image = variant(ageing, &size);
    if (perp_recording_open_memory(NAME, *image, size, &r, &why)) fail_msg("%s", why.text);
    assert_int_equal(perp_recording_about(r)->version, version);
    return r;
}

/* Version 1 is the same without capsules: it is read. */
static void older(hid_t f) { set_whole(f, "version", 1); }
static void older_is_read(void **state) {
    (void)state;
    unsigned char *image;
    perp_recording *r = open_older(older, 1, &image);
    assert_true(perp_recording_about(r)->frames > 1 && perp_recording_shape(r, 0).half_length == 0);
    perp_recording_close(r);
    free(image);
}

/* Without what version 4 brought: figures that are not there are 0, and none can be drawn. */
static void version_3(hid_t f) {
    set_whole(f, "version", 3);
    H5Ldelete(f, "certificate/rebounds_limited", H5P_DEFAULT);
    H5Ldelete(f, "certificate/rebounds_given_up", H5P_DEFAULT);
}

static void version_3_is_read(void **state) {
    (void)state;
    perp_refusal why = {0};
    unsigned char *image;
    perp_recording *r = open_older(version_3, 3, &image);
    perp_recording_worst w;
    double x[21];
    SUCCEEDS(perp_recording_total(r, &w, &why));
    assert_true(w.total.contacts > 0 && w.total.rebounds_limited == 0 && w.total.rebounds_given_up == 0);
    SUCCEEDS(overlap(r, &why));
    assert_true(perp_recording_series(r, "certificate.rebounds_limited", x, &why) != PERP_OK);
    perp_recording_close(r);
    free(image);
    refused(no_limits, NAME ": certificate/rebounds_limited: found nothing; allowed: 32-bit integers, 21");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_contents),
        cmocka_unit_test(older_is_read),
        cmocka_unit_test(version_3_is_read),
        cmocka_unit_test(wrong_frames),
        cmocka_unit_test(damaged),
        cmocka_unit_test(not_there_and_not_a_recording),
        cmocka_unit_test(resume_refuses_too),
        cmocka_unit_test(a_wrong_checkpoint),
        cmocka_unit_test(memory_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
