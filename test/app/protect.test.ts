import { expect, test } from 'vitest'
import { protect, protectRecorded } from '../../src/app/protect.ts'
import type { Pipeline } from '../../src/core/pipeline.ts'
import { RECORD_WORDS } from '../../src/core/record-words.ts'
import { createSecrets } from '../../src/core/secrets.ts'

const TEXT = `version: 1
name: p
env: [SETTING]
steps:
  - { id: list, uses: segments.list }
  - { id: tell, uses: notify.webhook, with: { url: "https://hooks.example.com/to/production/lists", text: "\${{ env.SETTING }}" } }
`

function positionOf(part: string) {
  const before = TEXT.slice(0, TEXT.indexOf(part)).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

function protectedWith(value: string | undefined, known = protect) {
  const secrets = createSecrets()
  const pipeline = { file: '/srv/audience-files/p.yaml', text: TEXT, env: ['SETTING'] } as unknown as Pipeline
  known(pipeline, { env: { SETTING: value }, secrets })
  return secrets.redact(`it is ${value}`)
}

test.each([
  ['a word of the document', 'production', 'in the text of the document', 'production'],
  ['in other letters', 'Production', 'in the text of the document', 'production'],
  ['a name of a step type', 'segments', 'in the text of the document', 'segments'],
  ['part of an address', 'https://a.example.com/to/production/people', 'in the text', '/to/production'],
  ['a part of the path', 'audience-files', 'in the path /srv/audience-files/p.yaml', undefined],
])('a value that is %s is refused before a run begins', (_, value, place, at) => {
  const refused = () => protectedWith(value)
  expect(refused).toThrow(expect.objectContaining({ code: 'env-not-secret', kind: 'invalid' }))
  expect(refused).toThrow(place)
  try {
    refused()
  } catch (error) {
    expect((error as { at?: object }).at).toEqual(at && { file: '/srv/audience-files/p.yaml', ...positionOf(at) })
    expect(String(error)).not.toContain(at ?? 'nothing')
  }
})

test('so is each word of the records of runs, but for those that are too short to be masked', () => {
  for (const word of RECORD_WORDS) {
    if (word.length < 6) expect(protectedWith(word)).toBe(`it is ${word}`)
    else expect(() => protectedWith(word), word).toThrow('SETTING')
  }
})

test('other values are secrets from then on, and a missing one is none', () => {
  expect(protectedWith('k7Qz9W')).toBe('it is ***')
  expect(protectedWith('https://a.example.com/in/secret-place')).toBe('it is ***')
  expect(protectedWith('prod')).toBe('it is prod')
  expect(protectedWith(undefined)).toBe('it is undefined')
})

test('a recorded run goes on, whatever the value is by now', () => {
  expect(protectedWith('production', protectRecorded)).toBe('it is ***')
})
