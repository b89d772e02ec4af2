import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FinalStatus } from '../../src/core/run.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { around } from './around.ts'

const DOCUMENT = `version: 1
name: nightly
triggers:
  - id: night
    schedule: { cron: "0 2 * * *", timezone: UTC }
steps:
  - id: list
    uses: groups.list
`

/** A project with a state that this process wrote; `folder` has `pipelines/nightly.yaml` and `state`. */
export function openRecordedProject(folder: string) {
  mkdirSync(join(folder, 'pipelines'), { recursive: true })
  const file = join(folder, 'pipelines/nightly.yaml')
  writeFileSync(file, DOCUMENT)
  const state = openEmbeddedState({ folder: join(folder, 'state'), redact: (text) => text, ...around })
  const record = { type: 'run.submitted', pipeline: 'nightly', file, folder, text: DOCUMENT, digest: '' } as const
  return {
    ...state,
    /** Records a run. Without a status, the run has not ended. */
    async addRun(runId: string, options: { at?: number; pipeline?: string; status?: FinalStatus } = {}) {
      const { at = Date.now(), pipeline = 'nightly', status } = options
      await state.journal.submit({ runId, at, record: { ...record, pipeline, inputs: {}, trigger: {} } })
      if (status) await state.journal.append(runId, [{ seq: 1, at: at + 1, record: { type: 'run.finished', status } }])
    },
  }
}

/** The state as a killed process leaves it: a copy of its files while they are open. */
export function copyAsKilled(from: string, to: string, { shm }: { readonly shm: 'kept' | 'gone' }): void {
  mkdirSync(to, { recursive: true })
  for (const name of ['runs.db', 'runs.db-wal', ...(shm === 'kept' ? ['runs.db-shm'] : [])])
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name))
}
