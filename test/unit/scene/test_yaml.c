/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_yaml.c - YAML as a plain tree: what comes out, with places; aliases; limits; and every complaint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fault/allocator.h"
#include "input/input.h"

static const perp_allocator plain = {0};

static pp_tree parse(const char *text) {
    pp_tree t;
    perp_refusal w;
    if (pp_yaml_parse(&plain, "f.yaml", text, strlen(text), &t, &w)) fail_msg("%s", w.text);
    return t;
}

/* The tree in one line: "text" 'quoted', [list], {key: value}. */
static char *write_node(const pp_tree *t, uint32_t n, char *p) {
    const pp_node *k = &t->node[n];
    if (k->kind == PP_NODE_SCALAR) {
        assert_int_equal(strlen(pp_yaml_text(t, n)), k->length);
        return p + sprintf(p, k->plain ? "%s" : "'%s'", pp_yaml_text(t, n));
    }
    bool map = k->kind == PP_NODE_MAP;
    uint32_t count = 0;
    *p++ = map ? '{' : '[';
    for (uint32_t c = k->first; c; c = t->node[c].next, count++) {
        if (count > 0) p += sprintf(p, map && count % 2 ? ": " : ", ");
        p = write_node(t, c, p);
    }
    *p++ = map ? '}' : ']';
    *p = 0;
    assert_int_equal(count, map ? 2 * k->length : k->length);
    return p;
}

static void becomes(const char *text, const char *expected) {
    static char out[10000];
    pp_tree t = parse(text);
    write_node(&t, 1, out);
    assert_string_equal(out, expected);
    pp_yaml_free(&t);
}

static void refused_bytes(const char *text, size_t size, const char *words) {
    pp_tree t;
    perp_refusal w;
    memset(&w, 0x55, sizeof w);
    memset(&t, 0x55, sizeof t);
    assert_int_not_equal(pp_yaml_parse(&plain, "f.yaml", text, size, &t, &w), PERP_OK);
    assert_string_equal(w.text, words);
    assert_null(t.node);
    assert_null(t.text);
}
static void refused(const char *text, const char *words) { refused_bytes(text, strlen(text), words); }

static void reads_documents(void **state) {
    (void)state;
    becomes("a", "a");
    becomes("a: 1", "{a: 1}");
    becomes("a: 1\nb: [2, 3]\nc: {d: e}\n", "{a: 1, b: [2, 3], c: {d: e}}");
    becomes("- a\n- - b\n  - c\n- {}\n- []\n", "[a, [b, c], {}, []]");
    becomes("a:\nb:\n", "{a: , b: }");
    becomes("a: ''\nb: \"x\\ty\"\nc: 'it''s'\n", "{a: '', b: 'x\ty', c: 'it's'}");
    becomes("a: |\n  one\n  two\nb: >-\n  three\n  four\n", "{a: 'one\ntwo\n', b: 'three four'}");
    becomes("a: yes\nb: ~\nc: 0x1F\nd: 2*m + 1\n", "{a: yes, b: ~, c: 0x1F, d: 2*m + 1}");
    becomes("# c\n---\na: 1 # d\n...\n# e\n", "{a: 1}");
    becomes("%YAML 1.1\n---\na: 1\n", "{a: 1}");
    becomes("\xef\xbb\xbf"
            "a: gr\xc3\xbc\xc3\x9f\n",
            "{a: gr\xc3\xbc\xc3\x9f}");
    becomes("a: 1\r\nb: 2\r\n", "{a: 1, b: 2}");
    becomes("? a\n: b\n", "{a: b}");
    becomes("<<: 1\n", "{<<: 1}");
    becomes("{a, b: 1}", "{a: , b: 1}");
    becomes("a: one\n  two\n", "{a: one two}");
    becomes("\"a\": 1\na b: 2\n", "{'a': 1, a b: 2}");
}

