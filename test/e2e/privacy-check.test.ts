import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

const server = await scriptedServer(() => ({ json: { name: 'uploaded' } }))
afterAll(() => server[Symbol.asyncDispose]())

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('it says for each pipeline how many keys its live list holds, and which run makes the next one', async () => {
  const { check, told, run, folder } = project({
    nightly: 'triggers: [{ id: night, schedule: { cron: 0 2 * * *, timezone: America/New_York } }]',
    dropped:
      'triggers: [{ id: drop, watch: { path: ../inbox, pattern: "*.csv", done: ../done, failed: ../failed }, inputs: { file: "${{ trigger.file }}" } }]',
    'by-hand': '',
  })
  await run('nightly', ['ann', 'bob', 'cid'])
  await run('dropped', ['bob'])
  await run('by-hand', ['ann', 'eve'])
  const { code, report } = await check([' ANN@example.com', 'bob@EXAMPLE.com', 'dan@example.com', 'ann@example.com'])
  expect(code).toBe(5)
  const known = { status: 'succeeded', asked: 3, notOptedOut: 3 }
  expect(report.unknown).toEqual([])
  expect(report.lists.map(({ runId: _, ...list }) => list)).toEqual([
    {
      pipeline: 'by-hand',
      step: 'list',
      ...known,
      held: 1,
      next: { kind: 'command', command: expect.stringMatching(/^audience run .*by-hand\.yaml$/) },
    },
    { pipeline: 'dropped', step: 'list', ...known, held: 1, next: { kind: 'file', folder: join(folder, 'inbox') } },
    {
      pipeline: 'nightly',
      step: 'list',
      ...known,
      held: 2,
      next: { kind: 'slot', schedule: 'nightly/night', at: expect.stringContaining('T0') },
    },
  ])
  expect(await told()).toContain('3 keys of the file are not in any file of privacy.suppress')
})

test('the live list is that of the last run that succeeded', async () => {
  const { check, run } = project({ nightly: '' })
  await run('nightly', ['ann', 'bob'])
  await run('nightly', [])
  expect(await check(['ann@example.com'])).toMatchObject({ code: 5, report: { lists: [{ held: 1 }] } })
  await run('nightly', ['bob'])
  expect(await check(['ann@example.com'])).toMatchObject({ code: 0, report: { lists: [{ held: 0 }], unknown: [] } })
})

test('a list that was uploaded by a run that failed later is live too; one that was held back is not', async () => {
  const { check, told, run, folder } = project({ nightly: '' })
  writeFileSync(join(folder, 'pipelines/nightly.yaml'), UPLOADING)
  await run('nightly', ['bob'])
  await run('nightly', ['ann'], '-i', 'stop=before')
  expect(await check(['ann@example.com'])).toMatchObject({ code: 0, report: { unknown: [], lists: [{ held: 0 }] } })
  await run('nightly', ['ann'], '-i', 'stop=after')
  const { code, report } = await check(['ann@example.com'])
  expect(code).toBe(5)
  expect(report.lists).toMatchObject([
    { status: 'succeeded', held: 0 },
    { status: 'failed', held: 1 },
  ])
  expect(await told()).toContain('(failed)')
  await run('nightly', ['bob'])
  expect(await check(['ann@example.com'])).toMatchObject({ code: 0, report: { lists: [{ held: 0 }] } })
})

const UPLOAD = `  - id: upload
    uses: files.upload
    with: { file: "\${{ steps.list.outputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
`

const UPLOADING = `version: 1
name: nightly
inputs: { file: { type: file }, stop: { type: string, default: "" } }
steps:
  - id: list
    uses: files.prepare
    with: { from: { file: "\${{ inputs.file }}" }, column: email, signal: EMAIL }
    expect: [{ check: "\${{ inputs.stop != 'before' }}" }]
${UPLOAD}  - { id: stop, uses: run.fail, if: "\${{ inputs.stop == 'after' }}", with: { message: stopped } }
`

