import { expect, test } from 'vitest'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { listFiles, listSlots } from '../../src/console/server/handlers/list-slots.ts'
import type { ListedOccurrence, OccurrenceFilter } from '../../src/state/occurrence-store.ts'

/** A daemon without documents, whose state has this many slots and files. */
function depsWith(count: number) {
  const all = Array.from({ length: count }, (_, at) => ({
    ...{ pipeline: 'p', trigger: 't', key: `${at}`, at, state: 'skipped' },
    detail: { name: `${at}.csv` },
  })) as unknown as ListedOccurrence[]
  const occurrences = {
    memories: async () => [],
    summary: async () => [],
    list: async ({ limit }: OccurrenceFilter) => all.slice(0, limit),
  }
  const clock = { now: () => 0 }
  return { state: { occurrences }, clock, documents: () => new Map() } as unknown as ConsoleDeps
}

const CONTEXT = { turn: async () => undefined } as unknown as Parameters<typeof listSlots>[2]

test.each([
  [100, {}, 100, false],
  [101, {}, 100, true],
  [3, { limit: 3 }, 3, false],
  [4, { limit: 3 }, 3, true],
])(
  'of %i slots or files, %j are asked for: %i are listed, and there are older ones: %s',
  async (count, input, listed, hasOlder) => {
    const all = Array.from({ length: listed }, () => expect.anything())
    expect(await listSlots(depsWith(count), input, CONTEXT)).toMatchObject({ slots: all, hasOlder })
    expect(await listFiles(depsWith(count), input, CONTEXT)).toMatchObject({ files: all, hasOlder })
  },
)
