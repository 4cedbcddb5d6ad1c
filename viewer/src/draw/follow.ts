/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A camera that goes along with a run: it keeps what moves in view, or stays with one body.
import * as THREE from 'three';

/** free: as the user left it; fit: all that moves stays in the picture; body: one body stays where it is in the picture */
export type CameraMode = 'free' | 'fit' | 'body';

/** What the camera looks at, and from how far [L]. In the plane: half the height of the picture. */
export interface Aim {
    target: THREE.Vector3;
    distance: number;
}

/** Time in which the camera goes most (1 - 1/e) of the way to where it should be [s]. */
const EASE = 0.3;
/** A scene that fills less than this part of the picture is too far away. Below 1, so that a scene that breathes does not
 *  make the camera go to and fro. */
const TOO_SMALL = 0.55;
/** A difference that is not seen, as a part of the distance. */
const UNSEEN = 2e-3;

/** Where the camera goes next from `now`, on its way to `wanted`. undefined: it stays. `moving`: it was on its way already;
 *  one that rests starts only if something is out of the picture or everything has become small. */
export function approach(now: Aim, wanted: Aim, moving: boolean, seconds: number): Aim | undefined {
    const off = now.target.distanceTo(wanted.target);
    // both are distances for the same picture: the share of it that is filled
    const fills = (wanted.distance + off) / now.distance;
    const outside = fills > 1 + UNSEEN;
    const small = wanted.distance / now.distance < TOO_SMALL;
    const there = off < UNSEEN * now.distance && Math.abs(wanted.distance / now.distance - 1) < UNSEEN;
    if (there || (!moving && !outside && !small)) return undefined;
    const part = 1 - Math.exp(-seconds / EASE);
    return {
        target: now.target.clone().lerp(wanted.target, part),
        distance: now.distance * (wanted.distance / now.distance) ** part,
    };
}
