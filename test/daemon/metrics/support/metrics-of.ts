import { tmpdir } from 'node:os'
import { createMetrics, type Metrics, type MetricsView } from '../../../../src/daemon/metrics/create-metrics.ts'
import type { StateFigures } from '../../../../src/daemon/metrics/state-metrics.ts'

/** The figures of a state that has nothing. */
export const NO_FIGURES: StateFigures = {
  runs: { queued: 0, running: 0, waiting: 0 },
  notifications: { pending: 0, failed: 0 },
  lastSuccess: new Map(),
  sources: [],
}

/** Metrics of a daemon that does nothing, but for `own`. */
export function metricsOf(own: Partial<MetricsView & Parameters<typeof createMetrics>[0]> = {}): Omit<
  Metrics,
  'text'
> & {
  text(): Promise<string>
  /** Every line with a value, whose name starts so; without the lines of a histogram's buckets. */
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
