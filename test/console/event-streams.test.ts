import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { createEventStreams } from '../../src/console/server/event-streams.ts'

const LOOKS = 5

/** Streams over these reads of the runs, the waits between two looks, and a reader with what it was sent. */
function streamsOver(runs: object) {
  const waits: (() => void)[] = []
  const sent: string[] = []
  const deps = {
    state: { runs },
    engine: { watch: () => () => undefined },
    clock: { now: () => 0, steady: () => 0, sleep: () => new Promise<void>((go) => waits.push(go)) },
    documents: () => new Map(),
    problems: () => [],
    redact: (text: string) => text,
    version: '1',
  } as unknown as ConsoleDeps
  const streams = createEventStreams(deps, { isOpen: () => true, refresh: async () => undefined })
  const response = Object.assign(new EventEmitter(), {
    writableLength: 0,
    writeHead: () => undefined,
    write: (text: string) => sent.push(text),
    destroy: () => undefined,
  })
  const drop = vi.spyOn(response, 'destroy')
  const request = { socket: { setNoDelay: () => undefined } }
  const open = (to: object = response) =>
    streams.open(request as unknown as IncomingMessage, to as ServerResponse, undefined)
  return { streams, open, waits, sent, response, drop }
}

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

test('there are at most 64 streams, and room again when one has gone', () => {
  const { streams, open, response } = streamsOver({ lastChange: () => new Promise(() => undefined) })
  const { writeHead, write, destroy } = response
  const responses = Array.from({ length: 64 }, () =>
    Object.assign(new EventEmitter(), { writableLength: 0, writeHead, write, destroy }),
  )
  for (const each of responses) open(each)
  expect(() => open()).toThrow('there are 64 streams already')
  responses[0]?.emit('close')
  expect(() => open()).not.toThrow()
  streams.close()
})
