import { stateIsFolder } from '../../acts/drain-worker.ts'
import { formatDuration } from '../../core/format/duration-text.ts'
import { count } from '../../core/format/figures.ts'
import { isoTime } from '../../core/iso-time.ts'
import { withReadableState } from '../../state/with-readable-state.ts'
import { workerName } from '../../state/worker-row.ts'
import type { JsonFlag } from '../options.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { writeTime } from '../views/write-time.ts'

/** Prints the processes that share the state: each as a line or a JSON object. */
export async function listWorkersCommand({ json }: JsonFlag, terminal: Terminal): Promise<number> {
  const settings = settingsOf(terminal)
  const workers = await withReadableState(settings, terminal.surroundings, (state) => state.workers?.list())
  if (!workers) throw stateIsFolder(settings)
  const now = terminal.surroundings.clock.now()
  const lines = workers.map((worker) => {
    const { executor, host, pid, version, startedAt, expiresAt, runs, keeper, takes, drainingSince } = worker
    const name = workerName(worker)
    if (json) {
      const times = { startedAt: isoTime(startedAt), expiresAt: isoTime(expiresAt) }
      const draining = isoTime(drainingSince)
      return JSON.stringify({
        executor,
        name,
        host,
        pid,
        version,
        ...times,
        runs,
        keeper,
        takes,
        drainingSince: draining,
      })
    }
    const facts = [
      count(runs, 'run'),
      takes === 'own' ? 'an audience run' : undefined,
      keeper ? 'keeper' : undefined,
      drainingSince === undefined ? undefined : `draining since ${writeTime(drainingSince)}`,
      expiresAt < now ? `its lease ended ${formatDuration(now - expiresAt)} ago` : undefined,
    ]
    const said = facts.filter((fact) => fact !== undefined).join(', ')
    return `${name}, version ${version}, since ${writeTime(startedAt)}: ${said}`
  })
  terminal.out.write(lines.length > 0 || json ? lines.map((line) => `${line}\n`).join('') : 'no workers\n')
  return 0
}