static void copies_aliases(void **state) {
    (void)state;
    becomes("a: &x 1\nb: *x\n", "{a: 1, b: 1}");
    becomes("a: &x {m: [1, 2]}\nb: *x\nc: [*x, *x]\n",
            "{a: {m: [1, 2]}, b: {m: [1, 2]}, c: [{m: [1, 2]}, {m: [1, 2]}]}");
    becomes("a: &x 1\nb: &x 2\nc: *x\n", "{a: 1, b: 2, c: 2}"); /* the latest counts */
    becomes("&k a: 1\nb: {*k : 2}\n", "{a: 1, b: {a: 2}}");
    becomes("a: &x [&y 1, *y]\nb: [*x, *y]\n", "{a: [1, 1], b: [[1, 1], 1]}");
    becomes("a: &x 'q'\nb: *x\n", "{a: 'q', b: 'q'}");
    becomes("- &x {a: 1}\n- *x\n- {b: *x}\n", "[{a: 1}, {a: 1}, {b: {a: 1}}]");

    pp_tree t = parse("a: &x {m: 1}\nb: *x\n");
    uint32_t a = pp_yaml_get(&t, 1, "a"), b = pp_yaml_get(&t, 1, "b");
    assert_int_not_equal(a, b); /* a copy, placed at the alias; what is in it where it was written */
    assert_int_equal(t.node[b].line, 2);
    assert_int_equal(t.node[b].column, 4);
    uint32_t m = pp_yaml_get(&t, b, "m");
    assert_int_not_equal(m, pp_yaml_get(&t, a, "m"));
    assert_int_equal(t.node[m].line, 1);
    assert_int_equal(t.node[m].column, 11);
    assert_int_equal(t.node[m].text, t.node[pp_yaml_get(&t, a, "m")].text); /* the text is shared */
    pp_yaml_free(&t);
}

static void knows_places(void **state) {
    (void)state;
    pp_tree t = parse("a: 1\nbodies:\n  - name: \xc3\xbc\xc3\xbc\n    at: [1,  '2']\n  - {}\n");
    static const struct {
        const char *found;
        int line, column;
    } p[] = {
        {"a map with the keys a, bodies", 1, 1},
        {"\"a\"", 1, 1},
        {"1", 1, 4},
        {"\"bodies\"", 2, 1},
        {"a list of 2", 3, 3},
        {"a map with the keys name, at", 3, 5},
        {"\"name\"", 3, 5},
        {"\"\xc3\xbc\xc3\xbc\"", 3, 11},
        {"\"at\"", 4, 5},
        {"a list of 2", 4, 9},
        {"1", 4, 10},
        {"\"2\"", 4, 14},
        {"an empty map", 5, 5},
    };
    assert_int_equal(t.nnode - 1, sizeof p / sizeof *p);
    for (uint32_t i = 0; i < sizeof p / sizeof *p; i++) {
        char out[100];
        assert_string_equal(pp_yaml_found(&t, i + 1, out, sizeof out), p[i].found);
        pp_location at = pp_yaml_place(&t, i + 1);
        assert_string_equal(at.file, "f.yaml");
        assert_int_equal(at.line, p[i].line);
        assert_int_equal(at.column, p[i].column);
    }
    pp_yaml_free(&t);
}

static void finds_keys(void **state) {
    (void)state;
    pp_tree t = parse("mass: 1\nm: 2\nlist: [m, 7]\n'': 3\n");
    assert_string_equal(pp_yaml_text(&t, pp_yaml_get(&t, 1, "m")), "2");
    assert_string_equal(pp_yaml_text(&t, pp_yaml_get(&t, 1, "mass")), "1");
    assert_string_equal(pp_yaml_text(&t, pp_yaml_get(&t, 1, "")), "3");
    assert_int_equal(pp_yaml_get(&t, 1, "mas"), 0);
    assert_int_equal(pp_yaml_get(&t, 1, "masss"), 0);
    assert_int_equal(pp_yaml_get(&t, 1, "1"), 0); /* a value is no key */
    assert_int_equal(pp_yaml_get(&t, pp_yaml_get(&t, 1, "list"), "m"), 0);
    assert_int_equal(pp_yaml_get(&t, pp_yaml_get(&t, 1, "m"), "m"), 0);
    assert_int_equal(pp_yaml_get(&t, 0, "m"), 0);
    pp_yaml_free(&t);
    pp_yaml_free(&t); /* twice is fine */
    pp_yaml_free(NULL);
}

