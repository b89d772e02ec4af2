import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSealing } from '../../../src/core/create-sealing.ts'
import { checkDatabase } from '../../../src/state/postgres/check-database.ts'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { checkState } from '../../../src/state/sqlite/check-state.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import type { State } from '../../../src/state/state.ts'
import type { StateCheck } from '../../../src/state/state-check.ts'
import type { RunWriter } from '../../contract/run-writer.ts'
import { around } from '../../support/around.ts'
import { describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { seedRuns } from '../../support/seed-runs.ts'
import { tempFolder } from '../../support/temp-folder.ts'

interface Store {
  readonly state: State
  readonly writer: RunWriter
  check(): StateCheck | Promise<StateCheck>
}

function embedded(): Store {
  const folder = tempFolder()
  const { journal, ...state } = openEmbeddedState({ folder, redact: (text) => text, ...around })
  const file = join(folder, 'runs.db')
  return {
    ...{ state, writer: journal, check: () => checkState(file) },
  }
}

async function database(): Promise<Store> {
  const url = await newDatabase()
  const state = await openPostgresState({ url, redact: (text) => text, ...around })
  return {
    ...{ state, writer: seedRuns(state), check: () => checkDatabase(url) },
  }
}

const submitted = { type: 'run.submitted', pipeline: 'p', file: 'f', folder: '/', digest: '', text: '' } as const
const record = { ...submitted, inputs: {}, trigger: { kind: 'manual' } }
const FILES = { pipeline: 'p', trigger: 't' }

describeWithPostgres.each([
  ['a folder', embedded],
  ['a database', database],
])('the check of the state in %s', (_, open) => {
  test('finds nothing in a file with the same content as an earlier one', async () => {
    const { state, writer, check } = await open()
    await writer.submit({ runId: 'r', at: 1, record, occurrence: { trigger: 't', key: 'a', at: 1 } })
    const again = { key: 'b', at: 2, state: 'skipped', reason: 'duplicate', runId: 'r' } as const
    await state.occurrences.note(FILES, { occurrences: [again] })
    await writer.close()
    expect(await check()).toMatchObject({ ok: true, problems: [] })
  })

  test('finds nothing in the memory of a step with secrets', async () => {
    const { state, writer, check } = await open()
    const ref = { profile: 'local', pipeline: 'p', step: 's' }
    await state.memory.set(ref, { id: 's3cret-token' }, createSealing({ TOKEN: 's3cret-token' }))
    await writer.close()
    expect(await check()).toMatchObject({ ok: true, problems: [] })
  })
})
