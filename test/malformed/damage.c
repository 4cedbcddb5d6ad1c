/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* damage.c - damage HOW GOOD.h5 BAD.h5: a copy of a recording, or of results of a study, with one thing wrong in it.
 *
 * The change is made by HDF5 itself, and the copy gets a valid seal: it is a well-formed file with wrong contents, as another program
 * might make it, and what answers is the reader beneath the seal. (Files that are cut or have a flipped byte need no program.) The
 * ways are those of the table below; recordings.txt says what perp must answer to each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/sealed.h"

static void give_up(const char *what) {
    fprintf(stderr, "damage: %s\n", what);
    exit(1);
}

static void must(bool good, const char *what) {
    if (!good) give_up(what);
}

/* ---- tools ---- */

static void attribute_whole(hid_t f, const char *name, uint64_t x) {
    hid_t a = H5Aopen(f, name, H5P_DEFAULT);
    must(a >= 0 && H5Awrite(a, H5T_NATIVE_UINT64, &x) >= 0, name);
    H5Aclose(a);
}

static void attribute_number(hid_t f, const char *name, double x) {
    hid_t a = H5Aopen(f, name, H5P_DEFAULT);
    must(a >= 0 && H5Awrite(a, H5T_NATIVE_DOUBLE, &x) >= 0, name);
    H5Aclose(a);
}

static void gone(hid_t f, const char *path) { must(H5Ldelete(f, path, H5P_DEFAULT) >= 0, path); }

/* A dataset of zeros of this type and shape in place of the one there is. */
static void instead(hid_t f, const char *path, hid_t type, int rank, const hsize_t *dims) {
    gone(f, path);
    hid_t space = H5Screate_simple(rank, dims, NULL), p = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(p, H5D_ALLOC_TIME_EARLY);
    hid_t d = H5Dcreate2(f, path, type, space, H5P_DEFAULT, p, H5P_DEFAULT);
    must(d >= 0, path);
    H5Dclose(d);
    H5Pclose(p);
    H5Sclose(space);
}

/* Its shape. */
static int shape(hid_t f, const char *path, hsize_t *dims) {
    hid_t d = H5Dopen2(f, path, H5P_DEFAULT), space = H5Dget_space(d);
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    must(rank >= 0, path);
    H5Sclose(space);
    H5Dclose(d);
    return rank;
}

/* One number, counted over all of the dataset; below 0: from its end. */
static void number(hid_t f, const char *path, long i, double x) {
    hid_t d = H5Dopen2(f, path, H5P_DEFAULT), space = H5Dget_space(d);
    size_t n = (size_t)H5Sget_simple_extent_npoints(space), k = i < 0 ? n - (size_t)-i : (size_t)i;
    double *all = malloc((n + 1) * sizeof *all);
    must(all && k < n && H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0, path);
    all[k] = x;
    must(H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0, path);
    free(all);
    H5Sclose(space);
    H5Dclose(d);
}

/* ---- ways ---- */

