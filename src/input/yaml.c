/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* yaml.c - a YAML document as a plain tree with positions, over libyaml's events.
 *
 * Method: one pass over the events. Open lists and maps are a stack of at most PP_YAML_DEPTH levels; nodes and text
 * are appended to two arrays. One hash table holds, per map, the keys that were seen (owner: the map) and the anchors
 * (owner: 0), so a duplicate or an alias costs a constant. An alias is copied at once; copies share the text, and the
 * limit on nodes bounds what nested aliases can grow to. An alias to a level that is still open would make a ring and
 * is refused. The node of an alias has the place of the alias, what lies below has the places where it was written.
 * Cost: linear in the bytes and the nodes; 28 bytes per node. */
#include "input/input.h"
#include "base/hash.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <yaml.h>

#ifdef PERP_WITHOUT_YAML /* libyaml's header is not there, but a stand-in */

perp_status pp_yaml_parse(const perp_allocator *a, const char *file, const char *data, size_t size, pp_tree *out,
                          perp_refusal *why) {
    (void)data;
    (void)size;
    memset(out, 0, sizeof *out);
    if (a) out->alloc = *a;
    return pp_complain_say(why, PERP_E_FIT, (pp_location){file, 0, 0}, NULL, "%s", PERP_WITHOUT_YAML);
}

#else

#define TAG_LINES 16 /* largest number of %TAG lines */

#define HERE(mark) ((pp_location){r->tree->file, (int)(mark).line + 1, (int)(mark).column + 1})

typedef struct level {
    uint32_t node; /* the open list or map */
    uint32_t last; /* its last child */
    uint32_t key;  /* map: the key that waits for its value */
} level;

typedef struct slot {
    uint32_t owner; /* map of the key; 0: an anchor */
    uint32_t text, length;
    uint32_t node; /* the key; what the anchor names; 0: the slot is empty */
} slot;

typedef struct reading {
    pp_tree *tree;
    perp_refusal *why;
    level level[PP_YAML_DEPTH];
    int nlevel;
    slot *slot; /* cap_slot is a power of two; at most half are taken */
    uint32_t nslot, cap_slot;
} reading;

static perp_status no_memory(reading *r) {
    pp_location at = {r->tree->file, 0, 0};
    return pp_complain_say(r->why, PERP_E_MEMORY, at, NULL, "no memory for what it says");
}

/* Path to what is being read, such as bodies[3].mass, for a complaint. */
static const char *path(const reading *r, char *out, size_t size) {
    const pp_tree *t = r->tree;
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < r->nlevel && n + 1 < size; i++) {
        const pp_node *p = &t->node[r->level[i].node];
        char part[96];
        if (p->kind == PP_NODE_LIST) {
            (void)snprintf(part, sizeof part, "[%u]", p->length);
        } else if (r->level[i].key) {
            part[0] = '.';
            const pp_node *k = &t->node[r->level[i].key];
            (void)pp_printable(part + 1, sizeof part - 1, t->text + k->text, k->length);
        } else {
            break;
        }
        const char *from = part + (n == 0 && part[0] == '.');
        (void)pp_printable(out + n, size - n, from, strlen(from));
        n += strlen(out + n);
    }
    return out;
}

static perp_status complain(reading *r, yaml_mark_t mark, const char *found, const char *allowed) {
    char key[256];
    return pp_complain(r->why, PERP_E_ARG, HERE(mark), path(r, key, sizeof key), found, allowed);
}

/* ---- the table of keys and anchors ---- */

static slot *look(const reading *r, uint32_t owner, const char *text, uint32_t length) {
    uint64_t h = pp_hash(pp_hash(PP_HASH_START, &owner, sizeof owner), text, length);
    uint32_t mask = r->cap_slot - 1, i = (uint32_t)(h ^ h >> 32) & mask;
    for (;; i = (i + 1) & mask) {
        slot *s = &r->slot[i];
        if (s->node == 0) return s;
        if (s->owner == owner && s->length == length && memcmp(r->tree->text + s->text, text, length) == 0) return s;
    }
}

static bool room_for_slot(reading *r) {
    if (2 * (r->nslot + 1) <= r->cap_slot) return true;
    uint32_t n = r->cap_slot ? 2 * r->cap_slot : 256, before = r->cap_slot;
    slot *old = r->slot, *fresh = pp_alloc(&r->tree->alloc, n * sizeof *fresh);
    if (!fresh) return false;
    memset(fresh, 0, n * sizeof *fresh);
    r->slot = fresh;
    r->cap_slot = n;
    for (uint32_t i = 0; i < before; i++)
        if (old[i].node) *look(r, old[i].owner, r->tree->text + old[i].text, old[i].length) = old[i];
    pp_free(&r->tree->alloc, old);
    return true;
}

