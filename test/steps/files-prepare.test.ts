import { expect, test } from 'vitest'
import { filesPrepare } from '../../src/steps/files-prepare.ts'

test('a plan lists the files of a source on another machine, and copies none', async () => {
  const from = { source: 'lake', path: 'crm/*.csv' }
  const files = ['a', 'b'].map((name) => ({ path: `crm/${name}.csv`, size: 1_500_000, mtimeMs: 0 }))
  const question = { known: { from, column: 'email', signal: 'EMAIL' }, unknown: [], pipeline: 'p', stepKey: 'list' }
  const asked: unknown[] = []
  const lists = {
    look: async (origin: unknown) => {
      asked.push(origin)
      return files
    },
  }
  const services = { lists, signal: new AbortController().signal }
  expect(await filesPrepare.plan?.(question as never, services as never)).toEqual({
    action: 'prepare',
    why: 'reads 2 files of lake, 3.0 MB, the first is crm/a.csv',
    requests: [],
    outputs: {},
    complete: false,
  })
  expect(asked).toEqual([from])
})
