import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import type { State } from '../../src/state/state.ts'
import type { Place, RunWriter } from './run-writer.ts'

type Store = Pick<State, 'mutes' | 'audit'> & { readonly journal: RunWriter }

const ANA = { by: 'Ana', comment: 'the partner moves' }
const NOW = Date.UTC(2026, 10, 27, 2)

/** What every store promises about mutes. */
export function mutesSuite(name: string, place: () => Place<Store, [service: string]>): void {
  describe(`mutes: ${name}`, () => {
    let where: ReturnType<typeof place>
    let store: Store

    beforeEach(async () => {
      where = place()
      store = await where.open('a')
    })
    afterEach(async () => {
      await store.journal.close()
      await where.remove()
    })
    const mute = (pipelines: string, since: number, hours: number) =>
      store.mutes.mute({ pipelines, since, until: since + hours * HOUR_MS }, ANA)

    test('are kept with who and why, also after a restart, the one that ends first comes first', async () => {
      await mute('nightly', NOW, 8)
      await mute('growth_*', NOW + 1, 2)
      await store.journal.close()
      store = await where.open('a')
      expect(await store.mutes.list(NOW)).toEqual([
        { pipelines: 'growth_*', since: NOW + 1, until: NOW + 1 + 2 * HOUR_MS, ...ANA },
        { pipelines: 'nightly', since: NOW, until: NOW + 8 * HOUR_MS, ...ANA },
      ])
      expect(await store.mutes.list(NOW + 2 * HOUR_MS + 1)).toMatchObject([{ pipelines: 'nightly' }])
      expect(await store.mutes.list(NOW + 8 * HOUR_MS)).toEqual([])
    })

    test('a mute of the same pipelines takes the place of the one before, which ends', async () => {
      await mute('nightly', NOW, 8)
      await mute('nightly', NOW + 60_000, 1)
      expect(await store.mutes.list(NOW + 60_000)).toMatchObject([{ until: NOW + 60_000 + HOUR_MS }])
      expect(await store.mutes.list(NOW)).toMatchObject([{ since: NOW, until: NOW + 60_000 }, { since: NOW + 60_000 }])
    })

    test('a mute can be ended; nothing to end is said', async () => {
      await mute('nightly', NOW, 8)
      expect(await store.mutes.unmute('nightly', NOW + 5, ANA)).toBe(true)
      expect(await store.mutes.list(NOW + 5)).toEqual([])
      expect(await store.mutes.unmute('nightly', NOW + 6, ANA)).toBe(false)
      expect(await store.mutes.unmute('night', NOW + 6, ANA)).toBe(false)
    })

    test('both are entries of the audit log', async () => {
      await mute('nightly', NOW, 8)
      await store.mutes.unmute('nightly', NOW + 5, ANA)
      await store.mutes.unmute('nightly', NOW + 6, ANA)
      expect(await store.audit.list({ limit: 9 })).toMatchObject([
        { act: 'notify.unmute', subject: 'nightly', outcome: 'done', ...ANA },
        { act: 'notify.mute', subject: 'nightly', outcome: 'done', detail: 'until 2026-11-27 10:00:00 UTC', ...ANA },
      ])
    })

    test('those that ended a month ago are forgotten with the next one', async () => {
      await mute('old', NOW, 1)
      await mute('nightly', NOW + 31 * DAY_MS, 1)
      expect(await store.mutes.list(0)).toMatchObject([{ pipelines: 'nightly' }])
    })
  })
}
