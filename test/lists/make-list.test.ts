import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ListRequest } from '../../src/lists/list-request.ts'
import { openLists } from '../../src/lists/lists.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PLACE = { runId: 'run-1', stepKey: 'list', pipeline: 'nightly' }

test('a list has each key once, normalised and sorted, under a header, and its figures add up', async () => {
  const { lists, prepare } = bench()
  const text = 'name,email\nAnn, Ann@Example.COM \nBob,bob@example.com\nAnn,ann@example.com\nNo,\nBad,not an address\n'
  const figures = await prepare(text, { column: 'email' })
  const file = lists.fileOf(PLACE)
  const content = readFileSync(file)
  expect(content.toString()).toBe('email\nann@example.com\nbob@example.com\n')
  expect(figures).toEqual({
    ...{ rows: 5, keys: 2, duplicates: 1, empty: 1, bad: 1, badShare: 0.2, suppressed: 0 },
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    normalisation: 'service/1',
  })
})

test('only the owner of the state can read it, and removing a run leaves nothing', async () => {
  const { folder, lists, prepare } = bench()
  await prepare('email\nann@example.com\n', { column: 'email' })
  const file = lists.fileOf(PLACE)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  await lists.remove(PLACE.runId)
  expect(readdirSync(folder)).toEqual([])
})

test('a list without a key is an error, and leaves no file', async () => {
  const { lists, prepare } = bench()
  await expect(prepare('email\nnobody\n', { column: 'email' })).rejects.toMatchObject({
    code: 'list-empty',
    message: 'the list has no EMAIL key: of 1 rows 0 are empty and 1 are bad',
  })
  expect(existsSync(lists.fileOf(PLACE))).toBe(false)
})

test('a column that is not there is an error that shows nothing of the file', async () => {
  const { prepare } = bench()
  const error = await prepare('ann@example.com,1\nbob@example.com,2\n', { column: 'email' }).catch((caught) => caught)
  expect(error).toMatchObject({
    code: 'list-no-column',
    message: expect.stringContaining('its first line has 2 fields'),
  })
  expect(JSON.stringify(error) + error.message).not.toContain('example.com')
})

function bench() {
  const base = tempFolder()
  const folder = join(base, 'lists')
  const lists = openLists({ folder })
  const prepare = (text: string, request: Partial<ListRequest>) => {
    const file = join(base, 'people.csv')
    writeFileSync(file, text)
    return lists.make({ from: { file }, signal: 'EMAIL', ...request }, PLACE, new AbortController().signal)
  }
  return { folder, lists, prepare }
}
