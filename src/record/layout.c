/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* layout.c - see layout.h */
#include "record/layout.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/writer.h"

const pp_entry pp_layout[PP_DATASET_COUNT] = {
#define ENTRY(id, path, type, rows, cols, width, what, unit, about) \
    {path, PP_##type, PP_N_##rows, PP_N_##cols, width, what, unit, about},
    PP_DATASETS(ENTRY)
#undef ENTRY
};

const char *const pp_layout_groups[] = {"scene",  "materials",  "bodies", "shapes",   "springs",
                                        "joints", "checkpoint", "frames", "contacts", "certificate",
                                        "solver", "ledger",     "energy", "timing",   NULL};

int pp_layout_dims(pp_dataset d, const uint64_t *extent, hsize_t *dims) {
    const pp_entry *e = &pp_layout[d];
    if (d == PP_D_CHECK_SUMS) {
        dims[0] = 2;
        dims[1] = (hsize_t)pp_figure_columns();
        return 2;
    }
    int rank = 0;
    dims[rank++] = extent[e->rows];
    if (e->cols != PP_N_ONE) dims[rank++] = extent[e->cols];
    if (e->width) dims[rank++] = (hsize_t)e->width;
    return rank;
}

uint64_t pp_layout_row(pp_dataset d, const uint64_t *extent) {
    const pp_entry *e = &pp_layout[d];
    return (e->cols == PP_N_ONE ? 1 : extent[e->cols]) * (e->width ? (uint64_t)e->width : 1);
}

bool pp_layout_present(pp_dataset d, unsigned what, int dim, int version, const uint64_t *extent) {
    const pp_entry *e = &pp_layout[d];
    unsigned bit = e->what & PERP_RECORD_ALL;
    if (bit && !(what & bit)) return false;
    if ((e->what & PP_ONLY_2D) && dim != 2) return false;
    if ((e->what & PP_SINCE_3) && version < 3) return false;
    if ((e->what & PP_SINCE_4) && version < 4) return false;
    if ((e->what & PP_SINCE_5) && version < 5) return false;
    if ((e->what & PP_SINCE_6) && version < 6) return false;
    if ((e->what & PP_OF_SENSORS) && extent[PP_N_SENSORS] == 0) return false;
    return !pp_layout_grows(d) || e->cols == PP_N_ONE || extent[e->cols] > 0;
}

size_t pp_type_size(pp_type t) {
    switch (t) {
    case PP_F64:
    case PP_U64: return 8;
    case PP_I32:
    case PP_U32: return 4;
    case PP_U8:
    case PP_TEXT: break;
    }
    return 1;
}

static hid_t text_type(size_t size, H5T_str_t pad) {
    hid_t t = H5Tcopy(H5T_C_S1);
    if (t >= 0 && (H5Tset_size(t, size) < 0 || H5Tset_strpad(t, pad) < 0 || H5Tset_cset(t, H5T_CSET_UTF8) < 0)) {
        H5Tclose(t);
        return H5I_INVALID_HID;
    }
    return t;
}

hid_t pp_type_file(pp_type t, size_t size) {
    switch (t) {
    case PP_F64: return H5Tcopy(H5T_IEEE_F64LE);
    case PP_I32: return H5Tcopy(H5T_STD_I32LE);
    case PP_U32: return H5Tcopy(H5T_STD_U32LE);
    case PP_U64: return H5Tcopy(H5T_STD_U64LE);
    case PP_U8: return H5Tcopy(H5T_STD_U8LE);
    case PP_TEXT: break;
    }
    return text_type(size, H5T_STR_NULLPAD);
}

hid_t pp_type_memory(pp_type t, size_t size) {
    switch (t) {
    case PP_F64: return H5Tcopy(H5T_NATIVE_DOUBLE);
    case PP_I32: return H5Tcopy(H5T_NATIVE_INT32);
    case PP_U32: return H5Tcopy(H5T_NATIVE_UINT32);
    case PP_U64: return H5Tcopy(H5T_NATIVE_UINT64);
    case PP_U8: return H5Tcopy(H5T_NATIVE_UINT8);
    case PP_TEXT: break;
    }
    return text_type(size + 1, H5T_STR_NULLTERM);
}

const char *pp_type_words(pp_type t) {
    static const char *const words[] = {
        "64-bit floats", "32-bit integers", "32-bit unsigned integers", "64-bit unsigned integers", "bytes", "text"};
    return words[t];
}

const char *pp_extent_letter(pp_extent e) {
    static const char *const letters[] = {
#define LETTER(name, letter, meaning) letter,
        PP_EXTENTS(LETTER)
#undef LETTER
    };
    return letters[e];
}

/* ---- documentation ---- */

static const char *bit_word(unsigned what) {
    static const char *const words[] = {"poses", "twists", "joints", "contacts", "certificate", "ledger", "solver"};
    for (int i = 0; i < 7; i++)
        if (what & (1u << i)) return words[i];
    return what & PP_OF_SENSORS ? "with sensors" : "always";
}

size_t pp_layout_table(char *buf, size_t size) {
    static const char *const types[] = {"float64", "int32", "uint32", "uint64", "uint8", "text"};
    static const struct {
        const char *letter, *meaning;
    } extents[] = {
#define MEANING(name, letter, meaning) {letter, meaning},
        PP_EXTENTS(MEANING)
#undef MEANING
    };
    pp_writer t = {buf, size, 0};
    pp_write(&t, "| extent | number of |\n|---|---|\n");
    for (int i = 1; i < PP_EXTENT_COUNT; i++) pp_write(&t, "| %s | %s |\n", extents[i].letter, extents[i].meaning);
    pp_write(&t, "\n| dataset | type | shape | unit | recorded with | what it holds |\n|---|---|---|---|---|---|\n");
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        const pp_entry *e = &pp_layout[d];
        pp_write(&t, "| `/%s` | %s | ", e->path, types[e->type]);
        if (d == PP_D_CHECK_SUMS) {
            pp_write(&t, "2 x %d", pp_figure_columns());
        } else {
            pp_write(&t, "%s", pp_extent_letter(e->rows));
            if (e->cols != PP_N_ONE) pp_write(&t, " x %s", pp_extent_letter(e->cols));
            if (e->width) pp_write(&t, " x %d", e->width);
        }
        pp_write(&t, " | %s | %s | %s |\n", e->unit, bit_word(e->what), e->about);
    }
    return t.n;
}

