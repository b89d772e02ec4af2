import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/core/duration.ts'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import { depsOf, isInInbox, until, watching } from './watching.ts'

const SHORT = 'settle: 1s'

test('a file whose name is not UTF-8 or too long is reported once, however often it is looked at, and others run', async () => {
  const bench = watching()
  const long = `${'ü'.repeat(112)}.csv`
  const fits = `${'a'.repeat(216)}.csv`
  writeFileSync(Buffer.concat([Buffer.from(`${bench.inbox}/caf`), Buffer.from([0xe9]), Buffer.from('.csv')]), 'x')
  writeFileSync(join(bench.inbox, long), 'x')
  // Its name contains the replacement character for bytes that are not UTF-8, but is valid UTF-8.
  writeFileSync(join(bench.inbox, 'odd\ufffd.csv'), 'odd')
  // Bytes that are not UTF-8 and look like that name.
  writeFileSync(Buffer.concat([Buffer.from(`${bench.inbox}/odd`), Buffer.from([0xe9]), Buffer.from('.csv')]), 'twin')
  writeFileSync(join(bench.inbox, fits), 'fits')
  const watcher = bench.start(SHORT)
  await until(() => bench.names('done').length === 2)
  expect(bench.runs.map(({ content }) => content).sort()).toEqual(['fits', 'odd'])
  await watcher.stop()
  bench.start(SHORT)
  writeFileSync(join(bench.inbox, 'another.csv'), 'another')
  await until(() => bench.names('done').length === 3)

  const ignored = bench.occurrences().filter(({ detail }) => detail?.ignored === true)
  expect(ignored.map(({ state, reason, detail }) => [state, detail?.file, reason]).sort()).toEqual([
    ['failed', join(bench.inbox, 'caf\ufffd.csv'), 'its name is not UTF-8'],
    ['failed', join(bench.inbox, 'odd\ufffd.csv'), 'its name is not UTF-8'],
    ['failed', join(bench.inbox, long), expect.stringContaining('has 228 bytes, but only names of at most 220')],
  ])
  // Once for each of the two processes.
  expect(bench.logged.filter(({ message }) => message === 'a file is ignored')).toHaveLength(6)
})

test('a file that has the longest name is filed with its reason, beside another of its name', async () => {
  const bench = watching()
  bench.ending = () => 'failed'
  const name = `${'a'.repeat(216)}.csv`
  bench.start(SHORT)
  for (const content of ['one', 'two']) {
    writeFileSync(join(bench.inbox, name), content)
    await until(() => bench.names('failed').length === (content === 'one' ? 2 : 4))
  }
  expect(bench.names('failed').filter((each) => each.endsWith('.reason.txt'))).toHaveLength(2)
})

test('a file that may not be taken out of its folder is reported once', async () => {
  const bench = watching()
  let isAllowed = false
  const rename: typeof localDisk.rename = async (from, to) => {
    if (!isAllowed && isInInbox(from, 'a.csv'))
      throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
    return localDisk.rename(from, to)
  }
  bench.start(SHORT, { disk: { ...localDisk, rename } })
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  await until(() => bench.occurrences().length === 1)
  expect(bench.occurrences()).toMatchObject([
    {
      state: 'failed',
      reason: expect.stringContaining('is not allowed to do that'),
      detail: { ignored: true, name: 'a.csv' },
    },
  ])
  isAllowed = true
  await until(() => bench.names('done').length === 1)
  expect(bench.occurrences().filter(({ detail }) => detail?.ignored === true)).toHaveLength(1)
})

