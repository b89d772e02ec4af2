import { expect, test } from 'vitest'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { systemHandlers } from '../../src/console/server/handlers/system.ts'

test('a full page of the audit log names its last entry for the next one; one that is not full names none', async () => {
  const list = async ({ limit }: { readonly limit: number }) => [9, 7, 4].slice(0, limit).map((id) => ({ id, at: 0 }))
  const deps = { state: { audit: { list } } } as unknown as ConsoleDeps
  const page = (limit?: number) => systemHandlers['audit.list'](deps, { limit })
  const at = new Date(0).toISOString()
  expect(await page(2)).toEqual({
    entries: [
      { id: 9, at },
      { id: 7, at },
    ],
    next: 7,
  })
  expect(await page(3)).toMatchObject({ next: 4 })
  expect(await page()).toMatchObject({ entries: [{}, {}, {}], next: undefined })
})
