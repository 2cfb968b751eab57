"""Analyse stored runs: `study.analyse_study`."""
