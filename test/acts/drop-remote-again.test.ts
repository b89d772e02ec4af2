import { expect, test } from 'vitest'
import { dropAgain } from '../../src/acts/drop-again.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { Occurrence } from '../../src/core/occurrence.ts'
import { giversOf } from '../../src/daemon/file-givers.ts'
import type { AuditLog } from '../../src/state/audit-log.ts'
import { folderSource } from '../support/folder-source.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { MOVES, watcherBench } from '../triggers/remote/watcher-bench.ts'

const bench = watcherBench()
const { start, endRuns, until, runs, all, filesIn } = bench
const KEEPS = { done: { act: 'keep' }, failed: { act: 'keep' } } as const

/** Drops it again as Ana; returns its path and the entries of the audit log. */
async function drop(occurrence: Occurrence | undefined, shared = tempFolder(), sourceName = 'partner') {
  const acts: unknown[] = []
  const { occurrences, remote } = bench.store
  const audit = { add: async (act: unknown) => void acts.push(act) } as unknown as AuditLog
  const { key, ...ref } = occurrence as Occurrence
  const path = await dropAgain(
    { ref, key, givers: ['Ana'] },
    { by: 'Ana', comment: 'mended' },
    {
      state: { occurrences, remote, audit },
      settings: { shared } as Settings,
      documents: () => new Map(),
      openSource: async (name) => (name === sourceName ? folderSource(bench.at('')) : undefined),
      signal: new AbortController().signal,
    },
  )
  return { path, acts }
}

test('a file whose run failed goes back into its folder, and gets another run', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  start(MOVES)
  await until(async () => expect(await runs()).toHaveLength(1))
  await expect(drop((await all())[0])).rejects.toMatchObject({ code: 'file-open', kind: 'usage' })
  await endRuns(1, 'failed')
  await until(async () => expect((await all())[0]?.open).toBeFalsy())
  expect(await filesIn('failed')).toEqual(['a.csv'])
  const shared = tempFolder()
  const [failed] = await all()
  expect(await drop(failed, shared)).toEqual({
    path: 'partner:in/a.csv',
    acts: [{ by: 'Ana', comment: 'mended', act: 'file.retry', subject: 'p/drop', detail: 'a.csv', outcome: 'done' }],
  })
  expect(giversOf(`${shared}/uploads`, String(failed?.detail?.sha256))).toEqual(['Ana'])
  await endRuns(2)
  await until(async () => expect(await filesIn('done')).toEqual(['a.csv']))
  await until(async () => expect((await all()).some(({ open }) => open)).toBe(false))
  for (const occurrence of await runs())
    await expect(drop(occurrence)).rejects.toMatchObject({
      code: occurrence.detail?.outcome === 'succeeded' ? 'file-has-run' : 'file-gone',
    })
})

test('a file that was left where it is counts as new', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  start(KEEPS)
  await endRuns(1, 'failed')
  await until(async () => expect((await all())[0]?.open).toBeFalsy())
  await until(async () => expect((await bench.store.remote.looks())[0]?.waiting).toBe(0))
  await drop((await all())[0])
  await endRuns(2)
})

test('a set goes back as a whole, and gets another run', async () => {
  for (const name of ['a_1.csv', 'b_1.csv']) await bench.there.put(`in/${name}`, `${name}@example.com\n`)
  start({ ...MOVES, waitFor: { kind: 'all', patterns: ['a_*.csv', 'b_*.csv'] } })
  await endRuns(1, 'failed')
  await until(async () => expect((await all())[0]?.open).toBeFalsy())
  expect(await filesIn('failed')).toEqual(['a_1.csv', 'b_1.csv'])
  await drop((await all())[0])
  await endRuns(2)
  await until(async () => expect(await filesIn('done')).toEqual(['a_1.csv', 'b_1.csv']))
})

test('nothing is put over a file that came since', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  start(MOVES)
  await endRuns(1, 'failed')
  await until(async () => expect((await all())[0]?.open).toBeFalsy())
  await bench.stop()
  await bench.there.put('in/a.csv', 'other@example.com\n')
  await expect(drop((await all())[0])).rejects.toMatchObject({ code: 'file-exists' })
  expect(await bench.there.content('in/a.csv')).toBe('other@example.com\n')
  expect(await filesIn('failed')).toEqual(['a.csv'])
})

test('a file whose source or watched folder is gone from the configuration stays where it is', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  start(MOVES)
  await endRuns(1, 'failed')
  await until(async () => expect((await all())[0]?.open).toBeFalsy())
  const [failed] = await all()
  await expect(drop(failed, tempFolder(), 'another')).rejects.toMatchObject({ code: 'unknown-source', kind: 'usage' })
  const unknown = { pipeline: 'p', trigger: 'drop', key: 'no-such-key' } as Occurrence
  await expect(drop(unknown)).rejects.toMatchObject({ code: 'unknown-trigger' })
  expect(await filesIn('failed')).toEqual(['a.csv'])
})
