import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import type { Simulation } from '../../src/rehearsal/simulation/simulation-schema.ts'
import { root } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

const isSimulation = new Ajv2020({ strict: false, validateFormats: false }).compile(
  JSON.parse(readFileSync(join(root, 'schemas/simulation.schema.json'), 'utf8')) as object,
)

/** A document that uploads a list and makes a segment of it. In the realistic service, this takes minutes. */
function segmentOf(name: string, triggers: string, more = ''): string {
  return `version: 1
name: ${name}
${more}
triggers:
${triggers}
steps:
  - { id: up, uses: files.upload, with: { file: data/${name}.csv, uploadSignal: EMAIL, resultContent: BGID } }
  - id: segment
    uses: segments.ensure
    with: { segmentFileName: "\${{ steps.up.outputs.name }}", participantSegmentId: ${name}, segmentName: ${name}, uploadSignal: EMAIL, resultContent: BGID, providerId: 1001 }
`
}

const EACH_MINUTE = '  - { id: busy, schedule: { cron: "0-9 8 * * *", timezone: UTC, overlap: skip } }'
const BERLIN = (time: string, more = '') =>
  `  - { id: nightly, schedule: { cron: "${time} * * *", timezone: Europe/Berlin${more} } }`

test('what a month does is the same each time, and keeps to its schema', async () => {
  const cwd = project({
    'one.yaml': segmentOf('one', BERLIN('0 2', ', deadline: "02:02"'), 'concurrency: { group: all }'),
    'two.yaml': segmentOf('two', BERLIN('0 2'), 'concurrency: { group: all }'),
    'many.yaml': segmentOf('many', EACH_MINUTE),
    'asks.yaml': `version: 1
name: asks
triggers: [{ id: daily, schedule: { cron: "0 5 * * *", timezone: UTC } }]
steps: [{ id: ask, uses: approval.wait, with: { message: may it } }]
`,
    'fails.yaml': `version: 1
name: fails
triggers: [{ id: daily, schedule: { cron: "0 6 * * *", timezone: UTC } }]
env: [TOKEN]
steps: [{ id: stop, uses: run.fail, with: { message: "no, \${{ env.TOKEN }}" } }]
`,
  })
  const args = ['simulate', '--from', '2026-10-24', '--days', '7', '--format', 'json']
  const [first, second] = await Promise.all([1, 2].map(() => commandLine(args, { cwd, env: { TOKEN: 'k5xQ-secret' } })))
  expect(first?.err).toBe('')
  expect(second?.out).toBe(first?.out)
  expect(first?.out).not.toContain('k5xQ')
  const simulation = JSON.parse(first?.out ?? '') as Simulation
  expect(isSimulation(simulation), JSON.stringify(isSimulation.errors)).toBe(true)
  expect(simulation.lived).toEqual([
    { date: '2026-10-24', why: 'first' },
    { date: '2026-10-25', why: 'first' },
  ])
  expect(simulation.clockChanges.map(({ before, after }) => `${before} ${after}`)).toEqual([
    '03:00 +02:00 02:00 +01:00',
  ])
  const fates = new Map(simulation.schedules.map(({ pipeline, fates: all }) => [pipeline, all]))
  // Two runs of one group: one waits for the other, so it is late every night.
  expect((fates.get('one')?.queued ?? 0) + (fates.get('two')?.queued ?? 0)).toBe(2)
  expect(fates.get('one')).toMatchObject({ ran: 2, late: 2 })
  // Each run takes more than three minutes, so the slots before its end are skipped.
  const { ran = 0, skipped = 0 } = fates.get('many') ?? {}
  expect(ran + skipped).toBe(20)
  expect(skipped).toBeGreaterThan(10)
  expect(fates.get('asks')).toMatchObject({ waiting: 1, skipped: 1 })
  expect(fates.get('fails')).toEqual({ failed: 2 })
  expect(simulation.queue?.runs).toBe(1)
  const { requests = 0, pipelines = {} } = simulation.peak ?? {}
  expect(requests).toBeGreaterThan(10)
  expect(Object.values(pipelines).reduce((sum, one) => sum + one, 0)).toBe(requests)
})

