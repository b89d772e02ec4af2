import { get } from 'node:http'
import { dirname, join } from 'node:path'
import { look, type SteadyClock, within } from '../../core/clock.ts'
import { codeOf } from '../../core/code-of.ts'
import { AudienceError, unavailableError } from '../../core/errors.ts'
import { explainTrouble } from '../../platform/explain-trouble.ts'
import { type InstanceLock, takeInstanceLock } from '../../platform/instance-lock.ts'
import { makeOwnFolder } from '../../platform/own-folder.ts'
import { controlRequest } from './control-client.ts'
import { type LocalEndpoint, readEndpoint, writeEndpoint } from './endpoint-file.ts'

/** A service in this process. */
export interface Hosted {
  readonly endpoint: LocalEndpoint
  close(): Promise<void>
}

export interface LocalService {
  readonly endpoint: LocalEndpoint
  /** Whether the service runs in this process. Otherwise another process runs it. */
  readonly hosted: boolean
  close(): Promise<void>
}

const JOIN_WITHIN_MS = 15_000
const LOOK_EVERY_MS = 200
const ANSWERS_WITHIN_MS = 2000

/**
 * Opens the service of a folder. Starts it here, or joins it if another process already runs it. When that process
 * ends, a process that joined starts the service again at the same address, so that its users still have a service.
 */
export async function openLocalService(
  folder: string,
  host: (options: { port: number }) => Promise<Hosted>,
  clock: SteadyClock,
): Promise<LocalService> {
  makeServiceFolder(folder)
  const endpointFile = join(folder, 'endpoint.json')
  const lockFile = join(folder, 'service.lock')
  let holder: { lock: InstanceLock; hosted: Hosted } | undefined

  async function tryToHost(): Promise<boolean> {
    const lock = takeInstanceLock(lockFile)
    if (!lock) return false
    try {
      const hosted = await hostAgain(host, readEndpoint(endpointFile))
      writeEndpoint(endpointFile, hosted.endpoint)
      holder = { lock, hosted }
      return true
    } catch (error) {
      lock.release()
      throw error
    }
  }

  const leaving = new AbortController()
  async function close(watching?: Promise<void>): Promise<void> {
    leaving.abort()
    await watching
    await holder?.hosted.close()
    holder?.lock.release()
  }

  const deadline = clock.steady() + JOIN_WITHIN_MS
  while (clock.steady() < deadline) {
    if (await tryToHost()) {
      const hosted = holder as NonNullable<typeof holder>
      return { endpoint: hosted.hosted.endpoint, hosted: true, close: () => close() }
    }
    const endpoint = readEndpoint(endpointFile)
    if (endpoint && (await answers(endpoint, clock))) {
      const watching = takeOver(tryToHost, { clock, signal: leaving.signal })
      return { endpoint, hosted: false, close: () => close(watching) }
    }
    await clock.sleep(LOOK_EVERY_MS)
  }
  throw unavailableError(
    'service-starting',
    `another process has locked the service in ${folder}, but it does not answer`,
    'wait until it has started, or end it',
  )
}

function makeServiceFolder(folder: string): void {
  try {
    makeOwnFolder(folder)
  } catch (error) {
    if (error instanceof AudienceError) throw error
    const { why, repair = 'check that its disk can be written to' } = explainTrouble(error, dirname(folder))
    throw new AudienceError({
      code: 'service-folder',
      kind: 'failed',
      message: `the folder of the service, ${folder}, cannot be made: ${why}`,
      hint: `${repair}, or name another folder with AUDIENCE_STATE`,
      cause: error,
    })
  }
}

/**
 * Starts at the previous address, so that clients of the process that has ended find the service. If that address is
 * taken, starts at another one.
 */
async function hostAgain(
  host: (options: { port: number }) => Promise<Hosted>,
  last: LocalEndpoint | undefined,
): Promise<Hosted> {
  const port = last ? Number(new URL(last.url).port) : 0
  try {
    return await host({ port })
  } catch (error) {
    if (port === 0 || codeOf(error) !== 'port-in-use') throw error
    return host({ port: 0 })
  }
}

/**
 * Whether the service answers. Does not use `fetch`, because loading it would take a large part of the time for
 * joining.
 */
function answers({ control }: LocalEndpoint, clock: SteadyClock): Promise<boolean> {
  const ask = (signal: AbortSignal) =>
    new Promise<boolean>((resolve, reject) => {
      const request = get(controlRequest(control, 'health').url, { signal }, (response) => {
        response.resume()
        resolve(response.statusCode === 200)
      })
      request.on('error', reject)
    })
  return within(ANSWERS_WITHIN_MS, ask, { clock }).catch(() => false)
}

async function takeOver(
  tryToHost: () => Promise<boolean>,
  { clock, signal }: { clock: SteadyClock; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await look(clock, LOOK_EVERY_MS, signal)
    if (!signal.aborted && (await tryToHost())) return
  }
}
