import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('audience diff says in figures how the lists of two runs differ', async () => {
  const { night, cli } = project()
  const first = await night(['a', 'b', 'c'])
  const second = await night(['b', 'c', 'd', 'e'])
  const [head, , , , row] = (await cli('diff', first, second)).out.split('\n')
  expect(head).toMatch(`before: ${first} of nightly, `)
  expect(row?.split(/ +/)).toEqual(['list', '3', '4', '+2', '−1', '2'])
  expect(JSON.parse((await cli('diff', second, first, '--json')).out)).toEqual({
    before: second,
    after: first,
    steps: [{ step: 'list', before: 4, after: 3, added: 1, removed: 2, kept: 2 }],
  })
})

test('a command looks for the earlier list itself, without a thread', async () => {
  let threads = 0
  const count = () => {
    threads += 1
  }
  process.on('worker', count)
  onTestFinished(() => void process.off('worker', count))
  const { night } = project()
  await night(['a', 'b', 'c'])
  await night(['b', 'c', 'd'])
  expect(threads).toBe(0)
})

test('the outputs of a run have the same figures, and an expectation can hold it', async () => {
  const { night, cli } = project()
  await night(['a', 'b', 'c'])
  const held = await night(['a'])
  expect(JSON.parse((await cli('runs', 'show', held, '--json')).out)).toMatchObject({
    status: 'failed',
    error: { code: 'expectation-failed', message: expect.stringContaining('2 people left') },
  })
  // Compares with the run that succeeded, so that the people of the held run are not forgotten.
  expect(outputOf(await cli('runs', 'show', await night(['a', 'b']), '--json'))).toMatchObject({
    added: 0,
    removed: 1,
    kept: 2,
  })
})

test.each([
  ['none', 'membership of audience.yaml is none'],
  ['{ keep: 30d }', 'prepared no list, its fingerprints were purged, or nothing was kept'],
])('with membership: %s, a run of whose lists nothing is kept is an error that says why', async (membership, why) => {
  const { night, cli } = project(membership)
  const run = await night(['a', 'b'])
  await cli('privacy', 'purge')
  expect(await cli('diff', run, run)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(why) })
})

test('with membership: counts the number of keys is kept; who came and went is null', async () => {
  const { night, cli } = project('counts')
  const [first, second] = [await night(['a', 'b']), await night(['b', 'c', 'd'])]
  const unknown = { added: null, removed: null, kept: null }
  expect(outputOf(await cli('runs', 'show', second, '--json'))).toMatchObject({ keys: 3, ...unknown })
  expect(JSON.parse((await cli('diff', first, second, '--json')).out).steps).toEqual([
    { step: 'list', before: 2, after: 3, ...unknown, why: 'only the number of keys was kept' },
  ])
})

test('purge removes fingerprints by age and by run, and the audit log says who did it', async () => {
  const { night, cli, lists } = project()
  const [first, second] = [await night(['a', 'b']), await night(['b', 'c'])]
  expect((await cli('privacy', 'purge', '--older-than', '1h')).out).toBe('removed the fingerprints of 0 lists\n')
  expect((await cli('privacy', 'purge', '--run', first)).out).toBe('removed the fingerprints of 1 list\n')
  expect(lists()).toEqual([second])
  expect((await cli('privacy', 'purge', '--older-than', 'long')).code).toBe(2)
  await night(['a'])
  expect((await cli('privacy', 'purge', '--by', 'Ana')).out).toBe('removed the fingerprints of 2 lists\n')
  expect(lists()).toEqual([])
})

test('a run that is pruned loses its fingerprints, and so do lists that are too old', async () => {
  const { night, cli, lists, folder } = project()
  await night(['a', 'b'])
  const second = await night(['b', 'c'])
  const pruned = await cli('runs', 'prune', '--older-than', '0s', '--keep', '0')
  expect(pruned.out).toMatch(/^removed 1 run and the fingerprints of 1 list\n/)
  expect(lists()).toEqual([second])
  writeFileSync(join(folder, 'audience.yaml'), 'privacy: { membership: { keep: 0ms } }')
  expect((await cli('runs', 'prune')).out).toMatch(/^removed 0 runs and the fingerprints of 1 list\n/)
  expect(lists()).toEqual([])
})

