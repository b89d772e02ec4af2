import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { SteadyClock } from '../core/clock.ts'
import { makeOwnFolder } from '../platform/own-folder.ts'
import { CONTROL_PREFIX } from './control/control-operation.ts'
import { createFaultRules } from './control/fault-rules.ts'
import { createLag } from './control/lag.ts'
import { createRequestJournal } from './control/request-journal.ts'
import { createServiceClock, RUNNING_WITH_THE_MACHINE } from './control/service-clock.ts'
import { createServer } from './http/create-server.ts'
import { createJobControl } from './jobs/job-control.ts'
import { createJobRunner } from './jobs/job-runner.ts'
import type { LocalEndpoint } from './local/endpoint-file.ts'
import type { MatchEngine } from './matching/match-engine.ts'
import { type Network, participantPath } from './network/network.ts'
import { operationHandlers } from './operations/operation-handlers.ts'
import { openBlobFolders } from './storage/blob-folders.ts'
import { createSnapshots } from './storage/snapshots.ts'
import { openStore } from './storage/store.ts'
import { loadTokens } from './tokens.ts'

export interface ServiceOptions {
  /** The folder with everything that the service keeps. It is created if it is missing. */
  dataDir: string
  network: Network
  clock: SteadyClock
  log: Logger
  /** The default is any free port. */
  port?: number
  /** Reject unknown request fields and query parameters (decision 13). */
  strict?: boolean
  /** The engine that works on sets. The default is DuckDB with the population of the network. */
  engine?: MatchEngine
  /** Makes a new id of 24 hexadecimal digits. By default, ids are random. */
  newId?: () => string
  /** Gives connections to the server, so that it need not listen on a port. Returns the origin of the server. */
  serve?: (server: Server) => string
}

/** A service in this process: the address of its first participant, and how to close it. */
export interface RunningService extends LocalEndpoint {
  /** Finishes requests in progress, which takes a few seconds at most. Jobs resume with the next start. */
  close(): Promise<void>
}

/** The maximum number of jobs that work on sets at the same time. Each of them uses all processors. */
const CONCURRENT_WORK = 2
/** How long requests in progress may take when the service closes. */
const CLOSE_GRACE_MS = 5_000

/**
 * Starts the Audience Data Service on a data folder. Resolves once it takes requests and works on jobs. Throws
 * AudienceError if the folder is in use, was written by a newer version, or is writable by others.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { dataDir, network, clock: wall, log, strict = false } = options
  const first = network.participants[0]
  if (!first) throw new Error('the network has no participants')
  makeOwnFolder(dataDir)
  const store = openStore(join(dataDir, 'service.db'))
  const blobs = openBlobFolders(dataDir, store)
  const snapshots = createSnapshots(dataDir, store, blobs)
  snapshots.recover()
  blobs.sweep()
  const clock = createServiceClock(wall, store.clock.read() ?? RUNNING_WITH_THE_MACHINE, store.clock.write)
  const tokens = loadTokens(dataDir, network.participants)
  // Imported on demand, because a caller with its own engine does not need DuckDB.
  const engine = options.engine ?? (await import('./matching/match-engine.ts')).createMatchEngine({ dataDir, network })
  const { latencies } = network
  const runner = createJobRunner({
    store,
    clock,
    wall,
    log,
    latencies,
    engine,
    blobs,
    concurrency: CONCURRENT_WORK,
  })
  const jobs = createJobControl({ store, blobs, clock, latencies, runner })
  const { newId = randomId } = options
  const scratch = await emptyFolder(join(dataDir, 'tmp', 'exports'))
  const faults = createFaultRules()
  const lag = createLag(store, clock)
  const shared = { network, tokens, store, blobs, clock, wall, runner, faults, lag }
  let ready = false
  let origin = ''
  const server: FastifyInstance = createServer({
    log,
    operations: {
      ...shared,
      context: { network, store, blobs, runner, clock, newId },
      handlers: operationHandlers,
      strict,
    },
    control: {
      ...shared,
      snapshots,
      jobs,
      engine,
      journal: createRequestJournal(),
      isReady: () => ready,
      origin: () => origin,
      scratchPath: (name) => join(scratch, `${newId()}-${name}`),
    },
  })

  const close = async () => {
    await closeServer(server, wall)
    const stopped = runner.stop()
    await engine.close()
    await stopped
    store.close()
  }
  try {
    const [heardAt] = await Promise.all([hear(server, options), engine.prepare()])
    origin = heardAt
  } catch (error) {
    await close()
    throw error
  }
  runner.start()
  ready = true
  log.info({ origin }, 'the Audience Data Service is ready')
  return {
    url: origin + participantPath(first.id),
    participantId: first.id,
    token: tokens.of(first.id),
    control: { url: origin + CONTROL_PREFIX, token: tokens.control },
    close,
  }
}

async function emptyFolder(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Closes the server. Uses the machine's clock, which nobody can freeze. */
async function closeServer(server: FastifyInstance, wall: SteadyClock): Promise<void> {
  const force = wall.timer(CLOSE_GRACE_MS, () => server.server.closeAllConnections())
  await server.close()
  force.cancel()
}

function randomId(): string {
  return randomBytes(12).toString('hex')
}

/** Returns the origin of the server. */
async function hear(server: FastifyInstance, { port = 0, serve }: ServiceOptions): Promise<string> {
  if (!serve) return server.listen({ host: '127.0.0.1', port })
  await server.ready()
  return serve(server.server)
}
