import { expect, test } from 'vitest'
import type { StepItem } from '../../../src/console/client/api/types.ts'
import { commandsOf } from '../../../src/console/client/pages/run/commands.ts'

const commands = (finishedAt?: string, wait?: Pick<StepItem, 'ref' | 'waitsFor' | 'approval'>) =>
  commandsOf({
    run: { runId: 'r1', ...(finishedAt !== undefined && { finishedAt }) },
    waits: wait ? [wait] : [],
  }).slice(2)

test('a run that has ended can be retried, another one cancelled', () => {
  expect([commands('2026-11-22T00:00:00Z'), commands()]).toEqual([
    ['audience runs retry r1'],
    ['audience runs cancel r1'],
  ])
})

test('what waits is named as a word of a shell', () => {
  expect(commands(undefined, { waitsFor: 'approval', ref: "each[it's].check" })[0]).toBe(
    `audience runs approve r1 'each[it'\\''s].check'`,
  )
  expect(commands(undefined, { waitsFor: 'approval', ref: 'ask', approval: { needsComment: true } })[0]).toBe(
    'audience runs approve r1 ask --comment WHY',
  )
  expect(commands(undefined, { waitsFor: 'decision', ref: 'activate' })[0]).toBe(
    'audience runs resume r1 --step activate --done',
  )
})
