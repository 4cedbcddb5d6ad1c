/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* store.c - see store.h */
#include "record/store.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_BYTES 65536u

/* ---- attributes ---- */

static bool put_attribute(hid_t at, const char *name, hid_t file_type, hid_t memory_type, int n, const void *data) {
    hsize_t dims[1] = {(hsize_t)n};
    bool ok = false;
    hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, dims, NULL);
    hid_t a = H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT)
                                      : H5Acreate2(at, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (a >= 0) {
        ok = H5Awrite(a, memory_type, data) >= 0;
        ok = H5Aclose(a) >= 0 && ok;
    }
    if (space >= 0) H5Sclose(space);
    return ok;
}

/* Length of text cut to max bytes, not within a UTF-8 character. */
static size_t cut(const char *s, size_t max) {
    size_t n = strlen(s);
    if (n <= max) return n;
    for (n = max; n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80;) n--;
    return n;
}

bool pp_put_text(hid_t at, const char *name, const char *s) {
    char buf[PP_TEXT_MAX + 1] = {0};
    size_t n = cut(s, PP_TEXT_MAX);
    memcpy(buf, s, n);
    hid_t t = pp_type_file(PP_TEXT, n ? n : 1);
    bool ok = t >= 0 && put_attribute(at, name, t, t, 1, buf);
    if (t >= 0) H5Tclose(t);
    return ok;
}

