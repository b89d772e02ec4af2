import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { InvalidDocumentError } from '../../../src/core/errors.ts'
import type { StoredRecord } from '../../../src/core/run.ts'
import { Draining } from '../../../src/engine/distributed/draining.ts'
import { Gate } from '../../../src/engine/distributed/gate.ts'
import { RunWorker } from '../../../src/engine/distributed/run-worker.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { RunTakenOverError } from '../../../src/state/run-store.ts'
import { pipeline, step } from '../../support/pipelines.ts'

const document = pipeline([step('a')])
const submission = { file: 'a.yaml', folder: '/', digest: '', inputs: {}, trigger: {}, text: document.text }
const RECORDS: readonly StoredRecord[] = [
  { seq: 0, at: 0, record: { type: 'run.submitted', pipeline: 'test', ...submission } },
]

/** A worker whose surroundings answer when the test says so, the oldest call first. */
function heldWorker({ max = 10, isReadable = true, hasFiles = true } = {}) {
  const asked: string[] = []
  const open: { readonly name: string; readonly answer: PromiseWithResolvers<unknown> }[] = []
  const live = new Map<string, { readonly end: Promise<void> }>()
  const stopping = new AbortController()
  const draining = new Draining()
  const ask = <T>(name: string): Promise<T> => {
    asked.push(name)
    const answer = Promise.withResolvers<unknown>()
    open.push({ name, answer })
    return answer.promise as Promise<T>
  }
  const worker = new RunWorker({
    clock: { ...systemClock, sleep: () => ask('sleep') },
    writes: {
      records: (_runId, after) => ask(after === undefined ? 'records' : 'since'),
      messages: () => ask('messages'),
      takeUp: () => ask('takeUp'),
      drop: () => void asked.push('drop'),
    },
    runs: {
      live,
      has: (runId) => live.has(runId),
      lose: () => void asked.push('lose'),
      takeUp: (runId) => {
        asked.push('activate')
        live.set(runId, { end: ask('end') })
      },
    },
    env: {},
    read: () => {
      if (!isReadable) throw new InvalidDocumentError('a.yaml', '', [])
      return document
    },
    gate: new Gate(
      () => max,
      () => 0,
    ),
    draining,
    files: hasFiles ? undefined : { unreadable: () => ask('unreadable'), onLeft: () => undefined },
    handBack: () => ask('handBack'),
    signal: stopping.signal,
  })
  return {
    worker,
    draining,
    stopping,
    /** Answers, and returns the next call. */
    async answer(name: string, value?: unknown): Promise<string[]> {
      const at = open.findIndex((one) => one.name === name)
      open.splice(at, 1)[0]?.answer.resolve(value)
      await turn()
      return asked.splice(0)
    },
    async left(runId: string, reason?: unknown): Promise<string[]> {
      worker.left(runId, reason)
      await turn()
      return asked.splice(0)
    },
    async given(): Promise<string[]> {
      void worker.work('r')
      await turn()
      return asked.splice(0)
    },
    /** Until the run is active. */
    async begin(): Promise<void> {
      await this.given()
      await this.answer('records', RECORDS)
      expect(await this.answer('takeUp', 'first')).toEqual(['activate', 'end'])
    },
  }
}

test('a run that is given once more is taken up only when its old work has ended', async () => {
  const held = heldWorker()
  await held.begin()
  expect(await held.given()).toEqual(['records'])
  expect(await held.answer('records', RECORDS)).toEqual(['lose'])
  await turn()
  expect(await held.answer('end')).toEqual(['takeUp'])
})

test('a run that is given once more while its records are read is taken up once', async () => {
  const held = heldWorker()
  await held.given()
  await held.given()
  expect(await held.answer('records', RECORDS)).toEqual([])
  expect(await held.answer('records', RECORDS)).toEqual(['takeUp'])
})

test('a run whose variable is not set is taken up if a message cancels it, otherwise handed back', async () => {
  const sealed = RECORDS.map((stored) => ({
    ...stored,
    isSealed: true as const,
    record: { ...stored.record, inputs: { season: '\uE5EASEASON\uE5EA' } } as StoredRecord['record'],
  }))
  const held = heldWorker()
  await held.given()
  expect(await held.answer('records', sealed)).toEqual(['messages'])
  expect(await held.answer('messages', [])).toEqual(['sleep'])
  expect(await held.answer('sleep')).toEqual(['handBack'])
  await held.answer('handBack')
  expect(await held.given()).toEqual(['records'])
  await held.answer('records', sealed)
  expect(await held.answer('messages', [{ id: 1, runId: 'r', message: { kind: 'cancel' } }])).toEqual(['takeUp'])
})

