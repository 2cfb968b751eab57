"""Native rooms by programs of their own: readers under the address and undefined-behaviour
sanitizers; what computes, which takes long to compile so, as it is released. `make test-long` has
all of it under them, and what has threads under the thread sanitizer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.sanitized import sanitized
from tests.support import cases

every_room = pytest.mark.parametrize("preset", cases(["release"], long=["asan"]))


def build_and_run(name: str, *arguments: Path | str, preset: str = "release") -> None:
    done = subprocess.run(
        [sanitized(name, preset=preset), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,  # at a low priority, on a busy machine
    )

    assert done.returncode == 0, done.stdout + done.stderr


@every_room
def test_schedules_do_what_their_collectives_promise(preset: str) -> None:
    build_and_run("collective_schedules", preset=preset)


@every_room
def test_so_do_those_that_are_put_together_inside_nodes_and_between_them(preset: str) -> None:
    build_and_run("hierarchical_schedules", preset=preset)


@every_room
def test_no_damage_makes_the_readers_crash_or_pass_in_silence(tmp_path: Path, preset: str) -> None:
    build_and_run("trace_mutations", tmp_path, preset=preset)


@every_room
def test_recordings_are_read_call_by_call_and_damaged_ones_as_far_as_they_are_whole(
    tmp_path: Path, preset: str
) -> None:
    build_and_run("trace_recordings", tmp_path, preset=preset)


@every_room
def test_clocks_and_iterations_are_found_as_they_were_planted(tmp_path: Path, preset: str) -> None:
    build_and_run("trace_time", tmp_path, preset=preset)


@every_room
def test_parts_of_the_wait_analysis_do_what_they_promise(tmp_path: Path, preset: str) -> None:
    build_and_run("wait_parts", tmp_path, preset=preset)


@every_room
def test_a_timeline_holds_every_nanosecond_and_the_longest_calls(
    tmp_path: Path, preset: str
) -> None:
    build_and_run("timeline_levels", tmp_path, preset=preset)


@every_room
def test_placements_are_optimal_where_known_and_keep_to_their_slots(preset: str) -> None:
    build_and_run("placements", preset=preset)


@every_room
def test_sequences_unfold_to_themselves_and_loops_take_constant_space(preset: str) -> None:
    build_and_run("sequence_folding", preset=preset)


@pytest.mark.parametrize("more", cases([()], long=[("long",)]), ids=" ".join)
def test_traces_are_read_back_call_by_call_and_damage_is_reported(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    """The readers are under the sanitizers in either preset."""
    build_and_run("trace_round_trip", tmp_path, *more)


@every_room
def test_calls_are_the_same_a_block_at_a_time_and_so_are_those_that_damage_leaves(
    tmp_path: Path, preset: str
) -> None:
    build_and_run("trace_blocks", tmp_path, preset=preset)


@every_room
def test_requests_have_the_smallest_free_numbers_and_keep_them(preset: str) -> None:
    build_and_run("request_slots", preset=preset)


@every_room
def test_calls_mean_the_same_wherever_their_times_come_from(preset: str) -> None:
    build_and_run("mpi_calls", preset=preset)


@every_room
def test_keys_have_their_numbers_and_items_stay_where_they_are(preset: str) -> None:
    build_and_run("key_numbers", preset=preset)


@every_room
def test_stencils_are_found_however_their_ranks_are_numbered(preset: str) -> None:
    build_and_run("stencils", preset=preset)


@every_room
def test_stencils_reach_the_placements_that_are_known_to_be_best(preset: str) -> None:
    build_and_run("stencil_placements", preset=preset)


@pytest.mark.long
def test_large_stencils_reach_the_placements_that_are_known_to_be_best() -> None:
    build_and_run("stencil_placements", "long", preset="asan")


@every_room
def test_topologies_have_the_hops_routes_and_metrics_of_their_links(preset: str) -> None:
    build_and_run("topologies", preset=preset)


@every_room
def test_flows_that_come_and_go_have_max_min_fair_rates(preset: str) -> None:
    build_and_run("max_min", preset=preset)


@every_room
def test_messages_over_links_end_when_a_slow_simulation_of_them_says(preset: str) -> None:
    build_and_run("flows", preset=preset)


@every_room
def test_parts_of_the_replay_do_what_they_promise(preset: str) -> None:
    build_and_run("replay_parts", preset=preset)


@pytest.mark.parametrize("preset", cases(["release"], long=["asan", "tsan"]))
def test_replays_on_several_threads_find_the_same(tmp_path: Path, preset: str) -> None:
    """The thread sanitizer, which sees races, needs all that a replay is made of compiled anew."""
    build_and_run("replay_threads", tmp_path, preset=preset)
