import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Occurrence } from '../../../src/core/occurrence.ts'
import { failedFileOf } from '../../../src/triggers/watch/failed-file.ts'
import { tempFolder } from '../../support/temp-folder.ts'

function place(): string {
  const folder = tempFolder()
  mkdirSync(join(folder, 'failed', 'a-folder'), { recursive: true })
  for (const name of ['failed/a.csv', 'b.csv']) writeFileSync(join(folder, name), 'x')
  symlinkSync(join(folder, 'b.csv'), join(folder, 'failed', 'link.csv'))
  return folder
}

test.each<[string, Partial<Occurrence>, string, boolean]>([
  ['a file that no run had', {}, 'failed/a.csv', true],
  ['a file whose run failed', { state: 'ran', runId: 'r' }, 'failed/a.csv', true],
  ['not one that is still moved', { open: true }, 'failed/a.csv', false],
  ['not one that lies elsewhere', {}, 'b.csv', false],
  ['not one that is gone', {}, 'failed/gone.csv', false],
  ['not a link', {}, 'failed/link.csv', false],
  ['not a folder', {}, 'failed/a-folder', false],
  ['not what was never moved', { detail: { movedTo: null } }, 'failed/a.csv', false],
  ['not where its folder is not known', { detail: { failed: null } }, 'failed/a.csv', false],
])('what a person may drop again: %s', async (_what, { detail, ...rest }, name, isIt) => {
  const folder = place()
  const path = join(folder, name)
  const failed = join(folder, 'failed')
  const occurrence: Occurrence = {
    ...{ pipeline: 'p', trigger: 'drop', key: 'k', at: 1, state: 'failed' },
    detail: { failed, movedTo: path, ...detail },
    ...rest,
  }
  expect(await failedFileOf(occurrence)).toBe(isIt ? path : undefined)
})