static void says_what_was_found(void **state) {
    (void)state;
    static const char *const t[][2] = {
        {"12", "12"},
        {"-1.5e3", "-1.5e3"},
        {"true", "true"},
        {"'12'", "\"12\""},
        {"yes", "\"yes\""},
        {"2*m", "\"2*m\""},
        {"''", "\"\""},
        {"\"a\\nb\"", "\"a\\x0ab\""},
        {"[]", "an empty list"},
        {"[1]", "a list of 1"},
        {"{}", "an empty map"},
        {"{a: 1}", "a map with the key a"},
        {"{a: 1, b: 2, c: 3, d: 4}", "a map with the keys a, b, c, d"},
        {"{a: 1, b: 2, c: 3, d: 4, e: 5}", "a map with the keys a, b, c, ..."},
    };
    char out[200];
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        pp_tree tree = parse(t[i][0]);
        assert_string_equal(pp_yaml_found(&tree, 1, out, sizeof out), t[i][1]);
        for (size_t size = 0; size < 40; size++) { /* any room, never overrun */
            memset(out, '#', sizeof out);
            pp_yaml_found(&tree, 1, out, size);
            if (size > 0) assert_true(strlen(out) < size);
            assert_int_equal(out[size], '#');
        }
        pp_yaml_free(&tree);
    }
    pp_tree tree = parse("a:\n");
    assert_string_equal(pp_yaml_found(&tree, 3, out, sizeof out), "nothing");
    assert_string_equal(pp_yaml_found(&tree, 0, out, sizeof out), "nothing");
    pp_yaml_free(&tree);
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    tree = parse(text);
    pp_yaml_found(&tree, 1, out, sizeof out);
    assert_int_equal(strlen(out), 99);
    assert_string_equal(out + 94, "x...\"");
    pp_yaml_free(&tree);
}

