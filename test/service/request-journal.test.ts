import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRequestJournal, type JournalEntry } from '../../src/service/control/request-journal.ts'

test('keeps the newest entries, newest first, however many there were', () => {
  const entry = (at: number) => ({ at }) as JournalEntry
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(40), fc.integer({ min: 1, max: 10 }), (length, added, limit) => {
      const journal = createRequestJournal(length)
      for (let at = 0; at < added; at++) journal.add(entry(at))
      const wanted = Array.from({ length: added }, (_, index) => added - 1 - index).slice(0, Math.min(length, limit))
      expect(journal.list({}, limit).map(({ at }) => at)).toEqual(wanted)
    }),
  )
})
