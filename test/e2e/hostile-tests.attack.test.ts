import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { audience } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * The attacker may send a change to a pipeline and to its test, which CI then runs. `audience test` must not reach the
 * network, and must not read, write or move a file outside the project.
 */

function projectOf(files: Readonly<Record<string, string>>): string {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'pipelines'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, 'pipelines', name), text)
  return cwd
}

/** Another user's folder with a list. */
function victim(): string {
  const folder = tempFolder()
  writeFileSync(join(folder, 'list.csv'), 'email\nada@example.com\n')
  return folder
}

const pipeline = (rest: string) => `version: 1\nname: own\n${rest}`
const PLAIN = pipeline('steps: [{ id: all, uses: groups.list }]\n')
const testOf = (doing: string, given = '') =>
  `test: own.yaml\ngiven: { from: 2026-10-20${given} }\ntests:\n  - { it: runs, do: [${doing}] }\n`

test('no variable of the environment leads its requests through a proxy', async () => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const variables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'AUDIENCE_CONFIG']
  const given = `, env: { ${variables.map((name) => `${name}: "${address}"`).join(', ')} }`
  const cwd = projectOf({ 'own.yaml': PLAIN, 'own.test.yaml': testOf('{ run: {} }', given) })
  const refused = await commandLine(['test'], { cwd })
  for (const name of variables) expect(refused.out).toContain(`${name} is for audience itself`)
  expect(refused.code).toBe(3)
  // The variables of the machine do not count either.
  writeFileSync(join(cwd, 'pipelines/own.test.yaml'), testOf('{ run: {} }'))
  const env = Object.fromEntries(variables.slice(0, 3).map((name) => [name, address]))
  expect(await audience(['test'], { cwd, env })).toMatchObject({ code: 0 })
  expect(connections).toBe(0)
})

test('a document that watches a folder outside the project moves none of its files', async () => {
  const folder = victim()
  const watching = (path: string) =>
    pipeline(`inputs: { file: { type: file } }
triggers:
  - id: drop
    watch: { path: "${path}", pattern: "*.csv", done: "${folder}/done", failed: "${folder}/failed" }
    inputs: { file: "\${{ trigger.file }}" }
steps: [{ id: all, uses: groups.list }]
`)
  const own = testOf('{ night: true, expect: { runs: {} } }')
  const cwd = projectOf({ 'own.yaml': watching(folder), 'own.test.yaml': own, 'link.test.yaml': own })
  expect(await commandLine(['test', 'pipelines/own.test.yaml'], { cwd })).toMatchObject({
    code: 3,
    out: expect.stringMatching(/own\.test\.yaml:1:7 error own\.yaml:6:\d+ names a file or folder outside the project/),
  })
  symlinkSync(folder, join(cwd, 'pipelines/inbox'))
  writeFileSync(join(cwd, 'pipelines/own.yaml'), watching('inbox'))
  expect(await commandLine(['test', 'pipelines/own.test.yaml'], { cwd })).toMatchObject({ code: 3 })
  expect(readdirSync(folder)).toEqual(['list.csv'])
})

test('a path that is computed, a query and a default lead to no file outside the world', async () => {
  const folder = victim()
  const step = (id: string, uses: string, input: string) =>
    `  - { id: ${id}, uses: ${uses}, with: { ${input} }, continueOnError: true }\n`
  const upload = 'uploadSignal: EMAIL, resultContent: BGID'
  const inside = 'from: { file: data/a.csv }, signal: EMAIL'
  const steps = [
    step('one', 'files.upload', `file: "\${{ '${folder}' + '/list.csv' }}", ${upload}`),
    step('two', 'files.upload', `file: "\${{ '../../../../../../..' + '${folder}' + '/list.csv' }}", ${upload}`),
    step('three', 'files.prepare', `from: { file: "\${{ '${folder}' + '/list.csv' }}" }, column: email, signal: EMAIL`),
    step('four', 'files.prepare', `${inside}, sql: "COPY (SELECT 1) TO '${folder}/pwned'"`),
    step('five', 'files.prepare', `${inside}, sql: "SELECT content AS email FROM read_text('${folder}/list.csv')"`),
  ]
  const files = ', files: { data/a.csv: { people: 10 } }'
  const none = `{ run: {}, expect: { runs: { succeeded: 1 }, writes: {} } }`
  const cwd = projectOf({
    'own.yaml': pipeline(`steps:\n${steps.join('')}`),
    'own.test.yaml': testOf(none, files),
  })
  const { code, out } = await commandLine(['test'], { cwd })
  expect(out).toContain('1 passed')
  expect(code).toBe(0)
  expect(readdirSync(folder)).toEqual(['list.csv'])
})

