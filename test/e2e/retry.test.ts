import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventsOf, type ReadyService } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { FOUR_WRITES } from '../support/four-writes.ts'
import { startService } from '../support/host-service.ts'
import { requestsOf } from '../support/requests-of.ts'
import { tempFolder } from '../support/temp-folder.ts'

const EACH = `version: 1
name: each
inputs: { names: { type: list, default: [a, b, c, d] } }
steps:
  - id: send
    uses: files.upload
    forEach: { items: "\${{ inputs.names }}", as: name }
    with: { file: "\${{ name }}.csv", uploadSignal: EMAIL, resultContent: BGID }
outputs: { sent: "\${{ steps.send.outputs.map(one, one.rows) }}" }
`

const PARENT = `version: 1
name: parent
steps:
  - id: children
    uses: pipelines.run
    forEach: { items: [x, y], as: name }
    with: { file: child.yaml, inputs: { name: "\${{ name }}" } }
`

const BLOCK = `version: 1
name: block
steps:
  - id: audience
    forEach: { items: [a, b, c], as: name, key: "\${{ name }}", maxFailures: 1 }
    steps:
      - { id: one, uses: files.upload, with: { file: "\${{ name }}-one.csv", uploadSignal: EMAIL, resultContent: BGID } }
      - { id: two, uses: files.upload, with: { file: "\${{ name }}-two.csv", uploadSignal: EMAIL, resultContent: BGID } }
outputs: { done: "\${{ steps.audience.outputs.filter(each, each.status == 'succeeded').map(each, each.key) }}" }
`

const upload = (id: string) =>
  `  - { id: ${id}, uses: files.upload, with: { file: "\${{ inputs.name }}-${id}.csv", uploadSignal: EMAIL, resultContent: BGID } }`
const CHILD = `version: 1
name: child
inputs: { name: { type: string } }
steps:
${['one', 'two', 'three'].map(upload).join('\n')}
outputs: { rows: "\${{ steps.three.outputs.rows }}" }
`

/** A project with the documents above, lists with these names, and its own service. */
async function project(...lists: readonly string[]) {
  const service = await startService(tempFolder())
  const folder = tempFolder()
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('each.yaml', EACH)
  write('block.yaml', BLOCK)
  write('parent.yaml', PARENT)
  write('child.yaml', CHILD)
  const writeList = (name: string) => write(`${name}.csv`, `${name}@example.com\n`)
  for (const name of lists) writeList(name)
  const env = {
    AUDIENCE_BASE_URL: service.url,
    AUDIENCE_TOKEN: service.token,
    AUDIENCE_STATE: join(folder, 'state'),
  }
  const command = (...args: readonly string[]) => {
    const absolute = args.map((arg) => (arg.endsWith('.yaml') ? join(folder, arg) : arg))
    return commandLine(absolute, { cwd: folder, env })
  }
  return { service, folder, writeList, command }
}

const uploads = async (service: ReadyService) =>
  (await requestsOf(service)).filter((request) => request === 'POST /api/files').length

test('a retry does not repeat the items of a forEach that succeeded, and says which run did them; nor does a retry of that', async () => {
  const { service, writeList, command } = await project('a', 'b')
  const first = eventsOf((await command('run', 'each.yaml', '--json')).out)[0]?.runId as string
  expect(await uploads(service)).toBe(2)

  writeList('c')
  const second = await command('runs', 'retry', first)
  expect(second.code).toBe(1)
  expect(second.out).toMatch(new RegExp(`send\\[0\\] a: succeeded, 1 row.*, kept from run ${first}`))
  const [, secondId = ''] = /^run (\S+) of each/m.exec(second.out) ?? []
  expect(await uploads(service)).toBe(3)

  // Only once: another retry of the first run would not know what this one did.
  const twice = await command('runs', 'retry', first)
  expect(twice.code).toBe(2)
  expect(twice.err).toContain(`run ${first} has already been retried, as run ${secondId}`)
  expect(await uploads(service)).toBe(3)

  writeList('d')
  const third = await command('runs', 'retry', secondId, '--json')
  expect(third.code).toBe(0)
  expect(await uploads(service)).toBe(4)
  const events = eventsOf(third.out)
  expect(events.at(-1)).toMatchObject({ outputs: { sent: [1, 1, 1, 1] } })
  // Each item names the run that did it, not the one in between.
  const ends = events.filter(({ event, index }) => event === 'step.finished' && index !== undefined)
  expect(ends.map(({ keptFrom }) => keptFrom)).toEqual([first, first, secondId, undefined])
  const shown = await command('runs', 'show', String(events[0]?.runId))
  expect(shown.out).toMatch(new RegExp(`send\\[2\\] c {2}succeeded, kept from run ${secondId}`))

  // `--from` a step repeats all of that step.
  const again = await command('runs', 'retry', secondId, '--from', 'send')
  expect(again.code).toBe(0)
  expect(await uploads(service)).toBe(8)
})

