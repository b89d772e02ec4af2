import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { requireFreshBuild } from '../../support/fresh-build.ts'

requireFreshBuild()

const dist = resolve(import.meta.dirname, '../../../dist/console')
const page = readFileSync(join(dist, 'index.html'), 'utf8')
const files = globSync('assets/*.{js,css}', { cwd: dist })
const MOST_BYTES = 60_000
const MOST_BYTES_LATER = 12_000

function packedBytes(some: readonly string[]): number {
  return some
    .map((file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length)
    .reduce((sum, size) => sum + size)
}

test('scripts and styles have hashes in their names', () => {
  for (const file of files) expect(file).toMatch(/-[\w-]{8}\.(js|css)$/)
})

test('what each page loads is at most 60 kB, packed', () => {
  const first = files.filter((file) => page.includes(file))
  expect(first).toHaveLength(2)
  expect(packedBytes(first)).toBeLessThanOrEqual(MOST_BYTES)
})

test('the pages of the embedded service are one script, loaded when one of them is opened, of at most 12 kB', () => {
  const later = files.filter((file) => !page.includes(file))
  expect(later).toEqual([expect.stringMatching(/^assets\/service-pages-/)])
  expect(packedBytes(later)).toBeLessThanOrEqual(MOST_BYTES_LATER)
  const main = files.find((file) => file.startsWith('assets/main-')) ?? ''
  expect(readFileSync(join(dist, main), 'utf8')).not.toContain('Switch a fault on')
})

test('the page has nothing inline, and names only files below its base path', () => {
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|style=|\son\w+=/)
  const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)
  expect(addresses).toHaveLength(3)
  for (const address of addresses) expect(address).toMatch(/^__BASE__assets\//)
})
