/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sealed_driver.c - a sealed file as HDF5 sees it: a virtual file driver over the blocks.
 *
 * Method: HDF5 may open a file more than once. All handles of one file share one pp_sealed, which pp_sealed_close() releases.
 * Flushing and truncating change only the recorded sizes; data is written to disk only by a commit, so the flush of a closing file
 * writes nothing. For HDF5, writing never fails. HDF5's own file locking is not supported. HDF5 never treats two files as the same:
 * each opening has its own view. Source: HDF5 Virtual File Layer; class layouts of HDF5 1.10, 1.12 and 1.14. */
#define _GNU_SOURCE
#include "record/sealed_internal.h"

#ifdef PERP_WITHOUT_HDF5 /* HDF5's header is not there, but a stand-in; no file gets this far */

hid_t pp_sealed_access(pp_sealed *s, bool writing) {
    (void)s;
    (void)writing;
    return -1;
}

pp_sealed *pp_sealed_of(hid_t file) {
    (void)file;
    return NULL;
}

#else

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#define META_BLOCK \
    ((hsize_t)256 << 10)  /* metadata is allocated in pieces of this size, so that few blocks change with it [bytes] */
#define DRIVER_VALUE 4801 /* number of the driver where HDF5 asks for one; free for private use from 512 */

/* What the access properties carry. */
typedef struct carried {
    pp_sealed *sealed;
} carried;

typedef struct handle {
    H5FD_t head; /* HDF5's part comes first */
    pp_sealed *sealed;
} handle;

static pp_sealed *sealed_of(const H5FD_t *f) { return ((const handle *)(const void *)f)->sealed; }

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most) {
    (void)name;
    (void)flags;
    (void)most;
    const carried *c = H5Pget_driver_info(access);
    if (!c) return NULL;
    handle *h = pp_alloc(&pp_sealed_memory, sizeof *h);
    if (!h) return NULL;
    memset(h, 0, sizeof *h);
    h->sealed = c->sealed;
    h->sealed->refs++;
    return &h->head;
}

static herr_t driver_close(H5FD_t *f) {
    pp_sealed_release(sealed_of(f));
    pp_free(&pp_sealed_memory, f);
    return 0;
}

static int driver_compare(const H5FD_t *a, const H5FD_t *b) {
    uintptr_t x = (uintptr_t)sealed_of(a), y = (uintptr_t)sealed_of(b);
    return (x > y) - (x < y);
}

static herr_t driver_query(const H5FD_t *f, unsigned long *flags) {
    (void)f;
    if (flags) {
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
                 H5FD_FEAT_AGGREGATE_SMALLDATA;
#ifdef H5FD_FEAT_DEFAULT_VFD_COMPATIBLE
        *flags |= H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
#endif
    }
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *f, H5FD_mem_t type) {
    (void)type;
    return sealed_of(f)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t at) {
    (void)type;
    sealed_of(f)->eoa = at;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *f, H5FD_mem_t type) {
    (void)type;
    return sealed_of(f)->eof;
}

static herr_t driver_handle(H5FD_t *f, hid_t access, void **out) {
    (void)access;
    *out = sealed_of(f);
    return 0;
}

static herr_t driver_read(H5FD_t *f, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *out) {
    (void)type;
    (void)transfer;
    pp_sealed *s = sealed_of(f);
    if (at == HADDR_UNDEF || s->shut) return -1;
    return pp_blocks_read(s, at, size, out) ? 0 : -1;
}

static herr_t driver_write(H5FD_t *f, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, const void *data) {
    (void)type;
    (void)transfer;
    pp_sealed *s = sealed_of(f);
    if (at == HADDR_UNDEF || !s->writable) return -1;
    /* After a failed write, HDF5 1.10 keeps the unwritten data and cannot be closed any more. So the error is not reported to HDF5;
     * the next commit and all later ones fail instead. */
    if (!s->shut && !pp_blocks_write(s, at, size, data)) s->lost = true;
    return 0;
}

static herr_t driver_flush(H5FD_t *f, hid_t transfer, hbool_t closing) {
    (void)f;
    (void)transfer;
    (void)closing;
    return 0;
}

static herr_t driver_truncate(H5FD_t *f, hid_t transfer, hbool_t closing) {
    (void)transfer;
    (void)closing;
    pp_sealed *s = sealed_of(f);
    if (s->writable) s->eof = s->eoa;
    return 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
#endif
#if H5_VERSION_GE(1, 13, 0)
    .value = (H5FD_class_value_t)DRIVER_VALUE,
#endif
    .name = "perp-sealed",
    .maxaddr = PP_SEALED_LENGTH,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(carried),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .get_handle = driver_handle,
    .read = driver_read,
    .write = driver_write,
    .flush = driver_flush,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t pp_sealed_access(pp_sealed *s, bool writing) {
    /* Each file has its own driver, so threads share nothing. The driver must outlive HDF5's file, because closing the file calls it
     * after HDF5 has released it; therefore it is freed with s. */
    s->driver = H5FDregister(&driver);
    if (s->driver < 0) return -1;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    carried c = {s};
    bool ok =
        access >= 0 && H5Pset_driver(access, s->driver, &c) >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
    /* Writing: the format of HDF5 1.8, which has no mark of an open file in it and which every later version reads. */
    if (ok && writing)
        ok = H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
             H5Pset_meta_block_size(access, META_BLOCK) >= 0;
    if (ok) return access;
    if (access >= 0) H5Pclose(access);
    return -1;
}

pp_sealed *pp_sealed_of(hid_t file) {
    void *p = NULL;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &p) >= 0 ? p : NULL;
}

#endif
