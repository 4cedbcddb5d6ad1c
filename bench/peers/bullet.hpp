/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* bullet.hpp - poses to and from Bullet, whose numbers are of single precision in Debian. */
#ifndef BENCH_PEERS_BULLET_HPP
#define BENCH_PEERS_BULLET_HPP

#include <LinearMath/btTransform.h>

#include "peers.h"

static inline btScalar bullet_number(double x) { return static_cast<btScalar>(x); }

static inline btTransform bullet_transform(const peer_pose &x) {
    return btTransform(
        btQuaternion(bullet_number(x.q[1]), bullet_number(x.q[2]), bullet_number(x.q[3]), bullet_number(x.q[0])),
        btVector3(bullet_number(x.p[0]), bullet_number(x.p[1]), bullet_number(x.p[2])));
}

#endif
