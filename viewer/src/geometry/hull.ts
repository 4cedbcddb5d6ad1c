/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Convex hull of a few points, for shapes that come with corners but without faces.
import { ConvexHull } from 'three/examples/jsm/math/ConvexHull.js';
import { Vector3 } from 'three';

import type { Point } from './solid.ts';

/** Triangles of the hull, as indices of the points, counter-clockwise from outside. */
export function convexHull(points: readonly Point[]): number[][] {
    if (points.length < 4) return [[0, 1, 2]];
    const vectors = points.map((p) => new Vector3(...p));
    const indexOf = new Map(vectors.map((v, i) => [v, i]));
    const hull = new ConvexHull().setFromPoints(vectors);
    return hull.faces.map((face) => {
        const corners: number[] = [];
        let edge = face.edge;
        do {
            corners.push(indexOf.get(edge.head().point) ?? 0);
            edge = edge.next;
        } while (edge !== face.edge);
        return corners;
    });
}
