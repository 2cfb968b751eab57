"""The report of a study: `write.write_study_report`."""
