/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* experiment_page.c - results of experiments as pages of the documentation, in Markdown */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "experiment/experiment.h"

void experiment_show(char *out, size_t size, double x) {
    if (isnan(x))
        snprintf(out, size, "none");
    else
        snprintf(out, size, "%.10g", x == 0 ? 0 : x); /* no -0 */
}

void experiment_show_error(char *out, size_t size, double x) {
    if (isnan(x))
        snprintf(out, size, "-");
    else if (x == 0)
        snprintf(out, size, "0");
    else
        snprintf(out, size, "%+.1e", x);
}

void experiment_show_limit(char *out, size_t size, const exp_check *c) {
    if (!c->applies)
        snprintf(out, size, "-");
    else
        snprintf(out, size, "%s%.3g", c->below.node ? "<= " : c->above.node ? ">= " : "", c->bound);
}

/* In a table a bar would end the cell, and a line break the row. */
static void cell(FILE *f, const char *text) {
    for (const char *c = text; *c; c++) {
        if (*c == '|')
            fputs("\\|", f);
        else
            fputc(*c == '\n' ? ' ' : *c, f);
    }
}

static void write_table(FILE *f, const experiment *e) {
    bool published = false, notes = false;
    for (int i = 0; i < e->ncheck; i++) {
        published = published || e->check[i].published;
        notes = notes || e->check[i].note;
    }
    fprintf(f, "| quantity | measured | reference |%s error | limit | |%s\n", published ? " published |" : "",
            notes ? " |" : "");
    fprintf(f, "|---|---|---|%s---|---|---|%s\n", published ? "---|" : "", notes ? "---|" : "");
    for (int i = 0; i < e->ncheck; i++) {
        const exp_check *c = &e->check[i];
        char got[40], expected[40] = "", error[40] = "", limit[40];
        experiment_show(got, sizeof got, c->got);
        if (c->applies && c->reference.node) {
            experiment_show(expected, sizeof expected, c->expected);
            experiment_show_error(error, sizeof error, c->error);
        }
        experiment_show_limit(limit, sizeof limit, c);
        fputs("| ", f);
        cell(f, c->what);
        if (c->unit) fprintf(f, " [%s]", c->unit);
        fprintf(f, " | %s | %s |", got, expected);
        if (published) {
            fputc(' ', f);
            cell(f, c->published ? c->published : "");
            fputs(" |", f);
        }
        fprintf(f, " %s | %s | %s |", error, limit, !c->applies ? "-" : c->ok ? "ok" : "**no**");
        if (notes) {
            fputc(' ', f);
            cell(f, c->note ? c->note : "");
            fputs(" |", f);
        }
        fputc('\n', f);
    }
    fputc('\n', f);
}

static void write_instead(FILE *f, const exp_instead *x, bool more) {
    exp_instead all = *x;
    int left = 0;
    for (int i = 0; override_name(i); i++) left += *override_value(&all, i) != NULL;
    for (int i = 0; override_name(i); i++)
        if (*override_value(&all, i))
            fprintf(f, "%s: %s%s", override_name(i), *override_value(&all, i), --left || more ? ", " : "");
}

static void write_sweeps(FILE *f, const experiment *e) {
    if (!e->nsweep) return;
    fputs("| sweep | scene | over | runs |\n|---|---|---|---|\n", f);
    for (int k = 0; k < e->nsweep; k++) {
        const exp_sweep *s = &e->sweep[k];
        fprintf(f, "| %s%s | %s | ", s->name, s->only_long ? " (`--long`)" : "", s->scene ? s->scene : "scene.yaml");
        write_instead(f, &s->instead, true);
        for (int a = 0; a < s->naxis; a++) {
            fprintf(f, "%s%s: ", a ? "; " : "", s->axis[a].name);
            for (uint32_t v = e->tree.node[s->axis[a].list].first, n = 0; v; v = e->tree.node[v].next)
                fprintf(f, "%s%s", n++ ? ", " : "", pp_yaml_text(&e->tree, v));
        }
        fprintf(f, " | %d |\n", s->nrun);
    }
    fputc('\n', f);
}

static void write_runs(FILE *f, const experiment *e) {
    if (e->nrun < 2 || e->run[0].sweep >= 0) return;
    fputs("| run | scene | parameters set |\n|---|---|---|\n", f);
    for (int i = 0; i < e->nrun && e->run[i].sweep < 0; i++) {
        const exp_run *r = &e->run[i];
        fprintf(f, "| %s | %s | ", r->name, r->scene);
        write_instead(f, &r->instead, r->ndefine > 0);
        for (int k = 0; k < r->ndefine; k++)
            for (int j = 0; j < r->nparameter; j++)
                if (!strcmp(r->define[k].name, r->parameter[j].name))
                    fprintf(f, "%s%s = %.10g", k ? ", " : "", r->parameter[j].name, r->parameter[j].value);
        fputs(" |\n", f);
    }
    fputc('\n', f);
}

