/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* page.c - a page in Markdown about a study: what it is, its tables, checks and figures. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "study/report.h"

perp_status report_page(const report *r, const pp_table *t, const char *path, const char *figures, perp_refusal *why) {
    const pp_study *s = r->study;
    char folder[CLI_PATH];
    int n = 0;
    snprintf(folder, sizeof folder, "%s", figures ? figures : path);
    char *slash = strrchr(folder, '/');
    if (!figures && slash)
        *slash = 0;
    else if (!figures)
        snprintf(folder, sizeof folder, ".");
    perp_status st = report_figures(r, t, folder, &n, why);
    if (st) return st;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "not enough memory");
    fprintf(to, "# %s\n\n", *s->title ? s->title : perp_scene_title(s->scene));
    if (*s->source) fprintf(to, "Source: %s\n\n", s->source);
    if (*s->about) fprintf(to, "%s\n", s->about);
    uint64_t failed = 0;
    for (uint64_t i = 0; i < t->n; i++) failed += pp_table_row(t, i)->outcome >= PP_TRIAL_UNSOLVED;
    fprintf(to, "\n%llu trials, %llu failed.\n", (unsigned long long)t->n, (unsigned long long)failed);
    st = report_print(r, t, to, true, why);
    for (int i = 0; !st && i < r->nentry; i++) {
        char name[160];
        const report_entry *e = &r->entry[i];
        if (e->kind == REPORT_TABLE) continue;
        report_file_name(r, i, name, sizeof name);
        fprintf(to, "\n![%s](%s)\n", e->title ? e->title : e->measure_name ? e->measure_name : "curves", name);
        if (e->about) fprintf(to, "\n%s\n", e->about);
    }
    if (fclose(to) && !st) st = pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "not enough memory");
    if (!st) st = plot_write_file(path, text, size, why);
    free(text);
    return st;
}
