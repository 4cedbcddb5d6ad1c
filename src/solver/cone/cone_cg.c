/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_cg.c - linear systems of cone problems by preconditioned conjugate gradients
 * Problem  (C + E W~) dx = b, C and E block diagonal; see cone_cg.h.
 * Method   The matrix of the nodes or contacts is stored by block rows. Preconditioner: block ILU(0), elimination that drops all fill outside
 *          the pattern. Dropping may destroy the pivots of a positive definite matrix. Then the diagonal is raised a little, in the
 *          factors only; if that fails too, only the diagonal blocks are used. Symmetric matrices: conjugate gradients. Others: stabilised
 *          biconjugate gradients. Both start from the previous solution.
 * Valid    Regular matrices. The number of iterations grows with the depth of a pile and with 1/C.
 * Cost     Two products with the matrix per iteration, four if it is not symmetric.
 * Source   Hestenes, Stiefel (1952); van der Vorst (1992); Meijerink, van der Vorst (1977); Manteuffel (1980) for the
 *          raised diagonal; Saad, Iterative Methods for Sparse Linear Systems (2003) ch. 9, 10. */
#include "solver/cone/cone_cg.h"

#include <math.h>
#include <string.h>

#include "base/rounding.h"
#include "linalg/kernel.h"
#include "linalg/linalg.h"

#define BLOCK_MAX PP_SMALL /* rows of a node or contact */

static int size_of(const pp_cone_cg *k, int i) { return k->at[i + 1] - k->at[i]; }

/* ---- pattern --------------------------------------------------------------------------------------------------- */

/* Ascending. */
static void sort(int n, int *a) {
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            int t = a[i], j = i;
            for (; j >= gap && a[j - gap] > t; j -= gap) a[j] = a[j - gap];
            a[j] = t;
        }
}

/* Sorts lists of columns and removes duplicates. start: n + 1, updated. */
static void tidy(int n, int *start, int *index, int *mark) {
    int used = 0;
    for (int i = 0; i < n; i++) mark[i] = -1;
    for (int i = 0; i < n; i++) {
        int from = start[i], to = start[i + 1], first = used;
        start[i] = used;
        for (int s = from; s < to; s++)
            if (mark[index[s]] != i) mark[index[s]] = i, index[used++] = index[s];
        sort(used - first, index + first);
    }
    start[n] = used;
}

/* Nodes that share a block of rows. Every node has at least itself, because each one has rows. */
static bool body_pattern(pp_cone_cg *k, const perp_call *call, int *pairs) {
    const pp_cone *c = k->c;
    int *fill = PP_CALL_ARRAY(call, int, k->n + 1);
    *pairs = 0;
    for (int i = 0; i < c->nblock; i++) *pairs += (c->row[i + 1] - c->row[i]) * (c->row[i + 1] - c->row[i]);
    k->col = PP_CALL_ARRAY(call, int, *pairs + k->n);
    if (!fill || !k->col) return false;
    for (int i = 0; i <= k->n; i++) fill[i] = i < k->n;
    for (int i = 0; i < c->nblock; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++) fill[c->entry[s].other] += c->row[i + 1] - c->row[i];
    int sum = 0;
    for (int i = 0; i <= k->n; i++) {
        int count = fill[i];
        k->row[i] = fill[i] = sum;
        sum += count;
    }
    for (int i = 0; i < k->n; i++) k->col[fill[i]++] = i;
    for (int i = 0; i < c->nblock; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++)
            for (int t = c->row[i]; t < c->row[i + 1]; t++) k->col[fill[c->entry[s].other]++] = c->entry[t].other;
    tidy(k->n, k->row, k->col, k->mark);
    return true;
}

static bool local_pattern(pp_cone_cg *k, const perp_call *call) {
    const pp_cone *c = k->c;
    k->col = PP_CALL_ARRAY(call, int, c->row[c->nblock]);
    if (!k->col) return false;
    for (int s = 0; s < c->row[c->nblock]; s++) k->col[s] = c->entry[s].other;
    memcpy(k->row, c->row, sizeof *k->row * (size_t)(k->n + 1));
    tidy(k->n, k->row, k->col, k->mark);
    return true;
}

