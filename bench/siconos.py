#!/usr/bin/python3
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
"""perp and Siconos on the same friction contact problems, in one run.

    siconos.py --perp build/release/bench/friction [--page docs/benchmarks-solvers.md] FOLDER

Reads every friction problem of the folder (FCLIB's HDF5 files, Siconos' text files), has perp and several solvers of
Siconos solve it from a cold start, one thread each, and judges every answer by the same two residuals, computed here:
Siconos' measure and a unit-free one. Only solving is timed, by the processor's clock; on a quiet core that is the time
that passes. Runs of perp and of Siconos take turns, so that a load that comes and goes meets both. The method and the
figures: docs/benchmarks-solvers.md, which `make bench-siconos` writes.
"""

import os

for library in ("OPENBLAS", "OMP", "MKL", "BLIS"):  # before numpy is loaded
    os.environ[library + "_NUM_THREADS"] = "1"

import argparse
import csv
import multiprocessing
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import h5py
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

sys.path.pop(0)  # the folder of this file, whose name would hide the package
import siconos.numerics as sn

SICONOS_ENOUGH = 1e-8  # Siconos' measure
UNIT_FREE_ENOUGH = 1e-7
# perp stops when its unit-free figure and a fifth of Siconos' measure are below its tolerance: both ask the same.
PERP_TOLERANCE = SICONOS_ENOUGH / 5

PATIENCE = 20  # how many times longer than the cap a solve may take by the wall, where others use the machine too

BEGIN, END = "<!-- begin: make bench-siconos -->", "<!-- end: make bench-siconos -->"


# ---- reading ---------------------------------------------------------------------------------------------------------


class Text:
    """Words of a Siconos text file, in order."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            self.words = file.read().split()
        self.at = 0

    def skip_to(self, test):
        while not test(self.words[self.at]):
            self.at += 1

    def take(self, n):
        self.at += n
        return self.words[self.at - n : self.at]

    def integer(self):
        return int(self.take(1)[0])

    def integers(self, n):
        return np.array(self.take(n), dtype=np.int64)

    def numbers(self, n):
        return np.array(self.take(n), dtype=float)

    def matrix(self):
        storage, rows, cols = self.integers(3)
        if storage not in (0, 1, 2):
            raise ValueError("not a friction problem")
        return (self.dense, self.blocks, self.listing)[storage](rows, cols)

    def dense(self, rows, cols):
        self.take(2)  # the sizes once more
        return sp.csc_matrix(self.numbers(rows * cols).reshape(cols, rows).T)

    def blocks(self, rows, cols):
        _, block_rows, block_cols = self.integers(3)
        row_at = np.concatenate(([0], self.integers(block_rows)))
        col_at = np.concatenate(([0], self.integers(block_cols)))
        filled = self.integers(2)
        start, index = self.integers(filled[0]), self.integers(filled[1])
        row, col, value = [], [], []
        for i in range(filled[0] - 1):
            for j in index[start[i] : start[i + 1]]:
                self.take(1)  # number of the block
                height, width = row_at[i + 1] - row_at[i], col_at[j + 1] - col_at[j]
                value.append(self.numbers(height * width))
                row.append(np.tile(np.arange(row_at[i], row_at[i + 1]), width))
                col.append(np.repeat(np.arange(col_at[j], col_at[j + 1]), height))
        entries = (np.concatenate(value), (np.concatenate(row), np.concatenate(col)))
        return sp.coo_matrix(entries, shape=(rows, cols)).tocsc()

    def listing(self, rows, cols):
        """As CSparse prints matrices."""
        self.skip_to(lambda word: "-by-" in word)
        triplets = self.words[self.at - 1].startswith("triplet")
        self.skip_to(lambda word: word.startswith("nnz"))
        self.take(1)
        count = int(self.take(1)[0].rstrip(","))
        if triplets:
            lines = np.array(self.take(4 * count)).reshape(count, 4)  # row, column, colon, value
            return sp.coo_matrix((lines[:, 3].astype(float), (lines[:, 0].astype(int), lines[:, 1].astype(int))),
                                 shape=(rows, cols)).tocsc()
        self.skip_to(lambda word: word == "col")
        row, col, value = [], [], []
        for _ in range(cols):
            head = self.take(7)  # col J : locations A to B
            for _ in range(int(head[4]), int(head[6]) + 1):
                entry = self.take(3)  # row, colon, value
                row.append(int(entry[0]))
                col.append(int(head[1]))
                value.append(float(entry[2]))
        return sp.coo_matrix((value, (row, col)), shape=(rows, cols)).tocsc()


def hdf5_matrix(group):
    """nz says the layout. In triplets i is the row and p the column; nzmax may be larger than what is used."""
    shape = (int(group["m"][0]), int(group["n"][0]))
    nz, p, i, x = int(group["nz"][0]), group["p"][:], group["i"][:], group["x"][:]
    if nz >= 0:
        return sp.coo_matrix((x[:nz], (i[:nz], p[:nz])), shape=shape).tocsc()
    used = p[-1]
    kind = sp.csc_matrix if nz == -1 else sp.csr_matrix
    return kind((x[:used], i[:used], p), shape=shape).tocsc()


class Problem:
    """u = W r + q with Coulomb's law; M, H, f, w as well if the file has the global form."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        self.M = None
        if h5py.is_hdf5(path):
            self.read_hdf5(path)
        else:
            self.read_text(path)
        if self.M is not None:
            solve = sla.factorized(self.M.tocsc())
            X = np.column_stack([solve(column) for column in self.H.toarray().T])
            self.W, self.q = sp.csc_matrix(self.H.T @ X), self.H.T @ solve(self.f) + self.w
        self.W.sum_duplicates()
        self.contacts = len(self.mu)

    def read_hdf5(self, path):
        with h5py.File(path, "r") as file:
            local = "fclib_local" in file
            group = file["fclib_local" if local else "fclib_global"]
            if any(part in group for part in ("V", "R", "G")):
                raise ValueError("has equalities, which the solvers called here do not take")
            vectors = group["vectors"]
            self.dim, self.mu = int(group["spacedim"][0]), vectors["mu"][:]
            if local:
                self.W, self.q = hdf5_matrix(group["W"]), vectors["q"][:]
            else:
                self.M, self.H = hdf5_matrix(group["M"]), hdf5_matrix(group["H"])
                self.f, self.w = vectors["f"][:], vectors["w"][:]

    def read_text(self, path):
        text = Text(path)
        self.dim, contacts = text.integer(), text.integer()
        if self.dim not in (2, 3) or contacts < 1:
            raise ValueError("not a friction problem")
        first = text.matrix()
        # The global form goes on with a second matrix; the local one with q and mu, which then end the file.
        if len(text.words) - text.at >= (self.dim + 1) * contacts + 1 and first.shape[0] != self.dim * contacts \
           or self.name.lower().startswith("gfc") and "condensed" not in self.name:
            self.M, self.H = first, text.matrix()
            self.f, self.w = text.numbers(first.shape[0]), text.numbers(self.dim * contacts)
        else:
            self.W, self.q = first, text.numbers(self.dim * contacts)
        self.mu = text.numbers(contacts)


