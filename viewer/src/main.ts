/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The page: finds what there is to show, puts its parts together.
import { offered } from './app/early.ts';
import './ui/style.css';

import { App, type Loaded } from './app/app.ts';
import { load } from './app/load.ts';
import { poseOf } from './app/wait.ts';
import { Film } from './app/capture.ts';
import { exposeState } from './app/expose.ts';
import { LiveRun, ServerLink } from './data/live.ts';
import { type LiveOffer, type Offer, type Offers } from './data/source.ts';
import { extentOf } from './draw/extent.ts';
import type { Layout } from './draw/stage.ts';
import { charts } from './ui/charts.ts';
import { h } from './ui/dom.ts';
import { hover } from './ui/hover.ts';
import { labels } from './ui/labels.ts';
import { keys } from './ui/keys.ts';
import { legend } from './ui/legend.ts';
import { liveBar } from './ui/live.ts';
import { bigMessage, notices } from './ui/message.ts';
import { parameters } from './ui/parameters.ts';
import { pull } from './ui/pull.ts';
import { sidebar } from './ui/sidebar.ts';
import { topbar } from './ui/topbar.ts';
import { triad } from './ui/triad.ts';
import { transport } from './ui/transport.ts';

/** Below this height the charts would leave too little of the picture [CSS pixels]. */
const LOW_PAGE = 620;
/** Up to this width the panel lies over the picture, as in style.css [CSS pixels]. */
const NARROW_PAGE = 720;

function words(e: unknown): string {
    return e instanceof Error ? e.message : String(e);
}

class Page {
    private readonly picture = h('main.picture', { 'data-testid': 'picture' });
    private readonly busyText = h('span', {}, 'reading …');
    private readonly busy = h('div.busy', { 'data-testid': 'busy', role: 'status' }, h('span.spinner'), this.busyText);
    private readonly root: HTMLElement;
    private readonly app: App;
    private readonly loaded = new Map<number, Promise<Loaded>>();
    private offers: Offer[] = [];
    private chosen = { first: 0, second: -1, layout: 'single' as Layout };
    private failed: HTMLElement | undefined;
    private readonly panel: HTMLElement;
    private liveBar: ReturnType<typeof liveBar> | undefined;
    private parameters: ReturnType<typeof parameters> | undefined;

    constructor(parent: HTMLElement) {
        this.root = h('div.page');
        parent.replaceChildren(this.root);
        this.app = new App(this.picture);
        exposeState(this.app);
        const film = new Film(this.app);
        const filming = (): void => (film.running ? film.stop() : film.start());
        const dock = charts(this.app);
        const panel = sidebar(this.app);
        this.panel = panel;
        const toggle = (what: 'charts' | 'panel' | 'help'): void => {
            const part = what === 'charts' ? dock : what === 'panel' ? panel : help;
            part.hidden = !part.hidden;
        };
        const help = keys(this.app, {
            toggle,
            film: filming,
            closeHelp: () => {
                const open = !help.hidden;
                help.hidden = true;
                return open;
            },
        });
        const narrow = window.innerWidth <= NARROW_PAGE;
        dock.hidden = narrow || window.innerHeight < LOW_PAGE;
        panel.hidden = narrow;
        const top = topbar(this.app, {
            names: () => this.offers.map((o) => o.name),
            chosen: () => this.chosen,
            choose: (first, second, layout) => void this.choose(first, second === first ? -1 : second, layout),
            toggle,
            film,
        });
        this.picture.append(
            legend(this.app),
            triad(this.app),
            labels(this.app),
            hover(this.app),
            notices(this.app),
            this.busy,
        );
        this.root.append(
            top,
            h('div.middle', {}, h('div.stage', {}, this.picture, dock), panel),
            transport(this.app),
            help,
        );
        this.app.on((change) => {
            if (change === 'look') this.setTheme();
        });
        this.setTheme();
    }

