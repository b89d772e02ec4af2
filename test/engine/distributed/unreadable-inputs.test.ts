import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { namingHost, unreadableInput } from '../../../src/app/open-database-work.ts'
import type { RunRequest } from '../../../src/core/engine.ts'
import { inspectFile } from '../../../src/steps/inspect-file.ts'
import { pipeline, step } from '../../support/pipelines.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { sqlRows } from '../../support/sql.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { distributedWorld } from './support/distributed-world.ts'

const at = { file: 'test.yaml', line: 1, column: 1 }

/** Its input is a list of objects with a file each. */
const READS = pipeline([step('read')], {
  inputs: { lists: { type: 'list', items: { name: { type: 'string' }, file: { type: 'file' } }, at } },
})

describeWithPostgres('a run whose input file a worker cannot read', () => {
  let world: Awaited<ReturnType<typeof distributedWorld>>
  let submitter: Awaited<ReturnType<typeof world.openSubmitter>>
  let left: string[]
  beforeEach(async () => {
    world = await distributedWorld()
    submitter = await world.openSubmitter()
    left = []
  })
  afterEach(() => world.remove())

  const onLeft = (runId: string, path: string) => void left.push(`${runId} ${path}`)
  const without = { takesAll: true, files: { unreadable: async () => '/there/list.csv', onLeft } } as const
  const withFiles = { takesAll: true, files: { unreadable: unreadableInput, onLeft } } as const
  const submit = (runId: string, own: Partial<RunRequest> = {}) =>
    submitter.submit({ runId, pipeline: pipeline([step('read')]), inputs: {}, trigger: {}, folder: '/', ...own })

  test('is done by one that can', async () => {
    const by: string[] = []
    const worker = (name: string) => async () => ({ by: by.push(name) })
    await world.open(worker('cannot'), without)
    await world.open(worker('can'), withFiles)
    let runs = 0
    while (left.length === 0) {
      await submit(`r${runs}`)
      runs += 1
      await expect.poll(() => by).toHaveLength(runs)
    }
    expect(new Set(by)).toEqual(new Set(['can']))
    expect(left).toEqual([`r${runs - 1} /there/list.csv`])
  })

  test('fails where none can, with its path and the host; each worker says once that it left it', async () => {
    const folder = tempFolder()
    const [here, gone] = [join(folder, 'here.csv'), join(folder, 'gone.csv')]
    writeFileSync(here, 'id\n1\n')
    const read = async () => inspectFile(gone, { signal: 'EMAIL', minimumShare: 0 }, new AbortController().signal)
    const runStep = namingHost(read)
    await world.open(read, { ...withFiles, runStep })
    await world.open(read, { ...withFiles, runStep })
    const lists = [
      { name: 'one', file: here },
      { name: 'other', file: gone },
    ]
    await submit('r', { pipeline: READS, inputs: { lists } })
    const records = async () => JSON.stringify(await sqlRows(world.url, 'SELECT data FROM audience.records'))
    await expect.poll(records).toContain('run.finished')
    expect(await records()).toContain(`on the worker ${hostname()}: there is no file ${gone}`)
    expect(left).toEqual(left.map(() => `r ${gone}`))
    expect([1, 2]).toContain(left.length)
  })

  test('goes on there if a step has begun elsewhere: it may need the file no longer', async () => {
    const reached = Promise.withResolvers<void>()
    await world.open(async ({ once }) => {
      await once('content', async () => 'read')
      reached.resolve()
      return new Promise<never>(() => {})
    }, withFiles)
    await submit('r')
    await reached.promise
    await world.crash()
    const done: string[] = []
    await world.open(async ({ runId }) => ({ done: done.push(runId) }), without)
    await expect.poll(() => done).toEqual(['r'])
    expect(left).toEqual([])
  })
})
