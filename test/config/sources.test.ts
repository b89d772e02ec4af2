import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config/load-settings.ts'
import { sourcesOf } from '../../src/config/sources-config.ts'
import { InvalidDocumentError } from '../../src/core/errors.ts'

test('paths are relative to the file, and a command has half an hour', () => {
  const { sources } = parseConfig(
    'sources: { crm: { path: "in/{date}/*.parquet" }, drops: { command: [get, "{out}"] }, slow: { command: [get, "{out}"], timeout: 2h } }',
    'audience.yaml',
  )
  expect(sourcesOf(sources, '/project')).toEqual({
    crm: { kind: 'path', path: join('/project', 'in/{date}/*.parquet') },
    drops: { kind: 'command', command: ['get', '{out}'], timeoutMs: 1_800_000, folder: '/project' },
    slow: { kind: 'command', command: ['get', '{out}'], timeoutMs: 7_200_000, folder: '/project' },
  })
})

test.each([
  ['{}', '1:12 wrong-value: source a needs either path or command'],
  ['{ path: b, command: [c, "{out}"] }', '1:12 wrong-value: source a needs either path or command'],
  ['{ path: b, timeout: 3m }', '1:35 wrong-value: timeout is for a command, and a path has none'],
  ['{ path: "b/{day}" }', '1:23 wrong-value: {day} means nothing in a path'],
  ['{ command: [c] }', '1:26 wrong-value: the command of a has no {out}, the file to write'],
  ['{ command: c }', '1:26 wrong-type: command must be a list'],
])('%s is refused at its place', (source, expected) => {
  const parse = () => parseConfig(`sources: { a: ${source} }`, 'audience.yaml')
  expect(parse).toThrow(InvalidDocumentError)
  try {
    parse()
  } catch (error) {
    const { diagnostics } = error as InvalidDocumentError
    expect(diagnostics.map(({ at, code, message }) => `${at?.line}:${at?.column} ${code}: ${message}`)).toContain(
      expected,
    )
  }
})
