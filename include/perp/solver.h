/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file solver.h
 *  The solver library without bodies and worlds: problem classes, judge, solvers, files. */
#ifndef PERP_SOLVER_H
#define PERP_SOLVER_H

#include "perp/base.h"
#include "perp/contradiction.h"
#include "perp/input.h"
#include "perp/judge.h"
#include "perp/plugin.h"
#include "perp/problem.h"
#include "perp/problem_file.h"
#include "perp/solve.h"

#endif
