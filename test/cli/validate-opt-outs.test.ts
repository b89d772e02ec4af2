import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PREPARES =
  'version: 1\nname: p\nsteps:\n  - { id: list, uses: files.prepare, with: { from: { file: a.csv }, column: 1, signal: EMAIL } }\n'

function project(files: Readonly<Record<string, string>>) {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'pipelines'))
  const all = { 'pipelines/p.yaml': PREPARES, 'pipelines/a.csv': 'email\n', ...files }
  for (const [name, text] of Object.entries(all)) writeFileSync(join(cwd, name), text)
  return {
    async validate(...flags: string[]) {
      const { code, out } = await commandLine(['validate', '--format', 'json', ...flags, join(cwd, 'pipelines')], {
        cwd,
      })
      const found = out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
      return { code, found }
    },
  }
}

afterEach(() => vi.unstubAllEnvs())

test('an opt-out list that cannot be used is an error of validate at its place; one that is not there a warning', async () => {
  const { validate } = project({
    'audience.yaml': 'privacy:\n  suppress:\n    - good.csv\n    - bad.csv\n    - gone.csv\n',
    'good.csv': 'email\na@x.com\n',
    'bad.csv': 'email\nPat <pat@x.com>\n',
  })
  const temporary = tempFolder()
  vi.stubEnv('TMPDIR', temporary)
  const { code, found } = await validate()
  expect(code).toBe(3)
  expect(found).toMatchObject([
    { file: 'audience.yaml', line: 4, column: 7, severity: 'error', code: 'opt-outs-unusable' },
    { file: 'audience.yaml', line: 5, column: 7, severity: 'warning', code: 'missing-file' },
  ])
  expect(found[0].message).toMatch(/bad\.csv, 1 cannot be used, so no list can be prepared; the first is on line 2$/)
  expect(JSON.stringify(found)).not.toContain('pat@')
  expect(readdirSync(temporary)).toEqual([])
})

test('without a signal that a document prepares, a list has to be readable only', async () => {
  const { validate } = project({
    'audience.yaml': 'privacy: { suppress: [words.csv, page.csv] }\n',
    'pipelines/p.yaml': 'version: 1\nname: p\nsteps: [{ id: list, uses: groups.list }]\n',
    'words.csv': 'Not Found\n',
    'page.csv': '<html><body>503</body></html>\n',
  })
  expect(await validate()).toMatchObject({ code: 3, found: [{ code: 'opt-outs-unusable', line: 1 }] })
})