/* Entry (i, j) of the pattern; -1 if it does not exist. */
static int find(const pp_cone_cg *k, int i, int j) {
    int low = k->row[i], high = k->row[i + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (k->col[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->row[i + 1] && k->col[low] == j ? low : -1;
}

static void name_entries(pp_cone_cg *k) {
    const pp_cone *c = k->c;
    int at = 0;
    for (int i = 0; i < c->nblock; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            if (!c->body) k->entry[at++] = find(k, i, c->entry[s].other);
            for (int t = c->row[i]; c->body && t < c->row[i + 1]; t++)
                k->entry[at++] = find(k, c->entry[s].other, c->entry[t].other);
        }
    ptrdiff_t numbers = 0;
    for (int i = 0; i < k->n; i++) {
        k->diagonal[i] = find(k, i, i);
        for (int s = k->row[i]; s < k->row[i + 1]; s++) {
            k->spot[s] = numbers;
            numbers += (ptrdiff_t)size_of(k, i) * size_of(k, k->col[s]);
        }
    }
    k->spot[k->row[k->n]] = numbers;
}

/* Are two blocks transposes of each other, except for rounding? */
static bool twins(int rows, int cols, const double *a, const double *b) {
    double size = 0, off = 0;
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            size = fmax(size, fmax(fabs(a[i + rows * j]), fabs(b[j + cols * i])));
            off = fmax(off, fabs(a[i + rows * j] - b[j + cols * i]));
        }
    return off <= PP_NEGLIGIBLE * size;
}

/* Is the operator itself symmetric? */
static bool operator_symmetric(const pp_cone_cg *k) {
    const pp_cone *c = k->c;
    for (int i = 0; c->body && i < k->n; i++)
        if (!twins(size_of(k, i), size_of(k, i), c->M[i], c->M[i])) return false;
    for (int i = 0; !c->body && i < c->nblock; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int j = c->entry[s].other, other = find(k, j, i);
            if (other < 0) return false;
            if (j >= i && !twins(pp_cone_rows(c, i), pp_cone_rows(c, j), c->entry[s].value, c->entry[other].value))
                return false;
        }
    return true;
}

bool pp_cone_cg_make(pp_cone_cg *k, const pp_cone *c, const perp_call *call) {
    *k = (pp_cone_cg){.c = c, .n = c->body ? c->nnode : c->nblock, .at = c->body ? c->node : c->first};
    k->unknowns = c->body ? c->ndof : c->m;
    k->row = PP_CALL_ARRAY(call, int, k->n + 1);
    k->mark = PP_CALL_ARRAY(call, int, k->n);
    k->diagonal = PP_CALL_ARRAY(call, int, k->n);
    if (!k->row || !k->mark || !k->diagonal) return false;
    int names = c->row[c->nblock];
    if (!(c->body ? body_pattern(k, call, &names) : local_pattern(k, call))) return false;
    k->entry = PP_CALL_ARRAY(call, int, names);
    k->spot = PP_CALL_ARRAY(call, ptrdiff_t, k->row[k->n] + 1);
    if (!k->entry || !k->spot) return false;
    name_entries(k);
    double **vectors[] = {&k->y, &k->r, &k->z, &k->d, &k->q, &k->g, &k->t, &k->shadow};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!(*vectors[i] = PP_CALL_ARRAY(call, double, k->unknowns))) return false;
    k->A = PP_CALL_ARRAY(call, double, k->spot[k->row[k->n]]);
    k->P = PP_CALL_ARRAY(call, double, k->spot[k->row[k->n]]);
    k->stream = PP_CALL_ARRAY(call, double, k->spot[k->row[k->n]]);
    k->Cinv = PP_CALL_ARRAY(call, double, c->body ? c->square * c->nblock : 0);
    k->u = PP_CALL_ARRAY(call, double, c->m);
    if (!k->A || !k->P || !k->stream || !k->Cinv || !k->u) return false;
    memset(k->y, 0, sizeof *k->y * (size_t)k->unknowns);
    k->symmetric_operator = operator_symmetric(k);
    return true;
}

double pp_cone_cg_work(const pp_cone_cg *k) { return 2 * (double)k->spot[k->row[k->n]] + 10.0 * k->unknowns; }

/* ---- small dense blocks ---------------------------------------------------------------------------------------- */

/* Is A positive definite, with a margin of 1e-12 of its diagonal? By Cholesky. */
static bool positive(int n, const double *A) {
    double L[BLOCK_MAX * BLOCK_MAX];
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = A[i + n * j];
            for (int l = 0; l < j; l++) sum -= L[i + n * l] * L[j + n * l];
            if (i == j && !(sum > PP_NEGLIGIBLE * fabs(A[j + n * j]))) return false;
            L[i + n * j] = i == j ? sqrt(sum) : sum / L[j + n * j];
        }
    return true;
}