test('--fail-on ends with 1 and says what and why; without such a problem it ends with 0', async () => {
  const cwd = project({ 'one.yaml': segmentOf('one', BERLIN('0 2', ', deadline: "02:02"')) })
  const late = await commandLine(['simulate', '--from', '2026-11-02', '--days', '1', '--fail-on', 'late,skipped'], {
    cwd,
  })
  expect(late.err).toMatch(
    /^late: one\/nightly, 1 slot, the first 2026-11-02 02:00 \+01:00: it ended .* after its deadline\n$/,
  )
  expect(late.code).toBe(1)
  expect(late.out).toMatch(/LATE one\/nightly: 1 slot/)
  const fine = await commandLine(['simulate', '--from', '2026-11-02', '--days', '1', '--fail-on', 'skipped'], { cwd })
  expect(fine).toMatchObject({ code: 0, err: '' })
})

test('a pull request sees only what it changes: slots that move, come and go, and who is late', async () => {
  const cwd = project({
    'one.yaml': segmentOf('one', BERLIN('0 2', ', deadline: "02:10"')),
    'two.yaml': segmentOf('two', BERLIN('0 2')),
    'gone.yaml': segmentOf('gone', BERLIN('0 2')),
  })
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'base')
  const args = ['simulate', '--from', '2026-11-02', '--days', '3', '--changed-since', 'main', '--format', 'markdown']
  const same = await commandLine(args, { cwd })
  expect(same.out).toContain('**No schedule differs from <code>main</code>.**')
  writeFileSync(join(cwd, 'pipelines/one.yaml'), segmentOf('one', BERLIN('0 3', ', deadline: "03:01"')))
  writeFileSync(join(cwd, 'pipelines/new.yaml'), segmentOf('new', BERLIN('30 4')))
  rmSync(join(cwd, 'pipelines/gone.yaml'))
  const { code, out, err } = await commandLine(args, { cwd })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/\*\*3 schedules differ from <code>main<\/code>\.\*\*/)
  expect(out).toMatch(/<code>one\/nightly<\/code> \| moved 02:00 → 03:00 on 3 days from 2026-11-02 \| late: 0 → 2/)
  expect(out).toMatch(/<code>new\/nightly<\/code> \| a new schedule<br>added 04:30 on 3 days/)
  expect(out).toMatch(/<code>gone\/nightly<\/code> \| the schedule is gone<br>gone 02:00 on 3 days/)
  expect(out).not.toContain('two/nightly')
})

test('a schedule with too many slots is run for the first part of each day, and the others to its end', async () => {
  const cwd = project({
    'each.yaml': `version: 1
name: each
triggers: [{ id: minute, schedule: { cron: "* * * * *", timezone: UTC, overlap: skip } }]
steps: [{ id: ask, uses: approval.wait, with: { message: may it } }]
`,
    'late.yaml': `version: 1
name: late
triggers: [{ id: nightly, schedule: { cron: "0 23 * * *", timezone: UTC } }]
steps: [{ id: stop, uses: run.fail, with: { message: no } }]
`,
  })
  const args = ['simulate', '--from', '2026-10-20', '--days', '3']
  const { out, err } = await commandLine([...args, '--format', 'json'], { cwd })
  expect(err).toBe('')
  const { schedules } = JSON.parse(out) as Simulation
  expect(schedules).toMatchObject([
    { pipeline: 'each', slots: 4320, lived: 598, tooMany: 2282, fates: { waiting: 1, skipped: 597 } },
    { pipeline: 'late', slots: 3, lived: 2, fates: { failed: 2 } },
  ])
  const [{ list } = { list: [] }] = schedules
  expect(list.findLast(({ fate }) => fate !== 'planned')?.local).toBe('2026-10-21 04:58 Z')
  const table = await commandLine(args, { cwd })
  expect(table.out).toContain(
    'Not run at the end of these days, because there were too many: 2,282 slots of each/minute.',
  )
})

