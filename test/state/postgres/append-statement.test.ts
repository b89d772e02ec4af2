import { expect, test } from 'vitest'
import { appendStatement } from '../../../src/state/postgres/append-statement.ts'

/** The tables to which the records of a step's end are written. */
function tablesOf(outputs: Readonly<Record<string, number>>): string[] {
  const finished = { type: 'step.finished', step: 'a', status: 'succeeded', outputs } as const
  const appends = [{ runId: 'r', epoch: 1, records: [{ seq: 1, at: 1, record: finished }] }]
  const { text } = appendStatement(appends, { redact: (all) => all, isRepeated: false })
  return [...text.matchAll(/INSERT INTO audience\.(\w+)/g)].map(([, name = '']) => name)
}

test('records without numbers write no row of figures', () => {
  expect(tablesOf({ matched: 2 })).toEqual(['records', 'figures'])
  expect(tablesOf({})).toEqual(['records'])
})
