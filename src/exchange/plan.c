/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plan.c - see plan.h: the tables, and the checks that follow from them. */
#include "exchange/plan.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/rows.h"

#define AT(member) offsetof(pp_content, member)
#define P(member)  AT(problem.as.member)
#define S(member)  AT(step.member)
#define CONES      (PP_K_CONES)
#define LOCAL      (PP_K_LOCAL)
#define GLOBAL     (PP_K_GLOBAL)
#define STEP       (PP_K_STEP)

const pp_plan_size pp_plan_sizes[] = {
    {PERP_LCP, "n", P(lcp.n), 0, INT_MAX / 2, "variables"},
    {PERP_MLCP, "n", P(mlcp.n), 0, INT_MAX / 2, "variables"},
    {PERP_SPARSE_MLCP, "n", P(sparse_mlcp.n), 0, INT_MAX / 2, "variables"},
    {PERP_QP, "n", P(qp.n), 0, INT_MAX / 2, "variables"},
    {PERP_QP, "m", P(qp.m), 0, INT_MAX / 2, "rows"},
    {CONES, "dim", P(cone.dim), 2, PERP_CONE_ROWS, "rows of a contact"},
    {CONES, "ncontact", P(cone.ncontact), 0, INT_MAX / 8, "contacts"},
    {CONES, "nrow", P(cone.nrow), 0, INT_MAX / 8, "bounded rows"},
    {GLOBAL, "n", P(cone.M.rows), 0, INT_MAX / 2, "degrees of freedom"},
    {STEP, "dim", S(dim), 2, 3, "dimension of space"},
    {STEP, "nblock", S(nblock), 0, INT_MAX / 64, "bodies"},
    {STEP, "ndof", S(ndof), 0, INT_MAX / 2, "degrees of freedom"},
    {STEP, "njoint", S(njoint), 0, INT_MAX / 64, "joint rows"},
    {STEP, "ncontact", S(ncontact), 0, INT_MAX / 64, "contacts"},
};
const int pp_plan_nsize = (int)(sizeof pp_plan_sizes / sizeof *pp_plan_sizes);

