import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { printTable, verdict } from '../engine/print-table.ts'

/** The compressed size of what a browser loads from the console. Needs `npm run build` first. */
const MOST_BYTES = 60_000
const dist = resolve(import.meta.dirname, '../../dist/console')

const sizes = globSync('assets/*.{js,css}', { cwd: dist })
  .map((file) => {
    const content = readFileSync(join(dist, file))
    return { file, bytes: content.length, packed: gzipSync(content, { level: 9 }).length }
  })
  .sort((a, b) => b.packed - a.packed)
const total = sizes.reduce((sum, { packed }) => sum + packed, 0)
const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
printTable(
  ['file', 'size', 'packed', `≤ ${kB(MOST_BYTES)}`],
  [
    ...sizes.map(({ file, bytes, packed }) => [file, kB(bytes), kB(packed), '']),
    ['in all', '', kB(total), verdict(sizes.length > 1 && total <= MOST_BYTES)],
  ],
)
