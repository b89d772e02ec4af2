import { assert, asyncProperty, constantFrom, integer, array as list, record as object } from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RunGroup } from '../../src/core/run.ts'
import type { NewRun } from '../../src/state/journal.ts'
import type { RunHistory } from '../../src/state/run-history.ts'
import type { Place, RunWriter } from './run-writer.ts'

interface Store {
  readonly journal: RunWriter
  readonly runs: RunHistory
}

const one = (name: string, own: Partial<RunGroup> = {}): RunGroup => ({
  name,
  limit: 1,
  onConflict: 'queue',
  ...own,
})

/** What every store promises about groups, queues and the order in which runs start. */
export function admissionSuite(name: string, store: () => Place<Store>): void {
  describe(`admission: ${name}`, () => {
    let place: Place<Store>
    let journal: RunWriter
    let runs: RunHistory
    let clock = 0

    beforeEach(async () => {
      place = store()
      ;({ journal, runs } = await place.open())
      clock = 0
    })
    afterEach(async () => {
      await journal.close()
      await place.remove()
    })

    const submit = (runId: string, own: Partial<NewRun> = {}, by = journal) => by.submit(newRun(runId, ++clock, own))
    const admit = (room = 100, orphans = false, by = journal) => by.admit({ at: ++clock, room: () => room, orphans })
    const end = async (runId: string, by = journal) => {
      const seq = (await runs.records(runId)).length
      await by.append(runId, [{ seq, at: ++clock, record: { type: 'run.finished', status: 'succeeded' } }])
    }
    const status = async (runId: string) => (await runs.find(runId))?.status
    const recorded = async (runId: string) => (await runs.records(runId)).map(({ seq, record }) => [seq, record.type])

    test('a run of a full group is queued, and begins when there is room; first come, first served', async () => {
      const groups = [one('g')]
      expect(await submit('a', { groups })).toEqual({ runId: 'a', existing: false, state: 'running' })
      expect(await submit('b', { groups })).toEqual({ runId: 'b', existing: false, state: 'queued' })
      expect(await submit('c', { groups })).toMatchObject({ state: 'queued' })
      expect(await submit('other', { groups: [one('h')] })).toMatchObject({ state: 'running' })
      expect((await runs.records('b'))[0]?.record).toMatchObject({ queued: { group: 'g', behind: 'a' } })
      expect(await admit()).toEqual([])
      await end('a')
      expect(await admit()).toEqual(['b'])
      expect([await status('b'), await status('c')]).toEqual(['running', 'queued'])
      expect(await recorded('b')).toEqual([
        [0, 'run.submitted'],
        [1, 'run.admitted'],
      ])
      expect(await runs.counts()).toEqual({ queued: 1, running: 2, waiting: 0 })
    })

    test('a limit lets so many in', async () => {
      const groups = [one('g', { limit: 2 })]
      const states = []
      for (const id of ['a', 'b', 'c', 'd']) states.push((await submit(id, { groups })).state)
      expect(states).toEqual(['running', 'running', 'queued', 'queued'])
      await end('b')
      expect(await admit()).toEqual(['c'])
    })

    test.each([
      ['skip', 'skipped'],
      ['fail', 'refused'],
    ] as const)('onConflict %s adds nothing and names the run in the way', async (onConflict, state) => {
      await submit('a', { groups: [one('g')] })
      expect(await submit('b', { groups: [one('g', { onConflict })] })).toEqual({ runId: 'a', existing: true, state })
      expect(await runs.find('b')).toBeUndefined()
    })

    test('a run that is cancelled in the queue is let in only to end', async () => {
      const groups = [one('g')]
      for (const id of ['a', 'b']) await submit(id, { groups })
      await runs.send('b', { kind: 'cancel' })
      await end('a')
      expect(await admit()).toEqual(['b'])
      expect(await recorded('b')).toEqual([
        [0, 'run.submitted'],
        [1, 'run.admitted'],
        [2, 'cancel.requested'],
      ])
    })

    test('a run that is cancelled in the queue of a full group ends at once, and takes no place there', async () => {
      const groups = [one('g')]
      for (const id of ['a', 'b', 'c']) await submit(id, { groups })
      await runs.send('b', { kind: 'cancel' })
      expect(await admit()).toEqual(['b'])
      await end('b')
      expect(await admit()).toEqual([])
      await end('a')
      expect(await admit()).toEqual(['c'])
    })

    test('onConflict cancelRunning cancels the oldest runs beyond the limit, and waits for their end', async () => {
      const groups = [one('g', { limit: 2, onConflict: 'cancelRunning' })]
      await submit('a', { groups })
      await submit('b', { groups })
      expect(await submit('c', { groups })).toMatchObject({ state: 'queued' })
      expect((await journal.messages()).map(({ runId, message }) => [runId, message.kind])).toEqual([['a', 'cancel']])
      expect(await admit()).toEqual([])
      await end('a')
      expect(await admit()).toEqual(['c'])
    })

    test('fullness is seen from the runs themselves, also after the process that had them is gone', async () => {
      const groups = [one('g')]
      await submit('a', { groups })
      await submit('b', { groups })
      await journal.close()
      ;({ journal, runs } = await place.open())
      expect(await admit(100, true)).toEqual([])
      expect(await journal.claim('a')).toBe(true)
      await end('a')
      expect(await admit(100, false)).toEqual([])
      expect(await runs.orphans()).toEqual([])
      expect(await admit(100, true)).toEqual(['b'])
    })

    test('a queued run that nobody will let begin is in nobody’s way', async () => {
      const groups = [one('g')]
      await submit('a', { groups })
      const { journal: gone } = await place.open()
      await submit('abandoned', { groups }, gone)
      await gone.close()
      await submit('b', { groups })
      await end('a')
      expect(await admit()).toEqual(['b'])
    })

    test('another living process keeps its place in the queue', async () => {
      const groups = [one('g')]
      await submit('a', { groups })
      const { journal: other } = await place.open()
      await submit('theirs', { groups }, other)
      await submit('b', { groups })
      await end('a')
      expect(await admit(100, true)).toEqual([])
      expect(await admit(100, false, other)).toEqual(['theirs'])
      await other.close()
    })

    test('room is shared fairly: a kind with a hundred queued runs does not hold up another', async () => {
      for (let index = 0; index < 100; index += 1) await submit(`many-${index}`, { hold: true }, journal)
      await submit('few', { hold: true, groups: [one('few')] })
      expect(await admit(3)).toEqual(['many-0', 'few', 'many-1'])
    })

    test('whatever comes and goes: no group is overfull, order holds within a group, and all begin in the end', async () => {
      const arrivals = list(object({ group: constantFrom('g', 'h', 'i'), limit: integer({ min: 1, max: 3 }) }), {
        minLength: 1,
        maxLength: 12,
      })
      let round = 0
      await assert(
        asyncProperty(arrivals, list(integer({ min: 0, max: 5 }), { maxLength: 20 }), async (runs, moves) => {
          round += 1
          const limits = { g: 1, h: 2, i: 3 } as Record<string, number>
          const underWay = new Map<string, string>()
          const begun = new Map<string, string[]>()
          const begin = (runId: string, group: string) => {
            underWay.set(runId, group)
            begun.set(group, [...(begun.get(group) ?? []), runId])
            expect([...underWay.values()].filter((each) => each === group).length).toBeLessThanOrEqual(limits[group]!)
          }
          const groupOf = new Map<string, string>()
          for (const [index, { group }] of runs.entries()) {
            const runId = `${round}-${String(index).padStart(2, '0')}`
            groupOf.set(runId, group)
            const name = `${round}-${group}`
            const { state } = await submit(runId, { groups: [one(name, { limit: limits[group]! })] })
            if (state === 'running') begin(runId, group)
            const victim = [...underWay.keys()][moves[index] ?? 99]
            if (victim !== undefined) {
              await end(victim)
              underWay.delete(victim)
              for (const admitted of await admit(1 + (moves[index] ?? 0))) begin(admitted, groupOf.get(admitted)!)
            }
          }
          while (underWay.size > 0) {
            const [first] = underWay.keys()
            await end(first!)
            underWay.delete(first!)
            for (const admitted of await admit(2)) begin(admitted, groupOf.get(admitted)!)
          }
          expect([...begun.values()].flat().toSorted()).toEqual([...groupOf.keys()].toSorted())
          for (const order of begun.values()) expect(order).toEqual(order.toSorted())
        }),
        { numRuns: 25 },
      )
    })
  })
}

function newRun(runId: string, at: number, own: Partial<NewRun>): NewRun {
  const record = {
    type: 'run.submitted',
    pipeline: 'demo',
    file: 'demo.yaml',
    folder: '/',
    text: 'version: 1',
    digest: 'd',
    inputs: {},
    trigger: {},
  } as const
  return { runId, at, record, ...own }
}