/* A plain array of doubles; one of rows x cols. */
#define VECTOR(kinds, path, member, extent, optional, check, about) \
    { kinds, path, PP_L_F64, member, 0, sizeof(double), PP_X_##extent, PP_X_ONE, 0, optional, check, 0, 0, about }
#define SQUARE(kinds, path, member, about) \
    { kinds, path, PP_L_F64, member, 0, sizeof(double), PP_X_N, PP_X_N, 0, false, PP_C_FINITE, 0, 0, about }
#define JOINT(name, member_, check, about)                                                                  \
    {                                                                                                       \
        STEP, "joint/" name, PP_L_F64, S(joint), offsetof(perp_joint_row, member_), sizeof(perp_joint_row), \
            PP_X_JOINTS, PP_X_ONE, 0, false, check, 0, 0, about                                             \
    }
#define JOINT_I32(name, member_, width, least, most, about)                                                 \
    {                                                                                                       \
        STEP, "joint/" name, PP_L_I32, S(joint), offsetof(perp_joint_row, member_), sizeof(perp_joint_row), \
            PP_X_JOINTS, PP_X_ONE, width, false, PP_C_INT, least, most, about                               \
    }
#define CONTACT(name, member_, check, about)                                                                        \
    {                                                                                                               \
        STEP, "contact/" name, PP_L_F64, S(contact), offsetof(perp_contact_row, member_), sizeof(perp_contact_row), \
            PP_X_CONTACTS, PP_X_ONE, 0, false, check, 0, 0, about                                                   \
    }
#define CONTACT_I32(name, member_, width, least, most, about)                                                       \
    {                                                                                                               \
        STEP, "contact/" name, PP_L_I32, S(contact), offsetof(perp_contact_row, member_), sizeof(perp_contact_row), \
            PP_X_CONTACTS, PP_X_ONE, width, false, PP_C_INT, least, most, about                                     \
    }
/* Columns that older files do not have. */
#define CONTACT_NEW(name, member_, check, width, about)                                                             \
    {                                                                                                               \
        STEP, "contact/" name, PP_L_F64, S(contact), offsetof(perp_contact_row, member_), sizeof(perp_contact_row), \
            PP_X_CONTACTS, PP_X_ONE, width, true, check, 0, 0, about                                                \
    }
#define JACOBIAN(path, pointer, type, member_, extent, about)                                                     \
    {                                                                                                             \
        STEP, path, PP_L_F64, pointer, offsetof(type, member_), sizeof(type), PP_X_##extent, PP_X_ONE, 12, false, \
            PP_C_FINITE, 0, 0, about                                                                              \
    }

/* So many numbers of each contact. */
#define TUPLES(path, member, width, about)                                                                            \
    {                                                                                                                 \
        STEP, path, PP_L_F64, member, 0, (width) * sizeof(double), PP_X_CONTACTS, PP_X_ONE, width, true, PP_C_FINITE, \
            0, 0, about                                                                                               \
    }

/* Velocity and impulses of a step problem. */
#define SOLUTION(group, member_, whose)                                                                         \
    VECTOR(STEP, group "nu", AT(member_.nu), DOFS, true, PP_C_FINITE, whose "the velocity at the end"),         \
        VECTOR(STEP, group "p_joint", AT(member_.p_joint), JOINTS, true, PP_C_FINITE,                           \
               whose "the impulses of joint rows"),                                                             \
        TUPLES(group "p_contact", AT(member_.p_contact), 3, whose "the impulses of contacts along n, t, o"),    \
        VECTOR(STEP, group "p_spin", AT(member_.p_spin), CONTACTS, true, PP_C_FINITE,                           \
               whose "the angular impulses about the normals"),                                                 \
        TUPLES(group "p_roll", AT(member_.p_roll), 2, whose "the angular impulses about the tangents t and o"), \
        VECTOR(STEP, group "sigma", AT(member_.sigma), CONTACTS, true, PP_C_FINITE, whose "the slip speeds")

const pp_plan_array pp_plan_arrays[] = {
    SQUARE(PERP_LCP, "M", P(lcp.M), "matrix, row by row"),
    VECTOR(PERP_LCP, "q", P(lcp.q), N, false, PP_C_FINITE, "constant part of w"),
    SQUARE(PERP_MLCP, "M", P(mlcp.M), "matrix, row by row"),
    VECTOR(PERP_MLCP, "q", P(mlcp.q), N, false, PP_C_FINITE, "constant part of w"),
    VECTOR(PERP_MLCP, "lo", P(mlcp.lo), N, false, PP_C_LOW, "lower bounds"),
    VECTOR(PERP_MLCP, "hi", P(mlcp.hi), N, false, PP_C_HIGH, "upper bounds"),
    VECTOR(PERP_SPARSE_MLCP, "q", P(sparse_mlcp.q), N, false, PP_C_FINITE, "constant part of w"),
    VECTOR(PERP_SPARSE_MLCP, "lo", P(sparse_mlcp.lo), N, false, PP_C_LOW, "lower bounds"),
    VECTOR(PERP_SPARSE_MLCP, "hi", P(sparse_mlcp.hi), N, false, PP_C_HIGH, "upper bounds"),
    VECTOR(PERP_QP, "c", P(qp.c), N, false, PP_C_FINITE, "linear part of the cost"),
    VECTOR(PERP_QP, "lo", P(qp.lo), N, true, PP_C_LOW, "lower bounds; absent: none"),
    VECTOR(PERP_QP, "hi", P(qp.hi), N, true, PP_C_HIGH, "upper bounds; absent: none"),
    VECTOR(PERP_QP, "row_lo", P(qp.row_lo), M, false, PP_C_LOW, "lower bounds of the rows"),
    VECTOR(PERP_QP, "row_hi", P(qp.row_hi), M, false, PP_C_HIGH, "upper bounds of the rows"),
    VECTOR(CONES, "lo", P(cone.lo), ROWS, true, PP_C_LOW, "lower bounds of the bounded rows; absent: none"),
    VECTOR(CONES, "hi", P(cone.hi), ROWS, true, PP_C_HIGH, "upper bounds of the bounded rows; absent: none"),
    VECTOR(CONES, "mu", P(cone.mu), CONTACTS, false, PP_C_AT_LEAST_0, "friction of each contact"),
    {CONES, "axes", PP_L_F64, P(cone.axes), 0, sizeof(double), PP_X_CONTACTS, PP_X_AXES, 0, true, PP_C_AT_LEAST_0, 0, 0,
     "axes e_t, e_o, e_r, e_roll, e_roll of each cone; absent: 1"},
    VECTOR(LOCAL, "q", P(cone.q), ALL, false, PP_C_FINITE, "velocity without impulses"),
    VECTOR(GLOBAL, "f", P(cone.f), N, false, PP_C_FINITE, "momentum without impulses"),
    VECTOR(GLOBAL, "b", P(cone.b), ALL, false, PP_C_FINITE, "velocity of the rows beside H'v"),
    VECTOR(GLOBAL, "compliance", P(cone.compliance), ALL, true, PP_C_AT_LEAST_0, "compliance of the rows; absent: 0"),
    VECTOR(PP_K_ALL, "z_scale", AT(problem.z_scale), ALL, true, PP_C_POSITIVE, "natural sizes of the variables"),
    VECTOR(PP_K_ALL, "w_scale", AT(problem.w_scale), ALL, true, PP_C_POSITIVE, "natural sizes of the rows"),
    VECTOR(PP_K_ALL, "guess", AT(guess), ALL, true, PP_C_FINITE, "a guess of the unknowns"),
    {STEP, "block_ndof", PP_L_I32, S(block_ndof), 0, sizeof(int), PP_X_BLOCKS, PP_X_ONE, 0, false, PP_C_INT, 1, 6,
     "degrees of freedom of each body"},
    {STEP, "block_offset", PP_L_I32, S(block_offset), 0, sizeof(int), PP_X_BLOCKS, PP_X_ONE, 0, false, PP_C_INT, 0,
     INT_MAX, "first degree of freedom of each body"},
    {STEP, "M", PP_L_F64, S(M), 0, 36 * sizeof(double), PP_X_BLOCKS, PP_X_ONE, 36, false, PP_C_FINITE, 0, 0,
     "mass of each body, 6 x 6, column by column; the leading block_ndof rows and columns count"},
    {STEP, "Minv", PP_L_F64, S(Minv), 0, 36 * sizeof(double), PP_X_BLOCKS, PP_X_ONE, 36, false, PP_C_FINITE, 0, 0,
     "its inverse, likewise"},
    VECTOR(STEP, "momentum", S(momentum), DOFS, false, PP_C_FINITE, "M nu + h f at the start"),
    /* the widest first: it bounds the number of rows that memory is taken for */
    JACOBIAN("joint/J", S(joint), perp_joint_row, row.J, JOINTS, "the row: 6 numbers for each of the two bodies"),
    JOINT_I32("block", row.block, 2, -1, INT_MAX, "the two bodies of the row; -1: none"),
    JOINT("b", b, PP_C_FINITE, "velocity of the row beside J nu"),
    JOINT("compliance", compliance, PP_C_AT_LEAST_0, "compliance"),
    JOINT("lo", lo, PP_C_LOW, "lower bound of the impulse"),
    JOINT("hi", hi, PP_C_HIGH, "upper bound of the impulse"),
    JOINT("b_kin", b_kin, PP_C_FINITE, "part of b from the motion of kinematic bodies"),
    JOINT_I32("kind", kind, 0, PERP_ROW_JOINT, PERP_ROW_INERTIA,
              "0 joint, 1 motor, 2 friction, 3 spring, 4 limit, 5 inertia"),
    JOINT_I32("joint", joint, 0, -1, INT_MAX, "number of the joint in its world; -1: none"),
    JACOBIAN("contact/n_J", S(contact), perp_contact_row, n.J, CONTACTS, "normal row"),
    CONTACT_I32("n_block", n.block, 2, -1, INT_MAX, "normal row: the two bodies; -1: none"),
    CONTACT_I32("t_block", t.block, 2, -1, INT_MAX, "row of the tangent t: the two bodies"),
    JACOBIAN("contact/t_J", S(contact), perp_contact_row, t.J, CONTACTS, "row of the tangent t"),
    CONTACT_I32("o_block", o.block, 2, -1, INT_MAX, "row of the tangent o: the two bodies"),
    JACOBIAN("contact/o_J", S(contact), perp_contact_row, o.J, CONTACTS, "row of the tangent o"),
    CONTACT("b_n", b_n, PP_C_FINITE, "velocity of the normal row beside J nu"),
    CONTACT("b_t", b_t, PP_C_FINITE, "of the tangent t"),
    CONTACT("b_o", b_o, PP_C_FINITE, "of the tangent o"),
    CONTACT("b_n_kin", b_n_kin, PP_C_FINITE, "part of b_n from the motion of kinematic bodies"),
    CONTACT("mu", mu, PP_C_AT_LEAST_0, "friction"),
    CONTACT_NEW("compliance", compliance, PP_C_AT_LEAST_0, 0, "compliance of the normal row; absent: 0"),
    CONTACT_NEW("compliance_f", compliance_f, PP_C_AT_LEAST_0, 0, "compliance along the tangents; absent: 0"),
    CONTACT_NEW("e_t", e_t, PP_C_AT_LEAST_0, 0, "axis of an elliptic cone along t; absent, 0: 1"),
    CONTACT_NEW("e_o", e_o, PP_C_AT_LEAST_0, 0, "axis of an elliptic cone along o; absent, 0: 1"),
    CONTACT_NEW("e_r", e_r, PP_C_AT_LEAST_0, 0, "torsional length of a cone; absent, 0: no torsion"),
    CONTACT_NEW("r_J", r.J, PP_C_FINITE, 12,
                "row of the spin about the normal; its bodies are those of the normal row"),
    CONTACT_NEW("b_r", b_r, PP_C_FINITE, 0, "of the spin about the normal"),
    CONTACT_NEW("e_roll", e_roll, PP_C_AT_LEAST_0, 0, "rolling length of a cone; absent, 0: no resistance to rolling"),
    CONTACT_NEW("roll_t_J", roll[0].J, PP_C_FINITE, 12,
                "row of the rolling about t; its bodies are those of the normal row"),
    CONTACT_NEW("roll_o_J", roll[1].J, PP_C_FINITE, 12, "row of the rolling about o, likewise"),
    CONTACT_NEW("b_roll", b_roll, PP_C_FINITE, 2, "of the rolling about t and o"),
    CONTACT_I32("nd", nd, 0, PERP_CONE_DIRECTIONS, 1 << 20,
                "directions of the friction pyramid; 0: no friction; -1: a true cone"),
    CONTACT("phase", phase, PP_C_FINITE, "angle of its first direction from t"),
    CONTACT_I32("contact", contact, 0, -1, INT_MAX, "number of the contact in its world"),
    SOLUTION("guess/", step_guess, "guess of "),
    SOLUTION("solution/", solution, "found in the run: "),
};
const int pp_plan_narray = (int)(sizeof pp_plan_arrays / sizeof *pp_plan_arrays);

const pp_plan_matrix pp_plan_matrices[] = {
    {PERP_SPARSE_MLCP, "M", P(sparse_mlcp.M), PP_X_N, PP_X_N, "matrix"},
    {PERP_QP, "Q", P(qp.Q), PP_X_N, PP_X_N, "quadratic part of the cost, both triangles"},
    {PERP_QP, "A", P(qp.A), PP_X_M, PP_X_N, "the rows; absent if m = 0"},
    {LOCAL, "W", P(cone.W), PP_X_ALL, PP_X_ALL, "Delassus matrix"},
    {GLOBAL, "M", P(cone.M), PP_X_N, PP_X_N, "mass matrix"},
    {GLOBAL, "H", P(cone.H), PP_X_N, PP_X_ALL, "directions of the impulses"},
};
const int pp_plan_nmatrix = (int)(sizeof pp_plan_matrices / sizeof *pp_plan_matrices);

bool pp_plan_has(unsigned kinds, const pp_content *c) { return (kinds & c->kind) != 0; }

int pp_plan_extent_of(const pp_content *c, pp_plan_extent x) {
    const perp_problem *p = &c->problem;
    bool step = c->kind & PP_K_STEP;
    switch (x) {
    case PP_X_ONE: return 1;
    case PP_X_N:
        return p->cls == PERP_QP ? p->as.qp.n : c->kind & PP_K_GLOBAL ? p->as.cone.M.rows : perp_problem_size(p);
    case PP_X_M: return p->as.qp.m;
    case PP_X_ALL: return perp_problem_size(p);
    case PP_X_CONTACTS: return step ? c->step.ncontact : p->as.cone.ncontact;
    case PP_X_ROWS: return p->as.cone.nrow;
    case PP_X_AXES: return p->as.cone.dim - 1;
    case PP_X_BLOCKS: return c->step.nblock;
    case PP_X_DOFS: return c->step.ndof;
    case PP_X_JOINTS: return c->step.njoint;
    }
    return 0;
}

/* ---- checks ---- */

static perp_status refuse(perp_refusal *why, const char *file, const char *key, const char *found,
                          const char *allowed) {
    return pp_complain(why, PERP_E_ARG, (pp_location){file, 0, 0}, key, found, allowed);
}

perp_status pp_plan_check_sizes(const char *file, pp_content *c, perp_refusal *why) {
    for (int i = 0; i < pp_plan_nsize; i++) {
        const pp_plan_size *s = &pp_plan_sizes[i];
        if (!pp_plan_has(s->kinds, c)) continue;
        int v = *pp_plan_int(c, s->offset);
        if (v >= s->least && v <= s->most) continue;
        char found[32], allowed[64];
        (void)snprintf(found, sizeof found, "%d", v);
        (void)snprintf(allowed, sizeof allowed, s->most > 1000 ? "%d or more" : "%d to %d", s->least, s->most);
        return refuse(why, file, s->name, found, allowed);
    }
    return PERP_OK;
}

perp_status pp_check_sparse(const char *file, const char *key, const perp_sparse *m, int rows, int cols,
                            perp_refusal *why) {
    char at[192], found[64], allowed[64];
    if (m->rows != rows || m->cols != cols) {
        (void)snprintf(found, sizeof found, "%d x %d", m->rows, m->cols);
        (void)snprintf(allowed, sizeof allowed, "%d x %d", rows, cols);
        return refuse(why, file, key, found, allowed);
    }
    if (!m->start) return refuse(why, file, key, "no entries at all", "start, index and value");
    for (int j = 0; j <= cols; j++) {
        int last = j ? m->start[j - 1] : 0;
        if (m->start[j] >= last && (j > 0 || m->start[0] == 0)) continue;
        (void)snprintf(at, sizeof at, "%s/start[%d]", key, j);
        (void)snprintf(found, sizeof found, "%d", m->start[j]);
        (void)snprintf(allowed, sizeof allowed, j ? "%d or more" : "%d", last);
        return refuse(why, file, at, found, allowed);
    }
    if (m->start[cols] > 0 && (!m->index || !m->value)) return refuse(why, file, key, "no entries", "index and value");
    for (int j = 0; j < cols; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++) {
            int least = k > m->start[j] ? m->index[k - 1] + 1 : 0;
            if (m->index[k] < least || m->index[k] >= rows) {
                (void)snprintf(at, sizeof at, "%s/index[%d]", key, k);
                (void)snprintf(found, sizeof found, "%d", m->index[k]);
                (void)snprintf(allowed, sizeof allowed, "%d to %d (rows ascend within a column)", least, rows - 1);
                return refuse(why, file, at, found, allowed);
            }
            if (isfinite(m->value[k])) continue;
            (void)snprintf(at, sizeof at, "%s/value[%d]", key, k);
            (void)snprintf(found, sizeof found, "%g", m->value[k]);
            return refuse(why, file, at, found, "a finite number");
        }
    return PERP_OK;
}

perp_status pp_plan_check_matrix(const char *file, const pp_content *c, const pp_plan_matrix *m, perp_refusal *why) {
    const perp_sparse *s = (const perp_sparse *)((const char *)c + m->offset);
    return pp_check_sparse(file, m->path, s, pp_plan_extent_of(c, m->rows), pp_plan_extent_of(c, m->cols), why);
}

static const char *wanted(pp_plan_check check) {
    switch (check) {
    case PP_C_FINITE: return "a finite number";
    case PP_C_LOW: return "a number, or -inf";
    case PP_C_HIGH: return "a number, or inf";
    case PP_C_AT_LEAST_0: return "a finite number >= 0";
    case PP_C_POSITIVE: return "a finite number > 0";
    case PP_C_INT: break;
    }
    return "a whole number";
}

static bool fits(pp_plan_check check, double v) {
    switch (check) {
    case PP_C_FINITE: return isfinite(v);
    case PP_C_LOW: return !isnan(v) && v < INFINITY;
    case PP_C_HIGH: return !isnan(v) && v > -INFINITY;
    case PP_C_AT_LEAST_0: return isfinite(v) && v >= 0;
    case PP_C_POSITIVE: return isfinite(v) && v > 0;
    case PP_C_INT: break;
    }
    return true;
}

/* key[i], or key[i][k] if each element has several. */
static void place_of(char *out, size_t size, const char *key, size_t i, size_t k, size_t width) {
    if (width > 1)
        (void)snprintf(out, size, "%s[%zu][%zu]", key, i, k);
    else
        (void)snprintf(out, size, "%s[%zu]", key, i);
}

perp_status pp_plan_check_array(const char *file, const pp_content *c, const pp_plan_array *a, perp_refusal *why) {
    const char *base;
    memcpy(&base, (const char *)c + a->pointer, sizeof base);
    size_t rows = (size_t)pp_plan_extent_of(c, a->rows), cols = (size_t)pp_plan_extent_of(c, a->cols);
    size_t width = a->width ? (size_t)a->width : 1;
    if (!base) return a->optional || rows * cols == 0 ? PERP_OK : refuse(why, file, a->path, "nothing", a->about);
    char at[192], found[48], allowed[64];
    for (size_t i = 0; i < rows * cols; i++)
        for (size_t k = 0; k < width; k++) {
            const char *p = base + i * a->stride + a->member;
            if (a->type == PP_L_I32) {
                int v;
                memcpy(&v, p + k * sizeof v, sizeof v);
                if (v >= a->least && v <= a->most) continue;
                (void)snprintf(found, sizeof found, "%d", v);
                (void)snprintf(allowed, sizeof allowed, a->most == INT_MAX ? "%d or more" : "%d to %d", a->least,
                               a->most);
            } else {
                double v;
                memcpy(&v, p + k * sizeof v, sizeof v);
                if (fits(a->check, v)) continue;
                (void)snprintf(found, sizeof found, "%g", v);
                (void)snprintf(allowed, sizeof allowed, "%s", wanted(a->check));
            }
            if (a->cols != PP_X_ONE && a->rows == a->cols) /* column-major in memory */
                place_of(at, sizeof at, a->path, i % rows, i / rows, 2);
            else if (a->cols != PP_X_ONE)
                place_of(at, sizeof at, a->path, i / cols, i % cols, 2);
            else
                place_of(at, sizeof at, a->path, i, k, width);
            return refuse(why, file, at, found, allowed);
        }
    return PERP_OK;
}

bool pp_plan_zeros(const pp_content *c, const pp_plan_array *a) {
    size_t width = a->width ? (size_t)a->width : 1, rows = (size_t)pp_plan_extent_of(c, a->rows);
    const char *base;
    memcpy(&base, (const char *)c + a->pointer, sizeof base);
    if (!a->optional || a->type != PP_L_F64 || a->stride == width * sizeof(double) || !base) return false;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < width; k++) {
            double v;
            memcpy(&v, base + i * a->stride + a->member + k * sizeof v, sizeof v);
            if (v != 0) return false;
        }
    return true;
}

