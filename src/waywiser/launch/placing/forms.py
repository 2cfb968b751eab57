"""The forms by name. Add a module, add its forms."""

from __future__ import annotations

from waywiser.launch.placing import host_lists, hydra, openmpi, rank_orders
from waywiser.launch.placing.form import Form
from waywiser.launch.placing.placed import Placed

FORMS: dict[str, Form] = {
    form.name: form
    for form in (*openmpi.FORMS, *hydra.FORMS, *host_lists.FORMS, *rank_orders.FORMS)
}


def hosts_text(placed: Placed) -> str:
    """The job's hosts and their slots, as Open MPI reads them."""
    return "".join(f"{name} slots={count}\n" for name, count in placed.slots_of_hosts)
