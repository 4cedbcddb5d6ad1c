/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* hdf5.h - in place of HDF5's header in a build with PERP_WITH_HDF5=OFF
 *
 * Declares what perp uses of HDF5, so that its code is compiled as ever; every call fails. Files are refused before the first
 * call, with the text of PERP_WITHOUT_HDF5: see pp_sealed_create() and its neighbours, and pp_h5_begin(). */
#ifndef PERP_WITHOUT_HDF5
#define PERP_WITHOUT_HDF5 "this perp was built without HDF5; on Debian install libhdf5-dev and build again with PERP_WITH_HDF5=ON"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef int64_t hid_t, hssize_t;
typedef uint64_t hsize_t, haddr_t;
typedef int herr_t, htri_t, H5Z_filter_t;
typedef bool hbool_t;
typedef herr_t (*H5E_auto2_t)(hid_t stack, void *data);
typedef enum { H5S_NO_CLASS = -1, H5S_SCALAR, H5S_SIMPLE } H5S_class_t;
typedef enum { H5S_SELECT_SET } H5S_seloper_t;
typedef enum { H5T_NO_CLASS = -1, H5T_INTEGER, H5T_FLOAT, H5T_STRING = 3 } H5T_class_t;
typedef enum { H5T_CSET_ERROR = -1, H5T_CSET_ASCII, H5T_CSET_UTF8 } H5T_cset_t;
typedef enum { H5T_ORDER_ERROR = -1, H5T_ORDER_LE } H5T_order_t;
typedef enum { H5T_SGN_ERROR = -1, H5T_SGN_NONE } H5T_sign_t;
typedef enum { H5T_STR_NULLTERM, H5T_STR_NULLPAD } H5T_str_t;
typedef enum { H5D_LAYOUT_ERROR = -1, H5D_COMPACT, H5D_CONTIGUOUS, H5D_CHUNKED } H5D_layout_t;
typedef enum { H5D_FILL_TIME_IFSET = 2 } H5D_fill_time_t;
typedef enum { H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_LATEST } H5F_libver_t;
typedef enum { H5F_SCOPE_LOCAL, H5F_SCOPE_GLOBAL } H5F_scope_t;
typedef enum { H5L_TYPE_HARD } H5L_type_t;
typedef enum { H5O_TYPE_GROUP, H5O_TYPE_DATASET } H5O_type_t;
typedef struct { H5L_type_t type; } H5L_info_t;
typedef struct { H5O_type_t type; } H5O_info_t;

enum { H5I_INVALID_HID = -1, H5P_DEFAULT = 0, H5S_ALL = 0, H5E_DEFAULT = 0 };
enum { H5P_FILE_CREATE, H5P_FILE_ACCESS, H5P_DATASET_CREATE, H5P_DATASET_ACCESS, H5P_GROUP_CREATE, H5P_LINK_CREATE };
enum { H5F_ACC_RDONLY, H5F_ACC_RDWR, H5F_ACC_TRUNC };
enum { H5Z_FILTER_DEFLATE = 1, H5Z_FILTER_SHUFFLE };
enum {
    H5T_C_S1, H5T_NATIVE_DOUBLE, H5T_NATIVE_INT, H5T_NATIVE_INT32, H5T_NATIVE_UINT8, H5T_NATIVE_UINT32, H5T_NATIVE_UINT64,
    H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I32LE, H5T_STD_U8LE, H5T_STD_U32LE, H5T_STD_U64LE
};
#define H5S_UNLIMITED UINT64_MAX

