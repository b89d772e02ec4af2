import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inputsOfRequest } from '../../src/acts/inputs-of.ts'
import { requirePlainName } from '../../src/acts/receive-upload.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { WrongFieldsError } from '../../src/core/errors.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DOCUMENT = `version: 1
name: p
inputs: { list: { type: file, default: ../elsewhere/default.csv } }
triggers: [{ id: drop, watch: { path: ../inbox, pattern: "*", done: ../done, failed: ../failed }, inputs: { list: "\${{ trigger.file }}" } }]
steps: [{ id: a, uses: approval.wait }]
`

/** A project whose state and shared folder are inside the watched folder. */
function project() {
  const folder = tempFolder()
  const at = (...path: string[]) => join(folder, ...path)
  const put = (...path: string[]) => {
    mkdirSync(at(...path.slice(0, -1)), { recursive: true })
    writeFileSync(at(...path), 'x')
  }
  const file = at('pipelines/p.yaml')
  const { pipeline } = loadPipeline({ text: DOCUMENT, file, stepTypes })
  if (!pipeline) throw new Error('the document is wrong')
  const settings = {
    state: at('inbox/state'),
    shared: at('inbox/shared'),
    pipelines: at('pipelines'),
    policy: { ownEnv: [] },
  } as unknown as Settings
  mkdirSync(at('pipelines'))
  const documents = () => new Map([['p', { pipeline, file, folder: at('pipelines') }]])
  return {
    at,
    put,
    give: (path: string | undefined, options?: { readonly keepMissing: true }, policy: object = {}) => {
      const limited = { ...settings, policy: { ...settings.policy, ...policy } }
      const given = path === undefined ? {} : { list: path }
      return inputsOfRequest({ settings: limited, documents }, pipeline, given, options)
    },
  }
}

test('a file of a watched folder, of the pipelines folder or of the uploads can be named', () => {
  const { at, put, give } = project()
  for (const path of [
    'inbox/list.csv',
    'done/list.csv',
    'failed/list.csv',
    'pipelines/list.csv',
    'inbox/shared/uploads/list.csv',
  ]) {
    put(...path.split('/'))
    expect(give(at(path)), path).toEqual({ list: at(path) })
  }
})

test('the document may name any file itself, and says so if it is not there', () => {
  const { at, put, give } = project()
  expect(() => give(undefined)).toThrow(/default\.csv/)
  expect(give(undefined, { keepMissing: true })).toEqual({ list: at('elsewhere/default.csv') })
  put('elsewhere', 'default.csv')
  expect(give(undefined)).toEqual({ list: at('elsewhere/default.csv') })
})

test('what is no file is not taken for one, and kept if what is missing is', () => {
  const { at, put, give } = project()
  put('inbox', 'folder', 'list.csv')
  for (const path of ['inbox/none.csv', 'inbox/folder']) {
    expect(() => give(at(path)), path).toThrow(/must name a file in the pipelines folder/)
    expect(give(at(path), { keepMissing: true }), path).toEqual({ list: at(path) })
  }
})

test.each([
  'inbox/state/runs.db',
  'inbox/state/service/tokens.json',
  'inbox/shared/membership/key',
  'inbox/shared/console/key',
  'inbox/.taken/p.drop/1/list.csv',
  'elsewhere/list.csv',
])('%s cannot be named, nor by a link', (path) => {
  const { at, put, give } = project()
  put(...path.split('/'))
  put('inbox', 'other.csv')
  symlinkSync(at(path), at('inbox/link.csv'))
  for (const given of [at(path), at('inbox/link.csv')])
    expect(() => give(given)).toThrow(/must name a file in the pipelines folder or in a watched folder/)
})

test('a file that is not there and one that may not be named get the same answer', () => {
  const { at, put, give } = project()
  put('elsewhere', 'list.csv')
  const said = (path: string, options?: { readonly keepMissing: true }) => {
    try {
      return give(path, options)
    } catch (error) {
      return String(error)
    }
  }
  for (const options of [undefined, { keepMissing: true } as const]) {
    const there = said(at('elsewhere/list.csv'), options)
    expect(there).toContain('must name a file in the pipelines folder')
    for (const other of ['elsewhere/none.csv', 'elsewhere', 'nowhere/list.csv', 'inbox/state/none.db'])
      expect(said(at(other), options)).toBe(there)
  }
})

