import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { pipelineSchema } from '../../src/pipeline/pipeline-schema.ts'
import { fixtures } from './fixtures.ts'
import { stepTypes } from './step-types.ts'

const schema = pipelineSchema(stepTypes)

const validate = new Ajv({ allErrors: true, strict: false, formats: { 'date-time': true } }).compile(schema)
const problems = (text: string): string[] => {
  validate(parse(text))
  return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
}
const step = (content: string) => problems(`version: 1\nname: p\nsteps: [{ id: a, ${content} }]\n`)

describe('the schema for editors', () => {
  test.each(fixtures().filter(({ expected }) => expected.length === 0))('accepts $name', ({ text }) => {
    expect(problems(text)).toEqual([])
  })

  test.each([
    ['uses: files.uplaod, with: {}', ['/steps/0/uses enum']],
    ['uses: groups.list, neds: []', ['/steps/0 additionalProperties']],
    ['uses: groups.get, with: { id: 9001 }', []],
    ['uses: matches.get, with: { matchId: 9001 }', []],
    ['uses: matches.get, with: { matchId: "9001" }', []],
    ['uses: matches.get, with: { matchId: "${{ 1 }}" }', []],
    ['uses: groups.list, if: "${{ true }}"', []],
    ['uses: groups.list, if: "true"', ['/steps/0/if pattern']],
  ])('%s', (content, expected) => {
    expect(step(content)).toEqual(expected)
  })

  test.each([
    ['uses: files.upload', '/steps/0 required'],
    ['uses: files.upload, with: { file: a }', '/steps/0/with required'],
    ['uses: files.upload, with: { fiel: a }', '/steps/0/with additionalProperties'],
    ['uses: matches.get, with: { matchId: nine }', '/steps/0/with/matchId pattern'],
    ['uses: activations.create, with: { refreshRate: 45 }', '/steps/0/with/refreshRate enum'],
    ['uses: matches.create, with: { deliveryScopes: CABLE }', '/steps/0/with/deliveryScopes type'],
    ['uses: groups.list, expect: [{ check: "outputs.ok" }]', '/steps/0/expect/0/check pattern'],
  ])('%s: %s', (content, expected) => {
    expect(step(content)).toContain(expected)
  })

  test('describes every key, every step type and every field', () => {
    const missing: string[] = []
    const walk = (part: unknown, path: string) => {
      if (typeof part !== 'object' || part === null) return
      const { properties } = part as { properties?: Record<string, { description?: string; const?: unknown }> }
      for (const [name, property] of Object.entries(properties ?? {})) {
        if (!path.includes('/if') && !property.description) missing.push(`${path}/${name}`)
      }
      for (const [key, value] of Object.entries(part)) walk(value, `${path}/${key}`)
    }
    walk(schema, '')
    expect(missing).toEqual([])
  })
})
