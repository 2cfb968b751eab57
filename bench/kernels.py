"""How fast ww-propa and ww-fd are, held against the copy of the same run, and against hpcscan.

Every round runs all variants, and the peer where it is given, one after the other, so that a slow
moment of the machine is in all of them. A peer is built outside the repository and named with
`--peer hpcscan=PATH`; without it, its bars are skipped, by name.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.common import Record, add_output_options, at_least, raw_samples, report_bars

OVER_HPCSCAN = {
    **{("blocked", 4): 1.6, ("blocked", 8): 1.7, ("blocked", 12): 2.5},
    ("temporal", 8): 2.9,
}
"""Of ww-propa's variants by order, wanted times hpcscan's better mode."""

OF_COPY = {"blocked": 0.5, "temporal": 0.8}
"""At order 8: one pass of leapfrog without neighbours moves the same 16 bytes a point."""

TWO_RANKS = 0.95
"""Two ranks of one thread over one rank of two."""

DERIVATIVES = {"second-1": 0, "second-2": 1, "second-3": 2, "laplacian": 3}
"""Operators that hpcscan has, and their place in its log."""

Rates = dict[str, list[float]]


def over_hpcscan_in_fd(order: int) -> float:
    return 2.0 if order >= 12 else 1.3


def run(command: list[str], folder: Path, threads: int, peer: bool = False) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"}
    done = subprocess.run(
        command, check=False, cwd=folder, env=environment, capture_output=True, text=True
    )
    # hpcscan ends with 0 whatever its checks say, and ours with 1 when one fails.
    if done.returncode != 0:
        said = done.stderr[-300:] if peer else done.stdout[-300:] + done.stderr[-300:]
        raise SystemExit(f"bench: {' '.join(command)} ended with {done.returncode}: {said}")


def size(args: argparse.Namespace) -> list[str]:
    return [f"--n1={args.n}", f"--steps={args.steps}", "--tries=1"]


def propa(args: argparse.Namespace, folder: Path, order: int, ranks: int) -> list[Record]:
    file = folder / "samples.jsonl"
    launch = [args.mpirun, *args.mpirun_option, "-n", str(ranks)] if ranks > 1 else []
    variant = "blocked" if ranks > 1 else "all"
    options = [*size(args), f"--order={order}", f"--variant={variant}", f"--json={file}"]
    threads = max(1, args.threads // ranks)
    run([*launch, str(args.programs / "ww-propa"), *options], folder, threads)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def fd(args: argparse.Namespace, folder: Path, order: int) -> list[Record]:
    file = folder / "samples.jsonl"
    options = [f"--n1={args.n}", "--tries=3", f"--order={order}", "--variant=all"]
    run([str(args.programs / "ww-fd"), *options, f"--json={file}"], folder, args.threads)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def hpcscan(args: argparse.Namespace, folder: Path, case: str, order: int) -> list[Record]:
    """One record a mode, with the numbers of its log from the tenth on."""
    log = folder / f"hpcscan.perf.{case}.log"
    records: list[Record] = []
    for mode in ("Baseline", "CacheBlk"):
        log.unlink(missing_ok=True)
        axes = [word for axis in "123" for word in (f"-n{axis}", str(args.n))]
        options = ["-testCase", case, "-testMode", mode, "-fdOrder", str(order), *axes]
        options += ["-nt", str(args.steps), "-snapInc", str(args.steps + 1)]
        options += ["-ntry", "2", "-cb2", "16", "-cb3", "16"]
        run([args.peer["hpcscan"], *options], folder, args.threads, peer=True)
        words = log.read_text(encoding="utf-8").split("\n")[0].split()
        numbers = [float(word) for word in words if word.replace(".", "", 1)[:1].isdigit()]
        records.append({"peer": "hpcscan", "case": case, "mode": mode, "order": order})
        records[-1]["numbers"] = numbers[9:]
    return records


def add_rates(rates: Rates, samples: list[Record], order: int, ranks: int) -> None:
    for sample in samples:
        where = sample["parameters"].get("operator", sample["workload"])
        name = f"{where} {sample['variant']} order {order}" + (" 2 ranks" if ranks > 1 else "")
        rates.setdefault(name, []).append(sample["points"] / sample["seconds"] * 1e-9)
        copied = sample["details"]["fraction_of_copy"]
        rates.setdefault(f"{name} of copy", []).append(copied)


def add_peer(rates: Rates, records: list[Record]) -> None:
    """The better mode of each: GPoint/s of the whole loop, the exchange of halos included."""
    for where, place in {"propa": 0, **DERIVATIVES}.items():
        if (records[0]["case"] == "Propa") != (where == "propa"):
            continue
        best = max(record["numbers"][6 * place + 2] for record in records)
        rates.setdefault(f"{where} hpcscan order {records[0]['order']}", []).append(best)


def measure(args: argparse.Namespace) -> Rates:
    """GPoint/s of every round, by what was measured; raw samples go to `--out`."""
    rates: Rates = {}
    with tempfile.TemporaryDirectory() as name, raw_samples(args.out) as add:
        folder = Path(name)
        for number in range(args.rounds):
            for order in args.orders:
                ours = [(propa(args, folder, order, 1), 1)]
                if order == args.orders[0]:
                    ours.append((propa(args, folder, order, 2), 2))
                ours.append((fd(args, folder, order), 1))
                for samples, ranks in ours:
                    add_rates(rates, samples, order, ranks)
                    for sample in samples:
                        add({"round": number, **sample})
                for case in ("Propa", "FD_D2") if "hpcscan" in args.peer else ():
                    records = hpcscan(args, folder, case, order)
                    add_peer(rates, records)
                    for record in records:
                        add({"round": number, **record})
    return rates


def bars(rates: Rates, orders: list[int]) -> list[Record]:
    median = {name: statistics.median(values) for name, values in rates.items()}
    lines = []
    if 8 in orders:
        for variant, wanted in OF_COPY.items():
            name = f"propa {variant} order 8 of copy"
            lines.append(at_least(wanted, name, "ratio", median[name]))
    alone = median[f"propa blocked order {orders[0]}"]
    ratio = median[f"propa blocked order {orders[0]} 2 ranks"] / alone
    lines.append(at_least(TWO_RANKS, "propa, 2 ranks over 2 threads", "ratio", ratio))
    for (variant, order), wanted in OVER_HPCSCAN.items():
        peer = f"propa hpcscan order {order}"
        if peer in median:
            rate = median[f"propa {variant} order {order}"]
            name = f"propa {variant} order {order} over hpcscan"
            lines.append(at_least(wanted, name, "ratio", rate / median[peer], GPoint_per_s=rate))
    for operation in DERIVATIVES:
        for order in orders:
            peer = f"{operation} hpcscan order {order}"
            if peer in median:
                rate = median[f"{operation} blocked order {order}"]
                name = f"{operation} order {order} over hpcscan"
                wanted = over_hpcscan_in_fd(order)
                value = rate / median[peer]
                lines.append(at_least(wanted, name, "ratio", value, GPoint_per_s=rate))
    return lines


def peer(text: str) -> tuple[str, str]:
    name, _, path = text.partition("=")
    if name != "hpcscan" or not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"'{text}' is not hpcscan=PATH of its program")
    return name, str(Path(path).resolve())


def parse(argv: list[str] | None) -> argparse.Namespace:
    beside = Path(sys.executable).parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--programs", type=Path, default=beside, help="folder of ww-propa and ww-fd"
    )
    parser.add_argument("--mpirun", default=str(beside / "mpirun"), help="launcher for two ranks")
    parser.add_argument(
        "--mpirun-option",
        action="append",
        default=[],
        metavar="OPTION",
        help="passed to the launcher, e.g. --mpirun-option=--oversubscribe; may be repeated",
    )
    parser.add_argument("--n", type=int, default=500, help="points on each axis (default: 500)")
    parser.add_argument("--steps", type=int, default=16, help="of propagation (default: 16)")
    parser.add_argument("--threads", type=int, default=2, help="of one rank (default: 2)")
    parser.add_argument(
        "--orders", type=int, nargs="+", default=[8, 4, 12], help="of differences (default: 8 4 12)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of everything (default: 3)")
    parser.add_argument(
        "--peer",
        type=peer,
        action="append",
        default=[],
        metavar="hpcscan=PATH",
        help="hpcscan's program, to compare with",
    )
    add_output_options(parser, "kernels")
    args = parser.parse_args(argv)
    args.peer = dict(args.peer)
    if args.rounds < 1 or args.n < 32 or args.steps < 1 or args.threads < 1:
        parser.error("--rounds, --steps and --threads start at 1, --n at 32")
    if not (args.programs / "ww-propa").is_file():
        parser.error(f"--programs: there is no ww-propa in {args.programs}")
    return args


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    rates = measure(args)
    if not args.bars:
        for name, values in rates.items():
            unit = "" if name.endswith("of copy") else " GPoint/s"
            middle = statistics.median(values)
            print(f"{name:44} {middle:8.3f}{unit} ({min(values):.3f} to {max(values):.3f})")
    if "hpcscan" not in args.peer:
        print("skipped: hpcscan, for --peer hpcscan=PATH is not given", file=sys.stderr)
    return report_bars(bars(rates, args.orders), print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