/* C = A B (rows x inner, inner x cols). */
static void multiply(int rows, int inner, int cols, const double *A, const double *B, double *C) {
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int l = 0; l < inner; l++) sum += A[i + rows * l] * B[l + inner * j];
            C[i + rows * j] = sum;
        }
}

/* y += f A x for A of 6 rows, by columns: the rows are kept in three registers. */
static inline void add_product6(int cols, double f, const double *restrict A, const double *restrict x,
                                double *restrict y) {
    pp_two sum[3] = {{0, 0}, {0, 0}, {0, 0}};
    for (int j = 0; j < cols; j++, A += 6) {
        pp_two both = {x[j], x[j]};
        for (int i = 0; i < 3; i++) sum[i] += *(const pp_two *)(A + 2 * i) * both;
    }
    for (int i = 0; i < 3; i++) *(pp_two *)(y + 2 * i) += (pp_two){f, f} * sum[i];
}

/* y += f A x, f = 1 or -1. Rigid bodies have 6 rows and 6 columns, which compilers then unroll. */
static inline void add_product(int rows, int cols, double f, const double *restrict A, const double *restrict x,
                               double *restrict y) {
    if (rows == 6 && cols == 6) {
        add_product6(6, f, A, x, y);
        return;
    }
    if (rows == 6) {
        add_product6(cols, f, A, x, y);
        return;
    }
    for (int j = 0; j < cols; j++) {
        double xj = f * x[j];
        for (int i = 0; i < rows; i++) y[i] += A[i + rows * j] * xj;
    }
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- the matrix ------------------------------------------------------------------------------------------------ */

static void fill_local(pp_cone_cg *k) {
    const pp_cone *c = k->c;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int cols = pp_cone_rows(c, c->entry[s].other);
            multiply(rows, rows, cols, k->E + c->square * i, c->entry[s].value, k->A + k->spot[k->entry[s]]);
        }
        double *D = k->A + k->spot[k->diagonal[i]];
        for (int a = 0; a < rows * rows; a++) D[a] += k->C[c->square * i + a];
    }
}

/* J_s' T added to an entry, J_s rows x n, T rows x cols. */
static void add_pair(int rows, int n, int cols, const double *J, const double *T, double *A) {
    for (int b = 0; b < cols; b++)
        for (int a = 0; a < n; a++) {
            double sum = 0;
            for (int l = 0; l < rows; l++) sum += J[l + rows * a] * T[l + rows * b];
            A[a + n * b] += sum;
        }
}

/* B = C'^-1 E of block i, and C'^-1. */
static bool contact_matrix(pp_cone_cg *k, int i, double *B) {
    const pp_cone *c = k->c;
    int rows = pp_cone_rows(c, i);
    const double *E = k->E + c->square * i;
    double C[PP_CONE_SQUARE] = {0}, *Cinv = k->Cinv + c->square * i;
    for (int a = 0; a < rows * rows; a++)
        C[a] = k->C[c->square * i + a] + (c->c ? E[a] * c->c[c->first[i] + a / rows] : 0);
    if (!pp_small_inverse(rows, C, Cinv)) return false;
    multiply(rows, rows, rows, Cinv, E, B);
    for (int b = 0; k->mirror && b < rows; b++)
        for (int a = 0; a < b; a++) B[a + rows * b] = B[b + rows * a] = 0.5 * (B[a + rows * b] + B[b + rows * a]);
    return true;
}

