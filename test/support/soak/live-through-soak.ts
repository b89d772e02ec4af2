import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnAudience } from '../audience.ts'
import { kill, projectIn, spawnDaemon, untilReady } from '../daemon.ts'
import { losingProxy } from '../losing-proxy.ts'
import { kindsInOrder, pause } from './disturbances.ts'
import { mountSmallDisk } from './small-disk.ts'
import type { SoakOptions } from './soak.ts'
import { SoakPerson } from './soak-person.ts'
import { lastLines, type Soak, SoakProject } from './soak-project.ts'
import { SoakService } from './soak-service.ts'
import { soakStateOf } from './soak-state.ts'

/** What can go wrong, and how many times of a hundred. */
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

/** Longer than a lease, so that others can take the runs of a paused process. */
const PAUSE_MS = 11_000
const DISK_MEGABYTES = 24

/**
 * Uses the real command and the real service in `folder` and disturbs both the given number of times, at random
 * moments; then waits until everything has settled. The caller checks the result and closes the service.
 */
export async function liveThroughSoak(folder: string, { disturbances, random, say }: SoakOptions): Promise<Soak> {
  const disk = mountSmallDisk(join(folder, 'state'), DISK_MEGABYTES)
  if (!disk) say('this user may not mount a file system: no full disks')
  const service = await SoakService.start(join(folder, 'service-state'))
  const proxy = await losingProxy(service.url)
  const inFolder = projectIn(folder, { AUDIENCE_BASE_URL: proxy.url, AUDIENCE_TOKEN: service.token })
  const project = new SoakProject(inFolder)
  const state = soakStateOf(inFolder)
  let daemon = spawnDaemon(project.options)
  const done: Partial<Record<Disturbance, number>> = {}
  const inTheBackground: Promise<unknown>[] = []

  const within = (from: number, to: number) => sleep(from + random() * (to - from))
  const restart = async () => {
    await kill(daemon)
    await within(0, 400)
    daemon = spawnDaemon(project.options)
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
      const run = project.begin('run')
      await within(150, 2000)
      await kill(run)
    },
    async pauseRun() {
      const run = project.begin('slow')
      await within(400, 3500)
      inTheBackground.push(pause(run, PAUSE_MS).then(() => run.ended))
    },
    async pauseDaemon() {
      const running = (await state.runs()).find(({ status }) => status === 'running')
      const paused = pause(daemon, PAUSE_MS)
      await sleep(PAUSE_MS - 2000)
      const others = running && spawnAudience(['runs', 'resume', running.runId], project.options)
      await paused
      await others?.ended
    },
  }

  // A daemon that cannot write its state when it starts ends by itself, and its supervisor starts it again.
  const supervise = () => {
    if (daemon.exitCode !== null) daemon = spawnDaemon(project.options)
  }

  try {
    await untilReady(daemon)
    // The last disturbance is a full disk. The daemon must continue without a restart.
    for (const kind of [...kindsInOrder(SHARES, disturbances - 1, random), 'fillDisk'] as const) {
      const choice = random()
      if (choice < 0.35) inTheBackground.push(project.begin('run').ended)
      else if (choice < 0.6) inTheBackground.push(project.submit())
      else project.drop()
      await within(50, 900)
      say(`${kind}`)
      await disturb[kind]()
      done[kind] = (done[kind] ?? 0) + 1
      supervise()
    }
    disk?.free()
    await Promise.all(inTheBackground)
    const person = new SoakPerson(project, state, service)
    // The daemon may still have been starting when the disk was full.
    await project.untilQuiet(state, person, { tend: supervise, log: () => lastLines(daemon) })
    await kill(daemon, 'SIGTERM')
    return { project, state, service, done, decisions: person.decisions, close: () => service.close() }
  } finally {
    await kill(daemon)
    await proxy.close()
    disk?.free()
    if (disk) keepState(folder, disk.remove)
  }
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
