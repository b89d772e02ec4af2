import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { childrenOf, knowsProcesses } from '../support/processes.ts'
import { listBench } from './list-bench.ts'

const signal = new AbortController().signal

test('a preview can be read until its process ends, and belongs to no run', async () => {
  const { file, folder, lists, prepare } = listBench()
  expect(await lists.runs()).toEqual([])
  await prepare('email\na@x.test\n')
  const preview = await lists.preview({ from: { file }, signal: 'EMAIL' }, 'nightly', signal)
  expect(preview).toMatchObject({ rows: 1, keys: 1 })
  expect(readFileSync(preview.file, 'utf8')).toBe('email\na@x.test\n')
  // A process that was killed leaves this.
  mkdirSync(join(folder, 'preview-999999999'))
  expect((await lists.runs()).toSorted()).toEqual(['preview-999999999', 'run-1'])
  await lists.close()
  expect(existsSync(preview.file)).toBe(false)
  expect((await lists.runs()).toSorted()).toEqual(['preview-999999999', 'run-1'])
})

test('only the files of another machine are looked at before they are read', async () => {
  const { file, lists } = listBench({ sources: { it: { kind: 'path', path: '/list.csv' } } })
  for (const from of [{ file }, { source: 'it' }]) expect(await lists.look(from, signal)).toBeUndefined()
})

test.runIf(knowsProcesses)('at the end no process of a list is left', async () => {
  const others = childrenOf(process.pid)
  const started = () => childrenOf(process.pid).filter((pid) => !others.includes(pid))
  const { lists, prepare } = listBench({ limits: LIST_LIMITS })
  await prepare('email\na@x.test\n')
  expect(started()).toHaveLength(1)
  await lists.close()
  expect(started()).toEqual([])
})

test('a list is known by its folder', () => {
  const { folder, lists, place } = listBench()
  expect(lists.has(lists.fileOf(place))).toBe(true)
  for (const path of [folder, `${folder}-2/run-1/list.csv`, '/run-1/list.csv']) expect(lists.has(path)).toBe(false)
})

test('a full disk is reported, whoever wrote to it', async () => {
  const openSource = () => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }))
  const at = { kind: 's3', bucket: 'drops', region: 'eu-west-1', pathStyle: true } as const
  const { prepareFile } = listBench({ sources: { lake: { kind: 'remote', at } }, openSource })
  const made = prepareFile('', { from: { source: 'lake', path: 'a.csv' } })
  await expect(made).rejects.toMatchObject({ code: 'list-disk-full' })
})

test('the error about a file that a document may not read stays as it is; other errors name the file', async () => {
  const refused = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  const { prepareFile } = listBench({ openFile: () => Promise.reject(refused) })
  await expect(prepareFile('people.csv')).rejects.toMatchObject({
    code: 'list-unreadable',
    message: 'people.csv cannot be read: the system reports EMFILE',
  })
})

test('if nothing limits the memory of this process, the memory of the machine counts', async () => {
  vi.spyOn(process, 'constrainedMemory').mockReturnValueOnce(0)
  const stop = new AbortController()
  const stopped = new Promise<never>((_, reject) =>
    stop.signal.addEventListener('abort', () => reject(new Error('stopped'))),
  )
  stopped.catch(() => undefined)
  const opened: string[] = []
  const { lists, place } = listBench({
    // Four lists at the same time may use half of the memory.
    limits: { ...LIST_LIMITS, memoryBytes: totalmem() / 8 },
    openFile(path) {
      opened.push(path)
      return stopped
    },
  })
  const files = ['a', 'b', 'c', 'd']
  const made = files.map((file) =>
    lists.make({ from: { file }, signal: 'EMAIL' }, { ...place, runId: file }, stop.signal).catch(() => undefined),
  )
  await expect.poll(() => opened.toSorted()).toEqual(files)
  stop.abort()
  await Promise.all(made)
})