/* Does a contact resist rolling? */
static bool rolls(const pp_content *c) {
    if (c->kind & PP_K_CONES) return c->problem.as.cone.dim > 4;
    for (int i = 0; (c->kind & PP_K_STEP) && i < c->step.ncontact; i++)
        if (c->step.contact[i].e_roll != 0) return true;
    return false;
}

int pp_plan_version(const pp_content *c) {
    if (rolls(c)) return 3;
    for (int i = 0; i < pp_plan_narray; i++) {
        const pp_plan_array *a = &pp_plan_arrays[i];
        size_t width = a->width ? (size_t)a->width : 1;
        bool later = a->optional && pp_plan_has(a->kinds, c) && a->stride != width * sizeof(double);
        if (later && pp_plan_extent_of(c, a->rows) > 0 && !pp_plan_zeros(c, a)) return 2;
    }
    return 1;
}

/* lo <= hi. Either may be NULL. */
static perp_status check_bounds(const char *file, const char *key, const double *lo, const double *hi, int n,
                                perp_refusal *why) {
    for (int i = 0; lo && hi && i < n; i++) {
        if (lo[i] <= hi[i]) continue;
        char at[64], found[64], allowed[64];
        (void)snprintf(at, sizeof at, "%s[%d]", key, i);
        (void)snprintf(found, sizeof found, "%g", lo[i]);
        (void)snprintf(allowed, sizeof allowed, "at most the upper bound, %g", hi[i]);
        return refuse(why, file, at, found, allowed);
    }
    return PERP_OK;
}