# ---- judging ---------------------------------------------------------------------------------------------------------


def project(y, mu):
    """On the cones |y_T| <= mu y_N. The polar cone is asked first: with mu = 0 an open contact would look inside."""
    normal, tangent = y[:, 0], np.linalg.norm(y[:, 1:], axis=1)
    out = np.zeros_like(y)
    polar = mu * tangent <= -normal
    inside = ~polar & (tangent <= mu * normal)
    side = ~polar & ~inside
    out[inside] = y[inside]
    n = (mu[side] * tangent[side] + normal[side]) / (1 + mu[side] ** 2)
    out[side, 0] = n
    out[side, 1:] = (mu[side] * n / tangent[side])[:, None] * y[side, 1:]
    return out


def judge(p, r):
    """(Siconos' measure, unit-free measure) of impulses r; infinite if r is not finite."""
    if r is None or len(r) != len(p.q) or not np.all(np.isfinite(r)):
        return np.inf, np.inf
    u = p.W @ r + p.q
    R, Q, corrected = r.reshape(-1, p.dim), p.q.reshape(-1, p.dim), u.reshape(-1, p.dim).copy()
    corrected[:, 0] += p.mu * np.linalg.norm(corrected[:, 1:], axis=1)
    size = max(np.linalg.norm(x) for x in (p.q, r, u))
    siconos = np.linalg.norm(R - project(R - corrected, p.mu)) / (size or 1)
    rho = 1 / p.W.diagonal().reshape(-1, p.dim).mean(axis=1)
    error = np.linalg.norm(R - project(R - rho[:, None] * corrected, p.mu), axis=1)
    unit = max(np.linalg.norm(R, axis=1).max(), (rho * np.linalg.norm(Q, axis=1)).max())
    return siconos, error.max() / (unit or 1)