bool pp_put_words(hid_t at, const char *name, const char *const *word, int n) {
    char buf[64][PP_SOLVER_NAME] = {{0}};
    assert(n <= 64);
    for (int i = 0; i < n; i++) memcpy(buf[i], word[i], cut(word[i], PP_SOLVER_NAME - 1));
    hid_t t = pp_type_file(PP_TEXT, PP_SOLVER_NAME);
    hsize_t dims[1] = {(hsize_t)n};
    hid_t space = H5Screate_simple(1, dims, NULL);
    hid_t a = H5Acreate2(at, name, t, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = a >= 0 && H5Awrite(a, t, buf) >= 0;
    if (a >= 0) H5Aclose(a);
    if (space >= 0) H5Sclose(space);
    if (t >= 0) H5Tclose(t);
    return ok;
}

bool pp_put_f64(hid_t at, const char *name, const double *x, int n) {
    return put_attribute(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, n, x);
}

bool pp_put_u64(hid_t at, const char *name, uint64_t x) {
    return put_attribute(at, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, &x);
}

/* Opens an attribute of that class and number; negative if it is another. */
static hid_t get_attribute(hid_t at, const char *name, H5T_class_t class, int n, hid_t *type) {
    *type = H5I_INVALID_HID;
    if (H5Aexists(at, name) <= 0) return H5I_INVALID_HID;
    hid_t a = H5Aopen(at, name, H5P_DEFAULT);
    if (a < 0) return a;
    hid_t space = H5Aget_space(a), t = H5Aget_type(a);
    hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    bool ok = t >= 0 && H5Tget_class(t) == class && points >= 0 && (n < 0 ? points <= -n : points == n);
    if (class == H5T_INTEGER) ok = ok && H5Tget_size(t) <= 8;
    if (class == H5T_STRING) ok = ok && H5Tis_variable_str(t) == 0;
    if (space >= 0) H5Sclose(space);
    if (ok) {
        *type = t;
        return a;
    }
    if (t >= 0) H5Tclose(t);
    H5Aclose(a);
    return H5I_INVALID_HID;
}

bool pp_get_f64(hid_t at, const char *name, double *x, int n) {
    hid_t t, a = get_attribute(at, name, H5T_FLOAT, n, &t);
    if (a < 0) return false;
    bool ok = H5Aread(a, H5T_NATIVE_DOUBLE, x) >= 0;
    H5Tclose(t);
    H5Aclose(a);
    return ok;
}

bool pp_get_u64(hid_t at, const char *name, uint64_t *x) {
    hid_t t, a = get_attribute(at, name, H5T_INTEGER, 1, &t);
    if (a < 0) return false;
    bool ok = H5Aread(a, H5T_NATIVE_UINT64, x) >= 0;
    H5Tclose(t);
    H5Aclose(a);
    return ok;
}

bool pp_get_text(hid_t at, const char *name, char *out, size_t size) {
    hid_t t, a = get_attribute(at, name, H5T_STRING, 1, &t);
    if (a < 0) return false;
    hid_t m = pp_type_memory(PP_TEXT, size - 1);
    bool ok = m >= 0 && H5Tset_cset(m, H5Tget_cset(t)) >= 0 && H5Aread(a, m, out) >= 0;
    out[size - 1] = 0;
    if (m >= 0) H5Tclose(m);
    H5Tclose(t);
    H5Aclose(a);
    return ok;
}

int pp_get_words(hid_t at, const char *name, char (*out)[PP_SOLVER_NAME], int max) {
    hid_t t, a = get_attribute(at, name, H5T_STRING, -max, &t);
    if (a < 0) return -1;
    hid_t m = pp_type_memory(PP_TEXT, PP_SOLVER_NAME - 1), space = H5Aget_space(a);
    int n = -1;
    if (m >= 0 && space >= 0 && H5Tset_cset(m, H5Tget_cset(t)) >= 0 && H5Aread(a, m, out) >= 0)
        n = (int)H5Sget_simple_extent_npoints(space);
    if (m >= 0) H5Tclose(m);
    if (space >= 0) H5Sclose(space);
    H5Tclose(t);
    H5Aclose(a);
    return n;
}

/* ---- groups and datasets ---- */

bool pp_put_group(hid_t file, const char *path) {
    hid_t p = H5Pcreate(H5P_GROUP_CREATE), g = H5I_INVALID_HID;
    if (p >= 0 && H5Pset_link_phase_change(p, 48, 32) >= 0 && H5Pset_attr_phase_change(p, 32, 16) >= 0)
        g = H5Gcreate2(file, path, H5P_DEFAULT, p, H5P_DEFAULT);
    if (p >= 0) H5Pclose(p);
    return g >= 0 && H5Gclose(g) >= 0;
}

bool pp_put_notes(hid_t set, const char *unit, const char *about) {
    return pp_put_text(set, "unit", unit) && pp_put_text(set, "about", about);
}

static bool add_filters(hid_t p, int compression, bool shuffle) {
    if (compression <= 0) return true;
    return (!shuffle || H5Pset_shuffle(p) >= 0) && H5Pset_deflate(p, (unsigned)compression) >= 0;
}

/* An array in memory, and its type in the file. */
typedef struct array {
    hid_t file_type, memory_type;
    int rank;
    const hsize_t *dims; /* rank numbers */
    const void *data;
} array;

/* Writes a dataset that never grows: in one piece if it is small, else in chunks of about CHUNK_BYTES. */
static hid_t put_whole(hid_t file, const char *path, array a, int compression) {
    const hid_t file_type = a.file_type;
    const int rank = a.rank;
    const hsize_t *dims = a.dims;
    hsize_t bytes = H5Tget_size(file_type), chunk[3];
    for (int i = 0; i < rank; i++) {
        bytes *= dims[i];
        chunk[i] = dims[i];
    }
    hid_t p = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, dims, NULL), set = H5I_INVALID_HID;
    bool ok = p >= 0 && space >= 0;
    if (ok && bytes >= 4096 && compression > 0) {
        hsize_t row = bytes / dims[0];
        chunk[0] = row < CHUNK_BYTES ? CHUNK_BYTES / row : 1;
        if (chunk[0] > dims[0]) chunk[0] = dims[0];
        ok = H5Pset_chunk(p, rank, chunk) >= 0 && add_filters(p, compression, H5Tget_class(file_type) != H5T_STRING);
    }
    if (ok) set = H5Dcreate2(file, path, file_type, space, H5P_DEFAULT, p, H5P_DEFAULT);
    if (set >= 0 && bytes > 0 && H5Dwrite(set, a.memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a.data) < 0) {
        H5Dclose(set);
        set = H5I_INVALID_HID;
    }
    if (space >= 0) H5Sclose(space);
    if (p >= 0) H5Pclose(p);
    return set;
}

bool pp_put_static(hid_t file, pp_dataset d, const uint64_t *extent, size_t size, const void *data, int compression) {
    const pp_entry *e = &pp_layout[d];
    hsize_t dims[3];
    int rank = pp_layout_dims(d, extent, dims);
    hid_t ft = pp_type_file(e->type, size), mt = e->type == PP_TEXT ? H5Tcopy(ft) : pp_type_memory(e->type, size);
    hid_t set = put_whole(file, e->path, (array){ft, mt, rank, dims, data}, compression);
    bool ok = set >= 0 && pp_put_notes(set, e->unit, e->about);
    if (set >= 0) ok = H5Dclose(set) >= 0 && ok;
    if (ft >= 0) H5Tclose(ft);
    if (mt >= 0) H5Tclose(mt);
    return ok;
}

