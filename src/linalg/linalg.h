/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* linalg.h - dense linear algebra. The bits do not depend on alignment, threads or the libraries of the machine.
 *
 * Matrices are column-major with leading dimension ld. No function here allocates. */
#ifndef PP_LINALG_H
#define PP_LINALG_H

#include "base/memory.h"

/* y = beta y + op(A) x; A n x n; trans: op is the transpose. */
void pp_gemv(bool trans, int n, const double *A, int ld, const double *x, double beta, double *y);
/* C = beta C + alpha op(A) op(B); C m x n, inner dimension k. */
void pp_gemm(bool ta, bool tb, int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
             double beta, double *C, int ldc);

/* LU with partial pivoting in place; false if exactly singular or not finite. piv: n. */
bool pp_lu(int n, double *A, int ld, int *piv);
/* Solves with the factors, nrhs right-hand sides in B (overwritten). */
void pp_lu_solve(int n, const double *LU, int ld, const int *piv, int nrhs, double *B, int ldb);
/* Estimate of the reciprocal condition number (1-norm) from the factors; anorm: 1-norm of the matrix before. work:
 * 2n. */
double pp_lu_rcond(int n, const double *LU, int ld, const int *piv, double anorm, double *work);
double pp_norm1(int n, const double *A, int ld);

/* X = A^-1, n x n with ld n, for n up to PP_SMALL: Gauss-Jordan with row exchanges. X may be A. False if a pivot is zero or
 * not finite; X is as it was then. */
#define PP_SMALL 12 /* [rows] Largest matrix that pp_small_inverse() takes; its scratch is on the stack. */
bool pp_small_inverse(int n, const double *A, double *X);

/* Cholesky, lower, in place; false if not positive definite. */
bool pp_cholesky(int n, double *A, int ld);
void pp_cholesky_solve(int n, const double *L, int ld, int nrhs, double *B, int ldb);

/* Eigenvalues (ascending) and eigenvectors (columns, over A) of a symmetric matrix, of which the lower triangle is read.
 * Residual and orthogonality: a small multiple of n ulp of the largest eigenvalue. False if A is not finite or the
 * iteration did not converge; A is then undefined. work: pp_eigen_work(n) doubles. */
bool pp_eigen(int n, double *A, int ld, double *lambda, double *work);
int pp_eigen_work(int n);

/* Symmetric positive semidefinite A, n x n (lower and upper given), factorised so that systems with it can be solved
 * in the least-squares, least-norm sense: x = S (S A S)^+ S b with S = diag(scale), which is A^+ b when b is in the
 * range of A up to the choice among the solutions. Rank is decided on S A S, which has unit diagonal, at `tol`
 * (PP_RANK_TOL is usual). Full rank: Cholesky with diagonal pivoting. Otherwise a complete orthogonal factorisation, S A S
 * = Q R R' Q'. Everything lies in `work`. Zero diagonal entries (rows that touch nothing) are allowed and give x_i =
 * 0. */
typedef struct pp_psd {
    int n, rank;
    double *scale; /* n: 1/sqrt(diagonal), 0 for a zero diagonal */
    double *F;     /* n x n: full rank: L of the permuted matrix; else Q, n x rank */
    double *R;     /* rank x rank upper triangle, ld n; NULL for full rank */
    int *perm;     /* n: row i of L is row perm[i] of A */
    double least;  /* smallest pivot that counted (unit diagonal): about the reciprocal condition number */
} pp_psd;
size_t pp_psd_work(int n); /* doubles */
/* False if A is not finite or has an eigenvalue that is clearly negative. */
bool pp_psd_factor(pp_psd *f, int n, const double *A, int ld, double tol, double *work);
/* [1] Fraction of the largest pivot below which a pivot is rounding. All code that computes the rank of rows of joints and contacts uses it. */
#define PP_RANK_TOL 1e-11
/* B (n x nrhs) is overwritten by A^+ B. tmp: n doubles. */
void pp_psd_solve(const pp_psd *f, int nrhs, double *B, int ldb, double *tmp);

/* For a factor of less than full rank. Replaces x (n) by its projection on the range of A in the metric of the scaled matrix: a right-hand
 * side b becomes one with a solution (S (b - b') is orthogonal to the range of S A S). dual: x is a solution and is replaced by the one with the smallest
 * |S^-1 x| and the same A x. tmp: 2 n doubles. */
void pp_psd_project(const pp_psd *f, bool dual, double *x, double *tmp);
/* For a factor of less than full rank. x (n) is replaced by a solution with the same A x that is 0 outside perm[0 .. rank - 1]. tmp: n (n + 2) doubles. */
void pp_psd_basic_solution(const pp_psd *f, double *x, double *tmp);

#endif