/* ---- nodes ---- */

static perp_status add_text(reading *r, const char *text, size_t length, uint32_t *at) {
    pp_tree *t = r->tree;
    if (length > (size_t)(INT_MAX - 1 - t->ntext)) return no_memory(r);
    if (!PP_GROW(&t->alloc, t->text, t->cap_text, t->ntext, t->ntext + (int)length + 1)) return no_memory(r);
    memcpy(t->text + t->ntext, text, length);
    t->text[t->ntext + (int)length] = 0;
    *at = (uint32_t)t->ntext;
    t->ntext += (int)length + 1;
    return PERP_OK;
}

static perp_status new_node(reading *r, yaml_mark_t mark, pp_node what, uint32_t *out) {
    pp_tree *t = r->tree;
    if ((unsigned)t->nnode > PP_YAML_NODES) {
        char found[64];
        (void)snprintf(found, sizeof found, "more than %u entries", PP_YAML_NODES);
        return complain(r, mark, found, "fewer (an alias counts as all that it stands for)");
    }
    if (!PP_GROW(&t->alloc, t->node, t->cap_node, t->nnode, t->nnode + 1)) return no_memory(r);
    t->node[t->nnode] = what;
    *out = (uint32_t)t->nnode++;
    return PERP_OK;
}

static pp_node at_mark(pp_node_kind kind, yaml_mark_t mark) {
    pp_node n = {0};
    n.kind = (uint8_t)kind;
    n.line = (uint32_t)mark.line + 1;
    n.column = (uint32_t)mark.column + 1;
    return n;
}

/* Is the next node a key of the innermost map? */
static bool key_is_next(const reading *r) {
    if (r->nlevel <= 0) return false;
    const level *l = &r->level[r->nlevel - 1];
    return r->tree->node[l->node].kind == PP_NODE_MAP && l->key == 0;
}

/* Appends a node, complete or just opened, to the innermost list or map. */
static perp_status attach(reading *r, yaml_mark_t mark, uint32_t n) {
    pp_tree *t = r->tree;
    if (r->nlevel <= 0) return PERP_OK; /* the root */
    level *l = &r->level[r->nlevel - 1];
    bool key = key_is_next(r);
    if (key) {
        if (!room_for_slot(r)) return no_memory(r);
        slot *s = look(r, l->node, t->text + t->node[n].text, t->node[n].length);
        l->key = n;
        if (s->node) {
            char found[64];
            (void)snprintf(found, sizeof found, "the key again (first at line %u)", t->node[s->node].line);
            return complain(r, mark, found, "each key once");
        }
        *s = (slot){l->node, t->node[n].text, t->node[n].length, n};
        r->nslot++;
    }
    if (l->last)
        t->node[l->last].next = n;
    else
        t->node[l->node].first = n;
    l->last = n;
    return PERP_OK;
}

/* The node that was appended last is complete: a list counts it, a map counts its pair. */
static void done(reading *r, bool was_key) {
    if (r->nlevel <= 0 || was_key) return;
    level *l = &r->level[r->nlevel - 1];
    r->tree->node[l->node].length++;
    l->key = 0;
}

static perp_status set_anchor(reading *r, const yaml_char_t *name, uint32_t n) {
    if (!name) return PERP_OK;
    if (!room_for_slot(r)) return no_memory(r);
    size_t length = strlen((const char *)name);
    slot *s = look(r, 0, (const char *)name, (uint32_t)length);
    if (s->node == 0) {
        uint32_t text;
        perp_status e = add_text(r, (const char *)name, length, &text);
        if (e) return e;
        *s = (slot){0, text, (uint32_t)length, n};
        r->nslot++;
    }
    s->node = n; /* an anchor may be defined again; the last definition is used */
    return PERP_OK;
}

static perp_status refuse_tag(reading *r, yaml_mark_t mark, const yaml_char_t *tag) {
    char found[128] = "the tag ", *p = found + strlen(found);
    (void)pp_printable(p, sizeof found - 8, (const char *)tag, strlen((const char *)tag));
    return complain(r, mark, found, "no tags");
}

/* ---- events ---- */