    async start(found: Promise<Found>): Promise<void> {
        try {
            const { offers, first } = await found;
            // the worker is at work: time for what else the first picture needs
            this.app.stage.warmUp();
            this.offers = offers.recordings;
            if (first) this.loaded.set(0, first);
            if (offers.live) await this.startLive(offers.live);
            else if (this.offers.length > 0) await this.choose(0, -1, 'single');
            else this.fail('Nothing to show', 'The server offers no recording.');
        } catch (e) {
            this.fail('Nothing to show', words(e));
        }
    }

    fail(title: string, text: string): void {
        this.busy.hidden = true;
        this.failed?.remove();
        this.failed = bigMessage(title, text);
        this.picture.append(this.failed);
        this.app.fail(text);
    }

    private async choose(first: number, second: number, layout: Layout): Promise<void> {
        this.busy.hidden = false;
        this.busyText.textContent = `reading ${this.offers[second >= 0 ? second : first]?.name ?? ''} …`;
        this.failed?.remove();
        let at = first;
        try {
            const runs = [await this.open(first)];
            at = second;
            if (second >= 0) runs.push(await this.open(second));
            if (runs.length > 1 && runs[0].run.model.dim !== runs[1].run.model.dim)
                throw new Error('One recording is in 2D, the other in 3D: they cannot be compared.');
            this.chosen = { first, second, layout };
            this.app.setRuns(runs, layout);
            this.busy.hidden = true;
            this.closeOthers(first, second);
        } catch (e) {
            this.loaded.delete(at);
            this.chosen = { first, second: -1, layout: 'single' };
            this.app.setRuns([], 'single');
            this.fail(`${this.offers[at]?.name ?? 'The recording'} cannot be shown`, words(e));
        }
    }

    /** What is not shown gives its memory and its worker back. */
    private closeOthers(first: number, second: number): void {
        for (const [i, loaded] of this.loaded) {
            if (i === first || i === second) continue;
            this.loaded.delete(i);
            loaded.then(
                (l) => l.run.close(),
                () => undefined,
            );
        }
    }

    private open(i: number): Promise<Loaded> {
        let l = this.loaded.get(i);
        if (!l) {
            l = load(this.offers[i]);
            this.loaded.set(i, l);
        }
        return l;
    }

    /** `first`: no run of this page was shown before. */
    private async startLive(offer: LiveOffer, first = true): Promise<void> {
        const run = await LiveRun.open(new ServerLink(offer));
        await run.begin();
        const pose = await poseOf(run, 0);
        if (first) {
            this.liveBar = liveBar(this.app);
            this.parameters = parameters();
            this.picture.append(this.liveBar.root);
            this.panel.querySelector('section')?.before(this.parameters.root);
            pull(this.app, this.picture);
        }
        run.onBegan = () => {
            this.startLive(offer, false).catch((e: unknown) => this.fail('The run cannot be shown', words(e)));
        };
        this.app.setRuns([{ run, extent: extentOf(run.model, pose, []) }], 'single', !first);
        // what a run will do is not known before: the camera goes along
        if (first) this.app.setCamera('fit');
        this.busy.hidden = true;
        this.liveBar?.attach(run);
        this.parameters?.attach(run);
        this.app.seek(this.app.player.last);
    }

    private setTheme(): void {
        document.documentElement.dataset.theme = this.app.look.theme.name;
    }
}

/** What there is to show; the first recording is being opened already. */
interface Found {
    offers: Offers;
    first: Promise<Loaded> | undefined;
}

async function find(): Promise<Found> {
    const offers = await offered;
    const first = !offers.live && offers.recordings.length > 0 ? load(offers.recordings[0]) : undefined;
    // the page says what is wrong when it gets there
    first?.catch(() => undefined);
    return { offers, first };
}

const parent = document.getElementById('app');
if (parent) {
    try {
        // reading begins before the page is built: the worker has its own processor
        const found = find();
        found.catch(() => undefined);
        void new Page(parent).start(found);
    } catch (e) {
        // without a page there is still its body: never leave it blank
        parent.replaceChildren(bigMessage('The viewer cannot start', words(e)));
    }
}
