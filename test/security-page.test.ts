import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const DOCS = join(import.meta.dirname, '../docs')

/** Each promise of docs/security.md, on one line. */
function promises(): string[] {
  const page = readFileSync(join(DOCS, 'security.md'), 'utf8')
  const items = page.match(/^- .*(?:\n {2}.*)*/gm) ?? []
  return items.map((item) => item.replaceAll('\n', ' ')).filter((item) => !/^- \*Limits?:\*/.test(item))
}

test('each promise of the page about security names a test that there is', () => {
  expect(promises().length).toBeGreaterThan(30)
  const isHeld = (item: string) => {
    const files = [...item.matchAll(/\]\((\.\.\/test\/[^)]+\.test\.ts)\)/g)].map(([, file = '']) => file)
    return files.length > 0 && files.every((file) => existsSync(join(DOCS, file)))
  }
  expect(promises().filter((item) => !isHeld(item))).toEqual([])
})
