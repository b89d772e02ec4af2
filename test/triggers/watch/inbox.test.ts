import { expect, test } from 'vitest'
import { Inbox } from '../../../src/triggers/watch/inbox.ts'
import type { WatchDeps } from '../../../src/triggers/watch/watch.ts'
import { watching } from './watching.ts'

test('a sweep tells when the name belongs to another folder, and not when the folder has changed or is away', async () => {
  let now: { readonly ino: number; readonly mtimeMs: number } | undefined
  const stat = async () => now ?? Promise.reject(Object.assign(new Error('ENOENT'), { code: 'ENOENT' }))
  const inbox = new Inbox(watching().watch(), { disk: { stat } } as unknown as WatchDeps, {} as never, {} as never)
  // It sweeps, and does not look at the files.
  await inbox.close()
  const told: boolean[] = []
  for (const next of [
    { ino: 7, mtimeMs: 1 },
    { ino: 7, mtimeMs: 1 },
    { ino: 7, mtimeMs: 2 },
    { ino: 8, mtimeMs: 2 },
    undefined,
    { ino: 8, mtimeMs: 2 },
  ]) {
    now = next
    told.push(await inbox.sweep())
  }
  expect(told).toEqual([true, false, false, true, false, true])
})
