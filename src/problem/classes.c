/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* classes.c - names and sizes of the problem classes. */
#include "perp/problem.h"

const char *perp_class_name(perp_class c) {
    switch (c) {
    case PERP_LCP: return "lcp";
    case PERP_MLCP: return "mlcp";
    case PERP_SPARSE_MLCP: return "sparse-mlcp";
    case PERP_NCP: return "ncp";
    case PERP_QP: return "qp";
    case PERP_CONE: return "cone";
    case PERP_CONE_QP: return "cone-qp";
    }
    return "unknown class";
}

int perp_problem_size(const perp_problem *p) {
    switch (p->cls) {
    case PERP_LCP: return p->as.lcp.n;
    case PERP_MLCP: return p->as.mlcp.n;
    case PERP_SPARSE_MLCP: return p->as.sparse_mlcp.n;
    case PERP_NCP: return p->as.ncp.n;
    case PERP_QP: return p->as.qp.n + p->as.qp.m;
    case PERP_CONE:
    case PERP_CONE_QP: return p->as.cone.nrow + p->as.cone.dim * p->as.cone.ncontact;
    }
    return 0;
}
