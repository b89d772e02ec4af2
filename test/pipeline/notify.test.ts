import { expect, test } from 'vitest'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { written } from './fixtures.ts'
import { stepTypes } from './step-types.ts'

function load(notify: string, channels?: readonly string[]) {
  const text = `version: 1\nname: p\n${notify}\nsteps:\n  - id: list\n    uses: groups.list\n`
  let asked = 0
  const loaded = loadPipeline({
    text,
    file: 'p.yaml',
    stepTypes,
    channels: () => {
      asked += 1
      return channels
    },
  })
  return { ...loaded, problems: loaded.diagnostics.map(written), asked }
}

test.each([
  ['notify: { to: [ops], on: [late] }', { to: ['ops'], on: ['late'] }],
  ['notify: { on: [] }', { on: [] }],
  ['notify: { severity: critical }', { severity: 'critical' }],
  ['', undefined],
])('%s is %j', (notify, expected) => {
  expect(load(notify, ['ops']).pipeline?.notify).toEqual(expected)
})

test('a channel that audience.yaml does not have is an error at its place', () => {
  expect(load('notify: { to: [ops, mial] }', ['ops', 'mail']).problems).toEqual([
    '3:21+4 error unknown-channel: audience.yaml has no channel mial | did you mean mail?',
  ])
  expect(load('notify: { to: [ops] }', []).problems).toEqual([
    '3:16+3 error unknown-channel: audience.yaml has no channel ops | declare it in audience.yaml, under notify.channels',
  ])
})

test('its owner and severity are read, and another word for the severity is an error', () => {
  expect(load('owner: growth').pipeline?.owner).toBe('growth')
  expect(load('notify: { severity: critcal }').problems).toEqual([expect.stringContaining('did you mean critical?')])
})

test('where the channels are not known, names are taken as they are; where none is named, nobody asks', () => {
  expect(load('notify: { to: [ops] }').problems).toEqual([])
  expect(load('notify: { on: [late] }', ['ops']).asked).toBe(0)
})
