import { expect, test } from 'vitest'
import type { ApiCall } from '../../src/console/server/call.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { systemHandlers } from '../../src/console/server/handlers/system.ts'

const callOf = (comment?: string) => ({ actor: { by: 'ana', role: 'admin', comment } }) as unknown as ApiCall

test('a worker is drained and taken back by its name, and the answer says which it was', async () => {
  const worker = { executor: 'x', host: 'h', pid: 7, expiresAt: 9000, takes: 'all', queue: 'q' }
  let drainingSince: number | undefined
  const acts: unknown[] = []
  const note = (act: string, at: number | undefined) => async (_worker: unknown, actor: object) => {
    acts.push([act, actor])
    drainingSince = at
    return true
  }
  const workers = {
    list: async () => [{ ...worker, drainingSince }],
    drain: note('drain', 1000),
    undrain: note('undrain', undefined),
  }
  const deps = { state: { workers }, clock: { now: () => 1 } } as unknown as ConsoleDeps
  const since = new Date(1000).toISOString()
  expect(await systemHandlers['workers.drain'](deps, { worker: 'h:7' }, callOf('new disk'))).toEqual({
    name: 'h:7',
    drainingSince: since,
  })
  expect(await systemHandlers['workers.undrain'](deps, { worker: 'h' }, callOf('done'))).toEqual({ name: 'h:7' })
  expect(acts).toMatchObject([
    ['drain', { by: 'ana', comment: 'new disk' }],
    ['undrain', { by: 'ana', comment: 'done' }],
  ])
})

test('a state in a folder has no workers to drain', async () => {
  const deps = { state: {}, settings: { state: '/s' }, clock: { now: () => 1 } } as unknown as ConsoleDeps
  await expect(systemHandlers['workers.drain'](deps, { worker: 'h' }, callOf())).rejects.toMatchObject({
    code: 'state-is-folder',
    message: 'the state is the folder /s, which only one audience start works on',
  })
})