test('items of a forEach are compared by their keys, whatever their order; in a plan too', async () => {
  const { cli, folder } = project()
  // A plan sends one request to the service to see whether it answers.
  await using server = await scriptedServer(() => ({ json: { segments: [], page: 0, pageSize: 10, hasMore: false } }))
  const at = { AUDIENCE_BASE_URL: server.url }
  const block = (order: string) => `version: 1
name: several
steps:
  - id: audience
    forEach: { items: [${order}], as: name, key: "\${{ name }}" }
    steps:
      - id: list
        uses: files.prepare
        with: { from: { file: "\${{ name + '.csv' }}" }, column: email, signal: EMAIL }
`
  const file = join(folder, 'several.yaml')
  const people = (name: string, keys: readonly string[]) =>
    writeFileSync(join(folder, `${name}.csv`), ['email', ...keys.map((key) => `${key}@example.com`), ''].join('\n'))
  const night = async (order: string) => {
    writeFileSync(file, block(order))
    return /"runId":"([^"]+)"/.exec((await cli('run', file, '--json', at)).out)?.[1] ?? ''
  }
  people('x', ['a', 'b'])
  people('y', ['c', 'd', 'e'])
  const first = await night('x, y')
  people('x', ['a', 'b', 'f'])
  const second = await night('y, x')
  expect(JSON.parse((await cli('diff', first, second, '--json')).out).steps).toEqual([
    { step: 'audience[x].list', before: 2, after: 3, added: 1, removed: 0, kept: 2 },
    { step: 'audience[y].list', before: 3, after: 3, added: 0, removed: 0, kept: 3 },
  ])
  people('y', ['c'])
  const plan = await cli('plan', file, at)
  expect(plan.out, plan.err).toMatch(/1 keys of 1 rows, \+0 −2/)
  expect(plan.out).toMatch(/3 keys of 3 rows, \+0 −0/)
})

test('a backup has fingerprints only on request, and a restore works with and without them', async () => {
  const { night, cli, folder } = project()
  await night(['a', 'b'])
  const copy = join(folder, 'copy.db')
  await cli('backup', copy)
  expect(readdirSync(folder)).not.toContain('copy.db.membership')
  const full = join(folder, 'full.db')
  expect((await cli('backup', full, '--with-membership')).out).toContain('the fingerprints of 1 list to ')
  expect(statSync(`${full}.membership`).mode).toBe(0o40700)
  expect(statSync(join(`${full}.membership`, 'key')).mode).toBe(0o100600)

  const restoredNight = async (state: string, from: string) => {
    mkdirSync(state)
    copyFileSync(from, join(state, 'runs.db'))
    if (existsSync(`${from}.membership`)) cpSync(`${from}.membership`, join(state, 'membership'), { recursive: true })
    const env = { AUDIENCE_STATE: state }
    const run = await night(['b', 'c'], env)
    return outputOf(await cli('runs', 'show', run, '--json', env))
  }
  expect(await restoredNight(join(folder, 'bare'), copy)).toMatchObject({
    keys: 2,
    added: null,
    removed: null,
    kept: null,
  })
  expect(await restoredNight(join(folder, 'whole'), full)).toMatchObject({ keys: 2, added: 1, removed: 1, kept: 1 })
})

const DOCUMENT = `version: 1
name: nightly
inputs: { file: { type: file } }
steps:
  - id: list
    uses: files.prepare
    with: { from: { file: "\${{ inputs.file }}" }, column: email, signal: EMAIL }
    expect:
      - check: \${{ outputs.removed == null || outputs.removed <= 1 }}
        message: \${{ outputs.removed }} people left
`

function project(membership = '{ keep: 30d }') {
  const folder = tempFolder()
  writeFileSync(join(folder, 'audience.yaml'), `privacy: { membership: ${membership} }\n`)
  writeFileSync(join(folder, 'nightly.yaml'), DOCUMENT)
  // The steps need no service.
  const env = { AUDIENCE_BASE_URL: 'http://127.0.0.1:9', AUDIENCE_TOKEN: 'token-of-nobody' }
  const cli = (...args: (string | Record<string, string>)[]) =>
    commandLine(
      args.filter((one) => typeof one === 'string'),
      { cwd: folder, env: Object.assign({}, env, ...args.filter((one) => typeof one !== 'string')) },
    )
  return {
    folder,
    cli,
    async night(people: readonly string[], more: Record<string, string> = {}): Promise<string> {
      const file = join(folder, 'people.csv')
      writeFileSync(file, ['email', ...people.map((name) => `${name}@example.com`), ''].join('\n'))
      const { out, err } = await cli('run', join(folder, 'nightly.yaml'), '-i', `file=${file}`, '--json', more)
      const runId = /"runId":"([^"]+)"/.exec(out)?.[1]
      if (runId === undefined) throw new Error(err)
      return runId
    },
    /** The runs whose lists are kept. */
    lists: () => readdirSync(join(folder, '.audience/membership/runs')).toSorted(),
  }
}

function outputOf({ out }: { readonly out: string }): unknown {
  return JSON.parse(out).steps.find(({ step }: { step: string }) => step === 'list').outputs
}
