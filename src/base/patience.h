/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* patience.h - how often an iteration may fail to improve */
#ifndef PP_PATIENCE_H
#define PP_PATIENCE_H

/* [steps] Steps, rounds or inner solves in a row that may improve nothing before an iteration ends. */
#define PP_PATIENCE 3

#endif
