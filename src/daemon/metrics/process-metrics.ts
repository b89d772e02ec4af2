import { Counter, Gauge, type Registry } from 'prom-client'

/**
 * Metrics of the process itself. prom-client's own set is not used: it checks the event loop a hundred times a second,
 * which would be most of the work of an idle daemon.
 */
export function processMetrics(
  registers: Registry[],
  {
    version,
    load,
    unattended,
    documents,
  }: {
    readonly version: string
    readonly load: () => { readonly runs: number; readonly waits: number }
    readonly unattended: () => number
    readonly documents: () => { readonly live: number; readonly problems: number }
  },
): () => void {
  const build = new Gauge({
    name: 'audience_build_info',
    help: 'Always 1; which version runs, on which Node.',
    labelNames: ['version', 'node'],
    registers,
  })
  build.set({ version, node: process.versions.node }, 1)
  const started = new Gauge({
    name: 'process_start_time_seconds',
    help: 'When this process was started.',
    registers,
  })
  started.set(Math.round(performance.timeOrigin) / 1000)
  const memory = new Gauge({ name: 'process_resident_memory_bytes', help: 'Memory of this process.', registers })
  const cpu = new Counter({ name: 'process_cpu_seconds_total', help: 'CPU time of this process.', registers })
  const runs = new Gauge({ name: 'audience_runs_worked_on', help: 'Runs that this process works on.', registers })
  const unattendedRuns = new Gauge({
    name: 'audience_runs_unattended',
    help: 'Runs that have begun and not ended, and that no process works on.',
    registers,
  })
  const waits = new Gauge({
    name: 'audience_waits',
    help: 'Jobs, and other things that go on elsewhere, that this process waits for.',
    registers,
  })
  const pipelines = new Gauge({ name: 'audience_pipelines', help: 'Active pipelines.', registers })
  const problems = new Gauge({
    name: 'audience_pipeline_problems',
    help: 'Documents with problems that a person must fix. The last valid version of each stays active.',
    registers,
  })
  return () => {
    const now = load()
    const read = documents()
    pipelines.set(read.live)
    problems.set(read.problems)
    runs.set(now.runs)
    waits.set(now.waits)
    unattendedRuns.set(unattended())
    memory.set(process.memoryUsage.rss())
    const { user, system } = process.cpuUsage()
    cpu.reset()
    cpu.inc((user + system) / 1e6)
  }
}
