/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Playing a trial: the server runs it again and records it; then the viewer opens the recording.
import { addressOf } from '../data/address.ts';
import { h } from '../ui/dom.ts';
import { hasServer, runTrial, trialAddress, trialState, type PlayState } from './data.ts';
import type { Session } from './session.ts';

/** How often the server is asked [ms]: a trial takes a fraction of a second to minutes. */
const ASK = 250;

export class Player {
    readonly status = h('div.play-status', { 'data-testid': 'play-status', role: 'status' });
    private wanted = -1;

    constructor(private readonly session: Session) {
        this.status.hidden = true;
    }

    /** Can trials be run? Only with a server that lets this page ask for it. */
    get able(): boolean {
        return hasServer() && (this.session.study?.token ?? '') !== '';
    }

    async play(trial: number): Promise<void> {
        this.wanted = trial;
        try {
            let now = await runTrial(trial, this.session.study?.token ?? '');
            while (now.state === 'waiting' || now.state === 'running') {
                this.say(trial, now);
                await new Promise((done) => setTimeout(done, ASK));
                if (this.wanted !== trial) return; // another one was chosen, or this one no more
                now = await trialState(trial);
            }
            if (this.wanted !== trial) return;
            this.say(trial, now);
            if (now.state === 'ready') location.assign(addressOf(trialAddress(trial)));
        } catch (e) {
            this.tell(`Trial ${trial}: ${e instanceof Error ? e.message : String(e)}`, trial);
        }
    }

    /** No longer waits for a trial; the server ends it by itself. */
    stop(): void {
        this.wanted = -1;
        this.status.hidden = true;
    }

    private say(trial: number, p: PlayState): void {
        const part = Number.isFinite(p.part) ? `, ${Math.round(100 * p.part)} %` : '';
        const words = {
            none: 'is not being run',
            waiting: 'waits for the trial before it',
            running: `is being run${part}`,
            ready: 'is opened',
            failed: `cannot be shown: ${p.why || 'the server does not say why'}`,
        };
        this.tell(`Trial ${trial} ${words[p.state]}`, trial);
    }

    private tell(text: string, trial: number): void {
        this.status.hidden = false;
        this.status.dataset.trial = String(trial);
        this.status.replaceChildren(text, h('button.small', { onclick: () => this.stop() }, 'Close'));
    }
}