test('a file that cannot be taken for a reason that may pass is reported if it still cannot a minute later', async () => {
  const bench = watching()
  const { now, ...clock } = depsOf(bench).clock
  let stepMs = 0
  const reported = () => bench.occurrences().filter(({ detail }) => detail?.ignored === true)
  const atTries: number[] = []
  const rename: typeof localDisk.rename = async (from, to) => {
    if (!isInInbox(from, 'a.csv')) return localDisk.rename(from, to)
    atTries.push(reported().length)
    throw Object.assign(new Error('EBUSY: resource busy'), { code: 'EBUSY' })
  }
  bench.start(SHORT, { disk: { ...localDisk, rename }, clock: { ...clock, now: () => now() + stepMs } })
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  await until(() => atTries.length === 1)
  stepMs = HOUR_MS
  writeFileSync(join(bench.inbox, 'b.csv'), 'y')
  await until(() => atTries.length > 1 && reported().length === 1)
  expect(atTries.slice(0, 2)).toEqual([0, 0])
  const reason = 'it cannot be taken out of its folder (EBUSY: resource busy); this will be retried every minute'
  expect(reported()).toMatchObject([{ state: 'failed', reason }])
  expect(bench.logged.filter(({ message }) => /cannot be taken out/.test(String(message)))).toHaveLength(1)
})

test.each([
  ['List.Csv', 'upper and lower case'],
  ['list.csv ', 'blanks at its ends, or invisible characters'],
])('%j beside the pattern *.csv is reported once, and others run', async (name, difference) => {
  const bench = watching()
  writeFileSync(join(bench.inbox, name), 'x')
  writeFileSync(join(bench.inbox, 'other.TSV'), 'not meant')
  writeFileSync(join(bench.inbox, `${name}.reason.txt`), 'a note')
  bench.start(SHORT)
  await until(() => bench.occurrences().length === 1)
  expect(bench.occurrences()).toMatchObject([
    {
      ...{ state: 'failed', reason: `its name differs from the pattern only in ${difference}` },
      detail: { ignored: true, name, file: join(bench.inbox, name) },
    },
  ])
  writeFileSync(join(bench.inbox, 'list2.csv'), 'y')
  await until(() => bench.names('done').length === 1)
  expect(bench.logged.filter(({ message }) => message === 'a file is ignored')).toHaveLength(1)
})

test('an ignored file is reported although the state could not be written at first', async () => {
  const bench = watching()
  let failures = 0
  const note: typeof bench.occurrenceStore.note = async (ref, noted) => {
    failures += 1
    if (failures <= 2) throw new Error('the disk is full')
    return bench.occurrenceStore.note(ref, noted)
  }
  writeFileSync(join(bench.inbox, 'LIST.CSV'), 'x')
  bench.start(SHORT, { occurrenceStore: { ...bench.occurrenceStore, note } })
  await until(() => bench.occurrences().length === 1)
  expect(bench.occurrences()).toMatchObject([{ state: 'failed', detail: { ignored: true, name: 'LIST.CSV' } }])
  await until(() => bench.logged.some(({ message }) => message === 'a file is ignored'))
  const told = bench.logged.filter(({ message }) => /cannot be watched|is ignored/.test(String(message)))
  expect(told).toMatchObject([{ error: 'the disk is full' }, { file: 'LIST.CSV' }])
})

test('a name that another trigger of the folder takes is not ignored', async () => {
  const bench = watching()
  const [lower, upper] = [bench.watch(SHORT), bench.watch(`${SHORT}, pattern: "*.CSV"`)]
  const watcher = bench.start(SHORT)
  watcher.replace([lower, { ...upper, trigger: { ...upper.trigger, id: 'upper' } }])
  writeFileSync(join(bench.inbox, 'LIST.CSV'), 'x')
  writeFileSync(join(bench.inbox, 'list.csv'), 'y')
  writeFileSync(join(bench.inbox, 'list.Csv'), 'z')
  await until(() => bench.names('done').length === 2)
  await until(() => bench.occurrences().filter(({ detail }) => detail?.ignored === true).length === 2)
  const ignored = bench.occurrences().filter(({ detail }) => detail?.ignored === true)
  expect(ignored.map(({ trigger, detail }) => [trigger, detail?.name]).sort()).toEqual([
    ['drop', 'list.Csv'],
    ['upper', 'list.Csv'],
  ])
})