static void says_what_is_wrong(void **state) {
    (void)state;
    static const char *const t[][2] = {
        {"", "f.yaml: found an empty file; allowed: a YAML document"},
        {"# only\n", "f.yaml: found an empty file; allowed: a YAML document"},
        {"---\n", "f.yaml: found an empty file; allowed: a YAML document"},
        {"--- # x\n...\n", "f.yaml: found an empty file; allowed: a YAML document"},
        {"a: 1\n---\nb: 2\n", "f.yaml:2:1: found a second document; allowed: one per file"},
        {"a: 1\n...\n---\n", "f.yaml:3:1: found a second document; allowed: one per file"},
        {"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: a: found the key again (first at line 1); allowed: each key once"},
        {"b:\n  - {c: 1}\n  - {c: 1, d: 2, 'c': 3}\n",
         "f.yaml:3:18: b[1].c: found the key again (first at line 3); allowed: each key once"},
        {"&k a: 1\n*k : 2\n", "f.yaml:2:1: a: found the key again (first at line 1); allowed: each key once"},
        {"? [a]\n: 1\n", "f.yaml:1:3: found a list as a key; allowed: a word"},
        {"x: {{a: 1}: 2}\n", "f.yaml:1:5: x: found a map as a key; allowed: a word"},
        {"a: &l [1]\n*l : 2\n", "f.yaml:2:1: found a list as a key; allowed: a word"},
        {"a: &l {b: 1}\n*l : 2\n", "f.yaml:2:1: found a map as a key; allowed: a word"},
        {"a: *x\n", "f.yaml:1:4: a: found the alias *x; allowed: the name of an anchor (&name) above it"},
        {"a: [&y 1, *x]\n", "f.yaml:1:11: a[1]: found the alias *x; allowed: the name of an anchor (&name) above it"},
        {"a: &x [1, *x]\n",
         "f.yaml:1:11: a[1]: found the alias *x inside what it names; allowed: an anchor that has ended"},
        {"&r {a: {b: *r}}\n",
         "f.yaml:1:12: a.b: found the alias *r inside what it names; allowed: an anchor that has ended"},
        {"a: !!int 1\n", "f.yaml:1:4: a: found the tag tag:yaml.org,2002:int; allowed: no tags"},
        {"a: !x [1]\n", "f.yaml:1:4: a: found the tag !x; allowed: no tags"},
        {"a: ! {b: 1}\n", "f.yaml:1:4: a: found the tag !; allowed: no tags"},
        {"a: \"\\x01\"\n", "f.yaml:1:4: a: found the control character \\x01; allowed: text"},
        {"a: \"x\\0y\"\n", "f.yaml:1:4: a: found the control character \\x00; allowed: text"},
        {"a: \"\\e[31m\"\n", "f.yaml:1:4: a: found the control character \\x1b; allowed: text"},
        {"a: \"\\x7f\"\n", "f.yaml:1:4: a: found the control character \\x7f; allowed: text"},
        {"\"\\r\": 1\n", "f.yaml:1:1: found the control character \\x0d; allowed: text"},
        {"a: \x01\n", "f.yaml:1:4: found the control character \\x01; allowed: text"},
        {"a: 1\nb: \xff\n", "f.yaml:2:4: found the byte \\xff; allowed: text in UTF-8"},
        {"\xc3\xbc: \xe2\x82", "f.yaml:1:4: found the byte \\xe2; allowed: text in UTF-8"},
        {"\xff\xfe"
         "a",
         "f.yaml:1:1: found text in UTF-16; allowed: text in UTF-8"},
        {"a:\n\t- 1\n", "f.yaml:2:1: found a tab; allowed: spaces for indentation"},
        {"a: @b\n", "f.yaml:1:4: found @ at the start of a text; allowed: in quotes only"},
        {"a: `b\n", "f.yaml:1:4: found ` at the start of a text; allowed: in quotes only"},
        {"a: [1, %b]\n", "f.yaml:1:8: found % at the start of a text; allowed: in quotes only"},
        {"a: b: c\n", "f.yaml:1:5: not YAML: mapping values are not allowed in this context"},
        {"a: 1\n b: 2\n", "f.yaml:2:3: not YAML: mapping values are not allowed in this context"},
        {"a: - b\n", "f.yaml:1:4: not YAML: block sequence entries are not allowed in this context"},
        {"a: [1, 2\n",
         "f.yaml:2:1: not YAML: did not find expected ',' or ']' while parsing a flow sequence from line 1"},
        {"a: {b: 1\n",
         "f.yaml:2:1: not YAML: did not find expected ',' or '}' while parsing a flow mapping from line 1"},
        {"a: [1]]\n", "f.yaml:1:7: not YAML: did not find expected key while parsing a block mapping"},
        {"a: \"b\n", "f.yaml:2:1: not YAML: found unexpected end of stream while scanning a quoted scalar from line 1"},
        {"a: 'b\n", "f.yaml:2:1: not YAML: found unexpected end of stream while scanning a quoted scalar from line 1"},
        {"a: '1' x\n", "f.yaml:1:8: not YAML: did not find expected key while parsing a block mapping"},
        {"a: \"\\q\"\n", "f.yaml:1:5: not YAML: found unknown escape character while parsing a quoted scalar"},
        {"- 1\nb: 2\n",
         "f.yaml:2:1: not YAML: did not find expected '-' indicator while parsing a block collection from line 1"},
        {"a: 1\nb\n", "f.yaml:3:1: not YAML: could not find expected ':' while scanning a simple key from line 2"},
        {"%YAML 2.0\n---\na: 1\n", "f.yaml:1:1: not YAML: found incompatible YAML document"},
        {"%FOO x\n---\na: 1\n", "f.yaml:1:5: not YAML: found unknown directive name while scanning a directive"},
        {"a: *\n",
         "f.yaml:1:5: not YAML: did not find expected alphabetic or numeric character while scanning an alias"},
        {"a: |9x\n", "f.yaml:1:6: not YAML: did not find expected comment or line break while scanning a block scalar"},
        {"a: !u!x 1\n", "f.yaml:1:4: not YAML: found undefined tag handle while parsing a node"},
        {"a: &x *y\n", "f.yaml:1:7: not YAML: did not find expected key while parsing a block mapping"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) refused(t[i][0], t[i][1]);
    refused_bytes("a: \0b", 5, "f.yaml:1:4: found the control character \\x00; allowed: text");
    assert_int_equal(pp_yaml_parse(&plain, "f.yaml", "", 0, &(pp_tree){0}, NULL), PERP_E_ARG);
}

static char *repeat(const char *head, const char *what, int n, const char *tail) {
    size_t k = strlen(what);
    char *s = malloc(strlen(head) + (size_t)n * k + strlen(tail) + 1), *p = s;
    assert_non_null(s);
    p += sprintf(p, "%s", head);
    for (int i = 0; i < n; i++, p += k) memcpy(p, what, k);
    strcpy(p, tail);
    return s;
}

static void refused_as(char *text, const char *end) {
    pp_tree t;
    perp_refusal w;
    assert_int_equal(pp_yaml_parse(&plain, "f.yaml", text, strlen(text), &t, &w), PERP_E_ARG);
    assert_true(strlen(w.text) > strlen(end));
    assert_string_equal(w.text + strlen(w.text) - strlen(end), end);
    free(text);
}

static void has_limits(void **state) {
    (void)state;
    const char *deep = "found more than 64 levels of nesting; allowed: fewer";
    refused_as(repeat("", "[", 100000, ""), deep);
    refused_as(repeat("", "- ", 100000, ""), deep);
    refused_as(repeat("", "{a: ", 100000, ""), deep);
    refused_as(repeat("", "[", 65, ""), deep);
    char *s = repeat("", "[", 64, ""), *all = repeat(s, "]", 64, "");
    pp_tree t = parse(all);
    assert_int_equal(t.nnode - 1, 64);
    pp_yaml_free(&t);
    free(s);
    free(all);
    /* an alias deepens: 40 levels below 20 are fine, 40 below 40 not */
    char *inner = repeat("- &x ", "[", 40, ""), *anchor = repeat(inner, "]", 40, "\n- ");
    for (int n = 20; n <= 40; n += 20) {
        char *open = repeat(anchor, "[", n, "*x"), *text = repeat(open, "]", n, "\n");
        if (n == 20) {
            t = parse(text);
            assert_int_equal(t.nnode - 1, 1 + 40 + 20 + 40);
            pp_yaml_free(&t);
            free(text);
        } else {
            refused_as(text, "found more than 64 levels of nesting by an alias; allowed: fewer");
        }
        free(open);
    }
    free(inner);
    free(anchor);
    /* each line ten times the one above */
    char laughs[1000] = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; i++) {
        char *p = laughs + strlen(laughs);
        p += sprintf(p, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++) p += sprintf(p, "*a%d%s", i - 1, k < 9 ? ", " : "]\n");
    }
    refused(laughs, "f.yaml:7:40: a6[6]: found more than 8388608 entries; "
                    "allowed: fewer (an alias counts as all that it stands for)");
    refused_as(repeat("", "%TAG !a! x\n", 100, "---\na\n"), ":17:1: found many %TAG lines; allowed: no tags");
}

