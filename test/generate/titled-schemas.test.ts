import { expect, test } from 'vitest'
import { titledSchemas } from '../../src/generate/resources.ts'

const thing = { title: 'Thing', type: 'object', properties: {} } as const
const inList = { type: 'object', properties: { things: { type: 'array', items: thing } } } as const

test('a schema that stands in several places is found once', () => {
  expect([...titledSchemas([thing, inList, null, inList])]).toEqual([['Thing', thing]])
})

test('two schemas may not share a title, because one would take the place of the other', () => {
  expect(() => titledSchemas([inList, { ...thing }])).toThrow('two schemas have the title Thing')
})
