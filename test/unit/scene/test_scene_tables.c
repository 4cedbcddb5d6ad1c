/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_scene_tables.c - what is made of the tables of keys: the schema is JSON and names every key, the reference has a
 * line for each, and the tables themselves are sound. */
#include "scene/scene_in.h"
#include "unit/scene_help.h"

static const pp_map *const maps[] = {
    &pp_map_top,   &pp_map_stages, &pp_map_record, &pp_map_law,    &pp_map_pair_law, &pp_map_parameter,
    &pp_map_body,  &pp_map_shape,  &pp_map_points, &pp_map_turn,   &pp_map_motion,   &pp_map_term,
    &pp_map_joint, &pp_map_axis,   &pp_map_motor,  &pp_map_spring, &pp_map_force,    &pp_map_formula_turn};
#define NMAP (int)(sizeof maps / sizeof *maps)

/* A value of JSON at p; the byte after it, or NULL. */
static const char *value(const char *p, int depth);

static const char *space(const char *p) {
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') p++;
    return p;
}

static const char *string(const char *p) {
    if (*p++ != '"') return NULL;
    for (; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20) return NULL;
        if (*p == '\\' && !strchr("\"\\/bfnrt", *++p)) return NULL;
    }
    return p + 1;
}

static const char *inside(const char *p, char close, int depth) {
    p = space(p + 1);
    if (*p == close) return p + 1;
    for (;;) {
        if (close == '}') {
            p = string(space(p));
            if (!p || *(p = space(p)) != ':') return NULL;
            p++;
        }
        p = value(space(p), depth + 1);
        if (!p) return NULL;
        p = space(p);
        if (*p == close) return p + 1;
        if (*p++ != ',') return NULL;
    }
}

static const char *value(const char *p, int depth) {
    if (depth > 50) return NULL;
    if (*p == '{') return inside(p, '}', depth);
    if (*p == '[') return inside(p, ']', depth);
    if (*p == '"') return string(p);
    if (!strncmp(p, "true", 4)) return p + 4;
    if (!strncmp(p, "false", 5)) return p + 5;
    char *end;
    double x = strtod(p, &end);
    return end > p && isfinite(x) && *p != 'i' && *p != 'n' ? end : NULL;
}

static char *written(size_t (*write)(char *, size_t)) {
    size_t n = write(NULL, 0);
    char *text = malloc(n + 2);
    assert_non_null(text);
    text[n] = text[n + 1] = 'x';
    assert_int_equal(write(text, n + 1), n);
    assert_int_equal(strlen(text), n);
    assert_true(text[n + 1] == 'x');
    char small[16];
    memset(small, 'y', sizeof small);
    assert_int_equal(write(small, 8), n); /* cut, and ended */
    assert_int_equal(strlen(small), 7);
    assert_true(small[8] == 'y' && !strncmp(small, text, 7));
    return text;
}

static void schema(void **state) {
    (void)state;
    char *text = written(perp_scene_schema), name[128];
    const char *end = value(text, 0);
    if (!end) fail_msg("the schema is not JSON");
    assert_int_equal(*space(end), 0);
    for (int m = 0; m < NMAP; m++) {
        (void)snprintf(name, sizeof name, "\"%s\":{\"type\":\"object\"", maps[m]->name);
        if (maps[m] != &pp_map_top && !strstr(text, name)) fail_msg("the schema has no %s", maps[m]->name);
        for (int i = 0; i < maps[m]->nkey; i++) {
            (void)snprintf(name, sizeof name, "\"%s\":{\"description\":", maps[m]->key[i].name);
            if (!strstr(text, name)) fail_msg("the schema has no key %s", maps[m]->key[i].name);
        }
        for (int v = 0; maps[m]->variant && maps[m]->variant[v].name; v++) {
            (void)snprintf(name, sizeof name, "\"const\":\"%s\"", maps[m]->variant[v].name);
            if (!strstr(text, name)) fail_msg("the schema has no type %s", maps[m]->variant[v].name);
        }
    }
    /* every reference leads somewhere */
    for (const char *p = text; (p = strstr(p, "\"#/$defs/")) != NULL; p++) {
        (void)snprintf(name, sizeof name, "\"%.*s\":{", (int)strcspn(p + 9, "\""), p + 9);
        if (!strstr(text, name)) fail_msg("the schema refers to %s, which it does not have", name);
    }
    free(text);
}

