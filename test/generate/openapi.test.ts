import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { type Operation, VENDOR_MEDIA_TYPE } from '../../src/contract/operation.ts'
import { operations } from '../../src/contract/operations.ts'
import { toWire } from '../../src/contract/wire.ts'
import { stringifyJson } from '../../src/core/json.ts'
import { exampleInput } from '../../src/generate/example-input.ts'
import { serviceOpenApi } from '../../src/generate/openapi.ts'
import { fieldPlace } from '../../src/http/operation.ts'
import { stepTypes } from '../../src/steps/index.ts'

interface Parameter {
  name: string
  in: string
  required: boolean
  schema: Record<string, unknown>
}
interface Documented {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> }
  responses: Record<string, { content?: Record<string, unknown>; $ref?: string }>
  'x-starts-job'?: { resource: string }
  'x-repeat': string
}
interface Document {
  paths: Record<string, Record<string, Documented>>
  components: Record<string, Record<string, unknown>>
}

const document: Document = JSON.parse(stringifyJson(serviceOpenApi(operations)))
const contract = Object.entries<Operation>(operations)

test('it is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>)
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

test('it has every operation of the contract once, and no other', () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`),
  )
  expect(documented.sort()).toEqual(contract.map(([id, { method, path }]) => `${id}: ${method} ${path}`).sort())
})

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!)
  expect(references.length).toBeGreaterThan(50)
  expect(references.filter((reference) => at(reference) === undefined)).toEqual([])
})

describe.each(contract)('%s', (id, operation) => {
  const documented = document.paths[operation.path]![operation.method.toLowerCase()]!
  const parameters = documented.parameters ?? []
  const [[mediaType, { schema }] = ['', { schema: {} }]] = Object.entries(documented.requestBody?.content ?? {})
  const bodyFields = Object.keys((schema.properties as object | undefined) ?? {})

  test('every field travels where the contract says, and nowhere else', () => {
    const places = Object.keys(operation.input.properties).map((name) => [name, fieldPlace(operation, name)])
    const inBody = mediaType === 'multipart/form-data' ? 'part' : 'body'
    const found = [...parameters.map((one) => [one.name, one.in]), ...bodyFields.map((name) => [name, inBody])]
    expect(found.sort()).toEqual(places.sort())
  })

  test('the parameters of the path are declared and required', () => {
    const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    expect(parameters.filter((one) => one.in === 'path' && one.required).map((one) => one.name)).toEqual(named)
  })

  test('what the contract requires is required', () => {
    const required = [
      ...parameters.filter((one) => one.required).map((one) => one.name),
      ...((schema.required as string[] | undefined) ?? []),
    ]
    expect(required.sort()).toEqual([...(operation.input.required ?? [])].sort())
  })

  test('one success, the documented one, in the vendor media type', () => {
    const successes = Object.keys(documented.responses).filter((status) => status.startsWith('2'))
    expect(successes).toEqual([String(operation.status)])
    const content = documented.responses[operation.status]!.content
    expect(Object.keys(content ?? {})).toEqual(operation.output ? [VENDOR_MEDIA_TYPE] : [])
  })

  test('the example of the reference page fits the body', () => {
    if (mediaType !== 'application/json') return
    const example = exampleInput(stepTypes.get(id)!)
    const body = Object.fromEntries(Object.entries(example).filter(([name]) => bodyFields.includes(name)))
    const accepts = validator(schema)
    expect(accepts(JSON.parse(stringifyJson(toWire(operation.input, body)))), JSON.stringify(accepts.errors)).toBe(true)
  })
})

test.each([
  ['segments.create', {}, ['400', '401', '406', '415', '500']],
  ['segments.get', {}, ['400', '401', '404', '406', '500']],
  ['matches.delete', {}, ['400', '401', '404', '500']],
  ['files.delete', {}, ['400', '401', '404', '406', '500']],
  ['matches.refresh', {}, ['400', '401', '406', '500']],
  ['integrations.list', {}, ['400', '401', '404', '406', '500']],
])('the errors of %s', (id, _, statuses) => {
  const { responses } = documentedOf(id)
  expect(Object.keys(responses).filter((status) => status >= '400')).toEqual(statuses)
})

test('64-bit ids are integers on the wire', () => {
  expect(documentedOf('matches.get').parameters![0]!.schema).toMatchObject({ type: 'integer', format: 'int64' })
  expect(document.components.schemas!.Match).toMatchObject({
    properties: { matchId: { type: 'integer', format: 'int64' }, matchJobId: { type: 'string' } },
  })
  expect(JSON.stringify(document)).not.toMatch(/"type":"string","format":"int64"/)
})

test.each([
  ['segments.create', { uploadSignal: 'EMAIL', resultContent: 'BGID' }, false],
  ['segments.create', { uploadSignal: 'EMAIL', resultContent: 'BGID', providerId: 1001 }, true],
  ['segments.create', { uploadSignal: 'IP', resultContent: 'BGID', providerId: 1001 }, false],
  ['segments.create', { uploadSignal: 'IP', resultContent: 'BGID', providerId: 1, uploadDateWithSignals: false }, true],
  ['matches.create', {}, false],
  ['matches.create', { groupId: 9001 }, true],
  ['matches.testControl', {}, false],
  ['matches.testControl', { shaveOffPercent: 0 }, true],
])('the rules between fields are in the body of %s: %j → %s', (id, fields, isValid) => {
  const required = { segmentFileName: 'a.csv', participantSegmentId: 'a', segmentName: 'A', segmentId: 's' }
  const { schema } = documentedOf(id).requestBody!.content['application/json']!
  expect(validator(schema)({ ...required, deliveryScopes: ['CABLE'], ...fields })).toBe(isValid)
})

test('the body of a refresh may be left out, that of a split may not', () => {
  expect(documentedOf('segments.refresh').requestBody!.required).toBe(false)
  expect(documentedOf('matches.testControl').requestBody!.required).toBe(true)
})

test('a file is a binary part, with its limit in words', () => {
  const { schema } = documentedOf('files.upload').requestBody!.content['multipart/form-data']!
  expect(schema).toMatchObject({
    required: ['file'],
    properties: { file: { format: 'binary', description: expect.stringContaining('157,286,400 bytes') } },
  })
})

test('what OpenAPI has no words for is in extensions', () => {
  expect(documentedOf('matches.create')).toMatchObject({
    'x-starts-job': { resource: 'matchId', read: 'matches.get' },
    'x-repeat': 'never',
  })
  expect(documentedOf('activations.create')['x-repeat']).toBe('never')
  expect(documentedOf('jobs.get')['x-starts-job']).toBeUndefined()
})

function documentedOf(id: string): Documented {
  const found = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === id)
  return found!
}

function at(reference: string): unknown {
  return reference
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document)
}

function validator(schema: Record<string, unknown>) {
  return new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
}
