import type { Families } from './families.ts'

/**
 * More pipelines than a folder usually has, but fewer than would hurt a monitor, because each adds lines to each
 * scrape.
 */
const MOST_PIPELINES = 2000

/** The pipelines that are loaded, and the label by which each is counted. */
export function pipelineMetrics({ gauge }: Families) {
  const labels = new Set<string>()
  // Names that are no longer loaded are kept: their counters still exist and began earlier.
  const firstLoaded = new Map<string, number>()
  let loaded: readonly string[] = []
  const loadedAt = gauge('audience_pipeline_loaded_timestamp_seconds')
  const succeededAt = gauge('audience_pipeline_last_success_timestamp_seconds')

  /** The label of a pipeline: its name, or `other` after the first 2,000 names. */
  function label(name: string): string {
    if (!labels.has(name) && labels.size >= MOST_PIPELINES) return 'other'
    labels.add(name)
    return name
  }

  /** For each label, the earliest time of its loaded pipelines: `other` shows the worst of them. */
  function earliest(timeOf: (name: string, loadedMs: number) => number | undefined): ReadonlyMap<string, number> {
    const times = new Map<string, number>()
    for (const name of loaded) {
      const time = timeOf(name, firstLoaded.get(name) ?? 0)
      const own = label(name)
      if (time !== undefined) times.set(own, Math.min(time, times.get(own) ?? time))
    }
    return times
  }

  return {
    label,
    /** Sets the loaded pipelines. `now` is in milliseconds since 1970. */
    load(names: readonly string[], now: number) {
      loaded = names
      for (const name of names) if (!firstLoaded.has(name)) firstLoaded.set(name, now)
    },
    /**
     * Sets the gauges: when the latest successful run of each pipeline ended, or undefined if the state could not be
     * read.
     */
    show(lastSuccess: ReadonlyMap<string, number> | undefined) {
      loadedAt.reset()
      for (const [pipeline, ms] of earliest((_name, loadedMs) => loadedMs)) loadedAt.set({ pipeline }, ms / 1000)
      // It is better to show no figure than an old one.
      succeededAt.reset()
      if (!lastSuccess) return
      // Under `other`, a pipeline that never succeeded counts with the time when it was loaded, so that a pipeline that
      // succeeded does not hide it.
      const times = earliest((name, ms) => lastSuccess.get(name) ?? (labels.has(name) ? undefined : ms))
      for (const [pipeline, ms] of times) succeededAt.set({ pipeline }, ms / 1000)
    },
  }
}
