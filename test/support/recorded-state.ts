import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FinalStatus, RunRecord } from '../../src/core/run.ts'
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

type Submitted = Extract<RunRecord, { type: 'run.submitted' }>

/** A state with one run of the pipeline `nightly`, whose document is `text`, and with these records of it. */
export async function openRecordedRun(
  folder: string,
  { runId, ...run }: { runId: string; text: string } & Partial<Pick<Submitted, 'digest' | 'inputs' | 'trigger'>>,
  records: readonly RunRecord[],
) {
  const state = openRecordedProject(folder)
  const place = { pipeline: 'nightly', file: '/p/nightly.yaml', folder: '/p' }
  const record = { type: 'run.submitted', ...place, digest: '', inputs: {}, trigger: {}, ...run } as const
  await state.journal.submit({ runId, at: 1, record })
  await state.journal.append(
    runId,
    records.map((each, index) => ({ seq: index + 1, at: index + 2, record: each })),
  )
  return { ...state, [Symbol.asyncDispose]: async () => state.close() }
}

/** The state as a killed process leaves it: a copy of its files while they are open. */
export function copyAsKilled(from: string, to: string, { shm }: { readonly shm: 'kept' | 'gone' }): void {
  mkdirSync(to, { recursive: true })
  for (const name of ['runs.db', 'runs.db-wal', ...(shm === 'kept' ? ['runs.db-shm'] : [])])
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name))
}
