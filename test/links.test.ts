import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { anchor } from '../src/generate/markdown.ts'

const root = resolve(import.meta.dirname, '..')
const pages = ['.', 'docs', 'docs/decisions', 'docs/reference', 'docs/reference/operations', 'bench'].flatMap(
  (folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
)

test('there are pages to look at', () => {
  expect(pages).toContain('README.md')
  expect(pages.length).toBeGreaterThan(20)
})

test.each(pages)('every link of %s leads to a file and a heading that are there', (page) => {
  const links = [...textOf(join(root, page)).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
  const broken = links.filter(([, target = '', fragment]) => {
    const file = target === '' ? join(root, page) : join(root, dirname(page), target)
    return !existsSync(file) || (fragment !== undefined && !headingsOf(textOf(file)).includes(fragment))
  })
  expect(broken.map(([link]) => link)).toEqual([])
})

function textOf(file: string): string {
  return readFileSync(file, 'utf8')
}

function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading))
}

test('ARCHITECTURE.md has at most 12 kB, and no line over 160 characters', () => {
  const text = textOf(join(root, 'ARCHITECTURE.md'))
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(12_000)
  expect(text.split('\n').filter((line) => line.length > 160)).toEqual([])
})

test('what is written about the code names only files and folders that are there', () => {
  const about = [
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'docs/inside.md',
    ...pages.filter((page) => /decisions\//.test(page)),
  ]
  const named = about.flatMap((page) =>
    [...textOf(join(root, page)).matchAll(/`([a-z0-9-]+(?:\/[a-z0-9-]+)*(?:\/|\.[a-z.]*tsx?|\.md))`/g)].map(
      ([, name = '']) => ({ page, name }),
    ),
  )
  expect(named.length).toBeGreaterThan(150)
  const paths = ['src', 'test', 'docs', 'schemas', 'bench', 'lint', 'deploy', 'pipelines'].flatMap((folder) => [
    `/${folder}/`,
    ...readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `/${folder}/${path}/`),
  ])
  const isMade = (name: string) => /^(dist|generated|src\/generated|dist\/console|test-results\/console)\/$/.test(name)
  expect(named.filter(({ name }) => !isMade(name) && !paths.some((path) => path.includes(`/${name}`)))).toEqual([])
})

test('the index of decisions has every record once, with its date, and a chapter for each number', () => {
  const folder = join(root, 'docs/decisions')
  const records = readdirSync(folder)
    .filter((name) => name !== 'README.md')
    .flatMap((name) =>
      [...textOf(join(folder, name)).matchAll(/^## (.+)\n(.{10})/gm)].map(
        ([, title = '', date = '']) => `- [${title}](${name}#${anchor(title)}), ${date}`,
      ),
    )
  expect(records.filter((record) => !/, \d{4}-\d\d-\d\d$/.test(record))).toEqual([])
  const index = textOf(join(folder, 'README.md'))
  expect(
    index
      .split('\n')
      .filter((line) => line.startsWith('- ['))
      .sort(),
  ).toEqual(records.sort())
  const ranges = [...index.matchAll(/^\| (\d+) to (\d+) \|/gm)].map(([, from, to]) => [Number(from), Number(to)])
  const numbers = [...textOf(join(root, 'docs/decisions.md')).matchAll(/^### (\d+)\. /gm)].map(([, number]) =>
    Number(number),
  )
  expect(
    ranges.flatMap(([from = 0, to = 0]) => Array.from({ length: to - from + 1 }, (_, index) => from + index)),
  ).toEqual(numbers)
})