static perp_status on_scalar(reading *r, const yaml_event_t *e) {
    const char *text = (const char *)e->data.scalar.value;
    size_t length = e->data.scalar.length;
    if (e->data.scalar.tag) return refuse_tag(r, e->start_mark, e->data.scalar.tag);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
            char found[64];
            (void)snprintf(found, sizeof found, "the control character \\x%02x", c);
            return complain(r, e->start_mark, found, "text");
        }
    }
    pp_node what = at_mark(PP_NODE_SCALAR, e->start_mark);
    what.plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    what.length = (uint32_t)length;
    perp_status s = length > 0 ? add_text(r, text, length, &what.text) : PERP_OK; /* text 0 is "" */
    uint32_t n = 0;
    bool key = key_is_next(r);
    if (!s) s = new_node(r, e->start_mark, what, &n);
    if (!s) s = attach(r, e->start_mark, n);
    if (!s) s = set_anchor(r, e->data.scalar.anchor, n);
    if (!s) done(r, key);
    return s;
}

static perp_status on_open(reading *r, const yaml_event_t *e, pp_node_kind kind) {
    bool map = kind == PP_NODE_MAP;
    const yaml_char_t *tag = map ? e->data.mapping_start.tag : e->data.sequence_start.tag;
    const yaml_char_t *anchor = map ? e->data.mapping_start.anchor : e->data.sequence_start.anchor;
    if (tag) return refuse_tag(r, e->start_mark, tag);
    if (key_is_next(r)) return complain(r, e->start_mark, map ? "a map as a key" : "a list as a key", "a word");
    if (r->nlevel == PP_YAML_DEPTH) {
        char found[64];
        (void)snprintf(found, sizeof found, "more than %d levels of nesting", PP_YAML_DEPTH);
        return complain(r, e->start_mark, found, "fewer");
    }
    uint32_t n = 0;
    perp_status s = new_node(r, e->start_mark, at_mark(kind, e->start_mark), &n);
    if (!s) s = attach(r, e->start_mark, n);
    if (!s) s = set_anchor(r, anchor, n);
    if (!s) r->level[r->nlevel++] = (level){n, 0, 0};
    return s;
}

static perp_status on_close(reading *r) {
    r->nlevel--;
    done(r, false);
    return PERP_OK;
}

/* Copies what lies at `from`; above: levels that are open over it. Not deeper than PP_YAML_DEPTH, as the original. */
static perp_status copy(reading *r, yaml_mark_t mark, uint32_t from, int above, uint32_t *out) {
    pp_tree *t = r->tree;
    pp_node what = t->node[from];
    uint32_t child = what.first, last = 0;
    if (what.kind != PP_NODE_SCALAR && above >= PP_YAML_DEPTH) {
        char found[64];
        (void)snprintf(found, sizeof found, "more than %d levels of nesting by an alias", PP_YAML_DEPTH);
        return complain(r, mark, found, "fewer");
    }
    what.first = what.next = 0;
    perp_status s = new_node(r, mark, what, out);
    for (; !s && child; child = t->node[child].next) {
        uint32_t n = 0;
        s = copy(r, mark, child, above + 1, &n);
        if (s) break;
        if (last)
            t->node[last].next = n;
        else
            t->node[*out].first = n;
        last = n;
    }
    return s;
}

static perp_status on_alias(reading *r, const yaml_event_t *e) {
    const char *name = (const char *)e->data.alias.anchor;
    size_t length = strlen(name);
    char found[128] = "the alias *";
    (void)pp_printable(found + strlen(found), sizeof found - 64, name, length);
    const slot *anchor = r->cap_slot ? look(r, 0, name, (uint32_t)length) : NULL;
    if (!anchor || !anchor->node) {
        return complain(r, e->start_mark, found, "the name of an anchor (&name) above it");
    }
    uint32_t from = anchor->node, n = 0;
    for (int i = 0; i < r->nlevel; i++)
        if (r->level[i].node == from) {
            (void)snprintf(found + strlen(found), 48, " inside what it names");
            return complain(r, e->start_mark, found, "an anchor that has ended");
        }
    bool key = key_is_next(r);
    if (key && r->tree->node[from].kind != PP_NODE_SCALAR) {
        return complain(r, e->start_mark,
                        r->tree->node[from].kind == PP_NODE_MAP ? "a map as a key" : "a list as a key", "a word");
    }
    perp_status s = copy(r, e->start_mark, from, r->nlevel, &n);
    if (s) return s;
    r->tree->node[n].line = (uint32_t)e->start_mark.line + 1;
    r->tree->node[n].column = (uint32_t)e->start_mark.column + 1;
    s = attach(r, e->start_mark, n);
    if (!s) done(r, key);
    return s;
}