test('documents without schedules are named as such, and nothing is run', async () => {
  const cwd = project({
    'hand.yaml': 'version: 1\nname: hand\nsteps: [{ id: all, uses: segments.list }]\n',
    'drop.yaml': segmentOf('drop', '  - { id: box, watch: { path: in, pattern: "*.csv", done: ok, failed: no } }'),
    'rare.yaml': segmentOf('rare', '  - { id: once, schedule: { cron: "0 4 1 1 *", timezone: UTC } }'),
  })
  const { code, out } = await commandLine(['simulate', '--from', '2026-10-20', '--days', '3'], { cwd })
  expect(code).toBe(0)
  expect(out).toContain('No day was run: there are no slots.')
  expect(out).toContain('hand (pipelines/hand.yaml): it has no schedule')
  expect(out).toContain('drop (pipelines/drop.yaml): box: a watched folder has no slots')
  expect(out).toContain('rare (pipelines/rare.yaml): once: no slot in these days')
})

test('a run never finds a list of its own missing: given by a trigger, named in a step, prepared from a source', async () => {
  const cwd = project({
    'dated.yaml': `version: 1
name: dated
inputs: { list: { type: file } }
triggers:
  - id: daily
    schedule: { cron: "0 5 * * *", timezone: UTC }
    inputs: { list: "../lists/\${{ trigger.date }}.csv" }
steps:
  - { id: up, uses: files.upload, with: { file: "\${{ inputs.list }}", uploadSignal: IP, resultContent: HASHED } }
`,
    'made.yaml': `version: 1
name: made
triggers: [{ id: daily, schedule: { cron: "0 6 * * *", timezone: UTC } }]
steps:
  - { id: list, uses: files.prepare, with: { from: { source: crm }, column: mail, signal: EMAIL } }
  - { id: up, uses: files.upload, with: { file: "\${{ steps.list.outputs.file }}", uploadSignal: EMAIL, resultContent: BGID } }
  - { id: enough, uses: run.fail, if: "\${{ steps.list.outputs.keys < 1000 }}", with: { message: too few } }
`,
  })
  writeFileSync(join(cwd, 'audience.yaml'), 'sources: { crm: { command: [touch, "{out}"] } }\n')
  const { out, err } = await commandLine(['simulate', '--from', '2026-10-20', '--days', '2', '--format', 'json'], {
    cwd,
  })
  expect(err).toBe('')
  const { problems, schedules } = JSON.parse(out) as Simulation
  expect(problems).toEqual([])
  expect(schedules.map(({ fates }) => fates)).toEqual([{ ran: 2 }, { ran: 2 }])
  expect(readdirSync(cwd).sort()).toEqual(['audience.yaml', 'pipelines'])
})

test('days off are those of its files, a slot at midnight is run, and a day without a slot of it is not', async () => {
  const cwd = project({
    'off.yaml': `version: 1
name: off
triggers:
  - id: daily
    schedule: { cron: "0 0 * * *", timezone: UTC, exclude: { weekdays: [sunday], file: holidays.txt } }
    if: \${{ trigger.date != '2026-10-30' }}
  - { id: monthly, schedule: { cron: "0 0 31 * *", timezone: UTC } }
steps: [{ id: part, uses: pipelines.run, with: { file: part.yaml } }]
`,
    'part.yaml': 'version: 1\nname: part\nsteps: [{ id: all, uses: segments.list }]\n',
    'holidays.txt': '# closed\n2026-10-29\n',
  })
  const { out, err } = await commandLine(
    ['simulate', '--from', '2026-10-28', '--days', '5', '--exact', '--format', 'json'],
    { cwd },
  )
  expect(err).toBe('')
  const { schedules, problems } = JSON.parse(out) as Simulation
  expect(problems).toEqual([])
  expect(schedules.map(({ list }) => list.map(({ date, fate }) => `${date.slice(8)} ${fate}`))).toEqual([
    ['28 ran', '29 leftOut', '30 leftOut', '31 ran', '01 leftOut'],
    ['31 ran'],
  ])
})

