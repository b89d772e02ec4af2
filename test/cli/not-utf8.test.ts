import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

const GOOD = 'version: 1\nname: p\nsteps:\n  - { id: list, uses: groups.list }\n'

/** A project with these files, some of which may not be UTF-8. */
function project(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = tempFolder()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')

test.each([
  [
    'a document',
    { 'p.yaml': latin1(`${GOOD}description: café\n`) },
    ['p.yaml'],
    /p\.yaml:5:17 .*byte 0xe9 at offset 78, line 5/,
  ],
  [
    'a document after text of several bytes, with U+FFFD of its own and a byte order mark',
    { 'p.yaml': Buffer.concat([Buffer.from(`\ufeff# 😀 \ufffd\n${GOOD}`), Buffer.from([0xc3, 0x28])]) },
    ['p.yaml'],
    /p\.yaml:6:1 .*byte 0xc3 at offset 76, line 6/,
  ],
  [
    'UTF-16',
    { 'p.yaml': Buffer.from(`\ufeff${GOOD}`, 'utf16le') },
    ['p.yaml'],
    /byte 0xff at offset 0, line 1[\s\S]*UTF-16/,
  ],
  [
    'a document that a step runs',
    {
      'p.yaml': 'version: 1\nname: p\nsteps:\n  - { id: child, uses: pipelines.run, with: { file: child.yaml } }\n',
      'child.yaml': latin1(`${GOOD}# é\n`),
    },
    ['p.yaml'],
    /p\.yaml:4:53 .*child\.yaml is not valid/,
  ],
  [
    'a file of days off',
    {
      'p.yaml': `${GOOD}triggers:\n  - { id: t, schedule: { cron: 0 2 * * *, exclude: { file: off.txt } } }\n`,
      'off.txt': latin1('2026-12-25\n# Noël\n'),
    },
    ['p.yaml'],
    /p\.yaml:6:60 .*byte 0xeb at offset 15, line 2/,
  ],
  [
    'audience.yaml',
    { 'p.yaml': `${GOOD}notify: { to: [ops] }\n`, 'audience.yaml': latin1('# é\n') },
    ['p.yaml'],
    /audience\.yaml:1:3 .*byte 0xe9 at offset 2, line 1/,
  ],
])('%s that is not UTF-8 is refused with its byte and place', async (_what, files, documents, message) => {
  const cwd = project(files)
  const { code, out, err } = await commandLine(['validate', ...documents.map((name) => join(cwd, name))], { cwd })
  expect(out + err).toMatch(message)
  expect(code).toBe(3)
})

test('a network.yaml that is not UTF-8 is refused', async () => {
  const cwd = project({ 'network.yaml': latin1('# é\n') })
  const { code, err } = await commandLine(['service', 'start', '--network', join(cwd, 'network.yaml')], { cwd })
  expect(err).toMatch(/network\.yaml:1:3 .*byte 0xe9 at offset 2, line 1/)
  expect(code).toBe(3)
})

test('a file whose name is not UTF-8 is told as that, and does not keep tests from running', async () => {
  const cwd = project({
    'audience.yaml': '# a project',
    'pipelines/p.yaml': GOOD,
    'pipelines/p.test.yaml': 'test: p.yaml\ngiven: { from: 2026-10-20 }\ntests: [{ it: runs, do: [{ run: {} }] }]\n',
  })
  writeFileSync(latin1(`${cwd}/other-é.txt`), '2026-12-25\n')
  expect(await commandLine(['test', join(cwd, 'pipelines')], { cwd })).toMatchObject({ code: 0 })
  writeFileSync(latin1(`${cwd}/pipelines/café.yaml`), GOOD.replace('name: p', 'name: q'))
  const { code, out } = await commandLine(['validate', join(cwd, 'pipelines')], { cwd })
  expect([code, out]).toEqual([3, expect.stringMatching(/caf\ufffd\.yaml cannot be read: its name is not UTF-8/)])
  const file = `${cwd}/caf\ufffd.csv`
  const needy = GOOD.replace('steps:', `inputs: { list: { type: file, default: "${file}" } }\nsteps:`)
  writeFileSync(join(cwd, 'pipelines/p.yaml'), needy)
  const { err } = await commandLine(['run', join(cwd, 'pipelines/p.yaml')], { cwd })
  expect(err).toContain(`${file}: its name is not UTF-8, or it is not there`)
})