static void newer(hid_t f) { attribute_whole(f, "version", 99); }
static void version_gone(hid_t f) { H5Adelete(f, "version"); }
static void no_dimension(hid_t f) { attribute_whole(f, "dim", 7); }
static void step_nan(hid_t f) { attribute_number(f, "h", NAN); }
static void step_zero(hid_t f) { attribute_number(f, "h", 0); }
static void too_many_frames(hid_t f) { attribute_whole(f, "frames", 1u << 30); }
static void time_gone(hid_t f) { gone(f, "frames/time"); }
static void frames_gone(hid_t f) { gone(f, "frames"); }
static void names_gone(hid_t f) { gone(f, "bodies/name"); }
static void scene_gone(hid_t f) { gone(f, "scene/file_0"); }
static void time_32(hid_t f) {
    hsize_t dims[3];
    int rank = shape(f, "frames/time", dims);
    instead(f, "frames/time", H5T_IEEE_F32LE, rank, dims);
}
static void mass_text(hid_t f) {
    hsize_t dims[3];
    int rank = shape(f, "bodies/mass", dims);
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 8);
    instead(f, "bodies/mass", text, rank, dims);
    H5Tclose(text);
}
static void kind_wide(hid_t f) {
    hsize_t dims[3];
    int rank = shape(f, "bodies/kind", dims);
    instead(f, "bodies/kind", H5T_STD_I64LE, rank, dims);
}
static void position_flat(hid_t f) {
    hsize_t dims[3];
    must(shape(f, "frames/position", dims) == 3, "frames/position");
    instead(f, "frames/position", H5T_IEEE_F64LE, 2, dims);
}
static void position_wide(hid_t f) {
    hsize_t dims[3];
    must(shape(f, "frames/position", dims) == 3, "frames/position");
    dims[2] = 4;
    instead(f, "frames/position", H5T_IEEE_F64LE, 3, dims);
}
static void one_body_more(hid_t f) {
    hsize_t dims[3];
    int rank = shape(f, "bodies/mass", dims);
    dims[0]++;
    instead(f, "bodies/mass", H5T_IEEE_F64LE, rank, dims);
}
static void one_frame_less(hid_t f) {
    hsize_t dims[3];
    int rank = shape(f, "certificate/overlap", dims);
    dims[0]--;
    instead(f, "certificate/overlap", H5T_IEEE_F64LE, rank, dims);
}
static void shape_of_body(hid_t f) { number(f, "shapes/body", 0, 1000); }
static void shape_below(hid_t f) { number(f, "shapes/body", 0, -1); }
static void shape_kind(hid_t f) { number(f, "shapes/kind", 0, 77); }
static void body_kind(hid_t f) { number(f, "bodies/kind", 0, 9); }
static void mass_infinite(hid_t f) { number(f, "bodies/mass", 0, INFINITY); }
static void time_back(hid_t f) { number(f, "frames/time", -1, -1); }
static void time_nan(hid_t f) { number(f, "frames/time", 1, NAN); }
static void step_back(hid_t f) { number(f, "frames/step", -1, 0); }
static void contacts_over(hid_t f) { number(f, "contacts/count", -1, 1e6); }
static void contacts_shift(hid_t f) { number(f, "contacts/first", 1, 5e8); }
static void group_for_data(hid_t f) {
    gone(f, "frames/velocity");
    H5Gclose(H5Gcreate2(f, "frames/velocity", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}
static void link_outside(hid_t f) {
    gone(f, "frames/velocity");
    must(H5Lcreate_external("/etc/passwd", "/x", f, "frames/velocity", H5P_DEFAULT, H5P_DEFAULT) >= 0, "link");
}
static void absurd(hid_t f) {
    hsize_t dims[2] = {(hsize_t)1 << 40, 3};
    hid_t space = H5Screate_simple(2, dims, NULL), p = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {1024, 3};
    H5Pset_chunk(p, 2, chunk);
    gone(f, "shapes/vertex");
    hid_t d = H5Dcreate2(f, "shapes/vertex", H5T_IEEE_F64LE, space, H5P_DEFAULT, p, H5P_DEFAULT);
    must(d >= 0, "shapes/vertex");
    H5Dclose(d);
    H5Pclose(p);
    H5Sclose(space);
}
static void position_nan(hid_t f) { number(f, "frames/position", -3, NAN); }
static void overlap_nan(hid_t f) { number(f, "certificate/overlap", 1, NAN); }
static void state_wrong(hid_t f) { number(f, "checkpoint/state", 40, 99); }
static void scene_wrong(hid_t f) { number(f, "scene/file_0", 0, '['); }
static void nothing(hid_t f) { (void)f; }

/* Results of a study: one measure of the first row; the scene that the trials were run in; a parameter more than that scene has; a
 * trial that the plan does not have. */
static void study_measure(hid_t f) { number(f, "trials/measure", 0, 12345); }
static void study_scene(hid_t f) {
    static const char then[] = "h: 0.005", now[] = "h: 0.004";
    hid_t d = H5Dopen2(f, "source/1", H5P_DEFAULT), space = H5Dget_space(d);
    size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    char *text = calloc(n + 1, 1), *at;
    must(text && H5Dread(d, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0, "source/1");
    must((at = strstr(text, then)), then);
    memcpy(at, now, sizeof now - 1);
    must(H5Dwrite(d, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0, "source/1");
    free(text);
    H5Sclose(space);
    H5Dclose(d);
}
static void study_wide(hid_t f) {
    hsize_t dims[3], names;
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 64);
    must(shape(f, "plan/parameter", &names) == 1 && shape(f, "trials/parameter", dims) == 2, "parameters");
    names += 100;
    dims[1] = names;
    instead(f, "plan/parameter", text, 1, &names);
    instead(f, "trials/parameter", H5T_IEEE_F64LE, 2, dims);
    H5Tclose(text);
}
static void study_number(hid_t f) { number(f, "trials/number", -1, 1e6); }

static const struct {
    const char *how;
    void (*change)(hid_t f);
} ways[] = {
    {"newer", newer},
    {"version-gone", version_gone},
    {"no-dimension", no_dimension},
    {"step-nan", step_nan},
    {"step-zero", step_zero},
    {"too-many-frames", too_many_frames},
    {"time-gone", time_gone},
    {"frames-gone", frames_gone},
    {"names-gone", names_gone},
    {"scene-gone", scene_gone},
    {"time-32-bit", time_32},
    {"mass-text", mass_text},
    {"kind-wide", kind_wide},
    {"position-flat", position_flat},
    {"position-wide", position_wide},
    {"one-body-more", one_body_more},
    {"one-frame-less", one_frame_less},
    {"shape-of-no-body", shape_of_body},
    {"shape-below", shape_below},
    {"shape-kind", shape_kind},
    {"body-kind", body_kind},
    {"mass-infinite", mass_infinite},
    {"time-back", time_back},
    {"time-nan", time_nan},
    {"step-back", step_back},
    {"contacts-over", contacts_over},
    {"contacts-shift", contacts_shift},
    {"group-for-data", group_for_data},
    {"link-outside", link_outside},
    {"absurd-size", absurd},
    {"position-nan", position_nan},
    {"overlap-nan", overlap_nan},
    {"state-wrong", state_wrong},
    {"scene-wrong", scene_wrong},
    {"study-measure", study_measure},
    {"study-scene", study_scene},
    {"study-wide", study_wide},
    {"study-number", study_number},
    {"nothing", nothing}, /* unharmed, but sealed anew: must be accepted */
};

/* ---- files ---- */

static unsigned char *bytes_of(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    must(f && !fseek(f, 0, SEEK_END), path);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *p = malloc(*size + pp_sealed_room(*size));
    must(p && fread(p, 1, *size, f) == *size, path);
    fclose(f);
    return p;
}

static void bytes_to(const char *path, const void *data, size_t size) {
    FILE *f = fopen(path, "wb");
    must(f && fwrite(data, 1, size, f) == size && !fclose(f), path);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) puts(ways[i].how);
        return argc == 1 ? 0 : 1;
    }
    void (*change)(hid_t) = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(ways[i].how, argv[1])) change = ways[i].change;
    if (!change) give_up("no such way");
    size_t size;
    unsigned char *image = bytes_of(argv[2], &size);
    bytes_to(argv[3], image, size);
    free(image);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    hid_t file = H5Fopen(argv[3], H5F_ACC_RDWR, access); /* drops the seal, which lies behind what HDF5 knows of */
    must(file >= 0, argv[3]);
    change(file);
    must(H5Fclose(file) >= 0, argv[3]);
    H5Pclose(access);
    image = bytes_of(argv[3], &size);
    size = pp_seal_image(image, size);
    bytes_to(argv[3], image, size);
    free(image);
    return 0;
}
