import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { requireFreshBuild } from '../../support/fresh-build.ts'

requireFreshBuild()

const dist = resolve(import.meta.dirname, '../../../dist/console')
const MOST_BYTES = 60_000

test('scripts and styles are at most 60 kB, packed, and have hashes in their names', () => {
  const files = globSync('assets/*.{js,css}', { cwd: dist })
  expect(files.length).toBeGreaterThan(1)
  for (const file of files) expect(file).toMatch(/-[\w-]{8}\.(js|css)$/)
  const sizes = files.map((file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MOST_BYTES)
})

test('the page has nothing inline, and names only files below its base path', () => {
  const page = readFileSync(join(dist, 'index.html'), 'utf8')
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|style=|\son\w+=/)
  const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)
  expect(addresses).toHaveLength(3)
  for (const address of addresses) expect(address).toMatch(/^__BASE__assets\//)
})
