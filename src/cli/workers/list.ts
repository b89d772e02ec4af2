import { AudienceError } from '../../core/errors.ts'
import { formatDuration } from '../../core/format/duration-text.ts'
import { count } from '../../core/format/figures.ts'
import { isoTime } from '../../core/iso-time.ts'
import { withReadableState } from '../../state/with-readable-state.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { writeTime } from '../views/write-time.ts'

export interface ListWorkersFlags {
  readonly json?: true
}

/** Prints the processes that share the state: a line or a JSON object each. */
export async function listWorkersCommand({ json }: ListWorkersFlags, terminal: Terminal): Promise<number> {
  const settings = settingsOf(terminal)
  const workers = await withReadableState(settings, (state) => state.workers?.list())
  if (!workers) throw oneMachine(settings.state)
  const now = Date.now()
  const lines = workers.map(({ startedAt, expiresAt, ...worker }) => {
    if (json) {
      const { executor, host, pid, version, runs, keeper } = worker
      const times = { startedAt: isoTime(startedAt), expiresAt: isoTime(expiresAt) }
      return JSON.stringify({ ...{ executor, host, pid, version }, ...times, ...{ runs, keeper } })
    }
    const { host, pid, version, runs, keeper } = worker
    const state = expiresAt < now ? `, its lease ended ${formatDuration(now - expiresAt)} ago` : ''
    return `process ${pid} on ${host}, version ${version}, since ${writeTime(startedAt)}: ${count(runs, 'run')}${keeper ? ', keeper' : ''}${state}`
  })
  terminal.out.write(lines.length > 0 || json ? lines.map((line) => `${line}\n`).join('') : 'no workers\n')
  return 0
}

function oneMachine(state: string): AudienceError {
  return new AudienceError({
    code: 'state-is-folder',
    kind: 'invalid',
    message: `the state is the folder ${state}, which one audience start works on`,
    hint: '`audience status` shows it; workers share a PostgreSQL: docs/many-machines.md',
  })
}
