"""Measures ww-tbl's time per point and step and its transposed bytes, compared with CaNS.

Every round runs the peer and then ww-tbl, each on one rank with one thread, so that ratios are of
the same moment; a run counts by its fastest step. Then `--ranks` of each are profiled for the bytes
of their transpositions. A peer is CaNS 3 or 4 (https://github.com/CaNS-World/CaNS), built outside
this repository; without it, only ww-tbl is measured. CaNS's steps have three Runge-Kutta passes.
With implicit viscosity between the walls alone, they are the scheme of `--time rk3`; the default
steps of ww-tbl have one pass, and implicit viscosity on all axes.
"""

from __future__ import annotations

import argparse
import re
import statistics
from pathlib import Path

from bench import common
from bench.common import Add, Record

VISCOSITY = {"explicit": ("F", "F"), "implicit between walls": ("T", "T"), "implicit": ("T", "F")}
"""Viscosity -> CaNS's is_impdiff and is_impdiff_1d; implicit means on all three axes."""

SAME_AS = {"ww-tbl": "cans implicit", "ww-tbl rk3": "cans implicit between walls"}
"""Steps of ww-tbl -> those of CaNS with viscosity that is implicit on the same axes."""

TARGET = 1.0
"""Largest ratio of a step's time and transposed bytes to those of CaNS."""

INPUT = """\
&dns
ng(1:3) = {n1}, {n3}, {n2}
l(1:3) = 12.566, 4.1888, 2.
gtype = 1, gr = 1.7
cfl = 0.9, dtmax = 1.e-3, dt_f = 1.e-3
visci = 2800.
inivel = 'poi'
is_wallturb = T
nstep = {steps}, time_max = 1.e6, tw_max = 1.e6
stop_type(1:3) = T, F, F
restart = F, is_overwrite_save = T, nsaves_max = 0
icheck = 1000000, iout0d = 1000000, iout1d = 1000000
iout2d = 1000000, iout3d = 1000000, isave = 1000000
cbcvel(0:1,1:3,1) = 'P','P', 'P','P', 'D','D'
cbcvel(0:1,1:3,2) = 'P','P', 'P','P', 'D','D'
cbcvel(0:1,1:3,3) = 'P','P', 'P','P', 'D','D'
cbcpre(0:1,1:3) = 'P','P', 'P','P', 'N','N'
bcvel(0:1,1:3,1) = 0.,0., 0.,0., 0.,0.
bcvel(0:1,1:3,2) = 0.,0., 0.,0., 0.,0.
bcvel(0:1,1:3,3) = 0.,0., 0.,0., 0.,0.
bcpre(0:1,1:3) = 0.,0., 0.,0., 0.,0.
bforce(1:3) = 0., 0., 0.
is_forced(1:3) = T, F, F
velf(1:3) = 1., 0., 0.
dims(1:2) = {ranks}, 1, ipencil_axis = 1
/
&numerics
is_impdiff = {implicit}, is_impdiff_1d = {between_walls}
is_poisson_dtdma = F
/
&other_options
is_debug = T, is_timing = T
/
"""
"""Input in the keywords of CaNS's docs/INFO_INPUT.md: a channel, whose axis 3 is wall-normal.
is_debug makes CaNS print its compiler and flags."""

Times = dict[str, list[float]]
"""ns a point and step of every round, for ww-tbl, and for the peer by viscosity."""


def points(args: argparse.Namespace) -> int:
    n1, n2, n3 = args.cells
    return int(n1 * n2 * n3)


def peer_directory(
    args: argparse.Namespace, viscosity: str, ranks: int, steps: int, above: Path
) -> Path:
    """Makes a directory in which CaNS can run."""
    directory = above / f"{viscosity.replace(' ', '-')}-{ranks}-{steps}"
    (directory / "data").mkdir(parents=True, exist_ok=True)
    n1, n2, n3 = args.cells
    implicit, walls = VISCOSITY[viscosity]
    flags = {"implicit": implicit, "between_walls": walls}
    text = INPUT.format(n1=n1, n2=n2, n3=n3, steps=steps, ranks=ranks, **flags)
    (directory / "input.nml").write_text(text, encoding="utf-8")
    return directory


def peer_steps_s(text: str) -> list[float]:
    """Time of each step [s], the mean over the ranks.

    Raises:
        SystemExit: CaNS has not printed the times.
    """
    matches = re.findall(r"elapsed time:\s*\n\s*(\S+)", text)
    if not matches:
        raise SystemExit("bench: the peer printed no elapsed times; is it CaNS 3 or 4?")
    return [float(seconds) for seconds in matches]


def peer_says(text: str) -> Record:
    """CaNS's own description of its build."""
    matches = re.findall(
        r"^ *(Compiler version|Compiler options|MPI version): *(.*?) *$", text, re.M
    )
    return {name.lower().replace(" ", "_"): value for name, value in matches}


