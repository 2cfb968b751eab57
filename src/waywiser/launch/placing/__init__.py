"""Which rank goes to which slot, in the words of each launcher."""
