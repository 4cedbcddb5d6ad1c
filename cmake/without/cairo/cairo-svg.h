/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cairo-svg.h - see cairo.h beside it */
#include "cairo.h"