# ---- Siconos ---------------------------------------------------------------------------------------------------------


def wide(A):
    """Siconos wants 64-bit indices and copies, slowly, what has others."""
    A = A.tocsc().copy()
    A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    return A


def block_problem(p):
    """In Siconos' sparse block storage, which only its own reader makes from here."""
    W = sp.bsr_matrix(p.W, blocksize=(p.dim, p.dim))
    W.sort_indices()
    ends = np.arange(1, p.contacts + 1) * p.dim
    words = [p.dim, p.contacts, 1, *W.shape, len(W.indices), p.contacts, p.contacts, *ends, *ends]
    words += [p.contacts + 1, len(W.indices), *W.indptr, *W.indices]
    for k, block in enumerate(W.data):
        words += [k, *map(float, block.T.ravel())]
    words += [*map(float, p.q), *map(float, p.mu)]
    with tempfile.NamedTemporaryFile("w", suffix=".dat") as file:
        file.write("\n".join(map(repr, [w.item() if isinstance(w, np.generic) else w for w in words])) + "\n")
        file.flush()
        return sn.frictionContact_new_from_filename(file.name)


def global_problem(p):
    g = sn.GlobalFrictionContactProblem()
    g.dimension, g.numberOfContacts = 3, p.contacts
    g.M, g.H, g.q, g.b, g.mu = wide(p.M), wide(p.H), p.f, p.w, p.mu
    return g


# Name, storage of the problem, Siconos' number, most iterations. NSGS computes the whole error after every sweep;
# "NSGS light", the default, a cheaper one, and the whole error only when that one is small.
THREE = (
    ("NSGS", "blocks", "SICONOS_FRICTION_3D_NSGS", 10**6),
    ("NSGS light", "blocks", "SICONOS_FRICTION_3D_NSGS", 10**6),
    ("NSN_AC", "sparse", "SICONOS_FRICTION_3D_NSN_AC", 10**5),
    ("ADMM", "sparse", "SICONOS_FRICTION_3D_ADMM", 10**6),
    ("PROX", "sparse", "SICONOS_FRICTION_3D_PROX", 10**5),
)
THREE_GLOBAL = (
    ("ADMM global", "global", "SICONOS_GLOBAL_FRICTION_3D_ADMM", 10**6),
    ("NSN_AC global", "global", "SICONOS_GLOBAL_FRICTION_3D_NSN_AC", 10**5),
)
TWO = (
    ("NSGS 2D", "blocks", "SICONOS_FRICTION_2D_NSGS", 10**6),
    ("Lemke 2D", "dense", "SICONOS_FRICTION_2D_LEMKE", 10**6),
)


def solvers_for(p):
    if p.dim == 2:
        return TWO
    return THREE + (THREE_GLOBAL if p.M is not None else ())


