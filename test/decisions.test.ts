import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  JOB_STATUSES,
  MATCH_STATUSES,
  TERMINAL_JOB_STATUSES,
  TERMINAL_MATCH_STATUSES,
} from '../src/contract/enumerations.ts'

const root = resolve(import.meta.dirname, '..')
const page = read('docs/decisions.md')
const numbers = headingsOf(page)

describe('docs/decisions.md', () => {
  test('has every number once, in order', () => {
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    expect(numbers.length).toBeGreaterThan(100)
  })

  test('gives every decision a name, a date and a text', () => {
    const decisions = page.match(/^### .+\n.*/gm) ?? []
    const isWhole = (text: string) => /^### \d+\. \S.{5,60}\n\d{4}-\d\d-\d\d\. .{20}/.test(text)
    expect(decisions.filter((decision) => !isWhole(decision))).toEqual([])
  })

  test('gives every chapter without numbers a date', () => {
    const [, ...chapters] = page.split(/^## /m)
    const withoutNumbers = chapters.filter((chapter) => !chapter.includes('\n### '))
    expect(withoutNumbers.length).toBeGreaterThan(3)
    expect(withoutNumbers.filter((chapter) => !/^.+\n\n\d{4}-\d\d-\d\d\. /.test(chapter))).toEqual([])
  })

  test('has every decision that is cited', () => {
    const known = new Set(numbers)
    const cited = texts().flatMap(({ path, text }) => citationsOf(text).map((number) => ({ path, number })))
    expect(cited.length).toBeGreaterThan(250)
    expect(cited.filter(({ number }) => !known.has(number))).toEqual([])
  })

  test('has every chapter that is cited', () => {
    const chapters = new Set([...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title))
    const cited = texts().flatMap(({ text }) => [...flowing(text).matchAll(/docs\/decisions\.md, "([^"]+)"/g)])
    expect(cited.length).toBeGreaterThan(5)
    expect(cited.map(([, title]) => title).filter((title) => !chapters.has(title ?? ''))).toEqual([])
  })
})

test.each([
  ['one', '(decision 71)', [71]],
  ['several', 'decisions 3, 4 and 70', [3, 4, 70]],
  ['a range', 'Decisions 130 to 132, 135', [130, 131, 132, 135]],
  ['over the end of a line of a comment', 'see decisions\n * 71 and\n * 72', [71, 72]],
  ['over the end of a line of text', 'as decision\n71 says', [71]],
  ['the cases of a suite', "{ decision: 9, name: 'x' }", [9]],
  ['no other number', 'a decision in 3 days', []],
])('a citation of %s is read', (_name, text, expected) => {
  expect(citationsOf(text)).toEqual(expected)
})

test.each([
  ['job status', JOB_STATUSES, TERMINAL_JOB_STATUSES],
  ['match status', MATCH_STATUSES, TERMINAL_MATCH_STATUSES],
])('docs/service-contract.md explains every %s, and which are final', (head, all, final) => {
  const rows = tableOf(read('docs/service-contract.md'), head)
  expect(rows.map(([status]) => status).toSorted()).toEqual([...all].toSorted())
  expect(
    rows
      .filter(([, isFinal]) => isFinal === 'yes')
      .map(([status]) => status)
      .toSorted(),
  ).toEqual([...final].toSorted())
})

function headingsOf(text: string): number[] {
  return [...text.matchAll(/^### (\d+)\. /gm)].map(([, number]) => Number(number))
}

/** `decision 71`, `decisions 3, 4 and 70`, `decisions 130 to 132`, `decision: 9`, even if a line ends in between. */
function citationsOf(text: string): number[] {
  const cited = flowing(text).matchAll(/\bdecisions?:? (\d+(?:(?:, | and |, and | to |–)\d+)*)/gi)
  return [...cited].flatMap(([, list = '']) =>
    list.split(/, and |, | and /).flatMap((part) => {
      const [from = 0, to = from] = part.split(/ to |–/).map(Number)
      return Array.from({ length: to - from + 1 }, (_, index) => from + index)
    }),
  )
}

/** Without line ends and the marks at the beginning of comment lines. */
function flowing(text: string): string {
  return text.replaceAll(/\s*\n\s*(?:\*|\/\/|#)?\s*/g, ' ')
}

function texts(): { path: string; text: string }[] {
  const folders = ['src', 'test', 'docs', 'bench', 'deploy', 'pipelines']
  const nested = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  )
  const paths = [...nested, 'README.md', 'ARCHITECTURE.md'].filter(
    (path) => /\.(ts|js|mjs|md|ya?ml)$/.test(path) && !/node_modules|^src\/generated|^test\/decisions/.test(path),
  )
  return paths.map((path) => ({ path, text: read(path) }))
}

/** The rows of the table whose first column has this name. */
function tableOf(text: string, head: string): string[][] {
  const [, table = ''] = text.split(new RegExp(`^\\| ${head} \\|.*\\n\\|[-|]+\\|\\n`, 'm'))
  const [rows = ''] = table.split('\n\n')
  return rows.split('\n').map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