/* ---- errors of libyaml ---- */

/* Place of a byte. */
static pp_location place_of(const reading *r, const char *data, size_t size, size_t offset) {
    pp_location p = {r->tree->file, 1, 1};
    for (size_t i = 0; i < offset && i < size; i++) {
        if (data[i] == '\n') {
            p.line++;
            p.column = 1;
        } else if (((unsigned char)data[i] & 0xc0) != 0x80) {
            p.column++;
        }
    }
    return p;
}

/* The index-th character, as libyaml counts them; size if there is none. */
static size_t character(const char *data, size_t size, size_t index) {
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)data[i] & 0xc0) != 0x80 && index-- == 0) return i;
    return size;
}

/* A hint where YAML ends a flow collection too early: an expression or a text that needs quotes. "": no hint. */
static const char *needs_quotes(const char *problem, const char *data, size_t size, size_t at) {
    if (!strstr(problem, "did not find expected ',' or") && !strstr(problem, "did not find expected node content"))
        return "";
    size_t end = character(data, size, at), from = end;
    while (from > 0 && (data[from - 1] == ' ' || data[from - 1] == '\n'))
        from--; /* what begins a line was torn in one before it */
    while (from > 0 && data[from - 1] != '\n') from--;
    while (end < size && data[end] != '\n') end++;
    bool asks = false, comment = false;
    for (size_t i = from; i < end; i++) {
        asks |= data[i] == '?';
        comment |= data[i] == '#' && i > 0 && data[i - 1] == ' ';
    }
    return comment ? " (# begins a comment: a text with # must be in quotes)"
           : asks  ? " (an expression with a colon must be in quotes here)"
                   : "";
}

static perp_status syntax(reading *r, const yaml_parser_t *p, const char *data, size_t size) {
    const char *problem = p->problem ? p->problem : "something that cannot be read";
    if (p->error == YAML_MEMORY_ERROR) return no_memory(r);
    if (p->error == YAML_READER_ERROR) {
        size_t where = p->problem_offset;
        /* libyaml points behind the byte that began the character */
        if (strstr(problem, "trailing") && where > 0 && where <= size) {
            where--;
            while (where > 0 && ((unsigned char)data[where] & 0xc0) == 0x80) where--;
        }
        pp_location at = place_of(r, data, size, where);
        char found[64] = "a character that is cut off";
        bool control = strncmp(problem, "control", 7) == 0;
        if (control)
            (void)snprintf(found, sizeof found, "the control character \\x%02x", (unsigned)p->problem_value);
        else if (where < size)
            (void)snprintf(found, sizeof found, "the byte \\x%02x", (unsigned char)data[where]);
        return pp_complain(r->why, PERP_E_ARG, at, NULL, found, control ? "text" : "text in UTF-8");
    }
    pp_location at = HERE(p->problem_mark);
    if (strstr(problem, "cannot start any token")) {
        size_t i = character(data, size, p->problem_mark.index), n = 1;
        if (i < size && data[i] == '\t') {
            return pp_complain(r->why, PERP_E_ARG, at, NULL, "a tab", "spaces for indentation");
        }
        while (i + n < size && ((unsigned char)data[i + n] & 0xc0) == 0x80) n++;
        char shown[32];
        if (i < size) {
            return pp_complain_say(r->why, PERP_E_ARG, at, NULL,
                                   "found %s at the start of a text; allowed: in quotes only",
                                   pp_printable(shown, sizeof shown, data + i, n));
        }
    }
    const char *hint = needs_quotes(problem, data, size, p->problem_mark.index);
    if (p->context && p->context_mark.line != p->problem_mark.line) {
        return pp_complain_say(r->why, PERP_E_ARG, at, NULL, "not YAML: %s %s from line %zu%s", problem, p->context,
                               p->context_mark.line + 1, hint);
    }
    const char *context = p->context ? p->context : "";
    return pp_complain_say(r->why, PERP_E_ARG, at, NULL, "not YAML: %s%s%s%s", problem, *context ? " " : "", context,
                           hint);
}

