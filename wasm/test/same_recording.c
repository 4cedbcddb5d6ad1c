/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* same_recording.c - same_recording A B: do two HDF5 files hold the same groups, datasets and attributes, of the same types, shapes and bits?
 * Wall times (timing/seconds) may differ. Prints what differs; exit code 1 if anything does. Only HDF5 is used: it is what any reader sees. */
#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WALL_TIME "timing/seconds"

typedef struct comparison {
    hid_t other;
    int objects, attributes, different;
} comparison;

typedef struct content {
    hid_t type;
    int rank;
    hsize_t dim[8], most[8];
    size_t bytes;
    void *data;
} content;

static void differs(comparison *c, const char *object, const char *name, const char *how) {
    c->different++;
    printf("%s%s%s: %s\n", object, name[0] ? " attribute " : "", name, how);
}

static void take_space(hid_t space, content *out) {
    out->rank = H5Sget_simple_extent_dims(space, out->dim, out->most);
    out->bytes = H5Tget_size(out->type) * (size_t)H5Sget_simple_extent_npoints(space);
    out->data = calloc(out->bytes + 1, 1);
    H5Sclose(space);
}

static content of_dataset(hid_t set) {
    content out = {.type = H5Dget_type(set)};
    take_space(H5Dget_space(set), &out);
    if (out.bytes) H5Dread(set, out.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data);
    return out;
}

static content of_attribute(hid_t at) {
    content out = {.type = H5Aget_type(at)};
    take_space(H5Aget_space(at), &out);
    H5Aread(at, out.type, out.data);
    return out;
}

static void compare(comparison *c, const char *object, const char *name, content a, content b) {
    const size_t extents = a.rank > 0 ? (size_t)a.rank * sizeof *a.dim : 0;
    if (H5Tequal(a.type, b.type) <= 0)
        differs(c, object, name, "another type");
    else if (a.rank != b.rank || memcmp(a.dim, b.dim, extents) || memcmp(a.most, b.most, extents))
        differs(c, object, name, "another shape");
    else if (strcmp(object, WALL_TIME) && memcmp(a.data, b.data, a.bytes))
        differs(c, object, name, "other numbers");
    free(a.data);
    free(b.data);
    H5Tclose(a.type);
    H5Tclose(b.type);
}

typedef struct place {
    comparison *c;
    const char *object;
    hid_t other;
} place;

static herr_t each_attribute(hid_t at, const char *name, const H5A_info_t *info, void *ctx) {
    (void)info;
    const place *p = ctx;
    p->c->attributes++;
    if (H5Aexists(p->other, name) <= 0) {
        differs(p->c, p->object, name, "only in the first file");
        return 0;
    }
    hid_t a = H5Aopen(at, name, H5P_DEFAULT), b = H5Aopen(p->other, name, H5P_DEFAULT);
    compare(p->c, p->object, name, of_attribute(a), of_attribute(b));
    H5Aclose(a);
    H5Aclose(b);
    return 0;
}

static herr_t each_object(hid_t root, const char *name, const H5O_info_t *info, void *ctx) {
    comparison *c = ctx;
    c->objects++;
    if (strcmp(name, ".") && H5Lexists(c->other, name, H5P_DEFAULT) <= 0) {
        differs(c, name, "", "only in the first file");
        return 0;
    }
    hid_t a = H5Oopen(root, name, H5P_DEFAULT), b = H5Oopen(c->other, name, H5P_DEFAULT);
    place p = {c, name, b};
    H5Aiterate2(a, H5_INDEX_NAME, H5_ITER_INC, NULL, each_attribute, &p);
    if (H5Aget_num_attrs(a) != H5Aget_num_attrs(b)) differs(c, name, "", "another number of attributes");
    if (H5Iget_type(a) != H5Iget_type(b))
        differs(c, name, "", "another kind of object");
    else if (info->type == H5O_TYPE_DATASET)
        compare(c, name, "", of_dataset(a), of_dataset(b));
    H5Oclose(a);
    H5Oclose(b);
    return 0;
}

static herr_t count(hid_t root, const char *name, const H5O_info_t *info, void *ctx) {
    (void)root, (void)name, (void)info;
    ++*(int *)ctx;
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: same_recording A B\n");
        return 2;
    }
    hid_t a = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT), b = H5Fopen(argv[2], H5F_ACC_RDONLY, H5P_DEFAULT);
    if (a < 0 || b < 0) return 2;
    comparison c = {.other = b};
    int others = 0;
    H5Ovisit(a, H5_INDEX_NAME, H5_ITER_INC, each_object, &c);
    H5Ovisit(b, H5_INDEX_NAME, H5_ITER_INC, count, &others);
    if (others != c.objects) differs(&c, ".", "", "the second file has other objects");
    printf("%d objects and %d attributes compared, %d differ\n", c.objects, c.attributes, c.different);
    H5Fclose(a);
    H5Fclose(b);
    return c.different || !c.objects;
}
