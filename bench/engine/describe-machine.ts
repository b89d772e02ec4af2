import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { quantile } from './median.ts'

/** The machine that runs the measurement, and its other load. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  const load = loadavg()
    .map((each) => each.toFixed(1))
    .join(' ')
  const sync = syncTimes()
  const syncs = `fdatasync of 4 KiB p50 ${quantile(sync, 0.5).toFixed(3)} ms, p99 ${quantile(sync, 0.99).toFixed(3)} ms`
  return `Machine: ${cpus().length} × ${model}, ${memory}, Node ${process.version}; ${syncs}; load average ${load}.`
}

function syncTimes(): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'audience-bench-'))
  const file = openSync(join(folder, 'probe'), 'w')
  const page = Buffer.alloc(4096)
  const times = Array.from({ length: 200 }, () => {
    writeSync(file, page)
    const begin = performance.now()
    fdatasyncSync(file)
    return performance.now() - begin
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return times
}
