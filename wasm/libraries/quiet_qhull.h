/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* quiet_qhull.h - included before every source of qhull. What it prints is dropped in hull3d.c, so that texts and the code that prints them are left out:
 * they were 8 % of the module. Its error code is returned by other means. */
#ifndef PERP_QUIET_QHULL_H
#define PERP_QUIET_QHULL_H

#include "libqhull_r/qhull_ra.h"

#define qh_fprintf(...) ((void)0)

#endif