static perp_status take(reading *r, const yaml_event_t *e, bool *end) {
    switch (e->type) {
    case YAML_SCALAR_EVENT: return on_scalar(r, e);
    case YAML_SEQUENCE_START_EVENT: return on_open(r, e, PP_NODE_LIST);
    case YAML_MAPPING_START_EVENT: return on_open(r, e, PP_NODE_MAP);
    case YAML_SEQUENCE_END_EVENT: return on_close(r);
    case YAML_MAPPING_END_EVENT: return on_close(r);
    case YAML_ALIAS_EVENT: return on_alias(r, e);
    case YAML_DOCUMENT_START_EVENT:
        if (r->tree->nnode > 1) return complain(r, e->start_mark, "a second document", "one per file");
        return PERP_OK;
    case YAML_STREAM_END_EVENT:
        *end = true;
        if (r->tree->nnode > 1) {
            const pp_node *root = &r->tree->node[1];
            if (root->kind != PP_NODE_SCALAR || root->length > 0 || !root->plain) return PERP_OK;
        }
        return pp_complain(r->why, PERP_E_ARG, (pp_location){r->tree->file, 0, 0}, NULL, "an empty file",
                           "a YAML document");
    default: return PERP_OK;
    }
}

static perp_status read_all(reading *r, const char *data, size_t size) {
    yaml_parser_t p;
    if (!yaml_parser_initialize(&p)) return no_memory(r);
    yaml_parser_set_encoding(&p, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&p, (const unsigned char *)data, size);
    perp_status s = PERP_OK;
    for (bool end = false; !s && !end;) {
        yaml_event_t e;
        if (!yaml_parser_parse(&p, &e)) {
            s = syntax(r, &p, data, size);
            break;
        }
        s = take(r, &e, &end);
        yaml_event_delete(&e);
    }
    yaml_parser_delete(&p);
    return s;
}

/* Counts %TAG lines before libyaml reads them, since its time grows with the square of their number. Tags have no
 * use here. */
static perp_status refuse_tag_lines(const reading *r, const char *data, size_t size) {
    static const unsigned char breaks[5] = {'\n', '\r', 0x85, 0xa8, 0xa9}; /* last bytes of the line breaks of YAML */
    int lines = 0;
    const char *end = data + size;
    for (const char *p = data; p < end && (p = memchr(p, '%', (size_t)(end - p))) != NULL; p++) {
        if ((p > data && !memchr(breaks, (unsigned char)p[-1], sizeof breaks)) || end - p < 4 ||
            memcmp(p, "%TAG", 4) != 0)
            continue;
        if (++lines > TAG_LINES) {
            pp_location at = place_of(r, data, size, (size_t)(p - data));
            return pp_complain(r->why, PERP_E_ARG, at, NULL, "many %TAG lines", "no tags");
        }
    }
    return PERP_OK;
}

/* The kind of a file that is not YAML, by its first bytes; NULL: none of these kinds. */
static const char *other_kind(const char *data, size_t size) {
    if (size >= 4 && memcmp(data, "\x89HDF", 4) == 0) return "an HDF5 file";
    if (size >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0)) return "text in UTF-16";
    return NULL;
}

perp_status pp_yaml_parse(const perp_allocator *a, const char *file, const char *data, size_t size, pp_tree *out,
                          perp_refusal *why) {
    memset(out, 0, sizeof *out);
    if (a) out->alloc = *a;
    out->file = file;
    reading r = {0};
    r.tree = out;
    r.why = why;
    perp_status s = PERP_OK;
    if (size > PP_SOURCE_MAX) {
        s = pp_complain(why, PERP_E_ARG, (pp_location){file, 0, 0}, NULL, "more than 256 MiB", "less");
    } else if (!PP_GROW(&out->alloc, out->node, out->cap_node, 0, 64) ||
               !PP_GROW(&out->alloc, out->text, out->cap_text, 0, 256)) {
        s = no_memory(&r);
    } else {
        out->nnode = out->ntext = 1;                             /* node 0 is none, text 0 is "" */
        if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
            data += 3;
            size -= 3;
        }
        const char *other = other_kind(data, size);
        s = other ? pp_complain(why, PERP_E_ARG, (pp_location){file, 1, 1}, NULL, other, "text in UTF-8")
                  : refuse_tag_lines(&r, data, size);
        if (!s) s = read_all(&r, data, size);
    }
    pp_free(&out->alloc, r.slot);
    if (s) pp_yaml_free(out);
    return s;
}

#endif

void pp_yaml_free(pp_tree *t) {
    if (!t) return;
    pp_free(&t->alloc, t->node);
    pp_free(&t->alloc, t->text);
    memset(t, 0, sizeof *t);
}