/* ---- certificates ---- */

#define OF(field) offsetof(pp_sum, field)
const pp_figure pp_figures[] = {
    {PP_D_CERT_H, OF(c.h), false, 1},
    {PP_D_CERT_LAW, OF(law), false, 1},
    {PP_D_CERT_MOMENTUM, OF(c.law.momentum), false, 1},
    {PP_D_CERT_JOINT, OF(c.law.joint), false, 1},
    {PP_D_CERT_NORMAL, OF(c.law.normal), false, 1},
    {PP_D_CERT_CONE, OF(c.law.cone), false, 1},
    {PP_D_CERT_DISSIPATION, OF(c.law.dissipation), false, 1},
    {PP_D_CERT_SCALE, OF(c.law.scale), false, 1},
    {PP_D_CERT_JOINT_ERROR, OF(c.joint_error), false, 1},
    {PP_D_CERT_ERROR, OF(c.error), false, 1},
    {PP_D_CERT_AMBIGUOUS, OF(c.ambiguous), true, 1},
    {PP_D_CERT_LIMITED, OF(c.rebounds_limited), true, 1},
    {PP_D_CERT_GIVEN_UP, OF(c.rebounds_given_up), true, 1},
    {PP_D_CERT_GAIN, OF(c.gain), false, 1},
    {PP_D_CERT_GAIN_PART, OF(c.gain_part), false, 1},
    {PP_D_CERT_GAIN_SHAPE, OF(c.gain_shape), true, 2},
    {PP_D_CERT_REBOUND_LOST, OF(c.rebound_lost), false, 1},
    {PP_D_CERT_CREEP, OF(c.creep), false, 1},
    {PP_D_CERT_TWIST, OF(c.twist), false, 1},
    {PP_D_CERT_FALL, OF(c.extent.fall), false, 1},
    {PP_D_CERT_OVERLAP, OF(c.overlap), false, 1},
    {PP_D_CERT_OVERLAP_SHAPE, OF(c.overlap_shape), true, 2},
    {PP_D_CERT_CONTACTS, OF(c.contacts), true, 1},
    {PP_D_CERT_SEPARATING, OF(c.separating), true, 1},
    {PP_D_CERT_STICKING, OF(c.sticking), true, 1},
    {PP_D_CERT_SLIDING, OF(c.sliding), true, 1},
    {PP_D_SOLVER_UNKNOWNS, OF(c.unknowns), true, 1},
    {PP_D_SOLVER_SUBSTEPS, OF(c.substeps), true, 1},
    {PP_D_SOLVER_REJECTED, OF(c.rejected), true, 1},
    {PP_D_SOLVER_FALLBACKS, OF(c.fallbacks), true, 1},
    {PP_D_SOLVER_ITERATIONS, OF(c.iterations), true, 1},
    {PP_D_SOLVER_RESIDUAL, OF(c.residual), false, 1},
    {PP_D_LEDGER_BEFORE, OF(c.ledger.kinetic_before), false, 1},
    {PP_D_LEDGER_AFTER, OF(c.ledger.kinetic_after), false, 1},
    {PP_D_LEDGER_GRAVITY, OF(c.ledger.gravity), false, 1},
    {PP_D_LEDGER_APPLIED, OF(c.ledger.applied), false, 1},
    {PP_D_LEDGER_SPRING, OF(c.ledger.spring), false, 1},
    {PP_D_LEDGER_DAMPING, OF(c.ledger.damping), false, 1},
    {PP_D_LEDGER_KINEMATIC, OF(c.ledger.kinematic), false, 1},
    {PP_D_LEDGER_JOINT, OF(c.ledger.joint), false, 1},
    {PP_D_LEDGER_MOTOR, OF(c.ledger.motor), false, 1},
    {PP_D_LEDGER_ARMATURE, OF(c.ledger.armature), false, 1},
    {PP_D_LEDGER_JOINT_LOSS, OF(c.ledger.joint_loss), false, 1},
    {PP_D_LEDGER_NORMAL, OF(c.ledger.normal), false, 1},
    {PP_D_LEDGER_FRICTION, OF(c.ledger.friction), false, 1},
    {PP_D_LEDGER_TURNING, OF(c.ledger.turning), false, 1},
    {PP_D_LEDGER_START, OF(c.ledger.start), false, 1},
    {PP_D_LEDGER_SAMPLING, OF(c.ledger.sampling), false, 1},
    {PP_D_LEDGER_DRIFT, OF(c.ledger.drift), false, 1},
    {PP_D_LEDGER_REMAINDER, OF(c.ledger.remainder), false, 1},
};
const int pp_nfigure = (int)(sizeof pp_figures / sizeof *pp_figures);

int pp_figure_columns(void) { return pp_nfigure + 4; /* two pairs of shapes, time, solver */ }

double pp_law(const perp_step_residual *r, double floor) {
    double x[5] = {r->momentum, r->joint, r->normal, r->cone, r->dissipation}, worst = 0;
    for (int i = 0; i < 5; i++)
        if (!(x[i] <= worst)) worst = x[i];
    double scale = r->scale > floor ? r->scale : floor;
    return scale > 0 ? worst / scale : worst;
}

void pp_sum_add(pp_sum *sum, const pp_sum *step) {
    if (sum->c.substeps == 0)
        sum->law = step->law;
    else if (!(step->law <= sum->law))
        sum->law = step->law;
    perp_certificate_add(&sum->c, &step->c);
}
