"""From stored runs to what they say: `study.analyse_study`."""
