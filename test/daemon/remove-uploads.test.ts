import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeUploads } from '../../src/daemon/retention.ts'

const DAY_MS = 86_400_000

/** Uploads from these days, and how many of those before day 10 are removed. */
async function removeBeforeDay10(days: readonly number[], unfinished: readonly object[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'audience-uploads-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const day of days) {
    const own = join(folder, `upload${day}`)
    mkdirSync(own)
    writeFileSync(join(own, 'list.csv'), 'a\n')
    utimesSync(own, day * 86_400, day * 86_400)
  }
  const asked: object[] = []
  const page = async (filter: object) => {
    asked.push(filter)
    return { rows: unfinished } as never
  }
  const removed = await removeUploads(folder, { before: 10 * DAY_MS, runs: { page } })
  return { removed, left: days.filter((day) => existsSync(join(folder, `upload${day}`))), asked }
}

test('old uploads are removed, newer ones are kept', async () => {
  const { removed, left, asked } = await removeBeforeDay10([3, 9, 10, 12])
  expect([removed, left]).toEqual([2, [10, 12]])
  expect(asked).toEqual([{ status: ['queued', 'running', 'waiting'], to: 10 * DAY_MS, limit: 1 }])
})

test('none is removed while a run of that time has not ended', async () => {
  expect(await removeBeforeDay10([3, 12], [{}])).toMatchObject({ removed: 0, left: [3, 12] })
})

test('without uploads nothing is asked', async () => {
  expect(await removeBeforeDay10([])).toEqual({ removed: 0, left: [], asked: [] })
})
