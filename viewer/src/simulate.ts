/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The page that simulates: the scene as text beside the picture; a worker computes.
import './ui/style.css';
import './simulate/simulate.css';

import { App } from './app/app.ts';
import { Film } from './app/capture.ts';
import { exposeState } from './app/expose.ts';
import { poseOf } from './app/wait.ts';
import { LiveRun } from './data/live.ts';
import { extentOf } from './draw/extent.ts';
import { Checker, Simulator, Superseded } from './simulate/client.ts';
import type { Schema } from './simulate/complete.ts';
import { Editor } from './simulate/editor.ts';
import { embedded, listen, tell, type Handed } from './simulate/embed.ts';
import { EXAMPLES } from './simulate/examples.ts';
import { checkScene } from './simulate/limits.ts';
import type { Complaint } from './simulate/protocol.ts';
import { fromLink, toLink } from './simulate/share.ts';
import { charts } from './ui/charts.ts';
import { h } from './ui/dom.ts';
import { hover } from './ui/hover.ts';
import { keys } from './ui/keys.ts';
import { labels } from './ui/labels.ts';
import { legend } from './ui/legend.ts';
import { liveBar } from './ui/live.ts';
import { bigMessage, notices } from './ui/message.ts';
import { parameters } from './ui/parameters.ts';
import { pull } from './ui/pull.ts';
import { sidebar } from './ui/sidebar.ts';
import { topbar } from './ui/topbar.ts';
import { transport } from './ui/transport.ts';
import { triad } from './ui/triad.ts';

/** Up to this width the scene lies above the picture, as in simulate.css [CSS pixels]. */
const NARROW_PAGE = 720;
/** Figures of a run are shown anew at most this often while it goes on [ms]. */
const TELL_EVERY = 200;
/** A scene is read this long after the last letter was typed [ms]. */
const CHECK_AFTER = 350;

function words(e: unknown): string {
    return e instanceof Error ? e.message : String(e);
}

/** A file for the user, without a server. */
function save(name: string, data: BlobPart, type: string): void {
    const a = h('a', { href: URL.createObjectURL(new Blob([data], { type })), download: name });
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}

class Simulate {
    private readonly picture = h('main.picture', { 'data-testid': 'picture' });
    private readonly app: App;
    private readonly editor = new Editor();
    private readonly simulator = new Simulator();
    private readonly checker = new Checker();
    private checking: ReturnType<typeof setTimeout> | undefined;
    private readonly status = h('p.status', { 'data-testid': 'status', role: 'status' });
    private readonly bar: ReturnType<typeof liveBar>;
    private readonly scene: HTMLElement;
    private readonly sliders = parameters();
    private run: LiveRun | undefined;
    private failed: HTMLElement | undefined;
    /** values of parameters that were set; a new scene forgets them */
    private define: Record<string, number> = {};
    /** where a scene was handed over from, with its files */
    private handed: Pick<Handed, 'path' | 'files'> | undefined;
    /** a recording is being made */
    private recording = false;
    /** a scene was run or chosen, perhaps before perp was loaded */
    private asked = false;

    constructor(parent: HTMLElement) {
        this.app = new App(this.picture);
        exposeState(this.app);
        const film = new Film(this.app);
        const dock = charts(this.app);
        const panel = sidebar(this.app);
        const toggle = (what: 'charts' | 'panel' | 'help'): void => {
            const part = what === 'charts' ? dock : what === 'panel' ? panel : help;
            part.hidden = !part.hidden;
        };
        const help = keys(this.app, {
            toggle,
            film: () => (film.running ? film.stop() : film.start()),
            closeHelp: () => {
                const open = !help.hidden;
                help.hidden = true;
                return open;
            },
        });
        dock.hidden = panel.hidden = embedded() || window.innerWidth <= NARROW_PAGE;
        const top = topbar(this.app, {
            names: () => [],
            chosen: () => ({ first: 0, second: -1, layout: 'single' }),
            choose: () => undefined,
            toggle,
            film,
        });
        this.bar = liveBar(this.app);
        this.bar.root.hidden = true;
        this.sliders.root.hidden = true;
        this.picture.append(
            legend(this.app),
            triad(this.app),
            labels(this.app),
            hover(this.app),
            notices(this.app),
            this.bar.root,
        );
        panel.querySelector('section')?.before(this.sliders.root);
        pull(this.app, this.picture);
        this.scene = h(
            'section.scene',
            {},
            this.tools(),
            this.editor.root,
            h('div.below', {}, this.status, this.documents(parent.dataset.docs)),
        );
        this.scene.hidden = embedded();
        const root = h(
            embedded() ? 'div.page.embedded' : 'div.page',
            {},
            top,
            h('div.middle.with-scene', {}, this.scene, h('div.stage', {}, this.picture, dock), panel),
            transport(this.app),
            help,
        );
        parent.replaceChildren(root);
        this.editor.onRun = () => void this.start(false);
        this.editor.onChange = () => {
            clearTimeout(this.checking);
            this.checking = setTimeout(() => this.check(), CHECK_AFTER);
        };
        this.simulator.onEnd = () => {
            this.run?.close();
            this.run = undefined;
        };
        this.simulator.onStopped = (why) => this.fail(why);
        this.app.on((change) => {
            if (change === 'look') document.documentElement.dataset.theme = this.app.look.theme.name;
        });
        document.documentElement.dataset.theme = this.app.look.theme.name;
        window.addEventListener('hashchange', () => void this.openLink());
    }