static void many_keys_and_anchors(void **state) {
    (void)state;
    enum { N = 20000 };
    char *s = malloc(N * 40), *p = s;
    assert_non_null(s);
    for (int i = 0; i < N; i++) p += sprintf(p, "k%d: {a: &n%d %d, b: *n%d}\n", i, i, i, i / 2);
    pp_tree t = parse(s);
    assert_int_equal(t.node[1].length, N);
    uint32_t k = t.node[1].first;
    for (int i = 0; i < N; i++, k = t.node[t.node[k].next].next) {
        char key[16];
        (void)sprintf(key, "k%d", i);
        assert_string_equal(pp_yaml_text(&t, k), key);
        assert_int_equal(atoi(pp_yaml_text(&t, pp_yaml_get(&t, t.node[k].next, "a"))), i);
        assert_int_equal(atoi(pp_yaml_text(&t, pp_yaml_get(&t, t.node[k].next, "b"))), i / 2);
    }
    assert_int_equal(k, 0);
    pp_yaml_free(&t);
    strcpy(p, "k17: 1\n");
    refused(s, "f.yaml:20001:1: k17: found the key again (first at line 18); allowed: each key once");
    free(s);
    assert_true(sizeof(pp_node) <= 32);
}

static void survives_without_memory(void **state) {
    (void)state;
    char *s = repeat("a: &x [", "b, ", 3000, "c]\nd: *x\ne: {f: 1, g: *x}\n");
    counter mind = {0};
    perp_allocator a = counting(&mind);
    int refusals = 0;
    for (int n = 0;; n++) {
        pp_tree t;
        perp_refusal w;
        mind = (counter){.refuse = n};
        perp_status e = pp_yaml_parse(&a, "f.yaml", s, strlen(s), &t, &w);
        if (!e) {
            pp_yaml_free(&t);
            assert_int_equal(mind.live, 0);
            break;
        }
        assert_int_equal(e, PERP_E_MEMORY);
        assert_string_equal(w.text, "f.yaml: no memory for what it says");
        assert_int_equal(mind.live, 0);
        refusals++;
    }
    assert_true(refusals > 10);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_documents),
        cmocka_unit_test(copies_aliases),
        cmocka_unit_test(knows_places),
        cmocka_unit_test(finds_keys),
        cmocka_unit_test(says_what_was_found),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(has_limits),
        cmocka_unit_test(many_keys_and_anchors),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
