import { expect, test } from 'vitest'
import type { ViewDeps } from '../../src/console/server/views/view.ts'
import { viewHours } from '../../src/console/server/views/view-hours.ts'

test('each hour has its time, also around midnight, a leap day and the end of a year', async () => {
  const times = ['2024-02-28T23', '2024-02-29T00', '2024-02-29T09', '2026-12-31T23', '2027-01-01T00'].map(
    (hour) => `${hour}:00:00.000Z`,
  )
  const counts = { succeeded: 2, succeededInPart: 1, failed: 1, cancelled: 0 }
  const runs = { countsByHour: async () => times.map((time) => ({ at: Date.parse(time), ...counts })) }
  const period = { from: '2024-01-01T00:00:00Z', to: times[4] ?? '' }
  const { hours } = await viewHours({ runs } as unknown as ViewDeps, period, {})
  expect(hours).toEqual(times.map((at) => ({ at, ...counts })))
})
