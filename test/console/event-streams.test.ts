import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { createEventStreams } from '../../src/console/server/event-streams.ts'
import { readPipeline } from '../../src/daemon/documents/read-pipeline.ts'
import { stepTypes } from '../../src/steps/index.ts'

const LOOKS = 5

/**
 * Streams that read the runs with these functions, the waits between two reads, and a reader with the events that it
 * received.
 */
function streamsOver(
  runs: object,
  { steady = () => 0, refresh = async () => undefined }: { steady?: () => number; refresh?: () => Promise<void> } = {},
) {
  let moved = (_event: { readonly runId: string }) => undefined as unknown
  const waits: (() => void)[] = []
  const sent: string[] = []
  const warn = vi.fn()
  const deps = {
    state: { runs },
    engine: {
      watch(told: typeof moved) {
        moved = told
        return () => undefined
      },
    },
    clock: { now: () => 0, steady, sleep: () => new Promise<void>((go) => waits.push(go)) },
    documents: () => new Map(),
    problems: () => [],
    redact: (text: string) => text,
    version: '1',
    readPipeline,
    stepTypes,
    log: { warn },
  } as unknown as ConsoleDeps
  const streams = createEventStreams(deps, { isOpen: () => true, refresh })
  const response = Object.assign(new EventEmitter(), {
    writableLength: 0,
    writeHead: () => undefined,
    flushHeaders: () => undefined,
    write: (text: string): boolean => sent.push(text) > 0,
    destroy: () => undefined,
  })
  const drop = vi.spyOn(response, 'destroy')
  const request = { socket: { setNoDelay: () => undefined } }
  const open = (to: object = response) =>
    streams.open(request as unknown as IncomingMessage, to as ServerResponse, undefined)
  const openRun = () =>
    streams.openRun(request as unknown as IncomingMessage, response as unknown as ServerResponse, {
      ...{ runId: 'r1', after: -1, follow: true },
      session: undefined,
    })
  return { streams, open, openRun, waits, sent, response, drop, warn, moved: (runId: string) => moved({ runId }) }
}

/** A run that continues. */
const RECORDS = [
  {
    seq: 0,
    at: 0,
    record: {
      type: 'run.submitted',
      text: 'version: 1\nname: p\nsteps: [{ id: a, uses: groups.list }]\n',
      file: 'p.yaml',
    },
  },
  { seq: 1, at: 1, record: { type: 'run.admitted' } },
]

test('a reader of a run that takes nothing for a minute is cut off, and one that takes it gets the rest', async () => {
  for (const takes of [false, true]) {
    const { streams, openRun, sent, response, drop, waits } = streamsOver({ records: async () => RECORDS })
    let isFull = true
    Object.defineProperty(response, 'writableNeedDrain', { get: () => isFull })
    response.write = (text: string) => {
      sent.push(text)
      return !isFull
    }
    await openRun()
    await expect.poll(() => waits.length).toBe(1)
    expect(sent.length).toBe(1)
    if (takes) {
      isFull = false
      response.emit('drain')
      // The stream looks for more records.
      await expect.poll(() => waits.length).toBe(2)
    } else waits[0]?.()
    await expect.poll(() => drop.mock.calls.length).toBe(takes ? 0 : 1)
    streams.close()
  }
})

test('a stream of a run ends when the records cannot be read, so that its reader connects again', async () => {
  let reads = 0
  const { openRun, waits, drop, warn } = streamsOver({
    records: async () => {
      reads += 1
      if (reads > 1) throw new Error('no')
      return RECORDS
    },
  })
  await openRun()
  await expect.poll(() => waits.length).toBe(1)
  waits[0]?.()
  await expect.poll(() => drop.mock.calls.length).toBe(1)
  expect(warn).toHaveBeenCalledOnce()
})

test('a stream of a run ends when it cannot be read whether its session has ended, before it sends more', async () => {
  const refreshed = Promise.withResolvers<void>()
  const records = vi.fn(async () => RECORDS)
  const { openRun, waits, drop } = streamsOver({ records }, { refresh: () => refreshed.promise })
  await openRun()
  await expect.poll(() => waits.length).toBe(1)
  const reads = records.mock.calls.length
  waits[0]?.()
  await new Promise(setImmediate)
  expect(records.mock.calls.length).toBe(reads)
  refreshed.reject(new Error('no'))
  await expect.poll(() => drop.mock.calls.length).toBe(1)
})

