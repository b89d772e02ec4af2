import { describe, expect, test } from 'vitest'
import type { MadeThing, MadeThings } from '../../src/state/made-things.ts'
import { openedAt } from './opened-at.ts'
import type { Place } from './run-writer.ts'

interface OpenMade {
  readonly made: MadeThings
  close(): Promise<void>
}

/** What every store of made things promises. It is opened for the runs of a service. */
export function madeThingsSuite(name: string, place: () => Place<OpenMade, [service: string]>): void {
  describe(`made things: ${name}`, () => {
    const { at, closeAll } = openedAt(place)
    const madeAt = async (service: string) => (await at(service)).made

    test('a thing is there for whoever opens the store next, exactly as it was noted', async () => {
      const thing = aThing({
        id: '7',
        job: 'j',
        name: "Straße 😀 'x'",
        about: { n: 2n ** 60n, list: [null, { a: 1 }] },
      })
      await (await madeAt('a')).note(thing)
      await closeAll()
      const made = await madeAt('a')
      expect(await made.byId('activation', '7')).toEqual(thing)
      expect(await made.named('activation', thing.name)).toEqual([thing])
    })

    test('what was not noted is not there: another kind, id, name or service', async () => {
      const made = await madeAt('a')
      await made.note(aThing({ id: '7' }))
      expect([await made.byId('match', '7'), await made.byId('activation', '8')]).toEqual([undefined, undefined])
      expect([await made.named('match', 'Autos'), await made.named('activation', 'autos')]).toEqual([[], []])
      const there = await madeAt('b')
      expect([await there.byId('activation', '7'), await there.named('activation', 'Autos')]).toEqual([undefined, []])
    })

    test('an entry that first had only a job gets its id, and noting the same again changes nothing', async () => {
      const made = await madeAt('a')
      const started = aThing({ job: 'j' })
      await made.note(started)
      expect(await made.named('activation', 'Autos')).toEqual([started])
      const ended = aThing({ id: '7', job: 'j', at: 9, runId: 'later', about: { segmentId: 's', matchId: 'm' } })
      for (const thing of [ended, ended, started, { ...started, id: '7', job: undefined }]) await made.note(thing)
      const whole = { ...started, id: '7', about: { segmentId: 's', matchId: 'm' } }
      expect(await made.named('activation', 'Autos')).toEqual([whole])
      expect(await made.byId('activation', '7')).toEqual(whole)
    })

    test('who made it counts more than who found it, also if its job becomes known last', async () => {
      const made = await madeAt('a')
      const job = aThing({ job: 'j', pipeline: 'maker' })
      const found = aThing({ id: '7', found: true, pipeline: 'finder', about: { segmentId: 'x', seen: 1 } })
      await made.note(job)
      await made.note(found)
      expect((await made.named('activation', 'Autos')).length).toBe(2)
      await made.note({ ...job, id: '7' })
      const whole = { ...job, id: '7', about: { segmentId: 's', seen: 1 } }
      expect(await made.named('activation', 'Autos')).toEqual([whole])
      await made.note(found)
      expect(await made.byId('activation', '7')).toEqual(whole)
    })

    test('the last one who found it counts', async () => {
      const made = await madeAt('a')
      await made.note(aThing({ id: '7', found: true }))
      const later = aThing({ id: '7', found: true, pipeline: 'other', about: { segmentId: 't' } })
      await made.note(later)
      expect(await made.byId('activation', '7')).toEqual(later)
    })

    test('what the last one did not know is kept from those before', async () => {
      const made = await madeAt('a')
      await made.note(aThing({ id: '7', found: true, about: { segmentId: 's', matchId: 'm' } }))
      await made.note(aThing({ id: '7', about: { segmentId: 't', matchId: undefined } }))
      expect((await made.byId('activation', '7'))?.about).toEqual({ segmentId: 't', matchId: 'm' })
    })

    test('a service that counts anew: another id of a job, or another job of an id, is another thing', async () => {
      const made = await madeAt('a')
      await made.note(aThing({ id: '7', job: 'j' }))
      const anew = aThing({ id: '8', job: 'j', runId: 'later', about: { segmentId: 't' } })
      await made.note(anew)
      expect([await made.byId('activation', '7'), await made.byId('activation', '8')]).toEqual([undefined, anew])
      const again = aThing({ id: '8', job: 'k', runId: 'last' })
      await made.note(again)
      expect(await made.named('activation', 'Autos')).toEqual([again])
    })

    test('what was asked for becomes what was made, by any of its names, and is forgotten only before that', async () => {
      const made = await madeAt('a')
      const asked = aThing({ request: 'r1 activate' })
      await made.note(asked)
      expect(await made.named('activation', 'Autos')).toEqual([asked])
      await made.note({ ...asked, request: 'r2 activate', about: { segmentId: 't' } })
      await made.forget('r2 activate')
      await made.note({ ...asked, job: 'j', at: 9 })
      await made.note(aThing({ job: 'j', id: '7' }))
      await made.forget('r1 activate')
      const whole = { ...asked, job: 'j', id: '7' }
      expect([await made.named('activation', 'Autos'), await made.byId('activation', '7')]).toEqual([[whole], whole])
    })

    test('two who note at once: each thing is there once', async () => {
      const [one, other] = [await madeAt('a'), await madeAt('a')]
      const things = Array.from({ length: 20 }, (_, n) => aThing({ id: `${n}`, job: `j${n}`, at: n }))
      await Promise.all(things.flatMap((thing) => [one.note({ ...thing, id: undefined }), other.note(thing)]))
      expect(await one.named('activation', 'Autos')).toEqual(things)
    })
  })
}

function aThing(own: Partial<MadeThing>): MadeThing {
  return {
    ...{ kind: 'activation', id: undefined, job: undefined, name: 'Autos', about: { segmentId: 's' } },
    ...{ pipeline: 'nightly', step: 'activate', runId: 'r1', at: 5, found: false },
    ...own,
  }
}
