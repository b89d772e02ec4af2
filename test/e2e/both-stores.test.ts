import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { webhookReceiver } from '../notifications/channels/support/webhook-receiver.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, spawnDaemon, untilReady } from '../support/daemon.ts'
import { describeWithPostgres } from '../support/postgres.ts'
import { people } from './support/story-documents.ts'
import { type Place, type StoryProject, storyProject } from './support/story-project.ts'

/** The commands of a person over some nights, without a daemon. */
async function byHand(place: Place): Promise<readonly string[]> {
  const project = await storyProject(place)
  await nights(project)
  await trouble(project)
  await lists(project)
  await history(project)
  return project.transcript
}

/** The commands of a person while a daemon runs, and after its end. */
async function besideADaemon(place: Place): Promise<readonly string[]> {
  const receiver = await webhookReceiver()
  const project = await storyProject(place, { HOOK: receiver.url })
  const { options, tell } = project
  const daemon = spawnDaemon(options)
  onTestFinished(() => kill(daemon).then(() => undefined))
  await untilReady(daemon)
  await decisions(project)
  await slots(project)
  await drops(project)
  const ofDrops = () => receiver.bodies.filter((body) => isOf(body, 'drops'))
  await expect.poll(ofDrops).toMatchObject([{ event: 'failure' }, { event: 'recovery' }])
  // Runs with --detach cause messages, too. If a question is answered immediately, its message may be missing.
  const failures = () => receiver.bodies.filter((body) => isOf(body, 'ask') && isOf(body, 'failure', 'event'))
  await expect.poll(failures).toHaveLength(1)
  // A receiver gets a message before the delivery is recorded.
  const pending = async () => JSON.parse((await commandLine(['status', '--json'], options)).out).notifications.pending
  await expect.poll(pending, { interval: 300 }).toBe(0)
  expect(await kill(daemon, 'SIGTERM')).toMatchObject({ code: 0 })
  await tell('audit', 'list')
  await tell('status', '--json')
  await tell('schedule', 'list', '--json')
  return project.transcript
}

function isOf(body: unknown, value: string, field = 'pipeline'): boolean {
  return JSON.stringify(body).includes(`"${field}":"${value}"`)
}

/** The second night uploads its file, but makes nothing again; a guard holds the third. */
async function nights({ folder, service, tell, runOf }: StoryProject): Promise<void> {
  const night = join(folder, 'pipelines/night.yaml')
  await tell('run', night)
  const made = service.taken.length
  await tell('run', night)
  const written = service.taken.slice(made).filter(({ operation }) => !/list|get/.test(operation))
  expect(written).toMatchObject([{ operation: 'files.upload' }])
  writeFileSync(join(folder, 'pipelines/people.csv'), people(16))
  const ended = tell('run', night)
  const held = await runOf('waiting')
  await tell('runs', 'approve', held, 'upload', '--by', 'Ana', '--comment', 'fewer on purpose')
  await ended
  await tell('plan', night)
}

/** A write in doubt, and a failure that is tried again. */
async function trouble({ folder, service, tell, runs, runOf }: StoryProject): Promise<void> {
  const segment = String(service.holdings.segments[0]?.id)
  service.lose({ operation: 'segments.share', how: 'resetAfter', times: 2 })
  await tell('run', join(folder, 'pipelines/share.yaml'), '-i', `segment=${segment}`)
  const doubtful = await runOf('waiting')
  await tell('status')
  await tell('runs', 'resume', doubtful)
  await tell('runs', 'resume', doubtful, '--step', 'share', '--done', '--by', 'Bo', '--comment', 'it is shared')
  await tell('runs', 'resume', doubtful)
  const enough = join(folder, 'pipelines/enough.yaml')
  writeFileSync(join(folder, 'pipelines/few.csv'), people(3))
  await tell('run', enough)
  const [failed = ''] = await runs('--status', 'failed')
  await tell('runs', 'retry', failed)
  writeFileSync(join(folder, 'pipelines/few.csv'), people(12))
  await tell('runs', 'retry', failed, '--from', 'upload', '--by', 'Bo')
  await tell('run', enough, '--from', 'upload', '--of', failed)
}

