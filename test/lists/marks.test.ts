import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normaliseKey } from '../../src/contract/normalise-key.ts'
import type { OptOutFile } from '../../src/core/privacy.ts'
import type { ListRequest } from '../../src/lists/list-request.ts'
import { addressReadings, idReadings, PLAIN_ADDRESS } from '../../src/lists/other-readings.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { tries } from '../support/tries.ts'
import { listBench } from './list-bench.ts'

/**
 * Marks that people and programs write next to an address: ASCII, ticks, arrows, bullets, numbers in circles, emoji.
 */
const SIGNS = [...'*#!$%&+-/=?^_{|}~.\'`"(),:;<>[\\]@ \t', ...'✓✗★☐•→·—–…①²⁴⒈€×§¶©™❤🚫⚠《》、・\u20e3\u00a0']
const WORDS = ['email', 'mailto', 'e-mail', 'id', 'user_1', 'опт', '551', 'smtp']

const signs = fc.array(fc.constantFrom(...SIGNS), { minLength: 1, maxLength: 3 }).map((all) => all.join(''))
const before = fc
  .array(
    fc.oneof(
      signs,
      fc.tuple(fc.nat(2000), signs).map(([number, sign]) => `${number}${sign}`),
      fc
        .tuple(fc.constantFrom(...WORDS), fc.constantFrom(...'!#$%&*/=?^{|}~:;> \t'), fc.constantFrom('', ...SIGNS))
        .map((parts) => parts.join('')),
    ),
    { maxLength: 2 },
  )
  .map((parts) => parts.join(''))
const after = fc.oneof(
  fc.constant(''),
  signs,
  fc.tuple(signs, fc.constantFrom(...WORDS, '1')).map((parts) => parts.join('')),
  fc.nat(99).map(String),
)
const PERSON = 'p1@x.test'

test('a mark before or after an address hides nobody: it is no key, or the person is one of its readings', () => {
  fc.assert(
    fc.property(before, after, (left, right) => {
      // Another domain makes another address: `p1@x.test.eu`.
      fc.pre(!/\.\P{N}*\p{L}/u.test(right) && !left.includes('@'))
      const key = normaliseKey('EMAIL', `${left}${PERSON}${right}`)
      const who = key === undefined ? [PERSON] : [key, ...addressReadings(key)]
      expect(who).toContain(PERSON)
    }),
    { numRuns: tries(5_000, 300_000) },
  )
})

test('a plain address has no other reading', () => {
  fc.assert(
    fc.property(fc.stringMatching(new RegExp(`^${PLAIN_ADDRESS.source}$`)), (key) => {
      expect(addressReadings(key)).toEqual([])
    }),
    { numRuns: tries(5_000, 300_000) },
  )
})

test.each<[key: string, readings: readonly string[]]>([
  ["o'brien+x=y@x.test", []],
  ['ann.fox-2@x.test', []],
  ['john_smith@x-y.co.uk', []],
  ['ann@xn--bcher-kva.xn--p1ai', []],
  ['ann=@x.test', []],
  ['***@x.test', []],
  ['ann@xn--bcher-kva.test-eu', ['ann@xn--bcher-kva.test']],
  ['*ann@x.test', ['ann@x.test']],
  ['x=y@x.test', ['y@x.test']],
  ["*o'brien+x=y@x.test", ["o'brien+x=y@x.test"]],
  ['email=*1.ann@x.test-eu', ['email=*1.ann@x.test', '1.ann@x.test', 'ann@x.test']],
])('a key without a mark has no other reading: %s', (key, readings) => {
  expect(new Set(addressReadings(key))).toEqual(new Set(readings))
})

test.each<[id: string, readings: readonly string[]]>([
  ['S1', []],
  ['S0|C0', []],
  ['a-1', []],
  ['12 Hill Rd', []],
  ['✓ S1', ['S1']],
  ['- S1 -', ['S1']],
  ['1. S1', ['S1']],
  ['***', []],
  ['*p1@x.test', ['p1@x.test']],
  ['p1@x.test-eu', ['p1@x.test']],
])('ids: %s', (id, readings) => {
  expect(idReadings(id)).toEqual(readings)
})

interface Case {
  readonly optOuts: string
  readonly list: string
  readonly request?: Partial<ListRequest>
  readonly entry?: (file: string) => OptOutFile
}

/** The figures of a list and the people in it, while an opt-out file is in force. */
async function leaving({ optOuts, list, request = {}, entry = (file) => file }: Case) {
  const file = join(tempFolder(), 'who-left.csv')
  writeFileSync(file, optOuts)
  const bench = listBench({ suppress: [entry(file)] })
  const figures = await bench.prepare(list, { column: 1, ...request })
  return { ...figures, of: bench.content().split('\n').slice(1, -1) }
}

/** Marks that could also be part of an address, which would then be that of another mailbox. */
const MAY_BE_BOTH = [
  '*',
  '#',
  '=',
  '-',
  '--',
  '_',
  '+',
  '&',
  '!',
  '?',
  '~',
  '|',
  '/',
  '1.',
  '12-',
  '#1.',
  'email=',
  'id#',
  "*'",
]