static bool fill_body(pp_cone_cg *k) {
    const pp_cone *c = k->c;
    double B[PP_CONE_SQUARE], T[PERP_CONE_ROWS * BLOCK_MAX];
    for (int i = 0; i < k->n; i++)
        memcpy(k->A + k->spot[k->diagonal[i]], c->M[i], sizeof(double) * (size_t)(size_of(k, i) * size_of(k, i)));
    int pair = 0;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i), from = c->row[i], to = c->row[i + 1];
        if (!contact_matrix(k, i, B)) return false;
        k->symmetric = k->symmetric && twins(rows, rows, B, B);
        for (int t = from; t < to; t++) {
            int cols = size_of(k, c->entry[t].other);
            multiply(rows, rows, cols, B, c->entry[t].value, T);
            for (int s = from; s < to; s++)
                add_pair(rows, size_of(k, c->entry[s].other), cols, c->entry[s].value, T,
                         k->A + k->spot[k->entry[pair + (s - from) * (to - from) + t - from]]);
        }
        pair += (to - from) * (to - from);
    }
    return true;
}

/* Local: E must be one number times I for E W~ to be symmetric. */
static bool local_symmetric(const pp_cone_cg *k) {
    for (int i = 0; i < k->n; i++) {
        int rows = size_of(k, i);
        const double *E = k->E + k->c->square * i, *C = k->C + k->c->square * i;
        if (!twins(rows, rows, C, C)) return false;
        for (int a = 0; a < rows * rows; a++)
            if (E[a] != (a % (rows + 1) == 0 ? k->E[0] : 0)) return false;
    }
    return true;
}

/* ---- preconditioner -------------------------------------------------------------------------------------------- */

/* Row i of the incomplete factors; earlier rows are done: L_ij = A_ij D_j^-1, subtracted from the rest of the row. */
static bool eliminate_row(pp_cone_cg *k, int i, double raised) {
    int rows = size_of(k, i), here = k->diagonal[i];
    double T[BLOCK_MAX * BLOCK_MAX];
    for (int s = k->row[i]; s < k->row[i + 1]; s++) k->mark[k->col[s]] = s;
    double *D = k->P + k->spot[here];
    for (int a = 0; a < rows; a++) D[a + rows * a] *= 1 + raised;
    for (int s = k->row[i]; s < here; s++) {
        int j = k->col[s], inner = size_of(k, j);
        double *L = k->P + k->spot[s];
        multiply(rows, inner, inner, L, k->P + k->spot[k->diagonal[j]], T);
        memcpy(L, T, sizeof *L * (size_t)(rows * inner));
        for (int t = k->diagonal[j] + 1; t < k->row[j + 1]; t++) {
            int into = k->mark[k->col[t]], cols = size_of(k, k->col[t]);
            if (into < 0) continue;
            const double *U = k->P + k->spot[t];
            for (int b = 0; b < cols; b++)
                add_product(rows, inner, -1, L, U + (ptrdiff_t)inner * b, k->P + k->spot[into] + (ptrdiff_t)rows * b);
        }
    }
    for (int s = k->row[i]; s < k->row[i + 1]; s++) k->mark[k->col[s]] = -1;
    if (k->symmetric && !positive(rows, D)) return false;
    return pp_small_inverse(rows, D, D);
}

/* Copies the factors in the order of their use, so that memory is read sequentially. */
static void lay_out(pp_cone_cg *k) {
    double *next = k->stream;
    for (int i = 0; i < k->n && !k->jacobi; i++) {
        ptrdiff_t length = k->spot[k->diagonal[i]] - k->spot[k->row[i]];
        memcpy(next, k->P + k->spot[k->row[i]], sizeof *next * (size_t)length);
        next += length;
    }
    for (int i = k->n - 1; i >= 0; i--) {
        int here = k->diagonal[i];
        ptrdiff_t right = k->jacobi ? 0 : k->spot[k->row[i + 1]] - k->spot[here + 1];
        memcpy(next, k->P + k->spot[here + 1], sizeof *next * (size_t)right);
        memcpy(next + right, k->P + k->spot[here], sizeof *next * (size_t)(k->spot[here + 1] - k->spot[here]));
        next += right + k->spot[here + 1] - k->spot[here];
    }
}

