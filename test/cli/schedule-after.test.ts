import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../support/around.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

const NEXT = { pipeline: 'next', trigger: 'both' }
const MINUTE_MS = 60_000

const document = (name: string, triggers = '') =>
  `version: 1\nname: ${name}\n${triggers}steps: [{ id: list, uses: groups.list }]\n`

/** A project in which `next` runs after a and b. Their runs ended these minutes ago. */
async function project(ends: readonly (readonly [runId: string, pipeline: string, minutesAgo: number])[]) {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'pipelines'))
  const write = (name: string, text: string) => writeFileSync(join(cwd, 'pipelines', `${name}.yaml`), text)
  for (const name of ['a', 'b']) write(name, document(name))
  write('next', document('next', 'triggers: [{ id: both, after: { pipelines: [a, b], within: 1h } }]\n'))
  const state = () => openEmbeddedState({ folder: join(cwd, '.audience'), redact: (text) => text, ...around })
  const { journal, ends: store } = state()
  await store.follow(NEXT, ['a', 'b'])
  for (const [runId, pipeline, minutesAgo] of ends) {
    const record = { type: 'run.submitted', pipeline, file: 'p.yaml', folder: '/', text: '', digest: '' } as const
    const at = Date.now() - minutesAgo * MINUTE_MS
    await journal.submit({ runId, at, record: { ...record, inputs: {}, trigger: { kind: 'manual' } } })
    await journal.append(runId, [{ seq: 1, at, record: { type: 'run.finished', status: 'succeeded' } }])
  }
  journal.close()
  const audience = async (...args: string[]) => (await commandLine(args, { cwd })).out
  return { cwd, state, audience }
}

test('the list says what a trigger waits for, and what it did', async () => {
  const { audience, state } = await project([
    ['20261128t010000-aaaaaaaaaa', 'a', 30],
    ['20261128t020000-aaaaaaaaaa', 'a', 20],
    ['20261128t020000-bbbbbbbbbb', 'b', 10],
  ])
  expect(await audience('schedule', 'list')).toMatch(
    /^next\/both {2}after a, b {2}\(on: success, within 1 h 00 min\)\n {2}waits {2}for b, until .*; a has ended \(run 20261128t020000-aaaaaaaaaa\)\n {2}last {2}none yet\n/,
  )
  const { journal, occurrences } = state()
  await occurrences.note(NEXT, {
    occurrences: [
      {
        ...{ key: 'runs 20261127t010000-aaaaaaaaaa', at: 1, state: 'missed', reason: 'incomplete' },
        detail: { runs: { a: '20261127t010000-aaaaaaaaaa' }, lacking: ['b'] },
      },
    ],
  })
  journal.close()
  const [listed] = (await audience('schedule', 'list', '--json')).trim().split('\n')
  expect(JSON.parse(listed ?? '')).toMatchObject({
    ...NEXT,
    ...{ after: ['a', 'b'], on: 'success', withinMs: 60 * MINUTE_MS },
    waiting: [{ runs: { a: '20261128t020000-aaaaaaaaaa' }, lacking: ['b'], until: expect.any(String) }],
    last: { state: 'missed', reason: 'incomplete' },
  })
  expect(JSON.parse(await audience('schedule', 'list', 'next/both', '--json'))).toMatchObject({
    ...{ key: 'runs 20261127t010000-aaaaaaaaaa', runs: { a: '20261127t010000-aaaaaaaaaa' }, lacking: ['b'] },
  })
  expect(await audience('status')).toMatch(/next\/both, after a, b; last day none\n.*waits for b, until/)
})

test('what was complete during a pause is skipped, and what ends afterwards is not', async () => {
  const { audience, state } = await project([])
  expect(await audience('schedule', 'pause', 'next')).toContain('runs after other pipelines are skipped until')
  const { journal } = state()
  const record = { type: 'run.submitted', file: 'p.yaml', folder: '/', text: '', digest: '' } as const
  for (const pipeline of ['a', 'b', 'a']) {
    const runId = `20261128t020000-${pipeline}${Math.random().toString(36).slice(2, 11)}`
    await journal.submit({ runId, at: Date.now(), record: { ...record, pipeline, inputs: {}, trigger: {} } })
    await journal.append(runId, [{ seq: 1, at: Date.now(), record: { type: 'run.finished', status: 'succeeded' } }])
  }
  journal.close()
  expect(await audience('schedule', 'resume', 'next')).toContain('resumed; 1 set skipped')
  const after = state()
  expect(await after.occurrences.list({ ...NEXT, limit: 9 })).toMatchObject([{ state: 'skipped', reason: 'paused' }])
  expect(await after.ends.open(NEXT)).toMatchObject([{ pipeline: 'a' }])
  after.journal.close()
})

test('it has no slots to backfill', async () => {
  const { cwd } = await project([])
  const { code, err } = await commandLine(
    ['schedule', 'backfill', 'next', '--from', '2026-11-01', '--to', '2026-11-02'],
    {
      cwd,
    },
  )
  expect(code).toBe(2)
  expect(err).toContain('next/both has no slots: it comes after other pipelines')
})
