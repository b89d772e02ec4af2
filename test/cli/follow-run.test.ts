import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { systemSurroundings } from '../../src/app/surroundings.ts'
import { followRun } from '../../src/cli/follow-run.ts'
import { withoutSecrets } from '../../src/cli/terminal.ts'
import type { Engine } from '../../src/core/engine.ts'
import type { RunRecord } from '../../src/core/run.ts'
import type { RunEvent } from '../../src/core/run-event.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../support/around.ts'
import { tempFolder } from '../support/temp-folder.ts'

const HOLDER = '20261121t120000-aaaaaaaaaa'
const WAITING = '20261121t130000-bbbbbbbbbb'
const TEXT = 'version: 1\nname: nightly\nsteps:\n  - { id: activate, uses: groups.list }\n'
const ERROR = { code: 'in-doubt', kind: 'failed', message: 'nobody knows whether it happened' } as const

test('a run that waits for a step of another run says what frees it, as soon as that one stops for a person', async () => {
  const folder = tempFolder()
  const state = openEmbeddedState({ folder, redact: (text) => text, ...around })
  onTestFinished(() => state.close())
  const { journal } = state
  const append = (runId: string, ...records: readonly RunRecord[]) =>
    journal.append(
      runId,
      records.map((record, index) => ({
        seq: index + (record.type === 'step.started' ? 1 : 2),
        at: Date.now(),
        record,
      })),
    )
  for (const runId of [HOLDER, WAITING]) {
    const document = { pipeline: 'nightly', file: 'nightly.yaml', folder, text: TEXT, digest: '' }
    const record = { type: 'run.submitted', ...document, inputs: {}, trigger: { kind: 'manual' } } as const
    await journal.submit({ runId, at: Date.now(), record })
    await append(runId, { type: 'step.started', step: 'activate', attempt: 1 })
  }
  const blocked = { thing: 'activation "Autos"', by: { runId: HOLDER, step: 'activate' } }
  await append(WAITING, { type: 'step.blocked', step: 'activate', ...blocked })

  const ended = Promise.withResolvers<void>()
  const base = { at: new Date().toISOString(), runId: WAITING }
  const engine: Pick<Engine, 'events' | 'watch' | 'stop'> = {
    async *events(): AsyncIterable<RunEvent> {
      yield { event: 'step.blocked', ...base, step: 'activate', ...blocked }
      await ended.promise
      yield { event: 'run.finished', ...base, status: 'succeeded', outputs: {}, durationMs: 1 }
    },
    watch: () => () => undefined,
    stop: async () => undefined,
  }
  let written = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk)
      done()
    },
  }) as unknown as NodeJS.WriteStream
  const terminal = withoutSecrets({
    ...{ out: stream, err: stream, env: {}, cwd: folder, surroundings: systemSurroundings },
    onInterrupt: () => () => undefined,
    whenUnread: () => undefined,
  })
  const followed = followRun({ engine: engine as Engine, state }, WAITING, {}, terminal)
  await expect.poll(() => written).toContain(`waits for step activate of run ${HOLDER}`)
  expect(written).not.toContain('What to do')
  await append(HOLDER, { type: 'step.waiting', step: 'activate', reason: 'decision', error: ERROR })
  const resume = `audience runs resume ${HOLDER} --step activate`
  await expect
    .poll(() => written)
    .toContain(`What to do: ${resume} --done, or ${resume} --again, or audience runs cancel ${HOLDER}`)
  ended.resolve()
  expect(await followed).toBe(0)
})