/* Returns false only if a diagonal block itself is singular. */
static bool make_preconditioner(pp_cone_cg *k) {
    static const double raise[] = {0, 1e-3, 1e-2, 0.1};
    size_t bytes = sizeof *k->P * (size_t)k->spot[k->row[k->n]];
    for (int i = 0; i < k->n; i++) k->mark[i] = -1;
    for (size_t attempt = 0; attempt < sizeof raise / sizeof *raise; attempt++) {
        memcpy(k->P, k->A, bytes);
        bool good = true;
        for (int i = 0; i < k->n && good; i++) good = eliminate_row(k, i, raise[attempt]);
        k->jacobi = !good;
        if (good) return true;
    }
    for (int i = 0; i < k->n; i++)
        if (!pp_small_inverse(size_of(k, i), k->A + k->spot[k->diagonal[i]], k->P + k->spot[k->diagonal[i]]))
            return false;
    return true;
}

bool pp_cone_cg_prepare(pp_cone_cg *k, const double *C, const double *E) {
    k->C = C;
    k->E = E;
    k->symmetric = k->symmetric_operator;
    memset(k->A, 0, sizeof *k->A * (size_t)k->spot[k->row[k->n]]);
    if (k->c->body) {
        if (!fill_body(k)) return false;
    } else {
        k->symmetric = k->symmetric && local_symmetric(k);
        fill_local(k);
    }
    k->prepared++;
    if (!make_preconditioner(k)) return false;
    lay_out(k);
    return true;
}

void pp_cone_cg_product(const pp_cone_cg *k, const double *x, double *y) {
    pp_count(k->c->work, pp_cone_cg_work(k)); /* each includes a preconditioning */
    for (int i = 0; i < k->n; i++) {
        int rows = size_of(k, i);
        double *yi = y + k->at[i];
        for (int a = 0; a < rows; a++) yi[a] = 0;
        for (int s = k->row[i]; s < k->row[i + 1]; s++)
            add_product(rows, size_of(k, k->col[s]), 1, k->A + k->spot[s], x + k->at[k->col[s]], yi);
    }
}

void pp_cone_cg_precondition(const pp_cone_cg *k, const double *x, double *y) {
    const double *next = k->stream;
    double T[BLOCK_MAX];
    memcpy(y, x, sizeof *y * (size_t)k->unknowns);
    for (int i = 0; i < k->n && !k->jacobi; i++)
        for (int s = k->row[i]; s < k->diagonal[i]; s++) {
            int rows = size_of(k, i), cols = size_of(k, k->col[s]);
            add_product(rows, cols, -1, next, y + k->at[k->col[s]], y + k->at[i]);
            next += rows * cols;
        }
    for (int i = k->n - 1; i >= 0; i--) {
        int rows = size_of(k, i);
        double *yi = y + k->at[i];
        for (int s = k->diagonal[i] + 1; s < k->row[i + 1] && !k->jacobi; s++) {
            int cols = size_of(k, k->col[s]);
            add_product(rows, cols, -1, next, y + k->at[k->col[s]], yi);
            next += rows * cols;
        }
        for (int a = 0; a < rows; a++) T[a] = 0;
        add_product(rows, rows, 1, next, yi, T);
        next += rows * rows;
        memcpy(yi, T, sizeof *yi * (size_t)rows);
    }
}

/* ---- iterations ------------------------------------------------------------------------------------------------ */

/* r = g - A y; its norm. */
static double residual(pp_cone_cg *k) {
    pp_cone_cg_product(k, k->y, k->r);
    for (int i = 0; i < k->unknowns; i++) k->r[i] = k->g[i] - k->r[i];
    return sqrt(dot(k->unknowns, k->r, k->r));
}