test.each([
  ['files: { ../../out.csv: "x" }', 'is outside the project'],
  ['files: { /tmp/out.csv: "x" }', 'is an absolute path'],
  ['files: { data/a.csv: { copy: ../../../etc/passwd } }', 'is outside the project'],
  ['service: { network: ../../network.yaml }', 'is outside the project'],
])('given %s is refused', async (given, why) => {
  const cwd = projectOf({ 'own.yaml': PLAIN, 'own.test.yaml': testOf('{ run: {} }', `, ${given}`) })
  expect(await commandLine(['test'], { cwd })).toMatchObject({ code: 3, out: expect.stringContaining(why) })
})

test.each([
  ['copy', (link: string) => testOf('{ run: {} }', `, files: { data/a.csv: { copy: ${link}/list.csv } }`)],
  ['network', (link: string) => testOf('{ run: {} }', `, service: { network: ${link}/network.yaml }`)],
])('a link of the project leads a %s nowhere else', async (_, given) => {
  const cwd = projectOf({ 'own.yaml': PLAIN, 'own.test.yaml': given('link') })
  const folder = victim()
  writeFileSync(join(folder, 'network.yaml'), 'version: 1\nparticipants: [{ id: 1001, name: Own }]\n')
  symlinkSync(folder, join(cwd, 'pipelines/link'))
  expect(await commandLine(['test'], { cwd })).toMatchObject({
    code: 3,
    out: expect.stringContaining('leads outside the project'),
  })
})

test('what a document or an audience.yaml says that a link leads to is shown to nobody', async () => {
  const folder = victim()
  const cwd = projectOf({ 'own.test.yaml': testOf('{ run: {} }') })
  symlinkSync(join(folder, 'list.csv'), join(cwd, 'pipelines/own.yaml'))
  const linked = await commandLine(['test'], { cwd })
  expect(linked).toMatchObject({ code: 3, out: expect.stringContaining('own.yaml cannot be read: it leads outside') })
  writeFileSync(join(folder, 'audience.yaml'), 'ada: example\n')
  symlinkSync(join(folder, 'audience.yaml'), join(cwd, 'audience.yaml'))
  const configured = await commandLine(['test'], { cwd })
  expect(configured.code).not.toBe(0)
  expect(configured.err).toContain('is a link that leads outside its folder')
  for (const { out, err } of [linked, configured]) expect(out + err).not.toContain('ada')
})

test('no source, opt-out list or command of audience.yaml leads out of the world', async () => {
  const folder = victim()
  const source = (id: string) =>
    `  - { id: ${id}, uses: files.prepare, with: { from: { source: ${id} }, column: email, signal: EMAIL }, continueOnError: true }\n`
  const cwd = projectOf({
    'own.yaml': pipeline(`steps:\n${['outside', 'around', 'program', 'inside'].map(source).join('')}`),
    'own.test.yaml': testOf(
      `{ run: {}, expect: { runs: { succeeded: 1 }, check: ["\${{ has(steps.inside.outputs) && !has(steps.outside.outputs) && !has(steps.around.outputs) }}"] } }`,
      `, files: { data/a.csv: "email\\nada@example.com\\n" }`,
    ),
  })
  const up = '{..,none}/'.repeat(12)
  writeFileSync(
    join(cwd, 'audience.yaml'),
    `sources:
  outside: { path: ${folder}/list.csv }
  around: { path: "pipelines/${up}${folder.slice(1)}/*.csv" }
  program: { command: [touch, ${folder}/pwned, "{out}"] }
  inside: { path: pipelines/data/a.csv }
privacy: { suppress: [${folder}/list.csv] }
`,
  )
  expect(await commandLine(['test'], { cwd })).toMatchObject({ code: 0, out: expect.stringContaining('1 passed') })
  expect(readdirSync(folder)).toEqual(['list.csv'])
})

test('a report is written through no link of the project', async () => {
  const folder = victim()
  const cwd = projectOf({ 'own.yaml': PLAIN, 'own.test.yaml': testOf('{ run: {} }') })
  symlinkSync(join(folder, 'results.xml'), join(cwd, 'results.xml'))
  symlinkSync(folder, join(cwd, 'build'))
  for (const report of ['results.xml', 'build/results.xml'])
    expect(await commandLine(['test', '--junit', report], { cwd })).toMatchObject({
      err: expect.stringContaining('nothing was written'),
    })
  expect(readdirSync(folder)).toEqual(['list.csv'])
})
