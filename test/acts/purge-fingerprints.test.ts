import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { purgeFingerprints } from '../../src/acts/purge-fingerprints.ts'
import { listFile, runsWithLists } from '../../src/membership/kept-lists.ts'
import { tempFolder } from '../support/temp-folder.ts'

const NOW = Date.UTC(2026, 10, 27, 2)

/** Two runs with one list each; the first one is an hour older. */
function twoLists() {
  const folder = tempFolder()
  const files = ['first', 'second'].map((runId, index) => {
    const file = listFile(folder, { runId, stepKey: 'a' })
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '')
    const at = (NOW - (index === 0 ? 3_600_000 : 0)) / 1000
    utimesSync(file, at, at)
    return file
  })
  return { folder, files }
}

test.each([
  ['all', {}, ['first', 'second'], 'lists'],
  ['the older one', { before: NOW }, ['first'], 'lists'],
  ['that of a run', { of: 1 }, ['second'], 'second'],
  ['that of a run, if it is older', { of: 1, before: NOW }, [], undefined],
])('of two lists, %s', async (_, { of, before }: { of?: number; before?: number }, gone, subject) => {
  const { folder, files } = twoLists()
  const acts: object[] = []
  const record = async (act: object) => void acts.push(act)
  const lists = of === undefined ? undefined : { runIds: ['second'], files: new Set(files.slice(of)) }
  expect(await purgeFingerprints({ lists, before }, { by: 'Ana' }, { folder, record })).toBe(gone.length)
  expect(['first', 'second'].filter((runId) => !runsWithLists(folder).includes(runId))).toEqual(gone)
  const detail = `${gone.length} ${gone.length === 1 ? 'list' : 'lists'}`
  const entry = { by: 'Ana', act: 'privacy.purge', subject, detail, outcome: 'done' }
  expect(acts).toEqual(gone.length > 0 ? [entry] : [])
})