test('rows are read only after a change, so that the thread that reads them ends while nothing happens', async () => {
  const reads: number[] = []
  let looks = 0
  const { streams, open, waits } = streamsOver({
    lastChange: async () => (looks++ < LOOKS ? 7 : 8),
    changedSince: async (sequence: number) => {
      reads.push(sequence)
      return { rows: [], sequence: 8 }
    },
  })
  open()
  while (looks <= LOOKS) {
    expect(reads).toEqual([])
    await expect.poll(() => waits.length).toBeGreaterThan(0)
    waits.shift()?.()
    await new Promise(setImmediate)
  }
  await expect.poll(() => reads).toEqual([7])
  streams.close()
})

test('hello comes once it is known from which change on the stream tells: who then reads misses none', async () => {
  const last = Promise.withResolvers<number>()
  const { streams, open, sent } = streamsOver({ lastChange: () => last.promise })
  open()
  await new Promise(setImmediate)
  expect(sent).toEqual([])
  last.resolve(7)
  await expect.poll(() => sent.join('')).toContain('event: hello')
  streams.close()
})

test('a reader that left before it is told hello is not written to', async () => {
  const last = Promise.withResolvers<number>()
  const { streams, open, sent, response } = streamsOver({ lastChange: () => last.promise })
  open()
  response.emit('close')
  last.resolve(7)
  await new Promise(setImmediate)
  expect(sent).toEqual([])
  streams.close()
})

test('a reader that is a million bytes behind is cut off, and no sooner', async () => {
  for (const [behind, isCut] of [
    [1_000_000, false],
    [1_000_001, true],
  ] as const) {
    const { streams, open, sent, response, drop } = streamsOver({ lastChange: async () => 7 })
    response.writableLength = behind
    open()
    await expect.poll(() => sent.length + drop.mock.calls.length).toBeGreaterThan(0)
    expect([sent.length, drop.mock.calls.length]).toEqual(isCut ? [0, 1] : [1, 0])
    streams.close()
  }
})

test('there are at most 64 streams, those of single runs among them, and room again when one has gone', async () => {
  const { streams, open, openRun, response } = streamsOver({
    lastChange: () => new Promise(() => undefined),
    records: async () => RECORDS,
  })
  const { writeHead, write, destroy } = response
  const responses = Array.from({ length: 64 }, () =>
    Object.assign(new EventEmitter(), { writableLength: 0, writeHead, write, destroy }),
  )
  for (const each of responses) open(each)
  expect(() => open()).toThrow('there are already 64 streams')
  await expect(openRun()).rejects.toThrow('there are already 64 streams')
  responses[0]?.emit('close')
  expect(() => open()).not.toThrow()
  streams.close()
})

test('a reader is told every 15 s, and not at each look, that the stream is alive', async () => {
  let steady = 0
  const { streams, open, waits, sent } = streamsOver({ lastChange: async () => 7 }, { steady: () => steady })
  open()
  const beats: number[] = []
  for (const at of [0, 14_999, 15_000, 15_001, 29_999, 30_000]) {
    while (waits.length === 0) await new Promise(setImmediate)
    steady = at
    waits.pop()?.()
    while (waits.length === 0) await new Promise(setImmediate)
    beats.push(sent.filter((text) => text.includes('event: beat')).length)
  }
  expect(beats).toEqual([0, 0, 1, 1, 1, 2])
  streams.close()
})

test('a reader is told of each changed run, and of the runs that moved, once', async () => {
  let sequence = 5
  const { streams, open, waits, sent, moved } = streamsOver({
    lastChange: async () => sequence,
    changedSince: async (since: number) => ({ rows: [{ runId: `r${since}`, submittedAt: 0 }], sequence }),
  })
  open()
  await expect.poll(() => waits.length).toBe(1)
  const told = () =>
    sent.splice(0).map((text) => [/event: (\w+)/.exec(text)?.[1], JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '')])
  expect(told()).toMatchObject([['hello', {}]])
  sequence = 7
  moved('r9')
  waits[0]?.()
  await expect.poll(() => waits.length).toBe(2)
  expect(told()).toMatchObject([
    ['runs', { runs: [{ runId: 'r5' }] }],
    ['steps', { runIds: ['r9'] }],
  ])
  waits[1]?.()
  await expect.poll(() => waits.length).toBe(3)
  expect(told()).toEqual([])
  streams.close()
})
