import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { written } from './fixtures.ts'
import { stepTypes } from './step-types.ts'

const document = (inputs: string, triggers = '') =>
  `version: 1\nname: p\ninputs:\n${inputs}${triggers && `triggers:\n${triggers}`}steps:\n  - { id: list, uses: groups.list }\n`
const schedule = 'schedule: { cron: "0 2 * * *" }'
const known = ['local', 'production', 'staging']

const load = (text: string, inputs: JsonObject = {}, more: Partial<Parameters<typeof loadPipeline>[0]> = {}) => {
  const values = { name: 'production', inputs, file: '/project/audience.yaml', known }
  const { pipeline, diagnostics } = loadPipeline({
    text,
    file: '/project/pipelines/p.yaml',
    stepTypes,
    values,
    ...more,
  })
  return { pipeline, problems: diagnostics.map(written) }
}

describe('an input of a profile', () => {
  test('is the default of the document, with its type, and files begin at audience.yaml', () => {
    const text = document(
      '  groupId: { type: integer }\n  list: { type: file, default: own.csv }\n  title: { type: string, default: own }\n',
    )
    const { pipeline, problems } = load(text, { groupId: 9007199254740993n, list: 'data/a.csv', other: 1n })
    expect(problems).toEqual([])
    expect(Object.entries(pipeline?.inputs ?? {}).map(([name, input]) => [name, input.default])).toEqual([
      ['groupId', 9007199254740993n],
      ['list', '/project/data/a.csv'],
      ['title', 'own'],
    ])
  })

  test('that does not fit is reported at its declaration, by its place in audience.yaml', () => {
    const text = document('  groupId: { type: integer }\n  ids: { type: list, items: { id: integer } }\n')
    expect(load(text, { groupId: 'x', ids: [{ id: 1n }, { id: true }] }).problems).toEqual([
      '4:3+7 error wrong-value: profiles.production.inputs.groupId must be an integer',
      '5:3+3 error wrong-value: profiles.production.inputs.ids[1].id must be an integer',
    ])
  })

  test('a file that is missing is a warning', () => {
    const files = { isFile: (path: string) => path === '/project/a.csv', whyUnseen: () => undefined, namesIn: () => [] }
    const text = document('  list: { type: file }\n')
    expect(load(text, { list: 'a.csv' }, { files }).problems).toEqual([])
    expect(load(text, { list: 'b.csv' }, { files }).problems).toEqual([
      '4:3+4 warning missing-file: profiles.production.inputs.list: there is no file b.csv | it is looked up in the folder of /project/audience.yaml',
    ])
  })

  test('is what a trigger need not give; without it, the trigger of this profile lacks it', () => {
    const text = document('  groupId: { type: integer }\n', `  - { id: nightly, ${schedule} }\n`)
    expect(load(text, { groupId: 1n }).problems).toEqual([])
    expect(load(text).problems).toEqual([
      '6:11+7 error missing-input: the trigger nightly does not give the input groupId, which has no default',
    ])
  })

  test('a stored text needs no profile', () => {
    const text = document('  groupId: { type: integer }\n', `  - { id: nightly, profiles: [gone], ${schedule} }\n`)
    const stored = loadPipeline({ text, file: 'p.yaml', stepTypes, isStored: true })
    expect(stored.diagnostics).toEqual([])
    expect(stored.pipeline?.triggers).toHaveLength(1)
  })
})

describe('profiles of a trigger', () => {
  const text = document(
    '  groupId: { type: integer }\n',
    [
      `  - { id: nightly, profiles: [staging], ${schedule} }\n`,
      `  - { id: hourly, ${schedule}, inputs: { groupId: 1 } }\n`,
    ].join(''),
  )

  test('a trigger of other profiles is apart, and what its own profile gives is not missed', () => {
    const { pipeline, problems } = load(text)
    expect(problems).toEqual([])
    expect(pipeline?.triggers.map(({ id }) => id)).toEqual(['hourly'])
    expect(pipeline?.otherTriggers?.map(({ id }) => id)).toEqual(['nightly'])
  })

  test('a name that audience.yaml does not have is an error', () => {
    expect(load(text.replace('[staging]', '[stagin]')).problems).toEqual([
      '6:31+6 error unknown-profile: audience.yaml has no profile stagin | did you mean staging?',
    ])
  })
})
