import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { written } from './fixtures.ts'
import { stepTypes } from './step-types.ts'

/** The problems of a schedule whose days off are in a file, in a folder with these files. */
function problems(file: string, files: Readonly<Record<string, string>>): string[] {
  const text = `version: 1
name: p
triggers:
  - id: nightly
    schedule: { cron: 0 2 * * *, exclude: { file: ${file} } }
steps:
  - { id: list, uses: groups.list }
`
  const readDocument = (path: string) => {
    const content = Object.entries(files).find(([name]) => path === join('/pipelines', name))?.[1]
    return content === undefined ? undefined : { text: content }
  }
  return loadPipeline({ text, file: '/pipelines/p.yaml', stepTypes, readDocument }).diagnostics.map(written)
}

describe('the file with days off', () => {
  test('is read beside the document', () => {
    expect(problems('holidays.txt', { 'holidays.txt': '2026-12-25' })).toEqual([])
    expect(problems('../shared/us.ics', { '../shared/us.ics': 'BEGIN:VCALENDAR\nEND:VCALENDAR' })).toEqual([])
  })

  test.each([
    [
      'gone.txt',
      {},
      'the days off in gone.txt cannot be read | name a calendar (.ics) or a text file with one date per line; the path is relative to this document',
    ],
    [
      'x.txt',
      { 'x.txt': '\nChristmas' },
      'the days off in x.txt cannot be used: line 2 is not a date such as 2026-12-25 | correct it; if such a mistake were ignored, runs could start on days off',
    ],
    [
      'x.ics',
      { 'x.ics': 'Christmas' },
      'the days off in x.ics cannot be used: it is not a calendar: line 1 cannot be read | a line is NAME:VALUE, and a continuation line begins with a space; if such a mistake were ignored, runs could start on days off',
    ],
  ])('that is of no use is an error at its place: %s', (file, files, problem) => {
    expect(problems(file, files)).toEqual([`5:51+${file.length} error wrong-value: ${problem}`])
  })
})

test('a step that leaves one value is a warning at its place, and the document is valid', () => {
  const schedule = 'schedule: { cron: "*/90 2 * * *" }'
  const text = `version: 1\nname: p\ntriggers:\n  - id: n\n    ${schedule}\nsteps:\n  - { id: list, uses: groups.list }\n`
  const { pipeline, diagnostics } = loadPipeline({ text, file: '/pipelines/p.yaml', stepTypes })
  expect(pipeline).toBeDefined()
  expect(diagnostics.map(written)).toEqual([
    '5:24+4 warning long-step: the minute */90 means only 0: a step of 90 leads beyond 59 | write 0 if you mean that: steps begin again in each hour',
  ])
})

test('whatever is thrown while a document is checked is a problem of that document', () => {
  const text =
    'version: 1\nname: p\ntriggers:\n  - id: n\n    schedule: { cron: 0 2 * * *, exclude: { file: x.ics } }\nsteps:\n  - { id: list, uses: groups.list }\n'
  const readDocument = () => {
    throw new RangeError('Maximum call stack size exceeded')
  }
  const { pipeline, diagnostics } = loadPipeline({ text, file: '/pipelines/p.yaml', stepTypes, readDocument })
  expect([pipeline, diagnostics.map(({ code, message }) => `${code}: ${message}`)]).toEqual([
    undefined,
    ['not-checked: the document cannot be checked: Maximum call stack size exceeded'],
  ])
})