async function lists({ folder, tell, runs }: StoryProject): Promise<void> {
  for (const count of [4, 6]) {
    writeFileSync(join(folder, 'pipelines/list.csv'), `email\n${people(count)}`)
    await tell('run', join(folder, 'pipelines/list.yaml'))
  }
  const [last = '', first = ''] = await runs('--pipeline', 'list')
  await tell('diff', first, last)
}

/** With a daemon that executes the runs that others submit. */
async function decisions({ folder, tell, quietly, runOf }: StoryProject): Promise<void> {
  const ask = join(folder, 'pipelines/ask.yaml')
  await quietly('run', ask, '--detach')
  const asked = await runOf('waiting')
  const watched = tell('runs', 'watch', asked, '--exit-status')
  await tell('runs', 'approve', asked, 'ask', '--by', 'Ana')
  await watched
  await quietly('run', ask, '--detach')
  await quietly('runs', 'cancel', await runOf('waiting'), '--by', 'Bo', '--comment', 'not today')
  await quietly('run', ask, '--detach')
  await tell('runs', 'approve', await runOf('waiting'), 'ask', '--reject')
  await tell('runs', 'watch', 'latest', '--exit-status')
}

/** Slots of past days without runs, in order and one at a time, because they belong to a group. */
async function slots({ tell, runs }: StoryProject): Promise<void> {
  const days = ['--from', '2025-01-01', '--to', '2025-01-04']
  await tell('schedule', 'pause', 'night/nightly', '--by', 'Ana', '--comment', 'the source is late')
  await tell('schedule', 'pause', 'night')
  await tell('schedule', 'resume', 'night')
  await tell('schedule', 'backfill', 'night/nightly', ...days)
  await expect.poll(() => runs('--trigger', 'nightly', '--status', 'succeeded'), { interval: 500 }).toHaveLength(3)
  await tell('schedule', 'list', 'night/nightly')
  await tell('schedule', 'backfill', 'night/nightly', ...days, '--only-missing')
  await tell('schedule', 'next', '-n', '2', '--after', '2025-01-01')
}

/**
 * A file, the same content under another name, other content under the first name, a file that fails, and one that does
 * not.
 */
async function drops({ folder, note, tell }: StoryProject): Promise<void> {
  const inbox = join(folder, 'inbox')
  const filed = () =>
    ['done', 'failed'].flatMap((into) => (existsSync(join(inbox, into)) ? readdirSync(join(inbox, into)) : []))
  const dropped = { one: 'a', again: 'a', 'one ': 'b', bad: 'c', good: 'd' }
  for (const [index, [name, content]] of Object.entries(dropped).entries()) {
    writeFileSync(join(inbox, `${name.trim()}.csv`), content)
    await expect.poll(() => filed().filter((name) => name.endsWith('.csv'))).toHaveLength(index + 1)
  }
  note(...filed().toSorted())
  await tell('runs', 'list', '--trigger', 'drop')
}

/** What the commands show about all runs, until these are removed. */
async function history({ tell, runs }: StoryProject): Promise<void> {
  const known = await runs()
  for (const run of known) await tell('runs', 'show', run, '--json')
  for (const run of known.slice(-2)) await tell('runs', 'logs', run, '--json')
  await tell('runs', 'list', '--json')
  await tell('audit', 'list', '--json')
  await tell('status', '--json')
  for (const what of ['pipeline', 'schedule']) await tell('completion', '--list', what)
  await tell('runs', 'prune', '--older-than', '0s', '--keep', '1', '--dry-run')
  await tell('runs', 'prune', '--older-than', '0s', '--keep', '1')
  await tell('runs', 'show', known.at(-1) ?? '')
  await tell('completion', '--list', 'run')
}

describeWithPostgres('a folder and a database', () => {
  test.each([
    { name: 'without a daemon', story: byHand },
    { name: 'beside a daemon', story: besideADaemon },
  ])('every command prints the same on both and ends with the same code, $name', async ({ story }) => {
    const [inFolder, inDatabase] = await Promise.all([story('folder'), story('database')])
    expect(inDatabase).toEqual(inFolder)
  })
})
