"""What a human reads in the outputs of applications."""

from __future__ import annotations

from tests.golden.case import Case

APPLICATIONS = (
    Case(
        "lammps-two-runs",
        "lammps",
        {
            "loop_time": (0.615859, "s", "lower"),
            "performance": (140291.8, "tau/day", "higher"),
            "step_rate": (324.75, "timesteps/s", "higher"),
            "atom_step_rate": (665.087, "katom-step/s", "higher"),
            "wall_time": (0, "s", "lower"),
            "cpu_use": (11.1, "%", "higher"),
        },
    ),
    Case(
        "lammps-rhodopsin",
        "lammps",
        {
            "loop_time": (4.95599, "s", "lower"),
            "performance": (0.349, "ns/day", "higher"),
            "time_per_length": (68.833, "hours/ns", "lower"),
            "step_rate": (2.018, "timesteps/s", "higher"),
            "atom_step_rate": (64.568, "katom-step/s", "higher"),
            "wall_time": (19, "s", "lower"),
            "cpu_use": (26.7, "%", "higher"),
        },
    ),
    Case(
        "lammps-2022-two-runs",
        "lammps",
        {
            "loop_time": (12.15, "s", "lower"),
            "performance": (7111.095, "tau/day", "higher"),
            "step_rate": (16.461, "timesteps/s", "higher"),
            "wall_time": (16, "s", "lower"),
            "cpu_use": (1.1, "%", "higher"),
        },
    ),
    Case(
        "espresso-silicon",
        "quantum-espresso",
        {
            "wall_time": (22.71, "s", "lower"),
            "cpu_time": (0.3, "s", "lower"),
            "total_energy": (-15.71391634, "Ry", "neither"),
            "scf_iterations": (5, "", "neither"),
        },
    ),
    Case(
        "espresso-minutes-synthetic",
        "quantum-espresso",
        {
            "wall_time": (83.45, "s", "lower"),
            "cpu_time": (63.3, "s", "lower"),
            "total_energy": (-15.71391634, "Ry", "neither"),
            "scf_iterations": (5, "", "neither"),
        },
    ),
    Case(
        "espresso-hours-synthetic",
        "quantum-espresso",
        {
            "wall_time": (3720, "s", "lower"),
            "cpu_time": (3548.3, "s", "lower"),
            "total_energy": (-15.71391634, "Ry", "neither"),
            "scf_iterations": (5, "", "neither"),
        },
    ),
    Case(
        "espresso-not-converged-synthetic",
        "quantum-espresso",
        failure="convergence NOT achieved",
    ),
    Case("espresso-error", "quantum-espresso", failure="Error in routine check_tempdir"),
    Case(
        "gromacs",
        "gromacs",
        {
            "performance": (0.449, "ns/day", "higher"),
            "time_per_length": (53.401, "hours/ns", "lower"),
            "wall_time": (38.833, "s", "lower"),
            "core_time": (77.622, "s", "lower"),
        },
    ),
    Case(
        "gromacs-screen",
        "gromacs",
        {
            "performance": (0.449, "ns/day", "higher"),
            "time_per_length": (53.401, "hours/ns", "lower"),
            "wall_time": (38.833, "s", "lower"),
            "core_time": (77.622, "s", "lower"),
        },
    ),
    Case(
        "vasp-5.4-synthetic",
        "vasp",
        {
            "elapsed_time": (174.359, "s", "lower"),
            "loop_plus": ((96.9481 + 74.9481) / 2, "s", "lower"),
            "loop": (12.4, "s", "lower"),
            "cpu_time": (170.015, "s", "lower"),
            "total_energy": (-71.32506838, "eV", "neither"),
            "electronic_steps": (7, "", "neither"),
            "ionic_steps": (2, "", "neither"),
            "cores": (32, "", "neither"),
            "ncore": (8, "", "neither"),
            "kpar": (1, "", "neither"),
        },
    ),
    Case(
        "vasp-6-profile-synthetic",
        "vasp",
        {
            "elapsed_time": (63.012, "s", "lower"),
            "loop_plus": (61.2, "s", "lower"),
            "loop": ((12.41 + 12.5) / 2, "s", "lower"),
            "cpu_time": (61.5, "s", "lower"),
            "total_energy": (-10.84313907, "eV", "neither"),
            "electronic_steps": (3, "", "neither"),
            "ionic_steps": (1, "", "neither"),
            "ranks": (16, "", "neither"),
            "ncore": (4, "", "neither"),
            "kpar": (2, "", "neither"),
        },
    ),
    Case("vasp-not-converged-synthetic", "vasp", failure="did not converge"),
    Case(
        "vasp-not-converged-synthetic",
        "vasp-unconverged",
        {
            "elapsed_time": (63.012, "s", "lower"),
            "loop_plus": (61.2, "s", "lower"),
            "loop": ((12.41 + 12.5) / 2, "s", "lower"),
            "cpu_time": (61.5, "s", "lower"),
            "total_energy": (-10.84313907, "eV", "neither"),
            "electronic_steps": (3, "", "neither"),
            "ionic_steps": (1, "", "neither"),
            "ranks": (16, "", "neither"),
            "ncore": (4, "", "neither"),
            "kpar": (2, "", "neither"),
        },
    ),
    Case(
        "seissol-2019-synthetic",
        "seissol",
        {
            "performance": (11.9672 / 10.7613, "GFLOP/s", "higher"),
            "nonzero_performance": (7.21896 / 10.7613, "GFLOP/s", "higher"),
            "elapsed_time": (10.7613, "s", "lower"),
            "kernel_time": (10.3099, "s", "lower"),
        },
    ),
    Case(
        "seissol-2023-synthetic",
        "seissol",
        {
            "performance": (1850.21, "GFLOP/s", "higher"),
            "nonzero_performance": (943.607, "GFLOP/s", "higher"),
            "performance_per_rank": (462.5525, "GFLOP/s", "higher"),
            "elapsed_time": (160.25, "s", "lower"),
            "kernel_time": (590.5, "s", "lower"),
        },
    ),
    Case(
        "seissol-2025-synthetic",
        "seissol",
        {
            "performance": (1850.2, "GFLOP/s", "higher"),
            "nonzero_performance": (943.607, "GFLOP/s", "higher"),
            "performance_per_rank": (462.5525, "GFLOP/s", "higher"),
            "elapsed_time": (160.25, "s", "lower"),
            "kernel_time": (590.5, "s", "lower"),
        },
    ),
)
