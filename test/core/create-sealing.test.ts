import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSealing, isSealed, NO_SECRETS, openedRecord, sealedRecord } from '../../src/core/create-sealing.ts'
import { parseJson, stringifyJson } from '../../src/core/json.ts'
import { RECORD_WORDS } from '../../src/core/record-words.ts'
import type { RunRecord } from '../../src/core/run.ts'
import { createSecrets } from '../../src/core/secrets.ts'

/** The text that a process with these variables reads. */
function readWith(env: Readonly<Record<string, string>>, text: string, missing?: (name: string) => void): RunRecord {
  const record = parseJson(text) as unknown as RunRecord
  const stored = { seq: 0, at: 0, record, ...(isSealed(text) && { isSealed: true as const }) }
  return openedRecord(stored, createSealing(env), missing).record
}

const done = (value: unknown) => ({ type: 'effect.done', step: 's', attempt: 1, name: 'made', value }) as RunRecord

describe('what a run stores of a document with secrets', () => {
  const SECRETS = {
    WORD: 'summer',
    DIGITS: '123456',
    LONG: 'c4n4ry-Of-Twenty-Letters',
    WITHIN: 'Of-Twenty-Letters',
    LINES: 'first line of a key\nsecond line of a key',
    ODD: 'a"b\\c\uE5EAd<e>%20',
  }
  const secret = fc.constantFrom(...Object.values(SECRETS))
  const piece = fc.oneof(
    secret,
    secret.map((text) => text.toUpperCase()),
    secret.map((text) => text.slice(1, -1)),
    secret.map((text) => `${text.slice(0, 3)}\n${text.slice(3)}`),
    fc.constantFrom(
      ' sale ',
      '\uE5EA',
      '\uE5EA#\uE5EA',
      '\uE5EAWORD\uE5EA',
      '***',
      '\uE5EAWORD:1:3\uE5EA',
      'Süßer Sommer',
    ),
    fc.string(),
  )
  const text = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.constantFrom(123456, 7654321, 123456n, 9007199254740993n, 0.5, -7, true, null),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(text, tie('any'), { maxKeys: 3 }),
    ),
  })).any

  test('is read as it was written, and the stored text holds no secret', () => {
    const find = createSecrets()
    for (const each of Object.values(SECRETS)) find.add(each)
    fc.assert(
      fc.property(value, (given) => {
        const record = done(parseJson(stringifyJson(given)))
        const stored = sealedRecord(record, createSealing(SECRETS))
        expect(readWith(SECRETS, stored)).toEqual(record)
        for (const each of Object.values(SECRETS)) expect(stored).not.toContain(JSON.stringify(each).slice(1, -1))
      }),
    )
  })

  test('shows *** to others, who need no variable for it', () => {
    const stored = sealedRecord(done({ name: 'Summer sale', id: 'summer', at: 123456 }), createSealing(SECRETS))
    const missing: string[] = []
    expect(readWith({}, stored)).toEqual(done({ name: '*** sale', id: '***', at: '***' }))
    readWith({ DIGITS: '123456' }, stored, (name) => missing.push(name))
    expect(missing).toEqual(['WORD', 'WORD'])
  })

  test('follows a variable that has another value by now', () => {
    const stored = sealedRecord(done('https://example.com/?key=summer'), createSealing(SECRETS))
    expect(readWith({ WORD: 'a longer winter' }, stored)).toEqual(done('https://example.com/?key=a longer winter'))
  })

  test('has no encoded secret in it, either; that part cannot be read again', () => {
    const encoded = Buffer.from(`key=${SECRETS.LONG}`).toString('base64')
    const stored = sealedRecord(done(encoded), createSealing(SECRETS))
    expect(stored).not.toContain(encoded)
    expect(JSON.stringify(readWith(SECRETS, stored))).toContain('***')
  })

  test('keeps the words of records, the document and its path', () => {
    for (const word of RECORD_WORDS) {
      const record = done({ [word]: word })
      const stored = sealedRecord(record, createSealing({ A: word }))
      expect(JSON.parse(stored)).toEqual(record)
    }
    const submitted: RunRecord = {
      type: 'run.submitted',
      ...{ pipeline: 'p', file: '/summer.yaml', folder: '/summer', text: 'name: summer' },
      ...{ digest: 'd', inputs: { name: 'summer' }, trigger: {} },
    }
    const stored = sealedRecord(submitted, createSealing(SECRETS))
    expect(JSON.parse(stored)).toMatchObject({ file: '/summer.yaml', folder: '/summer', text: 'name: summer' })
    expect(stored.match(/summer/g)).toHaveLength(3)
    expect(readWith(SECRETS, stored)).toEqual(submitted)
  })
})

test('a run without secrets is stored as it is, whatever it holds', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('\uE5EA', 'a', '\uE5EAKEY\uE5EA', '***')), (parts) => {
      const record = done(parts.join(''))
      expect(readWith({ KEY: 'another secret' }, sealedRecord(record, NO_SECRETS))).toEqual(record)
    }),
  )
})
