import { appendFileSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import { until, type Watching, watching } from './watching.ts'

const SHORT = 'settle: 400ms'
const ROWS = Array.from({ length: 20 }, (_, row) => `p${row}@example.com\n`).join('')

/** The path of the file that a run works on. */
async function taken(bench: Watching): Promise<string> {
  await until(() => bench.runs.length === 1)
  return String(bench.runs[0]?.firing.values.file)
}

/** What a writer that had paused, or a program with the file still open, does to the file after it was read. */
const CHANGES: Readonly<Record<string, (path: string) => void>> = {
  'has grown': (path) => appendFileSync(path, ROWS),
  'has shrunk': (path) => truncateSync(path, 10),
  'was written over': (path) => writeFileSync(path, ROWS.replaceAll('p', 'q')),
  'was touched': (path) => utimesSync(path, new Date(), new Date(Date.now() + 5000)),
}

test.each(
  Object.entries(CHANGES).flatMap(([what, change]) =>
    (['succeeded', 'failed'] as const).map((status) => ({ what, change, status })),
  ),
)('a file that $what while its run $status is reported when it is put away', async ({ change, status }) => {
  const bench = watching()
  bench.ending = undefined
  bench.start(SHORT)
  writeFileSync(join(bench.inbox, 'a.csv'), ROWS)
  // Sets another time, because the clock of the file system may stand still for a moment.
  const path = await taken(bench)
  await until(() => Date.now() > 2 + Date.parse(String(bench.runs[0]?.firing.values.modifiedAt)))
  change(path)
  const now = readFileSync(path, 'utf8')
  bench.occurrenceStore.end('run-1', status)
  await until(() => bench.occurrences().every(({ open }) => !open))

  expect(bench.names('done')).toEqual([])
  expect(bench.names('failed')).toEqual(['a.csv', 'a.csv.reason.txt'])
  expect(bench.read('failed/a.csv')).toBe(now)
  const reason = `it was written to after it had been read: it had ${ROWS.length} bytes then, and has ${now.length} now`
  expect(bench.read('failed/a.csv.reason.txt')).toContain(`${reason}; the run run-1 has only the content that was read`)
  expect(bench.logged).toContainEqual(expect.objectContaining({ reason, file: 'a.csv' }))
  expect(bench.occurrences().find(({ state }) => state === 'failed')).toMatchObject({
    ...{ key: expect.stringMatching(/^changed /), reason, detail: { name: 'a.csv', changed: true } },
  })
  // The content that was read has its own run.
  expect(bench.occurrences().find(({ state }) => state === 'ran')?.detail).toMatchObject({ outcome: status })
})

test('a second file of the same content that then grows is no duplicate to be put away as done', async () => {
  const bench = watching()
  bench.ending = undefined
  bench.start(SHORT)
  writeFileSync(join(bench.inbox, 'a.csv'), ROWS)
  await taken(bench)
  writeFileSync(join(bench.inbox, 'b.csv'), ROWS)
  await until(() => bench.occurrences().some(({ reason }) => reason === 'duplicate'))
  const folder = join(bench.inbox, '.taken', 'drops.drop')
  const ticket = readdirSync(folder).find((name) => readdirSync(join(folder, name)).includes('b.csv'))
  appendFileSync(join(folder, String(ticket), 'b.csv'), ROWS)
  bench.occurrenceStore.end('run-1', 'succeeded')
  await until(() => bench.occurrences().every(({ open }) => !open))
  expect(bench.names('done')).toEqual(['a.csv'])
  expect(bench.names('failed')).toEqual(['b.csv', 'b.csv.reason.txt'])
})

test('that is still known when this process dies between the move and the record of it', async () => {
  const bench = watching()
  bench.ending = undefined
  const first = bench.start(SHORT)
  writeFileSync(join(bench.inbox, 'a.csv'), ROWS)
  appendFileSync(await taken(bench), ROWS)
  let isDead = false
  await first.stop()
  const second = bench.start(SHORT, {
    disk: {
      ...localDisk,
      // The file is at its place, and nothing else happens after that.
      async rm(path, options) {
        await localDisk.rm(path, options)
        if (!String(path).endsWith('/a.csv')) return
        isDead = true
        throw new Error('dead')
      },
    },
  })
  bench.occurrenceStore.end('run-1', 'succeeded')
  await until(() => isDead)
  await second.stop()
  expect(bench.occurrences().some(({ open }) => open)).toBe(true)
  bench.start(SHORT)
  await until(() => bench.occurrences().every(({ open }) => !open))
  expect(bench.names('done')).toEqual([])
  expect(bench.names('failed')).toEqual(['a.csv', 'a.csv.reason.txt'])
  expect(bench.occurrences().filter(({ state }) => state === 'failed')).toHaveLength(1)
  expect(bench.logged).toContainEqual(expect.objectContaining({ reason: expect.stringContaining('was written to') }))
})
