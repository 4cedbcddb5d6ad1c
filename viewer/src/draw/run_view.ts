/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// One run in the picture: its bodies, planes and layers at a frame.
import * as THREE from 'three';

import type { Run } from '../data/run.ts';
import type { Paths } from '../data/run.ts';
import { Bodies } from './bodies.ts';
import { BodyLayers } from './body_layers.ts';
import { MARK } from './body_material.ts';
import { ContactLayers } from './contact_layers.ts';
import type { Extent } from './extent.ts';
import { measure, wantsContacts, type LayerSet, type Measures } from './layers.ts';
import { Planes } from './planes.ts';
import { PALETTE, ramp, rgb, type Rgb, type Theme } from './theme.ts';

export type ColourBy = 'kind' | 'body' | 'material' | 'speed';

/** What the user chose to see. */
export interface Look {
    layers: LayerSet;
    colourBy: ColourBy;
    theme: Theme;
    arrows: number;
    selected: number;
    hovered: number;
    /** colours that the user gave to bodies */
    own: ReadonlyMap<string, Rgb>;
}

const LIGHT_FROM = new THREE.Vector3(0.35, -0.55, 0.76);

export class RunView {
    readonly group = new THREE.Group();
    readonly bodies: Bodies;
    readonly planes: Planes;
    readonly measures: Measures;
    readonly up: THREE.Vector3;
    /** the frame that is drawn; -1: none yet */
    shown = -1;
    /** shadows are to be drawn */
    shadows = false;
    /** some of what the layers need was missing when the frame was drawn */
    incomplete = false;
    private readonly contactLayers = new ContactLayers();
    private readonly bodyLayers: BodyLayers;
    private paths: Paths | undefined;
    private pathsAsked = false;
    private readonly speedScale: number;

    constructor(
        readonly run: Run,
        /** what sizes of marks and arrows follow; of two runs, that of the first */
        readonly extent: Extent,
        /** what the camera is to see of this run */
        readonly seen: Extent = extent,
    ) {
        const { model } = run;
        this.bodies = new Bodies(model, 0.012 * extent.size);
        this.planes = new Planes(model, extent.centre, extent.size);
        this.measures = measure(model, this.bodies.reach, extent.size);
        const g = new THREE.Vector3(...model.gravity);
        const none = model.dim === 2 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1);
        this.up = g.length() > 0 ? g.normalize().negate() : none;
        this.bodyLayers = new BodyLayers(model.dim, this.up);
        this.speedScale = 2 * (this.measures.speed || extent.size);
        this.group.add(
            this.planes.group,
            this.bodies.shadows,
            this.bodies.group,
            this.bodyLayers.group,
            this.contactLayers.group,
        );
    }

    /** Draws a frame if its poses are there; layers whose data is missing follow when it arrives. */
    show(frame: number, look: Look, playing: boolean): boolean {
        const pose = this.run.pose(frame, playing);
        if (!pose) return false;
        const { layers } = look;
        const wantTwist = layers.velocities || look.colourBy === 'speed';
        const wantContact = wantsContacts(layers);
        const twist = wantTwist ? this.run.twist(frame, playing) : undefined;
        const contacts = wantContact ? this.run.contacts(frame, playing) : undefined;
        if (layers.paths) this.askPaths();
        this.incomplete =
            (wantTwist && this.run.has.twists && !twist) || (wantContact && this.run.has.contacts && !contacts);
        this.bodies.place(pose);
        this.planes.place(pose);
        this.bodies.colour(
            (body, shape) => this.colourOf(body, shape, look, twist?.velocity),
            (body) => (body === look.selected ? MARK.selected : body === look.hovered ? MARK.hover : MARK.none),
        );
        this.bodies.paint(look.theme);
        this.planes.paint(look.theme);
        this.bodies.edges = layers.edges;
        const { floor } = this.planes;
        this.shadows = layers.shadows && this.run.model.dim === 3 && floor !== undefined;
        const light = LIGHT_FROM.clone();
        if (this.up.z < 0.9)
            light.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up));
        this.bodies.light(light.normalize(), this.up, floor, this.extent.size);
        const moment = {
            model: this.run.model,
            bodies: this.bodies,
            pose,
            twist,
            contacts,
            paths: this.paths,
            measures: this.measures,
            theme: look.theme,
            selected: look.selected,
            arrows: look.arrows,
        };
        this.contactLayers.update(moment, layers);
        this.bodyLayers.update(moment, layers);
        this.shown = frame;
        return true;
    }

    resize(width: number, height: number, pixels: number): void {
        this.contactLayers.resize(width, height, pixels);
        this.bodyLayers.resize(width, height, pixels);
        this.bodies.pixels = pixels;
        this.planes.pixels = pixels;
    }

    pick(ray: THREE.Ray): { body: number; distance: number } {
        const solid = this.bodies.pick(ray);
        return solid.body >= 0 ? solid : this.planes.pick(ray);
    }

    colourOf(body: number, shape: number, look: Look, velocity?: Float64Array): Rgb {
        const { bodies, shapes } = this.run.model;
        const own = look.own.get(bodies.name[body]);
        if (own) return own;
        const given = shape >= 0 ? (shapes.colour[shape] ?? 0) : 0;
        if (given !== 0 && look.colourBy !== 'material' && look.colourBy !== 'speed') return rgb(given & 0xffffff);
        const kind = bodies.kind[body];
        if (look.colourBy === 'material' && shape >= 0) return PALETTE[shapes.material[shape] % PALETTE.length];
        if (kind === 0 || look.colourBy === 'kind') return look.theme.kind[kind];
        if (look.colourBy === 'body') return PALETTE[body % PALETTE.length];
        if (!velocity) return look.theme.kind[kind];
        const speed = Math.hypot(velocity[3 * body], velocity[3 * body + 1], velocity[3 * body + 2]);
        return ramp(speed / this.speedScale);
    }

    get fastest(): number {
        return this.speedScale;
    }

    /** A live run was reset, or grew: paths are to be read again. */
    forgetPaths(): void {
        this.paths = undefined;
        this.pathsAsked = false;
    }

    dispose(): void {
        this.bodies.dispose();
        this.planes.dispose();
        this.contactLayers.dispose();
        this.bodyLayers.dispose();
    }

    private askPaths(): void {
        if (this.pathsAsked) return;
        this.pathsAsked = true;
        this.run
            .paths()
            .then((p) => {
                this.paths = p;
                this.run.onArrived();
            })
            .catch((e: unknown) => this.run.onFailed(e instanceof Error ? e : new Error(String(e))));
    }
}