hid_t pp_put_bytes(hid_t file, const char *path, const void *data, size_t size, int compression) {
    hsize_t dims[1] = {size};
    return put_whole(file, path, (array){H5T_STD_U8LE, H5T_NATIVE_UINT8, 1, dims, data}, compression);
}

/* Rows come one after the other, so a cache of two chunks is enough: the one being filled is never read back. */
static hid_t cache_of(size_t chunk_bytes) {
    hid_t p = H5Pcreate(H5P_DATASET_ACCESS);
    if (p >= 0 && H5Pset_chunk_cache(p, 11, 2 * chunk_bytes + 1, 1.0) < 0) {
        H5Pclose(p);
        return H5I_INVALID_HID;
    }
    return p;
}

hid_t pp_put_growing(hid_t file, pp_dataset d, const uint64_t *extent, hsize_t chunk_rows, int compression) {
    const pp_entry *e = &pp_layout[d];
    hsize_t dims[3], most[3], chunk[3], bytes = pp_type_size(e->type);
    int rank = pp_layout_dims(d, extent, dims);
    for (int i = 0; i < rank; i++) {
        most[i] = i ? dims[i] : H5S_UNLIMITED;
        chunk[i] = i ? dims[i] : chunk_rows;
        bytes *= chunk[i];
    }
    dims[0] = 0;
    hid_t p = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, dims, most), t = pp_type_file(e->type, 1);
    hid_t access = cache_of((size_t)bytes), set = H5I_INVALID_HID;
    if (p >= 0 && space >= 0 && t >= 0 && access >= 0 && H5Pset_chunk(p, rank, chunk) >= 0 &&
        H5Pset_fill_time(p, H5D_FILL_TIME_IFSET) >= 0 && add_filters(p, compression, e->type != PP_U8))
        set = H5Dcreate2(file, e->path, t, space, H5P_DEFAULT, p, access);
    if (set >= 0 && !pp_put_notes(set, e->unit, e->about)) {
        H5Dclose(set);
        set = H5I_INVALID_HID;
    }
    if (p >= 0) H5Pclose(p);
    if (space >= 0) H5Sclose(space);
    if (t >= 0) H5Tclose(t);
    if (access >= 0) H5Pclose(access);
    return set;
}

hid_t pp_open_growing(hid_t file, pp_dataset d, size_t chunk_bytes) {
    hid_t access = cache_of(chunk_bytes);
    if (access < 0) return access;
    hid_t set = H5Dopen2(file, pp_layout[d].path, access);
    H5Pclose(access);
    return set;
}

/* ---- looking at what is there ---- */

hid_t pp_open_plain(hid_t file, const char *path) {
    char part[256];
    for (const char *end = path; end; end++) {
        end = strchr(end, '/');
        size_t n = end ? (size_t)(end - path) : strlen(path);
        if (n >= sizeof part) return H5I_INVALID_HID;
        memcpy(part, path, n);
        part[n] = 0;
        H5L_info_t link;
        H5O_info_t object;
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0 || H5Lget_info(file, part, &link, H5P_DEFAULT) < 0) break;
        if (link.type != H5L_TYPE_HARD || H5Oget_info_by_name(file, part, &object, H5P_DEFAULT) < 0) break;
        if (object.type != (end ? H5O_TYPE_GROUP : H5O_TYPE_DATASET)) break;
        if (!end) return H5Dopen2(file, path, H5P_DEFAULT);
    }
    return H5I_INVALID_HID;
}

/* Deflate makes data at most about 1030 times smaller. */
#define DEFLATE_BEST 1100u