static perp_status write_scenes(FILE *f, const experiment *e, perp_refusal *why) {
    for (int i = 0; i < e->nrun; i++) {
        bool before = false;
        for (int k = 0; k < i; k++) before = before || !strcmp(e->run[k].scene, e->run[i].scene);
        if (before) continue;
        char *data;
        size_t size;
        char path[EXPERIMENT_PATH + 300];
        snprintf(path, sizeof path, "%s/%s", e->folder, e->run[i].scene);
        perp_status s = pp_source_read(&experiment_memory, path, path, &data, &size, why);
        if (s) return s;
        fprintf(f, "`experiments/%s/%s`:\n\n```yaml\n", e->name, e->run[i].scene);
        fwrite(data, 1, size, f);
        fprintf(f, "%s```\n\n", size && data[size - 1] != '\n' ? "\n" : "");
        pp_free(&experiment_memory, data);
    }
    return PERP_OK;
}

/* Writes beside the target and renames, so that a failure leaves the old page. */
static FILE *begin(const char *path, char *part, size_t size, perp_refusal *why) {
    int n = snprintf(part, size, "%s.part", path);
    FILE *f = n > 0 && (size_t)n < size ? fopen(part, "wb") : NULL;
    if (!f) pp_complain_say(why, PERP_E_IO, (pp_location){path, 0, 0}, "", "cannot be written: %s", strerror(errno));
    return f;
}

static perp_status finish(FILE *f, const char *part, const char *path, perp_status s, perp_refusal *why) {
    bool good = !ferror(f);
    good = fclose(f) == 0 && good;
    if (!s && (!good || rename(part, path)))
        s = pp_complain_say(why, PERP_E_IO, (pp_location){path, 0, 0}, "", "cannot be written: %s", strerror(errno));
    if (s) remove(part);
    return s;
}

perp_status experiment_page(experiment *e, const char *path, perp_refusal *why) {
    char part[EXPERIMENT_PATH + 8], image[EXPERIMENT_PATH], prefix[160];
    FILE *f = begin(path, part, sizeof part, why);
    if (!f) return PERP_E_IO;
    fprintf(f, "<!-- Made by `perp experiment %s --page` from experiments/%s/experiment.yaml. -->\n", e->name, e->name);
    fprintf(f, "# %s: %s\n\n%s\n", e->name, e->title, e->about);
    if (e->source) fprintf(f, "\n*Source:* %s\n", e->source);
    fprintf(f, "\nRun it: `perp experiment %s`\n\n## Results\n\n", e->name);
    write_table(f, e);
    perp_status s = experiment_tables_write(e, f, true, why);
    snprintf(prefix, sizeof prefix, "%s-", e->name);
    for (int i = 0; i < e->nplot; i++) {
        const exp_plot *p = &e->plot[i];
        if (!p->drawn || !experiment_plot_path(p, "img", prefix, image, sizeof image)) continue;
        const char *about = p->about ? p->about : p->title ? p->title : p->file;
        fprintf(f, "![%s](%s)\n\n", p->title ? p->title : p->file, image);
        if (about != p->title) fprintf(f, "%s\n\n", about);
    }
    fputs("## Scene\n\n", f);
    write_runs(f, e);
    write_sweeps(f, e);
    if (!s) s = write_scenes(f, e, why);
    return finish(f, part, path, s, why);
}

perp_status experiment_index(const exp_summary *s, int n, const char *path, perp_refusal *why) {
    char part[EXPERIMENT_PATH + 8];
    FILE *f = begin(path, part, sizeof part, why);
    if (!f) return PERP_E_IO;
    fputs("<!-- Made by `perp experiment --all --page FOLDER`. -->\n# Results of the experiments\n\n"
          "| experiment | what | checks that hold |\n|---|---|---|\n",
          f);
    for (int i = 0; i < n; i++) {
        fprintf(f, "| [%s](%s.md) | ", s[i].name, s[i].name);
        cell(f, s[i].title);
        fprintf(f, " | %d of %d |\n", s[i].held, s[i].checks);
    }
    return finish(f, part, path, PERP_OK, why);
}