static perp_status check_row(const char *file, const char *key, int i, const perp_row *r, int nblock,
                             perp_refusal *why) {
    for (int k = 0; k < 2; k++) {
        if (r->block[k] < nblock) continue; /* -1 or more by the table */
        char at[64], found[32], allowed[32];
        (void)snprintf(at, sizeof at, "%s[%d][%d]", key, i, k);
        (void)snprintf(found, sizeof found, "%d", r->block[k]);
        (void)snprintf(allowed, sizeof allowed, "-1 to %d", nblock - 1);
        return refuse(why, file, at, found, allowed);
    }
    return PERP_OK;
}

/* The rows of a contact are of the same two bodies. */
static perp_status check_tangent(const char *file, const char *key, int i, const perp_row *t, const perp_row *n,
                                 perp_refusal *why) {
    for (int k = 0; k < 2; k++) {
        if (t->block[k] == n->block[k]) continue;
        char at[64], found[32], allowed[64];
        (void)snprintf(at, sizeof at, "%s[%d][%d]", key, i, k);
        (void)snprintf(found, sizeof found, "%d", t->block[k]);
        (void)snprintf(allowed, sizeof allowed, "%d, as in contact/n_block", n->block[k]);
        return refuse(why, file, at, found, allowed);
    }
    return PERP_OK;
}