test('a retry does the steps of an item again that failed, and --from an item, or a step in one or in all', async () => {
  const lists = ['a-one', 'a-two', 'b-one', 'c-one', 'c-two']
  const { service, writeList, command } = await project(...lists)
  const first = await command('run', 'block.yaml')
  expect(first.code, first.err).toBe(0)
  expect(first.out).toMatch(/^succeeded in .*, 1 of 3 failed, run (\S+)$/m)
  const [, runId = ''] = /, run (\S+)$/m.exec(first.out) ?? []
  expect(await uploads(service)).toBe(5)

  writeList('b-two')
  const second = await command('runs', 'retry', runId, '--json')
  const events = eventsOf(second.out)
  expect(events.at(-1)).toMatchObject({ status: 'succeeded', outputs: { done: ['a', 'b', 'c'] } })
  const begun = events.filter(({ event }) => event === 'step.started').map(({ execution }) => execution)
  expect(begun).toEqual(['audience[b].two'])
  const kept = events.filter(({ keptFrom }) => keptFrom === runId).map(({ execution }) => execution)
  expect(kept.sort()).toEqual(['audience[a]', 'audience[b].one', 'audience[c]'])
  expect(await uploads(service)).toBe(6)

  const secondId = String(events[0]?.runId)
  const times = async (from: string) => {
    const before = await uploads(service)
    const ended = await command('run', 'block.yaml', '--from', from, '--of', secondId)
    expect(ended.code, ended.err).toBe(0)
    return (await uploads(service)) - before
  }
  expect(await times('audience[b].two')).toBe(1)
  expect(await times('audience[b]')).toBe(2)
  expect(await times('two')).toBe(3)
  expect(await times('audience')).toBe(6)
  const unknown = await command('run', 'block.yaml', '--from', 'audience[d]', '--of', secondId)
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('did you mean audience[a]?')])
})

test('a retry of a run whose child failed in its third step does not redo the steps before, nor the other children', async () => {
  const { service, writeList, command } = await project('x-one', 'x-two', 'x-three', 'y-one', 'y-two')
  const first = await command('run', 'parent.yaml', '--json')
  expect(first.code).toBe(1)
  expect(await uploads(service)).toBe(5)

  writeList('y-three')
  const second = await command('runs', 'retry', String(eventsOf(first.out)[0]?.runId), '--json')
  expect(second.code).toBe(0)
  expect(await uploads(service)).toBe(6)
  const children = eventsOf(second.out).filter(({ event, index }) => event === 'step.finished' && index !== undefined)
  expect(children.map(({ keptFrom }) => keptFrom)).toEqual([eventsOf(first.out)[0]?.runId, undefined])
  const { runId } = children[1]!.outputs as { runId: string }
  const child = JSON.parse((await command('runs', 'show', runId, '--json')).out) as { steps: { keptFrom?: string }[] }
  expect(child.steps.map(({ keptFrom }) => keptFrom !== undefined)).toEqual([true, true, false])
})

/**
 * The four writes, and one step that expects the impossible. Except for the upload, no write has time to wait for its
 * job.
 */
const IMPATIENT = FOUR_WRITES.replaceAll(/^( {4}uses: \w+\.create)$/gm, '$1\n    await: { timeout: 1ms }')
const demanding = (key: string) => FOUR_WRITES.replace('    uses: matches.create\n', `$&    ${key}\n`)
const DEMANDING = [
  ['expectation-failed', demanding('expect: [{ check: "${{ outputs.matchCount > 1000000000 }}" }]')],
  [
    'guard-breached',
    demanding('guard: { of: "${{ outputs.matchCount }}", learn: false, min: 1000000000, onBreach: fail }'),
  ],
] as const

const WRITES = ['/api/files', '/api/segments', '/api/segments/match', '/api/activations']
const writes = async (service: ReadyService) => {
  const requests = await requestsOf(service)
  return WRITES.map((path) => requests.filter((request) => request === `POST ${path}`).length)
}

async function activeJobs({ control }: ReadyService): Promise<number> {
  const answer = await fetch(`${control.url}/jobs?active=true`, {
    headers: { authorization: `Bearer ${control.token}` },
  })
  return ((await answer.json()) as { jobs: unknown[] }).jobs.length
}

async function fourWrites(text: string) {
  const { service, command, writeList, folder } = await project()
  writeFileSync(join(folder, 'four.yaml'), text)
  writeList('list')
  const first = await command('run', 'four.yaml', '--json', '-i', 'file=list.csv', '-i', 'name=four')
  expect(first.code, first.err).toBe(1)
  return { service, command, runId: String(eventsOf(first.out)[0]?.runId) }
}

test('a retry of a write whose job was not waited for waits for it, and sends it no second time', async () => {
  const { service, command, runId } = await fourWrites(IMPATIENT)
  let last = { runId, code: 1, reasons: [] as unknown[] }
  for (let retries = 0; last.code !== 0 && retries < 40; retries += 1) {
    // The first retry comes while the job of the segment is in progress, the others after a job has ended.
    if (retries > 0) await expect.poll(() => activeJobs(service)).toBe(0)
    const { code, out } = await command('runs', 'retry', last.runId, '--json')
    const events = eventsOf(out)
    const end = events.at(-1) as { error?: { code: string } }
    last = { runId: String(events[0]?.runId), code: code ?? -1, reasons: [...last.reasons, end.error?.code] }
  }
  expect(last.code, String(last.reasons)).toBe(0)
  expect(new Set(last.reasons)).toEqual(new Set(['job-timeout', undefined]))
  expect(await writes(service)).toEqual([1, 1, 1, 1])
})

test.for(DEMANDING)('a retry after %s looks at what was made again, and --from makes another', async ([code, text]) => {
  const { service, command, runId } = await fourWrites(text)
  const again = await command('runs', 'retry', runId, '--json')
  expect(again.code).toBe(1)
  expect(eventsOf(again.out).at(-1)).toMatchObject({ error: { code, step: 'match' } })
  expect(await writes(service)).toEqual([1, 1, 1, 0])
  await command('runs', 'retry', runId, '--from', 'match')
  expect(await writes(service)).toEqual([1, 1, 2, 0])
})
