import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { AppendQueue } from '../../../src/state/postgres/append-queue.ts'
import type { NewRecord } from '../../../src/state/run-store.ts'
import type { Row } from '../../../src/state/sql/work.ts'

const record: NewRecord = { seq: 1, at: 0, record: { type: 'run.admitted' } }

/** A queue on a database that answers when the test says so. */
function held() {
  const statements: PromiseWithResolvers<readonly Row[]>[] = []
  const epochs = new Map([['r', 1]])
  const rows = () => {
    statements.push(Promise.withResolvers())
    return statements.at(-1)?.promise ?? Promise.resolve([])
  }
  const unused = () => Promise.reject(new Error('not used'))
  const queue = new AppendQueue({
    db: { rows, query: unused, row: unused, transaction: unused },
    redact: (text) => text,
    clock: systemClock,
    epochs,
    signal: new AbortController().signal,
  })
  return { queue, epochs, statements }
}

test('after a record that cannot be written no later one of the run is', async () => {
  const { queue, epochs, statements } = held()
  const written = expect(queue.append('r', [record])).rejects.toThrow('full')
  await turn()
  statements[0]?.reject(new Error('full'))
  await written
  expect(epochs.has('r')).toBe(false)
  await expect(queue.append('r', [record])).rejects.toMatchObject({ code: 'run-taken-over' })
})

test('a record that fails late does not end the work on a run that was taken up anew meanwhile', async () => {
  const { queue, epochs, statements } = held()
  const written = expect(queue.append('r', [record])).rejects.toThrow('full')
  await turn()
  epochs.set('r', 2)
  statements[0]?.reject(new Error('full'))
  await written
  expect(epochs.get('r')).toBe(2)
})

test('a record is written only once the database says that the run is still one of this process', async () => {
  const { queue, statements } = held()
  const [kept, lost] = [queue.append('r', [record]), expect(queue.append('other', [record])).rejects.toThrow()]
  await turn()
  let isTold = false
  void kept.then(() => {
    isTold = true
  })
  await turn()
  expect(isTold).toBe(false)
  statements[0]?.resolve([{ run_id: 'r' }])
  await kept
  await lost
})