static void reference(void **state) {
    (void)state;
    char *text = written(perp_scene_reference), name[160];
    for (int m = 0; m < NMAP; m++) {
        (void)snprintf(name, sizeof name, "\n## %s (`%s`)\n", maps[m]->title, maps[m]->name);
        const char *part = strstr(text, name);
        if (!part) fail_msg("the reference has no %s", maps[m]->name);
        const char *next = strstr(part + 4, "\n## ");
        for (int i = 0; i < maps[m]->nkey; i++) {
            (void)snprintf(name, sizeof name, "\n| `%s` | ", maps[m]->key[i].name);
            const char *line = strstr(part, name);
            if (!line || (next && line > next))
                fail_msg("the reference of %s has no key %s", maps[m]->name, maps[m]->key[i].name);
        }
    }
    free(text);
}

#ifdef PERP_TEST_DIR
/* The tables in docs/scene.md are those of this program. */
static void documented(void **state) {
    (void)state;
    char *text = written(perp_scene_reference);
    FILE *f = fopen(PERP_TEST_DIR "/../docs/scene.md", "rb");
    if (!f) fail_msg("there is no docs/scene.md");
    size_t room = strlen(text) + (1u << 20), n;
    char *page = malloc(room);
    assert_non_null(page);
    n = fread(page, 1, room - 1, f);
    page[n] = 0;
    assert_int_equal(fclose(f), 0);
    const char *marker = strstr(page, "<!-- reference: what follows is written by perp -->\n\n");
    if (!marker) fail_msg("docs/scene.md has no marker of the reference");
    marker = strchr(marker, '\n') + 2;
    if (strcmp(marker, text) != 0)
        fail_msg("the tables in docs/scene.md are old; write them anew from perp info --reference");
    free(page);
    free(text);
}
#endif

static void tables(void **state) {
    (void)state;
    for (int m = 0; m < NMAP; m++) {
        const pp_map *map = maps[m];
        assert_true(map->nkey > 0 && map->nkey <= PP_MAP_KEYS);
        for (int i = 0; i < map->nkey; i++) {
            const pp_key *k = &map->key[i];
            char words[512];
            if (!k->help || !k->help[0] || k->help[strlen(k->help) - 1] != '.')
                fail_msg("%s.%s has no sentence", map->name, k->name);
            if (!k->required && !k->standard && k->type != PP_T_TAG && map != &pp_map_body && map != &pp_map_turn &&
                strcmp(k->name, "at"))
                fail_msg("%s.%s is not required and has no default", map->name, k->name);
            if (k->type == PP_T_CHOICE) assert_non_null(k->choice);
            if (k->type == PP_T_STAGE || k->type == PP_T_STAGES) assert_non_null(k->list);
            if (k->type == PP_T_REF) assert_non_null(k->of);
            assert_true(strlen(pp_key_words(k, 0, words, sizeof words)) > 3);
            for (int j = 0; j < i; j++) { /* one line for a key of a form, and one field for a line */
                const pp_key *o = &map->key[j];
                bool apart = k->variants && o->variants && !(k->variants & o->variants);
                if (!strcmp(k->name, o->name) && !apart) fail_msg("%s.%s is there twice", map->name, k->name);
                if (k->offset == o->offset && k->type != PP_T_TAG && o->type != PP_T_TAG)
                    fail_msg("%s.%s and %s share a field", map->name, k->name, o->name);
            }
        }
    }
}

/* The names of stages in the table are all those of the world, which lists them in the message about an unknown name. */
static void check_stage(const char *key, const char **field, const perp_world_def *def) {
    char why[256], list[256] = "";
    perp_world *w;
    const pp_key *k = NULL;
    for (int i = 0; i < pp_map_stages.nkey; i++)
        if (!strcmp(pp_map_stages.key[i].name, key)) k = &pp_map_stages.key[i];
    assert_non_null(k);
    for (int i = 0; k->list(i); i++) {
        *field = k->list(i);
        perp_status st = perp_world_create_why(def, &w, why, sizeof why);
        if (st && st != PERP_E_FIT) fail_msg("%s: %s", key, why); /* known, though not for this dimension or form */
        perp_world_destroy(w);
        (void)snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : ": ", k->list(i));
    }
    *field = "no such stage";
    assert_int_equal(perp_world_create_why(def, &w, why, sizeof why), PERP_E_NAME);
    const char *told = strstr(why, "there ");
    if (!told || strcmp(strchr(told, ':'), list) != 0)
        fail_msg("%s: the world says \"%s\", the table \"%s\"", key, why, list);
}

static void stages(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3), e = d, f = d;
    check_stage("detector", &d.detector, &d);
    check_stage("contact_model", &e.contact_model, &e);
    check_stage("stepper", &f.stepper, &f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),     cmocka_unit_test(stages), cmocka_unit_test(schema), cmocka_unit_test(reference),
#ifdef PERP_TEST_DIR
        cmocka_unit_test(documented),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
