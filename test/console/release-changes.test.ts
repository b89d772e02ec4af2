import { expect, test } from 'vitest'
import { releaseChanges } from '../../src/console/server/release-changes.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { commitOf, keepRelease } from './support/keep-release.ts'

const [A, B] = [commitOf('aaaa'), commitOf('bbbb')]
const SIGNS = { same: ' ', added: '+', removed: '-' }

/** The changes from one release to another, or from none, as lines. */
async function changes(before: Record<string, string> | undefined, after: Record<string, string>, path = '') {
  const releases = tempFolder()
  if (before) await keepRelease(releases, A, before, path)
  await keepRelease(releases, B, after, path)
  let turns = 0
  const found = await releaseChanges(releases, { commit: B, before: before && A }, async () => {
    turns += 1
  })
  const files = found?.files.map(({ file, change, diff, notShown }) =>
    [change, file, notShown ?? diff.map(({ kind, text }) => SIGNS[kind] + text).join('|')].join(' '),
  )
  return { files, more: found?.moreFiles, turns }
}

test('files that differ are listed by path, and documents with their lines', async () => {
  const same = { 'same.yaml': 'x\n', 'same.csv': '1\n' }
  const before = { ...same, 'c.yaml': 'a\nb\n', 'gone.yml': 'x\n', 'list.csv': '1\n' }
  const after = { ...same, 'list.csv': '2\n', 'b/new.yaml': 'x\n', 'c.yaml': 'a\nc\n' }
  expect(await changes(before, after)).toEqual({
    files: [
      'added b/new.yaml +x| ',
      'changed c.yaml  a|-b|+c| ',
      'removed gone.yml -x| ',
      'changed list.csv not-a-document',
    ],
    more: 0,
    turns: 3,
  })
})

test('without a release before, all files are new', async () => {
  expect(await changes(undefined, { 'a.yaml': 'x\n', 'a.csv': '1' })).toMatchObject({
    files: ['added a.csv not-a-document', 'added a.yaml +x| '],
  })
})

test('paths are those of the repository', async () => {
  expect(await changes({}, { 'a.csv': '1' }, 'audiences/eu')).toMatchObject({
    files: ['added audiences/eu/a.csv not-a-document'],
  })
})

test('of very many files the first are shown, and the others counted', async () => {
  const texts = Object.fromEntries(Array.from({ length: 203 }, (_, at) => [`${1000 + at}.csv`, '1']))
  const { files, more } = await changes({}, texts)
  expect([files?.length, files?.at(-1), more]).toEqual([200, 'added 1199.csv not-a-document', 3])
})

test.each<[string, Record<string, string>, readonly string[]]>([
  ['a document of half a million characters', { 'a.yaml': 'x'.repeat(500_000) }, ['shown']],
  ['a longer one', { 'a.yaml': 'x'.repeat(500_001), 'b.yaml': 'x' }, ['too-large', 'shown']],
  [
    'the document with which there are more than 5,000 lines, and those after it',
    { 'a.yaml': 'x\n'.repeat(4990), 'b.yaml': 'x\n'.repeat(20), 'c.yaml': 'x' },
    ['shown', 'too-large', 'too-large'],
  ],
])('%s is too large to be compared, or not', async (_what, texts, expected) => {
  const { files } = await changes({}, texts)
  expect(files?.map((file) => (file.endsWith(' too-large') ? 'too-large' : 'shown'))).toEqual(expected)
})

test.each([
  ['the release', { commit: A, before: B }],
  ['the one before', { commit: B, before: A }],
])('there are no changes if %s is not kept', async (_what, asked) => {
  const releases = tempFolder()
  await keepRelease(releases, B, { 'a.yaml': 'x\n' })
  expect(await releaseChanges(releases, asked, async () => undefined)).toBeUndefined()
})
