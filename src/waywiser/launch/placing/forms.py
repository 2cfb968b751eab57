"""The forms by name: those of one launcher and those of several. Add a module, add its forms."""

from __future__ import annotations

from waywiser.launch.launchers.table import KINDS
from waywiser.launch.placing import host_lists, rank_orders
from waywiser.launch.placing.form import Form
from waywiser.launch.placing.placed import Placed

FORMS: dict[str, Form] = {
    form.name: form
    for forms in (*(kind.forms for kind in KINDS), host_lists.FORMS, rank_orders.FORMS)
    for form in forms
}


def hosts_text(placed: Placed) -> str:
    """The job's hosts and their slots in Open MPI's format."""
    return "".join(f"{name} slots={count}\n" for name, count in placed.slots_of_hosts)
