/* fuzz_study.c - any bytes as a study file, as a table of data, and as a file of results: refused or read, never a crash. The first byte
 * chooses. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/sealed.h"
#include "study/design.h"
#include "study/file.h"

static const char scene[] = "perp: 1\ndim: 2\nduration: 0.01\nparameters: {mu: 0.3, v: 1}\nlaw: {mu: mu}\nbodies:\n"
                            "  - {name: block, density: 1, velocity: [v, 0], shape: {type: sphere, radius: 1}}\n";

static void as_study(const char *data, size_t size) {
    const perp_source_file file[2] = {{"study.yaml", data, size}, {"scene.yaml", scene, sizeof scene - 1}};
    pp_study_options o = {.count = -1, .seed = -1, .file = file, .nfile = 2};
    perp_refusal why;
    pp_study *s = NULL;
    if (pp_study_open("study.yaml", &o, &s, &why)) return;
    pp_design d;
    if (!pp_design_read(s, &d, &why)) pp_design_free(&d);
    pp_runner *r;
    if (!pp_runner_new(s, s->scene, &r, &why)) pp_runner_free(r);
    pp_study_close(s);
}

static void as_results(const uint8_t *data, size_t size) {
    char *image = malloc(size + pp_sealed_room(size));
    perp_refusal why;
    pp_study_file *f = NULL;
    if (!image) return;
    memcpy(image, data, size);
    size_t whole = pp_seal_image(image, size);
    if (!pp_study_file_open_memory("study.h5", image, whole, &f, &why)) {
        uint64_t digest;
        pp_study *s = NULL;
        (void)pp_study_digest(&f, 1, &digest, &why);
        if (!pp_study_file_study(f, &s, &why)) pp_study_close(s);
        pp_study_file_close(f);
    }
    free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    if (data[0] % 2)
        as_study((const char *)data + 1, size - 1);
    else
        as_results(data + 1, size - 1);
    return 0;
}
