# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the package `perp` from the public headers and a static libperp.

    python3 build_native.py --library BUILD --output FOLDER [--cc CC]

BUILD is a build folder of CMake with libperp.a and perp.pc in it; FOLDER/perp becomes the package. Declarations, the docstrings of
records and the list of status codes are taken from include/perp/*.h, so that nothing is typed twice.
"""
from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
INCLUDE = os.path.join(ROOT, "include")

# Structs that Python shows as records with typed properties: C name, Python name.
RECORDS = [
    ("perp_step_residual", "Law"),
    ("perp_ledger", "Ledger"),
    ("perp_energy_extent", "Extent"),
    ("perp_certificate", "Certificate"),
    ("perp_verdict", "Verdict"),
    ("perp_measures", "Measures"),
    ("perp_fit_result", "FitReport"),
    ("perp_search_result", "SearchReport"),
]

# Functions of Python that C calls.
CALLBACKS = """
extern "Python" void py_force(const perp_world *w, double t, perp_wrench *out, void *ctx);
extern "Python" void py_motion(double t, perp_pose *X_WB, void *ctx);
extern "Python" bool py_ncp_value(const double *z, double *w, void *ctx);
extern "Python" bool py_ncp_slope(const double *z, double *value, void *ctx);
extern "Python" bool py_search_values(void *ctx, int count, const double *x, double *f, double *g);
extern "Python" bool py_fit_residuals(void *ctx, int count, const double *x, double *r);
extern "Python" bool py_log_density(void *ctx, int count, const double *x, double *out);
"""

# Memory of worlds whose arrays are shown to Python. A block that was pinned is not freed before its memory is: arrays of numpy
# that outlive a growth or the end of their world read old numbers, never freed memory. The collector of cycles ends a memory and the worlds
# in it in any order: a memory that Python has given up goes with the last block that is returned.
MEMORY = r"""
typedef struct py_memory {
    pthread_mutex_t lock; /* clones share it, and may be stepped by different threads */
    void **pinned, **buried;
    size_t npinned, cap_pinned, nburied, cap_buried;
    size_t live; /* blocks that were not returned yet */
    bool orphan; /* Python has given it up */
} py_memory;

static bool py_list_add(void ***list, size_t *n, size_t *cap, void *p) {
    if (*n == *cap) {
        size_t more = *cap ? 2 * *cap : 16;
        void **grown = realloc(*list, more * sizeof *grown);
        if (!grown) return false;
        *list = grown;
        *cap = more;
    }
    (*list)[(*n)++] = p;
    return true;
}

static void *py_memory_get(size_t size, void *ctx) {
    py_memory *m = ctx;
    void *p = malloc(size);
    if (p) __atomic_add_fetch(&m->live, 1, __ATOMIC_RELAXED);
    return p;
}

