import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { createEventStreams } from '../../src/console/server/event-streams.ts'

const LOOKS = 5

test('rows are read only after a change, so that the thread that reads them ends while nothing happens', async () => {
  const reads: number[] = []
  let looks = 0
  const waits: (() => void)[] = []
  const deps = {
    state: {
      runs: {
        lastChange: async () => (looks++ < LOOKS ? 7 : 8),
        changedSince: async (sequence: number) => {
          reads.push(sequence)
          return { rows: [], sequence: 8 }
        },
      },
    },
    engine: { watch: () => () => undefined },
    clock: { now: () => 0, steady: () => 0, sleep: () => new Promise<void>((go) => waits.push(go)) },
    documents: () => new Map(),
    redact: (text: string) => text,
    version: '1',
  } as unknown as ConsoleDeps
  const streams = createEventStreams(deps, { isOpen: () => true, refresh: async () => undefined })
  const response = Object.assign(new EventEmitter(), {
    writableLength: 0,
    writeHead: () => undefined,
    write: () => true,
    destroy: () => undefined,
  })
  const request = { socket: { setNoDelay: () => undefined } }
  streams.open(request as unknown as IncomingMessage, response as unknown as ServerResponse, undefined)
  while (looks <= LOOKS) {
    expect(reads).toEqual([])
    await expect.poll(() => waits.length).toBeGreaterThan(0)
    waits.shift()?.()
    await new Promise(setImmediate)
  }
  await expect.poll(() => reads).toEqual([7])
  streams.close()
})