static perp_status check_step(const char *file, const perp_step_problem *p, perp_refusal *why) {
    char at[64], found[32], allowed[64];
    int64_t next = 0;
    if (!(isfinite(p->h) && p->h > 0)) {
        (void)snprintf(found, sizeof found, "%g", p->h);
        return refuse(why, file, "h", found, "a finite number > 0");
    }
    for (int i = 0; i < p->nblock; i++) {
        int n = p->block_ndof[i];
        if (n != 2 && n != 3 && n != 6) {
            (void)snprintf(at, sizeof at, "block_ndof[%d]", i);
            (void)snprintf(found, sizeof found, "%d", n);
            return refuse(why, file, at, found, "2, 3 or 6");
        }
        if (p->block_offset[i] != next) {
            (void)snprintf(at, sizeof at, "block_offset[%d]", i);
            (void)snprintf(found, sizeof found, "%d", p->block_offset[i]);
            (void)snprintf(allowed, sizeof allowed, "%lld, where the one before ends", (long long)next);
            return refuse(why, file, at, found, allowed);
        }
        next += n;
    }
    if (next != p->ndof) {
        (void)snprintf(found, sizeof found, "%d", p->ndof);
        (void)snprintf(allowed, sizeof allowed, "%lld, the sum of block_ndof", (long long)next);
        return refuse(why, file, "ndof", found, allowed);
    }
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < p->njoint; i++) {
        s = check_row(file, "joint/block", i, &p->joint[i].row, p->nblock, why);
        if (s || p->joint[i].lo <= p->joint[i].hi) continue;
        (void)snprintf(at, sizeof at, "joint/lo[%d]", i);
        (void)snprintf(found, sizeof found, "%g", p->joint[i].lo);
        (void)snprintf(allowed, sizeof allowed, "at most the upper bound, %g", p->joint[i].hi);
        s = refuse(why, file, at, found, allowed);
    }
    for (int i = 0; !s && i < p->ncontact; i++) {
        const perp_contact_row *c = &p->contact[i];
        s = check_row(file, "contact/n_block", i, &c->n, p->nblock, why);
        if (!s) s = check_tangent(file, "contact/t_block", i, &c->t, &c->n, why);
        if (!s && p->dim == 3) s = check_tangent(file, "contact/o_block", i, &c->o, &c->n, why);
        for (int k = 2; !s && k < PP_FRICTION_ROWS; k++) {
            if (!pp_friction_turns(c, k)) continue;
            (void)snprintf(at, sizeof at, "contact/%s[%d]", k == 2 ? "e_r" : "e_roll", i);
            (void)snprintf(found, sizeof found, "%g", k == 2 ? c->e_r : c->e_roll);
            const char *bodies = k == 2   ? "the bodies of contact/r_J"
                                 : k == 3 ? "the bodies of contact/roll_t_J"
                                          : "the bodies of contact/roll_o_J";
            if (p->dim != 3) s = refuse(why, file, at, found, "0 in the plane");
            if (!s && c->nd >= 0) s = refuse(why, file, at, found, "0 unless nd is -1, a true cone");
            if (!s) s = check_tangent(file, bodies, i, pp_friction_row(c, k), &c->n, why);
        }
    }
    return s;
}

perp_status pp_plan_check_rest(const char *file, const pp_content *c, perp_refusal *why) {
    const perp_problem *p = &c->problem;
    if (c->kind & PP_K_STEP) return check_step(file, &c->step, why);
    switch (p->cls) {
    case PERP_MLCP: return check_bounds(file, "lo", p->as.mlcp.lo, p->as.mlcp.hi, p->as.mlcp.n, why);
    case PERP_SPARSE_MLCP:
        return check_bounds(file, "lo", p->as.sparse_mlcp.lo, p->as.sparse_mlcp.hi, p->as.sparse_mlcp.n, why);
    case PERP_QP: {
        perp_status s = check_bounds(file, "lo", p->as.qp.lo, p->as.qp.hi, p->as.qp.n, why);
        return s ? s : check_bounds(file, "row_lo", p->as.qp.row_lo, p->as.qp.row_hi, p->as.qp.m, why);
    }
    case PERP_CONE:
    case PERP_CONE_QP: return check_bounds(file, "lo", p->as.cone.lo, p->as.cone.hi, p->as.cone.nrow, why);
    case PERP_LCP:
    case PERP_NCP: break;
    }
    return PERP_OK;
}
