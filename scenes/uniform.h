/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* uniform.h - random numbers for scenes, problems, tests and benchmarks: the same everywhere, unlike those of rand().
 * Source   Steele, Lea, Flood (2014), Fast splittable pseudorandom number generators: splitmix64. */
#ifndef PERP_SCENES_UNIFORM_H
#define PERP_SCENES_UNIFORM_H

#include <stdint.h>

/* Between lo and hi, lo included. Any state is a seed. */
static inline double scene_uniform(uint64_t *state, double lo, double hi) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lo + (hi - lo) * (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

#endif