test('what comes after another pipeline has no slots, is named, and its runs count', async () => {
  const first = (schedule: string) =>
    `version: 1\nname: first\ntriggers: [{ id: daily, schedule: { cron: "${schedule}", timezone: UTC } }]\nsteps: [{ id: all, uses: segments.list }]\n`
  const next = `version: 1
name: next
triggers: [{ id: both, after: { pipelines: [first] } }]
steps: [{ id: one, uses: groups.list }, { id: two, uses: groups.list }, { id: three, uses: groups.list }]
`
  const cwd = project({ 'first.yaml': first('0 5 * * *'), 'next.yaml': next })
  const args = ['simulate', '--from', '2026-10-28', '--days', '1']
  const { out, err } = await commandLine([...args, '--format', 'json'], { cwd })
  expect(err).toBe('')
  const { without, schedules, peak } = JSON.parse(out) as Simulation
  expect(schedules.map(({ fates }) => fates)).toEqual([{ ran: 1 }])
  expect(without.map(({ pipeline, why }) => `${pipeline} ${why}`)).toEqual([
    'next both: comes after other pipelines and has no slots of its own',
  ])
  expect(peak).toMatchObject({ requests: 4, operations: { 'groups.list': 3 }, pipelines: { first: 1, next: 3 } })
  const table = await commandLine([...args, '--days', '3'], { cwd })
  expect(table.out).toMatch(/: 4 requests \(3 groups\.list, 1 segments\.list\); by pipeline: 3 next, 1 first$/m)
  expect(table.out).toContain('no slots of its own; its runs count only on days that are run in full')
})

test.each([
  [['--from', 'tomorrow'], 2, '--from "tomorrow" is not a day'],
  [['--days', '0'], 2, 'give from 1 to 366'],
  [['--days', '400'], 2, 'give from 1 to 366'],
  [['--fail-on', 'lte'], 2, 'did you mean late?'],
  [['--service', 'realstic'], 2, 'did you mean realistic?'],
  [['--changed-since', 'no-such-ref'], 2, 'git cannot open a repository in '],
  [['missing.yaml'], 2, 'there is no pipeline at missing.yaml'],
  [['/etc/hostname'], 2, 'there is no pipeline at /etc/hostname'],
  [['../elsewhere.yaml'], 2, 'is outside the project'],
  [['pipelines/broken.yaml'], 3, /^pipelines\/broken\.yaml:3:\d+ error /],
  [['pipelines/one.yaml', 'pipelines/twin.yaml'], 3, 'have the same name, one'],
  [['--profile', 'staging', 'pipelines/one.yaml'], 3, 'there is no profile "staging"'],
])('%j is refused with the next step', async (args, code, expected) => {
  const outer = tempFolder()
  const cwd = project(
    {
      'one.yaml': segmentOf('one', BERLIN('0 2')),
      'twin.yaml': segmentOf('one', BERLIN('0 2')),
      'broken.yaml': 'version: 1\nname: broken\nsteps: [{ id: a, uses: segments.lst }]\n',
    },
    join(outer, 'project'),
  )
  writeFileSync(join(outer, 'elsewhere.yaml'), segmentOf('elsewhere', BERLIN('0 2')))
  const ended = await commandLine(['simulate', ...args], { cwd })
  expect(ended.err).toMatch(expected)
  expect({ code: ended.code, out: ended.out }).toEqual({ code, out: '' })
})

/** A project with these documents. */
function project(documents: Readonly<Record<string, string>>, folder = tempFolder()): string {
  mkdirSync(join(folder, 'pipelines'), { recursive: true })
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, 'pipelines', name), text)
  return folder
}