describe('whoever may put links into a watched folder learns nothing of what they lead to', () => {
  const targets: Readonly<Record<string, (at: (...path: string[]) => string) => string>> = {
    'a file': (at) => at('elsewhere/list.csv'),
    'a folder': (at) => at('elsewhere'),
    nothing: (at) => at('elsewhere/none.csv'),
    'nothing in a folder that is not there': (at) => at('nowhere/none.csv'),
    'nothing below a file': (at) => at('elsewhere/list.csv/none.csv'),
    'a link to a file': (at) => at('elsewhere/to-file'),
    'a link to nothing': (at) => at('elsewhere/to-nothing'),
    'the state': (at) => at('inbox/state/runs.db'),
    'nothing in the state': (at) => at('inbox/state/none.db'),
    'a hidden file': (at) => at('inbox/.taken/x'),
    'no hidden file': (at) => at('inbox/.taken/none'),
    'a relative path out': () => '../elsewhere/list.csv',
    'a relative path to nothing': () => '../elsewhere/none.csv',
  }
  const cases = Object.entries(targets).flatMap(([what, target]) =>
    [undefined, { fileRoots: true }].flatMap((policy) =>
      [undefined, { keepMissing: true } as const].map((options) => ({ what, target, options, policy })),
    ),
  )

  test.each(cases)('$what, $options, $policy', ({ target, options, policy }) => {
    const { at, put, give } = project()
    put('elsewhere', 'list.csv')
    put('inbox', 'state', 'runs.db')
    put('inbox', '.taken', 'x')
    symlinkSync(at('elsewhere/list.csv'), at('elsewhere/to-file'))
    symlinkSync(at('elsewhere/none.csv'), at('elsewhere/to-nothing'))
    symlinkSync(target(at), at('inbox/link.csv'))
    symlinkSync(
      dirname(join(at('inbox'), target(at).startsWith('/') ? '../elsewhere/x' : target(at))),
      at('inbox/folder'),
    )
    const roots = policy && { fileRoots: [at('inbox'), at('pipelines')] }
    for (const path of [at('inbox/link.csv'), at('inbox/folder/list.csv'), at('inbox/folder/none.csv')])
      expect(() => give(path, options, roots), path).toThrow(
        'the input list must name a file in the pipelines folder or in a watched folder, or one that was uploaded',
      )
  })

  test.each([
    '/',
    '/root',
    '/etc/shadow',
    '/proc/self/environ',
    '/dev/null',
    `/${'x'.repeat(5000)}`,
    '/etc/\u0000',
    '',
    ' ',
  ])('nor of the path %j', (path) => {
    for (const options of [undefined, { keepMissing: true } as const])
      expect(() => project().give(path, options)).toThrow(/must name a file in the pipelines folder|input list/)
  })
})

test.each(['list.csv', 'Liste für Köln.csv', '名前.csv'])('%s is the name of a file', (name) => {
  expect(() => requirePlainName(name)).not.toThrow()
})

test.each(['../x', '.hidden', 'a/b', 'a\\b', 'a\nb', 'list\u202evsc.exe', 'a\u200bb.csv', '\u2066a\u2069', 'a\u2028b'])(
  '%j is not',
  (name) => {
    expect(() => requirePlainName(name)).toThrow('name: is not a file name')
  },
)

test('a name with bytes that are not UTF-8 is refused, as the query of an upload has it', () => {
  const name = new URL('http://x/?name=caf%E9.csv').searchParams.get('name') ?? ''
  expect(() => requirePlainName(name)).toThrow('name: has a character that stands for bytes that are not UTF-8')
})

test('integers beyond what a JSON number holds come as text; each input that is wrong is named', () => {
  const text = `version: 1
name: p
inputs:
  big: { type: integer }
  some: { type: list, items: integer, default: [] }
  rows: { type: list, items: { id: { type: integer }, name: { type: string } }, default: [] }
  name: { type: string, default: x }
steps: [{ id: a, uses: approval.wait }]
`
  const { pipeline } = loadPipeline({ text, file: '/p/p.yaml', stepTypes })
  const deps = { settings: { policy: { ownEnv: [] } } as unknown as Settings, documents: () => new Map() }
  const give = (given: Record<string, unknown>) => inputsOfRequest(deps, pipeline!, given)
  const big = '9223372036854775807'
  expect(give({ big, some: [big, 7], name: '12' })).toEqual({
    big: BigInt(big),
    some: [BigInt(big), 7n],
    ...{ rows: [], name: '12' },
  })
  expect(give({ big, rows: [{ id: big, name: '12' }] })).toMatchObject({ rows: [{ id: BigInt(big), name: '12' }] })
  expect(Number(give({ big: '-7' }).big)).toBe(-7)
  const fieldsOf = (given: Record<string, unknown>) => {
    try {
      return give(given)
    } catch (error) {
      return Object.keys((error as WrongFieldsError).fields)
    }
  }
  expect(fieldsOf({ big: '1e3' })).toEqual(['big'])
  expect(fieldsOf({ big: '12345678901234567890' })).toEqual(['big'])
  expect(fieldsOf({ big: 1, more: 2 })).toEqual(['more'])
  expect(fieldsOf({ name: 5, more: 2 })).toEqual(['more', 'big', 'name'])
})
