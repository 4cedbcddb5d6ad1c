/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* h5_write.c - see h5_write.h */
#include "exchange/h5_write.h"

#include <stdlib.h>
#include <string.h>

pp_h5_writer pp_h5_begin(void) {
    pp_h5_writer w = {.file = H5I_INVALID_HID, .make = H5I_INVALID_HID, .links = H5I_INVALID_HID};
    H5Eget_auto2(H5E_DEFAULT, &w.print, &w.print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    w.make = H5Pcreate(H5P_DATASET_CREATE);
    w.links = H5Pcreate(H5P_LINK_CREATE);
    w.ok = access >= 0 && H5Pset_fapl_core(access, 1u << 16, false) >= 0 &&
           H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0 && w.make >= 0 &&
           H5Pset_obj_track_times(w.make, false) >= 0 && w.links >= 0 &&
           H5Pset_create_intermediate_group(w.links, 1) >= 0;
    if (w.ok) w.file = H5Fcreate("problem", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    w.ok = w.ok && w.file >= 0;
    if (access >= 0) H5Pclose(access);
    return w;
}

static void put_attribute(pp_h5_writer *w, const char *name, hid_t file_type, hid_t memory_type, const void *v) {
    if (!w->ok) return;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(w->file, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    w->ok = a >= 0 && H5Awrite(a, memory_type, v) >= 0;
    if (a >= 0) H5Aclose(a);
    if (space >= 0) H5Sclose(space);
}

void pp_h5_put_int(pp_h5_writer *w, const char *name, int v) {
    put_attribute(w, name, H5T_STD_I32LE, H5T_NATIVE_INT, &v);
}

void pp_h5_put_double(pp_h5_writer *w, const char *name, double v) {
    put_attribute(w, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &v);
}

/* A type for fixed texts with their end. */
static hid_t text_type(const char *text) {
    hid_t t = H5Tcopy(H5T_C_S1);
    if (t >= 0 && (H5Tset_size(t, strlen(text) + 1) < 0 || H5Tset_cset(t, H5T_CSET_UTF8) < 0)) {
        H5Tclose(t);
        return H5I_INVALID_HID;
    }
    return t;
}

void pp_h5_put_text(pp_h5_writer *w, const char *name, const char *text) {
    hid_t t = text_type(text);
    w->ok = w->ok && t >= 0;
    put_attribute(w, name, t, t, text);
    if (t >= 0) H5Tclose(t);
}

static void put_dataset(pp_h5_writer *w, const char *path, hid_t file_type, hid_t memory_type, hid_t space,
                        const void *v, bool any) {
    if (w->ok && space >= 0) {
        hid_t d = H5Dcreate2(w->file, path, file_type, space, w->links, w->make, H5P_DEFAULT);
        w->ok = d >= 0 && (!any || H5Dwrite(d, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0);
        if (d >= 0) H5Dclose(d);
    }
    w->ok = w->ok && space >= 0;
    if (space >= 0) H5Sclose(space);
}

static hid_t shape(size_t rows, long cols) {
    hsize_t dim[2] = {rows, cols < 0 ? 1 : (hsize_t)cols};
    return H5Screate_simple(cols < 0 ? 1 : 2, dim, NULL);
}

void pp_h5_put_doubles(pp_h5_writer *w, const char *path, const double *v, size_t rows, long cols) {
    put_dataset(w, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, shape(rows, cols), v, rows > 0 && cols != 0);
}

void pp_h5_put_ints(pp_h5_writer *w, const char *path, const int *v, size_t rows, long cols) {
    put_dataset(w, path, H5T_STD_I32LE, H5T_NATIVE_INT, shape(rows, cols), v, rows > 0 && cols != 0);
}

void pp_h5_put_words(pp_h5_writer *w, const char *path, const char *text) {
    hid_t t = text_type(text);
    w->ok = w->ok && t >= 0;
    put_dataset(w, path, t, t, H5Screate(H5S_SCALAR), text, true);
    if (t >= 0) H5Tclose(t);
}

perp_status pp_h5_end(pp_h5_writer *w, const char *path, pp_image *out, perp_refusal *why) {
    ssize_t size = -1;
    if (w->ok && H5Fflush(w->file, H5F_SCOPE_GLOBAL) >= 0) size = H5Fget_file_image(w->file, NULL, 0);
    w->ok = size > 0;
    if (w->ok) {
        out->data = malloc((size_t)size);
        w->ok = out->data && H5Fget_file_image(w->file, out->data, (size_t)size) == size;
        out->size = out->cap = w->ok ? (size_t)size : 0;
    }
    if (w->make >= 0) H5Pclose(w->make);
    if (w->links >= 0) H5Pclose(w->links);
    if (w->file >= 0) w->ok = H5Fclose(w->file) >= 0 && w->ok;
    H5Eset_auto2(H5E_DEFAULT, w->print, w->print_data);
    if (w->ok) return PERP_OK;
#ifdef PERP_WITHOUT_HDF5
    return pp_complain_say(why, PERP_E_FIT, (pp_location){path, 0, 0}, NULL, "%s", PERP_WITHOUT_HDF5);
#endif
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, NULL, "no memory for the new file");
}
