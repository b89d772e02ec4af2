import { tmpdir } from 'node:os'
import { createMetrics, type Metrics, type MetricsView } from '../../../../src/daemon/metrics/create-metrics.ts'
import type { StateFigures } from '../../../../src/daemon/metrics/state-metrics.ts'

/** The figures of an empty state. */
export const NO_FIGURES: StateFigures = {
  runs: { queued: 0, running: 0, waiting: 0 },
  notifications: { pending: 0, failed: 0 },
  lastSuccess: new Map(),
  sources: [],
}

/** The metrics of an idle daemon, except for `own`. */
export function metricsOf(own: Partial<MetricsView & Parameters<typeof createMetrics>[0]> = {}): Omit<
  Metrics,
  'text'
> & {
  text(): Promise<string>
  /** Every line with a value whose name has this prefix, without the buckets of histograms. */
  lines(start: string): Promise<readonly string[]>
} {
  const made = createMetrics({ version: '1.2.3', lookUp: async () => undefined, ...own })
  const view = {
    load: () => ({ runs: 0, waits: 0 }),
    unattended: () => 0,
    documents: () => ({ live: 0, problems: 0 }),
    notReady: async () => [],
    isKeeper: () => true,
    stateFolder: tmpdir(),
    readFigures: async () => NO_FIGURES,
    ...own,
  }
  const text = () => made.text(view)
  return {
    ...made,
    text,
    async lines(start) {
      return (await text()).split('\n').filter((line) => line.startsWith(start) && !line.includes('_bucket'))
    },
  }
}
