import { expect, test } from 'vitest'
import { runIdAt } from '../../src/core/run-id.ts'

test('ids sort by time and differ', () => {
  const at = Date.UTC(2026, 10, 21, 2, 0, 3)
  expect(runIdAt(at, () => 0)).toBe('20261121t020003-2222222222')
  expect(runIdAt(at, () => 0.999999)).toBe('20261121t020003-zzzzzzzzzz')
  expect(runIdAt(at + 1000, Math.random) > runIdAt(at, Math.random)).toBe(true)
  expect(new Set(Array.from({ length: 1000 }, () => runIdAt(at, Math.random))).size).toBe(1000)
})
