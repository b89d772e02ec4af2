import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Audience } from '../audience.ts'
import { commandLine } from '../command-line.ts'
import { kill, spawnDaemon, untilReady } from '../daemon.ts'
import { losingProxy } from '../losing-proxy.ts'
import { sql } from '../sql.ts'
import { crashPostgres, startPostgres, stopPostgres } from '../start-postgres.ts'
import { kindsInOrder, pause } from './disturbances.ts'
import type { SoakOptions } from './soak.ts'
import { SoakPerson } from './soak-person.ts'
import { lastLines, type Soak, SoakProject } from './soak-project.ts'
import { SoakService } from './soak-service.ts'
import { soakStateAt } from './soak-state.ts'

/** What can go wrong, and how many times of a hundred. */
const SHARES = {
  killWorker: 42,
  pauseWorker: 16,
  killDatabase: 5,
  loseAnswer: 20,
  killRun: 9,
  drainWorker: 8,
}
type Disturbance = keyof typeof SHARES

const WORKERS = 3
/** Longer than two leases, so that others can take the runs of a paused worker. */
const PAUSE_MS = 7_000

/**
 * Like `liveThroughSoak`, but with several workers and one PostgreSQL, which is killed, too. When a worker ends, the
 * others take its runs, and a supervisor starts another worker.
 */
export async function liveThroughWorkers(folder: string, { disturbances, random, say }: SoakOptions): Promise<Soak> {
  const database = await startPostgres()
  const service = await SoakService.host(join(folder, 'service-state'))
  const proxy = await losingProxy(service.url)
  const url = `${database.url}/audience`
  await sql(database.url, 'CREATE DATABASE audience')
  const env = { AUDIENCE_BASE_URL: proxy.url, AUDIENCE_TOKEN: service.token, AUDIENCE_STATE: url }
  const project = new SoakProject({ folder, options: { cwd: folder, env } })
  const state = soakStateAt(url)
  const start = () => spawnDaemon(project.options)
  const within = (from: number, to: number) => sleep(from + random() * (to - from))
  const inTheBackground: Promise<unknown>[] = []
  const done: Partial<Record<Disturbance, number>> = {}
  const workers: Audience[] = []
  const any = () => Math.floor(random() * WORKERS)
  // A worker that lost its lease ends by itself: its supervisor starts another one.
  const supervise = () => {
    for (const [place, { exitCode, signalCode }] of workers.entries())
      if (exitCode !== null || signalCode !== null) workers[place] = start()
  }

  const disturb: Record<Disturbance, () => Promise<unknown>> = {
    killWorker: () => kill(workers[any()]!),
    drainWorker: () => kill(workers[any()]!, 'SIGTERM'),
    async pauseWorker() {
      const worker = workers[any()]!
      inTheBackground.push(pause(worker, PAUSE_MS))
    },
    killDatabase: () => crashPostgres(database, random() * 6_000),
    async loseAnswer() {
      const fault = random() < 0.6 ? 'resetAfter' : 'errorAfter'
      proxy.lose(fault, ({ method }) => method !== 'GET')
    },
    async killRun() {
      const run = project.begin('run')
      await within(300, 3000)
      await kill(run)
    },
  }

  try {
    for (const args of [
      ['state', 'migrate'],
      ['workers', 'share', folder],
    ]) {
      const { code, err } = await commandLine(args, project.options)
      if (code !== 0) throw new Error(err)
    }
    for (let worker = 0; worker < WORKERS; worker += 1) workers.push(start())
    await Promise.all(workers.map(untilReady))
    for (const kind of kindsInOrder(SHARES, disturbances, random)) {
      const choice = random()
      if (choice < 0.2) inTheBackground.push(project.begin('run').ended)
      else if (choice < 0.35) inTheBackground.push(project.submit())
      else if (choice < 0.5) inTheBackground.push(project.submit('quickstart'))
      else if (choice < 0.65) inTheBackground.push(project.submit('nightly'))
      else project.drop()
      await within(50, 1500)
      say(kind)
      await disturb[kind]()
      done[kind] = (done[kind] ?? 0) + 1
      supervise()
    }
    await Promise.all(inTheBackground)
    const person = new SoakPerson(project, state, service)
    await project.untilQuiet(state, person, { tend: supervise, log: () => workers.map(lastLines).join('\n') })
    return { project, state, service, done, decisions: person.decisions, close }
  } catch (error) {
    await close()
    throw error
  }

  /** Ends everything; the state is then gone. */
  async function close(): Promise<void> {
    for (const worker of workers) await kill(worker)
    await proxy.close()
    await service.close()
    stopPostgres(database.data)
  }
}