    async begin(): Promise<void> {
        this.say('loading perp …');
        if (!embedded()) this.editor.text = EXAMPLES[0].text;
        try {
            const { schema, version } = await this.simulator.load();
            this.editor.setSchema(schema as Schema);
            this.say(`perp ${version}`);
        } catch (e) {
            this.fail(words(e));
            return;
        }
        if (embedded()) {
            const edit = (): void => {
                this.scene.hidden = !this.scene.hidden;
            };
            listen({ scene: (handed) => void this.take(handed), edit });
            return;
        }
        // whoever was faster has begun already
        if (!(await this.openLink()) && !this.asked) await this.start(true);
    }

    /** A scene from the page around this one runs at once; that page gets a link to it, unless it needs files. */
    private async take(handed: Handed): Promise<void> {
        this.editor.text = handed.text;
        this.handed = handed;
        this.define = handed.define;
        await this.start(false, false);
        if (Object.keys(handed.files).length > 0) return;
        const hash = await toLink({ text: handed.text, define: handed.define }).catch(() => undefined);
        if (hash) tell({ perp: 'link', hash });
    }

    /** Another scene than before, which waits. */
    private replace(text: string): void {
        this.editor.text = text;
        this.handed = undefined;
        void this.start(true);
    }

    /** The scene that the address holds is shown, and waits for the user; false: it holds none. */
    private async openLink(): Promise<boolean> {
        try {
            const shared = await fromLink(location.hash);
            if (!shared) return false;
            this.editor.text = shared.text;
            this.define = shared.define;
            await this.start(true, false);
        } catch (e) {
            this.fail(words(e));
        }
        return true;
    }

    /** Where the keys of a scene are described, if this page is a part of the site. */
    private documents(folder: string | undefined): HTMLElement | undefined {
        return folder === undefined
            ? undefined
            : h('a', { href: folder + 'scene.html', target: '_blank', 'data-testid': 'documents' }, 'Scene reference');
    }

    private tools(): HTMLElement {
        const button = (testid: string, text: string, title: string, act: () => void, first = false): HTMLElement =>
            h(first ? 'button.primary' : 'button', { 'data-testid': testid, title, onclick: act }, text);
        const examples = h(
            'select',
            { 'data-testid': 'examples', title: 'Examples' },
            h('option', { value: '' }, 'Examples'),
            ...EXAMPLES.map((e, i) => h('option', { value: i }, e.name)),
        );
        examples.addEventListener('change', () => {
            const e = EXAMPLES[Number(examples.value)];
            examples.value = '';
            if (e) this.replace(e.text);
        });
        const file = h('input', { type: 'file', accept: '.yaml,.yml', 'data-testid': 'open-file' });
        file.hidden = true;
        file.addEventListener('change', () => {
            void file.files?.[0]?.text().then((text) => this.replace(text));
        });
        return h(
            'div.tools',
            {},
            button('run', '▶ Run', 'Run the scene (Ctrl Enter)', () => void this.start(false), true),
            examples,
            button('open', 'Open', 'Open a scene from a file', () => file.click()),
            file,
            button('save', 'Save', 'Save the scene as a file', () =>
                save('scene.yaml', this.editor.text, 'application/yaml'),
            ),
            button(
                'save-recording',
                'Recording',
                'Save the run so far as a recording (HDF5)',
                () => void this.saveRecording(),
            ),
            button('link', 'Link', 'Put the scene into the address and copy it', () => void this.share()),
        );
    }

