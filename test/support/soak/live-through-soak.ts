import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Audience, root, spawnAudience } from '../audience.ts'
import { kill, type Project, projectIn, spawnDaemon, stateRows, until, untilReady } from '../daemon.ts'
import { losingProxy } from '../losing-proxy.ts'
import { mountSmallDisk } from './small-disk.ts'
import { BY_HAND, DROPPED, EVERY_MINUTE } from './soak-documents.ts'
import { SoakService } from './soak-service.ts'

/** What can go wrong, and how often of a hundred times. */
const SHARES = {
  killDaemon: 26,
  killService: 12,
  fillDisk: 14,
  loseAnswer: 22,
  killRun: 8,
  pauseRun: 12,
  pauseDaemon: 6,
}
type Disturbance = keyof typeof SHARES

/** Longer than a lease, so that others may take the runs of a paused process. */
const PAUSE_MS = 11_000
const DISK_MEGABYTES = 24

/** What a soak came to. `started` are the names of what was asked for, by a person or a file. */
export interface Soak {
  readonly project: Project
  readonly service: SoakService
  readonly started: readonly string[]
  readonly done: Readonly<Partial<Record<Disturbance, number>>>
  readonly decisions: number
}

/**
 * Works with the real command and the real service in `folder` and disturbs both as often as asked, at moments that
 * `random` chooses; then lets everything settle. The caller looks at what is there, and closes the service.
 */
export async function liveThroughSoak(
  folder: string,
  { disturbances, random, say }: { disturbances: number; random: () => number; say: (line: string) => void },
): Promise<Soak> {
  const disk = mountSmallDisk(join(folder, 'state'), DISK_MEGABYTES)
  if (!disk) say('this user may not mount a file system: no full disks')
  const service = await SoakService.start(join(folder, 'service-state'))
  const proxy = await losingProxy(service.url)
  const project = projectIn(folder, { AUDIENCE_BASE_URL: proxy.url, AUDIENCE_TOKEN: service.token })
  writeProject(folder)
  let daemon = spawnDaemon(project.options)
  const started: string[] = []
  const done: Partial<Record<Disturbance, number>> = {}
  const inTheBackground: Promise<unknown>[] = []

  const within = (from: number, to: number) => sleep(from + random() * (to - from))
  const restart = async () => {
    await kill(daemon)
    await within(0, 400)
    daemon = spawnDaemon(project.options)
  }
  const begin = (kind: 'run' | 'detached' | 'slow') => {
    const name = `${kind}-${started.length}`
    started.push(name)
    const args = ['run', join(folder, 'pipelines/by-hand.yaml'), '-i', `name=${name}`, '--json']
    if (kind === 'slow') return spawnAudience(args, { ...project.options, cwd: join(folder, 'slow') })
    return spawnAudience(kind === 'run' ? args : [...args, '--detach'], project.options)
  }
  const drop = () => {
    const name = `drop-${started.length}.csv`
    started.push(name)
    copyFileSync(join(folder, 'pipelines/people.csv'), join(folder, 'inbox', name))
  }

  const disturb: Record<Disturbance, () => Promise<void>> = {
    killDaemon: restart,
    killService: () => service.restart(() => within(0, 1500)),
    async fillDisk() {
      disk?.fill()
      await within(300, 2500)
      disk?.free()
    },
    async loseAnswer() {
      const fault = random() < 0.6 ? 'resetAfter' : 'errorAfter'
      proxy.lose(fault, ({ method }) => method !== 'GET')
    },
    async killRun() {
      const run = begin('run')
      await within(150, 2000)
      await kill(run)
    },
    async pauseRun() {
      const run = begin('slow')
      await within(400, 3500)
      inTheBackground.push(pause(run).then(() => run.ended))
    },
    async pauseDaemon() {
      const [running] = stateRows(project, `SELECT run_id FROM runs WHERE status = 'running' LIMIT 1`)
      const paused = pause(daemon)
      await sleep(PAUSE_MS - 2000)
      const others = running && spawnAudience(['runs', 'resume', String(running.run_id)], project.options)
      await paused
      await others?.ended
    },
  }

  // A daemon ends by itself where its state cannot be written at its start: its supervisor starts it again.
  const supervise = () => {
    if (daemon.exitCode !== null) daemon = spawnDaemon(project.options)
  }

  try {
    await untilReady(daemon)
    for (const kind of kindsInOrder(disturbances, random)) {
      const choice = random()
      if (choice < 0.35) inTheBackground.push(begin('run').ended)
      else if (choice < 0.6) inTheBackground.push(begin('detached').ended)
      else drop()
      await within(50, 900)
      say(`${kind}`)
      await disturb[kind]()
      done[kind] = (done[kind] ?? 0) + 1
      supervise()
    }
    disk?.free()
    await Promise.all(inTheBackground)
    const person = new Person(project, service)
    const look = () => {
      // It may still have been starting when the disk was full.
      supervise()
      return isQuiet(project, person)
    }
    await until(look, { describe: () => whatIsLeft(project) })
    await kill(daemon, 'SIGTERM')
    return { project, service, started, done, decisions: person.decisions }
  } finally {
    await kill(daemon)
    await proxy.close()
    disk?.free()
    if (disk) keepState(folder, disk.remove)
  }
}