test('a list that was prepared and never uploaded is at no service, and an earlier one that was uploaded stays live', async () => {
  const { check, told, run, folder } = project({ nightly: '' })
  const file = join(folder, 'pipelines/nightly.yaml')
  const uploading = readFileSync(file, 'utf8')
  const preparing = uploading.replace(UPLOAD, '')
  writeFileSync(file, preparing)
  await run('nightly', ['ann'])
  expect(await check(['ann@example.com'])).toMatchObject({
    code: 0,
    report: { lists: [], unknown: [] },
  })
  expect(await told()).toContain('no list was uploaded')
  writeFileSync(file, uploading)
  await run('nightly', ['ann'])
  writeFileSync(file, preparing)
  await run('nightly', ['bob'])
  expect(await check(['ann@example.com'])).toMatchObject({ code: 5, report: { lists: [{ held: 1 }] } })
  // Only the list that was sent counts.
  writeFileSync(
    file,
    uploading
      .replace('- { id: list,', '- { id: other,')
      .replace('steps:\n', uploading.slice(uploading.indexOf('steps:'), uploading.indexOf('  - id: upload'))),
  )
  await run('nightly', ['ann'])
  expect((await check(['ann@example.com'])).report.lists).toMatchObject([{ step: 'list', held: 1 }])
})