static inline herr_t H5get_libversion(unsigned *a, unsigned *b, unsigned *c) { *a = *b = *c = 0; return -1; }
static inline herr_t H5Aclose(hid_t a) { (void)a; return -1; }
static inline hid_t H5Acreate2(hid_t a, const char *b, hid_t c, hid_t d, hid_t e, hid_t f) { (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; return -1; }
static inline htri_t H5Aexists(hid_t a, const char *b) { (void)a; (void)b; return -1; }
static inline hid_t H5Aget_space(hid_t a) { (void)a; return -1; }
static inline hid_t H5Aget_type(hid_t a) { (void)a; return -1; }
static inline hid_t H5Aopen(hid_t a, const char *b, hid_t c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Aread(hid_t a, hid_t b, void *c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Awrite(hid_t a, hid_t b, const void *c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Dclose(hid_t a) { (void)a; return -1; }
static inline hid_t H5Dcreate2(hid_t a, const char *b, hid_t c, hid_t d, hid_t e, hid_t f, hid_t g) { (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; (void)g; return -1; }
static inline hid_t H5Dget_create_plist(hid_t a) { (void)a; return -1; }
static inline hid_t H5Dget_space(hid_t a) { (void)a; return -1; }
static inline hsize_t H5Dget_storage_size(hid_t a) { (void)a; return 0; }
static inline hid_t H5Dget_type(hid_t a) { (void)a; return -1; }
static inline hid_t H5Dopen2(hid_t a, const char *b, hid_t c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Dread(hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, void *f) { (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; return -1; }
static inline herr_t H5Dset_extent(hid_t a, const hsize_t b[]) { (void)a; (void)b; return -1; }
static inline herr_t H5Dwrite(hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, const void *f) { (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; return -1; }
static inline herr_t H5Eget_auto2(hid_t a, H5E_auto2_t *b, void **c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Eset_auto2(hid_t a, H5E_auto2_t b, void *c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5FDunregister(hid_t a) { (void)a; return -1; }
static inline herr_t H5Fclose(hid_t a) { (void)a; return -1; }
static inline hid_t H5Fcreate(const char *a, unsigned b, hid_t c, hid_t d) { (void)a; (void)b; (void)c; (void)d; return -1; }
static inline herr_t H5Fflush(hid_t a, H5F_scope_t b) { (void)a; (void)b; return -1; }
static inline ssize_t H5Fget_file_image(hid_t a, void *b, size_t c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Fget_filesize(hid_t a, hsize_t *b) { (void)a; (void)b; return -1; }
static inline hid_t H5Fopen(const char *a, unsigned b, hid_t c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Gclose(hid_t a) { (void)a; return -1; }
static inline hid_t H5Gcreate2(hid_t a, const char *b, hid_t c, hid_t d, hid_t e) { (void)a; (void)b; (void)c; (void)d; (void)e; return -1; }
static inline htri_t H5Lexists(hid_t a, const char *b, hid_t c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Lget_info(hid_t a, const char *b, H5L_info_t *c, hid_t d) { (void)a; (void)b; (void)c; (void)d; return -1; }
static inline herr_t H5Ocopy(hid_t a, const char *b, hid_t c, const char *d, hid_t e, hid_t f) { (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; return -1; }
static inline herr_t H5Oget_info_by_name(hid_t a, const char *b, H5O_info_t *c, hid_t d) { (void)a; (void)b; (void)c; (void)d; return -1; }
static inline herr_t H5Pclose(hid_t a) { (void)a; return -1; }
static inline hid_t H5Pcreate(hid_t a) { (void)a; return -1; }
static inline int H5Pget_chunk(hid_t a, int b, hsize_t c[]) { (void)a; (void)b; (void)c; return -1; }
static inline int H5Pget_external_count(hid_t a) { (void)a; return -1; }
static inline H5Z_filter_t H5Pget_filter2(hid_t a, unsigned b, unsigned int *c, size_t *d, unsigned e[], size_t f, char g[], unsigned *h) { (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; (void)g; (void)h; return -1; }
static inline H5D_layout_t H5Pget_layout(hid_t a) { (void)a; return H5D_LAYOUT_ERROR; }
static inline int H5Pget_nfilters(hid_t a) { (void)a; return -1; }
static inline herr_t H5Pset_attr_phase_change(hid_t a, unsigned b, unsigned c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Pset_chunk(hid_t a, int b, const hsize_t c[ ]) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Pset_chunk_cache(hid_t a, size_t b, size_t c, double d) { (void)a; (void)b; (void)c; (void)d; return -1; }
static inline herr_t H5Pset_create_intermediate_group(hid_t a, unsigned b) { (void)a; (void)b; return -1; }
static inline herr_t H5Pset_deflate(hid_t a, unsigned b) { (void)a; (void)b; return -1; }
static inline herr_t H5Pset_fapl_core(hid_t a, size_t b, hbool_t c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Pset_fill_time(hid_t a, H5D_fill_time_t b) { (void)a; (void)b; return -1; }
static inline herr_t H5Pset_istore_k(hid_t a, unsigned b) { (void)a; (void)b; return -1; }
static inline herr_t H5Pset_libver_bounds(hid_t a, H5F_libver_t b, H5F_libver_t c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Pset_link_phase_change(hid_t a, unsigned b, unsigned c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Pset_obj_track_times(hid_t a, hbool_t b) { (void)a; (void)b; return -1; }
static inline herr_t H5Pset_shuffle(hid_t a) { (void)a; return -1; }
static inline herr_t H5Pset_sym_k(hid_t a, unsigned b, unsigned c) { (void)a; (void)b; (void)c; return -1; }
static inline herr_t H5Sclose(hid_t a) { (void)a; return -1; }
static inline hid_t H5Screate(H5S_class_t a) { (void)a; return -1; }
static inline hid_t H5Screate_simple(int a, const hsize_t b[], const hsize_t c[]) { (void)a; (void)b; (void)c; return -1; }
static inline int H5Sget_simple_extent_dims(hid_t a, hsize_t b[], hsize_t c[]) { (void)a; (void)b; (void)c; return -1; }
static inline int H5Sget_simple_extent_ndims(hid_t a) { (void)a; return -1; }
static inline hssize_t H5Sget_simple_extent_npoints(hid_t a) { (void)a; return -1; }
static inline H5S_class_t H5Sget_simple_extent_type(hid_t a) { (void)a; return H5S_NO_CLASS; }
static inline herr_t H5Sselect_hyperslab(hid_t a, H5S_seloper_t b, const hsize_t c[], const hsize_t d[], const hsize_t e[], const hsize_t f[]) { (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; return -1; }
static inline herr_t H5Tclose(hid_t a) { (void)a; return -1; }
static inline hid_t H5Tcopy(hid_t a) { (void)a; return -1; }
static inline htri_t H5Tequal(hid_t a, hid_t b) { (void)a; (void)b; return -1; }
static inline H5T_class_t H5Tget_class(hid_t a) { (void)a; return H5T_NO_CLASS; }
static inline H5T_cset_t H5Tget_cset(hid_t a) { (void)a; return H5T_CSET_ERROR; }
static inline H5T_order_t H5Tget_order(hid_t a) { (void)a; return H5T_ORDER_ERROR; }
static inline H5T_sign_t H5Tget_sign(hid_t a) { (void)a; return H5T_SGN_ERROR; }
static inline size_t H5Tget_size(hid_t a) { (void)a; return 0; }
static inline htri_t H5Tis_variable_str(hid_t a) { (void)a; return -1; }
static inline herr_t H5Tset_cset(hid_t a, H5T_cset_t b) { (void)a; (void)b; return -1; }
static inline herr_t H5Tset_size(hid_t a, size_t b) { (void)a; (void)b; return -1; }
static inline herr_t H5Tset_strpad(hid_t a, H5T_str_t b) { (void)a; (void)b; return -1; }

#endif