def run_tbl(args: argparse.Namespace, name: str, directory: Path, ranks: int = 1) -> Record:
    size = [f"--n{axis}={n}" for axis, n in enumerate(args.cells, 1)]
    own = [args.program, "--dt=0.001", f"--steps={args.steps}", *size]
    own += ["--time=rk3"] if name == "ww-tbl rk3" else []
    [sample] = common.samples_of(
        [*common.launch(args, ranks), *own], directory, OMP_NUM_THREADS="1"
    )
    return sample


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Times:
    times: Times = {}

    def keep(name: str, seconds: float, record: Record) -> None:
        times.setdefault(name, []).append(1e9 * seconds / points(args))
        add({"name": name, "ns_per_point": times[name][-1], **record})

    for number in range(args.rounds):
        for viscosity in VISCOSITY if args.peer else ():
            where = peer_directory(args, viscosity, 1, args.steps, directory)
            text = common.run([args.peer], where)
            build = {**peer_says(text), **common.build_of(args.peer)}
            keep(f"cans {viscosity}", min(peer_steps_s(text)), {"round": number, **build})
        for name in SAME_AS:
            sample = run_tbl(args, name, directory)
            keep(name, min(sample["details"]["steps_s"]), {"round": number, **sample})
    return times


def peer_bytes(args: argparse.Namespace, viscosity: str, directory: Path) -> float:
    """Bytes that all ranks send by MPI_Alltoallv in a step, from the difference of two runs."""
    results: list[float] = []
    for steps in (2, 4):
        where = peer_directory(args, viscosity, args.ranks, steps, directory)
        command = [args.peer_mpirun, *args.mpirun_option, "-n", str(args.ranks), args.peer]
        profile = where / "profile"
        common.run([common.BESIDE / "waywiser", "profile", "-o", profile, "--", *command], where)
        shown = common.document_of("show", profile, "--per-rank")
        ranks = [rank["functions"].get("MPI_Alltoallv", {"bytes": 0}) for rank in shown["per_rank"]]
        results.append(sum(rank["bytes"] for rank in ranks))
    return (results[1] - results[0]) / 2


def transposed(args: argparse.Namespace, directory: Path, add: Add) -> dict[str, float]:
    """Bytes a step; those of ww-tbl are its closed form, which its tests check by profiles."""
    results: dict[str, float] = {}
    if args.ranks > 1:
        for name in SAME_AS:
            sample = run_tbl(args, name, directory, args.ranks)
            results[name] = sample["details"]["transposed_bytes"]
        for viscosity in VISCOSITY if args.peer else ():
            results[f"cans {viscosity}"] = peer_bytes(args, viscosity, directory)
    for name, size in results.items():
        add({"name": name, "ranks": args.ranks, "transposed_bytes": size})
    return results


def bars(args: argparse.Namespace, results: tuple[Times, dict[str, float]]) -> list[Record]:
    """Bars against the peer's steps with viscosity that is implicit on the same axes."""
    times, sent = results
    if args.peer is None:
        print("bench: no --peer PATH, bars against CaNS are skipped")
        return []
    lines = []
    for own, peer in SAME_AS.items():
        ratio = statistics.median(a / b for a, b in zip(times[own], times[peer], strict=True))
        title, ns = f"time of {own} over {peer}, one core", statistics.median(times[own])
        lines.append(common.at_most(TARGET, title, "ratio", ratio, ns_per_point=ns))
        if sent:
            title = f"transposed bytes of {own} over {peer}, {args.ranks} ranks"
            ratio = sent[own] / sent[peer]
            lines.append(common.at_most(TARGET, title, "ratio", ratio, bytes=sent[own]))
    return lines


def show(results: tuple[Times, dict[str, float]]) -> None:
    times, sent = results
    for name, of in times.items():
        print(f"{name:28} {common.spread(of, 8, 1, ' ns a point and step')}")
    for name, size in sent.items():
        print(f"{name:28} {size:12.0f} B transposed a step")


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = common.options(
        __name__,
        steps=(20, "of a run"),
        rounds=(5, "of all programs"),
        ranks=(2, "for the bytes; 1: none"),
    )
    common.add_program(parser, "ww-tbl")
    common.add_launcher(parser)
    parser.add_argument(
        "--cells", type=common.count(), nargs=3, default=[128, 96, 96], help="of axes 1, 2 and 3"
    )
    common.add_peer(parser, "a cans")
    parser.add_argument(
        "--peer-mpirun", default="mpirun", help="launcher of the peer's MPI (default: mpirun)"
    )
    return parser.parse_args(argv)


main = common.runner(
    parse, lambda *parameters: (measure(*parameters), transposed(*parameters)), bars, show
)