/**
 * Each kind by its share and at least once, in an order that `random` chooses. The last one is a full disk: what it leaves
 * must be resumed by a daemon that nobody restarts.
 */
function kindsInOrder(count: number, random: () => number): Disturbance[] {
  const kinds = Object.keys(SHARES) as Disturbance[]
  const deck = Object.entries(SHARES).flatMap(([kind, share]) => Array<Disturbance>(share).fill(kind as Disturbance))
  const more = Array.from({ length: count - kinds.length - 1 }, () => deck[Math.floor(random() * deck.length)]!)
  const shuffled = [...kinds, ...more]
    .map((kind) => ({ kind, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ kind }) => kind)
  return [...shuffled, 'fillDisk']
}

/** Stops a process for longer than a lease, then lets it go on. */
async function pause(process: Audience): Promise<void> {
  process.kill('SIGSTOP')
  await sleep(PAUSE_MS)
  process.kill('SIGCONT')
}

function writeProject(folder: string): void {
  for (const name of ['pipelines', 'inbox', 'slow']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'audience.yaml'), '')
  // Most of its time such a command has a request that waits for its turn.
  writeFileSync(join(folder, 'slow/audience.yaml'), 'profiles: { local: { limits: { requestsPerSecond: 2 } } }\n')
  const people = readFileSync(join(root, 'pipelines/data/auto-intenders.csv'), 'utf8').split('\n').slice(0, 300)
  writeFileSync(join(folder, 'pipelines/people.csv'), [...people, ''].join('\n'))
  writeFileSync(join(folder, 'pipelines/by-hand.yaml'), BY_HAND)
  writeFileSync(join(folder, 'pipelines/dropped.yaml'), DROPPED)
  writeFileSync(join(folder, 'pipelines/minutely.yaml'), EVERY_MINUTE)
}

/** The state outlives its small disk, so that it can be looked at. */
function keepState(folder: string, unmount: () => void): void {
  const state = join(folder, 'state')
  const files = readdirSync(state)
    .filter((name) => name.startsWith('runs.db'))
    .map((name) => ({ name, content: readFileSync(join(state, name)) }))
  unmount()
  for (const { name, content } of files) writeFileSync(join(state, name), content)
}

const OPEN = 'SELECT run_id, pipeline, status FROM runs WHERE finished_at IS NULL'

async function isQuiet(project: Project, person: Person): Promise<boolean> {
  await person.decide()
  const open = stateRows(project, OPEN)
  const due = stateRows(project, `SELECT * FROM occurrences WHERE state = 'due' OR open = 1`)
  const waiting = readdirSync(join(project.folder, 'inbox')).filter((name) => name.endsWith('.csv'))
  return open.length === 0 && due.length === 0 && waiting.length === 0
}

function whatIsLeft(project: Project): string {
  return JSON.stringify({ open: stateRows(project, OPEN), inbox: readdirSync(join(project.folder, 'inbox')) })
}

/** Looks at the service where nothing can tell whether a match or an activation was made, and answers. */
class Person {
  readonly #project: Project
  readonly #service: SoakService
  decisions = 0

  constructor(project: Project, service: SoakService) {
    this.#project = project
    this.#service = service
  }

  async decide(): Promise<void> {
    const asked = stateRows(this.#project, `${OPEN} AND status = 'waiting'`)
    for (const { run_id: runId, pipeline } of asked) {
      const [first] = stateRows(
        this.#project,
        `SELECT json_extract(data, '$.inputs.name') AS name FROM records WHERE run_id = ? AND seq = 0`,
        runId!,
      )
      const [waiting] = stateRows(
        this.#project,
        `SELECT json_extract(data, '$.step') AS step FROM records WHERE run_id = ? AND json_extract(data, '$.type') = 'step.waiting' ORDER BY seq DESC LIMIT 1`,
        runId!,
      )
      const { activations, matches } = await this.#service.made()
      const isThere = (waiting?.step === 'match' ? matches : activations).includes(String(first?.name ?? pipeline))
      const answer = isThere ? '--done' : '--again'
      const args = ['runs', 'resume', String(runId), '--step', String(waiting?.step), answer]
      await spawnAudience(args, this.#project.options).ended
      this.decisions += 1
    }
  }
}