    /** Marks what is wrong with the scene as it is typed. */
    private check(): void {
        const { text } = this.editor;
        const tell = (why: Complaint | undefined): void => {
            if (this.editor.text === text) this.editor.complain(why);
        };
        try {
            checkScene(text);
        } catch (e) {
            tell({ message: words(e), line: 0, column: 0 });
            return;
        }
        this.checker.check({ text, define: {}, paused: true, ...this.handed }, tell);
    }

    /** Begins anew with the text of the editor. `fresh`: parameters that were set are forgotten. */
    private async start(paused: boolean, fresh = true): Promise<void> {
        if (fresh) this.define = {};
        this.asked = true;
        clearTimeout(this.checking);
        try {
            checkScene(this.editor.text);
            const { path, files } = this.handed ?? {};
            const why = await this.simulator.open({
                text: this.editor.text,
                define: this.define,
                paused,
                path,
                files,
            });
            this.editor.complain(why);
            if (why) {
                this.say('the scene was refused');
                return;
            }
            this.failed?.remove();
            this.failed = undefined;
            // a run that is shown already notices by itself that another one has begun
            if (!this.run) await this.show();
        } catch (e) {
            this.trouble(e);
        }
    }

    private async show(): Promise<void> {
        const first = this.run === undefined;
        const run = await LiveRun.open(this.simulator);
        this.run = run;
        await run.begin();
        const pose = await poseOf(run, 0);
        run.onBegan = () => {
            this.show().catch((e: unknown) => this.trouble(e));
        };
        this.app.setRuns([{ run, extent: extentOf(run.model, pose, []) }], 'single', !first);
        if (first) this.app.setCamera('fit');
        this.bar.root.hidden = false;
        this.bar.attach(run);
        const grown = run.onGrown;
        let told = 0;
        run.onGrown = () => {
            grown();
            const now = performance.now();
            if (now - told < TELL_EVERY && run.state === 'running') return;
            told = now;
            void this.tell();
        };
        this.sliders.attach(run);
        this.app.seek(this.app.player.last);
        void this.tell();
    }

    /** Steps, time and pace of the run; its state when it has ended. */
    private async tell(): Promise<void> {
        const f = await this.simulator.figures().catch(() => undefined);
        if (!f) return;
        this.define = f.define;
        const rate = f.seconds > 0 ? `, ${Math.round(f.steps / f.seconds)} steps a second` : '';
        this.say(`step ${f.steps}, time ${f.time.toPrecision(5)}${rate}, state ${f.hash}`);
        this.status.dataset.hash = f.hash;
        this.status.dataset.steps = String(f.steps);
        this.status.dataset.rate = f.seconds > 0 ? String(f.steps / f.seconds) : '';
    }

    private async share(): Promise<void> {
        try {
            const link = await toLink({ text: this.editor.text, define: this.define });
            history.replaceState(null, '', link);
            await navigator.clipboard?.writeText(location.href).catch(() => undefined);
            this.say('the address of this page holds the scene now');
        } catch (e) {
            this.say(words(e));
        }
    }

    private async saveRecording(): Promise<void> {
        if (this.recording) return;
        this.recording = true;
        try {
            const file = await this.simulator.record((steps, of) => this.say(`recording: step ${steps} of ${of}`));
            save('scene.h5', file as BlobPart, 'application/x-hdf5');
            this.say(`the recording has ${file.length} bytes`);
        } catch (e) {
            this.say(words(e));
        } finally {
            this.recording = false;
        }
    }

    private say(text: string): void {
        this.status.textContent = text;
    }

    private trouble(e: unknown): void {
        if (!(e instanceof Superseded)) this.fail(words(e));
    }

    private fail(text: string): void {
        this.failed?.remove();
        this.failed = bigMessage('The scene is not simulated', text);
        this.picture.append(this.failed);
        this.run?.close();
        this.run = undefined;
        this.say(text);
    }
}

const parent = document.getElementById('app');
if (parent) {
    try {
        void new Simulate(parent).begin();
    } catch (e) {
        parent.replaceChildren(bigMessage('The page cannot start', words(e)));
    }
}
