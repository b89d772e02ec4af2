import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { anchor } from '../src/generate/markdown.ts'

const root = resolve(import.meta.dirname, '..')
const pages = ['.', 'docs', 'docs/reference', 'docs/reference/operations', 'bench'].flatMap((folder) =>
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

test('ARCHITECTURE.md has no line over 160 characters', () => {
  const lines = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('\n')
  expect(lines.filter((line) => line.length > 160)).toEqual([])
})
