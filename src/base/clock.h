/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* clock.h - wall time, for reports about the machine; nothing in a simulation may depend on it. */
#ifndef PP_CLOCK_H
#define PP_CLOCK_H

/* Seconds from some fixed moment; never goes back. */
double pp_clock(void);

#endif
