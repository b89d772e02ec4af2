import { expect, test } from 'vitest'
import type { Pipeline } from '../../../src/core/pipeline.ts'
import { loadPipeline } from '../../../src/pipeline/load-pipeline.ts'
import { createShares } from '../../../src/triggers/after/shares-mark.ts'
import { stepTypes } from '../../pipeline/step-types.ts'

const TWO = Date.UTC(2026, 10, 28, 2)
const slot = (at: number) => ({ text: `slot ${new Date(at).toISOString()}`, by: { pipeline: 'a', trigger: 'nightly' } })
const file = { text: 'file 0123', by: { pipeline: 'a', trigger: 'drop' } }

const documents = new Map(
  Object.entries({
    a: [
      'id: nightly, schedule: { cron: 0 2 * * * }',
      'id: drop, watch: { path: in, pattern: "*.csv", done: next, failed: bad }',
    ],
    berlin: ['id: nightly, schedule: { cron: 0 3 * * *, timezone: Europe/Berlin }'],
    later: ['id: nightly, schedule: { cron: 30 2 * * * }'],
    reader: ['id: drop, watch: { path: next, pattern: "*.csv", done: end, failed: bad }'],
    stranger: ['id: drop, watch: { path: other, pattern: "*.csv", done: next, failed: bad }'],
    follower: ['id: next, after: { pipelines: [a, berlin] }'],
    half: ['id: next, after: { pipelines: [a, later] }'],
    hand: [],
  }).map(([name, triggers]) => [name, { pipeline: pipeline(name, triggers), folder: '/pipelines' }] as const),
)

function pipeline(name: string, triggers: readonly string[]): Pipeline {
  const list = triggers.map((trigger) => `  - { ${trigger} }`).join('\n')
  const text = `version: 1\nname: ${name}\n${list && `triggers:\n${list}\n`}steps: [{ id: list, uses: groups.list }]\n`
  const { pipeline, diagnostics } = loadPipeline({ text, file: `/pipelines/${name}.yaml`, stepTypes })
  if (!pipeline) throw new Error(JSON.stringify(diagnostics))
  return pipeline
}

const sharing = (mark: typeof file) => [...documents.keys()].filter((name) => createShares(documents)(mark, name))

test('a slot is shared by schedules that have it, and by what comes after those alone', () => {
  expect(sharing(slot(TWO))).toEqual(['a', 'berlin', 'follower'])
  // In summer, 3 a.m. in Berlin is a different time in UTC.
  expect(sharing(slot(Date.UTC(2026, 6, 28, 2)))).toEqual(['a'])
})

test('a file is shared by who watches where it is moved to', () => {
  expect(sharing(file)).toEqual(['a', 'reader'])
})