def siconos_child(p, solver, pipe):
    """In a process of its own: some solvers can neither be stopped nor be trusted to return."""
    warnings.simplefilter("ignore")
    name, storage, number, most = solver
    options = sn.SolverOptions(getattr(sn, number))
    options.dparam[0], options.iparam[0] = SICONOS_ENOUGH, most
    if name == "NSGS":
        options.iparam[sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = \
            sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL
    r, u = np.zeros(len(p.q)), np.zeros(len(p.q))
    if storage == "global":
        g, v = global_problem(p), np.zeros(p.M.shape[0])
        call = lambda: sn.gfc3d_driver(g, r, u, v, options)
    else:
        if storage == "blocks":
            local = block_problem(p)
        else:
            W = p.W.toarray(order="F") if storage == "dense" else wide(p.W)
            local = sn.FrictionContactProblem(p.dim, W, p.q, p.mu)
        drive = sn.fc2d_driver if p.dim == 2 else sn.fc3d_driver
        call = lambda: drive(local, r, u, options)
    pipe.send("ready")
    null = os.open(os.devnull, os.O_WRONLY)  # what the solvers print would cost them time on a terminal
    os.dup2(null, 1)
    os.dup2(null, 2)
    before = time.process_time()
    call()
    took = time.process_time() - before
    pipe.send((took, r))
    os._exit(0)


def processor_time(pid):
    """Seconds a process has used so far. A limit by setrlimit() would be simpler, but makes its own clock coarse."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def run_siconos(p, solver, cap):
    """(seconds, impulses), or (None, None) if it took longer than `cap` or died while solving."""
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=siconos_child, args=(p, solver, there))
    child.start()
    there.close()
    try:
        here.recv()  # "ready"
    except EOFError:  # our mistake, not Siconos'
        sys.exit(f"siconos.py: could not hand {p.name} to {solver[0]}")
    answer, begin, used = (None, None), time.perf_counter(), processor_time(child.pid)
    try:
        while processor_time(child.pid) - used < cap + 0.1 and time.perf_counter() - begin < PATIENCE * cap:
            if here.poll(0.25):
                answer = here.recv()
                break
    except EOFError:
        pass
    child.kill()
    child.join()
    return answer


# ---- perp ------------------------------------------------------------------------------------------------------------


def run_perp(p, program, solver, cap):
    """(seconds, impulses)"""
    with tempfile.NamedTemporaryFile("r") as answer:
        command = [program, "-s", solver, "-n", "1", "-t", repr(PERP_TOLERANCE), "-c", repr(PATIENCE * cap)]
        command += ["-o", answer.name, p.path]
        out = subprocess.run(command, capture_output=True, text=True, timeout=60 + 2 * PATIENCE * cap, check=False)
        if out.returncode:
            raise RuntimeError(out.stderr)
        line = next(csv.DictReader(out.stdout.splitlines()))
        return float(line["cpu_s"]), np.array(answer.read().split(), dtype=float)


# ---- the run ---------------------------------------------------------------------------------------------------------


class Score:
    """Times and worst figures of one solver on one problem. Solved: by both measures; roughly: by Siconos' alone."""

    def __init__(self):
        self.times, self.figures, self.failed = [], (0.0, 0.0), False

    def add(self, seconds, figures, cap):
        if seconds is not None:
            self.times.append(seconds)
            self.figures = tuple(max(pair) for pair in zip(self.figures, figures))
        self.failed = self.failed or seconds is None or seconds > cap or figures[0] > SICONOS_ENOUGH

    def roughly(self):
        return bool(self.times) and not self.failed

    def solved(self):
        return self.roughly() and self.figures[1] <= UNIT_FREE_ENOUGH

    def time(self):
        return statistics.median(self.times)

    def text(self):
        figures = f" ({self.figures[0]:.0e}, {self.figures[1]:.0e})"
        if not self.times:
            return "cap"
        return show(self.time()) + " ms" + ("" if self.solved() else " lost") + figures


def compare(p, arguments):
    """All solvers on one problem: {name: Score}. Siconos' solvers that fail, or that are ten times slower than another
    of them, have no second turn: they cannot become the best."""
    solvers = {solver[0]: solver for solver in solvers_for(p)}
    scores = {name: Score() for name in ("perp", *solvers)}
    for _ in range(arguments.repetitions):
        seconds, r = run_perp(p, arguments.perp, arguments.solver, arguments.cap)
        scores["perp"].add(seconds, judge(p, r), arguments.cap)
        best = min((s.time() for name, s in scores.items() if name != "perp" and s.solved()), default=np.inf)
        for name, solver in solvers.items():
            score = scores[name]
            if not score.failed and (not score.times or score.time() <= 10 * best):
                seconds, r = run_siconos(p, solver, arguments.cap)
                score.add(seconds, judge(p, r), arguments.cap)
    return scores


def best_of_siconos(scores, solved=Score.solved):
    """Name of its quickest solver that solved the problem, or None."""
    names = [name for name, s in scores.items() if name != "perp" and solved(s)]
    return min(names, key=lambda name: scores[name].time(), default=None)


def show(seconds):
    return f"{1e3 * seconds:.3g}" if seconds < 9.995e-3 else f"{1e3 * seconds:.0f}" if seconds >= 0.0995 \
        else f"{1e3 * seconds:.1f}"


def times(ratio):
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.2g}"


def row(p, scores):
    perp, best = scores["perp"], best_of_siconos(scores)
    cells = [p.name, str(p.dim), str(p.contacts)]
    cells += [show(perp.time()) if perp.solved() else "lost", *(f"{f:.0e}" for f in perp.figures)]
    if best:
        cells += [best, show(scores[best].time()), *(f"{f:.0e}" for f in scores[best].figures)]
        cells += [times(scores[best].time() / perp.time()) if perp.solved() else "-"]
    else:
        cells += ["none", "-", "-", "-", "-"]
    return cells


