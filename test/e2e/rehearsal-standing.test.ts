import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * Worlds in which something gets stuck. They come to rest or report that they do not, and they report what each run
 * waits for.
 */

const ASKS = `version: 1
name: asks
concurrency: { group: one, limit: 1, onConflict: queue }
steps:
  - { id: ask, uses: approval.wait, with: { message: Go? , approvers: [anna] } }
`
const ABOVE = `version: 1
name: above
inputs: { file: { type: file, default: asks.yaml } }
triggers:
  - id: drop
    watch: { path: inbox, pattern: "*.csv", done: done, failed: failed }
    inputs: { file: "\${{ trigger.file }}" }
steps:
  - { id: child, uses: pipelines.run, with: { file: asks.yaml } }
`
const UPLOADED = `steps:
  - { id: upload, uses: files.upload, with: { file: data/a.csv, uploadSignal: EMAIL, resultContent: BGID } }
  - id: segment
    uses: segments.ensure
    with:
      segmentFileName: \${{ steps.upload.outputs.name }}
      participantSegmentId: own
      segmentName: Own
      uploadSignal: EMAIL
      resultContent: BGID
      providerId: 1001
    await: { timeout: 100d, poll: { initial: 1d, max: 1d } }
`
const BLOCKED = `version: 1
name: blocked
${UPLOADED}  - id: match
    uses: matches.ensure
    with:
      segmentId: \${{ steps.segment.outputs.segmentId }}
      groupId: 9001
      deliveryScopes: [CABLE]
      shareSegmentName: false
      accessBgIds: false
`
/** This partner approves by hand. */
const MANUAL = BLOCKED.replace('name: blocked', 'name: shared').replace('groupId: 9001', 'partnerId: 2005')
const POLLS = `version: 1
name: polls
${UPLOADED}`
const SLOW_NETWORK = `version: 1
participants:
  - { id: 1001, name: Own, features: [{ type: SEGMENT_UPLOAD, signals: [EMAIL] }] }
population: { people: 2000 }
latencies: { RUNNING: 90d }
`

test('a run that waits for a run that waits for a person rests, too; what does not end says so; and both say for what', async () => {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'pipelines'))
  const write = (name: string, text: string) => writeFileSync(join(cwd, 'pipelines', name), text)
  write('asks.yaml', ASKS)
  write('above.yaml', ABOVE)
  write('blocked.yaml', BLOCKED)
  write('polls.yaml', POLLS)
  write('network.yaml', SLOW_NETWORK)
  write(
    'above.test.yaml',
    `test: above.yaml
given: { from: 2026-10-20 }
tests:
  - it: asks below, and queues behind that
    do:
      - { run: {}, expect: { status: running } }
      - { run: {} }
  - it: is asked below, and goes on
    do:
      - { run: {}, expect: { held: child/ask } }
      - { approve: child/ask }
  - it: is refused below, repeated and cancelled as a whole
    do:
      - { run: {}, expect: { held: child/ask } }
      - { reject: child/ask, expect: { status: failed, error: child-run-failed } }
      - { retry: true, expect: { status: running, held: child/ask } }
      - { cancel: true, expect: { status: cancelled } }
  - it: takes no such file
    do:
      - { drop: { inbox/list.txt: hello } }
`,
  )
  const list = 'files: { data/a.csv: { people: 500 } }'
  write(
    'blocked.test.yaml',
    `test: blocked.yaml
given: { from: 2026-10-20, ${list} }
tests:
  - it: is blocked
    do:
      - { run: {}, kill: { before: matches.create }, expect: { held: match } }
      - { run: {} }
`,
  )
  write(
    'polls.test.yaml',
    `test: polls.yaml
given: { from: 2026-10-20, ${list}, service: { network: network.yaml } }
tests:
  - it: polls for ever
    do:
      - { wait: 1d }
      - { run: {} }
`,
  )
  const { code, out } = await commandLine(['test'], { cwd })
  expect(code).toBe(1)
  const lines = out.replaceAll(/run \d{8}t\d{6}-\w{10}/g, 'run R').split('\n')
  const openAfter = (name: string) => {
    const from = lines.findIndex((line) => line.startsWith(`FAIL ${name}`))
    const told = lines.slice(
      from + 1,
      lines.findIndex((line, at) => at > from && /^\S/.test(line)),
    )
    return {
      at: told[0]?.trim(),
      open: told.filter((line) => line.startsWith('     open: ')).map((line) => line.slice(11)),
    }
  }
  expect(openAfter('asks below')).toEqual({
    at: 'pipelines/above.test.yaml:7  status',
    open: [
      'asks, run R: step ask waits for an approval by anna',
      'above, run R: step child waits for run R, which it started',
      'above, run R: step child waits for run R, which it started',
      'asks, run R is queued: group one is busy with run R',
    ],
  })
  expect(out).toContain('ok   is asked below, and goes on')
  expect(out).toContain('ok   is refused below, repeated and cancelled as a whole')
  expect(openAfter('takes no')).toMatchObject({ open: ['inbox/list.txt is still where it was dropped'] })
  expect(openAfter('is blocked')).toEqual({
    at: 'pipelines/blocked.test.yaml:7  status',
    open: [
      'blocked, run R: step match waits for a decision',
      expect.stringMatching(
        /^blocked, run R: step match waits for step match of run R, which is working on the same thing: match of/,
      ),
    ],
  })
  expect(openAfter('polls')).toEqual({
    at: 'pipelines/polls.test.yaml:7  run',
    open: [
      expect.stringMatching(
        /^polls, run R: step segment waits for job 1 of the service, which has been RUNNING since /,
      ),
    ],
  })
  expect(out).toContain('it takes more than 40 days')
})

test.each([
  ['approve', 'region[a/b]/child/ask', { 'above.yaml': ABOVE, 'asks.yaml': ASKS }, 'above.yaml'],
  ['partner', 'region[a/b]/match', { 'shared.yaml': MANUAL }, 'shared.yaml'],
])(
  '--init names who waits in a pipeline that a step runs, as the next event does: %s',
  async (act, step, texts, file) => {
    const cwd = tempFolder()
    mkdirSync(join(cwd, 'pipelines'))
    const top = Object.entries({ ...texts, 'top.yaml': topOf(file) })
    for (const [name, text] of top) writeFileSync(join(cwd, 'pipelines', name), text)
    const { out } = await commandLine(['test', '--init', 'pipelines/top.yaml'], { cwd })
    expect(out).toContain(`a run that waits for a ${act === 'partner' ? 'partner' : 'person'} at ${step}\n`)
    const written = join(cwd, 'pipelines/top.test.yaml')
    const text = readFileSync(written, 'utf8')
    expect(text).toContain(act === 'partner' ? 'status: running\n' : `held: "${step}"\n`)
    expect(text).toContain(act === 'partner' ? `# - partner: { approve: "${step}" }` : `# - approve: "${step}"`)
    writeFileSync(written, text.replaceAll(/^ {6}# (?=- |\s+expect)/gm, '      '))
    expect(await commandLine(['test', '--update'], { cwd })).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 passed'),
    })
  },
)

/** Runs another pipeline for one region. */
function topOf(file: string): string {
  return `version: 1
name: top
steps:
  - id: region
    forEach: { items: [a/b], as: one, key: "\${{ one }}" }
    uses: pipelines.run
    with: { file: ${file} }
`
}