/* Solves A y = g, starting from the present y. */
static double conjugate_gradients(pp_cone_cg *k, double goal, int most) {
    int n = k->unknowns;
    double now = residual(k), rho = 0;
    for (int step = 0; now > goal && step < most; step++) {
        pp_cone_cg_precondition(k, k->r, k->z);
        double next = dot(n, k->r, k->z), beta = step > 0 ? next / rho : 0;
        rho = next;
        for (int i = 0; i < n; i++) k->d[i] = step > 0 ? k->z[i] + beta * k->d[i] : k->z[i];
        pp_cone_cg_product(k, k->d, k->q);
        double curve = dot(n, k->d, k->q);
        if (!(rho > 0) || !(curve > 0)) break;
        double alpha = rho / curve;
        for (int i = 0; i < n; i++) k->y[i] += alpha * k->d[i], k->r[i] -= alpha * k->q[i];
        now = sqrt(dot(n, k->r, k->r));
        k->steps++;
    }
    return now;
}

/* The same for any matrix, preconditioned from the right. */
static double stabilised(pp_cone_cg *k, double goal, int most) {
    int n = k->unknowns;
    double *p = k->d, *v = k->q, *hat = k->z, *t = k->t, *shadow = k->shadow;
    double now = residual(k), rho = 1, alpha = 1, omega = 1;
    memcpy(shadow, k->r, sizeof *shadow * (size_t)n);
    for (int step = 0; now > goal && step < most; step++) {
        double next = dot(n, shadow, k->r), beta = step > 0 ? next / rho * (alpha / omega) : 0;
        if (next == 0 || !isfinite(beta)) break;
        rho = next;
        for (int i = 0; i < n; i++) p[i] = step > 0 ? k->r[i] + beta * (p[i] - omega * v[i]) : k->r[i];
        pp_cone_cg_precondition(k, p, hat);
        pp_cone_cg_product(k, hat, v);
        alpha = rho / dot(n, shadow, v);
        if (!isfinite(alpha)) break;
        for (int i = 0; i < n; i++) k->y[i] += alpha * hat[i], k->r[i] -= alpha * v[i];
        pp_cone_cg_precondition(k, k->r, hat);
        pp_cone_cg_product(k, hat, t);
        double tt = dot(n, t, t);
        omega = tt > 0 ? dot(n, t, k->r) / tt : 0;
        for (int i = 0; i < n; i++) k->y[i] += omega * hat[i], k->r[i] -= omega * t[i];
        now = sqrt(dot(n, k->r, k->r));
        k->steps++;
        if (omega == 0 || !isfinite(now)) break;
    }
    return residual(k);
}

/* y = D x over blocks of rows. */
static void block_multiply(const pp_cone *c, const double *D, const double *x, double *y) {
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        double *yi = y + c->first[i];
        for (int a = 0; a < rows; a++) yi[a] = 0;
        add_product(rows, rows, 1, D + c->square * i, x + c->first[i], yi);
    }
}

double pp_cone_cg_solve(pp_cone_cg *k, const double *b, double *dx, double goal, int most) {
    const pp_cone *c = k->c;
    if (c->body) {
        block_multiply(c, k->Cinv, b, dx);
        pp_cone_gather(c, dx, k->g);
    } else {
        memcpy(k->g, b, sizeof *b * (size_t)c->m);
    }
    double reached = k->symmetric ? conjugate_gradients(k, goal, most) : stabilised(k, goal, most);
    /* not usable for the next one either */
    if (!isfinite(reached)) memset(k->y, 0, sizeof *k->y * (size_t)k->unknowns);
    if (!c->body) {
        memcpy(dx, k->y, sizeof *dx * (size_t)c->m);
        return reached;
    }
    pp_cone_spread(c, k->y, dx);
    block_multiply(c, k->E, dx, k->u);
    for (int i = 0; i < c->m; i++) k->u[i] = b[i] - k->u[i];
    block_multiply(c, k->Cinv, k->u, dx);
    return reached;
}
