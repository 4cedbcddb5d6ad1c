/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The layers that can be shown over the bodies, and what they draw from.
import type { Contacts, Model, Pose, Twist } from '../data/model.ts';
import type { Paths } from '../data/run.ts';
import type { Bodies } from './bodies.ts';
import type { Theme } from './theme.ts';

export const LAYERS = [
    { id: 'contacts', label: 'Contact points', key: '1', needs: 'contacts', about: 'where bodies touch, by state' },
    { id: 'normals', label: 'Normals', key: '2', needs: 'contacts', about: 'from the first body to the second' },
    { id: 'gaps', label: 'Gaps', key: '3', needs: 'contacts', about: 'between the two points of a contact' },
    { id: 'impulses', label: 'Impulses', key: '4', needs: 'contacts', about: 'of the last step, on the second body' },
    { id: 'cones', label: 'Friction cones', key: '5', needs: 'contacts', about: 'all impulses that friction allows' },
    { id: 'joints', label: 'Joints and axes', key: '6', needs: 'joints', about: 'joint frames and what they allow' },
    { id: 'paths', label: 'Paths', key: '7', needs: '', about: 'of the centres of mass over the whole run' },
    { id: 'boxes', label: 'Bounding boxes', key: '8', needs: '', about: 'along the axes' },
    { id: 'tripods', label: 'Support tripods', key: '9', needs: 'support', about: 'three points that carry a body' },
    { id: 'velocities', label: 'Velocities', key: '0', needs: 'twists', about: 'of the centres of mass' },
    { id: 'surfaces', label: 'Surface velocities', key: 'u', needs: 'surfaces', about: 'of conveyor belts' },
    { id: 'labels', label: 'Labels', key: 'a', needs: 'labels', about: 'that the scene gives its bodies' },
    { id: 'edges', label: 'Edges', key: 'e', needs: '', about: 'of boxes, polygons and polyhedra' },
    { id: 'shadows', label: 'Shadows', key: 'h', needs: 'floor', about: 'on the floor' },
] as const;

export type LayerId = (typeof LAYERS)[number]['id'];
export type LayerSet = Record<LayerId, boolean>;

export const DEFAULT_LAYERS: LayerSet = {
    contacts: false,
    normals: false,
    gaps: false,
    impulses: false,
    cones: false,
    joints: false,
    paths: false,
    boxes: false,
    tripods: false,
    velocities: false,
    surfaces: true,
    labels: true,
    edges: true,
    shadows: true,
};

/** Layers that need the contacts of a frame. */
export function wantsContacts(l: LayerSet): boolean {
    return l.contacts || l.normals || l.gaps || l.impulses || l.cones;
}

/** Measures of a scene that sizes of marks and arrows follow. */
export interface Measures {
    /** of the whole scene [L] */
    size: number;
    /** of a typical body [L] */
    unit: number;
    /** weight of a typical body times one step [M L/T] and a typical speed [L/T]; an arrow of these is one unit long */
    impulse: number;
    speed: number;
}

export interface Moment {
    model: Model;
    bodies: Bodies;
    pose: Pose;
    twist: Twist | undefined;
    contacts: Contacts | undefined;
    paths: Paths | undefined;
    measures: Measures;
    theme: Theme;
    selected: number;
    /** factor for the length of arrows */
    arrows: number;
}

/** Units of length for a part of the reference: in proportion up to 2, then as the logarithm, so that an impact stays
 *  in the picture. */
function stretch(part: number): number {
    return part <= 2 ? part : 2 + 2 * Math.log(part / 2);
}

/** Length of an arrow [L]; not longer than a good part of the scene. */
export function arrowLength(m: Measures, part: number, scale: number): number {
    return scale * Math.min(m.unit * stretch(part), 0.4 * m.size);
}

export function measure(model: Model, reach: Float64Array, size: number): Measures {
    const dynamic: number[] = [];
    const weights: number[] = [];
    const g = Math.hypot(...model.gravity);
    model.bodies.kind.forEach((kind, i) => {
        if (kind !== 2) return;
        if (reach[i] > 0) dynamic.push(reach[i]);
        weights.push(model.bodies.mass[i] * g * model.h);
    });
    const median = (x: number[]): number => x.sort((a, b) => a - b)[Math.floor(x.length / 2)] ?? 0;
    const unit = Math.min(median(dynamic) || 0.05 * size, 0.25 * size);
    return { size, unit, impulse: median(weights), speed: Math.sqrt(2 * g * unit) };
}
