import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import { fileCheck } from '../../src/policy/enforce.ts'
import { uploadOpener } from '../../src/policy/prepared-file.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PREPARE = '{ id: list, uses: files.prepare, with: { from: { file: a.csv }, column: 1, signal: EMAIL } }'
const AGAIN = '{ id: other, uses: files.prepare, with: { from: { file: a.csv }, column: 1, signal: EMAIL } }'
const EACH = PREPARE.replace('with:', 'forEach: { items: [a.csv], as: one, maxParallel: 1 }, with:')

describe('with requirePrepared, validate allows only the output of files.prepare to be uploaded', () => {
  test.each([
    ['its file', [PREPARE, upload('steps.list.outputs.file')]],
    ['its file by index', [PREPARE, upload("steps['list'].outputs['file']")]],
    ['one of two', [PREPARE, AGAIN, upload('inputs.a ? steps.list.outputs.file : steps.other.outputs.file')]],
    ['an item of it', [EACH, upload('steps.list.outputs[0].file')]],
    ['each item of it', [EACH, upload('list.file', 'forEach: { items: "${{ steps.list.outputs }}", as: list }, ')]],
  ])('%s', async (_name, steps) => {
    expect(await problems(steps)).toEqual([])
  })

  test.each([
    ['a file', [upload(undefined, '', 'a.csv')], '7:49'],
    ['an input', [upload('inputs.f')], '7:49'],
    ['one of two that is not', [PREPARE, upload('inputs.a ? steps.list.outputs.file : inputs.f')], '8:49'],
    ['another output', [PREPARE, upload('steps.list.outputs.sha256')], '8:49'],
    [
      'what another step has',
      [PREPARE, upload('steps.list.outputs.file'), upload('steps.up.outputs.name', '', undefined, 'up2')],
      '9:50',
    ],
    ['a text around it', [PREPARE, upload(undefined, '', '"${{ steps.list.outputs.file }}.csv"')], '8:49'],
    ['a function of it', [PREPARE, upload('default(steps.list.outputs.file, inputs.f)')], '8:49'],
    ['a macro of it', [PREPARE, upload('[steps.list.outputs.file].map(one, inputs.f)[0]')], '8:49'],
    [
      'items of something else',
      [PREPARE, upload('list.file', 'forEach: { items: "${{ [steps.list.outputs] }}", as: list }, ')],
      '8:110',
    ],
  ])('not %s', async (_name, steps, place) => {
    expect(await problems(steps)).toEqual([`${place} error not-prepared`])
  })

  test('nothing is required without it', async () => {
    expect(await problems([upload(undefined, '', 'a.csv')], '{ requirePrepared: false }')).toEqual([])
  })
})

test('audience run refuses such a document, and audience api refuses the upload', async () => {
  const cwd = project([upload(undefined, '', 'a.csv')])
  expect(await commandLine(['run', join(cwd, 'p.yaml')], { cwd })).toMatchObject({ code: 3 })
  const flags = ['--file', join(cwd, 'a.csv'), '--uploadSignal', 'EMAIL', '--resultContent', 'BGID']
  const refused = await commandLine(['api', 'files.upload', ...flags], { cwd })
  expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('only files that files.prepare wrote') })
})

describe('a run is checked again', () => {
  const bench = (requirePrepared?: true) => {
    const folder = tempFolder()
    const file = (name: string) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), '')
      return join(folder, name)
    }
    const policy = { ownEnv: [], fileRoots: [join(folder, 'data')], ...(requirePrepared && { requirePrepared }) }
    const open = uploadOpener(policy, { lists: (runId) => join(folder, 'lists', runId), checkFile: fileCheck(policy) })
    return { folder, file, check: (path: string) => codeOf(async () => (await open(path, 'r1')).close()) }
  }

  test('it may upload what it prepared itself, wherever files have to be', async () => {
    const { file, check } = bench(true)
    expect(await check(file('lists/r1/a/p.csv'))).toBeUndefined()
    expect(await bench().check(file('lists/r1/a/p.csv'))).toBe('file-not-allowed')
  })

  test('it may not upload a list of another run, a link out of its own, or a file', async () => {
    const { folder, file, check } = bench(true)
    file('lists/r1/a/p.csv')
    symlinkSync(file('data/a.csv'), join(folder, 'lists/r1/link.csv'))
    for (const path of [file('lists/r2/a/p.csv'), join(folder, 'lists/r1/link.csv'), file('data/a.csv')])
      expect(await check(path)).toBe('not-prepared')
  })

  test('without requirePrepared the other rules hold', async () => {
    const { file, check } = bench()
    expect(await Promise.all(['lists/r1/a/p.csv', 'data/a.csv', 'x.csv'].map((name) => check(file(name))))).toEqual([
      undefined,
      undefined,
      'file-not-allowed',
    ])
  })
})

function upload(expression: string | undefined, more = '', text = `"\${{ ${expression} }}"`, id = 'up'): string {
  return `{ id: ${id}, uses: files.upload, ${more}with: { file: ${text}, uploadSignal: EMAIL, resultContent: BGID } }`
}

function project(steps: readonly string[], privacy = '{ requirePrepared: true }'): string {
  const cwd = tempFolder()
  const head =
    'version: 1\nname: p\ninputs:\n  f: { type: file, default: a.csv }\n  a: { type: boolean, default: true }\nsteps:\n'
  writeFileSync(join(cwd, 'p.yaml'), head + steps.map((step) => `  - ${step}\n`).join(''))
  writeFileSync(join(cwd, 'a.csv'), 'email\na@example.com\n')
  writeFileSync(join(cwd, 'audience.yaml'), `privacy: ${privacy}\n`)
  return cwd
}

async function problems(steps: readonly string[], privacy?: string): Promise<string[]> {
  const cwd = project(steps, privacy)
  const { out } = await commandLine(['validate', '--format', 'json', join(cwd, 'p.yaml')], { cwd })
  return out.split('\n').flatMap((text) => {
    if (text === '') return []
    const { line, column, severity, code } = JSON.parse(text)
    return [`${line}:${column} ${severity} ${code}`]
  })
}

async function codeOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error instanceof AudienceError ? error.code : String(error)
  }
}
