/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Which documents the navigation shows, in which order. A document that is not listed is added to the last section.

export const SECTIONS = [
    {
        title: 'Start',
        pages: [
            'README.md',
            'docs/guide.md',
            'docs/gallery.md',
            'docs/install.md',
            'docs/troubleshooting.md',
            'docs/glossary.md',
        ],
    },
    {
        title: 'Scenes',
        pages: ['docs/scene.md', 'docs/robots.md', 'docs/import.md', 'docs/impacts.md', 'docs/combinations.md'],
    },
    {
        title: 'Results',
        pages: [
            'docs/viewer.md',
            'docs/recording.md',
            'docs/studies.md',
            'docs/study-methods-*.md',
            'studies/*.md',
            'studies/*/README.md',
        ],
    },
    {
        title: 'Theory',
        pages: ['docs/theory.md', 'docs/solvers.md', 'docs/solvers/*.md', 'docs/problems.md', 'problems/README.md'],
    },
    { title: 'Experiments', pages: ['docs/experiments.md', 'docs/experiments/README.md', 'docs/experiments/*.md'] },
    {
        title: 'Programming',
        pages: [
            'docs/library.md',
            'docs/python.md',
            'docs/python-mujoco.md',
            'docs/wasm.md',
            'docs/simulate.md',
            'docs/extending.md',
        ],
    },
    { title: 'Evidence', pages: ['docs/features.md', 'docs/benchmarks*.md', 'docs/defects.md', 'docs/testing.md'] },
    {
        title: 'Project',
        pages: ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/site.md', 'docs/constants.md', 'CHANGELOG.md'],
    },
];
/** Links of the bar on top. */
export const MAIN = [
    ['docs/guide.md', 'Guide'],
    ['docs/scene.md', 'Scenes'],
    ['docs/gallery.md', 'Gallery'],
    ['docs/theory.md', 'Theory'],
    ['docs/experiments/README.md', 'Experiments'],
];
/** Folders with many pages; the navigation shows them only beside one of them. */
export const FOLDED = ['docs/solvers/', 'docs/experiments/', 'studies/', 'problems/'];

function matches(pattern, path) {
    const [before, after] = pattern.split('*');
    if (after === undefined) return path === pattern;
    const middle = path.slice(before.length, path.length - after.length);
    return (
        path.startsWith(before) && path.endsWith(after) && path.length >= pattern.length - 1 && !middle.includes('/')
    );
}

/** The documents in the order of the sections: [{ title, pages: [path] }]. */
export function arrange(paths) {
    const left = new Set(paths);
    const sections = SECTIONS.map(({ title, pages }) => ({
        title,
        pages: pages.flatMap((pattern) => {
            const found = [...left].filter((p) => matches(pattern, p)).sort();
            for (const p of found) left.delete(p);
            return found;
        }),
    }));
    sections.at(-1).pages.push(...[...left].sort());
    return sections.filter((s) => s.pages.length > 0);
}

/** Where the page of a document is, from the top of the site. */
export function addressOf(path) {
    return path.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');
}
