import { expect, test } from 'vitest'
import { stepsAfter } from '../../src/runs/pipeline-graph.ts'

const step = (id: string, needs: readonly string[], block?: string) => ({
  ...{ id, needs, block, uses: 'groups.list', section: 'steps' as const, line: 1 },
})

/** `early` comes in the document before the step that it needs. */
const GRAPH = [
  step('early', ['each']),
  step('ask', []),
  step('beside', []),
  step('each', ['ask']),
  step('look', [], 'each'),
  step('send', ['look'], 'each'),
  step('last', ['early', 'beside']),
]

test.each([
  ['ask', undefined, 'early each last'],
  ['beside', undefined, 'last'],
  ['last', undefined, ''],
  ['each', undefined, 'early last'],
  ['look', 'each', 'send early last'],
  ['send', 'each', 'early last'],
])('after %s (in %s) come: %s', (id, block, after) => {
  expect(stepsAfter(GRAPH, { step: id, block }).join(' ')).toBe(after)
})

test('what runs after a failure or at the end follows no step', () => {
  const last = { ...step('tell', ['ask']), section: 'finally' as const }
  expect(stepsAfter([step('ask', []), last], { step: 'ask' })).toEqual([])
})