describe('a mark that may be part of a mailbox', () => {
  const marked = MAY_BE_BOTH.map((mark, index) => `${mark}p${index}@x.test`)
  const bare = MAY_BE_BOTH.map((_mark, index) => `p${index}@x.test`)
  const others = ["o'brien+x=y@x.test", 'y@x.test', '*@x.test']
  const csv = (...parts: (readonly string[])[]) => `email\n${parts.flat().join('\n')}\n`

  test('suppresses the person and that mailbox', async () => {
    const list = csv(bare, marked, others)
    const optOuts = csv(marked, ["o'brien+x=y@x.test", '#@x.test'])
    expect(await leaving({ optOuts, list })).toMatchObject({ bad: 0, of: ['*@x.test', 'y@x.test'] })
    expect(
      await leaving({ optOuts: csv(['*x@x.test', '#p1@x.test']), list: csv(['x@x.test', '!p1@x.test', 'p2@x.test']) }),
    ).toMatchObject({
      of: ['p2@x.test'],
    })
  })

  test.each(['*@x.test', 'ann*@x.test', '%@x.test', '\u200bp?@X.TEST '])(
    'but not %j, which stands for many: nobody knows whom it should suppress',
    async (pattern) => {
      const given = { optOuts: csv(['p1@x.test', pattern]), list: csv(['p2@x.test']) }
      const refusal = { code: 'opt-outs-unusable', message: expect.stringContaining('1 cannot be used') }
      await expect(leaving(given)).rejects.toMatchObject(refusal)
    },
  )

  test('does so in the list, too, and as a hash', async () => {
    expect(await leaving({ optOuts: csv(bare), list: csv(marked, others) })).toMatchObject({ of: others.toSorted() })
    const hashes = bare.map((key) => createHash('sha256').update(key).digest('hex'))
    expect(await leaving({ optOuts: csv(hashes), list: csv(marked, others) })).toMatchObject({ of: others.toSorted() })
    expect(await leaving({ optOuts: csv(marked), list: csv(hashes, others) })).toMatchObject({ of: others.toSorted() })
  })

  test('does so in lists of ids', async () => {
    const request = { signal: 'RECORD_ID' } as const
    const list = `id\n${[...marked, ...MAY_BE_BOTH.map((_mark, index) => `p${index}@x.test-eu`), 'S1', '*S2', 'S3*'].join('\n')}\n`
    expect(await leaving({ request, list, optOuts: csv(bare) })).toMatchObject({ of: ['*S2', 'S1', 'S3*'] })
    expect(
      await leaving({
        request,
        list,
        optOuts: `record_id\n✓ S1\nS2\n#S3\n${bare.join('\n')}\n`,
        entry: (file) => ({ file, column: 'record_id', signal: 'RECORD_ID' }),
      }).catch(({ code }) => code),
    ).toBe('list-empty')
  })

  test('a word that all addresses of a file begin with', async () => {
    const crm = csv(['crm_p1@x.test', 'crm_p2@x.test'])
    expect(await leaving({ optOuts: crm, list: csv(['p1@x.test', 'p2@x.test', 'p3@x.test']) })).toMatchObject({
      of: ['p3@x.test'],
    })
    const opted = ['p1@x.test', createHash('sha256').update('p1@x.test').digest('hex')]
    for (const optOuts of [...opted.map((one) => csv([one])), csv(['p9@x.test', ...opted])])
      expect(await leaving({ optOuts, list: crm })).toMatchObject({ of: ['crm_p2@x.test'] })
    const request = { signal: 'RECORD_ID' } as const
    expect(
      await leaving({ request, optOuts: csv(['p1@x.test']), list: 'id\nCRM_p1@x.test\nCRM_p2@x.test\nS1\n' }),
    ).toMatchObject({ of: ['CRM_p2@x.test', 'S1'] })
    const mixed = csv(['john_smith@x.test', 'ann@x.test'])
    expect(await leaving({ optOuts: mixed, list: csv(['smith@x.test', 'ann@x.test']) })).toMatchObject({
      of: ['smith@x.test'],
    })
  })
})

test.each(['✓', '1. '])('%j before an address is a bad row, and an error in opt-outs', async (mark) => {
  const optOuts = `email\np2@x.test\n${mark}p1@x.test\n`
  const list = 'email\np1@x.test\n'
  await expect(leaving({ optOuts, list })).rejects.toMatchObject({
    code: 'opt-outs-unusable',
    message: expect.stringMatching(/who-left\.csv, 1 cannot be used, .* line 3$/),
    hint: expect.stringContaining('each row must have the address alone, without a sign, a number or a word beside it'),
  })
  expect(await leaving({ optOuts: 'email\np2@x.test\n', list: `email\n${mark}p1@x.test\np3@x.test\n` })).toMatchObject({
    bad: 1,
    of: ['p3@x.test'],
  })
})
