"""What would make a run faster, and by how much: POP efficiencies and opportunities."""
