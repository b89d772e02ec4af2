import { expect, test } from 'vitest'
import { mutePipelines, unmutePipelines } from '../../src/acts/mute-pipelines.ts'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import { openRecordedProject } from '../support/recorded-state.ts'
import { tempFolder } from '../support/temp-folder.ts'

const NOW = Date.UTC(2026, 10, 27, 2)
const ANA = { by: 'Ana', comment: 'the partner moves' }
const clock = { now: () => NOW }

async function opened() {
  const state = openRecordedProject(tempFolder())
  await state.addRun('20261127T010000-aaaaaaaaaa', { pipeline: 'broken' })
  const mute = (pipelines: string, forMs = HOUR_MS) =>
    mutePipelines({ pipelines, until: NOW + forMs }, ANA, { ...state, loaded: ['nightly'], clock })
  const unmute = (pipelines: string) => unmutePipelines(pipelines, ANA, { mutes: state.mutes, clock })
  return { state, mute, unmute, [Symbol.asyncDispose]: async () => state.close() }
}

test.each([
  ['nightly', HOUR_MS, undefined],
  ['broken', HOUR_MS, undefined],
  ['later_*', 31 * DAY_MS, undefined],
  ['nihgtly', HOUR_MS, 'unknown-pipeline'],
  ['a nightly', HOUR_MS, 'bad-pipelines'],
  ['nightly', 0, 'bad-mute-end'],
  ['nightly', 32 * DAY_MS, 'bad-mute-end'],
])('a mute of %s for %i ms: %s', async (pipelines, forMs, code) => {
  await using at = await opened()
  const { state, mute } = at
  const outcome = await mute(pipelines, forMs).catch((error: { code: string }) => error.code)
  expect(outcome).toBe(code)
  expect(await state.mutes.list(NOW)).toHaveLength(code === undefined ? 1 : 0)
})

test('a mute ends early by the text it was made with, and only once', async () => {
  await using at = await opened()
  const { state, mute, unmute } = at
  await mute('night*')
  expect(await unmute('nightly')).toEqual({ ended: false })
  expect(await unmute('night*')).toEqual({ ended: true })
  expect(await unmute('night*')).toEqual({ ended: false })
  expect(await state.mutes.list(NOW)).toEqual([])
  const [last] = await state.audit.list({ limit: 1 })
  expect(last).toMatchObject({ ...ANA, act: 'notify.unmute', subject: 'night*', outcome: 'done' })
})
