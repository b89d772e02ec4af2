import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStore, type Store } from '../../../src/service/storage/store.ts'

describe('the summary of a job that was read before', () => {
  const CHANGES: [string, (store: Store, id: string) => void, object][] = [
    ['it goes on', ({ jobs }, id) => jobs.advance(id, ON), { status: 'RUNNING' }],
    ['it ends', ({ jobs }, id) => jobs.end(id, { status: 'SUCCESS', activationId: '7', at: 2 }), { activationId: '7' }],
    ['nothing happens', () => {}, { status: 'PENDING' }],
    [
      'it goes on, is read, and all of that is taken back',
      (store, id) =>
        expect(() =>
          store.transaction(() => {
            store.jobs.advance(id, ON)
            expect(store.jobs.findSummary(id)?.status).toBe('RUNNING')
            throw new Error('taken back')
          }),
        ).toThrow('taken back'),
      { status: 'PENDING' },
    ],
    [
      'it goes on after it was read by another spelling of its id',
      ({ jobs }, id) => {
        jobs.findSummary(`00${id}`)
        jobs.advance(id, ON)
      },
      { status: 'RUNNING' },
    ],
  ]
  test.each(CHANGES)('is right when %s', (_what, change, expected) => {
    const { store, id } = storeWithJob()
    store.jobs.findSummary(id)
    change(store, id)
    expect(store.jobs.findSummary(id)).toMatchObject(expected)
    expect(store.jobs.findSummary(`00${id}`)).toMatchObject(expected)
  })

  test('is gone when all jobs are', () => {
    const { store, id } = storeWithJob()
    store.jobs.findSummary(id)
    store.clear()
    expect(store.jobs.findSummary(id)).toBeUndefined()
  })

  test('is that of a copy when the store becomes the copy', () => {
    const { store, id, folder } = storeWithJob()
    store.copyTo(join(folder, 'copy.db'))
    store.jobs.advance(id, ON)
    expect(store.jobs.findSummary(id)?.status).toBe('RUNNING')
    store.replaceBy(join(folder, 'copy.db'))
    expect(store.jobs.findSummary(id)?.status).toBe('PENDING')
  })
})

const ON = { status: 'RUNNING', phase: 1, work: false, dueAt: null, at: 2 } as const

function storeWithJob(): { store: Store; id: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'audience-summaries-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const store = openStore(join(folder, 'service.db'))
  onTestFinished(() => store.close())
  const request = { kind: 'segments.share', approval: 'auto', partnerId: 1002, shareSegmentName: true } as const
  const id = store.jobs.insert({ participant: 1001, status: 'PENDING', dueAt: null, segmentId: 's', request, at: 1 })
  return { store, id, folder }
}
