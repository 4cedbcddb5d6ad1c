/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* note.c - error reports about a model file, with the element, and the lines of the report. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "robot/model/robot.h"

#define NOTES_MOST 10000 /* [lines] most of a report */

/* `joint elbow: axis.xyz`: the nearest element with a name, then what is wrong in it. A value that is the text of an element has the element around it before it. */
static void way_to(const pp_xml *e, const char *attribute, char *out, size_t size) {
    const pp_xml *named = e;
    while (named && !pp_xml_get(named, "name")) named = named->parent;
    out[0] = 0;
    size_t n = 0;
    if (named && named->parent) {
        const char *name = pp_xml_get(named, "name");
        n = (size_t)snprintf(out, size, "%s %.100s", named->name, name);
        if (n >= size) return;
    }
    const char *gap = n > 0 ? ": " : "";
    bool within = !attribute && e != named && e->parent && e->parent != named && e->text[0];
    if (within) {
        attribute = e->name;
        e = e->parent;
    }
    if (named != e || n == 0)
        (void)snprintf(out + n, size - n, "%s%s%s%s", gap, e->name, attribute ? "." : "", attribute ? attribute : "");
    else if (attribute)
        (void)snprintf(out + n, size - n, "%s%s", gap, attribute);
}

perp_status pp_robot_wrong(pp_import *m, const pp_xml *e, const char *attribute, const char *found,
                           const char *allowed) {
    char key[200];
    way_to(e, attribute, key, sizeof key);
    return pp_complain(m->why, PERP_E_ARG, pp_xml_place(e), key, found, allowed);
}

perp_status pp_robot_say(pp_import *m, perp_status s, const pp_xml *e, const char *format, ...) {
    char key[200], words[900];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (!e) return pp_complain_say(m->why, s, (pp_location){m->path, 0, 0}, NULL, "%s", words);
    way_to(e, NULL, key, sizeof key);
    return pp_complain_say(m->why, s, pp_xml_place(e), key, "%s", words);
}

perp_status pp_robot_no_memory(pp_import *m) {
    return pp_complain_say(m->why, PERP_E_MEMORY, (pp_location){m->path, 0, 0}, NULL, "no memory for the model");
}

perp_status pp_robot_note(pp_import *m, perp_import_kind kind, const pp_xml *e, const char *format, ...) {
    char words[600], shown[640];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(words, sizeof words, format, args);
    va_end(args);
    (void)pp_printable(shown, sizeof shown, words, strlen(words));
    for (int i = 0; i < m->nnote; i++)
        if (m->note[i].kind == kind && !strcmp(m->note[i].text, shown)) {
            m->note[i].count++;
            return PERP_OK;
        }
    if (m->nnote == NOTES_MOST) return PERP_OK;
    char *text = pp_pool_text(&m->pool, shown, strlen(shown));
    if (!text || !PP_GROW(&m->alloc, m->note, m->cap_note, m->nnote, m->nnote + 1)) return pp_robot_no_memory(m);
    m->note[m->nnote++] = (perp_import_note){kind, text, e ? e->file : "", e ? e->line : 0, 1};
    return PERP_OK;
}

perp_status pp_robot_missing(pp_import *m, const pp_xml *e, const char *attribute, const char *name, const char *what,
                             const char *(*name_at)(const pp_import *m, int i)) {
    const char *best = NULL;
    for (int i = 0; name_at(m, i); i++) { /* pp_suggest() wants a list; one by one it finds the first that is near */
        const char *one[] = {name_at(m, i), NULL};
        const char *near = one[0][0] ? pp_suggest(name, one) : NULL;
        if (near && (!best || strlen(near) == strlen(name))) best = near;
    }
    char found[160], allowed[300];
    (void)snprintf(found, sizeof found, "\"%.100s\"", name);
    if (best)
        (void)snprintf(allowed, sizeof allowed, "the name of %s (did you mean %.100s?)", what, best);
    else
        (void)snprintf(allowed, sizeof allowed, "the name of %s", what);
    return pp_robot_wrong(m, e, attribute, found, allowed);
}

const char *perp_import_kind_name(perp_import_kind kind) {
    static const char *const name[] = {"ignored", "approximated", "repaired", "assumed"};
    return (unsigned)kind < 4 ? name[kind] : "";
}
int perp_import_note_count(const perp_import *m) { return m->nnote; }
perp_import_note perp_import_note_at(const perp_import *m, int i) {
    if (i < 0 || i >= m->nnote) return (perp_import_note){PERP_IMPORT_IGNORED, "", "", 0, 0};
    return m->note[i];
}