HEAD = ["problem", "dim", "contacts", "perp [ms]", "Siconos' measure", "unit-free", "Siconos' best", "[ms]",
        "Siconos' measure", "unit-free", "perp faster by"]


def summary(title, chosen):
    """What to say of a group of (problem, scores)."""
    if not chosen:
        return f"- {title}: none in this folder"
    perp = [s["perp"].time() for _, s in chosen if s["perp"].solved()]
    text = f"- {title} ({len(chosen)}): perp solves {len(perp)}"
    text += f", median {show(statistics.median(perp))} ms" if perp else ""
    for solved, by in ((Score.solved, ""), (Score.roughly, " by its own measure alone")):
        bests = [(s, best_of_siconos(s, solved)) for _, s in chosen]
        siconos = [s[b].time() for s, b in bests if b]
        ratios = [s[b].time() / s["perp"].time() for s, b in bests if b and s["perp"].solved()]
        text += f";\n  Siconos' best solver per problem{by} {len(siconos)}"
        text += f", median {show(statistics.median(siconos))} ms" if siconos else ""
        if ratios:
            text += (f"; perp faster by {times(statistics.median(ratios))} in median, {times(min(ratios))} to "
                     f"{times(max(ratios))}, faster on {sum(r >= 1 for r in ratios)} of {len(ratios)}")
    return text


def by_solver(results):
    """Solver by solver: how many it solved of those it was given, median time over these."""
    lines = ["| solver | given | solved | in Siconos' measure alone | median of the solved [ms] |",
             "|---|---|---|---|---|"]
    for name in ("perp",) + tuple(s[0] for s in THREE + THREE_GLOBAL + TWO):
        given = [s[name] for _, s in results if name in s]
        done = [s.time() for s in given if s.solved()]
        if given:
            median = show(statistics.median(done)) if done else "-"
            lines.append(f"| {name} | {len(given)} | {len(done)} | {sum(s.roughly() for s in given)} | {median} |")
    return lines


def is_generated(p):
    return p.name.startswith("gen-")


def report(results, arguments):
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    lines += ["| " + " | ".join(row(p, s)) + " |" for p, s in results]
    lines += ["", summary("all", results),
              summary("real, 3-D, 20 contacts or more",
                      [x for x in results if x[0].dim == 3 and x[0].contacts >= 20 and not is_generated(x[0])]),
              summary("gen-*", [x for x in results if is_generated(x[0])]),
              summary("the others", [x for x in results if not is_generated(x[0]) and
                                     (x[0].dim == 2 or x[0].contacts < 20)])]
    lines += ["", *by_solver(results)]
    lines += ["", f"{arguments.repetitions} repetitions, {platform.machine()}, load {os.getloadavg()[0]:.1f} on "
              f"{os.cpu_count()} cores at the end."]
    return lines


def put_in_page(page, lines):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    if not pattern.search(text):
        sys.exit(f"siconos.py: {page} has no markers {BEGIN} and {END}")
    text = pattern.sub(lambda _: BEGIN + "\n" + "\n".join(lines) + "\n" + END, text)
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)


def problems_in(folder, filter_):
    for name in sorted(os.listdir(folder), key=str.lower):
        if not name.endswith((".dat", ".hdf5")) or filter_ not in name:
            continue
        try:
            yield Problem(os.path.join(folder, name))
        except (KeyError, ValueError, IndexError) as why:
            print(f"{name}: left out, {why}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="perp and Siconos on the same friction contact problems")
    parser.add_argument("folder")
    parser.add_argument("--perp", required=True, help="the program bench/friction")
    parser.add_argument("--solver", default="auto", help="of perp")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--cap", type=float, default=10, help="seconds per solve")
    parser.add_argument("--filter", default="", help="only problems with this in their name")
    parser.add_argument("--page", help="page to put the table in")
    arguments = parser.parse_args()
    results = []
    for p in problems_in(arguments.folder, arguments.filter):
        scores = compare(p, arguments)
        results.append((p, scores))
        print(f"{p.name} ({p.contacts}): " + ", ".join(f"{n} {s.text()}" for n, s in scores.items()), flush=True)
    if not results:
        sys.exit(f"siconos.py: no friction problems in {arguments.folder}")
    lines = report(results, arguments)
    print("\n".join(lines))
    if arguments.page:
        put_in_page(arguments.page, lines)
    lost = [p.name for p, s in results if not s["perp"].solved()]
    if lost:
        sys.exit("siconos.py: perp did not solve " + ", ".join(lost))


if __name__ == "__main__":
    main()