static bool stored_well(hid_t p, const pp_found *f, char *why, size_t size) {
    H5D_layout_t layout = H5Pget_layout(p);
    if (layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) {
        if (H5Pget_external_count(p) == 0) return true;
        snprintf(why, size, "numbers outside the file");
        return false;
    }
    if (layout != H5D_CHUNKED) {
        snprintf(why, size, "numbers in other datasets");
        return false;
    }
    hsize_t chunk[3] = {0}, bytes = f->size, row = f->size;
    if (H5Pget_chunk(p, 3, chunk) != f->rank) return false;
    for (int i = 0; i < f->rank; i++) {
        if (chunk[i] == 0 || bytes > UINT32_MAX / chunk[i])
            bytes = UINT32_MAX;
        else
            bytes *= chunk[i];
        if (i) row *= f->dim[i];
    }
    if (bytes > (1u << 20) && bytes > row) {
        snprintf(why, size, "chunks of %llu bytes", (unsigned long long)bytes);
        return false;
    }
    int n = H5Pget_nfilters(p);
    for (int i = 0; i < n; i++) {
        unsigned flags;
        size_t none = 0;
        H5Z_filter_t id = H5Pget_filter2(p, (unsigned)i, &flags, &none, NULL, 0, NULL, NULL);
        if (id != H5Z_FILTER_SHUFFLE && id != H5Z_FILTER_DEFLATE) {
            snprintf(why, size, "the filter %d", (int)id);
            return false;
        }
    }
    return n >= 0 && n <= 2;
}

bool pp_look(hid_t set, uint64_t file_size, pp_found *f, char *why, size_t size) {
    *f = (pp_found){0};
    snprintf(why, size, "something else");
    hid_t space = H5Dget_space(set), type = H5Dget_type(set), p = H5Dget_create_plist(set);
    bool ok = space >= 0 && type >= 0 && p >= 0 && H5Sget_simple_extent_type(space) == H5S_SIMPLE;
    if (ok) {
        f->class = H5Tget_class(type);
        f->size = H5Tget_size(type);
        f->rank = H5Sget_simple_extent_ndims(space);
        ok = f->rank >= 1 && f->rank <= 3 && f->size > 0 && H5Sget_simple_extent_dims(space, f->dim, NULL) >= 0;
    }
    f->bytes = f->size;
    for (int i = 0; ok && i < f->rank; i++) {
        if (f->dim[i] > 0 && f->bytes > (UINT64_MAX / 4) / f->dim[i]) {
            pp_found_shape(f->rank, f->dim, why, size);
            ok = false;
        } else {
            f->bytes *= f->dim[i];
        }
    }
    if (ok) {
        f->stored = H5Dget_storage_size(set);
        ok = stored_well(p, f, why, size);
    }
    if (ok && (f->stored > file_size || f->bytes / DEFLATE_BEST > f->stored || (f->bytes && !f->stored))) {
        snprintf(why, size, "%llu bytes of numbers in %llu bytes of file", (unsigned long long)f->bytes,
                 (unsigned long long)f->stored);
        ok = false;
    }
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (p >= 0) H5Pclose(p);
    return ok;
}

bool pp_type_is(hid_t set, pp_type t) {
    hid_t found = H5Dget_type(set), wanted = pp_type_file(t, 1);
    bool ok = false;
    if (found >= 0 && wanted >= 0)
        ok = t == PP_TEXT ? H5Tget_class(found) == H5T_STRING && H5Tis_variable_str(found) == 0 &&
                                H5Tget_size(found) <= (1u << 20)
                          : H5Tequal(found, wanted) > 0;
    if (found >= 0) H5Tclose(found);
    if (wanted >= 0) H5Tclose(wanted);
    return ok;
}

void pp_found_type(hid_t set, char *out, size_t size) {
    hid_t t = H5Dget_type(set);
    H5T_class_t class = t >= 0 ? H5Tget_class(t) : H5T_NO_CLASS;
    unsigned bits = t >= 0 ? 8 * (unsigned)H5Tget_size(t) : 0;
    bool big = t >= 0 && bits > 8 && (class == H5T_INTEGER || class == H5T_FLOAT) && H5Tget_order(t) != H5T_ORDER_LE;
    const char *order = big ? ", big-endian" : "";
    if (class == H5T_FLOAT)
        snprintf(out, size, "%u-bit floats%s", bits, order);
    else if (class == H5T_INTEGER)
        snprintf(out, size, "%u-bit %sintegers%s", bits, H5Tget_sign(t) == H5T_SGN_NONE ? "unsigned " : "", order);
    else if (class == H5T_STRING)
        snprintf(out, size, "text%s", H5Tis_variable_str(t) > 0 ? " of varying length" : "");
    else
        snprintf(out, size, "another type");
    if (t >= 0) H5Tclose(t);
}

void pp_found_shape(int rank, const hsize_t *dim, char *out, size_t size) {
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < rank && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%llu", i ? " x " : "", (unsigned long long)dim[i]);
}