test('what is so for every item of a forEach is said once', async () => {
  const { check, told, run, folder } = project({ nightly: '' })
  const file = join(folder, 'pipelines/nightly.yaml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    `${text.slice(0, text.indexOf('steps:'))}steps:
  - id: audience
    forEach: { items: [a, b], as: item, key: "\${{ item }}" }
    steps:
${text
  .slice(text.indexOf('steps:') + 7)
  .replaceAll(/^/gm, '    ')
  .trimEnd()}
`,
  )
  await run('nightly', ['ann'])
  const { code, report } = await check(['ann@example.com'])
  expect({ code, lists: report.lists.length }).toEqual({ code: 5, lists: 2 })
  expect((await told()).match(/nightly, audience\.list: 1 key of the file/g)).toHaveLength(1)
})

test('keys that opted out are known to be removed by the next run', async () => {
  const { check, told, run, optOut } = project({ nightly: '' })
  await run('nightly', ['ann', 'bob'])
  optOut(['Ann@example.com'])
  const { report } = await check(['ann@example.com'])
  expect(report.lists).toMatchObject([{ held: 1, notOptedOut: 0 }])
  expect(await told()).not.toContain('privacy.suppress')
  await run('nightly', ['ann', 'bob'])
  expect(await check(['ann@example.com'])).toMatchObject({ code: 0, report: { lists: [{ held: 0 }] } })
})

test('keys are searched for in the form of the list, and in that of a hash', async () => {
  const { check, run } = project({ clear: '', hashed: '', mixed: '' }, { hashed: 'hash: sha256' })
  await run('clear', ['ann'])
  await run('hashed', ['ann', 'bob'])
  await run('mixed', ['eve', sha256('ann@example.com')])
  const asked = ['ann@example.com', sha256('bob@example.com')]
  const { code, report } = await check(asked)
  expect(code).toBe(5)
  expect(await check(asked, { pack: true })).toEqual({ code, report })
  expect(report.lists.map(({ pipeline, held }) => [pipeline, held])).toEqual([
    ['clear', 1],
    ['hashed', 2],
    ['mixed', 1],
  ])
  expect(report.unknown.map(({ pipeline, why }) => [pipeline, why.slice(0, 25)])).toEqual([
    ['clear', '1 of the keys is a hash, '],
    ['mixed', '1 of the keys is a hash, '],
  ])
})

test.each([
  ['a list that was purged', async ({ cli }: Project) => void (await cli('privacy', 'purge')), 'were purged'],
  [
    'a list whose key is gone',
    async ({ folder }: Project) => rmSync(join(folder, '.audience/membership/key')),
    'key is gone',
  ],
])('%s is not known, and the exit code says so', async (_name, damage, why) => {
  const project1 = project({ nightly: '' })
  await project1.run('nightly', ['ann'])
  await damage(project1)
  expect(await project1.check(['bob@example.com'])).toMatchObject({
    code: 1,
    report: { lists: [], unknown: [{ pipeline: 'nightly', step: 'list', why: expect.stringContaining(why) }] },
  })
})

test('keys and opt-outs in members of gzip that are filled up with zeros are all read', async () => {
  const { check, run, folder } = project({ nightly: '' })
  await run('nightly', ['ann', 'bob', 'cid'])
  writeFileSync(join(folder, 'opt-outs.csv'), padded('email\ndan@example.com\n', 'bob@example.com\n'))
  const keys = padded('email\nann@example.com\n', 'bob@example.com\n')
  const live = { held: 2, asked: 2, notOptedOut: 1 }
  expect(await check(keys)).toMatchObject({ code: 5, report: { lists: [live], unknown: [] } })
  await run('nightly', ['ann', 'bob', 'cid'])
  expect(await check(keys)).toMatchObject({ report: { lists: [{ ...live, held: 1 }] } })
  await expect(check(keys.subarray(0, -520))).rejects.toThrow('cut off')
})

/** A gzip file as tapes and block devices store it. */
function padded(...texts: readonly string[]): Buffer {
  return Buffer.concat(texts.flatMap((text) => [gzipSync(text), Buffer.alloc(512)]))
}

test('a file without a key of the signal proves nothing', async () => {
  const { check, run } = project({ nightly: '' })
  await run('nightly', ['ann'])
  expect(await check(['not a key'])).toMatchObject({
    code: 1,
    report: { unknown: [{ why: expect.stringContaining('no key of its signal') }] },
  })
})

test('a file with a row that cannot be used is an error: it could be the person who is asked for', async () => {
  const { check, run } = project({ nightly: '' })
  await run('nightly', ['ann'])
  await expect(check(['ann@example.com', 'smtp:bob@example.com'])).rejects.toThrow(
    /of the 2 rows of .*, 1 cannot be used, so no list was searched; the first is on line 3/,
  )
})

test('a quote that is not closed is said with its line and the repair, also in the only row, the header, or instead of one', async () => {
  const { check, cli, run } = project({ nightly: '' })
  await run('nightly', ['ann'])
  const before = (rows: number, line: number) =>
    new RegExp(
      `^of the ${rows} rows? of .*keys\\.csv, 1 cannot be used, so no list was searched; the first is on line ${line}, which opens a quote and does not close it\n.*close the quote on line ${line}`,
    )
  await expect(check(['"ann@example.com'])).rejects.toThrow(before(1, 2))
  await expect(check(['bob@example.com', '"ann@example.com'])).rejects.toThrow(before(2, 3))
  await expect(check(Buffer.from('"ann@example.com\n'))).rejects.toThrow('line 1 opens a quote and does not close it')
  await expect(check(Buffer.from('email,"name\nann@example.com,A\nbob@example.com,B"\n'))).rejects.toThrow(
    /^no list was searched: .*its header leaves a quote open\n.*close the quote/,
  )
  // Errors about a file on the command line do not mention privacy.suppress.
  expect((await cli('privacy', 'check', 'keys.csv')).err).not.toContain('privacy.suppress')
})

test('what does not show hides nobody', async () => {
  const { check, run } = project({ nightly: '' })
  await run('nightly', ['a\u200bnn'])
  expect(await check(['\ufeffann@example.com\u3000'])).toMatchObject({ code: 5, report: { lists: [{ held: 1 }] } })
})

test('a list that was prepared by earlier rules is searched, and said not to be known in full, until the next run', async () => {
  const { check, told, run, folder } = project({ nightly: '' })
  await run('nightly', ['ann'])
  const [kept = ''] = readdirSync(join(folder, '.audience/membership/runs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.list'))
    .map((name) => join(folder, '.audience/membership/runs', name))
  // As versions before service/2 wrote it.
  const rules = ',"normalisation":"service/3"'
  const before = readFileSync(kept, 'latin1')
  expect(before).toContain(rules)
  writeFileSync(kept, before.replace(rules, ' '.repeat(rules.length)), 'latin1')
  const unknown = [{ pipeline: 'nightly', step: 'list', why: expect.stringContaining('earlier rules') }]
  expect(await check(['ann@example.com'])).toMatchObject({ code: 5, report: { lists: [{ held: 1 }], unknown } })
  expect(await check(['bob@example.com'])).toMatchObject({ code: 1, report: { lists: [{ held: 0 }], unknown } })
  expect(await told()).toContain('the next run of its pipeline corrects that')
  await run('nightly', ['ann'])
  expect(await check(['bob@example.com'])).toMatchObject({ code: 0, report: { unknown: [] } })
})

test('a file that is missing is an error, and nothing of the file stays', async () => {
  const { check, run, cli, folder } = project({ nightly: '' })
  await run('nightly', ['ann'])
  expect(await cli('privacy', 'check', 'missing.csv')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('missing.csv'),
  })
  await check(['ann@example.com'])
  const lists = join(folder, '.audience/lists')
  expect(existsSync(lists) ? readdirSync(lists) : []).toEqual([])
})

test('without runs there is nothing to search', async () => {
  expect(await project({ nightly: '' }).check(['ann@example.com'])).toMatchObject({
    code: 0,
    report: { lists: [], unknown: [] },
  })
})

type Project = ReturnType<typeof project>

/** Pipelines by name, with the rest of their documents and further inputs of their step. */
function project(documents: Readonly<Record<string, string>>, inputs: Readonly<Record<string, string>> = {}) {
  const folder = tempFolder()
  mkdirSync(join(folder, 'pipelines'))
  const optOut = (keys: readonly string[]) =>
    writeFileSync(join(folder, 'opt-outs.csv'), ['email', ...keys, ''].join('\n'))
  optOut([])
  writeFileSync(join(folder, 'audience.yaml'), 'privacy: { suppress: [opt-outs.csv] }\n')
  for (const [name, rest] of Object.entries(documents)) {
    const step = `{ from: { file: "\${{ inputs.file }}" }, column: email, signal: EMAIL, ${inputs[name] ?? ''} }`
    writeFileSync(
      join(folder, `pipelines/${name}.yaml`),
      `version: 1\nname: ${name}\ninputs: { file: { type: file, default: people.csv } }\n${rest}\nsteps:\n  - { id: list, uses: files.prepare, with: ${step} }\n${UPLOAD}`.replace(
        '\n\n',
        '\n',
      ),
    )
  }
  const env = { AUDIENCE_BASE_URL: server.url, AUDIENCE_TOKEN: 'token-of-nobody' }
  const cli = (...args: string[]) => commandLine(args, { cwd: folder, env })
  return {
    folder,
    optOut,
    cli,
    async run(name: string, people: readonly string[], ...flags: string[]): Promise<void> {
      const file = join(folder, 'people.csv')
      const keys = people.map((one) => (one.length === 64 ? one : `${one}@example.com`))
      writeFileSync(file, ['email', ...keys, ''].join('\n'))
      const { out, err } = await cli('run', join(folder, `pipelines/${name}.yaml`), '-i', `file=${file}`, ...flags)
      if (!out.includes(' of ')) throw new Error(out + err)
    },
    async check(keys: readonly string[] | Buffer, { pack = false } = {}) {
      const file = join(folder, 'keys.csv')
      writeFileSync(file, Buffer.isBuffer(keys) ? keys : ['email', ...keys, ''].join('\n'))
      if (pack) writeFileSync(file, zstdCompressSync(readFileSync(file)))
      const { code, out, err } = await cli('privacy', 'check', file, '--json')
      if (out === '') throw new Error(err)
      return { code, report: JSON.parse(out) as Report }
    },
    /** The text of the check before, as a person reads it. */
    told: async () => (await cli('privacy', 'check', join(folder, 'keys.csv'))).out,
  }
}

interface Report {
  lists: { pipeline: string; runId: string; status: string; step: string; held: number; notOptedOut: number }[]
  unknown: { pipeline: string; step?: string; why: string }[]
}