test('a run is not begun if this process stops while it reads what was recorded meanwhile', async () => {
  const held = heldWorker()
  await held.given()
  await held.answer('records', RECORDS)
  expect(await held.answer('takeUp', 'again')).toEqual(['since', 'messages'])
  held.stopping.abort()
  await held.answer('since', [])
  expect(await held.answer('messages', [])).toEqual([])
})

test('a run is not taken up if this process stops while the old work ends', async () => {
  const held = heldWorker()
  await held.begin()
  await held.given()
  expect(await held.answer('records', RECORDS)).toEqual(['lose'])
  held.stopping.abort()
  expect(await held.answer('end')).toEqual([])
})

test('a run that waits for room is not taken up if it was given once more meanwhile', async () => {
  const held = heldWorker({ max: 1 })
  void held.worker.work('other')
  await turn()
  // The other one is entering, and takes the only place.
  expect(await held.answer('records', RECORDS)).toEqual(['records', 'takeUp'])
  expect(await held.given()).toEqual(['records'])
  expect(await held.answer('records', RECORDS)).toEqual([])
  expect(await held.given()).toEqual(['records'])
  expect(await held.answer('takeUp', 'ended')).toEqual(['drop'])
  expect(held.worker.has('r')).toBe(true)
})

test('the work on a run that waits for room once more is not ended if this process stops meanwhile', async () => {
  const held = heldWorker({ max: 1 })
  await held.begin()
  void held.worker.work('other')
  await held.answer('records', RECORDS)
  await held.given()
  expect(await held.answer('records', RECORDS)).toEqual([])
  held.stopping.abort()
  expect(await held.answer('takeUp', 'ended')).not.toContain('lose')
})

test('the end of older work does not forget a run that was given once more', async () => {
  const held = heldWorker()
  await held.begin()
  await held.given()
  expect(await held.left('r')).toEqual([])
  expect(held.worker.has('r')).toBe(true)
})

test('a run that this version cannot read is handed back only while it is still given to this process', async () => {
  const held = heldWorker({ isReadable: false })
  await held.given()
  expect(await held.answer('records', RECORDS)).toEqual(['sleep'])
  held.stopping.abort()
  expect(await held.answer('sleep')).toEqual([])
  const other = heldWorker({ isReadable: false })
  await other.given()
  await other.answer('records', RECORDS)
  expect(await other.answer('sleep')).toEqual(['handBack'])
})

test('a run whose file this process cannot read is handed back at once, only while it is still given to it', async () => {
  const held = heldWorker({ hasFiles: false })
  await held.given()
  expect(await held.answer('records', RECORDS)).toEqual(['unreadable'])
  expect(await held.answer('unreadable', '/lists/a.csv')).toEqual(['handBack'])
  await held.given()
  await held.answer('records', RECORDS)
  held.stopping.abort()
  expect(await held.answer('unreadable', '/lists/a.csv')).toEqual([])
  const other = heldWorker({ hasFiles: false })
  await other.given()
  await other.answer('records', RECORDS)
  expect(await other.answer('unreadable', undefined)).toEqual(['takeUp'])
})

test('a run whose work was taken over is forgotten, and one whose work failed is tried again', async () => {
  const held = heldWorker()
  await held.begin()
  expect(await held.left('r', new Error('the state'))).toEqual(['sleep'])
  expect([...held.worker.stuck]).toEqual(['r'])
  expect(await held.answer('sleep')).toEqual(['records'])
  const other = heldWorker()
  await other.begin()
  expect(await other.left('r', new RunTakenOverError('r'))).toEqual(['drop'])
  expect(other.worker.isIdle).toBe(true)
})

test('a draining worker begins no run that waited for room; it hands it back as soon as somebody else takes it', async () => {
  const held = heldWorker({ max: 1 })
  void held.worker.work('other')
  await turn()
  expect(await held.answer('records', RECORDS)).toEqual(['records', 'takeUp'])
  expect(await held.given()).toEqual(['records'])
  expect(await held.answer('records', RECORDS)).toEqual([])
  held.draining.note({ isDraining: true, hasOthers: false })
  expect(held.worker.isBusy).toBe(true)
  expect(await held.answer('takeUp', 'ended')).toEqual(['drop'])
  expect([held.worker.isBusy, held.worker.has('r')]).toEqual([false, true])
  held.draining.note({ isDraining: true, hasOthers: true })
  await turn()
  expect(await held.answer('handBack')).toEqual(['handBack', 'drop'])
  expect(held.worker.has('r')).toBe(false)
})

test('a run that a draining worker kept is taken up when it drains no more', async () => {
  const held = heldWorker()
  held.draining.note({ isDraining: true, hasOthers: false })
  await held.given()
  expect(await held.answer('records', RECORDS)).toEqual([])
  held.draining.note({ isDraining: false, hasOthers: false })
  await turn()
  expect(await held.answer('takeUp', 'first')).toEqual(['takeUp', 'activate', 'end'])
})
