"""Clusters of time steps against shortest paths, and parts against what they must be."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

from tests.synthetic_meshes import SMALL, grid, shuffled, small_mesh
from waywiser.errors import InvalidCommand
from waywiser.meshes.clusters import clusters_of, histogram, speed_up, time_steps
from waywiser.meshes.metis import part_graph
from waywiser.meshes.partition import load_balances, partition, work, work_at_ticks
from waywiser.meshes.tetrahedra import NONE, Floats, Integers, Mesh, Neighbours, neighbours_of


def by_shortest_paths(steps: Floats, neighbours: Neighbours, tags: Integers) -> list[int]:
    """The least over all cells of their own cluster and the distance from them, where a face
    counts as one and a face of the fault as none (Dijkstra, from all cells at once)."""
    shortest = steps.min()
    own = [max(n for n in range(64) if shortest * 2**n <= step) for step in steps]
    best, queue = list(own), [(cluster, cell) for cell, cluster in enumerate(own)]
    heapq.heapify(queue)
    while queue:
        cluster, cell = heapq.heappop(queue)
        for face, neighbour in enumerate(neighbours.cell[cell].tolist()):
            reached = cluster + (tags[cell, face] != 3)
            if neighbour != NONE and reached < best[neighbour]:
                best[neighbour] = reached
                heapq.heappush(queue, (reached, neighbour))
    return best


def random_steps(mesh: Mesh, seed: int) -> Floats:
    return np.exp(np.random.default_rng(seed).exponential(3, len(mesh.cells)))


@pytest.mark.parametrize("seed", range(4))
def test_clusters_are_those_of_shortest_paths(seed: int) -> None:
    mesh = shuffled(small_mesh(), seed)
    neighbours = neighbours_of(mesh.cells)
    steps = random_steps(mesh, seed)

    clusters = clusters_of(steps, neighbours, mesh.tags)

    assert clusters.tolist() == by_shortest_paths(steps, neighbours, mesh.tags)
    cell, face = np.nonzero(mesh.tags == 3)
    assert (clusters[cell] == clusters[neighbours.cell[cell, face]]).all()
    cell, face = np.nonzero(~neighbours.missing)
    assert np.abs(clusters[cell] - clusters[neighbours.cell[cell, face]]).max() == 1
    assert len(histogram(clusters)) > 3


def test_a_step_of_exactly_a_power_of_two_is_in_the_next_cluster_and_one_below_is_not() -> None:
    steps = np.array([1, np.nextafter(2, 0), 2, np.nextafter(8, 0), 8, 9])
    cells = 9 * np.arange(len(steps))[:, None] + np.arange(4)  # that share nothing

    clusters = clusters_of(steps, neighbours_of(cells), np.full(cells.shape, 5))

    assert clusters.tolist() == [0, 0, 1, 2, 3, 3]
    assert histogram(clusters) == (2, 1, 1, 2)


def test_the_step_of_a_regular_tetrahedron_is_that_of_its_formula() -> None:
    nodes = 100 * np.array([(1, 1, 1), (-1, 1, -1), (1, -1, -1), (-1, -1, 1)], float)
    mesh = Mesh(nodes, np.arange(4)[None, :], np.array([3]), np.full((1, 4), 5))

    (step,) = time_steps(mesh, np.array([6000.0]), order=4, cfl=0.5)

    assert step == pytest.approx(100 * np.sqrt(8) / np.sqrt(24) / (6000 * 7))


@pytest.mark.parametrize(
    ("counts", "gain"),
    [
        ((804, 9378, 3743, 1475, 622, 452, 58), 2.48),
        ((20714, 495838, 361193, 97999, 57916, 37790, 16340), 2.89),
        ((849, 7743, 5192, 3046, 1880, 473), 2.94),
    ],
)
def test_the_gain_of_published_histograms_is_the_published_one(
    counts: tuple[int, ...], gain: float
) -> None:
    assert round(speed_up(counts), 2) == gain


def clustered(seed: int) -> tuple[Mesh, Neighbours, Integers]:
    """A mesh with short steps at the fault, as in earthquakes, its neighbours and clusters."""
    mesh = shuffled(small_mesh(0.5), seed)
    neighbours = neighbours_of(mesh.cells)
    distance = np.linalg.norm(mesh.centres(), axis=1)
    return mesh, neighbours, clusters_of(0.2 + distance**2, neighbours, mesh.tags)


@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_parts_have_equal_work_and_keep_the_fault_together(parts: int) -> None:
    mesh, neighbours, clusters = clustered(5)

    owners = partition(mesh, neighbours, clusters, parts)

    assert sorted(set(owners.tolist())) == list(range(parts))
    cell, face = np.nonzero(mesh.tags == 3)
    assert (owners[cell] == owners[neighbours.cell[cell, face]]).all()
    # In plain loops: the whole, and what is done when clusters 0 to l step.
    last = int(max(clusters))
    whole = [0.0] * parts
    at_tick = [[0.0] * parts for _ in range(last + 1)]
    for number, part in enumerate(owners):
        cluster = int(clusters[number])
        own = 1 + list(mesh.tags[number]).count(3) / 2
        whole[part] += 2 ** (last - cluster) * own
        for tick in at_tick[cluster:]:
            tick[part] += own
    for works in (whole, *at_tick):  # METIS comes nearer on meshes that are no grids
        assert max(works) <= 1.15 * sum(works) / parts
    waited = sum(
        max(tick) * (2 ** (last - cluster - 1) if cluster < last else 1)
        for cluster, tick in enumerate(at_tick)
    )
    assert load_balances(work_at_ticks(owners, clusters, mesh.tags)) == pytest.approx(
        (sum(whole) / (parts * max(whole)), sum(whole) / (parts * waited))
    )


def test_ranks_wait_less_than_with_equal_wholes() -> None:
    mesh, neighbours, clusters = clustered(7)
    whole = work(mesh.tags) << (clusters.max() - clusters)
    cell, face = np.nonzero(~neighbours.missing)
    starts = np.searchsorted(cell, np.arange(len(clusters) + 1))
    even = np.ones(len(cell), int)
    equal_wholes = part_graph(8, starts, neighbours.cell[cell, face], whole[:, None], even)

    owners = partition(mesh, neighbours, clusters, 8)

    of_one = load_balances(work_at_ticks(equal_wholes, clusters, mesh.tags))
    of_all = load_balances(work_at_ticks(owners, clusters, mesh.tags))
    assert of_one[0] > 1 / 1.05
    assert of_one[1] < 1 / 1.2
    assert of_all[1] > 1 / 1.15


def test_load_balance_in_closed_form() -> None:
    """Two ticks in which cluster 0 steps, one of them with cluster 1; each part waits in one."""
    clusters, owners = np.array([0, 1, 1, 1]), np.array([0, 1, 1, 0])
    at_ticks = work_at_ticks(owners, clusters, np.zeros((4, 4), int))

    assert at_ticks.tolist() == [[2, 4], [0, 4]]
    assert load_balances(at_ticks) == pytest.approx((5 / 6, 5 / 6))
    assert load_balances(np.array([[2, 2], [0, 4]])) == pytest.approx((1, 4 / 6))


def test_fewer_faces_are_cut_than_between_slices() -> None:
    mesh, neighbours, clusters = clustered(6)
    owners = partition(mesh, neighbours, clusters, 8)
    order = np.argsort(mesh.centres()[:, 0])
    slices = np.empty(len(order), int)
    total = np.cumsum((work(mesh.tags) << (clusters.max() - clusters))[order])
    slices[order] = np.minimum(8 * total // total[-1], 7)

    def cut(parts: Integers) -> int:
        return int((~neighbours.missing & (parts[neighbours.cell] != parts[:, None])).sum())

    assert cut(owners) < cut(slices)


def test_a_longer_cut_through_cells_that_exchange_seldom_is_preferred() -> None:
    """A plate of 8 x 12 bricks whose middle steps 16 times as often: along the middle a cut is
    8 bricks long and costs 16 each time; across it is 12 long, of which 10 cost 1."""
    nodes, cells = grid(np.arange(-4, 5), np.arange(-6, 7), [0, 1])
    mesh = Mesh(nodes, cells, np.zeros(len(cells), int), np.zeros(cells.shape, int))
    neighbours = neighbours_of(cells)
    y = mesh.centres()[:, 1]
    clusters = np.where(abs(y) < 1, 0, 4)

    owners = partition(mesh, neighbours, clusters, 2)

    cell, face = np.nonzero(~neighbours.missing)
    neighbour = neighbours.cell[cell, face]
    between = (owners[cell] != owners[neighbour]) & (cell < neighbour)
    cost = np.where(np.maximum(clusters[cell], clusters[neighbour]) == 0, 16, 1)[between].sum()
    # A brick shows two faces to the next one.
    assert cost < 1.3 * 2 * (10 * 1 + 2 * 16)
    assert cost < 2 * 8 * 16 / 2


def test_more_parts_than_cells_are_refused() -> None:
    mesh = small_mesh(4)
    neighbours = neighbours_of(mesh.cells)
    clusters = np.zeros(len(mesh.cells), int)

    with pytest.raises(InvalidCommand, match="--ranks 100000: the mesh has no more than"):
        partition(mesh, neighbours, clusters, 100_000)


def test_small_s_layers_change_its_steps() -> None:
    mesh = small_mesh()
    speeds = SMALL.p_speeds_at(mesh.centres())

    steps = time_steps(mesh, speeds, order=3, cfl=0.4)

    y = mesh.centres()[:, 1]
    for within, speed in ((y < -1, 5), (abs(y) < 1, 3), (y > 1, 6)):
        radii = mesh.insphere_radii()[within]
        assert steps[within] == pytest.approx(0.8 * radii / (5 * speed))