static void py_memory_end(py_memory *m) {
    for (size_t i = 0; i < m->nburied; i++) free(m->buried[i]);
    free(m->buried);
    free(m->pinned);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static void py_memory_return(void *p, void *ctx) {
    py_memory *m = ctx;
    if (!p) return;
    size_t i = 0;
    pthread_mutex_lock(&m->lock);
    while (i < m->npinned && m->pinned[i] != p) i++;
    bool keep = i < m->npinned;
    if (keep) {
        m->pinned[i] = m->pinned[--m->npinned];
        (void)py_list_add(&m->buried, &m->nburied, &m->cap_buried, p); /* without room for it: it is never freed */
    }
    bool last = __atomic_sub_fetch(&m->live, 1, __ATOMIC_RELAXED) == 0 && m->orphan;
    pthread_mutex_unlock(&m->lock);
    if (!keep) free(p);
    if (last) py_memory_end(m);
}

static py_memory *py_memory_new(void) {
    py_memory *m = calloc(1, sizeof *m);
    if (m) pthread_mutex_init(&m->lock, NULL);
    return m;
}

static void py_memory_free(py_memory *m) {
    if (!m) return;
    pthread_mutex_lock(&m->lock);
    m->orphan = true;
    bool last = __atomic_load_n(&m->live, __ATOMIC_RELAXED) == 0;
    pthread_mutex_unlock(&m->lock);
    if (last) py_memory_end(m);
}

static perp_allocator py_memory_allocator(py_memory *m) { return (perp_allocator){py_memory_get, py_memory_return, m}; }

/* A step, unless one is under way, in this or another thread: then PY_BUSY. lent: the joint space whose q and v somebody holds; NULL: none. */
#define PY_BUSY 1
static int py_step(perp_world *w, perp_certificate *cert, uintptr_t *busy, perp_joint_space *lent) {
    uintptr_t nobody = 0; /* busy: the thread that steps */
    if (!__atomic_compare_exchange_n(busy, &nobody, (uintptr_t)pthread_self(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return PY_BUSY;
    int st = (int)perp_world_step(w, cert);
    if (!st && lent) (void)perp_joint_space_get(lent, w, NULL, NULL);
    __atomic_store_n(busy, 0, __ATOMIC_RELEASE);
    return st;
}

/* False: no memory for the note. */
static bool py_memory_pin(py_memory *m, const void *p) {
    pthread_mutex_lock(&m->lock);
    size_t i = 0;
    while (i < m->npinned && m->pinned[i] != p) i++;
    bool done = i < m->npinned || py_list_add(&m->pinned, &m->npinned, &m->cap_pinned, (void *)p);
    pthread_mutex_unlock(&m->lock);
    return done;
}
"""
MEMORY_DECLARATIONS = """
typedef struct py_memory py_memory;
py_memory *py_memory_new(void);
void py_memory_free(py_memory *m);
perp_allocator py_memory_allocator(py_memory *m);
bool py_memory_pin(py_memory *m, const void *p);
int py_step(perp_world *w, perp_certificate *cert, uintptr_t *busy, perp_joint_space *lent);
"""


def drop_inline(text: str) -> str:
    """Declarations without `static inline` functions."""
    out, at = [], 0
    for m in re.finditer(r"static inline[^{;]*\{", text):
        if m.start() < at:
            continue
        out.append(text[at : m.start()])
        depth, at = 1, m.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    return "".join(out) + text[at:]


def declarations(cc: str) -> str:
    """What the public headers declare, as cffi reads it: preprocessed without the system's headers."""
    with tempfile.TemporaryDirectory() as stub:
        for name in ("stdbool.h", "stddef.h", "stdint.h", "math.h"):
            open(os.path.join(stub, name), "w").close()
        command = [*shlex.split(cc), "-E", "-P", "-nostdinc", "-U__GNUC__", "-I", stub, "-I", INCLUDE,
                   os.path.join(INCLUDE, "perp", "perp.h")]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return drop_inline(text)


def header_text() -> str:
    folder = os.path.join(INCLUDE, "perp")
    return "\n".join(open(os.path.join(folder, n)).read() for n in sorted(os.listdir(folder)) if n.endswith(".h"))


def plain(comment: str) -> str:
    """The words of a comment of the headers."""
    lines = [re.sub(r"^\s*\*?\s?", "", x) for x in comment.split("\n")]
    return re.sub(r"\s+", " ", " ".join(lines)).strip().replace("@param ", "").replace("\\", "\\\\").replace('"', "'")


def fields_of(struct: str, text: str) -> list[tuple[str, str, str]]:
    """Fields of a struct: C type, declarator, comment."""
    m = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (struct, struct), text, re.S)
    if not m:
        raise SystemExit(f"build_native: the headers have no struct {struct}")
    out: list[tuple[str, str, str]] = []
    before = ""
    for c, decl in re.findall(r"/\*(.*?)\*/|([^;/]+);", m.group(1), re.S):
        if decl:
            words = re.sub(r"\s+", " ", decl).strip()
            names = [n.strip() for n in words.split(",")]
            ctype, first = re.match(r"(.*?[\s*])(\w+(?:\[\w+\])?)$", names[0]).groups()  # type: ignore[union-attr]
            for n in [first, *names[1:]]:
                out.append((ctype.strip(), n, before))
            before = ""
        elif c.startswith("*<"):
            last = len(out) - 1
            group = [last]
            while group[0] > 0 and out[group[0] - 1][2] == "" and out[group[0] - 1][0] == out[last][0] and \
                    re.search(r"\b%s,\s+(?:\w+,\s+)*%s\b" % (re.escape(out[group[0] - 1][1]), re.escape(out[last][1])), m.group(1)):
                group.insert(0, group[0] - 1)
            for i in group:
                out[i] = (out[i][0], out[i][1], (out[i][2] + " " + plain(c[2:])).strip())
        elif c.startswith("*"):
            before = plain(c[1:])
    return out


def comment_of(struct: str, text: str) -> str:
    m = re.search(r"/\*\*((?:(?!\*/).)*?)\*/\s*typedef struct %s \{" % struct, text, re.S)
    return plain(m.group(1)) if m else struct


def records() -> str:
    """Python source of the records."""
    text = header_text()
    names = dict(RECORDS)
    scalar = {"double": "float", "int": "int", "uint64_t": "int", "bool": "bool", "const char *": "str"}
    out = ['"""Records of the library, made from the words of its headers by build_native.py."""',
           "from __future__ import annotations", "", "from typing import Any", "", "from ._record import Record", ""]
    for struct, name in RECORDS:
        out += ["", f"class {name}(Record):", f'    """{comment_of(struct, text)}"""', "", f'    _type = "{struct}"',
                "    __slots__ = ()"]
        for ctype, declarator, doc in fields_of(struct, text):
            m = re.match(r"(\w+)(?:\[(\w+)\])?$", declarator)
            assert m
            field, array = m.groups()
            if ctype in names:
                kind, value = names[ctype], f"{names[ctype]}(self._c.{field}, self)"
            elif ctype in scalar and not array:
                kind = scalar[ctype]
                value = f"self._text(self._c.{field})" if kind == "str" else f"{kind}(self._c.{field})"
            elif ctype in scalar and array:
                kind = f"tuple[{scalar[ctype]}, ...]"
                value = f"tuple(self._c.{field})"
            else:
                continue
            out += ["", "    @property", f"    def {field}(self) -> {kind}:", f'        """{doc or field}"""', f"        return {value}"]
        shown = ", ".join(repr(re.sub(r"\[.*", "", d)) for t, d, _ in fields_of(struct, text) if t in scalar or t in names)
        out += ["", f"    _fields = ({shown},)", ""]
    out += ["", "_all: Any = (" + ", ".join(n for _, n in RECORDS) + ",)", ""]
    return "\n".join(out)


def build(library: str, output: str, cc: str) -> str:
    """Compiles the package into output/perp and returns that folder."""
    import cffi

    package = os.path.join(output, "perp")
    os.makedirs(package, exist_ok=True)
    for name in os.listdir(os.path.join(HERE, "perp")):
        if name.endswith((".py", ".pyi", ".typed")):
            shutil.copy(os.path.join(HERE, "perp", name), package)
    with open(os.path.join(package, "_records.py"), "w") as f:
        f.write(records())

    ffi = cffi.FFI()
    ffi.cdef(declarations(cc))
    ffi.cdef(MEMORY_DECLARATIONS)
    ffi.cdef(CALLBACKS)
    ffi.set_source("perp._native", "#include <pthread.h>\n#include <stdlib.h>\n#include <perp/perp.h>\n" + MEMORY)
    source, target = os.path.join(output, "_native.c"), os.path.join(package, "_native.abi3.so")
    archive = os.path.join(library, "libperp.a")
    flags = shlex.split(os.environ.get("PERP_PYTHON_CFLAGS", ""))  # such as -fsanitize=address,undefined
    note = os.path.join(output, "_native.flags")  # of the last compilation
    compiled_with = open(note).read().split() if os.path.exists(note) else []
    # emit_c_code() leaves a file alone whose text is the same
    ffi.emit_c_code(source)
    if os.path.exists(target) and os.path.getmtime(target) > max(os.path.getmtime(source), os.path.getmtime(archive)) and flags == compiled_with:
        return package
    libs = [x for x in open(os.path.join(library, "perp.pc")).read().split("\n") if x.startswith("Libs:")][0].split()[1:]
    libs = [x for x in libs if not x.startswith("-L") and x != "-lperp"]
    command = [*shlex.split(cc), "-std=gnu17", "-O2", "-fPIC", "-shared", "-w", *flags, "-I", sysconfig.get_paths()["include"],
               "-I", INCLUDE, source, archive, *libs, "-o", target + ".part"]
    subprocess.run(command, check=True)
    os.replace(target + ".part", target)
    with open(note, "w") as f:
        f.write("\n".join(flags))
    return package


def main() -> int:
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("--library", default=os.path.join(ROOT, "build", "release"))
    a.add_argument("--output", default=os.path.join(ROOT, "build", "python"))
    a.add_argument("--cc", default=os.environ.get("CC", "cc"))
    o = a.parse_args()
    print(build(o.library, o.output, o.cc))
    return 0


if __name__ == "__main__":
    sys.exit(main())
