import { expect, test } from 'vitest'
import {
  joinRemotePath,
  splitRemotePath,
  takenPath,
  whyNoRemoteName,
  whyNoRemotePath,
} from '../../src/core/remote-path.ts'

test.each(['a.csv', 'größe 1.csv', '…', '-rf', '%2e%2e', '名前.csv'])('%s is a name', (name) => {
  expect(whyNoRemoteName(name)).toBeUndefined()
})

test.each([
  ['', 'it is not the name of a file'],
  ['.', 'it is not the name of a file'],
  ['..', 'it is not the name of a file'],
  ['../a.csv', 'it has a character that separates folders'],
  ['a\\b.csv', 'it has a character that separates folders'],
  ['a\0.csv', 'it has a character that separates folders'],
  ['a\nb.csv', 'it has characters that do not show'],
  ['a\tb.csv', 'it has characters that do not show'],
  ['\u202efdp.csv', 'it has characters that do not show'],
  ['a\u001b[2J.csv', 'it has characters that do not show'],
  ['a\ufffd.csv', 'it is not UTF-8'],
  ['ä'.repeat(128), 'it is longer than 255 bytes'],
])('%j is no name', (name, why) => {
  expect(whyNoRemoteName(name)).toBe(why)
})

test.each([
  ['', undefined],
  ['/', undefined],
  ['incoming/2026', undefined],
  ['/srv/incoming', undefined],
  ['incoming/', 'it has an empty part'],
  ['a//b', 'it has an empty part'],
  ['a/../b', 'it is not the name of a file'],
  ['a/'.repeat(600), 'it is longer than 1,024 bytes'],
])('of the path %j: %s', (path, why) => {
  expect(whyNoRemotePath(path)).toBe(why)
})

test('paths are taken apart and put together', () => {
  for (const path of ['a.csv', 'in/a.csv', '/a.csv', '/in/a.csv', 'in/deeper/*.csv']) {
    const { folder, name } = splitRemotePath(path)
    expect(joinRemotePath(folder, name)).toBe(path)
    expect(name).not.toContain('/')
  }
  expect(takenPath('in/a.csv', '1-abc')).toBe('in/.taken/1-abc/a.csv')
  expect(takenPath('a.csv', '1-abc')).toBe('.taken/1-abc/a.csv')
})
