"""Statistics of studies: pure functions on arrays, verified by simulation of their own errors.

    summary         one configuration: median and its exact interval, RSD, outliers
    blocks          the random order of runs within blocks, and runs as a table of configurations x
    blocks stopping        when there are enough blocks
    gate            why a machine was not quiet enough for a verdict
    compare         verdicts: paired, over a whole sweep (Holm), unpaired
    shift           the intervals beneath the verdicts, and the reasons for them
    scaling         speed-up, efficiency, throughput; the check that weak scaling is weak
    survival        quantiles of times, some censored; differences of two periods
    models          Amdahl's law and a + b/p + c log2 p + d p, with forecasts
    distributions   quantiles for the other modules

Values are arrays of floats; a run that does not count is NaN. Times are in s; logarithms are
natural; shares and relative errors are fractions of 1.
"""
